//! Messages of the compiler about a rulesheet, each with its place.
//!
//! [`Diagnostics`] are a list of byte spans with plain sentences that can be rendered for
//! people (`file:line:column`, the line with a caret, second places, a help line) or read field by
//! field by programs. A diagnostic always carries a [`Code`] from the catalogue in [`codes`], so a
//! lint can be allowed or denied by name and an explanation can be looked up.

pub mod codes;
mod meant;
mod page;
mod render;
mod repair;

pub use codes::Code;
pub(crate) use meant::Meant;
pub use page::{Example, FRAME, frame};
pub use render::Palette;
pub use repair::repair;

use crate::Options;
use crate::syntax::{Syntax, speech};
use std::fmt;

/// A range of bytes in the text of a [`Source`], end exclusive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// The range `start..end`, in bytes.
    #[must_use]
    pub fn new(start: usize, end: usize) -> Self {
        Self { start: start as u32, end: end as u32 }
    }
}

/// A rulesheet's text, the name it is reported under and the places of its lines.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    text: String,
    /// Offset of the first byte of each line.
    lines: Vec<u32>,
}

/// A place for people: line and column, both counted from one, the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Line, from one.
    pub line: usize,
    /// Column in characters, from one.
    pub column: usize,
}

impl Source {
    /// A source called `name` in messages. Lines end at LF, CR LF or a lone CR.
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

    /// A source from bytes that may not be UTF-8.
    ///
    /// # Errors
    /// The fault, with a source to render it with, where U+FFFD stands for what cannot be read.
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

    /// The text of a span.
    #[must_use]
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// The line and column of a byte offset. O(log lines + length of the line), some nanoseconds
    /// for a hundred bytes of it.
    #[must_use]
    pub fn position(&self, offset: u32) -> Position {
        let line = self.line_of(offset);
        let start = self.line_start(line) as usize;
        let end = (offset as usize).clamp(start, self.text.len());
        // Every character has one byte that does not go on with another.
        let is_first = |byte: &&u8| **byte & 0b1100_0000 != 0b1000_0000;
        Position { line, column: self.text.as_bytes()[start..end].iter().filter(is_first).count() + 1 }
    }

    /// The number of lines, including the one after the last line end.
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

    /// The edits that remove the parentheses and first word of a list around its elements. Comments
    /// stay.
    pub(crate) fn unwrap(&self, list: Span, word: Span) -> [Edit; 2] {
        let rest = &self.text[word.end as usize..];
        let spaces = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        [
            Edit::remove(Span { start: list.start, end: word.end + spaces as u32 }),
            Edit::remove(Span { start: list.end - 1, end: list.end }),
        ]
    }

    /// A span with the line it takes alone, or with nothing else where it shares its lines.
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
    /// The rulesheet cannot be used.
    Error,
    /// Most likely a mistake; the rulesheet has a meaning all the same.
    Warning,
    /// A matter of style; silent unless asked for.
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
    /// The remark on it, for example "first used with 3 arguments here"; empty if the message
    /// suffices.
    pub text: String,
}

/// A replacement of a span: an empty text removes it, and an empty span inserts the text.
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

    /// The edits that write parentheses and a word round a span, `before` with the first one.
    pub(crate) fn wrap(span: Span, before: &str) -> [Self; 2] {
        [Self::insert(span.start, before), Self::insert(span.end, ")")]
    }
}

/// The confidence that the edits of a diagnostic match the author's intention.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Applicability {
    /// The edits are the one reading that is valid, and leave a valid game the game it was: a
    /// program may make them unasked.
    MachineApplicable,
    /// The edits are a guess: a person decides.
    #[default]
    MaybeIncorrect,
    /// The edits hold a name or a rule that the author has to replace.
    HasPlaceholders,
}

impl Applicability {
    /// The name that JSON has.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::MachineApplicable => "machine_applicable",
            Self::MaybeIncorrect => "maybe_incorrect",
            Self::HasPlaceholders => "has_placeholders",
        }
    }
}

/// A play that shows the fault of a diagnostic: the moves from the start to the state where it can
/// be seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Witness {
    /// The players, in role order.
    pub roles: Vec<String>,
    /// The joint moves: for each a move of every role as KIF text, in role order.
    pub moves: Vec<Vec<String>>,
    /// The state after the moves as KIF text: its fluents in a list.
    pub state: String,
    /// The number of moves after which that state was met before, if it was.
    pub repeats: Option<usize>,
}

/// One fault, warning or lint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Its entry in the catalogue.
    pub code: &'static Code,
    /// The catalogue's severity, unless a lint option changed it.
    pub severity: Severity,
    /// One plain sentence in lower case, names in backticks, without a full stop.
    pub message: String,
    /// The place of the fault. `None` for faults of the whole rulesheet, such as a missing
    /// `terminal`.
    pub span: Option<Span>,
    /// Text next to the caret; may be empty.
    pub note: String,
    /// Second places.
    pub labels: Vec<Label>,
    /// Play that shows it, if play found it.
    pub witness: Option<Box<Witness>>,
    /// Advice on what to write instead.
    pub help: Option<String>,
    /// The edits that do what the help line says, if a program can make them: all of them at once,
    /// none inside another.
    pub edits: Vec<Edit>,
    /// The confidence in the edits; meaningless without edits.
    pub applicability: Applicability,
}

impl Diagnostic {
    /// A diagnostic at `span` with the code's own severity.
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

    /// Makes an error a warning: the game can be played all the same.
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

    /// Adds a second place.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Adds the play that shows it.
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

    /// Adds what was meant by the word at `span` most likely: the help line, and the edit that
    /// writes it.
    #[must_use]
    pub fn mean(self, span: Span, word: &str) -> Self {
        self.help(format!("did you mean `{word}`?")).suggest(span, word)
    }

    /// Declares that the edits are certain: a program may make them unasked.
    #[must_use]
    pub fn machine_applicable(mut self) -> Self {
        self.applicability = Applicability::MachineApplicable;
        self
    }

    /// Declares that the edits hold what the author has to replace.
    #[must_use]
    pub fn has_placeholders(mut self) -> Self {
        self.applicability = Applicability::HasPlaceholders;
        self
    }

    /// True if there are edits that a program may make unasked.
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

    /// Adds an edit that does what the help line says, or a part of it. Without
    /// [`Diagnostic::machine_applicable`] it is a guess.
    #[must_use]
    pub fn suggest(mut self, span: Span, text: impl Into<String>) -> Self {
        self.edits.push(Edit { span, text: text.into() });
        self
    }
}

/// The lints that are silent, are shown or stop the compiler, by name (`unused_relation`), code
/// (`GDL102`) or, for `deny`, `warnings` and, for `warn`, `lints`.
#[derive(Clone, Debug, Default)]
pub struct Levels {
    /// Names or codes to keep silent about. Errors cannot be allowed.
    pub allow: Vec<String>,
    /// Names or codes to treat as errors.
    pub deny: Vec<String>,
    /// Names or codes of lints to show as warnings, which are silent otherwise.
    pub warn: Vec<String>,
}

impl Levels {
    /// The severity a code has under these levels; `None` when it is to be silent.
    #[must_use]
    pub fn severity(&self, code: &Code) -> Option<Severity> {
        self.judge(code, code.severity)
    }

    /// The severity under these levels of a diagnostic that has another one by itself.
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

    /// The first name in one of the lists that the catalogue does not know.
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

/// Everything found in one run, in the order of the text.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    levels: Levels,
    /// The syntax that messages speak.
    syntax: Syntax,
    /// The number of diagnostics of each severity, those not kept included.
    counts: [usize; 3],
}

impl Diagnostics {
    /// No more errors than this are shown; the rest is counted.
    pub const SHOWN: usize = 20;

    /// No more diagnostics than this are kept of each severity, lest a file of nothing but faults
    /// take many times its size.
    const KEPT: usize = 1_000;

    /// The same for those with certain edits, so that one round makes them all.
    const CERTAIN: usize = 50_000;

    /// An empty list that applies `levels` to what is pushed.
    #[must_use]
    pub fn new(levels: Levels) -> Self {
        Self { levels, ..Self::default() }
    }

    /// An empty list for a text: messages speak the syntax that it is written in.
    #[must_use]
    pub fn of(source: &Source, options: &Options) -> Self {
        let syntax = options.syntax.unwrap_or_else(|| Syntax::of(source.text()));
        Self { syntax, ..Self::new(options.levels.clone()) }
    }

    /// Adds a diagnostic, with the severity the levels give it, unless they silence it. What it
    /// says in KIF is said in the syntax of the text. Of a text in Epilog errors are kept and what
    /// concerns the whole game: what else there is to say of its translation concerns rules that
    /// nobody wrote, and the reader has warned of those that somebody did.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let of_game = diagnostic.witness.is_some()
            || [&codes::TERMINAL_UNREACHABLE, &codes::GOAL_100_MISSING].contains(&diagnostic.code);
        if self.syntax == Syntax::Epilog && diagnostic.code.severity != Severity::Error && !of_game {
            return;
        }
        self.push_as_is(speech::tell(diagnostic, self.syntax));
    }

    /// Adds a diagnostic that speaks the syntax of the text already.
    pub(crate) fn push_as_is(&mut self, mut diagnostic: Diagnostic) {
        if let Some(severity) = self.levels.judge(diagnostic.code, diagnostic.severity) {
            diagnostic.severity = severity;
            let count = &mut self.counts[severity as usize];
            *count += 1;
            let most = if diagnostic.is_machine_applicable() { Self::CERTAIN } else { Self::KEPT };
            if *count <= most {
                self.list.push(diagnostic);
            }
        }
    }

    /// Takes back every diagnostic with this code that `keep` is false for, for example a warning
    /// that a later phase turned into an error of its own.
    pub fn retract(&mut self, code: &'static Code, mut keep: impl FnMut(&Diagnostic) -> bool) {
        let Self { list, counts, .. } = self;
        list.retain(|diagnostic| {
            let stays = diagnostic.code != code || keep(diagnostic);
            counts[diagnostic.severity as usize] -= usize::from(!stays);
            stays
        });
    }

    /// True if some diagnostic is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.counts[Severity::Error as usize] > 0
    }

    /// True if there are errors, and all of them are exceeded limits of grounding or of later
    /// phases, or report that grounding would never end: the rulesheet is not known to be wrong.
    #[must_use]
    pub fn are_excesses(&self) -> bool {
        const EXCESSES: [&Code; 10] = [
            &codes::RECURSION_FUNCTION_GROWTH,
            &codes::RECURSION_FUNCTION_GROWTH_MUTUAL,
            &codes::STATE_TERM_GROWTH,
            &codes::HISTORY_GROWTH,
            &codes::TOO_MANY_INSTANCES,
            &codes::OR_EXPLOSION,
            &codes::BILLION_LAUGHS,
            &codes::EXPONENTIAL_COUNTER,
            &codes::LONG_CHAIN_RECURSION,
            &codes::OUT_OF_FUEL,
        ];
        let mut errors = self.iter().filter(|d| d.severity == Severity::Error);
        self.has_errors() && errors.all(|d| EXCESSES.contains(&d.code))
    }

    /// Turns the errors of a rulesheet, all of them exceeded limits, into warnings, since it is
    /// interpreted instead; unless warnings are denied.
    pub fn excuse(&mut self) {
        if self.levels.deny.iter().any(|name| name == "warnings") {
            return;
        }
        for diagnostic in self.list.iter_mut().filter(|d| d.severity == Severity::Error) {
            diagnostic.severity = Severity::Warning;
            diagnostic.message.insert_str(0, "evaluated state by state: ");
        }
        let errors = std::mem::take(&mut self.counts[Severity::Error as usize]);
        self.counts[Severity::Warning as usize] += errors;
    }

    /// The number of diagnostics of a severity, those not kept included.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        self.counts[severity as usize]
    }

    /// The diagnostics, in the order of the text once [`Diagnostics::sort`] was called.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter()
    }

    /// The number of diagnostics.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// True if there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Sorts the list by the order of the text. Consequences of all rules together come after their
    /// possible causes, and faults of the whole rulesheet come last.
    pub fn sort(&mut self) {
        let follows = |code| [&codes::TERMINAL_UNREACHABLE, &codes::GOAL_100_MISSING].contains(&code);
        self.list.sort_by_key(|d| (d.span.is_none(), follows(d.code), d.span, d.code.id));
    }
}
