//! Reasons why a ground atom holds or not in the initial state, at most two rules deep.
//!
//! The evaluator answers with little fuel, so that no hover is slow; `gdl why` gives longer
//! explanations. A fluent is explained by the rules of `init`. The relations of a step (`next`,
//! `does`, `sees`) have no value in the initial state.

use crate::document::Document;
use gdl_compiler::{
    Limits, Rules, Span,
    eval::{Evaluator, Explanation, Literal, Reason},
    syntax::{Kind, NodeId},
};
use std::fmt::Write;

/// The fuel of the evaluator for an answer: some milliseconds.
const FUEL: u64 = 300_000;

/// The maximum depth of nested rules in an answer.
const DEPTH: usize = 2;

/// The most premises or failed attempts that an answer lists for one atom.
const LISTED: usize = 5;

/// Explains the literal at a node, as Markdown. Returns `None` if it is a fact, not ground, or has
/// no value in the initial state.
pub(crate) fn why(document: &Document, literal: NodeId) -> Option<String> {
    let tree = &document.reading().tree;
    let rules = document.reading().rules.as_ref()?;
    // A fact needs no explanation.
    if tree.forms.binary_search(&literal).is_ok() {
        return None;
    }
    let mut waiting = vec![literal];
    while let Some(node) = waiting.pop() {
        if tree.node(node).kind == Kind::Variable {
            return None;
        }
        waiting.extend(tree.children(node));
    }
    let word = tree.children(literal).first().copied().unwrap_or(literal);
    let word = tree.text(word, &document.source).to_ascii_lowercase();
    if ["next", "does", "sees", "role", "base", "input", "init", "<=", "not", "or", "distinct"]
        .contains(&&*word)
    {
        return None;
    }
    let written = tree.text(literal, &document.source);
    let atom = match (word.as_str(), tree.children(literal)) {
        ("true", [_, fluent]) => format!("(init {})", tree.text(*fluent, &document.source)),
        _ => written.to_owned(),
    };
    let evaluator = Evaluator::with_limits(rules, &Limits { fuel: FUEL, ..Limits::network() }).ok()?;
    let state = evaluator.initial().ok()?;
    let explanation = evaluator.explain(&atom, &state, None, DEPTH).ok()?;
    let verdict = if explanation.holds { "holds" } else { "does not hold" };
    let words = written.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut page = Page { document, rules, text: format!("At the start `{words}` {verdict}") };
    page.reason(&explanation, 0);
    Some(page.text.trim_end().to_owned())
}

struct Page<'d> {
    document: &'d Document,
    rules: &'d Rules,
    text: String,
}

impl Page<'_> {
    fn line(&self, span: Span) -> usize {
        self.document.source.line_of(span.start)
    }

    fn end(&mut self, remark: &str) {
        self.text.push_str(remark);
        self.text.push('\n');
    }

    /// Completes the line of an atom, and lists its premises or its failed attempts below.
    fn reason(&mut self, explanation: &Explanation, level: usize) {
        match &explanation.reason {
            Reason::Given | Reason::Deeper => self.end(""),
            Reason::Rule { rule, premises } => {
                let line = self.line(self.rules.rules[*rule].head.span);
                let fact = if premises.is_empty() { "a fact" } else { "by the rule" };
                self.end(&format!(": {fact} in line {line}"));
                for premise in premises.iter().take(LISTED) {
                    self.literal(premise, true, level);
                }
                self.more(premises.len(), level);
            }
            Reason::None(attempts) if attempts.is_empty() => self.end(": no rule can give it"),
            Reason::None(attempts) => {
                self.end("");
                for attempt in attempts.iter().take(LISTED) {
                    let line = self.line(self.rules.rules[attempt.rule].head.span);
                    let indent = "  ".repeat(level);
                    let _ = writeln!(self.text, "{indent}- the rule in line {line} does not give it, since");
                    self.literal(&attempt.fails, false, level + 1);
                }
                self.more(attempts.len(), level);
            }
        }
    }

    fn more(&mut self, count: usize, level: usize) {
        if count > LISTED {
            let _ = writeln!(self.text, "{}- and {} more", "  ".repeat(level), count - LISTED);
        }
    }

    fn literal(&mut self, literal: &Literal, holds: bool, level: usize) {
        let verdict = if holds { "holds" } else { "does not hold" };
        let _ = write!(self.text, "{}- `{}` {verdict}", "  ".repeat(level), literal.text);
        match &literal.why {
            // Only a positive atom is explained: the atom of a negated literal has the opposite
            // value.
            Some(why) if why.holds == holds => self.reason(why, level + 1),
            _ => self.end(""),
        }
    }
}
