//! Errors of steps and texts, with advice on what to do instead.

use std::{error::Error, fmt};

/// The reason why a step was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StepError {
    /// The number of moves is not the number of roles.
    Count {
        /// The number of roles.
        expected: usize,
        /// The number of moves given.
        found: usize,
    },
    /// The state is terminal: it has no successor, even if the rules give legal moves.
    Terminal,
    /// Several roles have a choice, and only one move was given
    /// ([`GameExt::apply_one`](crate::GameExt::apply_one)).
    Several,
    /// The move is not legal for its role in this state.
    Illegal {
        /// The role's name.
        role: String,
        /// The move, as KIF text.
        action: String,
        /// The first [`StepError::SHOWN`] legal moves of the role, as KIF text, in move order.
        legal: Vec<String>,
        /// The number of further legal moves.
        more: usize,
    },
}

impl StepError {
    /// The greatest number of legal moves that an error lists; it counts the others.
    pub const SHOWN: usize = 20;
}

impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count { expected, found } => {
                write!(f, "a step takes one move for each of the {expected} roles, found {found}")
            }
            Self::Terminal => f.write_str("the state is terminal and has no successor"),
            Self::Several => f.write_str("several roles have a choice here, so a move of each is needed"),
            Self::Illegal { role, action, legal, more } => {
                write!(f, "`{action}` is not legal for `{role}`")?;
                let Some((first, rest)) = legal.split_first() else {
                    return f.write_str(", no move is");
                };
                write!(f, "; legal: {first}")?;
                for text in rest {
                    write!(f, ", {text}")?;
                }
                if *more > 0 {
                    write!(f, " and {more} more")?;
                }
                Ok(())
            }
        }
    }
}

impl Error for StepError {}

/// The expected kind of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum TextKind {
    /// A player.
    Role,
    /// A move of some role.
    Move,
    /// A fluent, which may hold in a state.
    Fluent,
    /// A percept of some role.
    Percept,
    /// A state: a list of fluents.
    State,
    /// A player's perception of a step: a list of percepts or moves.
    Perception,
}

impl fmt::Display for TextKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Role => "role",
            Self::Move => "move",
            Self::Fluent => "fluent",
            Self::Percept => "percept",
            Self::State => "state",
            Self::Perception => "perception",
        })
    }
}

/// The reason why a text could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TextError {
    /// The game has no such name.
    Unknown {
        /// The kind of text that was expected.
        kind: TextKind,
        /// The text as given.
        text: String,
    },
    /// The text is not a list in parentheses.
    Malformed {
        /// The kind of text that was expected.
        kind: TextKind,
        /// The text as given.
        text: String,
    },
}

impl TextError {
    /// The maximum number of characters that an error shows of a text.
    pub const SHOWN: usize = 200;
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Unknown { kind, text } | Self::Malformed { kind, text }) = self;
        let mut chars = text.chars();
        let shown: String = chars.by_ref().take(Self::SHOWN).collect();
        let dots = if chars.next().is_some() { ".." } else { "" };
        match self {
            Self::Unknown { .. } => write!(f, "this game has no {kind} `{shown}{dots}`"),
            Self::Malformed { .. } => {
                write!(f, "a {kind} is a list in parentheses such as `((f 1) g)`, not `{shown}{dots}`")
            }
        }
    }
}

impl Error for TextError {}
