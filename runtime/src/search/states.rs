//! The numbered states of a search that keeps all it meets: states by number, and numbers by state.

use crate::search::memory::hash;
use hashbrown::HashTable;

/// Different states, numbered as they come.
#[derive(Debug)]
pub(crate) struct States {
    words: usize,
    rows: Vec<u64>,
    numbers: HashTable<u32>,
}

impl States {
    /// None yet, of so many words each.
    pub(crate) fn new(words: usize) -> Self {
        Self { words, rows: Vec::new(), numbers: HashTable::new() }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// The words of a state.
    pub(crate) fn row(&self, number: u32) -> &[u64] {
        &self.rows[number as usize * self.words..][..self.words]
    }

    /// The words of states from one number to before another, one behind the other.
    pub(crate) fn rows(&self, start: usize, end: usize) -> &[u64] {
        &self.rows[start * self.words..end * self.words]
    }

    /// The number of a state, if it is known.
    pub(crate) fn find(&self, row: &[u64]) -> Option<u32> {
        self.numbers.find(hash(row), |&number| self.row(number) == row).copied()
    }

    /// The number of a state, the next one if it is new.
    pub(crate) fn insert(&mut self, row: &[u64]) -> u32 {
        if let Some(known) = self.find(row) {
            return known;
        }
        let number = self.len() as u32;
        self.rows.extend(row);
        let Self { words, rows, numbers } = self;
        numbers.insert_unique(hash(row), number, |&known| hash(&rows[known as usize * *words..][..*words]));
        number
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        8 * self.rows.capacity() + self.numbers.allocation_size()
    }
}
