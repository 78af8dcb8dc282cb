//! The trial of engines for single states: a seeded random game, in which what a machine looks at is counted.
//!
//! Input: a table, and the nets that it was made from. Output: the game by the engine that is expected to take the least time. No
//! clock is read, so the same rulesheet has the same engine on every machine.

use super::Events;
use crate::{bits, dynamic::MoveId, game::Id, random::Stream, table::Table};
use gdl_compiler::propnet::Net;

/// Steps of the trial: what a machine does in the first ones, which take it from nothing to where play goes, is not counted.
const STEPS: u64 = 64;

/// The trial ends when it has looked at every edge so often, on average.
const MOST_PASSES: u64 = 32;

/// Tables of fewer gates take less than what a machine takes besides edges.
const FEWEST_GATES: usize = 10_000;

/// A machine takes as long for an edge as the table for so many of its gates, found on thirty rulesheets
/// (`benches/record/2026-11-23-events.md`): more where moves are few, since the table then has a patch for each that it makes.
const GATES_OF_MANY_MOVES: u64 = 30;
const GATES_OF_FEW_MOVES: u64 = 45;

/// So many moves are few.
const FEW_MOVES: usize = 1_000;

/// The game of one of two nets of the same rules, if the trial promises less of it than of the table.
pub(crate) fn choose(table: &Table, nets: [&Net; 2]) -> Option<Events> {
    let (observe, advance) = table.gates();
    if observe + advance < FEWEST_GATES {
        return None;
    }
    let moves = nets[0].does().len();
    let gates = if moves > FEW_MOVES { GATES_OF_MANY_MOVES } else { GATES_OF_FEW_MOVES };
    let (events, work) = best(nets)?;
    (work.saturating_mul(gates) < (observe + advance) as u64).then_some(events)
}

/// The game of that one of two nets which takes less in the trial, and the edges of a step. None if both are too large.
pub(crate) fn best([raw, net]: [&Net; 2]) -> Option<(Events, u64)> {
    let tried = |net| {
        let events = Events::new(net)?;
        let work = events.trial();
        Some((events, work))
    };
    let first = tried(raw);
    match (first, tried(net)) {
        (Some(first), Some(second)) if second.1 >= first.1 => Some(first),
        (first, second) => second.or(first),
    }
}

impl Events {
    /// Edges looked at in a step of a random game, on average. What takes far too many is not played to the end.
    fn trial(&self) -> u64 {
        let shape = self.shape;
        let mut random = Stream::new(0, 0);
        let mut state = self.initial.to_vec();
        let mut view = vec![0; shape.view_words()];
        let mut joint: Vec<MoveId> = Vec::new();
        let (mut before, most) = (0, MOST_PASSES * self.wiring.operands.len() as u64 + (1 << 20));
        for step in 0..2 * STEPS {
            let work = self.visit(&state).work();
            if step == STEPS {
                before = work;
            }
            if work > most {
                return work / (step + 1);
            }
            self.observe_without_goals(&state, &mut view);
            joint.clear();
            for legal in view.chunks(shape.legal_words().max(1)).take(shape.roles) {
                let choice = bits::choose(legal, |count| random.below(count));
                joint.extend(choice.map(MoveId::from_index));
            }
            if joint.len() < shape.roles || bits::test(&view, shape.terminal_bit()) {
                state.copy_from_slice(&self.initial);
            } else {
                self.advance(&mut state, &joint);
            }
        }
        (self.visit(&state).work() - before) / STEPS
    }
}
