//! Refusals: the reason why a call has no result, and advice.

use gdl_compiler::{Diagnostics, Severity, Source};
use gdl_tools::error::Error;
use std::fmt;

/// The most bytes of a message, which may contain text from the client.
const LONGEST: usize = 1 << 14;

/// The reason why a call has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    message: String,
    help: Option<String>,
}

impl Refusal {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        let mut message: String = message.into();
        if message.len() > LONGEST {
            let end = (0..=LONGEST).rev().find(|&end| message.is_char_boundary(end)).unwrap_or(0);
            message.truncate(end);
            message += " ..";
        }
        Self { message, help: None }
    }

    /// Sets the advice.
    #[must_use]
    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// Creates the refusal of a rulesheet with errors.
    pub(crate) fn of_rules(diagnostics: &Diagnostics, source: &Source) -> Self {
        let errors: String = diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.severity == Severity::Error)
            .take(Diagnostics::SHOWN)
            .map(|diagnostic| diagnostic.render(source) + "\n")
            .collect();
        Self::new(format!("the rulesheet cannot be played\n\n{}", errors.trim_end()))
            .help("call `check` for all diagnostics, and `fix` to make the certain edits")
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        match error {
            Error::Rules(faults) => Self::of_rules(&faults.1, &faults.0),
            error => Self::new(error.message().unwrap_or_else(|| "it cannot be done".to_owned())),
        }
    }
}

/// Writes the message and a help line, in the style of diagnostics.
impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.message)?;
        self.help.iter().try_for_each(|help| write!(f, "\n  = help: {help}"))
    }
}
