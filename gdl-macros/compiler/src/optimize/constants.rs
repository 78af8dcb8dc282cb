//! Constant folding: removes fluents that never change and moves that are never legal from the gates.
//!
//! Ternary simulation from the initial state, with every possible move unknown, joins the states it
//! meets until nothing changes: a fluent that is not unknown then has its initial value for ever, and
//! a move whose legality is then false is never made. (Bryant 1987 for the simulation; constant
//! latches are found so in hardware.) Afterwards no gate mentions them.
//!
//! Each value becomes unknown once at most, so each operand is looked at twice at most.

use super::{
    rebuild::{inputs, open, substitute},
    users::Users,
};
use crate::meter::Meter;
use crate::propnet::{Gate, Net, Signal};

/// Folds constant fluents and impossible moves. O(literals).
pub fn fold_constants(net: &Net, meter: &mut Meter) -> Option<Net> {
    open(net, meter)?;
    // Each operand is looked at once more if its value becomes unknown, and is in the list of its users.
    meter.spend(2 * net.literals() as u64)?;
    meter.take(size_of::<Signal>() * net.literals() + 48 * net.len())?;
    let (fluents, moves) = simulate(net);
    if fluents.iter().all(Option::is_none) && moves.iter().all(|&possible| possible) {
        meter.take(net.bytes())?;
        let mut copy = net.clone();
        copy.sweep();
        return Some(copy);
    }
    let mut signals = inputs(net);
    for (fluent, value) in fluents.iter().enumerate() {
        if let Some(value) = value {
            signals[1 + fluent] = Signal::FALSE.negate_if(*value);
        }
    }
    for (position, possible) in moves.iter().enumerate() {
        if !possible {
            signals[1 + fluents.len() + position] = Signal::FALSE;
        }
    }
    substitute(net, signals, meter)
}

/// The value of each fluent if it is constant, and whether each move is ever legal.
fn simulate(net: &Net) -> (Vec<Option<bool>>, Vec<bool>) {
    // Values only ever become unknown. So each gate waits for the last of its false operands to do so.
    let fluents = net.initial.len();
    let mut values: Vec<Option<bool>> = Vec::with_capacity(net.len());
    let mut falses = vec![0u32; net.len()];
    let users = Users::new(net);
    for gate in 0..net.len() as u32 {
        values.push(match net.gate(gate) {
            Gate::Fluent(fluent) => Some(net.initial[fluent as usize]),
            // A move that is not known to be possible is not made; the others may or may not be.
            Gate::Constant | Gate::Does { .. } => Some(false),
            Gate::And(operands) => {
                for &s in operands {
                    falses[gate as usize] += u32::from(of(&values, s) == Some(false));
                }
                Some(falses[gate as usize] == 0)
            }
        });
    }
    // What becomes unknown with a gate's value: fluents, by what makes them true, and moves, by their legality.
    let mut followers: Vec<Vec<u32>> = vec![Vec::new(); net.len()];
    let mut news: Vec<u32> = Vec::new();
    for (fluent, &next) in (1u32..).zip(&net.outputs.next) {
        followers[next.gate() as usize].push(fluent);
        if of(&values, next) != values[fluent as usize] {
            news.push(fluent);
        }
    }
    for (role, legal) in (0u32..).zip(&net.outputs.legal) {
        for &(action, signal) in legal {
            if let Ok(position) = net.does().binary_search(&(role, action)) {
                let gate = (1 + fluents + position) as u32;
                followers[signal.gate() as usize].push(gate);
                if of(&values, signal) != Some(false) {
                    news.push(gate);
                }
            }
        }
    }
    while let Some(gate) = news.pop() {
        let Some(value) = values[gate as usize].take() else { continue };
        news.extend_from_slice(&followers[gate as usize]);
        for &user in users.of(gate) {
            let waiting = &mut falses[user.gate() as usize];
            *waiting -= u32::from(value == user.is_negated());
            if *waiting == 0 {
                news.push(user.gate());
            }
        }
    }
    let possible = values[1 + fluents..net.inputs()].iter().map(Option::is_none).collect();
    (values[1..=fluents].to_vec(), possible)
}

fn of(values: &[Option<bool>], signal: Signal) -> Option<bool> {
    values[signal.gate() as usize].map(|value| value != signal.is_negated())
}
