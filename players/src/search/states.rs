//! The numbered states of a search that keeps all it meets: states by number, and numbers by state.

use crate::search::{growth::Grow, memory::hash};
use hashbrown::HashTable;

/// Different states, numbered as they come.
#[derive(Debug)]
pub(crate) struct States {
    words: usize,
    rows: Vec<u64>,
    numbers: HashTable<u32>,
}

impl States {
    /// An empty list, for states of `words` words.
    pub(crate) fn new(words: usize) -> Self {
        Self { words, rows: Vec::new(), numbers: HashTable::new() }
    }

    /// The number of states.
    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// The words of a state.
    pub(crate) fn row(&self, number: u32) -> &[u64] {
        &self.rows[number as usize * self.words..][..self.words]
    }

    /// The words of states from one number to before another, as consecutive rows.
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
        self.grow(1);
        self.rows.extend(row);
        let Self { words, rows, numbers } = self;
        numbers.insert_unique(hash(row), number, |&known| hash(&rows[known as usize * *words..][..*words]));
        number
    }

    /// Makes room for `more` further states.
    pub(crate) fn grow(&mut self, more: usize) {
        let Self { words, rows, numbers } = self;
        rows.grow(more * *words);
        numbers.reserve(more, |&known| hash(&rows[known as usize * *words..][..*words]));
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        self.rows.held() + self.numbers.allocation_size()
    }

    /// Bytes of the longer lists that `more` further states need; they are in use together with the
    /// others while lists move.
    pub(crate) fn growth(&self, more: usize) -> usize {
        let room = self.numbers.capacity();
        let wanted = self.len() + more;
        // Tables have a power of two of places, an eighth of them free, and a byte for each number.
        let places = (wanted.max(room + 1) * 8 / 7 + 1).next_power_of_two();
        let table = if wanted > room { places * (size_of::<u32>() + 1) + 64 } else { 0 };
        self.rows.growth(more * self.words) + table
    }
}
