//! A state as a row of bits together with the list of its fluents.
//!
//! Most fluents do not hold, so a row is long and mostly empty. The list saves a search of the row,
//! and clears it without visiting each word.

/// The number of words of a row that are tested at once.
const CHUNK: usize = 16;

/// A state. In the default state no fluent holds.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    row: Vec<u64>,
    /// The bits that are set, ascending.
    fluents: Vec<u32>,
}

impl State {
    /// Returns whether this state has the given row.
    pub(super) fn is(&self, row: &[u64]) -> bool {
        self.row == row
    }

    /// The fluents that hold, ascending.
    pub(super) fn fluents(&self) -> &[u32] {
        &self.fluents
    }

    /// Reads a row into this state. O(words).
    pub(super) fn read(&mut self, row: &[u64]) {
        row.clone_into(&mut self.row);
        self.fluents.clear();
        for (place, words) in row.chunks(CHUNK).enumerate().filter(|(_, words)| **words != [0; CHUNK]) {
            for (word, &bits) in (CHUNK * place..).zip(words) {
                let mut rest = bits;
                while rest != 0 {
                    self.fluents.push((word * 64) as u32 + rest.trailing_zeros());
                    rest &= rest - 1;
                }
            }
        }
    }

    /// Sets this state to the given distinct fluents, in a row of `words` words. O(n log n) for n
    /// fluents that hold before or afterwards.
    pub(super) fn set(&mut self, words: usize, fluents: Vec<u32>) {
        fill(&mut self.row, &self.fluents, false);
        self.row.resize(words, 0);
        self.fluents = fluents;
        self.fluents.sort_unstable();
        fill(&mut self.row, &self.fluents, true);
    }

    /// Changes a row of this state into the row of another state. O(fluents of both).
    pub(super) fn change(&self, row: &mut [u64], next: &Self) {
        fill(row, &self.fluents, false);
        fill(row, &next.fluents, true);
    }
}

/// Sets or clears bits of a row.
fn fill(row: &mut [u64], bits: &[u32], value: bool) {
    for &bit in bits {
        let (word, mask) = (&mut row[bit as usize / 64], 1 << (bit % 64));
        *word = if value { *word | mask } else { *word & !mask };
    }
}
