//! Notes: a host's log entry for each message, as a line for people or fields for programs.

use gdl_players::player::Report;
use std::{fmt, net::SocketAddr};

/// The most characters of a text in a note, so that untrusted messages cannot fill a log.
const MOST: usize = 200;

/// A message and its answer, or an event of a match.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Note {
    /// The address of the sender.
    pub from: Option<SocketAddr>,
    /// The kind of message, such as `PLAY`. Otherwise `unreadable`, `refused` for a connection
    /// without a message, or `match` for an event of a match.
    pub what: &'static str,
    /// The id of the match, if the message names one.
    pub id: Option<String>,
    /// The answer.
    pub answer: Option<String>,
    /// The time until the answer.
    pub seconds: f64,
    /// A further remark: an error with its place, or the engine that plays the game.
    pub remark: Option<String>,
    /// The player's report of the search that gave the answer.
    pub report: Option<Report>,
}

impl Note {
    /// Makes an untrusted text short and free of control characters.
    pub(crate) fn plain(text: &str) -> String {
        let mut plain: String =
            text.chars().take(MOST).map(|c| if c.is_control() { '\u{FFFD}' } else { c }).collect();
        if text.chars().nth(MOST).is_some() {
            plain.push_str("..");
        }
        plain
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(from) = self.from {
            write!(f, "{from} ")?;
        }
        f.write_str(self.what)?;
        if let Some(id) = &self.id {
            write!(f, " {id}")?;
        }
        if let Some(answer) = &self.answer {
            write!(f, ": {answer} in {:.3} s", self.seconds)?;
        }
        if let Some(remark) = &self.remark {
            write!(f, ": {remark}")?;
        }
        if let Some(report) = &self.report {
            write_search(f, report)?;
        }
        Ok(())
    }
}

/// Writes the kind of search and its result, as in `: a tree of random games, value 62.5, depth
/// 9, 4096 nodes`.
fn write_search(f: &mut fmt::Formatter<'_>, report: &Report) -> fmt::Result {
    let note = report.note.as_deref().map(Note::plain);
    let value = report.value.map(|value| {
        let proved = if report.exact { " (proved)" } else { "" };
        format!("value {value:.1}{proved}")
    });
    let count = |number: u64, what: &str| (number > 0).then(|| format!("{number} {what}"));
    let depth = (report.depth > 0).then(|| format!("depth {}", report.depth));
    let counts = [depth, count(report.nodes, "nodes"), count(report.playouts, "playouts")];
    let parts: Vec<String> = note.into_iter().chain(value).chain(counts.into_iter().flatten()).collect();
    if parts.is_empty() { Ok(()) } else { write!(f, ": {}", parts.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_is_told_with_its_value() {
        let mut report = Report::default();
        let line = |report: &Report| {
            let note = Note {
                what: "PLAY",
                answer: Some("go".into()),
                report: Some(report.clone()),
                ..Note::default()
            };
            note.to_string()
        };
        assert_eq!(line(&report), "PLAY: go in 0.000 s");
        (report.value, report.depth, report.nodes) = (Some(62.5), 3, 70);
        report.note = Some("two roles in turn: a tree\nof random games".into());
        let told = "PLAY: go in 0.000 s: two roles in turn: a tree\u{FFFD}of random games, value 62.5, depth 3, 70 nodes";
        assert_eq!(line(&report), told);
        report.exact = true;
        assert!(line(&report).contains("value 62.5 (proved)"));
    }

    #[test]
    fn what_others_send_stays_on_its_line() {
        let id = Some(Note::plain(&format!("m\n\u{1b}[31m{}", "x".repeat(1000))));
        let note = Note { what: "PLAY", id, answer: Some("noop".into()), ..Note::default() };
        let line = note.to_string();
        assert!(!line.contains(['\n', '\u{1b}']) && line.len() < 300, "{line}");
        assert!(line.ends_with("..: noop in 0.000 s"), "{line}");
    }
}
