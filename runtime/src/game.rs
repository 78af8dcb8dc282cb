//! The trait [`Game`], which each engine implements, and [`GameExt`], its derived methods for
//! players, searches and tools.
//!
//! A state is a row of bits, one for each fluent. A view is a row of bits with the observation of a
//! state: the legal moves, the goals and the end. The rows of a compiled game have a fixed size and
//! are plain `Copy` values; those of a dynamic game live on the heap. Code that is generic over
//! [`Game`] works with both. [`Game::perceive`] computes the percepts of a step separately, so that
//! games without hidden information do not pay for it.
//!
//! [`Game`] is what an engine provides; [`GameExt`] has moves by role, checked steps, goals, names
//! and texts, for every game.

mod error;
mod ext;
pub(crate) mod id;
pub(crate) mod legal;
pub(crate) mod perception;

pub use gdl_format::shape::Shape;
pub use {
    error::{StepError, TextError, TextKind},
    ext::GameExt,
    id::{Id, NoPercept},
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

/// The rules of a game: the methods that each engine implements. [`GameExt`] has methods that
/// follow from these, for every game.
///
/// All methods take `&self`: a compiled game is a zero-sized value, and threads share the tables of
/// a dynamic one.
pub trait Game: Send + Sync {
    /// A state: one bit per fluent.
    type State: Row;
    /// A view, the observation of a state; see [`Shape::view_words`] for the layout.
    type View: Row;
    /// A role.
    type Role: Id;
    /// A move, which some role may make.
    type Move: Id;
    /// A fluent, which may hold in a state.
    type Fluent: Id;
    /// A percept, which some role may have of a step; [`NoPercept`] if each role perceives the
    /// joint move.
    type Percept: Id;

    /// The names of roles, moves, fluents and percepts, and the values of the goals.
    fn vocabulary(&self) -> &Vocabulary;

    /// The sizes of the game. O(roles), or O(1) for a compiled game.
    fn shape(&self) -> Shape {
        self.vocabulary().shape()
    }

    /// The table of the game, if it was compiled from rules; lanes are played from it. Not part of
    /// the public interface.
    #[doc(hidden)]
    fn table(&self) -> Option<&Table> {
        None
    }

    /// The state in which no fluent holds.
    fn new_state(&self) -> Self::State;

    /// Creates an empty view for [`Game::observe`].
    fn new_view(&self) -> Self::View;

    /// The initial state.
    fn initial(&self) -> Self::State;

    /// Writes the observation of `state` into all of `view`. Hot: called once in each step.
    fn observe(&self, state: &Self::State, view: &mut Self::View);

    /// Observes like [`Game::observe`], except that goal bits may stay clear in states that are not
    /// terminal. Playouts and searches need no more, and goals may be most of the work.
    #[inline]
    fn observe_without_goals(&self, state: &Self::State, view: &mut Self::View) {
        self.observe(state, view);
    }

    /// Replaces `state` by its successor when each role makes its move of `joint`, in role order.
    /// Hot: called once in each step.
    ///
    /// Nothing is checked. If `state` is terminal, or a move is missing or not legal, the result is
    /// some state or a panic, never undefined behaviour. [`GameExt::apply`] checks.
    fn advance(&self, state: &mut Self::State, joint: &[Self::Move]);

    /// Writes the percepts of each role when the joint move is made in `state`. The row has
    /// [`Shape::percept_words`] words for each role. Nothing is checked, as for [`Game::advance`];
    /// see [`GameExt::perception`] for a player's perception.
    ///
    /// # Panics
    /// Panics if `percepts` is too short.
    fn perceive(&self, _state: &Self::State, _joint: &[Self::Move], percepts: &mut [u64]) {
        percepts.fill(0);
    }
}
