//! Memory for many planes of which few may be used: zeros that the system hands out page by page as they are written.
//!
//! For memory that is aligned as planes are, `vec!` and `Box` write all the zeros, which for the slots of lanes takes as long as
//! loading a small game. Words that are not aligned come as zeros; planes start at the first of them that is.

use super::Plane;
use std::{
    fmt,
    ops::{Deref, DerefMut},
};

/// Words of a plane.
const WORDS: usize = size_of::<Plane>() / size_of::<u64>();

/// So many planes, all zero at first.
pub(crate) struct Store<const PLANES: usize> {
    /// One plane more than are wanted, so that they fit wherever they start. Its length never changes.
    words: Vec<u64>,
    /// Where they start, in words.
    start: usize,
}

impl<const PLANES: usize> Store<PLANES> {
    pub(crate) fn new() -> Self {
        let words = vec![0_u64; (PLANES + 1) * WORDS];
        let start = words.as_ptr().align_offset(align_of::<Plane>());
        assert!(start < WORDS, "some word of the first plane is aligned");
        Self { words, start }
    }
}

impl<const PLANES: usize> Deref for Store<PLANES> {
    type Target = [Plane; PLANES];

    #[inline(always)]
    fn deref(&self) -> &[Plane; PLANES] {
        // SAFETY: `start` is less than a plane and aligned as one, so `PLANES` of them lie before the end of the words; and any
        // eight words are a plane. The words do not move while they are borrowed.
        unsafe { &*self.words.as_ptr().add(self.start).cast() }
    }
}

impl<const PLANES: usize> DerefMut for Store<PLANES> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [Plane; PLANES] {
        // SAFETY: as above, and nothing else refers to the words.
        unsafe { &mut *self.words.as_mut_ptr().add(self.start).cast() }
    }
}

impl<const PLANES: usize> fmt::Debug for Store<PLANES> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PLANES} planes")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_are_zero_apart_and_aligned() {
        for _ in 0..20 {
            let mut store = Store::<1000>::new();
            assert!(store.iter().all(|plane| *plane == Plane::ZERO));
            assert_eq!(store.as_ptr().addr() % align_of::<Plane>(), 0);
            for (number, plane) in (0..).zip(store.iter_mut()) {
                *plane = Plane([number; 8]);
            }
            // So they are when it has moved.
            let moved = Box::new(store);
            assert!((0..).zip(moved.iter()).all(|(number, plane)| plane.0 == [number; 8]));
        }
    }
}
