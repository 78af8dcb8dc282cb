//! Messages of the compiler about a rulesheet, each with its place.
//!
//! [`Diagnostics`] is a list of messages with byte spans. It can be rendered as text:
//! `file:line:column`, the line with a caret, further places and a help line. Programs can read it
//! field by field. Each diagnostic has a [`Code`] of the catalogue in [`codes`], by which a lint
//! can be allowed or denied and its explanation looked up.

pub mod codes;
mod list;
mod meant;
mod page;
mod render;
mod repair;

pub use codes::Code;
pub use list::Diagnostics;
pub(crate) use meant::Meant;
pub use page::{Example, FRAME, frame};
pub use render::Palette;
pub use repair::repair;

use std::fmt;

/// A range of bytes in the text of a [`Source`], end exclusive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The offset of the first byte.
    pub start: u32,
    /// The offset after the last byte.
    pub end: u32,
}

impl Span {
    /// Creates the range `start..end`, in bytes.
    #[must_use]
    pub fn new(start: usize, end: usize) -> Self {
        Self { start: start as u32, end: end as u32 }
    }
}

/// The text of a rulesheet, with its name in messages and the offsets of its lines.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    text: String,
    /// The offset of the first byte of each line.
    lines: Vec<u32>,
}

/// A place as a line and a column, both counted from one. The column counts characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line, from one.
    pub line: usize,
    /// The column in characters, from one.
    pub column: usize,
}

impl Source {
    /// Creates a source with this name in messages. Lines end at LF, CR LF or a lone CR.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let bytes = text.as_bytes();
        let mut lines = vec![0];
        for (i, &byte) in bytes.iter().enumerate() {
            if byte == b'\n' || (byte == b'\r' && bytes.get(i + 1) != Some(&b'\n')) {
                lines.push(i as u32 + 1);
            }
        }
        Self { name: name.into(), text, lines }
    }

    /// Creates a source from bytes that may not be UTF-8.
    ///
    /// # Errors
    /// Returns the fault, and a source to render it with. That source has U+FFFD in place of
    /// invalid bytes.
    pub fn from_bytes(name: impl Into<String>, bytes: Vec<u8>) -> Result<Self, Box<(Self, Diagnostic)>> {
        let error = match String::from_utf8(bytes) {
            Ok(text) => return Ok(Self::new(name, text)),
            Err(error) => error,
        };
        let at = error.utf8_error().valid_up_to();
        let byte = error.as_bytes()[at];
        let source = Self::new(name, String::from_utf8_lossy(error.as_bytes()));
        let message = format!("the text is not valid UTF-8: byte 0x{byte:02X} at offset {at}");
        let span = Span::new(at, at + '\u{FFFD}'.len_utf8());
        let fault = Diagnostic::new(&codes::INVALID_UTF8, span, message);
        Err(Box::new((source, fault.help("save the file as UTF-8"))))
    }

    /// The name given to [`Source::new`], usually a path.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of a span; empty if the span is outside the text.
    #[must_use]
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// The line and column of a byte offset. O(log lines + bytes of the line before the offset).
    #[must_use]
    pub fn position(&self, offset: u32) -> Position {
        let line = self.line_of(offset);
        let start = self.line_start(line) as usize;
        let end = (offset as usize).clamp(start, self.text.len());
        // Every character has exactly one byte that is not a UTF-8 continuation byte.
        let is_first = |byte: &&u8| **byte & 0b1100_0000 != 0b1000_0000;
        Position { line, column: self.text.as_bytes()[start..end].iter().filter(is_first).count() + 1 }
    }

    /// The number of lines, including an empty one after the last line end.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.lines.len()
    }

    /// The line of a byte offset, counted from one. O(log lines).
    #[must_use]
    pub fn line_of(&self, offset: u32) -> usize {
        self.lines.partition_point(|&start| start <= offset)
    }

    /// The offset of the first byte of a line counted from one.
    #[must_use]
    pub fn line_start(&self, line: usize) -> u32 {
        self.lines[line - 1]
    }

    /// Returns the edits that remove the parentheses and the first word of a list. Comments stay.
    pub(crate) fn unwrap(&self, list: Span, word: Span) -> [Edit; 2] {
        let rest = &self.text[word.end as usize..];
        let spaces = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        [
            Edit::remove(Span { start: list.start, end: word.end + spaces as u32 }),
            Edit::remove(Span { start: list.end - 1, end: list.end }),
        ]
    }

    /// Extends a span to whole lines if nothing else is on them; otherwise returns it unchanged.
    #[must_use]
    pub fn whole_lines(&self, span: Span) -> Span {
        let (before, behind) = self.text.split_at(span.start as usize);
        let behind = &behind[(span.end - span.start) as usize..];
        let start = before.trim_end_matches([' ', '\t']);
        let rest = behind.trim_start_matches([' ', '\t']);
        let end = ["\r\n", "\n", "\r"].iter().find_map(|end| rest.strip_prefix(end));
        let end = end.or(rest.is_empty().then_some(rest));
        match end {
            Some(end) if start.is_empty() || start.ends_with(['\n', '\r']) => {
                Span::new(start.len(), self.text.len() - end.len())
            }
            _ => span,
        }
    }

    /// The text of a line counted from one, without its line end.
    #[must_use]
    pub fn line(&self, line: usize) -> &str {
        let start = self.lines[line - 1] as usize;
        let end = self.lines.get(line).map_or(self.text.len(), |&next| next as usize);
        self.text[start..end].trim_end_matches(['\n', '\r'])
    }
}

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A fault that makes the rulesheet unusable.
    Error,
    /// Most likely a mistake, but the rulesheet has a meaning.
    Warning,
    /// A matter of style; silent unless [`Levels`] show it.
    Lint,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Lint => "lint",
        })
    }
}

/// A place in the source with a remark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The remark, for example "first used with 3 arguments here"; empty if the message suffices.
    pub text: String,
}

/// A replacement of a span. An empty text removes it; an empty span inserts the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The replaced span.
    pub span: Span,
    /// The new text.
    pub text: String,
}

impl Edit {
    /// The edit that inserts a text before an offset.
    pub(crate) fn insert(offset: u32, text: impl Into<String>) -> Self {
        Self { span: Span { start: offset, end: offset }, text: text.into() }
    }

    /// The edit that removes a span.
    pub(crate) fn remove(span: Span) -> Self {
        Self { span, text: String::new() }
    }

    /// The edits that put a span into parentheses; `before` is the opening parenthesis, followed by
    /// a word if needed.
    pub(crate) fn wrap(span: Span, before: &str) -> [Self; 2] {
        [Self::insert(span.start, before), Self::insert(span.end, ")")]
    }
}

/// The confidence that the edits of a diagnostic match the author's intention.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Applicability {
    /// The edits express the only valid reading and do not change a valid game. A program may apply
    /// them without asking.
    MachineApplicable,
    /// The edits are a guess that a person must confirm.
    #[default]
    MaybeIncorrect,
    /// The edits contain a name or a rule that the author has to replace.
    HasPlaceholders,
}

impl Applicability {
    /// The name in JSON output, in snake case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::MachineApplicable => "machine_applicable",
            Self::MaybeIncorrect => "maybe_incorrect",
            Self::HasPlaceholders => "has_placeholders",
        }
    }
}

/// A sequence of moves that shows the fault of a diagnostic, from the initial state to a state in
/// which it occurs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Witness {
    /// The players, in role order.
    pub roles: Vec<String>,
    /// The joint moves, each with a move of every role as KIF text, in role order.
    pub moves: Vec<Vec<String>>,
    /// The state after the moves, as a list of fluents in KIF.
    pub state: String,
    /// The number of moves before an earlier occurrence of `state`, if there is one.
    pub repeats: Option<usize>,
}

/// A message about a rulesheet: an error, warning or lint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The entry in the catalogue.
    pub code: &'static Code,
    /// The severity of the code, unless a lint option changed it.
    pub severity: Severity,
    /// One plain sentence in lower case, names in backticks, without a full stop.
    pub message: String,
    /// The place of the fault. `None` for faults of the whole rulesheet, such as a missing
    /// `terminal`.
    pub span: Option<Span>,
    /// Text next to the caret; may be empty.
    pub note: String,
    /// Further places with remarks, such as a first use.
    pub labels: Vec<Label>,
    /// The moves that lead to the fault, if play found it.
    pub witness: Option<Box<Witness>>,
    /// Advice on what to write instead.
    pub help: Option<String>,
    /// The edits that apply the help, if a program can make them. They are applied together, and
    /// none is inside another.
    pub edits: Vec<Edit>,
    /// The confidence in the edits; meaningless without edits.
    pub applicability: Applicability,
}

impl Diagnostic {
    /// Creates a diagnostic at `span` with the severity of its code.
    pub fn new(code: &'static Code, span: impl Into<Option<Span>>, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity,
            message: message.into(),
            span: span.into(),
            note: String::new(),
            labels: Vec::new(),
            witness: None,
            help: None,
            edits: Vec::new(),
            applicability: Applicability::default(),
        }
    }

    /// Lowers an error to a warning, since the game can still be played.
    #[must_use]
    pub fn harmless(mut self) -> Self {
        self.severity = self.severity.max(Severity::Warning);
        self
    }

    /// Adds text next to the caret.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.note = text.into();
        self
    }

    /// Adds a further place with a remark.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Adds the play that shows the fault.
    #[must_use]
    pub fn witness(mut self, witness: Witness) -> Self {
        self.witness = Some(Box::new(witness));
        self
    }

    /// Adds the help line.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Suggests a word in place of the one at `span`: adds the help line and the edit.
    #[must_use]
    pub fn mean(self, span: Span, word: &str) -> Self {
        self.help(format!("did you mean `{word}`?")).suggest(span, word)
    }

    /// Marks the edits as certain, so that a program may apply them without asking.
    #[must_use]
    pub fn machine_applicable(mut self) -> Self {
        self.applicability = Applicability::MachineApplicable;
        self
    }

    /// Marks the edits as containing a placeholder that the author has to replace.
    #[must_use]
    pub fn has_placeholders(mut self) -> Self {
        self.applicability = Applicability::HasPlaceholders;
        self
    }

    /// True if there are edits that a program may apply without asking.
    #[must_use]
    pub fn is_machine_applicable(&self) -> bool {
        !self.edits.is_empty() && self.applicability == Applicability::MachineApplicable
    }

    /// Adds edits as [`Diagnostic::suggest`] does.
    #[must_use]
    pub fn suggest_all(mut self, edits: impl IntoIterator<Item = Edit>) -> Self {
        self.edits.extend(edits);
        self
    }

    /// Adds an edit that applies the help, or a part of it. The edit counts as a guess unless
    /// [`Diagnostic::machine_applicable`] is called.
    #[must_use]
    pub fn suggest(mut self, span: Span, text: impl Into<String>) -> Self {
        self.edits.push(Edit { span, text: text.into() });
        self
    }
}

/// The severity levels that a caller sets for lints, by name (`unused_relation`) or code
/// (`GDL102`). `deny` also takes `warnings`, and `warn` takes `lints`.
#[derive(Clone, Debug, Default)]
pub struct Levels {
    /// Names or codes of warnings and lints to silence. Errors cannot be silenced.
    pub allow: Vec<String>,
    /// Names or codes of warnings and lints to treat as errors.
    pub deny: Vec<String>,
    /// Names or codes of lints to show as warnings. By default lints are silent.
    pub warn: Vec<String>,
}

impl Levels {
    /// The severity of a code under these levels; `None` if it is silenced.
    #[must_use]
    pub fn severity(&self, code: &Code) -> Option<Severity> {
        self.judge(code, code.severity)
    }

    /// Applies the levels to a diagnostic whose own severity may differ from that of its code.
    fn judge(&self, code: &Code, own: Severity) -> Option<Severity> {
        let named = |list: &[String]| list.iter().any(|name| code.is_called(name));
        if named(&self.allow) && own != Severity::Error {
            return None;
        }
        let all = |list: &[String], word: &str| list.iter().any(|name| name == word);
        if named(&self.deny) || (own == Severity::Warning && all(&self.deny, "warnings")) {
            return Some(Severity::Error);
        }
        if own == Severity::Lint {
            return (named(&self.warn) || all(&self.warn, "lints")).then_some(Severity::Warning);
        }
        Some(own)
    }

    /// The first unknown name in the lists: not in the catalogue, nor `warnings` in `deny`, nor
    /// `lints` in `warn`.
    #[must_use]
    pub fn unknown(&self) -> Option<&str> {
        self.allow
            .iter()
            .chain(self.deny.iter().filter(|name| *name != "warnings"))
            .chain(self.warn.iter().filter(|name| *name != "lints"))
            .map(String::as_str)
            .find(|name| codes::find(name).is_none())
    }
}
