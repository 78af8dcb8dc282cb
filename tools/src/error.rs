//! Errors of commands, and their exit codes.

use gdl_compiler::{Diagnostics, Source};
use std::{fmt, io};

/// The error of a command that did not succeed.
#[derive(Debug)]
pub enum Error {
    /// An error of the input and its message, for example an unreadable file or an invalid trace.
    Input(String),
    /// A rulesheet with errors. The diagnostics were shown already.
    Rules(Box<(Source, Diagnostics)>),
    /// An error of the input that was reported already.
    Reported,
    /// A wrong combination of arguments, beyond the checks of clap.
    Usage(String),
    /// The result could not be written.
    Output(io::Error),
}

impl Error {
    /// Returns the exit code: 1 for an error of the input, 2 for wrong arguments. A closed pipe is
    /// a success, since the reader needs no more output.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => 0,
            Self::Input(_) | Self::Rules(_) | Self::Reported | Self::Output(_) => 1,
            Self::Usage(_) => 2,
        }
    }

    /// Returns the message for stderr, if there is one.
    #[must_use]
    pub fn message(&self) -> Option<String> {
        match self {
            Self::Input(message) | Self::Usage(message) => Some(message.clone()),
            Self::Output(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Some(format!("cannot write the result: {error}"))
            }
            Self::Output(_) | Self::Rules(_) | Self::Reported => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.message() {
            Some(message) => f.write_str(&message),
            None => f.write_str("failed"),
        }
    }
}

impl std::error::Error for Error {}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// The result of a command.
pub type Result<T = ()> = std::result::Result<T, Error>;
