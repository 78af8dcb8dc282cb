//! Turns: conditions for all moves of a role except one. Where such a condition is false, the
//! exception is the role's only legal move: the role rests.

use crate::propnet::{Gate, Net, Signal};

/// A turn of a role: a condition, and the move that the role makes if it is false.
#[derive(Clone, Copy)]
pub(super) struct Turn {
    /// The condition that every move of the role except one requires.
    pub condition: Signal,
    /// The `does` input of the exception.
    pub rest: Signal,
}

/// Finds the turns of all roles, sorted by role and condition. O(literals x log), since moves of
/// the same legality are visited together.
pub(super) fn turns(net: &Net) -> Vec<Turn> {
    let mut turns = Vec::new();
    for (role, legal) in (0u32..).zip(&net.outputs.legal) {
        let mut possible: Vec<(Signal, u32)> =
            legal.iter().filter(|(_, s)| *s != Signal::FALSE).map(|&(action, s)| (s, action)).collect();
        possible.sort_unstable();
        // For each legality: its conditions, the first of its moves and the number of its moves.
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
            // The only move without a condition shares its legality with no other move.
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

/// Returns signals that a signal implies, sorted: itself, the operands of a conjunction, and the
/// conditions shared by all operands of a disjunction.
fn conditions(net: &Net, signal: Signal) -> Vec<Signal> {
    let mut all: Vec<Signal> = net.conjuncts(signal).collect();
    if let (true, Gate::And(operands)) = (signal.is_negated(), net.gate(signal.gate())) {
        // Starts from the operand with the fewest conditions, so that the comparisons are at most
        // linear in the literals.
        let least = operands.iter().min_by_key(|&&s| net.conjuncts(!s).count());
        let mut shared: Vec<Signal> = least.map_or(Vec::new(), |&s| net.conjuncts(!s).collect());
        shared.retain(|&condition| operands.iter().all(|&s| net.implies(!s, condition)));
        all.extend(shared);
    }
    all.sort_unstable();
    all
}
