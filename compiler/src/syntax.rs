//! Parsing: from text to a tree with the place of each node.
//!
//! A [`Source`] becomes a [`Tree`] of symbols, variables and lists. The tree has the shape of KIF
//! for every [`Syntax`]: `kif` reads it, and `infix` and `epilog` translate their sentences. Each
//! node has its place in the original text.
//!
//! O(bytes of the text), at most [`Limits::max_source_bytes`](crate::Limits::max_source_bytes). The
//! tree has a node for each token, at most [`Limits::max_tokens`](crate::Limits::max_tokens).

use crate::diagnostic::{Diagnostic, Source, codes};

mod chunk;
pub(crate) mod dialect;
mod epilog;
mod expressions;
mod fence;
mod infix;
mod kif;
pub(crate) mod layout;
pub(crate) mod speech;
mod tokens;
mod tree;
pub(crate) mod writer;

pub use dialect::Syntax;
pub use kif::FOREIGN_COMMENTS;
pub use tree::{Kind, Node, NodeId, Tree};

/// Parses a rulesheet. Faults go to `diagnostics`; the tree holds the forms that could be read.
/// O(bytes).
pub fn parse(source: &Source, options: &crate::Options, diagnostics: &mut crate::Diagnostics) -> Tree {
    let limits = &options.limits;
    let length = source.text().len();
    if length > limits.max_source_bytes {
        let message = format!("the rulesheet has {length} bytes, more than {}", limits.max_source_bytes);
        diagnostics.push(
            Diagnostic::new(&codes::SOURCE_TOO_LARGE, None, message)
                .help("raise `max_source_bytes`, or split the game"),
        );
        return Tree { broken: true, ..Tree::default() };
    }
    let syntax = options.syntax.unwrap_or_else(|| Syntax::of(source.text()));
    let stripped = fence::strip(source).map(|(source, warning)| {
        diagnostics.push_as_is(warning);
        source
    });
    let source = stripped.as_ref().unwrap_or(source);
    let (tree, found) = match syntax {
        Syntax::Kif => kif::read(source, limits),
        Syntax::Infix => infix::read(source, limits),
        Syntax::Epilog => epilog::read(source, limits),
    };
    for diagnostic in found {
        diagnostics.push_as_is(diagnostic);
    }
    tree
}
