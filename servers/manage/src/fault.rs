//! Faults of schedules: the error, its place, and what to write instead.
//!
//! A fault with a place is shown with the line of the schedule and a mark below it.

use gdl_compiler::Source;
use std::{fmt::Write, ops::Range};

/// The most characters of a line that are shown, so that it fits in a terminal.
const WIDEST: usize = 100;

/// A fault of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleFault {
    /// The error, as one plain sentence.
    pub message: String,
    /// The byte range of the schedule that the fault concerns; `None` for all of it.
    pub span: Option<Range<usize>>,
    /// Advice on how to fix it.
    pub help: Option<String>,
}

impl ScheduleFault {
    pub(crate) fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self { message: message.into(), span: Some(span), help: None }
    }

    pub(crate) fn whole(message: impl Into<String>) -> Self {
        Self { message: message.into(), span: None, help: None }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Creates a fault from an argument's error, whose text may continue with advice after an empty
    /// line.
    pub(crate) fn of_argument(span: Range<usize>, text: &str) -> Self {
        match text.split_once("\n\n") {
            Some((message, help)) => Self::new(span, message).help(help),
            None => Self::new(span, text),
        }
    }

    /// Formats the fault for people: its place, the line with a mark, and the help.
    #[must_use]
    pub fn render(&self, source: &Source) -> String {
        let mut text = source.name().to_owned();
        let place = self.span.as_ref().map(|span| (span, source.position(span.start as u32)));
        if let Some((_, place)) = place {
            let _ = write!(text, ":{}:{}", place.line, place.column);
        }
        let _ = write!(text, ": {}", plain(&self.message));
        let mut margin = String::new();
        if let Some((span, place)) = place {
            let line = source.line(place.line);
            margin = " ".repeat(place.line.to_string().len());
            // A long line is cut, so that the place is near the middle.
            let skipped = place.column.saturating_sub(WIDEST / 2);
            let shown: String = line.chars().skip(skipped).take(WIDEST).collect();
            let before = place.column - 1 - skipped;
            let marked = source.text().get(span.clone()).unwrap_or_default();
            let marked = marked.lines().next().unwrap_or_default().chars().count();
            let marks = "^".repeat(marked.clamp(1, WIDEST - before));
            let _ = write!(text, "\n{margin} |\n{} | {}", place.line, plain(&shown));
            let _ = write!(text, "\n{margin} | {}{marks}", " ".repeat(before));
        }
        if let Some(help) = &self.help {
            let _ = write!(text, "\n{margin} = help: {}", plain(help));
        }
        text
    }
}

/// Replaces control characters, which could change the terminal or move the mark.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
