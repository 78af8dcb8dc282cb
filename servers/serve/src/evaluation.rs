//! The value of a state for each role: its goal at the end, otherwise the estimate of a small tree
//! search.
//!
//! A search for each of the first [`MOST_ROLES`] roles visits [`NODES`] states within half a
//! second, always with the same seed. So a place always has the same value, unless the game is so
//! slow that time ends the search.

use gdl_players::{Budget, search::Mcts};
use gdl_runtime::{Cancel, Dynamic, Game, GameExt};
use serde::Serialize;
use std::time::Duration;

/// The node budget of a search.
const NODES: u64 = 1500;
/// The time limit of a search.
const LONGEST: Duration = Duration::from_millis(500);
/// The most roles that are evaluated.
const MOST_ROLES: usize = 6;
/// The most bytes of a search.
const MOST_BYTES: usize = 16 << 20;

/// The value of a place in the history.
#[derive(Debug, Serialize)]
pub(crate) struct Evaluation {
    /// The index of the place.
    pub place: usize,
    /// The expected goal of each role, in role order; `None` for chance and for roles beyond
    /// [`MOST_ROLES`].
    pub goals: Vec<Option<f64>>,
}

impl Evaluation {
    /// Evaluates a state at a place.
    pub(crate) fn of(
        game: &Dynamic,
        state: &<Dynamic as Game>::State,
        place: usize,
        cancel: &Cancel,
    ) -> Self {
        let view = game.view(state);
        if game.is_terminal_in(&view) {
            let goals = game.roles().map(|role| game.goal_in(&view, role).map(f64::from));
            return Self { place, goals: goals.collect() };
        }
        let worth = |(number, role)| {
            if number >= MOST_ROLES || game.chance_role() == Some(role) {
                return None;
            }
            let budget = Budget::within(LONGEST).and_nodes(NODES).cancelled_by(cancel);
            // Uniform playouts are used, since decisive moves pay off only in longer searches.
            Mcts::new().uniform().memory(MOST_BYTES).search(game, state, role, &budget).report.value
        };
        Self { place, goals: game.roles().enumerate().map(worth).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::Games;
    use gdl_runtime::History;

    #[test]
    fn a_won_position_is_worth_more_and_an_end_its_goals() {
        let game = Games::default().find("tictactoe_led").expect("it is built in").game;
        let mut history = History::new(&game);
        let worth =
            |history: &History<Dynamic>| Evaluation::of(&game, history.state(), 0, &Cancel::default()).goals;
        let start = worth(&history);
        assert_eq!(start, worth(&history), "the same state is worth the same");
        let moves = [
            ("( take 1 )", "noop"),
            ("noop", "( take 4 )"),
            ("( take 2 )", "noop"),
            ("noop", "( take 9 )"),
            ("( take 3 )", "noop"),
        ];
        for (number, (x, o)) in moves.into_iter().enumerate() {
            let joint = [x, o].map(|action| game.parse_move(action).expect("a move"));
            history.play(&game, &joint).expect("it is legal");
            if number == 3 {
                // One move before the end, x has a winning move.
                assert!(worth(&history)[0] > Some(90.0), "{:?}", worth(&history));
            }
        }
        assert_eq!(worth(&history), [Some(100.0), Some(0.0)]);
    }
}
