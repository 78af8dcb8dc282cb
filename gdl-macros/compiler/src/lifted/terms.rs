//! Ground terms as numbers, in two parts: those of the game, which all threads share, and those that
//! come up while a state is evaluated, which are forgotten with it.
//!
//! In come symbols and arguments, out go [`Id`]s; equal terms have equal ids. Every term that exists
//! respects the limits on depth and size.

use super::Stop;
use crate::{
    Limits,
    rules::{Symbol, Symbols},
};
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::{hash::Hasher, sync::Arc};

/// A ground term.
pub(super) type Id = u32;

/// No term.
pub(super) const NONE: Id = Id::MAX;

/// Terms by number.
#[derive(Clone, Debug, Default)]
struct Arena {
    symbols: Vec<u32>,
    /// Where the arguments of each term end in `arguments`.
    ends: Vec<u32>,
    arguments: Vec<Id>,
    /// Depth, one for a constant, and symbols written out.
    extents: Vec<(u32, u32)>,
    table: HashTable<u32>,
}

impl Arena {
    fn arguments(&self, place: usize) -> &[Id] {
        let start = if place == 0 { 0 } else { self.ends[place - 1] as usize };
        &self.arguments[start..self.ends[place] as usize]
    }

    fn find(&self, hash: u64, symbol: u32, arguments: &[Id]) -> Option<u32> {
        let equal = |&i: &u32| self.symbols[i as usize] == symbol && self.arguments(i as usize) == arguments;
        self.table.find(hash, equal).copied()
    }
}

/// All ground terms met so far, each once.
#[derive(Clone, Debug, Default)]
pub(super) struct Terms {
    fixed: Arc<Arena>,
    /// The others; the first one's id is the number of the fixed ones.
    own: Arena,
    max_depth: u32,
    max_size: u32,
}

fn hash(symbol: u32, arguments: &[Id]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u32(symbol);
    for &argument in arguments {
        hasher.write_u32(argument);
    }
    hasher.finish()
}

impl Terms {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            fixed: Arc::default(),
            own: Arena::default(),
            max_depth: u32::try_from(limits.max_term_depth).unwrap_or(u32::MAX),
            max_size: u32::try_from(limits.max_term_size).unwrap_or(u32::MAX),
        }
    }

    /// Makes all terms fixed ones.
    pub(super) fn fix(&mut self) {
        debug_assert!(self.fixed.symbols.is_empty(), "terms are fixed once");
        self.fixed = Arc::new(std::mem::take(&mut self.own));
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.fixed.symbols.len() + self.own.symbols.len()
    }

    /// How many are fixed.
    pub(super) fn n_fixed(&self) -> usize {
        self.fixed.symbols.len()
    }

    /// Forgets all terms but the first `len`, which include the fixed ones.
    pub(super) fn truncate(&mut self, len: usize) {
        let keep = len - self.fixed.symbols.len();
        let own = &mut self.own;
        if keep == own.symbols.len() {
            return;
        }
        own.table.retain(|&mut i| (i as usize) < keep);
        own.symbols.truncate(keep);
        own.extents.truncate(keep);
        own.ends.truncate(keep);
        own.arguments.truncate(own.ends.last().map_or(0, |&end| end as usize));
    }

    /// The place of a term in its arena.
    fn place(&self, id: Id) -> (&Arena, usize) {
        let (id, fixed) = (id as usize, self.fixed.symbols.len());
        if id < fixed { (&self.fixed, id) } else { (&self.own, id - fixed) }
    }

    pub(super) fn symbol(&self, id: Id) -> u32 {
        let (arena, place) = self.place(id);
        arena.symbols[place]
    }

    pub(super) fn arguments(&self, id: Id) -> &[Id] {
        let (arena, place) = self.place(id);
        arena.arguments(place)
    }

    /// The term, if it was ever met.
    pub(super) fn find(&self, symbol: u32, arguments: &[Id]) -> Option<Id> {
        let hash = hash(symbol, arguments);
        let own = || {
            let place = self.own.find(hash, symbol, arguments)?;
            Some(self.fixed.symbols.len() as u32 + place)
        };
        self.fixed.find(hash, symbol, arguments).or_else(own)
    }

    /// The term, new if need be.
    pub(super) fn intern(&mut self, symbol: u32, arguments: &[Id]) -> Result<Id, Stop> {
        if let Some(id) = self.find(symbol, arguments) {
            return Ok(id);
        }
        let (mut depth, mut size) = (0, 1_u32);
        for &argument in arguments {
            let (arena, place) = self.place(argument);
            let (inner, symbols) = arena.extents[place];
            depth = depth.max(inner);
            size = size.saturating_add(symbols);
        }
        if depth >= self.max_depth || size > self.max_size {
            return Err(Stop::Term);
        }
        let own = &mut self.own;
        let place = own.symbols.len();
        own.symbols.push(symbol);
        own.arguments.extend_from_slice(arguments);
        own.ends.push(own.arguments.len() as u32);
        own.extents.push((depth + 1, size));
        let mut table = std::mem::take(&mut own.table);
        table.insert_unique(hash(symbol, arguments), place as u32, |&i| {
            hash(own.symbols[i as usize], own.arguments(i as usize))
        });
        own.table = table;
        Ok((self.fixed.symbols.len() + place) as Id)
    }

    /// For each term the length of its text, saturating. O(terms).
    pub(super) fn lengths(&self, symbols: &Symbols) -> Vec<usize> {
        let mut lengths: Vec<usize> = Vec::with_capacity(self.len());
        for id in 0..self.len() as Id {
            let (name, arguments) = (symbols.name(Symbol(self.symbol(id))).len(), self.arguments(id));
            let brackets = if arguments.is_empty() { 0 } else { 2 };
            let inner = arguments.iter().map(|&argument| lengths[argument as usize].saturating_add(1));
            lengths.push(inner.fold(name + brackets, usize::saturating_add));
        }
        lengths
    }

    /// The term as KIF text. Recurses no deeper than the limit on depth.
    pub(super) fn text(&self, id: Id, symbols: &Symbols) -> String {
        let mut out = String::new();
        self.write(id, symbols, &mut out);
        out
    }

    fn write(&self, id: Id, symbols: &Symbols, out: &mut String) {
        let (name, arguments) = (symbols.name(Symbol(self.symbol(id))), self.arguments(id));
        if arguments.is_empty() {
            out.push_str(name);
            return;
        }
        out.push('(');
        out.push_str(name);
        for &argument in arguments {
            out.push(' ');
            self.write(argument, symbols, out);
        }
        out.push(')');
    }
}
