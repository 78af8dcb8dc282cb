//! The trait [`Game`], which each engine implements, and [`GameExt`], all that follows from it for
//! players, searches and tools.
//!
//! A state is a row of bits, one per fluent; a view is a row of bits that shows what can be seen of
//! a state: the legal moves, the goals and whether it is terminal. The rows of a compiled game have
//! a fixed size and are plain `Copy` values, those of a dynamic game live on the heap; code that is
//! generic over [`Game`] sees no difference. What the roles perceive of a step is a function of its
//! own, which costs nothing unless it is asked for.
//!
//! [`Game`] is what an engine provides; [`GameExt`] has moves by role, checked steps, goals, names
//! and texts, for every game.

mod error;
mod ext;
pub(crate) mod legal;
pub(crate) mod perception;

pub use gdl_format::shape::Shape;
pub use {
    error::{StepError, TextError, TextKind},
    ext::GameExt,
    legal::LegalMoves,
    perception::Perception,
};

pub(crate) use legal::legal_words;
pub(crate) use perception::percept_words;

use crate::{table::Table, vocabulary::Vocabulary};
use std::{fmt::Debug, hash::Hash};

/// A row of bits in words of 64, lowest bit first.
pub trait Row: AsRef<[u64]> + AsMut<[u64]> + Clone + Eq + Ord + Hash + Debug + Send + Sync {}

impl<T: AsRef<[u64]> + AsMut<[u64]> + Clone + Eq + Ord + Hash + Debug + Send + Sync> Row for T {}

/// A role, move, fluent or percept of a game: a dense number with a type of its own.
pub trait Id: Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static {
    /// The position in the [`Vocabulary`]'s list.
    fn index(self) -> usize;

    /// The id at a position.
    ///
    /// # Panics
    /// May panic, or give an id the game does not know, if the list has no such position.
    fn from_index(index: usize) -> Self;
}

/// The percepts of a game whose rules say nothing of percepts: there are none.
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

/// The rules of a game: the methods that each engine implements. [`GameExt`] has methods that
/// follow from these, for every game.
///
/// Everything works on `&self`: a compiled game is a zero-sized value, a dynamic one shares its
/// tables between threads.
pub trait Game: Send + Sync {
    /// A state: one bit per fluent.
    type State: Row;
    /// A view, what is seen of a state; see [`Shape::view_words`] for the layout.
    type View: Row;
    /// A role.
    type Role: Id;
    /// A move, which some role may make.
    type Move: Id;
    /// A fluent, which may hold in a state.
    type Fluent: Id;
    /// A percept, which some role may have of a step; [`NoPercept`] if each perceives the joint
    /// move.
    type Percept: Id;

    /// The names of roles, moves, fluents and percepts, and the values of the goals.
    fn vocabulary(&self) -> &Vocabulary;

    /// The sizes of the game: those of its vocabulary, O(roles) unless the game knows them
    /// beforehand.
    fn shape(&self) -> Shape {
        self.vocabulary().shape()
    }

    /// The game as a table, if it was compiled from rules: what plays it in lanes. No part of the
    /// public interface.
    #[doc(hidden)]
    fn table(&self) -> Option<&Table> {
        None
    }

    /// The state in which no fluent holds.
    fn new_state(&self) -> Self::State;

    /// A view to be filled by [`Game::observe`].
    fn new_view(&self) -> Self::View;

    /// The initial state.
    fn initial(&self) -> Self::State;

    /// Writes what is seen of `state` into `view`, all of it. The hot half of a step.
    fn observe(&self, state: &Self::State, view: &mut Self::View);

    /// Does the same as [`Game::observe`] except for goals: their bits may stay clear in states
    /// that are not terminal. Playouts and searches need no more, and goals may be most of the
    /// work.
    #[inline]
    fn observe_without_goals(&self, state: &Self::State, view: &mut Self::View) {
        self.observe(state, view);
    }

    /// Replaces `state` by the one that follows when each role makes its move of `joint`, one move
    /// per role in role order. The other hot half of a step.
    ///
    /// Nothing is checked: if `state` is terminal, a move is not legal in it or missing, the result
    /// is some state or a panic, never undefined behaviour. [`GameExt::apply`] checks.
    fn advance(&self, state: &mut Self::State, joint: &[Self::Move]);

    /// Writes what each role perceives when the joint move is made in `state`: a row of percepts,
    /// which has [`Shape::percept_words`] words for each role. Nothing is checked, as for
    /// [`Game::advance`]; see [`GameExt::perception`] for a player's perception.
    ///
    /// # Panics
    /// Panics if `percepts` is too short.
    fn perceive(&self, _state: &Self::State, _joint: &[Self::Move], percepts: &mut [u64]) {
        percepts.fill(0);
    }
}
