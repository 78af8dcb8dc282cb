//! The verdict on a rulesheet while a person writes it: text in; diagnostics, figures and a
//! playable game out.

use crate::{load, report};
use gdl_compiler::{
    Options, Severity, Source,
    diagnostic::{Code, codes},
};
use gdl_runtime::{Dynamic, Game};
use serde::Serialize;
use serde_json::Value;

/// The faults of a rulesheet and its summary.
#[derive(Clone, Debug, Serialize)]
pub struct Verdict {
    /// The same as in `gdl check --json`, in the order of the text.
    pub diagnostics: Vec<Value>,
    /// The number of errors, those left out included.
    pub errors: usize,
    /// The number of warnings, those left out included; an exceeded limit is one, if the game can
    /// be played state by state.
    pub warnings: usize,
    /// True if it can be played. A lint that stops `gdl check` does not stop a game.
    pub sound: bool,
    /// True if the only fault is an exceeded limit, so that patience helps.
    pub excess: bool,
    /// The summary of the game, if it can be played.
    pub summary: Option<Summary>,
}

/// A game in figures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// The roles.
    pub roles: Vec<String>,
    /// Bits of a state.
    pub fluents: usize,
    /// Moves that any role may ever make.
    pub moves: usize,
    /// Gates of the net, unless the game is evaluated state by state.
    pub gates: Option<usize>,
}

/// Checks a rulesheet within the limits of `options`. Returns `None` if the observer stopped it.
///
/// `keep` gets the game if it can be played: from its net, or evaluated state by state if the rules
/// exceed
/// a limit. The flag is true in the second case.
#[must_use]
pub fn judge(source: &Source, options: &Options, keep: &mut dyn FnMut(&Dynamic, bool)) -> Option<Verdict> {
    let (mut diagnostics, compiled) = load::inspect(source, options);
    let excess = diagnostics.are_excesses();
    let summary = match compiled {
        Ok(compiled) => {
            if let Ok(game) = Dynamic::decode(&compiled.table) {
                keep(&game, false);
            }
            Some(summarise(&compiled))
        }
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

/// A game that is evaluated state by state, since its rulesheet takes too much to be grounded.
fn evaluated(game: &Dynamic) -> Summary {
    let names = game.vocabulary();
    Summary {
        roles: names.roles().iter().map(str::to_owned).collect(),
        fluents: names.fluents().len(),
        moves: names.moves().len(),
        gates: None,
    }
}
