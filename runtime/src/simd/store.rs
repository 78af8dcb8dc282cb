//! Memory for many planes, most of them perhaps unused: zeros that the system allocates page by
//! page on the first write.
//!
//! For memory with the alignment of planes, `vec!` and `Box` write all zeros. For the slots of
//! lanes that takes as long as loading a small game. Words of 64 bits are allocated as zeros
//! without writing them; planes start at the first aligned word.

use super::Plane;
use std::{
    fmt,
    ops::{Deref, DerefMut},
    slice,
};

/// The number of 64-bit words of a plane.
const WORDS: usize = size_of::<Plane>() / size_of::<u64>();

/// Planes, all zero at first.
pub(crate) struct Store {
    /// The words of `planes + 1` planes, so that aligned planes fit. The length never changes.
    words: Vec<u64>,
    /// The offset of the first plane, in words.
    start: usize,
    planes: usize,
}

impl Store {
    pub(crate) fn new(planes: usize) -> Self {
        let words = vec![0_u64; (planes + 1) * WORDS];
        let start = words.as_ptr().align_offset(align_of::<Plane>());
        assert!(start < WORDS, "some word of the first plane is aligned");
        Self { words, start, planes }
    }
}

impl Deref for Store {
    type Target = [Plane];

    #[inline(always)]
    fn deref(&self) -> &[Plane] {
        // SAFETY: `start` is less than a plane and aligned as one, so `planes` of them lie before
        // the end of the words; and any eight words are a plane. The words do not move while they
        // are borrowed.
        unsafe { slice::from_raw_parts(self.words.as_ptr().add(self.start).cast(), self.planes) }
    }
}

impl DerefMut for Store {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [Plane] {
        // SAFETY: as above, and nothing else refers to the words.
        unsafe { slice::from_raw_parts_mut(self.words.as_mut_ptr().add(self.start).cast(), self.planes) }
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} planes", self.planes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_are_zero_apart_and_aligned() {
        for _ in 0..20 {
            let mut store = Store::new(1000);
            assert!(store.iter().all(|plane| *plane == Plane::ZERO));
            assert_eq!(store.as_ptr().addr() % align_of::<Plane>(), 0);
            for (number, plane) in (0..).zip(store.iter_mut()) {
                *plane = Plane([number; 8]);
            }
            // Moving the store does not move the planes.
            let moved = Box::new(store);
            assert!((0..).zip(moved.iter()).all(|(number, plane)| plane.0 == [number; 8]));
        }
    }
}
