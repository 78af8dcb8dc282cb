//! The formatter of rulesheets, from text to text. This module lays out KIF; `syntax::layout` lays
//! out the other syntaxes.
//!
//! A rule has its head on the first line and one literal on each line after it. Alternatives of an
//! `or` are below each other, and a term longer than a line is broken at its arguments. The
//! author's grouping stays. Several blank lines become one, and facts of one relation may share a
//! line. The columns of adjacent lines of such facts are aligned.
//!
//! The tokens and comments are those of the source, in the same order. Each comment stays at the
//! end of its line or on a line of its own. Formatting again changes nothing. The walk over the
//! tree uses an explicit stack, so no depth can overflow the call stack. No line is indented by
//! more than `DEEPEST` columns, so the result is at most a constant factor longer than the source.

use crate::diagnostic::Span;
use crate::syntax::{Kind, NodeId, Syntax, Tree, layout::layout, parse};
use crate::{Diagnostics, Options, Source};

/// The most columns of a line that can be broken.
const WIDTH: usize = 100;

/// The deepest indentation in columns. Without this bound, lines of deep terms would be mostly
/// spaces.
const DEEPEST: usize = 60;

/// Formats a rulesheet. Lines end with LF, and so does the text; a byte order mark is dropped.
/// O(bytes · log bytes).
///
/// ```
/// use gdl_compiler::{Options, Source, format::format};
///
/// let source = Source::new("a.kif", "(role red)\r\n(<= (legal red go)(true(at 1)) ; forward\r\n (p))");
/// let text = format(&source, &Options::default()).unwrap();
/// assert_eq!(text, "(role red)\n(<= (legal red go)\n    (true (at 1)) ; forward\n    (p))\n");
/// ```
///
/// # Errors
/// Returns the faults of a text whose forms cannot be read. Other faults are ignored.
pub fn format(source: &Source, options: &Options) -> Result<String, Box<Diagnostics>> {
    let mut diagnostics = Diagnostics::of(source, options);
    let syntax = options.syntax.unwrap_or_else(|| Syntax::of(source.text()));
    if syntax != Syntax::Kif && source.text().len() <= options.limits.max_source_bytes {
        return layout(source, syntax, &options.limits).map_err(|found| {
            found.into_iter().for_each(|fault| diagnostics.push_as_is(fault));
            diagnostics.sort();
            Box::new(diagnostics)
        });
    }
    let tree = parse(source, options, &mut diagnostics);
    if tree.broken {
        diagnostics.sort();
        return Err(Box::new(diagnostics));
    }
    let layout = Layout::new(&tree, source);
    let mut writer = SheetWriter::new(&tree, source);
    for (&form, gap) in tree.forms.iter().zip(layout.gaps()) {
        let before = if gap == 0 { Before::Line(0) } else { Before::Spaces(gap) };
        layout.write(form, before, &mut writer);
    }
    Ok(writer.finish())
}

/// The widths of the nodes of a tree, which decide the line breaks.
struct Layout<'t> {
    tree: &'t Tree,
    source: &'t Source,
    /// The width of each node on one line.
    widths: Vec<usize>,
    /// For each node, true if it takes several lines whatever its width.
    breaks: Vec<bool>,
}

/// A list that is being written: an entry of the stack.
struct Open {
    list: NodeId,
    /// The next element to write.
    next: usize,
    /// True if the whole list is on one line.
    flat: bool,
    /// The column of its parenthesis.
    column: usize,
    /// The column of elements that start a line.
    indent: usize,
    /// The number of parentheses that close directly after it.
    closing: usize,
}

impl<'t> Layout<'t> {
    fn new(tree: &'t Tree, source: &'t Source) -> Self {
        let mut layout = Self { tree, source, widths: Vec::new(), breaks: Vec::new() };
        // Elements come before their list.
        for id in tree.ids() {
            let span = tree.node(id).span;
            let mut width = (span.end - span.start) as usize;
            let mut breaks = false;
            if matches!(tree.node(id).kind, Kind::List(_)) {
                let elements = tree.children(id);
                width = elements.iter().map(|e| 1 + layout.widths[e.0 as usize]).sum::<usize>().max(1) + 1;
                let first = tree.comments.partition_point(|comment| comment.start < span.start);
                let comment = tree.comments.get(first).is_some_and(|comment| comment.start < span.end);
                let many = elements.len() > 2 && matches!(layout.head(id), "<=" | "or" | "OR");
                breaks = comment || many || elements.iter().any(|e| layout.breaks[e.0 as usize]);
            }
            layout.widths.push(width);
            layout.breaks.push(breaks);
        }
        layout
    }

    fn width(&self, id: NodeId) -> usize {
        self.widths[id.0 as usize]
    }

    /// The word that a list starts with, or the word itself; empty if there is none.
    fn head(&self, id: NodeId) -> &'t str {
        match self.tree.node(id).kind {
            Kind::List(_) => match self.tree.children(id).first() {
                Some(&head) if self.is_word(head) => self.tree.text(head, self.source),
                _ => "",
            },
            _ => self.tree.text(id, self.source),
        }
    }

    fn is_word(&self, id: NodeId) -> bool {
        !matches!(self.tree.node(id).kind, Kind::List(_))
    }

    /// The number of spaces before each top-level form; 0 if the form starts a line.
    fn gaps(&self) -> Vec<usize> {
        let forms = &self.tree.forms;
        let mut gaps = vec![0; forms.len()];
        // Forms from `block` on are facts of one relation, without blank lines or comments between
        // them.
        let (mut block, mut column) = (0, 0);
        for (i, &form) in forms.iter().enumerate() {
            let between = if i == 0 { None } else { self.between(forms[i - 1], form) };
            if between.is_none() {
                self.align(block..i, &mut gaps);
                block = i;
            }
            let width = self.width(form);
            if between == Some(0) && column + 1 + width <= WIDTH {
                gaps[i] = 1;
                column += 1 + width;
            } else {
                column = width;
            }
        }
        self.align(block..forms.len(), &mut gaps);
        gaps
    }

    /// Returns the number of line ends between two forms, or `None` if they may not share a line.
    /// Only short facts of one relation may share a line, without a blank line or comment between
    /// them.
    fn between(&self, first: NodeId, second: NodeId) -> Option<usize> {
        let is_fact = |id: NodeId| {
            let (breaks, head) = (self.breaks[id.0 as usize], self.head(id));
            !breaks && self.width(id) <= WIDTH && !head.is_empty() && head != "<="
        };
        let span = Span { start: self.tree.node(first).span.end, end: self.tree.node(second).span.start };
        let gap = self.source.slice(span);
        let lines = line_ends(gap);
        let near = lines < 2 && !gap.contains(';');
        (near && is_fact(first) && is_fact(second) && self.head(first) == self.head(second)).then_some(lines)
    }

    /// Widens the gaps of a block of facts so that its columns are aligned, if they fit.
    fn align(&self, block: std::ops::Range<usize>, gaps: &mut [usize]) {
        let mut columns: Vec<usize> = Vec::new();
        let mut place = 0;
        for i in block.clone() {
            place = if gaps[i] == 0 { 0 } else { place + 1 };
            let width = self.width(self.tree.forms[i]);
            match columns.get_mut(place) {
                Some(widest) => *widest = width.max(*widest),
                None => columns.push(width),
            }
        }
        if columns.iter().map(|width| width + 1).sum::<usize>() > WIDTH + 1 {
            return;
        }
        place = 0;
        for i in block {
            place = if gaps[i] == 0 { 0 } else { place + 1 };
            if place > 0 {
                gaps[i] = 1 + columns[place - 1] - self.width(self.tree.forms[i - 1]);
            }
        }
    }

    /// Writes a form, with an explicit stack of its open lists.
    fn write(&self, form: NodeId, before: Before, writer: &mut SheetWriter<'t>) {
        let mut stack = Vec::new();
        self.start(form, before, 0, 0, &mut stack, writer);
        while let Some(open) = stack.last_mut() {
            let elements = self.tree.children(open.list);
            if let Some(&element) = elements.get(open.next) {
                let closing = if open.next + 1 == elements.len() { open.closing + 1 } else { 0 };
                let before = self.before(open, elements, closing, writer);
                let indent = open.indent;
                open.next += 1;
                self.start(element, before, indent, closing, &mut stack, writer);
            } else {
                let end = self.tree.node(open.list).span.end;
                let before = if writer.commented(end - 1, open.indent) {
                    Before::Line(open.column.min(DEEPEST))
                } else {
                    Before::Spaces(0)
                };
                writer.token(Span { start: end - 1, end }, before);
                stack.pop();
            }
        }
    }

    /// Writes a word, or the opening parenthesis of a list. Pushes the list onto the stack.
    fn start(
        &self,
        id: NodeId,
        before: Before,
        indent: usize,
        closing: usize,
        stack: &mut Vec<Open>,
        writer: &mut SheetWriter<'t>,
    ) {
        let span = self.tree.node(id).span;
        // Only a new line may follow a comment.
        let before = if writer.commented(span.start, indent) { Before::Line(indent) } else { before };
        if self.is_word(id) {
            writer.token(span, before);
            return;
        }
        writer.token(Span { start: span.start, end: span.start + 1 }, before);
        let column = writer.column() - 1;
        let flat = !self.breaks[id.0 as usize] && column + self.width(id) + closing <= WIDTH;
        let indent = match self.head(id) {
            "<=" => column + 4,
            "" => column + 1,
            head => column + head.len() + 2,
        };
        stack.push(Open { list: id, next: 0, flat, column, indent: indent.min(DEEPEST), closing });
    }

    /// Returns the space before the next element of a list.
    fn before(&self, open: &Open, elements: &[NodeId], closing: usize, writer: &SheetWriter<'t>) -> Before {
        let element = elements[open.next];
        let before = open.next.checked_sub(1).map(|i| elements[i]);
        let rule = self.head(open.list) == "<=";
        match before {
            None => Before::Spaces(0),
            Some(_) if open.flat => Before::Spaces(1),
            // The first argument, or the head of a rule.
            Some(head) if open.next == 1 && self.is_word(head) => Before::Spaces(1),
            // Words fill lines, lists have lines of their own.
            Some(before) if !rule && self.is_word(before) && self.is_word(element) => {
                let fits = writer.column() + 1 + self.width(element) + closing <= WIDTH;
                if fits { Before::Spaces(1) } else { Before::Line(open.indent) }
            }
            Some(_) => Before::Line(open.indent),
        }
    }
}

/// The number of line ends in a text, CR LF counted as one.
fn line_ends(text: &str) -> usize {
    let bytes = text.as_bytes();
    let ends =
        |(i, &byte): (usize, &u8)| byte == b'\n' || (byte == b'\r' && bytes.get(i + 1) != Some(&b'\n'));
    bytes.iter().enumerate().filter(|&pair| ends(pair)).count()
}

/// The space before a token.
#[derive(Clone, Copy)]
enum Before {
    Spaces(usize),
    /// A line end and this number of spaces.
    Line(usize),
}

/// The text written so far, and the comments still to write.
struct SheetWriter<'t> {
    source: &'t Source,
    /// The comments that are not written yet.
    comments: &'t [Span],
    text: String,
    /// The start of the current line in the text.
    line: usize,
    /// The end of the last token or comment in the source.
    last: u32,
    /// True if the last token is an opening parenthesis.
    opened: bool,
}

impl<'t> SheetWriter<'t> {
    fn new(tree: &'t Tree, source: &'t Source) -> Self {
        let text = String::with_capacity(source.text().len());
        Self { source, comments: &tree.comments, text, line: 0, last: 0, opened: false }
    }

    /// The column after the last character written. All text except comments is ASCII.
    fn column(&self) -> usize {
        self.text.len() - self.line
    }

    /// Writes the comments before an offset. Returns true if there are any.
    fn commented(&mut self, offset: u32, indent: usize) -> bool {
        let mut any = false;
        while let Some((comment, rest)) = self.comments.split_first()
            && comment.start < offset
        {
            self.comments = rest;
            // The semicolon is not part of the span.
            let start = comment.start - 1;
            let gap = self.source.slice(Span { start: self.last, end: start });
            if any || line_ends(gap) > 0 {
                self.line(start, indent, true);
            } else if !self.text.is_empty() {
                self.text.push(' ');
            }
            let comment = Span { start, end: comment.end };
            self.text.push_str(self.source.slice(comment).trim_end_matches([' ', '\t', '\u{0C}']));
            (self.last, self.opened) = (comment.end, false);
            any = true;
        }
        any
    }

    fn token(&mut self, span: Span, before: Before) {
        let text = self.source.slice(span);
        match before {
            Before::Spaces(count) => self.text.extend(std::iter::repeat_n(' ', count)),
            Before::Line(indent) => self.line(span.start, indent, text != ")"),
        }
        self.text.push_str(text);
        (self.last, self.opened) = (span.end, text == "(");
    }

    /// Starts a line for the text at an offset. Keeps a blank line before it if `blank` is true.
    fn line(&mut self, offset: u32, indent: usize, blank: bool) {
        if self.text.is_empty() {
            return;
        }
        let gap = self.source.slice(Span { start: self.last, end: offset });
        self.text.push('\n');
        if blank && line_ends(gap) > 1 && !self.opened {
            self.text.push('\n');
        }
        self.line = self.text.len();
        self.text.extend(std::iter::repeat_n(' ', indent));
    }

    /// Appends the comments after the last form and returns the text.
    fn finish(mut self) -> String {
        self.commented(u32::MAX, 0);
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text
    }
}
