//! The legal moves of a role: the bits of its part of a view, as an iterator of moves.

use super::{Id, Shape};
use crate::bits;
use std::marker::PhantomData;

/// The legal moves of a role, in move order; see
/// [`GameExt::legal_moves`](super::GameExt::legal_moves). The iterator owns or borrows the view
/// that it reads.
#[derive(Clone, Debug)]
pub struct LegalMoves<M, V> {
    view: V,
    /// The indices of the words after the current one.
    words: std::ops::Range<usize>,
    /// The index, among the role's bits, of the current word's first bit.
    base: usize,
    /// The set bits of the current word that are still to come.
    rest: u64,
    /// The number of moves still to come.
    left: usize,
    id: PhantomData<M>,
}

impl<M: Id, V: AsRef<[u64]>> LegalMoves<M, V> {
    pub(super) fn new(view: V, shape: Shape, role: usize) -> Self {
        let row = legal_words(view.as_ref(), shape, role);
        let left = bits::count(row);
        let rest = row.first().copied().unwrap_or(0);
        let start = role * shape.legal_words();
        let words = start + 1..start + row.len().max(1);
        Self { view, words, base: 0, rest, left, id: PhantomData }
    }
}

impl<M: Id, V: AsRef<[u64]>> Iterator for LegalMoves<M, V> {
    type Item = M;

    #[inline]
    fn next(&mut self) -> Option<M> {
        while self.rest == 0 {
            self.rest = *self.view.as_ref().get(self.words.next()?)?;
            self.base += 64;
        }
        let bit = self.rest.trailing_zeros() as usize;
        self.rest &= self.rest - 1;
        self.left -= 1;
        Some(M::from_index(self.base + bit))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<M: Id, V: AsRef<[u64]>> ExactSizeIterator for LegalMoves<M, V> {}
impl<M: Id, V: AsRef<[u64]>> std::iter::FusedIterator for LegalMoves<M, V> {}

/// Returns the words of a view with a role's legal moves; empty if the game has no such role.
#[inline]
#[must_use]
pub fn legal_words(view: &[u64], shape: Shape, role: usize) -> &[u64] {
    let words = shape.legal_words();
    if role >= shape.roles {
        return &[];
    }
    view.get(role * words..(role + 1) * words).unwrap_or(&[])
}
