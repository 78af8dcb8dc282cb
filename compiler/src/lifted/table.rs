//! Tuples of a relation, and views into them that are indexed by what a literal knows.
//!
//! A [`Table`] holds tuples of terms, each once, in the order they were found. A [`View`] is the
//! tuples whose arguments have a certain shape, cut down to the leaves of that shape, with an index
//! for each set of columns that some plan looks up. Views and indexes follow their table when asked
//! to, in steps and bytes by the rows that are new. A [`Store`] knows the bytes that all of them
//! hold, and those that each tuple of a relation takes there once all views and indexes are up to
//! date.

use super::clause::Shape;
use crate::datalog::{
    calls::hash,
    terms::{TermId, Terms},
};
use hashbrown::HashTable;
use rustc_hash::FxHashMap;

/// The end of a chain of rows.
pub(super) const END: u32 = u32::MAX;

/// The hash of a tuple.
fn hash_tuple(tuple: &[TermId]) -> u64 {
    hash(tuple.iter().map(|term| term.0))
}

/// The number of tuples that are searched one by one, which takes less than to hash one.
const FEW: u32 = 8;

/// Tuples of one length, each once.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    arity: usize,
    len: u32,
    cells: Vec<TermId>,
    /// All tuples by their hash, if there are more than a few.
    set: HashTable<u32>,
}

impl Table {
    pub(super) fn new(arity: usize) -> Self {
        Self { arity, ..Self::default() }
    }

    pub(super) fn len(&self) -> u32 {
        self.len
    }

    pub(super) fn tuple(&self, i: u32) -> &[TermId] {
        let start = i as usize * self.arity;
        &self.cells[start..start + self.arity]
    }

    pub(super) fn contains(&self, tuple: &[TermId]) -> bool {
        if self.arity == 0 {
            return self.len > 0;
        }
        if self.len <= FEW {
            return self.cells.chunks_exact(self.arity).any(|known| known == tuple);
        }
        self.set.find(hash_tuple(tuple), |&i| self.tuple(i) == tuple).is_some()
    }

    /// Adds a tuple; false if it is known.
    pub(super) fn insert(&mut self, tuple: &[TermId]) -> bool {
        if self.arity == 0 {
            return std::mem::replace(&mut self.len, 1) == 0;
        }
        if self.len < FEW && self.contains(tuple) {
            return false;
        }
        if self.len < FEW {
            self.cells.extend_from_slice(tuple);
            self.len += 1;
            return true;
        }
        let Self { arity, cells, set, .. } = self;
        let row = |i: u32| &cells[i as usize * *arity..(i as usize + 1) * *arity];
        if set.is_empty() {
            for i in 0..FEW {
                set.insert_unique(hash_tuple(row(i)), i, |&i| hash_tuple(row(i)));
            }
        }
        let entry = set.entry(hash_tuple(tuple), |&i| row(i) == tuple, |&i| hash_tuple(row(i)));
        let hashbrown::hash_table::Entry::Vacant(place) = entry else { return false };
        place.insert(self.len);
        self.cells.extend_from_slice(tuple);
        self.len += 1;
        true
    }

    pub(super) fn clear(&mut self) {
        if self.len > 0 {
            self.len = 0;
            self.cells.clear();
            self.set.clear();
        }
    }
}

/// The tuples of a relation whose arguments have a certain shape, cut down to the leaves.
#[derive(Clone, Debug)]
pub(super) struct View {
    pub(super) relation: usize,
    shape: Vec<Shape>,
    pub(super) width: usize,
    /// The leaves are the arguments themselves: the rows are the table's.
    plain: bool,
    /// `width` leaves for each row.
    cells: Vec<TermId>,
    /// The tuple of each row, unless the view is plain.
    tuple_of: Vec<u32>,
    /// The number of tuples of the table that have been looked at.
    seen: u32,
    indexes: Vec<Index>,
}

/// Rows by the hash of some columns, chained; rows of a chain may differ in those columns.
#[derive(Clone, Debug)]
struct Index {
    columns: Vec<usize>,
    first: FxHashMap<u64, u32>,
    /// The next row of the same chain, for each row: an older one.
    next: Vec<u32>,
}

impl View {
    fn new(relation: usize, shape: Vec<Shape>) -> Self {
        let width = shape.iter().map(leaves).sum();
        let plain = shape.iter().all(|shape| *shape == Shape::Leaf);
        let (cells, tuple_of, indexes) = (Vec::new(), Vec::new(), Vec::new());
        Self { relation, shape, width, plain, cells, tuple_of, seen: 0, indexes }
    }

    /// The same view and indexes of an empty table.
    fn blank(&self) -> Self {
        let indexes = self.indexes.iter().map(|index| Index {
            columns: index.columns.clone(),
            first: FxHashMap::default(),
            next: Vec::new(),
        });
        Self { indexes: indexes.collect(), ..Self::new(self.relation, self.shape.clone()) }
    }

    /// The bytes of a row.
    fn row_bytes(&self) -> usize {
        if self.plain { 0 } else { BYTES_PER_ROW + 8 * self.width }
    }

    /// The bytes of a row, the indexes included.
    fn price(&self) -> usize {
        self.row_bytes() + BYTES_PER_INDEXED * self.indexes.len()
    }

    /// The bytes of all rows.
    fn bytes(&self) -> usize {
        let indexed: usize = self.indexes.iter().map(|index| index.next.len()).sum();
        self.row_bytes() * self.tuple_of.len() + BYTES_PER_INDEXED * indexed
    }

    fn clear(&mut self) {
        if self.seen > 0 {
            self.cells.clear();
            self.tuple_of.clear();
            self.seen = 0;
            for index in self.indexes.iter_mut().filter(|index| !index.next.is_empty()) {
                index.first.clear();
                index.next.clear();
            }
        }
    }
}

/// The bytes of a question, an answer or a tuple in addition to its terms.
pub(super) const BYTES_PER_ENTRY: usize = 48;

/// The bytes of a row of an index, and of one of a view in addition to its terms.
const BYTES_PER_INDEXED: usize = 48;
const BYTES_PER_ROW: usize = 8;

/// The tables of all relations and the views into them.
#[derive(Clone, Debug, Default)]
pub(super) struct Store {
    pub(super) tables: Vec<Table>,
    views: Vec<View>,
    views_of: Vec<Vec<usize>>,
    /// Bytes of all views and indexes.
    indexed: usize,
    /// By relation, what a tuple takes there. Empty as long as there may be more of them.
    prices: Vec<usize>,
}

impl Store {
    /// Tables of relations with the given arities, all empty.
    pub(super) fn new(arities: &[usize]) -> Self {
        Self {
            tables: arities.iter().map(|&arity| Table::new(arity)).collect(),
            views: Vec::new(),
            views_of: vec![Vec::new(); arities.len()],
            indexed: 0,
            prices: Vec::new(),
        }
    }

    /// The bytes of all views and indexes.
    pub(super) fn indexed(&self) -> usize {
        self.indexed
    }

    /// About the bytes of all tables, views and indexes.
    pub(super) fn bytes(&self) -> usize {
        let table = |table: &Table| table.len as usize * (BYTES_PER_ENTRY + 8 * table.arity);
        self.tables.iter().map(table).sum::<usize>() + self.indexed
    }

    /// The bytes of a tuple of a relation in views and indexes; nothing before prices are set.
    #[inline]
    pub(super) fn price(&self, relation: usize) -> usize {
        self.prices.get(relation).copied().unwrap_or(0)
    }

    pub(super) fn is_priced(&self) -> bool {
        !self.prices.is_empty()
    }

    /// Sets the prices: there will be no more indexes.
    pub(super) fn set_prices(&mut self) {
        let price = |views: &Vec<usize>| views.iter().map(|&view| self.views[view].price()).sum();
        self.prices = self.views_of.iter().map(price).collect();
    }

    /// The views into a relation.
    pub(super) fn views_of(&self, relation: usize) -> &[usize] {
        &self.views_of[relation]
    }

    /// The same views and indexes of empty tables.
    pub(super) fn blank(&self) -> Self {
        Self {
            tables: self.tables.iter().map(|table| Table::new(table.arity)).collect(),
            views: self.views.iter().map(View::blank).collect(),
            views_of: self.views_of.clone(),
            indexed: 0,
            prices: self.prices.clone(),
        }
    }

    /// Adds the views that are missing.
    pub(super) fn add_views(&mut self, shapes: &[(usize, Vec<Shape>)]) {
        for (relation, shape) in &shapes[self.views.len()..] {
            self.views_of[*relation].push(self.views.len());
            self.views.push(View::new(*relation, shape.clone()));
        }
    }

    /// The number of the view's index over some columns, made if need be.
    pub(super) fn add_index(&mut self, view: usize, columns: &[usize]) -> usize {
        let indexes = &mut self.views[view].indexes;
        indexes.iter().position(|index| index.columns == columns).unwrap_or_else(|| {
            let (first, next) = (FxHashMap::default(), Vec::new());
            indexes.push(Index { columns: columns.to_vec(), first, next });
            indexes.len() - 1
        })
    }

    pub(super) fn clear(&mut self, relation: usize) {
        if self.tables[relation].len() > 0 {
            self.tables[relation].clear();
            for &view in &self.views_of[relation] {
                self.indexed -= self.views[view].bytes();
                self.views[view].clear();
                debug_assert_eq!(self.views[view].bytes(), 0);
            }
        }
    }

    /// Gives up a table's memory.
    pub(super) fn drop_table(&mut self, relation: usize) {
        self.tables[relation] = Table::new(self.tables[relation].arity);
        for &view in &self.views_of[relation] {
            let view = &mut self.views[view];
            self.indexed -= view.bytes();
            *view = view.blank();
        }
    }

    /// Brings a view up to date with its table; the number of its rows.
    pub(super) fn refresh(&mut self, view: usize, terms: &Terms) -> u32 {
        let view = &mut self.views[view];
        let table = &self.tables[view.relation];
        if view.plain {
            view.seen = table.len;
            return table.len;
        }
        let known = view.tuple_of.len();
        while view.seen < table.len {
            let before = view.cells.len();
            let tuple = table.tuple(view.seen);
            if view.shape.iter().zip(tuple).all(|(s, &id)| extract(s, id, terms, &mut view.cells)) {
                view.tuple_of.push(view.seen);
            } else {
                view.cells.truncate(before);
            }
            view.seen += 1;
        }
        self.indexed += view.row_bytes() * (view.tuple_of.len() - known);
        view.tuple_of.len() as u32
    }

    /// Brings an index of an up-to-date view up to date.
    pub(super) fn refresh_index(&mut self, view: usize, index: usize) {
        let View { indexes, cells, tuple_of, width, plain, relation, .. } = &mut self.views[view];
        let table = &self.tables[*relation];
        let (cells, rows) = if *plain { (&table.cells, table.len) } else { (&*cells, tuple_of.len() as u32) };
        let Index { columns, first, next } = &mut indexes[index];
        self.indexed += BYTES_PER_INDEXED * (rows as usize - next.len());
        for row in next.len() as u32..rows {
            let cells = &cells[row as usize * *width..];
            let key = hash(columns.iter().map(|&column| cells[column].0));
            next.push(first.insert(key, row).unwrap_or(END));
        }
    }

    /// Brings every view and index of a relation up to date, as long as all of them hold at most
    /// `most` bytes; true if they do.
    pub(super) fn refresh_all(&mut self, relation: usize, terms: &Terms, most: usize) -> bool {
        for i in 0..self.views_of[relation].len() {
            let view = self.views_of[relation][i];
            self.refresh(view, terms);
            for index in 0..self.views[view].indexes.len() {
                if self.indexed > most {
                    return false;
                }
                self.refresh_index(view, index);
            }
        }
        self.indexed <= most
    }

    /// The number of rows of an up-to-date view.
    pub(super) fn rows(&self, view: usize) -> u32 {
        let view = &self.views[view];
        if view.plain { self.tables[view.relation].len } else { view.tuple_of.len() as u32 }
    }

    pub(super) fn row(&self, view: usize, row: u32) -> &[TermId] {
        let view = &self.views[view];
        if view.plain {
            return self.tables[view.relation].tuple(row);
        }
        let start = row as usize * view.width;
        &view.cells[start..start + view.width]
    }

    /// The rows of an up-to-date view that come from the tuples `from..to`.
    pub(super) fn rows_of(&self, view: usize, from: u32, to: u32) -> (u32, u32) {
        let view = &self.views[view];
        if view.plain {
            return (from, to);
        }
        let place = |end: u32| view.tuple_of.partition_point(|&tuple| tuple < end) as u32;
        (place(from), place(to))
    }

    /// The newest row of the chain with this hash.
    pub(super) fn first(&self, view: usize, index: usize, key: u64) -> u32 {
        self.views[view].indexes[index].first.get(&key).copied().unwrap_or(END)
    }

    pub(super) fn next(&self, view: usize, index: usize, row: u32) -> u32 {
        self.views[view].indexes[index].next[row as usize]
    }

    pub(super) fn n_views(&self) -> usize {
        self.views.len()
    }

    /// The number of rows of an up-to-date view, and of different values in each column, judged by
    /// its first rows.
    pub(super) fn measure(&self, view: usize) -> Measure {
        const SAMPLE: u32 = 10_000;
        let rows = self.rows(view);
        let sample = rows.min(SAMPLE);
        let mut values = Vec::new();
        let distinct = (0..self.views[view].width).map(|column| {
            values.clear();
            values.extend((0..sample).map(|row| self.row(view, row)[column]));
            values.sort_unstable();
            values.dedup();
            let all_differ = values.len() as u32 == sample;
            if all_differ { f64::from(rows) } else { values.len() as f64 }
        });
        Measure { distinct: distinct.collect(), rows: f64::from(rows) }
    }
}

/// Rows of a view, and different values in each column.
#[derive(Clone, Debug, Default)]
pub(super) struct Measure {
    pub(super) rows: f64,
    pub(super) distinct: Vec<f64>,
}

impl Measure {
    /// Takes in the `n`th of some measures to average.
    pub(super) fn add(&mut self, other: &Self, n: usize) {
        let average = |mean: &mut f64, value: f64| *mean += (value - *mean) / n as f64;
        average(&mut self.rows, other.rows);
        self.distinct.resize(other.distinct.len(), 0.0);
        self.distinct.iter_mut().zip(&other.distinct).for_each(|(mean, &value)| average(mean, value));
    }
}

fn leaves(shape: &Shape) -> usize {
    match shape {
        Shape::Leaf => 1,
        Shape::Function(_, arguments) => arguments.iter().map(leaves).sum(),
    }
}

/// Adds the leaves of a term to `cells`; false, with some leaves added, if it has not the shape.
fn extract(shape: &Shape, id: TermId, terms: &Terms, cells: &mut Vec<TermId>) -> bool {
    match shape {
        Shape::Leaf => {
            cells.push(id);
            true
        }
        Shape::Function(symbol, shapes) => {
            let arguments = terms.arguments(id);
            terms.symbol(id) == *symbol
                && arguments.len() == shapes.len()
                && shapes.iter().zip(arguments).all(|(s, &argument)| extract(s, argument, terms, cells))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_each_tuple_once_whether_they_are_few_or_many() {
        let mut table = Table::new(2);
        for round in 0..3 {
            for n in [3, FEW - 1, FEW, FEW + 1, 40] {
                for i in 0..n {
                    let tuple = [TermId(i % 5), TermId(i)];
                    let is_known = i < table.len();
                    assert_eq!(table.contains(&tuple), is_known);
                    assert_eq!(table.insert(&tuple), !is_known);
                    assert!(table.contains(&tuple) && !table.contains(&[TermId(i % 5), TermId(n)]));
                }
                assert_eq!((table.len(), table.tuple(n - 1)), (n, &[TermId((n - 1) % 5), TermId(n - 1)][..]));
            }
            table.clear();
            assert!(!table.contains(&[TermId(0), TermId(0)]), "round {round}");
        }
    }
}
