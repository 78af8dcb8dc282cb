//! Ground terms and atoms, each stored once.
//!
//! Symbols with arguments get dense ids, and equal terms get equal ids. Terms share their subterms,
//! so a term of exponential written size takes linear space. The written size is tracked
//! (saturating), and no term beyond the limits on depth and size is made.
//!
//! Terms are in two parts: fixed ones, which clones share, and later ones, which can be dropped.

pub use super::id::{AtomId, TermId};

use super::calls::{Calls, hash_call};
use crate::{
    Limits,
    rules::{RelationId, Symbol, Symbols, Term},
};
use std::sync::Arc;

/// A term that is deeper or larger than the limits allow: its outermost symbol and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Oversized(Box<(Symbol, Vec<TermId>)>);

/// Terms by number, from zero. Fixed and later terms have an arena each.
#[derive(Clone, Debug, Default)]
struct Arena {
    calls: Calls,
    /// The depth of each term, which is 1 for a constant, and its written size in symbols.
    extents: Vec<(u32, u32)>,
}

/// All ground terms of a game, with the limits on their size.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    fixed: Arc<Arena>,
    /// The number of fixed terms, which is the id of the first other term.
    first: u32,
    own: Arena,
    max_depth: usize,
    max_size: usize,
}

impl Terms {
    /// Creates an empty set of terms with the limits on depth and size.
    #[must_use]
    pub fn new(limits: &Limits) -> Self {
        Self { max_depth: limits.max_term_depth, max_size: limits.max_term_size, ..Self::default() }
    }

    /// The arena of a term, and its index there.
    #[inline]
    fn place(&self, term: TermId) -> (&Arena, u32) {
        if term.0 < self.first { (&self.fixed, term.0) } else { (&self.own, term.0 - self.first) }
    }

    /// Returns the term `(symbol arguments..)`, or `symbol` without arguments, creating it if it
    /// does not exist.
    ///
    /// # Errors
    /// Returns an error if the term exceeds the limit on depth or size.
    pub fn intern(&mut self, symbol: Symbol, arguments: &[TermId]) -> Result<TermId, Oversized> {
        let hash = hash_call(symbol.0, arguments);
        if let Some(term) = self.find_hashed(hash, symbol, arguments) {
            return Ok(term);
        }
        let (mut depth, mut size) = (0, 1u32);
        for &argument in arguments {
            let (arena, place) = self.place(argument);
            let (inner, symbols) = arena.extents[place as usize];
            depth = depth.max(inner);
            size = size.saturating_add(symbols);
        }
        if depth as usize >= self.max_depth || size as usize > self.max_size {
            return Err(Oversized(Box::new((symbol, arguments.to_vec()))));
        }
        self.own.extents.push((depth + 1, size));
        Ok(TermId(self.first + self.own.calls.add(hash, symbol.0, arguments)))
    }

    /// Looks up a term. Returns `None` if it does not exist.
    #[must_use]
    pub fn find(&self, symbol: Symbol, arguments: &[TermId]) -> Option<TermId> {
        self.find_hashed(hash_call(symbol.0, arguments), symbol, arguments)
    }

    fn find_hashed(&self, hash: u64, symbol: Symbol, arguments: &[TermId]) -> Option<TermId> {
        if self.first > 0
            && let Some(term) = self.fixed.calls.find_hashed(hash, symbol.0, arguments)
        {
            return Some(TermId(term));
        }
        self.own.calls.find_hashed(hash, symbol.0, arguments).map(|place| TermId(self.first + place))
    }

    /// Looks up the term of a rule. Returns `None` if it does not exist or has variables.
    pub(crate) fn find_term(&self, term: &Term) -> Option<TermId> {
        match term {
            Term::Variable(_) => None,
            Term::Constant(symbol) => self.find(*symbol, &[]),
            Term::Function(symbol, arguments) => {
                let arguments: Option<Vec<TermId>> = arguments.iter().map(|a| self.find_term(a)).collect();
                self.find(*symbol, &arguments?)
            }
        }
    }

    /// The number of terms.
    pub(crate) fn len(&self) -> usize {
        self.first as usize + self.own.extents.len()
    }

    /// Iterates over all terms, in the order of their ids.
    pub(crate) fn all(&self) -> impl Iterator<Item = TermId> + use<> {
        (0..self.len() as u32).map(TermId)
    }

    /// The bytes of the terms that are not fixed.
    pub(crate) fn bytes(&self) -> usize {
        self.own.calls.bytes() + size_of::<(u32, u32)>() * self.own.extents.len()
    }

    /// Makes all terms fixed. May be called only once.
    pub(crate) fn fix(&mut self) {
        debug_assert_eq!(self.first, 0, "terms are fixed once");
        (self.first, self.fixed) = (self.len() as u32, Arc::new(std::mem::take(&mut self.own)));
    }

    /// Drops all terms but the fixed ones.
    pub(crate) fn forget(&mut self) {
        self.truncate(self.first as usize);
    }

    /// Drops all terms but the first `len`, which must include the fixed ones.
    pub(crate) fn truncate(&mut self, len: usize) {
        let own = len - self.first as usize;
        self.own.calls.truncate(own);
        self.own.extents.truncate(own);
    }

    /// The length of each term's text in bytes, saturating. O(terms).
    pub(crate) fn lengths(&self, symbols: &Symbols) -> Vec<usize> {
        let mut lengths: Vec<usize> = Vec::with_capacity(self.len());
        for term in self.all() {
            let name = symbols.name(self.symbol(term)).len();
            let brackets = if self.arguments(term).is_empty() { 0 } else { 2 };
            let inner = self.arguments(term).iter().map(|a| lengths[a.index()].saturating_add(1));
            lengths.push(inner.fold(name + brackets, usize::saturating_add));
        }
        lengths
    }

    /// The outermost symbol of a term.
    #[must_use]
    pub fn symbol(&self, term: TermId) -> Symbol {
        let (arena, place) = self.place(term);
        Symbol(arena.calls.head(place))
    }

    /// The arguments of the outermost symbol.
    #[must_use]
    pub fn arguments(&self, term: TermId) -> &[TermId] {
        let (arena, place) = self.place(term);
        arena.calls.arguments(place)
    }

    /// Returns the term as KIF text. Recurses no deeper than the limit on depth.
    #[must_use]
    pub fn text(&self, term: TermId, symbols: &Symbols) -> String {
        let mut out = String::new();
        self.write(term, symbols, &mut out);
        out
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

    /// Returns the term as KIF text, abridged to about 100 characters for messages.
    pub(crate) fn brief(&self, term: TermId, symbols: &Symbols) -> String {
        let mut out = String::new();
        self.abridge(self.symbol(term), self.arguments(term), symbols, 0, &mut out);
        out
    }

    /// Returns the text of an oversized term, abridged as by [`Terms::brief`].
    pub(crate) fn brief_oversized(&self, term: &Oversized, symbols: &Symbols) -> String {
        let mut out = String::new();
        self.abridge(term.0.0, &term.0.1, symbols, 0, &mut out);
        out
    }

    fn abridge(
        &self,
        symbol: Symbol,
        arguments: &[TermId],
        symbols: &Symbols,
        depth: usize,
        out: &mut String,
    ) {
        const LONGEST: usize = 80;
        const DEEPEST: usize = 6;
        if !arguments.is_empty() {
            out.push('(');
        }
        let name = symbols.name(symbol);
        match name.char_indices().nth(LONGEST) {
            Some((end, _)) => out.extend([&name[..end], ".."]),
            None => out.push_str(name),
        }
        if arguments.is_empty() {
            return;
        }
        for &argument in arguments {
            out.push(' ');
            if out.len() > LONGEST || depth > DEEPEST {
                out.push_str("..");
                break;
            }
            self.abridge(self.symbol(argument), self.arguments(argument), symbols, depth + 1, out);
        }
        out.push(')');
    }
}

/// All ground atoms, each a relation with arguments.
#[derive(Clone, Debug, Default)]
pub struct Atoms {
    calls: Calls,
}

impl Atoms {
    /// Returns the atom, creating it if it does not exist.
    pub fn intern(&mut self, relation: RelationId, arguments: &[TermId]) -> AtomId {
        AtomId(self.calls.intern(relation.0, arguments).0)
    }

    /// Looks up an atom. Returns `None` if it does not exist.
    #[must_use]
    pub fn find(&self, relation: RelationId, arguments: &[TermId]) -> Option<AtomId> {
        self.calls.find(relation.0, arguments).map(AtomId)
    }

    /// Looks up the atoms of a relation with consecutive arguments, `arity` for each, and appends
    /// them: see [`Calls::find_all`].
    pub(crate) fn find_all(
        &self,
        relation: RelationId,
        arity: usize,
        arguments: &[TermId],
        found: &mut Vec<Option<u32>>,
    ) {
        self.calls.find_all(relation.0, arity, arguments, found);
    }

    /// The number of atoms.
    pub(crate) fn len(&self) -> usize {
        self.calls.len()
    }

    /// The bytes in use, if the hash table is two thirds full.
    pub(crate) fn bytes(&self) -> usize {
        self.calls.bytes()
    }

    /// The atom's relation.
    #[must_use]
    pub fn relation(&self, atom: AtomId) -> RelationId {
        RelationId(self.calls.head(atom.0))
    }

    /// The atom's arguments.
    #[must_use]
    pub fn arguments(&self, atom: AtomId) -> &[TermId] {
        self.calls.arguments(atom.0)
    }
}
