//! The faults of a rulesheet while a person writes it: text in, what `gdl check` says of it out.
//!
//! The text is compiled within what a stranger's rulesheet may take, and a stop that the caller can pull: a person who types
//! on asks again, and the last answer is no longer wanted.

use crate::work::observer;
use gdl_compiler::{Levels, Limits, Options, Rules, Severity, Source};
use gdl_runtime::{__private::lift, Cancel, Game};
use gdl_tools::{load, report};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What the rulesheet is called in diagnostics.
const NAME: &str = "rulesheet";

/// A rulesheet that is asked about.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Question {
    /// The rulesheet.
    pub text: String,
}

/// All that is to be said of a rulesheet.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Verdict {
    /// The same as in `gdl check --json`, in the order of the text.
    pub diagnostics: Vec<Value>,
    /// How many errors there are, those left out included.
    pub errors: usize,
    /// How many warnings there are, those left out included.
    pub warnings: usize,
    /// If it can be played. A lint that stops `gdl check` does not stop a game.
    pub sound: bool,
    /// What the game is like, if it can be played.
    pub summary: Option<Summary>,
}

/// A game in figures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Summary {
    /// The roles.
    pub roles: Vec<String>,
    /// Bits of a state.
    pub fluents: usize,
    /// Moves that any role may ever make.
    pub moves: usize,
    /// Gates of the net, unless the game is evaluated state by state.
    pub gates: Option<usize>,
}

/// Checks a rulesheet. None if the caller had enough of it.
#[must_use]
pub(crate) fn judge(text: &str, cancel: &Cancel) -> Option<Verdict> {
    let source = Source::new(NAME, text);
    let watched = |levels: Levels| {
        let observer = observer(cancel);
        Options { limits: Limits::network(), levels, observer, ..Options::default() }
    };
    let (diagnostics, compiled) = load::inspect(&source, &watched(Levels::default()));
    let errors = || diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    let summary = match compiled {
        Ok(compiled) => Some(summarise(&compiled)),
        Err(Some(rules)) if diagnostics.are_excesses() => lifted(&rules, &watched(load::tolerant().levels)),
        Err(_) if errors().all(|diagnostic| diagnostic.code.lint) => {
            let (_, compiled) = load::inspect(&source, &watched(load::tolerant().levels));
            compiled.as_ref().ok().map(summarise)
        }
        Err(_) => None,
    };
    if cancel.is_cancelled() {
        return None;
    }
    Some(Verdict {
        diagnostics: diagnostics.iter().map(|diagnostic| report::to_json(diagnostic, &source)).collect(),
        errors: diagnostics.count(Severity::Error),
        warnings: diagnostics.count(Severity::Warning),
        sound: summary.is_some(),
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

/// The game of a rulesheet that takes too much to be grounded.
fn lifted(rules: &Rules, options: &Options) -> Option<Summary> {
    let game = lift(rules, options).ok()?;
    let names = game.vocabulary();
    Some(Summary {
        roles: names.roles().iter().map(str::to_owned).collect(),
        fluents: names.fluents().len(),
        moves: names.moves().len(),
        gates: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(text: &str) -> Verdict {
        judge(text, &Cancel::default()).expect("nobody stopped it")
    }

    #[test]
    fn faults_have_places_and_mending_them_is_seen() {
        let text = gdl_games::find("tictactoe").expect("built in").text;
        let whole = verdict(text);
        assert!(whole.sound && whole.diagnostics.is_empty());
        assert_eq!(whole.summary.map(|summary| summary.fluents), Some(29));

        let broken = verdict(&format!("{text}(<= (next (p ?z))\n    (true (control xplayer)))\n"));
        assert!(!broken.sound && broken.errors > 0, "{broken:?}");
        let fault = &broken.diagnostics[0];
        let place = ["line", "column", "end_line", "end_column"].map(|key| fault[key].as_u64());
        let line = Some(text.lines().count() as u64 + 1);
        assert_eq!(place, [line, Some(14), line, Some(16)], "{fault}");
        assert!(fault["help"].is_string());
    }

    #[test]
    fn a_lint_that_stops_the_check_does_not_stop_a_game() {
        let nim = gdl_games::find("nim").expect("built in").text;
        let clash = verdict(&format!("{nim}(pile_names a)\n(pile_names a b)\n"));
        assert!(clash.sound && clash.errors == 1, "{clash:?}");
        assert_eq!(verdict("(role x").errors.min(1), 1);
        assert!(!verdict("(role x").sound && verdict("").summary.is_none());
    }

    #[test]
    fn nobody_waits_for_what_is_not_wanted() {
        let cancel = Cancel::default();
        cancel.cancel();
        assert!(judge(gdl_games::find("reversi").expect("built in").text, &cancel).is_none());
    }
}
