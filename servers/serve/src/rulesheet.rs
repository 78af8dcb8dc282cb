//! The diagnostics of a rulesheet while a person writes it, as `gdl check` reports them.
//!
//! The text is compiled within the limits of untrusted rulesheets, or larger ones on request. A
//! check is cancelled when its caller leaves, as an editor does after further typing. The compiled
//! game is kept, so that it can be played.

use crate::games::{Games, LoadMode};
use gdl_compiler::{Observer, Source, diagnostic::codes};
use gdl_runtime::{Cancel, Dynamic};
use gdl_tools::verdict::{self, Verdict};
use serde::Deserialize;

/// The name of the rulesheet in diagnostics.
const NAME: &str = "rulesheet";

/// A request to check a rulesheet.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Question {
    /// The rulesheet.
    pub text: String,
    /// True if the larger limits of `gdl serve FILE` apply.
    #[serde(default)]
    pub patient: bool,
    /// The ticket of the compilation, by which its progress can be queried.
    pub ticket: Option<String>,
}

/// Checks a rulesheet. Returns `None` if cancelled.
#[must_use]
pub(crate) fn judge(
    question: &Question,
    games: &Games,
    observer: &Observer,
    cancel: &Cancel,
) -> Option<Verdict> {
    let options = games.options(LoadMode::within(question.patient), observer.clone());
    // With larger limits an interpreted game is the final result, so it is kept too.
    let mut keep = |game: &Dynamic, is_lifted: bool| {
        if question.patient || !is_lifted {
            games.keep(&question.text, game.clone());
        }
    };
    let verdict = verdict::judge(&Source::new(NAME, &question.text), &options, &mut keep)?;
    if cancel.is_cancelled() {
        return None;
    }
    // A text that is too long for the small limits may be within the larger ones.
    let mut faults = verdict.diagnostics.iter().filter(|fault| fault["severity"] == "error");
    let is_long = verdict.errors > 0 && faults.all(|fault| fault["code"] == codes::SOURCE_TOO_LARGE.id);
    Some(Verdict { excess: verdict.excess || (is_long && !question.patient), ..verdict })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::observer;

    fn asked(text: &str, games: &Games, cancel: &Cancel) -> Option<Verdict> {
        let question = Question { text: text.to_owned(), patient: false, ticket: None };
        judge(&question, games, &observer(cancel), cancel)
    }

    #[test]
    fn a_text_of_many_words_is_given_time() {
        let rules =
            "(role r) (legal r end) (<= (next over) (does r end)) (<= terminal (true over)) (goal r 50) ";
        let text = format!("{rules}{}", "(f 1)".repeat(126_000));
        let games = Games::default();
        let quick = asked(&text, &games, &Cancel::default()).expect("nobody stopped it");
        assert_eq!((quick.sound, quick.excess), (false, true));
        let question = Question { text, patient: true, ticket: None };
        let cancel = Cancel::default();
        let patient = judge(&question, &games, &observer(&cancel), &cancel).expect("nobody stopped it");
        assert_eq!((patient.sound, patient.excess), (true, false));
    }

    fn verdict(text: &str) -> Verdict {
        asked(text, &Games::default(), &Cancel::default()).expect("nobody stopped it")
    }

    #[test]
    fn what_was_checked_is_played() {
        let (games, text) = (Games::default(), gdl_games::find("nim").expect("built in").text);
        assert!(
            asked(text, &games, &Cancel::default()).is_some_and(|verdict| verdict.sound && !verdict.excess)
        );
        assert!(games.is_recent(text));
        let clash = format!("{text}(pile_names a)\n(pile_names a b)\n");
        assert!(asked(&clash, &games, &Cancel::default()).is_some() && games.is_recent(&clash));
        assert!(asked("(role x", &games, &Cancel::default()).is_some() && !games.is_recent("(role x"));
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
    fn a_relation_with_two_arities_does_not_stop_a_game() {
        let nim = gdl_games::find("nim").expect("built in").text;
        let clash = verdict(&format!("{nim}(pile_names a)\n(pile_names a b)\n"));
        assert!(clash.sound && clash.errors == 0, "{clash:?}");
        assert_eq!(clash.diagnostics[0]["code"], "GDL021");
        assert_eq!(verdict("(role x").errors.min(1), 1);
        assert!(!verdict("(role x").sound && verdict("").summary.is_none());
    }

    #[test]
    fn what_takes_too_much_to_be_compiled_is_a_warning_where_it_can_be_played() {
        let nodes = (0..130).map(|node| format!("(n {node})")).collect::<Vec<_>>().join(" ");
        let text = format!(
            "(role r) {nodes} (init (edge 0 1)) (<= (legal r (link ?a ?b)) (n ?a) (n ?b))
            (<= (next (edge ?a ?b)) (does r (link ?a ?b))) (<= (next (edge ?a ?b)) (true (edge ?a ?b)))
            (<= (path ?a ?b) (true (edge ?a ?b))) (<= (path ?a ?c) (path ?a ?b) (true (edge ?b ?c)))
            (<= terminal (path 0 2)) (<= (goal r 100) terminal) (<= (goal r 0) (not terminal))"
        );
        let large = verdict(&text);
        assert!(large.sound && large.excess, "{large:?}");
        // The second warning concerns a recursion that not all systems accept.
        assert_eq!((large.errors, large.warnings), (0, 2), "{large:?}");
        assert!(large.diagnostics.iter().all(|fault| fault["severity"] == "warning"), "{large:?}");
        assert_eq!(large.summary.map(|summary| summary.gates), Some(None));
    }

    #[test]
    fn nobody_waits_for_what_is_not_wanted() {
        let cancel = Cancel::default();
        cancel.cancel();
        let text = gdl_games::find("reversi").expect("built in").text;
        assert!(asked(text, &Games::default(), &cancel).is_none());
    }
}
