//! The one-hot complement on `does`: each role makes exactly one move, so a conjunction that excludes
//! more than half of a role's moves is the disjunction of the others.
//!
//! Frame axioms speak of all moves but a few; afterwards they speak of the few. Also, two moves of one
//! role exclude each other.

use super::rebuild::{inputs, live, rebuild};
use crate::limits::Fuel;
use crate::propnet::{Gate, Net, Signal};

/// Replaces long exclusions of a role's moves by their complements. O(literals).
pub fn complement_moves(net: &Net, fuel: &mut Fuel) -> Option<Net> {
    let groups = groups(net);
    rebuild(net, inputs(net), fuel, |copy, mut operands| {
        let speaks_of_moves = |s: &Signal| matches!(copy.gate(s.gate()), Gate::Does { .. });
        if operands.iter().any(speaks_of_moves) {
            operands.sort_unstable();
            operands = complement(copy, &groups, &operands);
        }
        copy.and(operands)
    })
}

/// For each role, the signals of its moves that some gate mentions or that can be legal.
fn groups(net: &Net) -> Vec<Vec<Signal>> {
    let live = live(net);
    let mut groups = vec![Vec::new(); net.vocabulary.roles.len()];
    for (position, &(role, action)) in net.does().iter().enumerate() {
        let signal = net.does_at(position);
        let legal = &net.outputs.legal[role as usize];
        let entry = legal.binary_search_by_key(&action, |&(action, _)| action);
        let possible = entry.is_ok_and(|entry| legal[entry].1 != Signal::FALSE);
        if possible || live[signal.gate() as usize] {
            groups[role as usize].push(signal);
        }
    }
    groups
}

/// The conjunction of sorted operands, with other operands.
fn complement(net: &mut Net, groups: &[Vec<Signal>], operands: &[Signal]) -> Vec<Signal> {
    let mut made: Vec<Option<Signal>> = vec![None; groups.len()];
    let mut excluded: Vec<usize> = vec![0; groups.len()];
    for &signal in operands {
        if let Gate::Does { role, .. } = net.gate(signal.gate()) {
            if signal.is_negated() {
                excluded[role as usize] += 1;
            } else if made[role as usize].replace(signal).is_some() {
                return vec![Signal::FALSE];
            }
        }
    }
    let role_of = |net: &Net, signal: Signal| match net.gate(signal.gate()) {
        Gate::Does { role, .. } => Some(role as usize),
        _ => None,
    };
    // Rewritten operands may deny a move that another one makes.
    if made.iter().flatten().any(|&signal| operands.contains(&!signal)) {
        return vec![Signal::FALSE];
    }
    let is_replaced = |role: usize| made[role].is_some() || 2 * excluded[role] > groups[role].len();
    let mut kept: Vec<Signal> = operands
        .iter()
        .copied()
        .filter(|&s| !(s.is_negated() && role_of(net, s).is_some_and(is_replaced)))
        .collect();
    for (role, group) in groups.iter().enumerate() {
        if excluded[role] > 0 && made[role].is_none() && is_replaced(role) {
            let rest = group.iter().copied().filter(|&s| operands.binary_search(&!s).is_err()).collect();
            kept.push(net.or(rest));
        }
    }
    kept
}
