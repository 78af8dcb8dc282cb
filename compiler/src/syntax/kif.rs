//! Reading of KIF.
//!
//! The pest grammar (`kif.pest`) only cuts the text into tokens, and an explicit stack builds the
//! tree, which is an arena. Nothing here recurses, so no depth of parentheses can overflow the
//! stack. After a fault, reading goes on at the next form. O(bytes).

use super::{
    chunk::chunk,
    infix,
    tree::{Kind, MOST_NESTING, Node, NodeId, Tree},
};
use crate::diagnostic::{Diagnostic, Edit, Source, Span, codes};
use crate::limits::Limits;
use grammar::{Kif, Rule};
use pest::Parser as _;

#[allow(unreachable_pub, missing_docs, reason = "what pest derives is public and bare")]
mod grammar {
    #[derive(pest_derive::Parser)]
    #[grammar = "kif.pest"]
    pub(super) struct Kif;
}

/// Reads KIF. Returns the tree and the faults found.
pub(super) fn read(source: &Source, limits: &Limits) -> (Tree, Vec<Diagnostic>) {
    let mut builder = Builder::new(source, limits);
    builder.read();
    (builder.tree, builder.found)
}

/// Comment signs of other languages, which are reported where a word between forms begins with one.
pub const FOREIGN_COMMENTS: [&str; 5] = ["#", "//", "%", "--", "/*"];

/// An iterator over the tokens of a text from an offset on.
struct Tokens<'s> {
    text: &'s str,
    /// The start of the next chunk.
    next: usize,
    /// Tokens of the current chunk, last first.
    chunk: Vec<(Rule, Span)>,
}

impl<'s> Tokens<'s> {
    fn new(text: &'s str, start: usize) -> Self {
        Self { text, next: start, chunk: Vec::new() }
    }
}

impl Iterator for Tokens<'_> {
    type Item = (Rule, Span);

    fn next(&mut self) -> Option<Self::Item> {
        while self.chunk.is_empty() {
            let rest = self.text.get(self.next..).filter(|rest| !rest.is_empty())?;
            let end = chunk(rest, |b| b == b';', |b| matches!(b, b'(' | b')' | b' ' | b'\t' | b';'));
            // The grammar accepts any text, so there is no error to report.
            let tokens = Kif::parse(Rule::tokens, &rest[..end])
                .into_iter()
                .flatten()
                .flat_map(pest::iterators::Pair::into_inner);
            self.chunk.extend(tokens.filter(|pair| pair.as_rule() != Rule::EOI).map(|pair| {
                let span = pair.as_span();
                (pair.as_rule(), Span::new(self.next + span.start(), self.next + span.end()))
            }));
            self.chunk.reverse();
            self.next += end;
        }
        self.chunk.pop()
    }
}

/// A list that is still open.
struct Open {
    /// The offset of its parenthesis.
    start: u32,
    /// The start of its elements in [`Builder::pending`].
    first: usize,
}

/// The kind of a list that starts in column one inside another list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Behind {
    /// A rule, which never occurs inside another form.
    Rule,
    /// A fact, or a literal of the form that is still open.
    Sentence,
    /// A literal, since no form begins with its keyword.
    Literal,
}

/// The place where a form seems to start inside another that is not closed yet.
#[derive(Clone, Copy)]
struct Restart {
    /// The offset of its parenthesis.
    start: u32,
    /// The end of the token before it.
    gap: u32,
    /// The number of lists open there.
    depth: usize,
}

/// Returns the diagnostic of a list that is never closed. Its edit inserts `depth` parentheses at
/// `last`; the next form seems to start at `next`.
fn unclosed(start: u32, depth: usize, last: u32, next: Option<u32>) -> Diagnostic {
    let place = Span { start, end: start + 1 };
    let fault = Diagnostic::new(&codes::UNCLOSED_PAREN, place, "this `(` is never closed")
        .suggest(Span { start: last, end: last }, ")".repeat(depth));
    match next {
        Some(at) => fault
            .label(Span { start: at, end: at + 1 }, "the next form seems to start here")
            .help("add the missing `)` before it"),
        None => fault.help("add the missing `)` at the end"),
    }
}

struct Builder<'s> {
    source: &'s Source,
    max_nesting: usize,
    max_identifier: usize,
    max_tokens: usize,
    tree: Tree,
    found: Vec<Diagnostic>,
    open: Vec<Open>,
    /// The elements of all open lists, outermost first.
    pending: Vec<NodeId>,
    /// The number of parentheses open beyond the nesting limit.
    beyond: usize,
    /// True if the current form has a fault, so that it is left out of [`Tree::forms`].
    bad: bool,
    /// Tokens that start before this offset belong to a string or to a comment of another language.
    skip: u32,
    /// The first `(` in column one inside the current form: there the next form may start.
    restart: Option<Restart>,
    /// The end of the last token other than a comment.
    last: u32,
    /// True once parentheses are known not to match: then a `(` in column one starts a form, unless
    /// a keyword of literals follows.
    resync: bool,
    no_more_block_ends: bool,
    /// The previous token, if it is a `)` that closes no list.
    unmatched: Option<Span>,
}

impl<'s> Builder<'s> {
    fn new(source: &'s Source, limits: &Limits) -> Self {
        Self {
            source,
            max_nesting: limits.max_nesting.min(MOST_NESTING),
            max_identifier: limits.max_identifier_bytes,
            max_tokens: limits.max_tokens,
            tree: Tree::default(),
            found: Vec::new(),
            open: Vec::new(),
            pending: Vec::new(),
            beyond: 0,
            bad: false,
            skip: 0,
            restart: None,
            last: 0,
            resync: false,
            no_more_block_ends: false,
            unmatched: None,
        }
    }

    /// Reads all tokens. After a list that is never closed it reads again from the place where the
    /// next form seems to start.
    fn read(&mut self) {
        // A byte order mark is not part of the text.
        let start = if self.source.text().starts_with('\u{FEFF}') { '\u{FEFF}'.len_utf8() } else { 0 };
        let mut tokens = Tokens::new(self.source.text(), start);
        let mut count = 0;
        loop {
            for (rule, span) in tokens.by_ref() {
                if span.start < self.skip {
                    // A comment that starts inside the skipped text may hide parentheses after it.
                    self.resync |= span.end > self.skip;
                    continue;
                }
                count += 1;
                if count > self.max_tokens {
                    let message =
                        format!("the rulesheet has more than {} words and parentheses", self.max_tokens);
                    self.fault(
                        Diagnostic::new(&codes::SOURCE_TOO_LARGE, span, message)
                            .help("raise `max_tokens`, or split the game"),
                    );
                }
                if count > self.max_tokens || !self.token(rule, span) {
                    self.tree = Tree { broken: true, ..Tree::default() };
                    return;
                }
            }
            match self.end() {
                Some(restart) => tokens = Tokens::new(self.source.text(), restart as usize),
                None => return,
            }
        }
    }

    /// Adds one token to the tree. Returns false if the text is not KIF at all.
    fn token(&mut self, rule: Rule, span: Span) -> bool {
        let again = self.unmatched.take().is_some();
        match rule {
            Rule::open => self.open(span.start),
            Rule::close => self.close(span, again),
            Rule::word => return self.word(span),
            Rule::comment => self.tree.comments.push(Span { start: span.start + 1, end: span.end }),
            _ => {}
        }
        if rule != Rule::comment {
            self.last = span.end;
        }
        true
    }

    fn open(&mut self, start: u32) {
        if !self.open.is_empty() && self.in_column_one(start) {
            match (self.resync, self.form_behind(start)) {
                (_, Behind::Literal) => {}
                (false, _) => {
                    let here = Restart { start, gap: self.last, depth: self.open.len() + self.beyond };
                    self.restart.get_or_insert(here);
                }
                (true, behind) => {
                    // Only a rule is certain not to be part of the form before it.
                    if behind == Behind::Rule && !self.bad {
                        let depth = self.open.len() + self.beyond;
                        let fault = unclosed(self.open[0].start, depth, self.last, Some(start));
                        self.fault(fault);
                    }
                    self.drop_form();
                }
            }
        }
        if self.open.len() < self.max_nesting {
            self.open.push(Open { start, first: self.pending.len() });
            return;
        }
        if self.beyond == 0 && !self.bad {
            let message = format!("parentheses are nested deeper than {}", self.max_nesting);
            self.fault(
                Diagnostic::new(&codes::DEEP_NESTING, Span { start, end: start + 1 }, message)
                    .help("raise `max_nesting`, or split the term"),
            );
        }
        self.bad = true;
        self.beyond += 1;
    }

    /// Returns the kind of the list that is opened at `start`, by its first word.
    fn form_behind(&self, start: u32) -> Behind {
        let rest = self.source.text()[start as usize + 1..].trim_start_matches([' ', '\t']);
        let end = rest.find(|c: char| c.is_ascii_whitespace() || matches!(c, '(' | ')' | ';'));
        let word = &rest[..end.unwrap_or(rest.len())];
        if word == "<=" {
            return Behind::Rule;
        }
        let literals = ["true", "does", "not", "or", "distinct"];
        let literal = literals.iter().any(|literal| literal.eq_ignore_ascii_case(word));
        if literal { Behind::Literal } else { Behind::Sentence }
    }

    fn close(&mut self, span: Span, again: bool) {
        if self.beyond > 0 {
            self.beyond -= 1;
            return;
        }
        let Some(list) = self.open.pop() else {
            // A run of unmatched parentheses gets one message.
            self.unmatched = Some(span);
            if !(again || self.resync) {
                self.fault(
                    Diagnostic::new(&codes::UNMATCHED_CLOSE, span, "unexpected `)`")
                        .note("no parenthesis is open here")
                        .help("remove it, or look for an extra `)` in the form above")
                        .suggest(span, ""),
                );
            }
            return;
        };
        let first = self.tree.children.len() as u32;
        self.tree.children.extend(self.pending.drain(list.first..));
        let children = first..self.tree.children.len() as u32;
        self.node(Kind::List(children), Span { start: list.start, end: span.end });
    }

    fn node(&mut self, kind: Kind, span: Span) {
        let id = NodeId(self.tree.nodes.len() as u32);
        self.tree.nodes.push(Node { kind, span });
        if !self.open.is_empty() {
            self.pending.push(id);
            return;
        }
        self.restart = None;
        if !std::mem::take(&mut self.bad) {
            self.tree.forms.push(id);
        }
    }

    /// Reports the list that is still open at the end of the text, if there is one. Returns the
    /// place to read on from, if a later form seems to start there.
    fn end(&mut self) -> Option<u32> {
        let start = self.open.first()?.start;
        let (depth, last) = (self.open.len() + self.beyond, self.last);
        let (depth, last) = self.restart.map_or((depth, last), |restart| (restart.depth, restart.gap));
        let restart = self.restart.map(|restart| restart.start);
        // Faults after the restart will be found again.
        if let Some(restart) = restart {
            self.found.retain(|d| d.span.is_none_or(|span| span.start < restart));
            while self.tree.comments.last().is_some_and(|comment| comment.start >= restart) {
                self.tree.comments.pop();
            }
            self.skip = self.skip.min(restart);
        }
        let deep = self.found.last().is_some_and(|d| d.code == &codes::DEEP_NESTING);
        if !self.resync && !deep {
            let fault = unclosed(start, depth, last, restart);
            self.fault(fault);
        }
        self.drop_form();
        self.resync = true;
        restart
    }

    /// Discards the open form.
    fn drop_form(&mut self) {
        self.open.clear();
        self.pending.clear();
        self.beyond = 0;
        self.bad = false;
        self.restart = None;
        self.tree.broken = true;
    }

    fn in_column_one(&self, offset: u32) -> bool {
        let before = &self.source.text()[..offset as usize];
        before.is_empty() || before.ends_with(['\n', '\r']) || before == "\u{FEFF}"
    }

    fn fault(&mut self, diagnostic: Diagnostic) {
        self.tree.broken = true;
        self.found.push(diagnostic);
    }

    /// Adds a word to the tree, or reports it. Returns false if it shows that the text is not
    /// prefix KIF at all.
    fn word(&mut self, span: Span) -> bool {
        let text = self.source.slice(span);
        let next = self.source.text().as_bytes().get(span.end as usize);
        let called = self.open.is_empty() && next == Some(&b'(');
        if matches!(text, ":-" | "&") || text.starts_with('~') || (called && text != "<=") {
            let start = self.infix_start(span, called);
            let edits = start.map(|start| infix::translate(self.source.text(), start as usize));
            self.found.push(
                Diagnostic::new(&codes::INFIX_SYNTAX, span, "this looks like infix GDL, but the text is KIF")
                    .note("not prefix KIF")
                    .help("write `(<= (head ?x) (body ?x y))`, with `?` before each variable")
                    .suggest_all(edits.unwrap_or_default())
                    .machine_applicable(),
            );
            return false;
        }
        if text.starts_with("#|") {
            self.block_comment(span);
            return true;
        }
        if self.open.is_empty() && FOREIGN_COMMENTS.iter().any(|sign| text.starts_with(sign)) {
            self.line_comment(span, text);
            return true;
        }
        if text.contains('"') {
            self.string(span);
        } else {
            self.characters(span, text);
        }
        if text == "?" {
            self.bad = true;
            self.fault(
                Diagnostic::new(&codes::BARE_QUESTION_MARK, span, "variable with an empty name")
                    .help("write a name after the question mark, such as `?x`")
                    .suggest(span, "?unnamed")
                    .has_placeholders(),
            );
        }
        if text.len() > self.max_identifier {
            let message = format!("identifier of {} bytes, more than {}", text.len(), self.max_identifier);
            self.fault(
                Diagnostic::new(&codes::HUGE_IDENTIFIER, span, message)
                    .help("use a shorter name, or raise `max_identifier_bytes`"),
            );
        }
        self.node(if text.starts_with('?') { Kind::Variable } else { Kind::Symbol }, span);
        true
    }

    /// Returns the start of the infix statement that a word reveals: the word itself if it is
    /// `called`, otherwise the symbol before it.
    fn infix_start(&self, span: Span, called: bool) -> Option<u32> {
        if called {
            return Some(span.start);
        }
        let form = *self.tree.forms.last().filter(|_| self.open.is_empty())?;
        let head = self.tree.node(form);
        let between = self.source.slice(Span { start: head.span.end, end: span.start });
        (head.kind == Kind::Symbol && between.trim_start().is_empty()).then_some(head.span.start)
    }

    fn block_comment(&mut self, span: Span) {
        let body = span.start as usize + 2;
        let end = if self.no_more_block_ends { None } else { self.source.text()[body..].find("|#") };
        // Without this flag, each `#|` would search the file to its end.
        self.no_more_block_ends = end.is_none();
        self.skip = end.map_or(span.end, |end| (body + end + 2) as u32);
        let sign = Span { start: span.start, end: span.start + 2 };
        let fault = Diagnostic::new(&codes::BLOCK_COMMENT, sign, "block comments are not part of GDL")
            .help("start each line of the comment with `;`");
        let whole = Span { end: self.skip, ..span };
        let comment =
            end.and_then(|end| self.line_comments(&self.source.text()[body..body + end], self.skip));
        self.fault(match comment {
            Some(comment) => fault.suggest(whole, comment).machine_applicable(),
            None => fault,
        });
    }

    /// Returns the text with a semicolon before each line, and a line end if more text follows
    /// `end` on its line. Returns `None` if a line contains a carriage return.
    fn line_comments(&self, text: &str, end: u32) -> Option<String> {
        let lines: Vec<&str> = text.trim().lines().map(str::trim).collect();
        if lines.iter().any(|line| line.contains('\r')) {
            return None;
        }
        let mut comment: Vec<String> =
            lines.iter().map(|line| format!("; {line}").trim_end().to_owned()).collect();
        let rest = &self.source.text()[end as usize..];
        if !rest.is_empty() && !rest.starts_with(['\n', '\r']) {
            comment.push(String::new());
        }
        Some(comment.join("\n"))
    }

    /// Reports a comment in the syntax of another language between forms, and skips the rest of the
    /// line.
    fn line_comment(&mut self, span: Span, text: &str) {
        let rest = &self.source.text()[span.start as usize..];
        self.skip = span.start + rest.find(['\n', '\r']).unwrap_or(rest.len()) as u32;
        let length = if text.starts_with(['#', '%']) { 1 } else { 2 };
        let message = format!("`{}` does not begin a comment", &text[..length]);
        let sign = Span { start: span.start, end: span.start + length as u32 };
        self.fault(
            Diagnostic::new(&codes::BLOCK_COMMENT, sign, message)
                .help("begin comments with `;`")
                .suggest(sign, ";")
                .machine_applicable(),
        );
    }

    fn string(&mut self, span: Span) {
        let start = span.start as usize + self.source.slice(span).find('"').unwrap_or(0);
        let rest = &self.source.text()[start + 1..];
        let end = rest.find(['"', '\n', '\r']).filter(|&end| rest[end..].starts_with('"'));
        let end = end.map_or(span.end, |end| (start + end + 2) as u32);
        self.skip = end;
        let place = Span { start: start as u32, end };
        let fault = Diagnostic::new(&codes::STRING_LITERAL, place, "string literals are not part of GDL")
            .help("write a name without quotes and spaces");
        let words = self.source.slice(place).trim_matches('"').trim();
        let fits = |c: char| c.is_ascii_alphanumeric() || "_+-".contains(c);
        let name: String = words.chars().map(|c| if fits(c) { c } else { '_' }).collect();
        // A name that differs from the text in quotes may already be in use.
        let is_same = name == words;
        self.fault(match (name.is_empty(), is_same) {
            (true, _) => fault,
            (false, true) => fault.suggest(place, name).machine_applicable(),
            (false, false) => fault.suggest(place, name),
        });
    }

    /// Reports the first character that no identifier may hold.
    fn characters(&mut self, span: Span, text: &str) {
        let Some((at, c)) = text.char_indices().find(|(_, c)| !c.is_ascii_graphic()) else { return };
        let start = span.start as usize + at;
        let place = Span::new(start, start + c.len_utf8());
        let number = u32::from(c);
        // Replaces all such characters, so that one round of edits fixes the word. Equal words stay
        // equal.
        let edits = text.char_indices().filter(|(_, c)| !c.is_ascii_graphic()).map(|(at, c)| {
            let start = span.start as usize + at;
            let text = match c {
                // Control characters and characters of no width are invisible.
                c if c.is_ascii() => String::new(),
                '\u{200B}'..='\u{200D}' | '\u{2060}' | '\u{FEFF}' => String::new(),
                c if c.is_whitespace() => " ".to_owned(),
                c => format!("u{:04X}", u32::from(c)),
            };
            Edit { span: Span::new(start, start + c.len_utf8()), text }
        });
        let edits: Vec<Edit> = edits.collect();
        let are_spaces = text.chars().all(|c| c.is_ascii_graphic() || c.is_whitespace());
        self.fault(if c.is_ascii() {
            Diagnostic::new(&codes::CONTROL_CHARACTER, place, format!("control character U+{number:04X}"))
                .help("remove it")
                .suggest_all(edits)
        } else if c.is_whitespace() {
            let message = format!("character U+{number:04X} is a space that is not ASCII");
            let fault = Diagnostic::new(&codes::NON_ASCII_IDENTIFIER, place, message)
                .help("write a plain space")
                .suggest_all(edits);
            if are_spaces { fault.machine_applicable() } else { fault }
        } else {
            let message = format!("character U+{number:04X} in an identifier is not ASCII");
            Diagnostic::new(&codes::NON_ASCII_IDENTIFIER, place, message)
                .help("use letters, digits, `_`, `+` and `-`")
                .suggest_all(edits)
        });
    }
}
