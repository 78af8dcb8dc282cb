//! The verdict on a rulesheet while a person writes it: diagnostics, figures and, if possible, a
//! playable game.

use crate::{load, report};
use gdl_compiler::{
    Diagnostic, Options, Severity, Source,
    diagnostic::{Code, codes},
};
use gdl_runtime::{Dynamic, Game};
use serde::Serialize;
use serde_json::Value;

/// The diagnostics of a rulesheet and its summary.
#[derive(Clone, Debug, Serialize)]
pub struct Verdict {
    /// The diagnostics as in `gdl check --json`, in the order of the text.
    pub diagnostics: Vec<Value>,
    /// The number of errors, including those that are not listed.
    pub errors: usize,
    /// The number of warnings, including those that are not listed. An exceeded limit is a warning
    /// if the game can be interpreted in each state.
    pub warnings: usize,
    /// True if the game can be played, even if `gdl check` fails because of a denied lint.
    pub sound: bool,
    /// True if all errors are exceeded limits, so that the rulesheet itself may be right.
    pub excess: bool,
    /// The summary of the game, if it can be played.
    pub summary: Option<Summary>,
}

/// A game in figures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// The names of the roles.
    pub roles: Vec<String>,
    /// The number of fluents: the bits of a state.
    pub fluents: usize,
    /// The number of moves that any role may ever make.
    pub moves: usize,
    /// The number of gates of the net. `None` if the game is interpreted in each state.
    pub gates: Option<usize>,
}

/// Checks a rulesheet within the limits of `options`. Returns `None` if the observer cancelled.
///
/// `keep` receives the game if it can be played. Its flag is true if the rules exceed a limit, so
/// that the game is interpreted in each state.
#[must_use]
pub fn judge(source: &Source, options: &Options, keep: &mut dyn FnMut(&Dynamic, bool)) -> Option<Verdict> {
    let (mut diagnostics, compiled) = load::inspect(source, options);
    let excess = diagnostics.are_excesses();
    let summary = match compiled {
        Ok(compiled) => match Dynamic::decode(&compiled.table) {
            Ok(game) => {
                keep(&game, false);
                Some(summarise(&compiled))
            }
            Err(error) => {
                diagnostics.push(Diagnostic::new(&codes::INTERNAL_ERROR, None, error.to_string()));
                None
            }
        },
        Err(Some(rules)) if excess => load::excuse(&rules, options, &mut diagnostics).map(|game| {
            keep(&game, true);
            evaluated(&game)
        }),
        Err(_) => None,
    };
    let is_error = |code: &'static Code| {
        diagnostics.iter().any(|fault| fault.severity == Severity::Error && fault.code == code)
    };
    if is_error(&codes::CANCELLED) {
        return None;
    }
    Some(Verdict {
        diagnostics: diagnostics.iter().map(|diagnostic| report::to_json(diagnostic, source)).collect(),
        errors: diagnostics.count(Severity::Error),
        warnings: diagnostics.count(Severity::Warning),
        sound: summary.is_some(),
        excess,
        summary,
    })
}

fn summarise(compiled: &load::Compiled) -> Summary {
    let net = &compiled.net;
    Summary {
        roles: net.vocabulary.roles.clone(),
        fluents: net.vocabulary.fluents.len(),
        moves: net.vocabulary.moves.len(),
        gates: Some(net.ands()),
    }
}

/// Returns the summary of a game that is interpreted in each state.
fn evaluated(game: &Dynamic) -> Summary {
    let names = game.vocabulary();
    Summary {
        roles: names.roles().iter().map(str::to_owned).collect(),
        fluents: names.fluents().len(),
        moves: names.moves().len(),
        gates: None,
    }
}
