//! Turns: conditions that all moves of a role but one ask for. Where such a condition does not
//! hold, the role makes that one: it rests.

use crate::propnet::{Gate, Net, Signal};

/// A turn of a role.
#[derive(Clone, Copy)]
pub(super) struct Turn {
    /// The condition of all moves of the role but one.
    pub condition: Signal,
    /// The input of that one.
    pub rest: Signal,
}

/// The turns of all roles, in order of roles and conditions. O(literals x log): moves of the same
/// legality are looked at together.
pub(super) fn turns(net: &Net) -> Vec<Turn> {
    let mut turns = Vec::new();
    for (role, legal) in (0u32..).zip(&net.outputs.legal) {
        let mut possible: Vec<(Signal, u32)> =
            legal.iter().filter(|(_, s)| *s != Signal::FALSE).map(|&(action, s)| (s, action)).collect();
        possible.sort_unstable();
        // What each legality asks for, with the first of its moves and how many have it.
        let alike = possible.chunk_by(|left, right| left.0 == right.0);
        let alike: Vec<(Vec<Signal>, u32, usize)> =
            alike.map(|moves| (conditions(net, moves[0].0), moves[0].1, moves.len())).collect();
        let mut counts: Vec<(Signal, usize)> = Vec::new();
        for (conditions, _, count) in &alike {
            counts.extend(conditions.iter().map(|&condition| (condition, *count)));
        }
        counts.sort_unstable();
        for same in counts.chunk_by(|left, right| left.0 == right.0) {
            let count: usize = same.iter().map(|&(_, count)| count).sum();
            if count + 1 != possible.len() {
                continue;
            }
            let condition = same[0].0;
            // The one move that lacks a condition is alone in its legality.
            let lacks = |(conditions, _, count): &&(Vec<Signal>, u32, usize)| {
                *count == 1 && conditions.binary_search(&condition).is_err()
            };
            if let Some(&(_, action, _)) = alike.iter().find(lacks) {
                turns.push(Turn { condition, rest: net.does_input(role, action) });
            }
        }
    }
    turns
}

/// The signals that hold where a signal does, in order: for a conjunction its operands, for a
/// disjunction the conditions shared by all its operands, and itself.
fn conditions(net: &Net, signal: Signal) -> Vec<Signal> {
    let mut all: Vec<Signal> = net.conjuncts(signal).collect();
    if let (true, Gate::And(operands)) = (signal.is_negated(), net.gate(signal.gate())) {
        // From the operand that asks for least, so that no more is compared than the disjunction
        // has literals.
        let least = operands.iter().min_by_key(|&&s| net.conjuncts(!s).count());
        let mut shared: Vec<Signal> = least.map_or(Vec::new(), |&s| net.conjuncts(!s).collect());
        shared.retain(|&condition| operands.iter().all(|&s| net.implies(!s, condition)));
        all.extend(shared);
    }
    all.sort_unstable();
    all
}
