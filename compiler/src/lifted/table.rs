//! Tables of a relation's tuples, and views of them with indexes for the lookups of literals.
//!
//! A [`TupleTable`] holds tuples of terms, each once, in the order they were found. A [`TupleView`]
//! has the tuples whose arguments have a certain shape, reduced to the leaves of that shape. It has
//! an index for each set of columns that some plan looks up. Views and indexes are brought up to
//! date on request, in steps and bytes proportional to the new rows. A [`Store`] counts the bytes
//! of all views and indexes. For each relation, it also has the bytes that a tuple takes in
//! up-to-date views and indexes.

use super::clause::PatternShape;
use crate::datalog::{
    calls::hash,
    terms::{TermId, Terms},
};
use hashbrown::HashTable;
use rustc_hash::FxHashMap;

/// The end of a chain of rows or answers.
pub(super) const END: u32 = u32::MAX;

/// The hash of a tuple.
fn hash_tuple(tuple: &[TermId]) -> u64 {
    hash(tuple.iter().map(|term| term.0))
}

/// The number of tuples up to which a linear search takes less time than hashing.
const FEW: u32 = 8;

/// Tuples of one length, each once.
#[derive(Clone, Debug, Default)]
pub(super) struct TupleTable {
    arity: usize,
    len: u32,
    cells: Vec<TermId>,
    /// All tuples by their hash, if there are more than [`FEW`].
    set: HashTable<u32>,
}

impl TupleTable {
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

    /// Adds a tuple. Returns false if it is known.
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

/// The tuples of a relation whose arguments have a certain shape, reduced to its leaves.
#[derive(Clone, Debug)]
pub(super) struct TupleView {
    pub(super) relation: usize,
    shape: Vec<PatternShape>,
    pub(super) width: usize,
    /// True if the leaves are the arguments themselves, so that the rows are the table's.
    plain: bool,
    /// `width` leaves for each row.
    cells: Vec<TermId>,
    /// The index of each row's tuple in the table, unless the view is plain.
    tuple_of: Vec<u32>,
    /// The number of the table's tuples that the view has processed.
    seen: u32,
    indexes: Vec<Index>,
}

/// Rows by the hash of some columns, in chains. Rows of a chain may differ in these columns.
#[derive(Clone, Debug)]
struct Index {
    columns: Vec<usize>,
    first: FxHashMap<u64, u32>,
    /// For each row, the next older row of its chain, or [`END`].
    next: Vec<u32>,
}

impl TupleView {
    fn new(relation: usize, shape: Vec<PatternShape>) -> Self {
        let width = shape.iter().map(leaves).sum();
        let plain = shape.iter().all(|shape| *shape == PatternShape::Leaf);
        let (cells, tuple_of, indexes) = (Vec::new(), Vec::new(), Vec::new());
        Self { relation, shape, width, plain, cells, tuple_of, seen: 0, indexes }
    }

    /// Returns the view and its indexes without rows.
    fn blank(&self) -> Self {
        let indexes = self.indexes.iter().map(|index| Index {
            columns: index.columns.clone(),
            first: FxHashMap::default(),
            next: Vec::new(),
        });
        Self { indexes: indexes.collect(), ..Self::new(self.relation, self.shape.clone()) }
    }

    /// The bytes of a row of the view, without indexes.
    fn row_bytes(&self) -> usize {
        if self.plain { 0 } else { BYTES_PER_ROW + 8 * self.width }
    }

    /// The bytes of a row in the view and its indexes.
    fn price(&self) -> usize {
        self.row_bytes() + BYTES_PER_INDEXED * self.indexes.len()
    }

    /// The bytes of all rows in the view and its indexes.
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

/// The bytes of a subgoal, an answer or a tuple in addition to its terms.
pub(super) const BYTES_PER_ENTRY: usize = 48;

/// The bytes of a row of an index, and the bytes of a row of a view in addition to its terms.
const BYTES_PER_INDEXED: usize = 48;
const BYTES_PER_ROW: usize = 8;

/// The tables of all relations and the views into them.
#[derive(Clone, Debug, Default)]
pub(super) struct Store {
    pub(super) tables: Vec<TupleTable>,
    views: Vec<TupleView>,
    views_of: Vec<Vec<usize>>,
    /// The bytes of all views and indexes.
    indexed: usize,
    /// For each relation, the bytes of a tuple in views and indexes. Empty before
    /// [`Store::set_prices`], after which no index may be added.
    prices: Vec<usize>,
}

impl Store {
    /// Creates empty tables of relations with the given arities.
    pub(super) fn new(arities: &[usize]) -> Self {
        Self {
            tables: arities.iter().map(|&arity| TupleTable::new(arity)).collect(),
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

    /// The approximate bytes of all tables, views and indexes.
    pub(super) fn bytes(&self) -> usize {
        let table = |table: &TupleTable| table.len as usize * (BYTES_PER_ENTRY + 8 * table.arity);
        self.tables.iter().map(table).sum::<usize>() + self.indexed
    }

    /// The bytes of a tuple of a relation in views and indexes; 0 before prices are set.
    #[inline]
    pub(super) fn price(&self, relation: usize) -> usize {
        self.prices.get(relation).copied().unwrap_or(0)
    }

    pub(super) fn is_priced(&self) -> bool {
        !self.prices.is_empty()
    }

    /// Sets the prices. No index may be added afterwards.
    pub(super) fn set_prices(&mut self) {
        let price = |views: &Vec<usize>| views.iter().map(|&view| self.views[view].price()).sum();
        self.prices = self.views_of.iter().map(price).collect();
    }

    /// The views into a relation.
    pub(super) fn views_of(&self, relation: usize) -> &[usize] {
        &self.views_of[relation]
    }

    /// Returns the views and indexes with empty tables.
    pub(super) fn blank(&self) -> Self {
        Self {
            tables: self.tables.iter().map(|table| TupleTable::new(table.arity)).collect(),
            views: self.views.iter().map(TupleView::blank).collect(),
            views_of: self.views_of.clone(),
            indexed: 0,
            prices: self.prices.clone(),
        }
    }

    /// Adds views for the shapes that have none yet.
    pub(super) fn add_views(&mut self, shapes: &[(usize, Vec<PatternShape>)]) {
        for (relation, shape) in &shapes[self.views.len()..] {
            self.views_of[*relation].push(self.views.len());
            self.views.push(TupleView::new(*relation, shape.clone()));
        }
    }

    /// Returns the number of the view's index over some columns, adding it if it does not exist.
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

    /// Clears a table and its views, and frees their memory.
    pub(super) fn drop_table(&mut self, relation: usize) {
        self.tables[relation] = TupleTable::new(self.tables[relation].arity);
        for &view in &self.views_of[relation] {
            let view = &mut self.views[view];
            self.indexed -= view.bytes();
            *view = view.blank();
        }
    }

    /// Brings a view up to date with its table. Returns the number of its rows.
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

    /// Brings an index up to date with its view, which must be up to date itself.
    pub(super) fn refresh_index(&mut self, view: usize, index: usize) {
        let TupleView { indexes, cells, tuple_of, width, plain, relation, .. } = &mut self.views[view];
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

    /// Brings every view and index of a relation up to date. Stops and returns false once all views
    /// and indexes hold more than `most` bytes.
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

    /// The range of rows of an up-to-date view that come from the tuples `from..to`.
    pub(super) fn rows_of(&self, view: usize, from: u32, to: u32) -> (u32, u32) {
        let view = &self.views[view];
        if view.plain {
            return (from, to);
        }
        let place = |end: u32| view.tuple_of.partition_point(|&tuple| tuple < end) as u32;
        (place(from), place(to))
    }

    /// The newest row of the chain with this hash, or [`END`].
    pub(super) fn first(&self, view: usize, index: usize, key: u64) -> u32 {
        self.views[view].indexes[index].first.get(&key).copied().unwrap_or(END)
    }

    pub(super) fn next(&self, view: usize, index: usize, row: u32) -> u32 {
        self.views[view].indexes[index].next[row as usize]
    }

    pub(super) fn n_views(&self) -> usize {
        self.views.len()
    }

    /// Measures an up-to-date view: the number of its rows, and of distinct values in each column,
    /// estimated from its first rows.
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

/// The number of rows of a view, and of distinct values in each column.
#[derive(Clone, Debug, Default)]
pub(super) struct Measure {
    pub(super) rows: f64,
    pub(super) distinct: Vec<f64>,
}

impl Measure {
    /// Adds the `n`th measure to a running average.
    pub(super) fn add(&mut self, other: &Self, n: usize) {
        let average = |mean: &mut f64, value: f64| *mean += (value - *mean) / n as f64;
        average(&mut self.rows, other.rows);
        self.distinct.resize(other.distinct.len(), 0.0);
        self.distinct.iter_mut().zip(&other.distinct).for_each(|(mean, &value)| average(mean, value));
    }
}

fn leaves(shape: &PatternShape) -> usize {
    match shape {
        PatternShape::Leaf => 1,
        PatternShape::Function(_, arguments) => arguments.iter().map(leaves).sum(),
    }
}

/// Appends the leaves of a term to `cells`. Returns false if the term does not have the shape,
/// perhaps after some leaves were appended.
fn extract(shape: &PatternShape, id: TermId, terms: &Terms, cells: &mut Vec<TermId>) -> bool {
    match shape {
        PatternShape::Leaf => {
            cells.push(id);
            true
        }
        PatternShape::Function(symbol, shapes) => {
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
        let mut table = TupleTable::new(2);
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
