//! `fix`: applies the edits of diagnostics repeatedly: the certain ones, and guesses on request.

use super::{Question, check::Verdict};
use crate::{refusal::Refusal, sheet::Shelf};
use gdl_compiler::{Applicability, Levels};
use gdl_runtime::Cancel;
use gdl_tools::{fix::fix, load, output::counted};
use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

/// The question.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fix {
    /// The text of a rulesheet, the name of a built-in game, or a file below the server's folder,
    /// which is left as it is
    rulesheet: String,
    /// Make guesses too, which may change the game: otherwise only what is certain is done
    #[serde(default)]
    guess: bool,
}

/// The result of the fixes.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Fixed {
    /// The whole text after the edits
    text: String,
    /// The edits in order; places are those of the text at that time
    made: Vec<Made>,
    /// The remaining faults, which need thought
    left: Verdict,
}

/// An edit that was made.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Made {
    code: &'static str,
    line: usize,
    column: usize,
    /// The edit, in words
    what: String,
    /// The applicability: `machine_applicable`, `maybe_incorrect` or `has_placeholders`
    applicability: &'static str,
}

impl Question for Fix {
    const NAME: &'static str = "fix";
    const ABOUT: &'static str = "Make the edits that `check` suggests where they are certain, round after round, and return the new \
        text with what is still wrong. Files are not changed.";

    type Answer = Fixed;

    fn answer(self, shelf: &Shelf, cancel: &Cancel) -> Result<(String, Fixed), Refusal> {
        let sheet = shelf.find(&self.rulesheet)?;
        let options = sheet.options(Levels::default(), cancel);
        let mut made = Vec::new();
        let mut compiled = None;
        let mut examine = |source: &_| {
            let (diagnostics, game) = load::check(source, &options);
            compiled = game;
            diagnostics
        };
        let least =
            if self.guess { Applicability::HasPlaceholders } else { Applicability::MachineApplicable };
        let (source, diagnostics) = fix(&sheet.source, least, &mut examine, &mut |source, diagnostic| {
            let place = source.position(diagnostic.span.unwrap_or_default().start);
            let what = diagnostic.help.as_ref().unwrap_or(&diagnostic.message).clone();
            let (code, applicability) = (diagnostic.code.id, diagnostic.applicability.name());
            made.push(Made { code, line: place.line, column: place.column, what, applicability });
        });
        let left = Verdict::new(&diagnostics, &source, compiled.as_ref());
        let mut text = format!("{}\n", counted(made.len(), "edit"));
        text.extend(
            made.iter().map(|made| format!("{}:{}: {}: {}\n", made.line, made.column, made.code, made.what)),
        );
        text.extend([
            "\nleft: ",
            &left.to_text(&diagnostics, &source),
            "\n\n```lisp\n",
            source.text(),
            "\n```",
        ]);
        Ok((text, Fixed { text: source.text().to_owned(), made, left }))
    }
}
