//! Symbols that authors write in place of `<=`, such as `<-`, `if` and `=`.
//!
//! A name such as `<-` may be a relation of the author's own. It is an arrow if some form with it
//! cannot be a fact: one with a variable, or with a list that begins with a keyword. O(text), once.

use super::super::keywords::Word;
use super::Lowering;
use crate::diagnostic::{Diagnostic, Edit, codes};
use crate::syntax::{Kind, NodeId};

/// Symbols that authors write in place of `<=`, in lower case.
const ARROWS: [&str; 9] = ["<-", "<--", "<==", "<=-", "<", "=<", "=", ":=", "if"];

impl<'a> Lowering<'a> {
    /// Returns the symbols that this text uses as arrows, since some form with them cannot be a
    /// fact.
    pub(super) fn find_arrows(&self) -> Vec<&'static str> {
        let mut found = Vec::new();
        for &form in &self.tree.forms {
            if let [sign, literals @ ..] = self.tree.children(form)
                && let Some(arrow) = self.arrow(*sign)
                && !found.contains(&arrow)
                && (literals.len() > 1 && literals.iter().any(|&literal| self.is_no_term(literal)))
            {
                found.push(arrow);
            }
        }
        found
    }

    fn arrow(&self, sign: NodeId) -> Option<&'static str> {
        let text = self.text(sign);
        let is_symbol = self.tree.node(sign).kind == Kind::Symbol;
        ARROWS.into_iter().find(|arrow| is_symbol && arrow.eq_ignore_ascii_case(text))
    }

    /// True if the node cannot be an argument of a fact.
    fn is_no_term(&self, node: NodeId) -> bool {
        let mut waiting = vec![node];
        while let Some(node) = waiting.pop() {
            let children = self.tree.children(node);
            let is_keyword = children.first().is_some_and(|&name| Word::find(self.text(name)).is_some());
            if self.tree.node(node).kind == Kind::Variable || is_keyword {
                return true;
            }
            waiting.extend(children);
        }
        false
    }

    /// Reports a form that is a rule with another arrow than `<=`, and returns `None` for it.
    pub(super) fn check_arrow(&mut self, children: &[NodeId]) -> Option<()> {
        let [sign, literals @ ..] = children else { return Some(()) };
        if literals.is_empty() || !self.arrow(*sign).is_some_and(|arrow| self.arrows.contains(&arrow)) {
            return Some(());
        }
        let text = self.text(*sign);
        let message = format!("expected `<=`, found `{text}`");
        let span = self.span(*sign);
        let fault = Diagnostic::new(&codes::IMPLICATION_REVERSED, span, message)
            .help("write `(<= head body ..)`")
            .suggest(span, "<=");
        // Only after `if` may the body come first.
        let is_certain = !text.eq_ignore_ascii_case("if") || self.begins_with_head(literals);
        self.push(if is_certain { fault.machine_applicable() } else { fault });
        None
    }

    /// True if the first literal begins with a keyword of heads and no other one does.
    pub(super) fn begins_with_head(&self, literals: &[NodeId]) -> bool {
        let is_head = |&node: &NodeId| {
            let name = self.tree.children(node).first().copied().unwrap_or(node);
            matches!(
                Word::find(self.text(name)),
                Some(
                    Word::Init
                        | Word::Next
                        | Word::Legal
                        | Word::Goal
                        | Word::Terminal
                        | Word::Base
                        | Word::Input
                        | Word::Sees
                )
            )
        };
        literals.split_first().is_some_and(|(first, rest)| is_head(first) && !rest.iter().any(is_head))
    }

    /// Edits that make `(=> body head)` a rule, and true if they are certain. If the first literal
    /// must be a head, only the arrow is replaced.
    pub(super) fn turn(&self, node: NodeId) -> (Vec<Edit>, bool) {
        let [sign, literals @ ..] = self.tree.children(node) else { return (Vec::new(), false) };
        if self.span(node) != self.form || literals.len() < 2 {
            return (Vec::new(), false);
        }
        let write = |node: NodeId, text: &'a str| Edit { span: self.span(node), text: text.to_owned() };
        let arrow = write(*sign, "<=");
        if self.begins_with_head(literals) {
            return (vec![arrow], true);
        }
        let [body, head] = *literals else { return (Vec::new(), false) };
        if self.text(*sign).starts_with('<') {
            return (Vec::new(), false);
        }
        let edits = vec![arrow, write(body, self.text(head)), write(head, self.text(body))];
        (edits, self.begins_with_head(&[head, body]))
    }
}
