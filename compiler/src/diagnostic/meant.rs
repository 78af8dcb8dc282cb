//! Suggestions for misspelled names: the most similar of the known names.
//!
//! Names of 6 letters or more may differ by two edits, names of 3 to 5 letters by one, and case is
//! ignored. An edit changes, inserts or removes a letter, or swaps two adjacent ones. All searches
//! of one text share [`COMPARISONS`] pairs of characters; names not found by then are not
//! suggested.

use std::cell::Cell;

/// The most pairs of characters that the searches of one text compare.
const COMPARISONS: usize = 10_000_000;

/// The search for similar names in one text, with the number of comparisons left.
#[derive(Debug)]
pub(crate) struct Meant {
    left: Cell<usize>,
}

impl Meant {
    /// Creates a search with all comparisons left.
    pub(crate) fn new() -> Self {
        Self { left: Cell::new(COMPARISONS) }
    }

    /// Spends comparisons of characters. Returns `None` if too few are left.
    pub(crate) fn compare(&self, characters: usize) -> Option<()> {
        self.left.set(self.left.get().checked_sub(characters)?);
        Some(())
    }

    /// Returns the most similar of `names` for a misspelled `name`, if one is similar enough.
    pub(crate) fn nearest<'n>(&self, name: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
        /// The longest name that is compared, since the distance takes the product of the lengths.
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
