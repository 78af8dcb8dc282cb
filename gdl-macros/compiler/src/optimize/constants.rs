//! Constant folding: removes fluents that never change and moves that are never legal from the gates.
//!
//! Ternary simulation from the initial state, with every possible move unknown, joins the states it
//! meets until nothing changes: a fluent that is not unknown then has its initial value for ever, and
//! a move whose legality is then false is never made. (Bryant 1987 for the simulation; constant
//! latches are found so in hardware.) Afterwards no gate mentions them.

use super::rebuild::{inputs, rebuild};
use crate::propnet::{Gate, Net, Signal};

/// Folds constant fluents and impossible moves. O(gates) a round; a round adds at least one unknown
/// fluent, and games need a few.
#[must_use]
pub fn fold_constants(net: &Net) -> Net {
    let (fluents, moves) = simulate(net);
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
    rebuild(net, signals, Net::and)
}

/// The value of each fluent if it is constant, and whether each move is ever legal.
fn simulate(net: &Net) -> (Vec<Option<bool>>, Vec<bool>) {
    let mut fluents: Vec<Option<bool>> = net.initial.iter().map(|&v| Some(v)).collect();
    let mut possible = vec![false; net.does().len()];
    loop {
        let mut values: Vec<Option<bool>> = Vec::with_capacity(net.len());
        for gate in 0..net.len() as u32 {
            let value = match net.gate(gate) {
                Gate::Constant => Some(false),
                Gate::Fluent(fluent) => fluents[fluent as usize],
                // A move that is not known to be possible is not made; the others may or may not be.
                Gate::Does { .. } => {
                    let position = gate as usize - 1 - fluents.len();
                    if possible[position] { None } else { Some(false) }
                }
                Gate::And(operands) => conjunction(operands.iter().map(|&s| of(&values, s))),
            };
            values.push(value);
        }
        let mut changed = false;
        for (fluent, &next) in fluents.iter_mut().zip(&net.outputs.next) {
            if fluent.is_some() && of(&values, next) != *fluent {
                *fluent = None;
                changed = true;
            }
        }
        for (role, legal) in net.outputs.legal.iter().enumerate() {
            for &(action, signal) in legal {
                if let Ok(position) = net.does().binary_search(&(role as u32, action))
                    && !possible[position]
                    && of(&values, signal) != Some(false)
                {
                    possible[position] = true;
                    changed = true;
                }
            }
        }
        if !changed {
            return (fluents, possible);
        }
    }
}

fn of(values: &[Option<bool>], signal: Signal) -> Option<bool> {
    values[signal.gate() as usize].map(|value| value != signal.is_negated())
}

/// False if any value is, else unknown if any value is, else true.
fn conjunction(values: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut all = Some(true);
    for value in values {
        match value {
            Some(false) => return Some(false),
            Some(true) => {}
            None => all = None,
        }
    }
    all
}
