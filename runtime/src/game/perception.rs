//! Perceptions of a role in a step: the joint move, or the percepts that the rules give it.

use super::{Id, Shape};
use crate::bits;

/// The perception of a step by one role: a list of moves or of percepts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Perception<M, P> {
    /// The moves of all roles, in role order, if the rules have no `sees`.
    Joint(Box<[M]>),
    /// The percepts that the rules give the role, in percept order; often none. See
    /// [`Perception::percepts`].
    Percepts(Box<[P]>),
}

impl<M: Id, P: Id> Perception<M, P> {
    /// Creates a perception from percepts in any order; duplicates are dropped.
    pub fn percepts(percepts: impl IntoIterator<Item = P>) -> Self {
        let mut list: Vec<P> = percepts.into_iter().collect();
        list.sort_unstable();
        list.dedup();
        Self::Percepts(list.into())
    }

    /// The percepts whose bits are set in a role's part of a row.
    pub(crate) fn of_row(row: &[u64]) -> Self {
        Self::Percepts(bits::ones(row).map(P::from_index).collect())
    }
}

/// Returns a role's words of a row of percepts; empty if the game has no such role.
#[must_use]
pub fn percept_words(row: &[u64], shape: Shape, role: usize) -> &[u64] {
    let words = shape.percept_words();
    if role >= shape.roles {
        return &[];
    }
    row.get(role * words..(role + 1) * words).unwrap_or(&[])
}
