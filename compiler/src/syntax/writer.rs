//! Writing of the nodes of a tree in another syntax.
//!
//! [`Writer::infix`] writes a form as a sentence of infix GDL, [`Writer::kif`] as a list. `rename`
//! returns the text of each name and variable. Both methods recurse as deep as the tree, which is
//! no deeper than [`Limits::max_nesting`](crate::Limits::max_nesting). O(bytes written).

use super::tree::{Kind, NodeId, Tree};
use crate::Source;

/// The prefix of the names of anonymous variables. No word contains its apostrophe.
pub(crate) const BLANK: &str = "_'";

/// A tree, its text, and the renaming of its names.
pub(crate) struct Writer<'t, R> {
    pub(crate) tree: &'t Tree,
    pub(crate) source: &'t Source,
    pub(crate) rename: R,
}

impl<R: FnMut(&Kind, &str) -> String> Writer<'_, R> {
    fn name(&mut self, node: NodeId) -> String {
        (self.rename)(&self.tree.node(node).kind, self.tree.text(node, self.source))
    }

    /// Writes a node as a list, word or variable of KIF.
    pub(crate) fn kif(&mut self, node: NodeId, out: &mut String) {
        if !matches!(self.tree.node(node).kind, Kind::List(_)) {
            out.push_str(&self.name(node));
            return;
        }
        out.push('(');
        for (i, &child) in self.tree.children(node).iter().enumerate() {
            if i > 0 {
                out.push(' ');
            }
            self.kif(child, out);
        }
        out.push(')');
    }

    /// Writes a node as a sentence, literal or term of infix GDL.
    pub(crate) fn infix(&mut self, node: NodeId, out: &mut String) {
        let children = self.tree.children(node);
        let Some((&first, rest)) = children.split_first() else {
            if matches!(self.tree.node(node).kind, Kind::List(_)) {
                out.push_str("()");
            } else {
                out.push_str(&self.name(node));
            }
            return;
        };
        let word = self.tree.text(first, self.source).to_ascii_lowercase();
        match (word.as_str(), rest) {
            ("<=", [head]) => self.infix(*head, out),
            ("<=", [head, body @ ..]) => {
                self.infix(*head, out);
                out.push_str(" :- ");
                self.joined(body, " & ", out);
            }
            ("not", [inner]) => {
                out.push('~');
                self.infix(*inner, out);
            }
            ("or", [_, _, ..]) => {
                out.push('(');
                self.joined(rest, " | ", out);
                out.push(')');
            }
            ("or", [inner]) => self.infix(*inner, out),
            _ => {
                self.infix(first, out);
                if !rest.is_empty() {
                    out.push('(');
                    self.joined(rest, ", ", out);
                    out.push(')');
                }
            }
        }
    }

    fn joined(&mut self, nodes: &[NodeId], sign: &str, out: &mut String) {
        for (i, &node) in nodes.iter().enumerate() {
            if i > 0 {
                out.push_str(sign);
            }
            self.infix(node, out);
        }
    }
}

/// Returns the name of a variable of KIF in infix GDL, without its question mark. It begins with a
/// capital letter or `_`.
pub(crate) fn capital(variable: &str) -> String {
    let name = variable.trim_start_matches('?');
    // Each anonymous variable differs from all others.
    if name.starts_with(BLANK) {
        return "_".to_owned();
    }
    let name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    match name.bytes().next() {
        Some(b'a'..=b'z') => name[..1].to_ascii_uppercase() + &name[1..],
        Some(b'A'..=b'Z') => name,
        // Each `_` alone would be a different variable.
        Some(b'_') if name.len() > 1 => name,
        _ => format!("V{name}"),
    }
}
