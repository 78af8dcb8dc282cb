//! Ground terms: interned ids inside the evaluator, KIF text outside.
//!
//! Two terms have the same [`Id`] if and only if they are equal. A [`Term`] prints as KIF. Every
//! interned term respects the limits on depth and size.

use super::EvalError;
use crate::rules::Symbols;
use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::Arc;

/// A ground term as KIF text, with single spaces and symbols as first spelled. Terms are ordered by
/// the bytes of that text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(Arc<str>);

impl Term {
    /// The KIF text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The number of a ground term in [`InternedTerms`].
pub(super) type Id = u32;

struct TermNode {
    /// The symbol followed by the arguments, if there are any.
    key: Box<[u32]>,
    /// The depth; 1 for a constant.
    depth: usize,
    /// The number of symbols of the term as a tree.
    size: usize,
    text: Option<Term>,
}

/// The interned ground terms.
pub(super) struct InternedTerms {
    nodes: Vec<TermNode>,
    ids: FxHashMap<Box<[u32]>, Id>,
    by_text: FxHashMap<Term, Id>,
    max_depth: usize,
    max_size: usize,
}

impl InternedTerms {
    pub(super) fn new(max_depth: usize, max_size: usize) -> Self {
        Self {
            nodes: Vec::new(),
            ids: FxHashMap::default(),
            by_text: FxHashMap::default(),
            max_depth,
            max_size,
        }
    }

    /// Returns the id of the term with this key, and interns it if it is new.
    pub(super) fn intern(&mut self, key: &[u32]) -> Result<Id, EvalError> {
        if let Some(&id) = self.ids.get(key) {
            return Ok(id);
        }
        let (mut depth, mut size) = (0, 1_usize);
        for &argument in &key[1..] {
            let node = &self.nodes[argument as usize];
            depth = depth.max(node.depth);
            size = size.saturating_add(node.size);
        }
        if depth >= self.max_depth {
            return Err(EvalError::TermDepth { limit: self.max_depth });
        }
        if size > self.max_size {
            return Err(EvalError::TermSize { limit: self.max_size });
        }
        let id = self.nodes.len() as Id;
        self.nodes.push(TermNode { key: key.into(), depth: depth + 1, size, text: None });
        self.ids.insert(key.into(), id);
        Ok(id)
    }

    /// Returns the id of the term with this key, if it is interned.
    pub(super) fn find(&self, key: &[u32]) -> Option<Id> {
        self.ids.get(key).copied()
    }

    /// The symbol and the arguments of a term.
    pub(super) fn key(&self, id: Id) -> &[u32] {
        &self.nodes[id as usize].key
    }

    /// Returns the term as KIF text, which is cached.
    pub(super) fn term(&mut self, symbols: &Symbols, id: Id) -> Term {
        if let Some(text) = &self.nodes[id as usize].text {
            return text.clone();
        }
        let mut text = String::new();
        self.write(symbols, id, &mut text);
        let term = Term(text.into());
        self.nodes[id as usize].text = Some(term.clone());
        self.by_text.insert(term.clone(), id);
        term
    }

    fn write(&self, symbols: &Symbols, id: Id, out: &mut String) {
        let node = &self.nodes[id as usize];
        let (symbol, arguments) = (node.key[0], &node.key[1..]);
        let name = symbols.name(crate::rules::Symbol(symbol));
        if arguments.is_empty() {
            out.push_str(name);
            return;
        }
        out.push('(');
        out.push_str(name);
        for &argument in arguments {
            out.push(' ');
            self.write(symbols, argument, out);
        }
        out.push(')');
    }

    /// Returns the id of a term that need not come from this evaluator.
    pub(super) fn id(&mut self, symbols: &Symbols, term: &Term) -> Result<Id, EvalError> {
        match self.by_text.get(term) {
            Some(&id) => Ok(id),
            None => self.parse(symbols, term.as_str()),
        }
    }

    /// Parses one ground term. A name that the rules do not use is an error.
    pub(super) fn parse(&mut self, symbols: &Symbols, text: &str) -> Result<Id, EvalError> {
        let wrong = || EvalError::NotATerm { text: text.chars().take(80).collect() };
        let spaced = text.replace('(', " ( ").replace(')', " ) ");
        // The keys of open parentheses, outermost first; each is empty until its symbol is read.
        let mut open: Vec<Vec<u32>> = Vec::new();
        let mut whole = None;
        for token in spaced.split_ascii_whitespace() {
            if whole.is_some() {
                return Err(wrong());
            }
            let complete = match token {
                "(" => {
                    open.push(Vec::new());
                    continue;
                }
                ")" => open.pop().filter(|key| !key.is_empty()).ok_or_else(wrong)?,
                name => {
                    let symbol = symbols.find(name).ok_or_else(wrong)?.0;
                    if let Some(key) = open.last_mut().filter(|key| key.is_empty()) {
                        key.push(symbol);
                        continue;
                    }
                    vec![symbol]
                }
            };
            let id = self.intern(&complete)?;
            match open.last_mut() {
                None => whole = Some(id),
                Some(key) if key.is_empty() => return Err(wrong()),
                Some(key) => key.push(id),
            }
        }
        whole.filter(|_| open.is_empty()).ok_or_else(wrong)
    }
}
