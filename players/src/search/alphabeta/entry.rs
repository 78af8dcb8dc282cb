//! Entries of the transposition table of alpha-beta, packed into words.

/// The relation of a stored value to the true one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

/// An entry of the transposition table. One word has the value, bound, depth and whether the value
/// is final; another has the best move.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) value: i32,
    pub(super) bound: Bound,
    pub(super) depth: u32,
    pub(super) is_solved: bool,
    pub(super) best: u32,
}

impl Entry {
    pub(super) fn pack(self) -> [u64; 2] {
        let depth = if self.is_solved { 255 } else { self.depth.min(254) };
        let bound = 1 + self.bound as u64;
        [u64::from(self.value.cast_unsigned()) << 32 | u64::from(depth) << 8 | bound, u64::from(self.best)]
    }

    pub(super) fn unpack(words: &[u64]) -> Self {
        let bound = match words[0] & 0xff {
            1 => Bound::Exact,
            2 => Bound::AtLeast,
            _ => Bound::AtMost,
        };
        let depth = (words[0] >> 8 & 0xff) as u32;
        Self {
            value: ((words[0] >> 32) as u32).cast_signed(),
            bound,
            depth,
            is_solved: depth == 255,
            best: words[1] as u32,
        }
    }

    /// Returns the depth of a packed entry, its priority for replacement.
    pub(super) fn worth(word: u64) -> u64 {
        word >> 8 & 0xff
    }
}
