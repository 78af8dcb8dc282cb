//! `analyze`: measures a game by random play, for example its branching, length and fairness.

use super::Question;
use crate::{
    refusal::Refusal,
    sheet::{self, Shelf},
};
use gdl_runtime::{Cancel, Game};
use gdl_tools::{
    analyze::{Settings, analyze, text},
    output::plain,
};
use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The most games that are played.
const MOST: u64 = 100_000;

/// The greatest number of initial moves in the answer.
const LISTED: usize = 20;

/// The question.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Analyze {
    /// The text of a rulesheet, the name of a built-in game, or a file below the server's folder
    rulesheet: String,
    /// Random games to follow move by move; 1,000 unless it is said
    games: Option<u64>,
    /// The seed of random choices
    #[serde(default)]
    seed: u64,
}

/// The measures of a game.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Account {
    /// Fluents that may hold
    fluents: usize,
    /// Moves that any role may ever make
    moves: usize,
    /// `branching`, `length`, `states`, `tree`, `outcome` and `openings`, as `gdl analyze --json`
    /// has them; estimates have a `mean` and an `interval` of 95 %
    figures: Map<String, Value>,
}

impl Question for Analyze {
    const NAME: &'static str = "analyze";
    const ABOUT: &'static str = "Measure a game by random play: number of fluents and moves, branching, length, size of the state space and tree, \
        mean goals, wins and draws of each role, advantage of the first move. The same seed gives the same figures.";

    type Answer = Account;

    fn answer(self, shelf: &Shelf, cancel: &Cancel) -> Result<(String, Account), Refusal> {
        let sheet = shelf.find(&self.rulesheet)?;
        let game = sheet.game(cancel)?;
        let settings = Settings {
            seed: self.seed,
            count: self.games.unwrap_or(Settings::DEFAULT_COUNT).clamp(1, MOST),
            seconds: None,
            threads: 1,
            cancel: cancel.clone(),
        };
        let name = sheet.source.name().trim_end_matches(".kif").to_owned();
        let figures =
            analyze(&name, &game, &settings, &|_| ()).ok_or_else(|| Refusal::new("it was cancelled"))?;
        sheet::settle(&game)?;
        let names = game.vocabulary();
        let (fluents, moves) = (names.fluents().len(), names.moves().len());
        let text = format!("{fluents} fluents, {moves} moves\n{}", plain(|out| text::print(&figures, out)));
        let Value::Object(mut figures) = figures.to_json() else {
            return Err(Refusal::new("there are no figures"));
        };
        // The data of charts are removed, since they are long.
        figures.shift_remove("plies");
        if let Some(length) = figures.get_mut("length").and_then(Value::as_object_mut) {
            length.shift_remove("games");
        }
        if let Some(Value::Array(moves)) =
            figures.get_mut("openings").and_then(|openings| openings.get_mut("moves"))
        {
            moves.truncate(LISTED);
        }
        Ok((text.trim_end().to_owned(), Account { fluents, moves, figures }))
    }
}
