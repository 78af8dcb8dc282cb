//! Ground terms and atoms, each stored once.
//!
//! In come names and arguments, out go dense ids; equal terms have equal ids. Terms share their
//! parts, so a term of exponential size written out takes linear space here; its written size is
//! tracked (saturating) and the first term over a limit is remembered.

use crate::{
    Limits,
    rules::{RelationId, Symbol, Symbols},
};
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// A ground term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TermId(pub u32);

/// A ground atom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AtomId(pub u32);

impl AtomId {
    /// The id as an index.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

fn hash(head: u32, arguments: &[TermId]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u32(head);
    for argument in arguments {
        hasher.write_u32(argument.0);
    }
    hasher.finish()
}

/// A head (a symbol or a relation) with arguments, stored once.
#[derive(Clone, Debug, Default)]
struct Calls {
    heads: Vec<u32>,
    /// Where the arguments of each call end in `arguments`.
    ends: Vec<u32>,
    arguments: Vec<TermId>,
    table: HashTable<u32>,
}

impl Calls {
    fn arguments(&self, id: u32) -> &[TermId] {
        let id = id as usize;
        let start = if id == 0 { 0 } else { self.ends[id - 1] as usize };
        &self.arguments[start..self.ends[id] as usize]
    }

    /// What they take: the hash table is two thirds full.
    fn bytes(&self) -> usize {
        16 * self.heads.len() + size_of::<TermId>() * self.arguments.len()
    }

    fn find(&self, head: u32, arguments: &[TermId]) -> Option<u32> {
        let equal = |&id: &u32| self.heads[id as usize] == head && self.arguments(id) == arguments;
        self.table.find(hash(head, arguments), equal).copied()
    }

    /// The id, and true if it is new.
    fn intern(&mut self, head: u32, arguments: &[TermId]) -> (u32, bool) {
        if let Some(id) = self.find(head, arguments) {
            return (id, false);
        }
        let id = self.heads.len() as u32;
        self.heads.push(head);
        self.arguments.extend_from_slice(arguments);
        self.ends.push(self.arguments.len() as u32);
        let mut table = std::mem::take(&mut self.table);
        table.insert_unique(hash(head, arguments), id, |&id| {
            hash(self.heads[id as usize], self.arguments(id))
        });
        self.table = table;
        (id, true)
    }
}

/// The ground terms.
#[derive(Clone, Debug)]
pub struct Terms {
    calls: Calls,
    /// Depth and written size of each term, in symbols.
    extents: Vec<(u32, u32)>,
    max_depth: usize,
    max_size: usize,
    excess: Option<TermId>,
}

impl Terms {
    /// No terms yet.
    #[must_use]
    pub fn new(limits: &Limits) -> Self {
        Self {
            calls: Calls::default(),
            extents: Vec::new(),
            max_depth: limits.max_term_depth,
            max_size: limits.max_term_size,
            excess: None,
        }
    }

    /// The term `(symbol arguments..)`, or `symbol` without arguments.
    pub fn intern(&mut self, symbol: Symbol, arguments: &[TermId]) -> TermId {
        let (id, new) = self.calls.intern(symbol.0, arguments);
        if new {
            let parts = arguments.iter().map(|a| self.extents[a.0 as usize]);
            let (depth, size) =
                parts.fold((0u32, 1u32), |(d, s), (depth, size)| (d.max(depth), s.saturating_add(size)));
            self.extents.push((depth + 1, size));
            if self.excess.is_none() && (depth as usize >= self.max_depth || size as usize > self.max_size) {
                self.excess = Some(TermId(id));
            }
        }
        TermId(id)
    }

    /// The term, if it exists.
    #[must_use]
    pub fn find(&self, symbol: Symbol, arguments: &[TermId]) -> Option<TermId> {
        self.calls.find(symbol.0, arguments).map(TermId)
    }

    /// How many terms there are.
    pub(super) fn len(&self) -> usize {
        self.extents.len()
    }

    /// What they take.
    pub(super) fn bytes(&self) -> usize {
        self.calls.bytes() + size_of::<(u32, u32)>() * self.extents.len()
    }

    /// For each term the length of its text, saturating. O(terms).
    pub(super) fn lengths(&self, symbols: &Symbols) -> Vec<usize> {
        let mut lengths: Vec<usize> = Vec::with_capacity(self.len());
        for term in (0..self.len() as u32).map(TermId) {
            let name = symbols.name(self.symbol(term)).len();
            let brackets = if self.arguments(term).is_empty() { 0 } else { 2 };
            let inner = self.arguments(term).iter().map(|a| lengths[a.0 as usize].saturating_add(1));
            lengths.push(inner.fold(name + brackets, usize::saturating_add));
        }
        lengths
    }

    /// The first term that was deeper or larger than the limits allow.
    #[must_use]
    pub fn excess(&self) -> Option<TermId> {
        self.excess
    }

    /// The outermost symbol.
    #[must_use]
    pub fn symbol(&self, term: TermId) -> Symbol {
        Symbol(self.calls.heads[term.0 as usize])
    }

    /// The arguments of the outermost symbol.
    #[must_use]
    pub fn arguments(&self, term: TermId) -> &[TermId] {
        self.calls.arguments(term.0)
    }

    /// The term as KIF text. Recurses no deeper than the limit on depth.
    #[must_use]
    pub fn text(&self, term: TermId, symbols: &Symbols) -> String {
        let mut out = String::new();
        self.write(term, symbols, &mut out);
        out
    }

    /// The term as KIF text of at most about a hundred characters, for messages.
    pub(super) fn brief(&self, term: TermId, symbols: &Symbols) -> String {
        let mut out = String::new();
        self.abridge(term, symbols, 0, &mut out);
        out
    }

    fn abridge(&self, term: TermId, symbols: &Symbols, depth: usize, out: &mut String) {
        const LONGEST: usize = 80;
        const DEEPEST: usize = 6;
        let (name, arguments) = (symbols.name(self.symbol(term)), self.arguments(term));
        let name = name.get(..LONGEST).unwrap_or(name);
        if arguments.is_empty() {
            out.push_str(name);
            return;
        }
        out.push('(');
        out.push_str(name);
        for &argument in arguments {
            out.push(' ');
            if out.len() > LONGEST || depth > DEEPEST {
                out.push_str("..");
                break;
            }
            self.abridge(argument, symbols, depth + 1, out);
        }
        out.push(')');
    }

    fn write(&self, term: TermId, symbols: &Symbols, out: &mut String) {
        let arguments = self.arguments(term);
        if arguments.is_empty() {
            out.push_str(symbols.name(self.symbol(term)));
            return;
        }
        out.push('(');
        out.push_str(symbols.name(self.symbol(term)));
        for &argument in arguments {
            out.push(' ');
            self.write(argument, symbols, out);
        }
        out.push(')');
    }
}

/// The ground atoms.
#[derive(Clone, Debug, Default)]
pub struct Atoms {
    calls: Calls,
}

impl Atoms {
    /// The atom, new if need be.
    pub fn intern(&mut self, relation: RelationId, arguments: &[TermId]) -> AtomId {
        AtomId(self.calls.intern(relation.0, arguments).0)
    }

    /// The atom, if it exists.
    #[must_use]
    pub fn find(&self, relation: RelationId, arguments: &[TermId]) -> Option<AtomId> {
        self.calls.find(relation.0, arguments).map(AtomId)
    }

    /// How many atoms there are.
    pub(super) fn len(&self) -> usize {
        self.calls.heads.len()
    }

    /// What they take.
    pub(super) fn bytes(&self) -> usize {
        self.calls.bytes()
    }

    /// The atom's relation.
    #[must_use]
    pub fn relation(&self, atom: AtomId) -> RelationId {
        RelationId(self.calls.heads[atom.index()])
    }

    /// The atom's arguments.
    #[must_use]
    pub fn arguments(&self, atom: AtomId) -> &[TermId] {
        self.calls.arguments(atom.0)
    }
}
