//! The table of a game: a net, and what plays it in lanes, as [`gdl_format::table`] writes them.

use super::{lanes::Lanes, lower};
use crate::{
    Diagnostic, Limits,
    diagnostic::codes,
    meter::{Meter, Stop},
    propnet::Net,
};
use gdl_format::table::{Sees, Table};

/// Steps to write an operation, and its bytes, which are counted again where the string moves to a larger place.
const WRITTEN: u64 = 4;
const BYTES: usize = 40;

/// The table of a net and of what plays it in lanes. None if that takes more than the meter has. O(operations).
pub fn table(net: &Net, lanes: Option<&Lanes>, meter: &mut Meter) -> Option<Vec<u8>> {
    let operations = 3 * net.operations() + lanes.map_or(0, Lanes::operations);
    let vocabulary = &net.vocabulary;
    let names = [&vocabulary.roles, &vocabulary.fluents, &vocabulary.moves, &vocabulary.percepts];
    let names: usize = names.into_iter().flatten().map(|name| name.len() + 24).sum();
    lower::pay(net, meter)?;
    meter.spend(WRITTEN * operations as u64 + names as u64)?;
    meter.take(BYTES * operations + 2 * (names + net.list_bytes()))?;
    let moves_of = |role: u32| {
        let own = net.does().iter().filter(move |(r, _)| *r == role);
        own.map(|&(_, action)| action).collect()
    };
    let sees = lower::perceive(net).map(|perceive| Sees {
        percepts: texts(&vocabulary.percepts),
        role_percepts: net
            .percepts()
            .map(|list| list.iter().map(|&(percept, _)| percept).collect())
            .collect(),
        perceive,
    });
    let table = Table {
        roles: texts(&vocabulary.roles),
        fluents: texts(&vocabulary.fluents),
        moves: texts(&vocabulary.moves),
        role_moves: (0..vocabulary.roles.len() as u32).map(moves_of).collect(),
        role_goals: net
            .outputs
            .goal
            .iter()
            .map(|goal| goal.iter().map(|&(value, _)| value).collect())
            .collect(),
        chance: vocabulary.chance.map(|role| role as usize),
        initial: (0u32..).zip(&net.initial).filter(|(_, holds)| **holds).map(|(fluent, _)| fluent).collect(),
        observe: lower::observe(net),
        advance: lower::advance(net),
        sees,
        lanes: lanes.map(Lanes::written),
    };
    Some(table.encode())
}

/// What is said where there is too little for a table.
#[must_use]
pub fn excess(meter: &Meter, limits: &Limits) -> Diagnostic {
    let (code, message) = if meter.stop() == Some(Stop::Bytes) {
        let message = format!("writing the table takes more than {} bytes (`max_bytes`)", limits.max_bytes);
        (&codes::TOO_MANY_INSTANCES, message)
    } else {
        (
            &codes::OUT_OF_FUEL,
            format!("writing the table takes more than {} steps (half of `fuel`)", limits.fuel / 2),
        )
    };
    Diagnostic::new(code, None, message)
        .help("let fewer variables of each rule vary together, or raise the limit")
}

fn texts(list: &[String]) -> Vec<&str> {
    list.iter().map(String::as_str).collect()
}
