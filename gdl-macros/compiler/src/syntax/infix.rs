//! Statements of infix GDL as forms of KIF.
//!
//! `head(X) :- p(X, y) & ~q(X)` is how Prolog and the Herbrand rule format write `(<= (head ?X) (p ?X y) (not (q ?X)))`. Words that begin
//! with a capital or `_` are variables there. What is read is one statement after the other from a place on, up to the first that is none;
//! nothing is guessed. O(bytes read), no deeper than [`DEEPEST`].

use crate::diagnostic::{Edit, Span};
use std::fmt::Write;

/// Lists inside each other at most.
const DEEPEST: usize = 64;

/// The edits that write the statements from `start` on in KIF; none if the first is no infix statement.
pub(super) fn translate(text: &str, start: usize) -> Vec<Edit> {
    let mut reader = Reader { text, at: start, form: String::new(), blanks: 0 };
    let mut edits = Vec::new();
    loop {
        reader.skip();
        let begin = reader.at;
        // A parenthesis begins a form as it should be, with which the reading goes on.
        if reader.peek().is_none_or(|c| c == '(') {
            return edits;
        }
        reader.form.clear();
        if reader.statement().is_none() {
            return edits;
        }
        edits.push(Edit { span: Span::new(begin, reader.at), text: std::mem::take(&mut reader.form) });
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    /// What was read, in KIF.
    form: String,
    /// How many variables without a name there were.
    blanks: usize,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Passes white space and comments of either language.
    fn skip(&mut self) {
        loop {
            let rest = self.rest();
            let code = rest.trim_start();
            self.at += rest.len() - code.len();
            if !code.starts_with([';', '%']) {
                return;
            }
            self.at += code.find(['\n', '\r']).unwrap_or(code.len());
        }
    }

    /// Takes one of some signs, whatever white space is before it.
    fn take(&mut self, signs: &[&str]) -> bool {
        let before = self.at;
        self.skip();
        match signs.iter().find(|sign| self.rest().starts_with(**sign)) {
            Some(sign) => self.at += sign.len(),
            None => self.at = before,
        }
        self.at > before
    }

    /// A fact or rule, with the full stop behind it if there is one.
    fn statement(&mut self) -> Option<()> {
        self.sentence()?;
        let is_rule = self.take(&[":-", "<=", "<-"]);
        if is_rule {
            self.form.insert_str(0, "(<= ");
            loop {
                self.form.push(' ');
                let is_negated = self.take(&["~", "\\+"]);
                self.form.push_str(if is_negated { "(not " } else { "" });
                self.skip();
                self.sentence()?;
                self.form.push_str(if is_negated { ")" } else { "" });
                if !self.take(&["&", ","]) {
                    break;
                }
            }
            self.form.push(')');
        }
        let is_closed = self.take(&["."]);
        let rest = self.rest().trim_start_matches([' ', '\t']);
        let is_alone = is_closed || rest.is_empty() || rest.starts_with(['\n', '\r', ';', '%']);
        // A word alone may be prose.
        (is_alone && (is_rule || self.form.starts_with('('))).then_some(())
    }

    /// An atom that may hold: no variable.
    fn sentence(&mut self) -> Option<()> {
        let start = self.form.len();
        self.atom(DEEPEST)?;
        (!self.form[start..].starts_with('?')).then_some(())
    }

    /// `name` or `name(term, ..)`; what is no variable there is none here.
    fn atom(&mut self, depth: usize) -> Option<()> {
        let rest = self.rest();
        let word =
            &rest[..rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len())];
        self.at += word.len();
        let is_variable = word.starts_with(|c: char| c.is_ascii_uppercase() || c == '_');
        if self.peek() != Some('(') {
            if word == "_" {
                self.blanks += 1;
                write!(self.form, "?_{}", self.blanks).ok()?;
            } else if word.is_empty() {
                return None;
            } else {
                self.form.push_str(if is_variable { "?" } else { "" });
                self.form.push_str(word);
            }
            return Some(());
        }
        if word.is_empty() || is_variable {
            return None;
        }
        self.at += 1;
        self.form.push('(');
        self.form.push_str(word);
        loop {
            self.form.push(' ');
            self.skip();
            self.atom(depth.checked_sub(1)?)?;
            if self.take(&[")"]) {
                self.form.push(')');
                return Some(());
            }
            if !self.take(&[","]) {
                return None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::translate;

    #[track_caller]
    fn assert_translated(text: &str, forms: &[&str]) {
        let edits = translate(text, 0);
        let found: Vec<&str> = edits.iter().map(|edit| edit.text.as_str()).collect();
        assert_eq!(found, forms, "{text}");
    }

    #[test]
    fn statements_become_forms() {
        assert_translated("role(white).", &["(role white)"]);
        assert_translated("terminal :- true(pile(0))", &["(<= terminal (true (pile 0)))"]);
        assert_translated(
            "legal(X, take(N)) :-\n  true(control(X)) & % whose turn\n  ~p(_, _Y), \\+ q(_)\n& not(r(N)) .\n",
            &["(<= (legal ?X (take ?N)) (true (control ?X)) (not (p ?_1 ?_Y)) (not (q ?_2)) (not (r ?N)))"],
        );
        assert_translated("a(1)\nb(2). ; c\nc(3) (d 4) e(5)", &["(a 1)", "(b 2)"]);
    }

    #[test]
    fn what_is_no_statement_is_left_alone() {
        for text in [
            "",
            "(p 1)",
            "p(",
            "p(1",
            "p()",
            "p(1 2)",
            "P(1)",
            "p(1) :-",
            "p(1) :- ~",
            "p(é)",
            ":- p(1)",
            "?x",
            "word",
            "X :- p(X)",
            "p(X) :- q(Y), X is Y+1.",
            "p(1) is q(2)",
        ] {
            assert_translated(text, &[]);
        }
        let deep = format!("{}x{}", "f(".repeat(1_000_000), ")".repeat(1_000_000));
        assert_translated(&deep, &[]);
    }
}
