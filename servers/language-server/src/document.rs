//! A document: an open rulesheet with its text, positions as clients count them, and the results of
//! parsing it.
//!
//! Clients count lines from zero and columns in UTF-16 units; the compiler counts bytes. Converting
//! between them takes O(log text), however long a line is. A text is parsed when its results are
//! first needed.

use crate::{
    domains::{self, Domain},
    names::Names,
    worker::options,
};
use gdl_compiler::{
    Diagnostic, Diagnostics, Rules, Source, Span, Syntax,
    check::check,
    syntax::{NodeId, Tree, parse},
};
use gen_lsp_types::{Position, Range, Uri};
use std::{
    cell::OnceCell,
    sync::{Arc, atomic::AtomicBool},
};

/// The number of bytes between two consecutive offsets whose UTF-16 count is stored.
const STRIDE: usize = 64;

/// An open rulesheet.
pub(crate) struct Document {
    /// The address of the document.
    pub(crate) uri: Uri,
    /// The version number from the client.
    pub(crate) version: i32,
    /// The text with its line index.
    pub(crate) source: Arc<Source>,
    /// The number of UTF-16 units before each multiple of [`STRIDE`].
    units: Vec<u32>,
    reading: OnceCell<Reading>,
    domains: OnceCell<Vec<Vec<Domain>>>,
    /// The diagnostics of the worker, if they differ from those of parsing. `None` until the worker
    /// has finished.
    pub(crate) found: Option<Vec<Diagnostic>>,
    /// True if the diagnostics of this version have not been published.
    pub(crate) is_new: bool,
    /// The flag that cancels the worker's job for this version.
    pub(crate) called_off: Arc<AtomicBool>,
}

/// The results of parsing and checking a text, without grounding.
pub(crate) struct Reading {
    /// The forms that could be parsed; empty for `Epilog` syntax, whose nodes have no places in the
    /// text.
    pub(crate) tree: Tree,
    /// The index of the names in the forms.
    pub(crate) names: Names,
    /// The diagnostics.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The rules, if the checks found no error.
    pub(crate) rules: Option<Rules>,
    /// True if a diagnostic is an error, so that the rules cannot be grounded.
    pub(crate) has_errors: bool,
}

impl Document {
    /// Creates a document from a text of the client.
    pub(crate) fn new(uri: Uri, version: i32, text: String) -> Self {
        let mut units = Vec::with_capacity(text.len() / STRIDE + 1);
        let mut count = 0;
        for (offset, byte) in text.bytes().enumerate() {
            if offset % STRIDE == 0 {
                units.push(count);
            }
            count += width(byte);
        }
        let name = uri.as_ref().rsplit('/').next().unwrap_or_default().to_owned();
        Self {
            uri,
            version,
            source: Arc::new(Source::new(name, text)),
            units,
            reading: OnceCell::new(),
            domains: OnceCell::new(),
            found: None,
            is_new: true,
            called_off: Arc::default(),
        }
    }

    /// Returns the results of parsing, computed at the first call.
    pub(crate) fn reading(&self) -> &Reading {
        self.reading.get_or_init(|| {
            let options = options();
            let mut diagnostics = Diagnostics::of(&self.source, &options);
            let tree = parse(&self.source, &options, &mut diagnostics);
            let rules = check(&tree, &self.source, &options, &mut diagnostics);
            diagnostics.sort();
            // The nodes of a translated text have no places in it.
            let tree = if tree.syntax == Syntax::Epilog { Tree::default() } else { tree };
            Reading {
                names: Names::new(&tree, &self.source),
                has_errors: diagnostics.has_errors(),
                rules,
                diagnostics: diagnostics.iter().cloned().collect(),
                tree,
            }
        })
    }

    /// Returns the domain of each variable of each rule; empty if the rulesheet has errors or is
    /// too large.
    pub(crate) fn domains(&self) -> &[Vec<Domain>] {
        self.domains.get_or_init(|| self.reading().rules.as_ref().map(domains::domains).unwrap_or_default())
    }

    /// Returns the diagnostics of the worker, or those of parsing until the worker has found
    /// others.
    pub(crate) fn diagnostics(&self) -> &[Diagnostic] {
        self.found.as_deref().unwrap_or_else(|| &self.reading().diagnostics)
    }

    /// Returns the text.
    pub(crate) fn text(&self) -> &str {
        self.source.text()
    }

    /// Returns the span of a node.
    pub(crate) fn span(&self, node: NodeId) -> Span {
        self.reading().tree.node(node).span
    }

    /// Returns the number of UTF-16 units before a byte offset.
    fn units(&self, offset: usize) -> u32 {
        let offset = offset.min(self.text().len());
        let Some(&known) = self.units.get(offset / STRIDE) else {
            // The offset is the end of the text at a multiple of [`STRIDE`], or the text is empty.
            return self
                .units
                .last()
                .map_or(0, |_| self.units(offset - 1) + width_at(self.text(), offset - 1));
        };
        let start = offset / STRIDE * STRIDE;
        known + self.text().as_bytes()[start..offset].iter().map(|&byte| width(byte)).sum::<u32>()
    }

    /// Converts a byte offset to a position.
    pub(crate) fn position(&self, offset: u32) -> Position {
        let line = self.source.line_of(offset);
        let start = self.source.line_start(line) as usize;
        Position::new(line as u32 - 1, self.units(offset as usize) - self.units(start))
    }

    /// Converts a span to a range.
    pub(crate) fn range(&self, span: Span) -> Range {
        Range::new(self.position(span.start), self.position(span.end))
    }

    /// Converts a position to a byte offset; a position out of range becomes the nearest valid one.
    pub(crate) fn offset(&self, position: Position) -> u32 {
        let line = position.line as usize + 1;
        if line > self.source.lines() {
            return self.text().len() as u32;
        }
        let start = self.source.line_start(line) as usize;
        let end = start + self.source.line(line).len();
        let wanted = self.units(start).saturating_add(position.character);
        // Starts at the last stored offset that is not after the position.
        let stride = self.units.partition_point(|&units| units <= wanted).saturating_sub(1);
        let mut offset = (stride * STRIDE).max(start);
        let mut units = self.units(offset);
        while offset < end && units < wanted {
            units += width_at(self.text(), offset);
            offset += 1;
        }
        while !self.text().is_char_boundary(offset) {
            offset += 1;
        }
        offset.min(end) as u32
    }

    /// Converts a range to a span.
    pub(crate) fn bytes(&self, range: Range) -> Span {
        let (start, end) = (self.offset(range.start), self.offset(range.end));
        Span { start, end: end.max(start) }
    }
}

/// Returns the number of UTF-16 units that a byte adds. The first byte of a character adds all
/// units of the character, the others add none.
fn width(byte: u8) -> u32 {
    match byte {
        0x80..0xC0 => 0,
        0xF0.. => 2,
        _ => 1,
    }
}

fn width_at(text: &str, offset: usize) -> u32 {
    width(text.as_bytes()[offset])
}

#[cfg(test)]
mod tests {
    use super::Document;
    use gen_lsp_types::{Position, Uri};

    fn document(text: &str) -> Document {
        Document::new(Uri::from("file:///a.kif"), 1, text.to_owned())
    }

    #[test]
    fn places_are_the_same_both_ways() {
        let long = format!("; {}é😀\r\nx", "ü".repeat(100));
        for text in ["", "a", "a\n", "é😀b\rc\n\nd", &"a".repeat(64), &"é".repeat(32), &long] {
            let document = document(text);
            for (offset, _) in text.char_indices().chain([(text.len(), ' ')]) {
                // No position exists between CR and LF.
                if text[..offset].ends_with('\r') && text[offset..].starts_with('\n') {
                    continue;
                }
                let position = document.position(offset as u32);
                let start = document.source.line_start(position.line as usize + 1) as usize;
                let column = text[start..offset].encode_utf16().count();
                assert_eq!(position.character as usize, column, "{text:?} {offset}");
                assert_eq!(document.offset(position) as usize, offset, "{text:?} {offset}");
            }
        }
    }

    #[test]
    fn places_out_of_range_are_the_nearest_ones() {
        let document = document("ab\né😀\n");
        for (line, column, offset) in [(0, 9, 2), (1, u32::MAX, 9), (1, 2, 9), (7, 0, 10), (u32::MAX, 3, 10)]
        {
            assert_eq!(document.offset(Position::new(line, column)), offset, "{line}:{column}");
        }
    }
}
