//! Notes: what a player's host has to say of each message, a line for people or fields for programs.

use std::{fmt, net::SocketAddr};

/// No text of a note is longer: what strangers send must not fill a log.
const MOST: usize = 200;

/// A message and what became of it, or something that a match came to.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Note {
    /// Where the message came from.
    pub from: Option<SocketAddr>,
    /// What it was, such as `PLAY`; `unreadable`, `refused` (a connection), or `match` if it is not about a message.
    pub what: &'static str,
    /// The match, if it names one.
    pub id: Option<String>,
    /// What was answered.
    pub answer: Option<String>,
    /// How long that took.
    pub seconds: f64,
    /// What is to be said besides: the fault with its place, what plays the game.
    pub remark: Option<String>,
}

impl Note {
    /// A text of others, short and on one line.
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
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_send_stays_on_its_line() {
        let id = Some(Note::plain(&format!("m\n\u{1b}[31m{}", "x".repeat(1000))));
        let note = Note { what: "PLAY", id, answer: Some("noop".into()), ..Note::default() };
        let line = note.to_string();
        assert!(!line.contains(['\n', '\u{1b}']) && line.len() < 300, "{line}");
        assert!(line.ends_with("..: noop in 0.000 s"), "{line}");
    }
}
