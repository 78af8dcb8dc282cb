//! The facts found so far, and indexes over them.
//!
//! An [`Index`] maps the values of a literal's bound variables to those of its free ones, with the
//! atom. A fact is noted first. Joins see it once its turn comes and it has entered the indexes.
//!
//! Entering a fact into an index takes steps. They are spent before an index is filled
//! ([`Facts::filling`]), and as later facts enter. The bytes of facts and indexes are counted.

use super::{
    clause::{Literal, canonical},
    terms::{AtomId, Atoms, TermId, Terms},
    watch::Watch,
};
use crate::{
    datalog::pattern::{Match, Pattern},
    rules::RelationId,
};
use rustc_hash::FxHashMap;

/// The values of a literal's free variables, with the atom, by the values of its bound variables.
#[derive(Debug)]
struct Index {
    relation: RelationId,
    /// The literal with its variables numbered by first occurrence.
    pattern: Vec<Match>,
    variables: usize,
    key: Vec<usize>,
    free: Vec<usize>,
    rows: FxHashMap<Box<[TermId]>, Vec<TermId>>,
    /// The steps to enter a fact.
    effort: u64,
    bytes: usize,
    /// True if no plan needs the index any more; it is empty then.
    is_retired: bool,
}

impl Index {
    /// Enters a fact if it matches, and returns the bytes taken. `row` is scratch memory.
    fn enter(&mut self, atom: AtomId, atoms: &Atoms, terms: &Terms, row: &mut Vec<TermId>) -> usize {
        if self.is_retired {
            return 0;
        }
        row.clear();
        row.resize(self.variables, TermId::NONE);
        if !Match::all_fit(&self.pattern, atoms.arguments(atom), terms, row) {
            return 0;
        }
        self.key.iter().for_each(|&v| row.push(row[v]));
        let (values, key) = row.split_at(self.variables);
        let free = self.free.iter().map(|&v| values[v]).chain([TermId(atom.0)]);
        let row = size_of::<TermId>() * (self.free.len() + 1);
        if let Some(rows) = self.rows.get_mut(key) {
            rows.extend(free);
            self.bytes += row;
            return row;
        }
        let bytes = BYTES_PER_KEY + size_of_val(key) + row;
        self.rows.insert(key.into(), free.collect());
        self.bytes += bytes;
        bytes
    }
}

/// The facts and their indexes.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// For each atom, its index in `list`, or `NOWHERE`.
    places: Vec<u32>,
    /// The found atoms in the order they were noted.
    pub(super) list: Vec<AtomId>,
    /// The number of facts that joins can see. Later ones wait for their turn.
    entered: usize,
    /// The found atoms of each relation, in the order they were noted.
    by_relation: Vec<Vec<AtomId>>,
    indexes: Vec<Index>,
    /// The number of indexes that have been filled with the facts noted before the index was
    /// created.
    filled: usize,
    /// Finds the indexes that a fact may enter.
    watch: Watch,
    /// The indexes that the last fact may enter.
    found: Vec<usize>,
    /// The values of the fact that is entered.
    row: Vec<TermId>,
    by_pattern: FxHashMap<(u32, Vec<Pattern>, Vec<usize>), usize>,
    /// Steps spent on plans and indexes, not yet charged to the meter.
    pub(super) steps: u64,
    /// The bytes of indexes and plans.
    pub(super) bytes: usize,
}

/// The place of an atom that was not found.
const NOWHERE: u32 = u32::MAX;

/// The bytes of a key of an index besides its terms. It takes an entry of a hash map, two thirds
/// full, and two heap allocations.
const BYTES_PER_KEY: usize = 120;

/// The bytes of an index without its rows.
const BYTES_PER_INDEX: usize = 400;

/// The steps of a lookup in a hash table, besides those for the key.
pub(super) const FIND: u64 = 8;

impl Facts {
    /// True if the atom was found.
    pub(super) fn contains(&self, atom: AtomId) -> bool {
        self.place(atom) != NOWHERE
    }

    /// True if the atom was found and joins can see it.
    pub(super) fn has_entered(&self, atom: AtomId) -> bool {
        (self.place(atom) as usize) < self.entered
    }

    fn place(&self, atom: AtomId) -> u32 {
        self.places.get(atom.index()).copied().unwrap_or(NOWHERE)
    }

    /// Notes that the atom was found. Returns false if it was noted before. Joins do not see it
    /// yet.
    pub(super) fn note(&mut self, atom: AtomId, atoms: &Atoms) -> bool {
        if self.contains(atom) {
            return false;
        }
        if self.places.len() <= atom.index() {
            self.places.resize(atom.index() + 1, NOWHERE);
        }
        self.places[atom.index()] = self.list.len() as u32;
        self.list.push(atom);
        let relation = atoms.relation(atom).index();
        if self.by_relation.len() <= relation {
            self.by_relation.resize(relation + 1, Vec::new());
        }
        self.by_relation[relation].push(atom);
        true
    }

    /// The found atoms of a relation.
    pub(super) fn of(&self, relation: RelationId) -> &[AtomId] {
        self.by_relation.get(relation.index()).map_or(&[], |atoms| atoms)
    }

    /// The bytes that facts, indexes and plans take.
    pub(super) fn bytes(&self) -> usize {
        self.bytes + size_of::<u32>() * self.places.len() + 2 * size_of::<AtomId>() * self.list.len()
    }

    /// Enters the first waiting atom into the indexes and returns it.
    pub(super) fn enter(&mut self, atoms: &Atoms, terms: &Terms) -> Option<AtomId> {
        let &atom = self.list.get(self.entered)?;
        self.entered += 1;
        let arguments = atoms.arguments(atom);
        self.steps += self.watch.find(atoms.relation(atom).0, arguments, terms, &mut self.found);
        for &i in &self.found {
            self.steps += self.indexes[i].effort;
            self.bytes += self.indexes[i].enter(atom, atoms, terms, &mut self.row);
        }
        Some(atom)
    }

    /// The steps to fill the first index that is not filled yet; `None` if all are.
    pub(super) fn filling(&self) -> Option<u64> {
        let index = self.indexes.get(self.filled)?;
        Some(self.of(index.relation).len() as u64 * index.effort)
    }

    /// Makes all noted facts visible, and fills the next new index. All noted facts must have
    /// entered the older indexes.
    pub(super) fn fill(&mut self, atoms: &Atoms, terms: &Terms) {
        self.entered = self.list.len();
        let Some(index) = self.indexes.get_mut(self.filled) else { return };
        for &atom in self.by_relation.get(index.relation.index()).map_or(&[][..], |atoms| atoms) {
            self.bytes += index.enter(atom, atoms, terms, &mut self.row);
        }
        self.filled += 1;
    }

    /// The rows of an index for a key, each with the values of the free variables and the atom.
    pub(super) fn rows(&self, index: usize, key: &[TermId]) -> &[TermId] {
        self.indexes[index].rows.get(key).map_or(&[], |rows| rows)
    }

    /// Empties the indexes that are not `used`.
    pub(super) fn retire(&mut self, used: impl Iterator<Item = usize>) {
        let mut is_used = vec![false; self.indexes.len()];
        used.for_each(|index| is_used[index] = true);
        for (index, _) in self.indexes.iter_mut().zip(&is_used).filter(|(_, is_used)| !**is_used) {
            self.bytes -= index.bytes;
            (index.rows, index.bytes, index.is_retired) = (FxHashMap::default(), 0, true);
        }
        self.by_pattern.retain(|_, index| is_used[*index]);
    }

    /// Returns the index for a literal with some variables bound, created if it does not exist.
    /// Also returns the literal's bound variables and its free variables, in the order of the
    /// index.
    pub(super) fn index(&mut self, literal: &Literal, bound: &[bool]) -> (usize, Vec<u32>, Vec<u32>) {
        let mut names = Vec::new();
        let pattern = canonical(&literal.arguments, &mut names);
        let (key, free): (Vec<usize>, Vec<usize>) = (0..names.len()).partition(|&i| bound[names[i] as usize]);
        let key_names = key.iter().map(|&i| names[i]).collect();
        let free_names = free.iter().map(|&i| names[i]).collect();
        let relation = literal.relation;
        let Self { indexes, watch, bytes, .. } = self;
        let entry = self.by_pattern.entry((relation.0, pattern, key));
        let number = *entry.or_insert_with_key(|(_, pattern, key)| {
            watch.add(relation.0, pattern, indexes.len());
            *bytes += BYTES_PER_INDEX + 2 * size_of::<Pattern>() * literal.size();
            indexes.push(Index {
                relation,
                pattern: Match::of_all(pattern, &mut vec![false; names.len()]),
                variables: names.len(),
                key: key.clone(),
                free,
                rows: FxHashMap::default(),
                effort: FIND + (literal.size() + names.len()) as u64 / 4,
                bytes: 0,
                is_retired: false,
            });
            indexes.len() - 1
        });
        (number, key_names, free_names)
    }
}
