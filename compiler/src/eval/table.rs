//! Tables of derived atoms, and indexed views of them.
//!
//! A [`TupleTable`] holds the tuples of one relation. A [`TupleView`] holds, for one shape of
//! arguments, the leaves of the tuples that match the shape, with indexes over its columns.
//! [`TupleView::refresh`] adds the tuples that are new in the table.

use super::program::PatternShape;
use super::term::{Id, InternedTerms};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;

/// The tuples of a relation, in the order of their derivation.
pub(super) struct TupleTable {
    arity: usize,
    n_tuples: usize,
    /// The terms of all tuples, `arity` for each.
    cells: Vec<Id>,
    /// The latest tuple with each hash, which begins a chain.
    first: FxHashMap<u64, usize>,
    /// The next tuple of the same chain.
    next: Vec<usize>,
}

impl TupleTable {
    pub(super) fn new(arity: usize) -> Self {
        Self { arity, n_tuples: 0, cells: Vec::new(), first: FxHashMap::default(), next: Vec::new() }
    }

    /// Adds a tuple, unless the table has it.
    pub(super) fn insert(&mut self, tuple: &[Id]) {
        if !self.contains(tuple) {
            let before = self.first.insert(hash(tuple.iter().copied()), self.n_tuples);
            self.next.push(before.unwrap_or(END));
            self.cells.extend_from_slice(tuple);
            self.n_tuples += 1;
        }
    }

    pub(super) fn contains(&self, tuple: &[Id]) -> bool {
        self.place(tuple).is_some()
    }

    /// The index of a tuple in the table, if it is there.
    pub(super) fn place(&self, tuple: &[Id]) -> Option<usize> {
        let mut i = self.first.get(&hash(tuple.iter().copied())).copied().unwrap_or(END);
        while i != END && self.tuple(i) != tuple {
            i = self.next[i];
        }
        (i != END).then_some(i)
    }

    pub(super) fn tuple(&self, i: usize) -> &[Id] {
        &self.cells[i * self.arity..(i + 1) * self.arity]
    }

    pub(super) fn len(&self) -> usize {
        self.n_tuples
    }

    pub(super) fn clear(&mut self) {
        self.n_tuples = 0;
        self.cells.clear();
        self.first.clear();
        self.next.clear();
    }
}

/// The leaves of the tuples whose arguments match a shape.
pub(super) struct TupleView {
    shape: Vec<PatternShape>,
    width: usize,
    /// The leaves of all rows, `width` for each.
    cells: Vec<Id>,
    /// The index of the tuple of each row.
    tuple_of: Vec<usize>,
    /// The number of tuples of the table that were read.
    seen: usize,
    indexes: Vec<Index>,
}

/// An index of rows by the hash of some columns, chained. Rows of a chain may differ in those
/// columns.
struct Index {
    columns: Vec<usize>,
    first: FxHashMap<u64, usize>,
    /// The next row of the same chain.
    next: Vec<usize>,
}

/// The end of a chain, in tables and indexes.
pub(super) const END: usize = usize::MAX;

impl TupleView {
    pub(super) fn new(shape: Vec<PatternShape>) -> Self {
        let width = shape.iter().map(leaves).sum();
        Self { shape, width, cells: Vec::new(), tuple_of: Vec::new(), seen: 0, indexes: Vec::new() }
    }

    pub(super) fn clear(&mut self) {
        self.cells.clear();
        self.tuple_of.clear();
        self.seen = 0;
        for index in &mut self.indexes {
            index.first.clear();
            index.next.clear();
        }
    }

    /// Adds the tuples that were added to the table since the last call.
    pub(super) fn refresh(&mut self, table: &TupleTable, terms: &InternedTerms) {
        for i in self.seen..table.len() {
            let tuple = table.tuple(i);
            let before = self.cells.len();
            if self.shape.iter().zip(tuple).all(|(s, &id)| extract(s, id, terms, &mut self.cells)) {
                self.tuple_of.push(i);
            } else {
                self.cells.truncate(before);
            }
        }
        self.seen = table.len();
    }

    /// Returns the number of an index over `columns`, which is built or brought up to date.
    pub(super) fn index(&mut self, columns: &[usize]) -> usize {
        let number = self.indexes.iter().position(|index| index.columns == columns).unwrap_or_else(|| {
            self.indexes.push(Index {
                columns: columns.to_vec(),
                first: FxHashMap::default(),
                next: Vec::new(),
            });
            self.indexes.len() - 1
        });
        let index = &mut self.indexes[number];
        for row in index.next.len()..self.tuple_of.len() {
            let cells = &self.cells[row * self.width..(row + 1) * self.width];
            let key = hash(index.columns.iter().map(|&column| cells[column]));
            index.next.push(index.first.insert(key, row).unwrap_or(END));
        }
        number
    }

    pub(super) fn n_rows(&self) -> usize {
        self.tuple_of.len()
    }

    pub(super) fn row(&self, row: usize) -> &[Id] {
        &self.cells[row * self.width..(row + 1) * self.width]
    }

    /// The range of rows that come from the tuples `from..to`.
    pub(super) fn rows_of(&self, from: usize, to: usize) -> (usize, usize) {
        (self.tuple_of.partition_point(|&t| t < from), self.tuple_of.partition_point(|&t| t < to))
    }

    /// The first row of the chain for the given values of the index's columns.
    pub(super) fn first(&self, index: usize, values: impl Iterator<Item = Id>) -> usize {
        self.indexes[index].first.get(&hash(values)).copied().unwrap_or(END)
    }

    pub(super) fn next(&self, index: usize, row: usize) -> usize {
        self.indexes[index].next[row]
    }
}

fn hash(values: impl Iterator<Item = Id>) -> u64 {
    let mut hasher = FxHasher::default();
    values.for_each(|value| hasher.write_u32(value));
    hasher.finish()
}

fn leaves(shape: &PatternShape) -> usize {
    match shape {
        PatternShape::Leaf => 1,
        PatternShape::Function(_, arguments) => arguments.iter().map(leaves).sum(),
    }
}

/// Appends the leaves of a term to `cells`. Returns false, with some leaves added, if the term does
/// not match the shape.
fn extract(shape: &PatternShape, id: Id, terms: &InternedTerms, cells: &mut Vec<Id>) -> bool {
    match shape {
        PatternShape::Leaf => {
            cells.push(id);
            true
        }
        PatternShape::Function(symbol, arguments) => {
            let key = terms.key(id);
            key[0] == *symbol
                && key.len() == arguments.len() + 1
                && arguments.iter().zip(&key[1..]).all(|(s, &argument)| extract(s, argument, terms, cells))
        }
    }
}
