//! Faults of players in a match.

use std::fmt;

/// A fault of one role in a step or at the start. `Display` writes it like match managers: `TO`,
/// `CE`, or `IL` with the move.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The player did not answer in time.
    Late,
    /// The player is unreachable, or has panicked.
    Gone,
    /// The answer, as KIF text, is not a legal move; `nil` if the player had no move and reported
    /// no fault.
    Illegal(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Late => f.write_str("TO"),
            Self::Gone => f.write_str("CE"),
            Self::Illegal(action) => write!(f, "IL {action}"),
        }
    }
}
