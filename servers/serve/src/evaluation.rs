//! The value of a state for each role: at the end its goals, before that the estimate of a small
//! tree search.
//!
//! The search takes [`NODES`] states for each of the first [`MOST_ROLES`] roles and half a second
//! each at most, and always the same seed. So a place of the history always has the same value,
//! unless the game is so slow that the clock ends the search.

use gdl_players::{Budget, search::Mcts};
use gdl_runtime::{Cancel, Dynamic, Game, GameExt};
use serde::Serialize;
use std::time::Duration;

/// States of a search.
const NODES: u64 = 1500;
/// No search takes longer.
const LONGEST: Duration = Duration::from_millis(500);
/// The number of roles that are searched for.
const MOST_ROLES: usize = 6;
/// Bytes of a search.
const MOST_BYTES: usize = 16 << 20;

/// The value of a place in the history.
#[derive(Debug, Serialize)]
pub(crate) struct Evaluation {
    /// The place.
    pub place: usize,
    /// The goal that each role can expect, in role order.
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
            // Decisive games are worth their while in longer searches.
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
                // One move before the end x has won.
                assert!(worth(&history)[0] > Some(90.0), "{:?}", worth(&history));
            }
        }
        assert_eq!(worth(&history), [Some(100.0), Some(0.0)]);
    }
}
