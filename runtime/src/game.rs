//! What a game is: the trait every player, search and tool works with.
//!
//! A state is a row of bits, one per fluent; a view is a row of bits that shows what can be seen of
//! a state: the legal moves, the goals and whether it is terminal. A compiled game's rows have a
//! fixed size and are plain `Copy` values, a dynamic game's live on the heap; both are the same to
//! whoever is generic over [`Game`].

use crate::vocabulary::Vocabulary;
use std::{fmt::Debug, hash::Hash};

/// A row of bits in words of 64, lowest bit first.
pub trait Row: AsRef<[u64]> + AsMut<[u64]> + Clone + Eq + Ord + Hash + Debug + Send + Sync {}

impl<T: AsRef<[u64]> + AsMut<[u64]> + Clone + Eq + Ord + Hash + Debug + Send + Sync> Row for T {}

/// A role, move or fluent of a game: a dense number with a type of its own.
pub trait Id: Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static {
    /// The position in the [`Vocabulary`]'s list.
    fn index(self) -> usize;

    /// The id at a position.
    ///
    /// # Panics
    /// May panic, or give an id the game does not know, if the list has no such position.
    fn from_index(index: usize) -> Self;
}

/// The sizes of a game, which fix the layout of its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Number of roles.
    pub roles: usize,
    /// Number of fluents: the bits of a state.
    pub fluents: usize,
    /// Number of moves, the union over all roles.
    pub moves: usize,
    /// Number of goal values, summed over the roles.
    pub goals: usize,
}

impl Shape {
    /// Words of a state.
    #[must_use]
    pub const fn state_words(self) -> usize {
        self.fluents.div_ceil(64)
    }

    /// Words of one role's legal moves in a view: bit m stands for move m.
    #[must_use]
    pub const fn legal_words(self) -> usize {
        self.moves.div_ceil(64)
    }

    /// Words of a view: first the legal moves of each role, each role from a fresh word on, then from
    /// a fresh word one bit per role and goal value, then one bit that is set in a terminal state.
    #[must_use]
    pub const fn view_words(self) -> usize {
        self.roles * self.legal_words() + (self.goals + 1).div_ceil(64)
    }

    /// The bit of a view where the goal values start.
    #[must_use]
    pub const fn goal_bit(self) -> usize {
        self.roles * self.legal_words() * 64
    }

    /// The bit of a view that is set in a terminal state.
    #[must_use]
    pub const fn terminal_bit(self) -> usize {
        self.goal_bit() + self.goals
    }
}

/// The rules of a game, ready to play.
///
/// Everything works on `&self`: a compiled game is a zero-sized value, a dynamic one shares its
/// tables between threads.
pub trait Game: Send + Sync {
    /// A position: one bit per fluent.
    type State: Row;
    /// What is seen of a position; see [`Shape::view_words`] for the layout.
    type View: Row;
    /// A player.
    type Role: Id;
    /// Something a player may do.
    type Move: Id;
    /// Something that may hold in a position.
    type Fluent: Id;

    /// The names of roles, moves and fluents, and the values of the goals.
    fn vocabulary(&self) -> &Vocabulary;

    /// The sizes of the game.
    fn shape(&self) -> Shape;

    /// The state in which no fluent holds.
    fn empty(&self) -> Self::State;

    /// A view to be filled by [`Game::observe`].
    fn blank(&self) -> Self::View;

    /// The state at the start.
    fn initial(&self) -> Self::State;

    /// Writes what is seen of `state` into `view`, all of it. The hot half of a step.
    fn observe(&self, state: &Self::State, view: &mut Self::View);

    /// Replaces `state` by the one that follows when each role makes its move of `joint`, one move
    /// per role in role order. The other hot half of a step.
    ///
    /// Nothing is checked: if a move is not legal in `state` or a move is missing, the result is some
    /// state or a panic, never undefined behaviour. [`Game::next`] checks.
    fn advance(&self, state: &mut Self::State, joint: &[Self::Move]);
}
