//! Searches: algorithms that find a move, given a state, a role and a budget.
//!
//! Every search except [`Solution`] is a [`Player`](crate::Player). Most have a method `search` for
//! any state, outside a match. The method of [`Ismcts`] takes information instead, and
//! [`Equilibrium`] has `improve` and `strategy`.
//!
//! | search | for | value |
//! |---|---|---|
//! | [`Best`] | any game: chooses one of the others | that of the chosen search |
//! | [`Planner`] | one role without chance | a goal; exact if none is better |
//! | [`AlphaBeta`] | two roles; others as a coalition ([`AlphaBeta::paranoid`]); one role | exact where it reaches the end |
//! | [`Mcts`] | any number of roles, chance, simultaneous moves | a mean, unless it is proved |
//! | [`FlatMonteCarlo`] | like [`Mcts`], one move ahead | a mean |
//! | [`Equilibrium`], [`Ismcts`] | hidden information with few histories, and with many | a mean |
//! | [`Solution`], [`Perfect`] | one role, or two that take turns, few states | exact |
//!
//! Every search stops when the first limit of its [`Budget`](crate::Budget) is reached, respects
//! its memory limit, and bounds its recursion. On one thread, the same seed and number of nodes
//! give the same result.
//!
//! If information is hidden (`sees`), searches without support for it run in a sample of the states
//! that are consistent with the role's information. Their results vote on the move.

mod alphabeta;
mod best;
mod character;
mod equilibrium;
mod evaluation;
mod flat;
mod growth;
mod ismcts;
mod learned;
mod linear;
mod lines;
mod mcts;
mod memory;
mod meter;
mod mind;
mod options;
mod payoff;
mod perfect;
mod planner;
mod rollouts;
mod sets;
mod setup;
mod solution;
mod state_batch;
mod states;
mod successors;
mod symmetry;
mod vote;

pub use alphabeta::AlphaBeta;
pub use best::Best;
pub use equilibrium::Equilibrium;
pub use evaluation::Evaluation;
pub use flat::FlatMonteCarlo;
pub use ismcts::Ismcts;
pub use learned::{Learned, LearnedValue, Net, NetError, Training};
pub use linear::Linear;
pub use mcts::Mcts;
pub use perfect::Perfect;
pub use planner::Planner;
pub use solution::{Solution, SolveError, Solved};

use crate::player::Report;
use gdl_runtime::{Game, GameExt};

/// The result of a search.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SearchResult<G: Game> {
    /// The move to make. `None` if the role has no legal move or the state is terminal.
    pub action: Option<G::Move>,
    /// The principal variation: the expected joint moves, as far as known.
    pub line: Vec<Vec<G::Move>>,
    /// The role's moves, best first, each with its number of visits and its expected goal. Empty if
    /// the search does not rank them.
    pub moves: Vec<(G::Move, u64, f64)>,
    /// The statistics of the search. [`SearchResult::describe`] fills in its texts.
    pub report: Report,
}

impl<G: Game> SearchResult<G> {
    /// Creates a result that has only a move.
    pub(crate) fn only(action: Option<G::Move>) -> Self {
        Self { action, line: Vec::new(), moves: Vec::new(), report: Report::default() }
    }

    /// Returns the report with its moves and principal variation as texts.
    #[must_use]
    pub fn describe(&self, game: &G) -> Report {
        let mut report = self.report.clone();
        report.line = self.line.iter().map(|joint| joint_text(game, joint)).collect();
        let tried = |&(action, visits, value): &(G::Move, u64, f64)| crate::player::MoveStats {
            action: game.move_text(action).to_owned(),
            visits,
            value,
        };
        report.moves = self.moves.iter().map(tried).collect();
        report
    }
}

/// Formats a joint move as a KIF list.
fn joint_text<G: Game>(game: &G, joint: &[G::Move]) -> String {
    let texts: Vec<&str> = joint.iter().map(|&action| game.move_text(action)).collect();
    format!("({})", texts.join(" "))
}
