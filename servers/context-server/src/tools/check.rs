//! `check`: returns the diagnostics of a rulesheet with their places.

use super::Question;
use crate::{refusal::Refusal, sheet::Shelf};
use gdl_compiler::{Diagnostics, Levels, Severity, Source};
use gdl_runtime::Cancel;
use gdl_tools::{
    load::{self, Compiled},
    output::counted,
    report,
};
use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The most diagnostics in an answer.
const MOST: usize = 50;

/// The question.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Check {
    /// The text of a rulesheet, the name of a built-in game, or a file below the server's folder
    rulesheet: String,
    /// Tell matters of style too
    #[serde(default)]
    lints: bool,
}

/// The result of a check.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Verdict {
    /// The number of errors
    errors: usize,
    /// The number of warnings
    warnings: usize,
    /// In the order of the text: `code`, `severity`, `line`, `column`, `message`, `help`, and
    /// `edits` that a program can make
    pub(super) diagnostics: Vec<Map<String, Value>>,
    /// The number of further ones that are not listed
    more: usize,
    /// The size of the game, if it went through every phase
    game: Option<Size>,
}

/// A game in figures.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Size {
    /// The roles in role order, which is that of joint moves
    roles: Vec<String>,
    /// Fluents that may hold
    fluents: usize,
    /// Moves that any role may ever make
    moves: usize,
    /// Gates of the propositional net
    gates: usize,
}

impl Size {
    pub(super) fn of(compiled: &Compiled) -> Self {
        let net = &compiled.net;
        Self {
            roles: net.vocabulary.roles.clone(),
            fluents: net.vocabulary.fluents.len(),
            moves: net.vocabulary.moves.len(),
            gates: net.ands(),
        }
    }
}

impl Verdict {
    pub(super) fn new(diagnostics: &Diagnostics, source: &Source, compiled: Option<&Compiled>) -> Self {
        let listed = objects(diagnostics, source);
        let [errors, warnings] =
            [Severity::Error, Severity::Warning].map(|severity| diagnostics.count(severity));
        // The count includes diagnostics that the compiler dropped beyond its own limit.
        let more = (errors + warnings).saturating_sub(listed.len());
        Self { errors, warnings, diagnostics: listed, more, game: compiled.map(Size::of) }
    }

    /// Writes a summary in one line, and each diagnostic with its line of the rulesheet.
    pub(super) fn to_text(&self, diagnostics: &Diagnostics, source: &Source) -> String {
        let found = match (self.errors, self.warnings) {
            (0, 0) => "no faults".to_owned(),
            (0, warnings) => counted(warnings, "warning"),
            (errors, 0) => counted(errors, "error"),
            (errors, warnings) => format!("{}, {}", counted(errors, "error"), counted(warnings, "warning")),
        };
        let size = self.game.as_ref().map_or_else(String::new, |size| {
            let [fluents, moves] =
                [(size.fluents, "fluent"), (size.moves, "move")].map(|(n, word)| counted(n, word));
            format!("; roles {}; {fluents}, {moves}, {}", size.roles.join(", "), counted(size.gates, "gate"))
        });
        format!("{found}{size}\n\n{}", diagnostics.render(source)).trim_end().to_owned()
    }
}

/// Returns the first [`MOST`] diagnostics as data, in the format of `gdl check --json`.
pub(super) fn objects(diagnostics: &Diagnostics, source: &Source) -> Vec<Map<String, Value>> {
    let objects = diagnostics.iter().take(MOST).map(|diagnostic| report::to_json(diagnostic, source));
    objects
        .filter_map(|object| if let Value::Object(object) = object { Some(object) } else { None })
        .collect()
}

impl Question for Check {
    const NAME: &'static str = "check";
    const ABOUT: &'static str = "Find what is wrong with a rulesheet: errors and warnings with line, column, help, and edits that a \
        program can make. Parses, checks and compiles; `simulate` finds what only play shows.";

    type Answer = Verdict;

    fn answer(self, shelf: &Shelf, cancel: &Cancel) -> Result<(String, Verdict), Refusal> {
        let sheet = shelf.find(&self.rulesheet)?;
        let warn = if self.lints { vec!["lints".to_owned()] } else { Vec::new() };
        let options = sheet.options(Levels { warn, ..Levels::default() }, cancel);
        let (diagnostics, compiled) = load::check(&sheet.source, &options);
        let verdict = Verdict::new(&diagnostics, &sheet.source, compiled.as_ref());
        Ok((verdict.to_text(&diagnostics, &sheet.source), verdict))
    }
}
