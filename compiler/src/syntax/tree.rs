//! Rulesheets as trees of symbols, variables and lists.

use super::dialect::Syntax;
use crate::diagnostic::{Source, Span};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The largest value of [`Limits::max_nesting`](crate::Limits::max_nesting) that has an effect,
/// since the passes recurse over terms.
pub(super) const MOST_NESTING: usize = 4_000;

/// The index of a node of a [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// The kind of a node: symbol, variable or list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A name; [`Tree::text`] returns it.
    Symbol,
    /// A name that starts with `?`.
    Variable,
    /// A list; the range indexes [`Tree::children`].
    List(Range<u32>),
}

/// A node and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The kind.
    pub kind: Kind,
    /// The place; that of a list includes its parentheses.
    pub span: Span,
}

/// A rulesheet as a tree of nodes.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    pub(super) nodes: Vec<Node>,
    pub(super) children: Vec<NodeId>,
    /// The top-level forms, in the order of the text.
    pub forms: Vec<NodeId>,
    /// Every comment, without its semicolon, in the order of the text.
    pub comments: Vec<Span>,
    /// True if part of the text could not be read, so that definitions that seem missing may be in
    /// that part.
    pub broken: bool,
    /// The syntax of the text.
    pub syntax: Syntax,
    /// The names that were given to nodes, in place of the texts of their spans.
    pub(super) names: FxHashMap<NodeId, Box<str>>,
}

impl Tree {
    /// Returns the node with an id of this tree.
    #[must_use]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// The elements of a list; none for a symbol or variable.
    #[must_use]
    pub fn children(&self, id: NodeId) -> &[NodeId] {
        match &self.node(id).kind {
            Kind::List(range) => &self.children[range.start as usize..range.end as usize],
            Kind::Symbol | Kind::Variable => &[],
        }
    }

    /// All nodes, the elements of a list before the list.
    pub(crate) fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// The symbols of the text, in its order.
    pub(crate) fn symbols(&self) -> impl Iterator<Item = NodeId> {
        self.ids().filter(|&id| self.node(id).kind == Kind::Symbol)
    }

    /// Returns the name that was given to the node, or otherwise the text of its span in `source`.
    #[must_use]
    pub fn text<'s>(&'s self, id: NodeId, source: &'s Source) -> &'s str {
        self.names.get(&id).map_or_else(|| source.slice(self.node(id).span), AsRef::as_ref)
    }

    /// Replaces the name that [`Tree::text`] returns for a symbol.
    pub(crate) fn rename(&mut self, id: NodeId, name: &str) {
        self.names.insert(id, name.into());
    }

    /// Adds a symbol or variable with a name that may differ from the text of its span.
    pub(super) fn add(&mut self, kind: Kind, name: &str, span: Span) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(Node { kind, span });
        self.names.insert(id, name.into());
        id
    }

    /// Adds a list of nodes of this tree.
    pub(super) fn list(&mut self, elements: &[NodeId], span: Span) -> NodeId {
        let first = self.children.len() as u32;
        self.children.extend_from_slice(elements);
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(Node { kind: Kind::List(first..self.children.len() as u32), span });
        id
    }
}
