//! KIF text to a spanned tree.
//!
//! In comes a [`Source`], out a [`Tree`] of symbols, variables and lists. The pest grammar
//! (`kif.pest`) only cuts the text into tokens; an explicit stack builds the tree, and the tree is
//! an arena, so nothing here recurses and no depth of parentheses can overflow the stack. Faults
//! are reported and the tree goes on at the next form.

use crate::diagnostic::{Source, Span};
use std::ops::Range;

#[derive(pest_derive::Parser)]
#[grammar = "kif.pest"]
struct Kif;

/// A node of a [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// What a node is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A name; its text is that of the span.
    Symbol,
    /// A name that starts with `?`.
    Variable,
    /// A list; the range indexes [`Tree::children`].
    List(Range<u32>),
}

/// A node and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// What it is.
    pub kind: Kind,
    /// Where it is; lists include their parentheses.
    pub span: Span,
}

/// The forms of a rulesheet.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    nodes: Vec<Node>,
    children: Vec<NodeId>,
    /// The top-level forms, in the order of the text.
    pub forms: Vec<NodeId>,
    /// Every comment, without its semicolon, in the order of the text.
    pub comments: Vec<Span>,
}

impl Tree {
    /// The node of an id.
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

    /// The node's text in `source`.
    #[must_use]
    pub fn text<'s>(&self, id: NodeId, source: &'s Source) -> &'s str {
        source.slice(self.node(id).span)
    }
}

/// Parses a rulesheet. Faults go to `diagnostics`; the tree holds the forms that could be read.
/// O(bytes).
pub fn parse(source: &Source, options: &crate::Options, diagnostics: &mut crate::Diagnostics) -> Tree {
    let _ = (source, options, diagnostics);
    todo!()
}
