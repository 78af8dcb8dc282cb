//! Errors of playing games on a device, with advice.

use std::fmt;

/// The reason why games are not played on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The program was built without support for cards.
    NotBuilt,
    /// There is no card, or none with the requested name.
    NoCard {
        /// The requested name, if there was one.
        name: Option<String>,
        /// The names of the available cards.
        found: Vec<String>,
    },
    /// The card cannot be opened, with the reason.
    Closed(String),
    /// The rules have no lane programs, from which kernels are made.
    NoLanes,
    /// The programs have more operations than a kernel may have.
    TooLarge {
        /// The number of operations of the programs.
        operations: usize,
        /// The maximum number of operations of a kernel.
        limit: usize,
    },
    /// The limit on the moves of a game is out of range.
    MaxLength,
    /// The driver rejects the shader, with the reason.
    Refused(String),
    /// The card has too little memory.
    Memory,
    /// The card was lost, or its driver abandoned a dispatch, with the message.
    Lost(String),
    /// The start states, or the games from each, are too many.
    TooManyLeaves,
    /// A start state, given by its index, cannot be reached by play.
    Unreachable(usize),
}

impl Error {
    /// Returns advice on how to solve the problem.
    #[must_use]
    pub fn help(&self) -> &'static str {
        match self {
            Self::NotBuilt => {
                "install it with `cargo install --path cli --features full,gpu`, or use `--device emulate`"
            }
            Self::NoCard { found, .. } if found.is_empty() => {
                "install the driver of the card (on Linux with Vulkan: `vulkaninfo --summary` lists the devices), or play in lanes"
            }
            Self::NoCard { .. } => "give a part of one of these names, or `emulate`",
            Self::Closed(_) | Self::Refused(_) => "update the driver of the card, or play in lanes",
            Self::NoLanes => "play it one game at a time",
            Self::TooLarge { .. } => "play it in lanes",
            Self::MaxLength => "give a number from 1 to 1,048,576",
            Self::Memory => "end other programs that use the card, or play in lanes",
            Self::Lost(_) => "try again; if it happens again, play in lanes",
            Self::TooManyLeaves => "play fewer at a time",
            Self::Unreachable(_) => "give states that play reaches from the initial state",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotBuilt => f.write_str("this program was built without support for graphics cards"),
            Self::NoCard { name: None, .. } => f.write_str("there is no graphics card"),
            Self::NoCard { name: Some(name), found } if found.is_empty() => {
                write!(f, "no graphics card was found for `{name}`")
            }
            Self::NoCard { name: Some(name), found } => {
                write!(f, "there is no graphics card `{name}`; there are `{}`", found.join("`, `"))
            }
            Self::Closed(reason) => write!(f, "the graphics card cannot be opened: {reason}"),
            Self::NoLanes => f.write_str("the game cannot be played in lanes, nor on a graphics card"),
            Self::TooLarge { operations, limit } => {
                write!(
                    f,
                    "the game takes {operations} operations, more than the {limit} that a graphics card may run"
                )
            }
            Self::MaxLength => f.write_str("the greatest length of games is out of range"),
            Self::Refused(reason) => write!(f, "the graphics card rejects the shader: {reason}"),
            Self::Memory => f.write_str("the graphics card has too little memory"),
            Self::Lost(reason) => write!(f, "the graphics card was lost: {reason}"),
            Self::TooManyLeaves => f.write_str("there are too many games from given states"),
            Self::Unreachable(place) => write!(f, "play never reaches the state at place {place}"),
        }
    }
}

impl std::error::Error for Error {}
