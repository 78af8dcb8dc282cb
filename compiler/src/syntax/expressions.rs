//! Parsing of infix GDL and Epilog to expressions.
//!
//! An explicit stack builds [`Expressions`], an arena, from the [`tokens`](super::tokens), so
//! reading does not recurse. The operators in order of precedence, the tightest first: application,
//! `~`, `!`, `&`, `|`, `==>`, `:=`, `:-`, `::`. All except `~` join two expressions and group to
//! the right, and `&` and `|` are flat. A sentence ends before a token that cannot continue it.
//! Each language's reader rejects the constructs of the other. A fault gives one diagnostic, and
//! reading resumes at the next line that starts with a word.
//!
//! O(bytes); expressions are no deeper than [`Limits::max_nesting`](crate::Limits::max_nesting),
//! and there are no more tokens than [`Limits::max_tokens`](crate::Limits::max_tokens).

mod foreign;

use super::{
    dialect::{Reading, Syntax},
    tokens::{Token, tokens},
    tree::MOST_NESTING,
};
use crate::diagnostic::{Diagnostic, Edit, Source, Span, codes};

/// The index of an expression in [`Expressions`].
pub(super) type Id = usize;

/// The kind of an expression: a leaf, a call or the operator that joins its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum What {
    Name,
    Variable,
    /// A call: the name comes first, then the arguments.
    Call,
    Not,
    Cons,
    And,
    Or,
    /// `==>`
    Arrow,
    /// `:=`
    Define,
    /// `:-`
    If,
    /// `::`
    Operation,
}

#[derive(Clone, Debug)]
pub(super) struct Expression {
    pub(super) what: What,
    pub(super) span: Span,
    /// The place of the operator, the first one of a flat expression, or of the name of a call.
    pub(super) sign: Span,
    pub(super) parts: Vec<Id>,
    depth: usize,
}

/// The expressions of a text.
#[derive(Debug, Default)]
pub(super) struct Expressions {
    list: Vec<Expression>,
    pub(super) sentences: Vec<Id>,
    /// The place of each sentence, including parentheses around it that are no part of its
    /// expression.
    pub(super) places: Vec<Span>,
    /// The places of comments, including the sign that begins them.
    pub(super) comments: Vec<Span>,
    pub(super) found: Vec<Diagnostic>,
    /// True if part of the text could not be read.
    pub(super) broken: bool,
}

/// A literal, and true if it is negated.
pub(super) type Literal = (Id, bool);

impl Expressions {
    /// Returns the alternatives of a formula, each a conjunction of literals: `~` is pushed
    /// inwards, and `&` is multiplied out over `|`. Returns `None` if the alternatives of a
    /// conjunction have more than `most` literals in total, or a disjunction has more than `most`
    /// alternatives.
    pub(super) fn alternatives(&self, id: Id, negated: bool, most: usize) -> Option<Vec<Vec<Literal>>> {
        self.multiplied(id, negated, true, most)
    }

    /// Like [`Self::alternatives`], but a formula under `~` stays whole: each literal is an atom or
    /// a negated formula.
    pub(super) fn alternatives_outside(
        &self,
        id: Id,
        negated: bool,
        most: usize,
    ) -> Option<Vec<Vec<Literal>>> {
        self.multiplied(id, negated, false, most)
    }

    fn multiplied(&self, id: Id, negated: bool, inside: bool, most: usize) -> Option<Vec<Vec<Literal>>> {
        let expression = self.get(id);
        let mut parts = expression.parts.iter();
        match (expression.what, negated) {
            (_, true) if !inside => Some(vec![vec![(id, true)]]),
            (What::Not, _) => self.multiplied(expression.parts[0], !negated, inside, most),
            (What::And, false) | (What::Or, true) => {
                let mut all = vec![Vec::new()];
                for &part in parts {
                    let next = self.multiplied(part, negated, inside, most)?;
                    let size = |list: &[Vec<Literal>]| list.iter().map(Vec::len).sum::<usize>();
                    if size(&all) * next.len() + size(&next) * all.len() > most {
                        return None;
                    }
                    all = all
                        .iter()
                        .flat_map(|left| next.iter().map(|right| [left.as_slice(), right].concat()))
                        .collect();
                }
                Some(all)
            }
            (What::Or, false) | (What::And, true) => parts.try_fold(Vec::new(), |mut all, &part| {
                all.extend(self.multiplied(part, negated, inside, most)?);
                (all.len() <= most).then_some(all)
            }),
            _ => Some(vec![vec![(id, negated)]]),
        }
    }

    pub(super) fn get(&self, id: Id) -> &Expression {
        &self.list[id]
    }
}

/// Reads a text of infix GDL or Epilog. Its faults are in [`Expressions::found`].
pub(super) fn read(source: &Source, syntax: Syntax, limits: &crate::Limits) -> Expressions {
    let mut reader = ExpressionReader {
        source,
        syntax,
        max_nesting: limits.max_nesting.min(MOST_NESTING),
        max_identifier: limits.max_identifier_bytes,
        out: Expressions::default(),
        operands: Vec::new(),
        signs: Vec::new(),
        frames: Vec::new(),
        ready: false,
        lost: false,
        end: 0,
        skip: 0,
        begin: None,
    };
    for (count, (token, span)) in tokens(source.text()).enumerate() {
        if count == limits.max_tokens {
            let message = format!("the rulesheet has more than {} words and signs", limits.max_tokens);
            let fault = Diagnostic::new(&codes::SOURCE_TOO_LARGE, span, message);
            reader.out = Expressions {
                found: vec![fault.help("raise `max_tokens`, or split the game")],
                broken: true,
                ..Expressions::default()
            };
            return reader.out;
        }
        reader.token(token, span);
    }
    reader.finish();
    reader.out
}

/// An open parenthesis.
struct ParenthesisFrame {
    start: Span,
    /// The name before it, if the parentheses hold arguments.
    name: Option<Id>,
    /// The start of its operands; `signs` is the start of its signs.
    operands: usize,
    signs: usize,
    /// The arguments so far.
    arguments: Vec<Id>,
}

struct ExpressionReader<'s> {
    source: &'s Source,
    syntax: Syntax,
    max_nesting: usize,
    max_identifier: usize,
    out: Expressions,
    operands: Vec<Id>,
    signs: Vec<(What, Span)>,
    frames: Vec<ParenthesisFrame>,
    /// True if the tokens so far end with a complete expression.
    ready: bool,
    /// True if the rest of the sentence is skipped after a fault.
    lost: bool,
    /// The offset after the last token.
    end: u32,
    /// Tokens that start before this offset belong to a comment in the syntax of another language.
    skip: u32,
    /// The start of the current sentence; `None` before its first token.
    begin: Option<u32>,
}

impl ExpressionReader<'_> {
    fn text(&self, span: Span) -> &str {
        self.source.slice(span)
    }

    fn fault(&mut self, diagnostic: Diagnostic) {
        self.out.broken = true;
        self.out.found.push(diagnostic);
    }

    /// Reports a fault and skips the rest of the sentence.
    fn lose(&mut self, diagnostic: Diagnostic) {
        self.fault(diagnostic);
        self.lost = true;
        self.reset();
    }

    fn reset(&mut self) {
        self.operands.clear();
        self.signs.clear();
        self.frames.clear();
        self.ready = false;
    }

    fn starts_line(&self, span: Span) -> bool {
        let before = &self.source.text()[..span.start as usize];
        before.is_empty() || before.ends_with(['\n', '\r', '\u{FEFF}'])
    }

    fn token(&mut self, token: Token, span: Span) {
        if span.start < self.skip {
            return;
        }
        if token == Token::Comment {
            if self.syntax == Syntax::Epilog && self.text(span).starts_with(';') {
                let sign = Span { end: span.start + 1, ..span };
                self.fault(
                    Diagnostic::new(&codes::BLOCK_COMMENT, sign, "`;` does not begin a comment in Epilog")
                        .help("begin comments with `%`")
                        .suggest(sign, "%")
                        .machine_applicable(),
                );
            }
            self.out.comments.push(span);
            return;
        }
        if self.lost {
            if token != Token::Word || !self.starts_line(span) {
                return;
            }
            self.lost = false;
        }
        if !self.ready && self.operands.is_empty() && self.signs.is_empty() && self.frames.is_empty() {
            self.begin = Some(span.start);
        }
        match token {
            Token::Word => self.word(span),
            Token::Sign => self.sign(span),
            Token::Text => self.lose(
                Diagnostic::new(&codes::STRING_LITERAL, span, "string literals are not part of the language")
                    .help("write a name without quotes and spaces"),
            ),
            Token::Comment | Token::Other => self.other(span),
        }
        self.end = span.end;
    }

    /// Reports a character that starts no token of the language.
    fn other(&mut self, span: Span) {
        let text = self.text(span);
        let c = text.chars().next().unwrap_or_default();
        if !c.is_ascii() {
            let message = format!("character U+{:04X} is not ASCII", u32::from(c));
            self.lose(
                Diagnostic::new(&codes::NON_ASCII_IDENTIFIER, span, message)
                    .help("use letters, digits and `_`"),
            );
            return;
        }
        // After a head, `=` stands for the arrow.
        if c == '=' && self.ready && !self.inside() && self.signs.is_empty() {
            self.arrow(span);
            return;
        }
        let help = match c {
            '?' => "begin variables with a capital letter, such as `X`",
            '=' => "use one variable for both, or `distinct(X, Y)` if they must differ",
            '\'' => "write a name without quotes",
            ':' => "write `:-` between head and body",
            _ => "remove it",
        };
        let message = format!("unexpected character `{text}` in {}", self.syntax.title());
        self.lose(Diagnostic::new(&codes::MISPLACED_SIGN, span, message).help(help));
    }

    fn word(&mut self, mut span: Span) {
        if self.syntax == Syntax::Infix
            && self.ready
            && !self.inside()
            && span.end - span.start > 1
            && self.text(span).starts_with('.')
        {
            self.stop(Span { end: span.start + 1, ..span });
            span.start += 1;
        }
        let source = self.source;
        let mut text = source.slice(span);
        if text == "." && !self.inside() {
            // A full stop by itself ends the sentence, if one may end here. Infix GDL reports it.
            if self.ready || self.signs.is_empty() {
                if self.syntax == Syntax::Infix {
                    self.stop(span);
                } else {
                    self.sentence();
                }
                return;
            }
        }
        let stops = self.syntax == Syntax::Infix && text.len() > 1 && text.ends_with('.');
        if stops {
            span.end -= 1;
            text = source.slice(span);
        }
        if self.syntax == Syntax::Infix && text.contains("..") {
            let help = "write a fact or literal for each value";
            self.lose(Diagnostic::new(&codes::MISPLACED_SIGN, span, "GDL has no ranges").help(help));
            return;
        }
        let first = text.bytes().next().unwrap_or_default();
        self.measure(span);
        let is_variable = first.is_ascii_uppercase() || first == b'_';
        if self.syntax == Syntax::Epilog {
            let number = text[1..].bytes().all(|b| b.is_ascii_digit()) && text.len() > 1;
            if matches!(first, b'*' | b'+' | b'_') && text.len() > 1
                || (first == b'-' && !number)
                || (text.len() == 1 && b"*+-".contains(&first))
            {
                let message = format!("Epilog does not read `{text}` as one name");
                self.lose(
                    Diagnostic::new(&codes::MISPLACED_SIGN, span, message)
                        .help("begin names and variables with a letter or digit"),
                );
                return;
            }
        }
        if self.begins_comment(text, span) {
            let sign = Span { end: span.start + 2, ..span };
            self.line_comment(sign);
            return;
        }
        let begins = self.starts_line(span) || self.inside();
        if text == "if" && self.syntax == Syntax::Infix && self.ready && !begins {
            self.arrow(span);
            return;
        }
        if self.ready {
            if self.inside() && self.starts_line(span) {
                let start = self.frames[0].start;
                self.lose(
                    Diagnostic::new(&codes::UNCLOSED_PAREN, start, "this `(` is never closed")
                        .label(span, "the next sentence seems to start here")
                        .help("add the missing `)` before it"),
                );
                self.lost = false;
            } else if self.inside() {
                let message = format!("missing operator or `,` before `{text}`");
                let help = if self.frames.last().is_some_and(|frame| frame.name.is_some()) {
                    "separate arguments by `,`"
                } else {
                    "literals are joined by `&`"
                };
                self.lose(Diagnostic::new(&codes::MISPLACED_SIGN, span, message).help(help));
                return;
            } else {
                self.sentence();
            }
        }
        if self.syntax == Syntax::Infix && text == "not" {
            let rest = &self.source.text()[span.end as usize..];
            if !rest.starts_with('(') {
                let message = "expected `~`, found `not`";
                let fault = Diagnostic::new(&codes::MISPLACED_SIGN, span, message)
                    .help("write `~` before the literal");
                let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
                let whole = Span { end: span.end + blanks as u32, ..span };
                self.fault(fault.suggest(whole, "~").machine_applicable());
                self.signs.push((What::Not, span));
                return;
            }
        }
        let what = if is_variable { What::Variable } else { What::Name };
        let id = self.push(what, span, span, Vec::new());
        self.operands.push(id);
        self.ready = true;
        if stops && !self.inside() {
            self.stop(Span { start: span.end, end: span.end + 1 });
        }
    }

    /// Reports a name that is longer than the limit.
    fn measure(&mut self, span: Span) {
        let length = (span.end - span.start) as usize;
        if length > self.max_identifier {
            let message = format!("identifier of {length} bytes, more than {}", self.max_identifier);
            self.fault(
                Diagnostic::new(&codes::HUGE_IDENTIFIER, span, message)
                    .help("use a shorter name, or raise `max_identifier_bytes`"),
            );
        }
    }

    /// Reports a full stop after a sentence, and ends the sentence.
    fn stop(&mut self, span: Span) {
        self.out.found.push(
            Diagnostic::new(&codes::FULL_STOP, span, "sentences end without a full stop")
                .help("remove it")
                .suggest(span, "")
                .machine_applicable(),
        );
        self.sentence();
    }

    fn inside(&self) -> bool {
        !self.frames.is_empty()
    }

    fn sign(&mut self, span: Span) {
        let text = self.text(span).to_owned();
        match text.as_str() {
            "(" => self.open(span),
            ")" => self.close(span),
            "," => self.comma(span),
            "~" | "\\+" => {
                if self.ready {
                    if self.inside() {
                        self.misplaced(span, "write `&` before it, or remove it");
                        return;
                    }
                    self.sentence();
                }
                if text != "~" {
                    let fault = Diagnostic::new(&codes::MISPLACED_SIGN, span, "expected `~`, found `\\+`");
                    self.fault(fault.help("write `~`").suggest(span, "~").machine_applicable());
                }
                self.signs.push((What::Not, span));
            }
            "&" => self.infix(What::And, span),
            "|" => self.infix(What::Or, span),
            ":-" => self.infix(What::If, span),
            "<=" | "<==" | "<-" | "<--" => self.arrow(span),
            "::" => self.infix(What::Operation, span),
            "==>" => self.infix(What::Arrow, span),
            ":=" => self.infix(What::Define, span),
            "!" => self.infix(What::Cons, span),
            "[" | "]" => self.misplaced(span, "write a term such as `list(a, b)`: lists are not supported"),
            "#" if self.starts_line(span) || self.follows_call() => self.line_comment(span),
            "#" | "\\=" | "\\==" | "<>" | "!=" => self.differ(span),
            "=>" | "<=>" => self.misplaced(span, "write `head :- body`: the conclusion comes first"),
            _ => self.misplaced(span, "remove it"),
        }
    }

    fn misplaced(&mut self, span: Span, help: &str) {
        let message = format!("unexpected `{}`", self.text(span));
        self.lose(Diagnostic::new(&codes::MISPLACED_SIGN, span, message).help(help));
    }

    fn infix(&mut self, what: What, span: Span) {
        if !self.ready {
            self.misplaced(span, "write an operand on its left, or remove it");
            return;
        }
        // Operators group to the right, so earlier operators of the same precedence wait. Flat
        // operators are joined when they are built.
        self.reduce(|top| top < what);
        self.signs.push((what, span));
        self.ready = false;
    }

    /// Builds expressions from the last signs of this frame, as long as `is_due` accepts them.
    fn reduce(&mut self, is_due: impl Fn(What) -> bool) {
        let base = self.frames.last().map_or(0, |frame| frame.signs);
        while self.signs.len() > base
            && let Some(&(what, sign)) = self.signs.last()
            && is_due(what)
        {
            self.signs.pop();
            let Some(right) = self.operands.pop() else { return };
            if what == What::Not {
                let span = Span { start: sign.start, end: self.out.get(right).span.end };
                let id = self.push(what, span, sign, vec![right]);
                self.operands.push(id);
                continue;
            }
            let Some(left) = self.operands.pop() else { return };
            let span = Span { start: self.out.get(left).span.start, end: self.out.get(right).span.end };
            // A flat operator takes over the parts of an expression with the same operator on its
            // right, which is built already.
            let flat = matches!(what, What::And | What::Or)
                && self.out.list[right].what == what
                && right + 1 == self.out.list.len();
            let id = if flat {
                let parts = std::mem::take(&mut self.out.list[right].parts);
                self.out.list.pop();
                // The last part comes first: `turn` reverses the chain when the sentence is
                // complete.
                let depth = parts.iter().map(|&part| self.out.get(part).depth + 1).max().unwrap_or(1);
                let depth = depth.max(self.out.get(left).depth + 1);
                let mut parts = parts;
                parts.push(left);
                self.out.list.push(Expression { what, span, sign, parts, depth });
                self.out.list.len() - 1
            } else {
                let parts =
                    if matches!(what, What::And | What::Or) { vec![right, left] } else { vec![left, right] };
                self.push(what, span, sign, parts)
            };
            self.operands.push(id);
        }
    }

    fn push(&mut self, what: What, span: Span, sign: Span, parts: Vec<Id>) -> Id {
        let depth = 1 + parts.iter().map(|&part| self.out.get(part).depth).max().unwrap_or(0);
        let id = self.out.list.len();
        if depth > self.max_nesting {
            let message = format!("expressions are nested deeper than {}", self.max_nesting);
            self.fault(
                Diagnostic::new(&codes::DEEP_NESTING, sign, message)
                    .help("raise `max_nesting`, or split the term"),
            );
            self.out.list.push(Expression { what: What::Name, span, sign, parts: Vec::new(), depth: 1 });
            self.lost = true;
            return id;
        }
        self.out.list.push(Expression { what, span, sign, parts, depth });
        id
    }

    fn open(&mut self, span: Span) {
        if self.frames.len() >= self.max_nesting {
            let message = format!("parentheses are nested deeper than {}", self.max_nesting);
            self.lose(
                Diagnostic::new(&codes::DEEP_NESTING, span, message)
                    .help("raise `max_nesting`, or split the term"),
            );
            return;
        }
        let name = if self.ready {
            let Some(&name) = self.operands.last() else { return };
            let between = Span { start: self.end, end: span.start };
            let lines = self.text(between).contains(['\n', '\r']);
            if lines && !self.inside() && self.is_form(span) {
                self.sentence();
                self.kif_form(span);
                return;
            }
            if self.syntax == Syntax::Infix && lines {
                let help = "close the sentence before it, or write the arguments on the line of their name";
                self.misplaced(span, help);
                return;
            }
            if self.out.get(name).what != What::Name {
                let (code, message) = if self.out.get(name).what == What::Variable {
                    (&codes::VARIABLE_AS_FUNCTION, "a variable cannot be used as a function")
                } else {
                    (&codes::HEAD_IS_LIST, "arguments must follow a name")
                };
                self.lose(
                    Diagnostic::new(code, span, message).help("write the name of a relation or function"),
                );
                return;
            }
            self.operands.pop();
            Some(name)
        } else {
            let begins = !self.inside() && self.signs.is_empty();
            if begins && (self.syntax == Syntax::Infix || self.is_form(span)) {
                self.kif_form(span);
                return;
            }
            None
        };
        let (operands, signs) = (self.operands.len(), self.signs.len());
        self.frames.push(ParenthesisFrame { start: span, name, operands, signs, arguments: Vec::new() });
        self.ready = false;
    }

    /// Returns whether a parenthesis opens a form of KIF. Its first bytes must have `(<=`, a
    /// question mark, or two words or lists side by side without a sign between them.
    fn is_form(&self, span: Span) -> bool {
        const LOOKED_AT: usize = 400;
        let is_letter = |b: u8| b.is_ascii_alphanumeric() || b"_*+-./".contains(&b);
        let rest = &self.source.text().as_bytes()[span.end as usize..];
        let rest = &rest[..rest.len().min(LOOKED_AT)];
        let mut depth = 1;
        // The last byte that is not a blank, and true if blanks followed it.
        let (mut last, mut apart) = (b'(', false);
        for (i, &byte) in rest.iter().enumerate() {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => {
                    apart = true;
                    continue;
                }
                b'?' => return true,
                b'<' if last == b'(' && rest.get(i + 1) == Some(&b'=') => return true,
                b'%' | b';' => return false,
                _ if apart && is_letter(byte) && (is_letter(last) || last == b')') => return true,
                b'(' if self.syntax == Syntax::Infix && apart && is_letter(last) => return true,
                b'(' => depth += 1,
                b')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return false;
            }
            (last, apart) = (byte, false);
        }
        false
    }

    /// Reports a form of KIF, if it is the first one of the text.
    fn kif_form(&mut self, span: Span) {
        if self.out.found.iter().any(|fault| fault.code == &codes::INFIX_SYNTAX) {
            self.out.broken = true;
            self.lost = true;
            self.reset();
            return;
        }
        let message = format!("this looks like a KIF form, but the text is {}", self.syntax.title());
        let fault = Diagnostic::new(&codes::INFIX_SYNTAX, span, message);
        self.lose(Reading::show(self.source, self.syntax, fault).help("write `head(X) :- body(X, y)`"));
    }

    fn comma(&mut self, span: Span) {
        let Some(frame) = self.frames.last() else {
            if self.ready && self.signs.iter().any(|&(what, _)| matches!(what, What::If | What::Operation)) {
                self.fault(
                    Diagnostic::new(&codes::COMMA_FOR_AND, span, "literals are joined by `&`, not by `,`")
                        .help("write `&`")
                        .suggest_all([Edit { span, text: " &".to_owned() }])
                        .machine_applicable(),
                );
                self.infix(What::And, span);
                return;
            }
            self.misplaced(span, "remove it");
            return;
        };
        if !self.ready || frame.name.is_none() {
            let is_argument = self.frames.iter().any(|frame| frame.name.is_some());
            let help = match (self.ready, is_argument) {
                (false, _) => "write an argument before it",
                (true, false) => "literals are joined by `&`",
                (true, true) => "write a term with a name, such as `pair(X, Y)`: there are no tuples",
            };
            self.misplaced(span, help);
            return;
        }
        self.reduce(|_| true);
        self.argument();
        self.ready = false;
    }

    /// Moves the last operand to the arguments of the frame.
    fn argument(&mut self) {
        if let (Some(argument), Some(frame)) = (self.operands.pop(), self.frames.last_mut()) {
            frame.arguments.push(argument);
        }
    }

    fn close(&mut self, span: Span) {
        if !self.inside() {
            self.lose(
                Diagnostic::new(&codes::UNMATCHED_CLOSE, span, "unexpected `)`")
                    .note("no parenthesis is open here")
                    .help("remove it"),
            );
            return;
        }
        if !self.ready {
            let empty = self.frames.last().is_some_and(|frame| {
                frame.arguments.is_empty()
                    && frame.signs == self.signs.len()
                    && frame.operands == self.operands.len()
            });
            if empty {
                self.lose(
                    Diagnostic::new(&codes::EMPTY_LIST, span, "an empty list of arguments")
                        .help("write the name alone, or add arguments"),
                );
            } else {
                self.misplaced(span, "write an operand before it");
            }
            return;
        }
        self.reduce(|_| true);
        let is_call = self.frames.last().is_some_and(|frame| frame.name.is_some());
        if is_call {
            self.argument();
        }
        let Some(frame) = self.frames.pop() else { return };
        if let Some(name) = frame.name {
            let place = self.out.get(name).span;
            let parts = [name].into_iter().chain(frame.arguments).collect();
            let id = self.push(What::Call, Span { start: place.start, end: span.end }, place, parts);
            self.operands.push(id);
        }
        self.ready = true;
    }

    /// Ends the current sentence, if there is one.
    fn sentence(&mut self) {
        if !self.ready {
            if let Some(&(_, span)) = self.signs.last() {
                self.misplaced(span, "write an operand on its right");
            }
            self.lost = false;
            return;
        }
        self.reduce(|_| true);
        self.ready = false;
        if let Some(id) = self.operands.pop()
            && !self.lost
        {
            self.turn(id);
            let Span { start, end } = self.out.get(id).span;
            let start = self.begin.map_or(start, |begin| begin.min(start));
            let place = Span { start, end: self.end.max(end) };
            if matches!(self.out.get(id).what, What::If | What::Operation) {
                self.out.list[id].span = place;
            }
            self.out.sentences.push(id);
            self.out.places.push(place);
        }
        self.lost = false;
        self.begin = None;
        self.reset();
    }

    /// Reverses the parts of flat operators, which are stored last first.
    fn turn(&mut self, id: Id) {
        let mut waiting = vec![id];
        while let Some(id) = waiting.pop() {
            let expression = &mut self.out.list[id];
            if matches!(expression.what, What::And | What::Or) {
                expression.parts.reverse();
            }
            waiting.extend(&expression.parts);
        }
    }

    fn finish(&mut self) {
        if let Some(frame) = self.frames.first() {
            let start = frame.start;
            self.lose(
                Diagnostic::new(&codes::UNCLOSED_PAREN, start, "this `(` is never closed")
                    .help("add the missing `)`"),
            );
            return;
        }
        if !self.lost {
            self.sentence();
        }
    }
}
