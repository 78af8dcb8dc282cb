//! Ids: the numbers of roles, moves, fluents and percepts.

use std::{fmt::Debug, hash::Hash};

/// A role, move, fluent or percept of a game: a dense number with a type of its own.
pub trait Id: Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static {
    /// Returns the position in the [`Vocabulary`](crate::vocabulary::Vocabulary)'s list.
    fn index(self) -> usize;

    /// Returns the id at a position.
    ///
    /// # Panics
    /// May panic, or return an id that the game does not have, if the list has no such position.
    fn from_index(index: usize) -> Self;
}

/// The percept type of a game whose rules have no `sees`: it has no values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoPercept {}

impl Id for NoPercept {
    fn index(self) -> usize {
        match self {}
    }

    fn from_index(_: usize) -> Self {
        panic!("the game has no percepts")
    }
}
