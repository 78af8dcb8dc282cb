//! The formatter of infix GDL and Epilog, from text to text.
//!
//! A sentence that fits takes one line. Others have their head on the first line. Each literal has
//! a line of its own, followed by the sign that joins it to the next, and `==>` comes before
//! effects. Facts that share a line stay on it, and one of several consecutive blank lines stays.
//! The tokens and comments are those of the source in the same order, without full stops.
//! Formatting again changes nothing. O(bytes).

use super::{
    dialect::Syntax,
    expressions::{Expressions, What, read},
    tokens::{Token, tokens},
};
use crate::diagnostic::{Diagnostic, Source, Span};
use crate::limits::Limits;
use std::fmt::Write as _;

/// The most columns of a sentence on one line.
const WIDTH: usize = 100;

/// A token or comment, in a sentence or between two.
struct Piece<'s> {
    text: &'s str,
    is_comment: bool,
    /// The number of line ends before it.
    lines: usize,
}

/// Formats a text, or returns its faults.
pub(crate) fn layout(source: &Source, syntax: Syntax, limits: &Limits) -> Result<String, Vec<Diagnostic>> {
    let expressions = read(source, syntax, limits);
    if expressions.broken {
        return Err(expressions.found);
    }
    let mut writer = LayoutWriter { text: String::new(), line: 0 };
    let mut next = 0;
    let mut pieces: Vec<Piece<'_>> = Vec::new();
    // The end of the last piece, and true if the sentence before is a fact.
    let (mut last, mut fact) = (0, false);
    for (token, mut span) in tokens(source.text()) {
        while let Some(sentence) = sentence(&expressions, next)
            && sentence.end <= span.start
        {
            let is_fact = is_fact(&expressions, next);
            writer.sentence(&pieces, fact && is_fact);
            pieces.clear();
            fact = is_fact;
            next += 1;
        }
        let lines = line_ends(source.slice(Span { start: last, end: span.start }));
        let inside = sentence(&expressions, next).filter(|sentence| sentence.start < span.end);
        if let Some(sentence) = inside {
            span = Span { start: span.start.max(sentence.start), end: span.end.min(sentence.end) };
        } else if token != Token::Comment {
            // Full stops are dropped.
            continue;
        }
        last = span.end;
        let text = source.slice(span).trim_end_matches([' ', '\t', '\u{0C}', '\u{0B}']);
        let piece = Piece { text, is_comment: token == Token::Comment, lines };
        if inside.is_some() {
            pieces.push(piece);
        } else {
            writer.comment(&piece);
            fact = false;
        }
    }
    if !pieces.is_empty() {
        writer.sentence(&pieces, fact && is_fact(&expressions, next));
    }
    if !writer.text.is_empty() {
        writer.text.push('\n');
    }
    Ok(writer.text)
}

fn sentence(expressions: &Expressions, number: usize) -> Option<Span> {
    expressions.places.get(number).copied()
}

fn is_fact(expressions: &Expressions, number: usize) -> bool {
    matches!(expressions.get(expressions.sentences[number]).what, What::Name | What::Call)
}

/// The number of line ends in a text, CR LF counted as one.
fn line_ends(text: &str) -> usize {
    let bytes = text.as_bytes();
    let ends =
        |(i, &byte): (usize, &u8)| byte == b'\n' || (byte == b'\r' && bytes.get(i + 1) != Some(&b'\n'));
    bytes.iter().enumerate().filter(|&pair| ends(pair)).count()
}

struct LayoutWriter {
    text: String,
    /// The start of the current line.
    line: usize,
}

impl LayoutWriter {
    fn line(&mut self, indent: usize) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.line = self.text.len();
        self.text.extend(std::iter::repeat_n(' ', indent));
    }

    /// Starts a line for an item with this number of line ends before it. Several line ends become
    /// one blank line.
    fn start(&mut self, lines: usize) {
        if lines > 1 && !self.text.is_empty() {
            self.text.push('\n');
        }
        self.line(0);
    }

    fn comment(&mut self, piece: &Piece<'_>) {
        if piece.lines == 0 && !self.text.is_empty() {
            self.text.push(' ');
        } else {
            self.start(piece.lines);
        }
        self.text.push_str(piece.text);
    }

    /// Writes a sentence. It shares the current line if `may_join` is true, no line end is before
    /// it in the source, and it fits.
    fn sentence(&mut self, pieces: &[Piece<'_>], may_join: bool) {
        let Some(first) = pieces.first() else { return };
        let flat = if pieces.iter().any(|piece| piece.is_comment) { None } else { Some(flat(pieces)) };
        let flat = flat.filter(|text| text.len() <= WIDTH);
        if let Some(text) = &flat
            && may_join
            && first.lines == 0
            && self.text.len() - self.line + 1 + text.len() <= WIDTH
        {
            let _ = write!(self.text, " {text}");
            return;
        }
        self.start(first.lines);
        match flat {
            Some(text) => self.text.push_str(&text),
            None => self.broken(pieces),
        }
    }

    fn broken(&mut self, pieces: &[Piece<'_>]) {
        let mut depth = 0_usize;
        let mut before: Option<&str> = None;
        for piece in pieces {
            if piece.is_comment {
                if piece.lines == 0 {
                    self.text.truncate(self.text.trim_end_matches([' ', '\n']).len());
                    self.text.push(' ');
                } else if before.is_some() {
                    self.line(4);
                }
                self.text.push_str(piece.text);
                self.line(4);
                before = None;
                continue;
            }
            if piece.text == "==>" && depth == 0 {
                self.text.truncate(self.text.trim_end_matches([' ', '\n']).len());
                self.line(2);
                self.text.push_str("==> ");
                before = None;
                continue;
            }
            if before.is_some_and(|before| is_spaced(before, piece.text)) {
                self.text.push(' ');
            }
            self.text.push_str(piece.text);
            match piece.text {
                "(" => depth += 1,
                ")" => depth = depth.saturating_sub(1),
                _ => {}
            }
            before = Some(piece.text);
            if depth == 0 && matches!(piece.text, ":-" | "::" | "&" | "|") {
                self.line(4);
                before = None;
            }
        }
        self.text.truncate(self.text.trim_end_matches([' ', '\n']).len());
    }
}

fn flat(pieces: &[Piece<'_>]) -> String {
    let mut text = String::new();
    let mut before: Option<&str> = None;
    for piece in pieces {
        if before.is_some_and(|before| is_spaced(before, piece.text)) {
            text.push(' ');
        }
        text.push_str(piece.text);
        before = Some(piece.text);
    }
    text
}

/// Returns whether a space separates two tokens.
fn is_spaced(before: &str, behind: &str) -> bool {
    let is_sign = |text: &str| matches!(text, ":-" | "::" | ":=" | "==>" | "&" | "|" | "!" | ",");
    match (before, behind) {
        ("(" | "~", _) | (_, ")" | ",") => false,
        (_, "(") => is_sign(before),
        _ => true,
    }
}
