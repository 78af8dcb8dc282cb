//! `play` and `legal_moves`: make joint moves and show the resulting position.

use super::Question;
use crate::{
    position::{Position, Seen},
    refusal::Refusal,
    sheet::Shelf,
};
use gdl_runtime::Cancel;
use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// The question of `play`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Play {
    /// The text of a rulesheet, the name of a built-in game, or a file below the server's folder
    rulesheet: String,
    /// The state to begin in, as a KIF list of fluents: `((cell 1 1 b) (control x))`; the initial
    /// state unless it is given
    state: Option<String>,
    /// Joint moves to make, each a list with the move of every role in role order:
    /// `[["(mark 1 1)", "noop"]]`
    #[serde(default)]
    moves: Vec<Vec<String>>,
}

/// The result of a play.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Played {
    /// Joint moves that were made
    made: usize,
    /// The position they lead to
    position: Seen,
}

impl Question for Play {
    const NAME: &'static str = "play";
    const ABOUT: &'static str = "Make joint moves from the start, or from a state, and return the state they lead to: legal moves of each \
        role, goal values, whether the game is over, and what roles perceive. Without moves it shows the position itself.";

    type Answer = Played;

    fn answer(self, shelf: &Shelf, cancel: &Cancel) -> Result<(String, Played), Refusal> {
        let game = shelf.find(&self.rulesheet)?.game(cancel)?;
        let position = Position::reach(&game, self.state.as_deref(), &self.moves, cancel)?.see()?;
        Ok((position.to_text(), Played { made: self.moves.len(), position }))
    }
}

/// The question of `legal_moves`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LegalMoves {
    /// The text of a rulesheet, the name of a built-in game, or a file below the server's folder
    rulesheet: String,
    /// The state to begin in, as a KIF list of fluents; the initial state unless it is given
    state: Option<String>,
    /// Joint moves to make first, each a list with the move of every role in role order
    #[serde(default)]
    moves: Vec<Vec<String>>,
    /// The role to list alone
    role: Option<String>,
}

/// Legal moves.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Legal {
    /// True if the game is over, so that there are none
    terminal: bool,
    /// The roles that were asked for, in role order
    roles: Vec<Moves>,
}

/// The legal moves of a role.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Moves {
    /// Its name
    role: String,
    /// Its legal moves
    legal: Vec<String>,
    /// The number of further moves that are not listed
    more: usize,
}

impl Question for LegalMoves {
    const NAME: &'static str = "legal_moves";
    const ABOUT: &'static str = "List the legal moves of each role, or of one, at a position.";

    type Answer = Legal;

    fn answer(self, shelf: &Shelf, cancel: &Cancel) -> Result<(String, Legal), Refusal> {
        let game = shelf.find(&self.rulesheet)?.game(cancel)?;
        let position = Position::reach(&game, self.state.as_deref(), &self.moves, cancel)?;
        let only = self.role.map(|role| position.role(&role)).transpose()?;
        let only = only.map(gdl_runtime::game::Id::index);
        let seen = position.see()?;
        let asked =
            seen.roles.into_iter().enumerate().filter(|(number, _)| only.is_none_or(|only| only == *number));
        let roles: Vec<Moves> =
            asked.map(|(_, role)| Moves { role: role.role, legal: role.legal, more: role.more }).collect();
        let mut text = if seen.terminal { "the game is over\n" } else { "" }.to_owned();
        for Moves { role, legal, more } in &roles {
            let _ = write!(
                text,
                "{role}: {}",
                if legal.is_empty() { "none".to_owned() } else { legal.join(" ") }
            );
            if *more > 0 {
                let _ = write!(text, " and {more} more");
            }
            text.push('\n');
        }
        Ok((text.trim_end().to_owned(), Legal { terminal: seen.terminal, roles }))
    }
}
