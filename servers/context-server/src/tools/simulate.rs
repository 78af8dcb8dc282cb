//! `simulate`: finds faults that only show in play, with the moves that lead to them.

use super::{Question, check::objects};
use crate::{refusal::Refusal, sheet::Shelf};
use gdl_compiler::{Diagnostics, Levels};
use gdl_runtime::{Cancel, Dynamic};
use gdl_tools::{
    load,
    output::counted,
    simulate::{SimulationSettings, Subject, simulate},
};
use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The limit on the visited states, and on the random games, whatever the call requests.
const MOST: u64 = 1_000_000;

/// The question.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Simulate {
    /// The text of a rulesheet, the name of a built-in game, or a file below the server's folder
    rulesheet: String,
    /// The seed of random choices
    #[serde(default)]
    seed: u64,
    /// The most states to visit; 100,000 unless it is said
    states: Option<u64>,
    /// Random games to play where not all states can be visited; 1,000 unless it is said, fewer of
    /// a vast game
    playouts: Option<u64>,
}

/// The result of random play.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Played {
    /// States that were visited
    states: usize,
    /// True if these are all that play can reach, so that what was not found is not there
    complete: bool,
    /// Random games that were played
    playouts: u64,
    /// The faults, each with a `witness`: the moves that show it and the state they lead to
    diagnostics: Vec<Map<String, Value>>,
}

impl Question for Simulate {
    const NAME: &'static str = "simulate";
    const ABOUT: &'static str = "Play a rulesheet and report what only play shows: roles without a legal move, goals that are missing or \
        doubled at the end, games that never end, each with the moves that lead there. The rulesheet must pass `check`.";

    type Answer = Played;

    fn answer(self, shelf: &Shelf, cancel: &Cancel) -> Result<(String, Played), Refusal> {
        let sheet = shelf.find(&self.rulesheet)?;
        let options = sheet.options(Levels::default(), cancel);
        let (faults, compiled) = load::inspect(&sheet.source, &options);
        let compiled = compiled.map_err(|_| Refusal::of_rules(&faults, &sheet.source))?;
        let game = Dynamic::decode(&compiled.table).map_err(|error| Refusal::new(error.to_string()))?;
        let usual = SimulationSettings::default();
        let settings = SimulationSettings {
            seed: self.seed,
            states: self.states.map_or(usual.states, |states| states.clamp(1, MOST) as usize),
            playouts: self.playouts.map(|playouts| playouts.min(MOST)),
            ..usual
        };
        let compilation = &compiled.compilation;
        let subject = Subject {
            rules: &compilation.rules,
            ground: &compilation.ground,
            net: &compilation.net,
            game: &game,
        };
        let mut found = Diagnostics::default();
        let statistics = simulate(subject, &settings, &mut found, &mut |_| ());
        let count = found.iter().count();
        let verdict = if count == 0 { "nothing is wrong".to_owned() } else { counted(count, "finding") };
        let text =
            format!("{verdict}; {statistics}\n\n{}", found.render(&sheet.source)).trim_end().to_owned();
        let answer = Played {
            states: statistics.states,
            complete: statistics.complete,
            playouts: statistics.playouts,
            diagnostics: objects(&found, &sheet.source),
        };
        Ok((text, answer))
    }
}
