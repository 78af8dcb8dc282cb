//! Signs of other languages in infix GDL and Epilog: arrows, inequality and comments.
//!
//! Each is reported with its replacement, and the sentence goes on if it can. O(1) for each sign,
//! and O(line) for a comment.

use super::{ExpressionReader, What};
use crate::diagnostic::{Diagnostic, Span, codes};

impl ExpressionReader<'_> {
    /// Reports another sign for `:-`, and reads it as `:-`.
    pub(super) fn arrow(&mut self, span: Span) {
        let message = format!("expected `:-`, found `{}`", self.text(span));
        self.replace(Diagnostic::new(&codes::MISPLACED_SIGN, span, message).help("write `:-`"), ":-");
        self.infix(What::If, span);
    }

    /// Reports a disequality operator. The edit writes `distinct` if the right operand is a word
    /// and both operands are short.
    pub(super) fn differ(&mut self, span: Span) {
        /// The longest pair that a message repeats, in bytes.
        const LONGEST: u32 = 60;
        let text = self.source.text();
        let left = self.operands.last().filter(|_| self.ready).map(|&id| self.out.get(id).span);
        let right = text[span.end as usize..].trim_start_matches([' ', '\t']);
        let start = text.len() - right.len();
        let length = right.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(right.len());
        let right = Span::new(start, start + length);
        let fault = Diagnostic::new(
            &codes::MISPLACED_SIGN,
            span,
            format!("expected `distinct`, found `{}`", self.text(span)),
        );
        let is_short = |left: &Span| right.end - left.start <= LONGEST;
        self.lose(match left.filter(|left| left.end == self.end && length > 0 && is_short(left)) {
            Some(left) => {
                let pair = format!("distinct({}, {})", self.text(left), self.text(right));
                fault
                    .help(format!("write `{pair}`"))
                    .suggest(Span { start: left.start, end: right.end }, pair)
                    .machine_applicable()
            }
            None => fault.help("write `distinct(X, Y)` for terms that differ"),
        });
    }

    /// Reports a sign that begins a comment in other languages, and skips the rest of its line.
    pub(super) fn line_comment(&mut self, span: Span) {
        if self.ready {
            self.sentence();
        }
        let rest = &self.source.text()[span.start as usize..];
        self.skip = span.start + rest.find(['\n', '\r']).unwrap_or(rest.len()) as u32;
        let message = format!("`{}` does not begin a comment", self.text(span));
        let fault = Diagnostic::new(&codes::BLOCK_COMMENT, span, message);
        self.replace(fault.help("begin comments with `%`"), "%");
    }

    /// Reports a sign with its replacement.
    fn replace(&mut self, fault: Diagnostic, sign: &str) {
        let span = fault.span.unwrap_or_default();
        self.fault(fault.suggest(span, sign).machine_applicable());
    }

    /// True if a word begins with `//` where a sentence may begin.
    pub(super) fn begins_comment(&self, text: &str, span: Span) -> bool {
        text.starts_with("//") && (self.starts_line(span) || self.follows_call())
    }

    /// True if the current sentence is a call that may end here.
    pub(super) fn follows_call(&self) -> bool {
        let before = &self.source.text()[..self.end as usize];
        self.ready && !self.inside() && self.signs.is_empty() && before.ends_with(')')
    }
}
