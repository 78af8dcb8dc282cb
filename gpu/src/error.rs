//! Reasons that keep games off a card, and how to solve each.

use std::fmt;

/// The reason why games are not played on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The program was built without support for cards.
    NotBuilt,
    /// There is no card, or none of that name; those there are.
    NoCard {
        /// The name that was asked for.
        name: Option<String>,
        /// The names there are.
        found: Vec<String>,
    },
    /// The card cannot be opened, and why.
    Closed(String),
    /// The rules have no programs for lanes, and kernels are made from those.
    NoLanes,
    /// The programs have more operations than a kernel may.
    TooLarge {
        /// Operations there are.
        operations: usize,
        /// Operations there may be.
        limit: usize,
    },
    /// The greatest length of games is not within the limits.
    MaxLength,
    /// The driver does not take the shader, and why.
    Refused(String),
    /// The card has too little memory.
    Memory,
    /// The card went away, or its driver gave a dispatch up, and what is said of that.
    Lost(String),
    /// States to play from are too many, or too many games from each.
    TooManyLeaves,
    /// A state to play from, by its place, is none that play comes to.
    Unreachable(usize),
}

impl Error {
    /// Advice on how to solve it.
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
