//! `why`: explains by the rules why an atom holds or does not hold at a position.

use super::Question;
use crate::{
    position::{few_enough, wanted},
    refusal::Refusal,
    sheet::{Sheet, Shelf},
};
use gdl_runtime::Cancel;
use gdl_tools::{
    error::Error,
    output::plain,
    why::{Page, Position, to_json},
};
use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The maximum and the default depth of an explanation, in nested rules.
const DEEPEST: u8 = 20;
const DEPTH: u8 = 3;

/// The question.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Why {
    /// The text of a rulesheet, the name of a built-in game, or a file below the server's folder
    rulesheet: String,
    /// The atom to explain, as KIF: `(legal white (mark 1 1))`, `(true (cell 1 1 b))`, `terminal`,
    /// `(goal white 100)`, `(next ..)`, `(sees ..)` or a relation of the rulesheet
    atom: String,
    /// The state to begin in, as a KIF list of fluents; the initial state unless it is given
    state: Option<String>,
    /// Joint moves to make first, each a list with the move of every role in role order
    #[serde(default)]
    moves: Vec<Vec<String>>,
    /// The joint move that is made at the position, for atoms of `next`, `sees` and `does`
    making: Option<Vec<String>>,
    /// The depth in rules; 3 by default, 20 at most
    depth: Option<u8>,
}

/// The explanation of an atom.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Reason {
    /// The atom
    atom: String,
    /// True if it holds
    holds: bool,
    /// The reason: `by` is the rule that derives it with its `premises`. `attempts` are the rules
    /// that might, each with the literals that `held` and the first one that `fails`. `given` is a
    /// part of the state or a move. All have `line` and `column`
    why: Map<String, Value>,
}

impl Question for Why {
    const NAME: &'static str = "why";
    const ABOUT: &'static str = "Explain why a move is legal or not, a goal is reached, the game is over or a fluent is true at a position: the \
        rule that gives it, with reasons, or for each rule that could give it the first literal that fails.";

    type Answer = Reason;

    fn answer(self, shelf: &Shelf, cancel: &Cancel) -> Result<(String, Reason), Refusal> {
        few_enough(&self.moves)?;
        let sheet = shelf.find(&self.rulesheet)?;
        let rules = sheet.rules(cancel)?;
        let evaluator = Sheet::evaluator(&rules)?;
        let mut position = match &self.state {
            Some(state) => Position::of(&evaluator, state)?,
            None => Position::start(&evaluator)?,
        };
        for (number, joint) in self.moves.iter().enumerate() {
            wanted(cancel)?;
            position = position.step(&evaluator, joint).map_err(|error| match error {
                Error::Input(message) => Refusal::new(format!("joint move {}: {message}", number + 1)),
                error => error.into(),
            })?;
        }
        if let Some(making) = &self.making {
            position = position.making_all(&evaluator, making)?;
        }
        wanted(cancel)?;
        let depth = usize::from(self.depth.unwrap_or(DEPTH).min(DEEPEST));
        let explanation = position.ask(&rules, &evaluator, &self.atom, depth)?;
        let text = plain(|out| Page { rules: &rules, source: &sheet.source, out }.print(&explanation));
        let Value::Object(why) = to_json(&explanation, &rules, &sheet.source) else {
            return Err(Refusal::new("there is no explanation"));
        };
        let reason = Reason { atom: explanation.atom.clone(), holds: explanation.holds, why };
        Ok((text.trim_end().to_owned(), reason))
    }
}
