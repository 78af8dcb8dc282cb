//! The intended name of a misspelling: the name nearest to it among some others.
//!
//! Names are near where one or two letters differ, are missing, too many or swapped, whatever their
//! case; short names must be nearer. All searches of one text share [`COMPARISONS`] pairs of
//! characters; names not found by then are not suggested.

use std::cell::Cell;

/// Pairs of characters that may be compared in all.
const COMPARISONS: usize = 10_000_000;

/// Searches for near names in one text, and the rest of [`COMPARISONS`].
#[derive(Debug)]
pub(crate) struct Meant {
    left: Cell<usize>,
}

impl Meant {
    /// All comparisons are left.
    pub(crate) fn new() -> Self {
        Self { left: Cell::new(COMPARISONS) }
    }

    /// Spends comparisons of characters; `None` if there are too few.
    pub(crate) fn compare(&self, characters: usize) -> Option<()> {
        self.left.set(self.left.get().checked_sub(characters)?);
        Some(())
    }

    /// The best of `names` for a misspelled `name`, if one is near.
    pub(crate) fn nearest<'n>(&self, name: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
        /// Longer names are not compared: the distance takes the product of the lengths.
        const LONGEST: usize = 60;
        let allowed = match name.len() {
            0..=2 => return None,
            3..=5 => 1,
            _ => 2,
        };
        if name.len() > LONGEST {
            return None;
        }
        let key = name.to_ascii_lowercase();
        names
            .map_while(|other| self.compare(1).map(|()| other))
            .filter(|other| other.len().abs_diff(name.len()) <= allowed && *other != name)
            .map_while(|other| self.compare(name.len() * other.len()).map(|()| other))
            .map(|other| (strsim::damerau_levenshtein(&key, &other.to_ascii_lowercase()), other))
            .filter(|&(distance, _)| distance <= allowed)
            .min_by_key(|&(distance, _)| distance)
            .map(|(_, other)| other)
    }
}
