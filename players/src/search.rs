//! Searches: from a state, a role and a budget to a move and what was found.
//!
//! Every search is a [`Player`](crate::Player) and works without a match too: `search` takes any state.
//!
//! | search | for | value |
//! |---|---|---|
//! | [`Best`] | any game: takes one of the others | as that does |
//! | [`Planner`] | one role without chance | a goal and the moves to it; exact where nothing better can be reached |
//! | [`AlphaBeta`] | two roles; others as a coalition ([`AlphaBeta::paranoid`]); one role | exact where it reaches the end |
//! | [`Mcts`] | any number of roles, chance, moves at the same time | a mean, unless it is proved |
//! | [`FlatMonteCarlo`] | the same, one move ahead | a mean |
//! | [`Equilibrium`], [`Ismcts`] | hidden information: few histories, many | a mean |
//! | [`Solution`], [`Perfect`] | one role, or two that take turns, few states | exact |
//!
//! All of them stop within the [`Budget`](crate::Budget), whichever of its limits comes first, keep
//! to the memory they are given, and recurse no deeper than a limit. On one thread, with a budget
//! of nodes, they find the same for the same seed. What roles do not know (`sees`) is drawn by
//! searches that are not made for it: they run in some of the states that fit the role's
//! information, and the moves they find are put to the vote.

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
    /// The move to make. `None` if the role has no legal move in the state, or the state is
    /// terminal.
    pub action: Option<G::Move>,
    /// The principal variation: the joint moves expected, as far as they are known.
    pub line: Vec<Vec<G::Move>>,
    /// The role's moves with how often each was tried and the goal expected of it, best first,
    /// where the search tells them apart.
    pub moves: Vec<(G::Move, u64, f64)>,
    /// The counts of the search. Its texts are filled in by [`SearchResult::describe`].
    pub report: Report,
}

impl<G: Game> SearchResult<G> {
    /// A result with a move alone.
    pub(crate) fn only(action: Option<G::Move>) -> Self {
        Self { action, line: Vec::new(), moves: Vec::new(), report: Report::default() }
    }

    /// The report, with the texts of moves.
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

/// A joint move as a KIF list.
fn joint_text<G: Game>(game: &G, joint: &[G::Move]) -> String {
    let texts: Vec<&str> = joint.iter().map(|&action| game.move_text(action)).collect();
    format!("({})", texts.join(" "))
}
