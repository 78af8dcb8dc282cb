//! Encodes a net and its lanes as a table, in the format of [`gdl_format::table`].

use super::{lanes::Lanes, lower};
use crate::{
    Diagnostic, Limits,
    diagnostic::codes,
    meter::{Meter, Stop},
    propnet::Net,
};
use gdl_format::table::{Sees, Table};

/// The steps to write an operation, and its bytes: in a program in memory, and in the encoded
/// string, whose capacity may be twice its length.
const WRITTEN: u64 = 4;
const BYTES: usize = 24;

/// The bytes of a name without its text: a reference and the length.
const NAME: usize = 24;

/// Encodes a net and its lanes, if it has any. Returns `None` if the meter runs out. O(operations +
/// names).
pub fn table(net: &Net, lanes: Option<&Lanes>, meter: &mut Meter) -> Option<Vec<u8>> {
    let vocabulary = &net.vocabulary;
    let names = [&vocabulary.roles, &vocabulary.fluents, &vocabulary.moves, &vocabulary.percepts];
    let count: usize = names.iter().map(|list| list.len()).sum();
    let text: usize = names.iter().flat_map(|list| list.iter()).map(|name| name.len() + 8).sum();
    lower::pay(net, meter)?;
    let (observe, advance, perceive) = (lower::observe(net), lower::advance(net), lower::perceive(net));
    let programs = [Some(&observe), Some(&advance), perceive.as_ref()].into_iter().flatten();
    let operations =
        programs.map(|program| program.gates.len()).sum::<usize>() + lanes.map_or(0, Lanes::operations);
    meter.spend(WRITTEN * operations as u64 + text as u64)?;
    meter.take(BYTES * operations + 2 * (text + net.list_bytes()) + NAME * count)?;
    let mut role_moves = vec![Vec::new(); vocabulary.roles.len()];
    net.does().iter().for_each(|&(role, action)| role_moves[role as usize].push(action));
    let sees = perceive.map(|perceive| Sees {
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
        role_moves,
        role_goals: net
            .outputs
            .goal
            .iter()
            .map(|goal| goal.iter().map(|&(value, _)| value).collect())
            .collect(),
        chance: vocabulary.chance.map(|role| role as usize),
        initial: (0u32..).zip(&net.initial).filter(|(_, holds)| **holds).map(|(fluent, _)| fluent).collect(),
        observe,
        advance,
        sees,
        lanes: lanes.map(Lanes::written),
    };
    Some(table.encode())
}

/// Returns the error for a table that exceeds a limit.
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
        .help("use fewer independent variables in each rule, or raise the limit")
}

fn texts(list: &[String]) -> Vec<&str> {
    list.iter().map(String::as_str).collect()
}
