//! The numbered states of a search: maps numbers to states and states to numbers.

use crate::search::{growth::Grow, memory::hash};
use hashbrown::HashTable;

/// Distinct states, numbered in the order of insertion.
#[derive(Debug)]
pub(crate) struct States {
    words: usize,
    rows: Vec<u64>,
    numbers: HashTable<u32>,
}

impl States {
    /// Creates an empty list for states of `words` words.
    pub(crate) fn new(words: usize) -> Self {
        Self { words, rows: Vec::new(), numbers: HashTable::new() }
    }

    /// Returns the number of states.
    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Returns the words of a state.
    pub(crate) fn row(&self, number: u32) -> &[u64] {
        &self.rows[number as usize * self.words..][..self.words]
    }

    /// Returns the words of the states in `start..end`, as consecutive rows.
    pub(crate) fn rows(&self, start: usize, end: usize) -> &[u64] {
        &self.rows[start * self.words..end * self.words]
    }

    /// Returns the number of a state, if it is known.
    pub(crate) fn find(&self, row: &[u64]) -> Option<u32> {
        self.numbers.find(hash(row), |&number| self.row(number) == row).copied()
    }

    /// Returns the number of a state, and adds it if it is new.
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

    /// Returns the bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        self.rows.held() + self.numbers.allocation_size()
    }

    /// Returns the bytes of the longer lists that `more` further states need. While a list moves,
    /// both its old and its new memory are in use.
    pub(crate) fn growth(&self, more: usize) -> usize {
        let room = self.numbers.capacity();
        let wanted = self.len() + more;
        // A hash table has a power of two of places, at most 7/8 of them in use, and a byte for
        // each place.
        let places = (wanted.max(room + 1) * 8 / 7 + 1).next_power_of_two();
        let table = if wanted > room { places * (size_of::<u32>() + 1) + 64 } else { 0 };
        self.rows.growth(more * self.words) + table
    }
}
