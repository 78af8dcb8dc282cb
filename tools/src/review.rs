//! Reviews of plays: the goal that a player expects at each choice, and the moves after which it
//! expects less.
//!
//! The player searches each state in which a role has a choice, with the knowledge of that role.
//! The expected goal is compared with the one at the role's next choice, or with the goal at the
//! end. A fall is a mistake of the role, unless the player's earlier expectation was wrong. Results
//! depend only on the play, the player, the seed and the number of nodes, unless moves have a time
//! limit.

use crate::{
    error::{Error, Result},
    players::Spec,
};
use gdl_players::Budget;
use gdl_runtime::{Dynamic, Game, GameExt, History, Information, game::Id, history::Place};
use serde_json::{Value, json};

/// A choice of a role.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The number of the joint move, from 1.
    pub number: usize,
    /// The index of the role.
    pub role: usize,
    /// The move made, as KIF text.
    pub action: String,
    /// The move that the player prefers, as KIF text.
    pub preferred: String,
    /// The goal that the player expects before the move.
    pub before: Expectation,
    /// The goal that it expects at the role's next choice, or the goal at the end. `None` if the
    /// play stops before.
    pub after: Option<Expectation>,
}

/// An expected goal, 0 to 100.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expectation {
    /// The goal.
    pub goal: f64,
    /// True if it is proved.
    pub is_exact: bool,
}

impl Choice {
    /// Returns the number of points by which the expected goal falls; 0 if it rises.
    #[must_use]
    pub fn fall(&self) -> f64 {
        self.after.map_or(0.0, |after| (self.before.goal - after.goal).max(0.0))
    }

    /// Returns the choice as JSON: `number`, `role`, `move`, `preferred`, `before`, `after` and
    /// `fall`. `before` and `after` have `goal` and `exact`; `after` may be null.
    #[must_use]
    pub fn to_json(&self, game: &Dynamic) -> Value {
        let expectation = |it: Expectation| json!({ "goal": it.goal, "exact": it.is_exact });
        json!({
            "number": self.number,
            "role": game.vocabulary().roles().get(self.role),
            "move": self.action,
            "preferred": self.preferred,
            "before": expectation(self.before),
            "after": self.after.map(expectation),
            "fall": self.fall(),
        })
    }
}

/// Plays joint moves, given as KIF texts, from the initial state.
///
/// # Errors
/// Returns an error if a move is not a legal one of the game.
pub fn history(game: &Dynamic, joints: &[Vec<String>]) -> Result<History<Dynamic>> {
    let mut history = History::new(game);
    for (number, joint) in (1..).zip(joints) {
        let wrong = |error: &dyn std::fmt::Display| Error::Input(format!("joint move {number}: {error}"));
        let moves: std::result::Result<Vec<_>, _> =
            joint.iter().map(|action| game.parse_move(action)).collect();
        history.play(game, &moves.map_err(|error| wrong(&error))?).map_err(|error| wrong(&error))?;
    }
    Ok(history)
}

/// Reviews the line to the current place of a history. Returns the choices in the order of the
/// play. `budget` creates the budget of a search, and `tell` gets the number of joint moves that
/// are done. Takes one search for each choice, and one step for each joint move and role.
///
/// # Errors
/// Returns an error if the player cannot play the game, or does not report expected goals.
pub fn review(
    game: &Dynamic,
    history: &History<Dynamic>,
    player: &Spec,
    seed: u64,
    budget: &dyn Fn() -> Budget,
    tell: &dyn Fn(u64),
) -> Result<Vec<Choice>> {
    player.check(game)?;
    let places = history.path();
    let roles: Vec<_> = game.roles().filter(|&role| Some(role) != game.chance_role()).collect();
    let mut minds = Vec::new();
    for &role in &roles {
        let mut mind = player
            .build(seed)
            .ok_or_else(|| Error::Usage(format!("`{player}` cannot review plays: it does not search")))?;
        mind.start(game, role, &budget());
        minds.push(mind);
    }
    let mut known: Vec<Information<Dynamic>> = roles.iter().map(|&role| Information::new(role)).collect();
    let mut choices: Vec<Choice> = Vec::new();
    for (number, pair) in (1..).zip(places.windows(2)) {
        let Some((state, joint)) = history.state_at(pair[0]).zip(history.joint(pair[1])) else { continue };
        for ((&role, mind), known) in roles.iter().zip(&mut minds).zip(&mut known) {
            if game.legal_moves(state, role).nth(1).is_some() {
                let chosen = mind.choose(game, known, &budget());
                let report = mind.report().unwrap_or_default();
                let Some((chosen, goal)) = chosen.zip(report.value) else {
                    return Err(Error::Usage(format!(
                        "`{player}` cannot review this play: it reports no expected goals"
                    )));
                };
                let before = Expectation { goal, is_exact: report.exact };
                reach(&mut choices, role.index(), before);
                choices.push(Choice {
                    number,
                    role: role.index(),
                    action: game.move_text(joint[role.index()]).to_owned(),
                    preferred: game.move_text(chosen).to_owned(),
                    before,
                    after: None,
                });
            }
            known.step(game, state, joint);
        }
        tell(number as u64);
    }
    let end: Option<&Place> = places.last();
    if let Some(state) =
        end.and_then(|&place| history.state_at(place)).filter(|state| game.is_terminal(state))
    {
        for &role in &roles {
            if let Some(goal) = game.goal(state, role) {
                reach(&mut choices, role.index(), Expectation { goal: goal.into(), is_exact: true });
            }
        }
    }
    Ok(choices)
}

/// Sets the expectation after the last choice of a role.
fn reach(choices: &mut [Choice], role: usize, after: Expectation) {
    if let Some(last) = choices.iter_mut().rfind(|choice| choice.role == role) {
        last.after = Some(after);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reviewed(moves: &[&str], player: &str) -> Result<Vec<Choice>> {
        let game = gdl_games::dynamic("tictactoe").expect("a built-in game");
        let joints: Vec<Vec<String>> = (0..)
            .zip(moves)
            .map(|(number, &cell)| {
                let noop = "noop".to_owned();
                let mark = format!("(mark {cell})");
                if number % 2 == 0 { vec![mark, noop] } else { vec![noop, mark] }
            })
            .collect();
        let budget = || Budget::of_nodes(20_000);
        review(&game, &history(&game, &joints)?, &player.parse().expect("a player"), 1, &budget, &|_| {})
    }

    #[test]
    fn mistakes_are_where_the_value_falls() {
        // O answers the centre by an edge, which loses.
        let choices =
            reviewed(&["2 2", "1 2", "1 1", "3 3", "2 1", "2 3", "3 1"], "perfect").expect("a review");
        let falls: Vec<(usize, usize, f64)> = choices
            .iter()
            .filter(|choice| choice.fall() > 0.0)
            .map(|choice| (choice.number, choice.role, choice.fall()))
            .collect();
        assert_eq!(falls, [(2, 1, 50.0)]);
        assert_ne!(choices[1].preferred, "(mark 1 2)");
        assert!(choices.iter().all(|choice| choice.before.is_exact));
        let last = choices.last().expect("there are some");
        assert_eq!((last.number, last.after), (7, Some(Expectation { goal: 100.0, is_exact: true })));
    }

    #[test]
    fn what_comes_after_an_unfinished_play_is_unknown() {
        let choices = reviewed(&["2 2", "1 1"], "perfect").expect("a review");
        let after: Vec<bool> = choices.iter().map(|choice| choice.after.is_some()).collect();
        assert_eq!(after, [false, false]);
        assert_eq!(choices[0].fall().to_bits(), 0);
    }

    #[test]
    fn players_and_plays_must_fit() {
        for (moves, player, message) in [
            (&["2 2"][..], "random", "`random` cannot review this play"),
            (&["2 2"], "human", "`human` cannot review plays"),
            (&["2 2", "2 2"], "perfect", "joint move 2: "),
        ] {
            let error = reviewed(moves, player).expect_err(message).to_string();
            assert!(error.starts_with(message), "{error}");
        }
    }
}
