//! The ranges that can be folded: forms and comments of several lines.

use crate::document::Document;
use gen_lsp_types::{FoldingRange, FoldingRangeKind};

/// Returns the ranges, forms first.
pub(crate) fn fold(document: &Document) -> Vec<FoldingRange> {
    let (tree, source) = (&document.reading().tree, &document.source);
    let fold = |first: usize, last: usize, kind| FoldingRange {
        start_line: first as u32 - 1,
        end_line: last as u32 - 1,
        kind,
        ..FoldingRange::default()
    };
    let mut ranges = Vec::new();
    for &form in &tree.forms {
        let span = document.span(form);
        let (first, last) = (source.line_of(span.start), source.line_of(span.end));
        if first < last {
            ranges.push(fold(first, last, None));
        }
    }
    // The first and last line of the current block of comments.
    let mut block: Option<(usize, usize)> = None;
    let lines = tree.comments.iter().map(|comment| (comment.start - 1, source.line_of(comment.start)));
    let alone = lines.filter(|&(start, line)| {
        source.slice(gdl_compiler::Span { start: source.line_start(line), end: start }).trim().is_empty()
    });
    for line in alone.map(|(_, line)| Some(line)).chain([None]) {
        match (&mut block, line) {
            (Some((_, last)), Some(line)) if line == *last + 1 => *last = line,
            (_, line) => {
                if let Some((first, last)) = block.filter(|(first, last)| first < last) {
                    ranges.push(fold(first, last, Some(FoldingRangeKind::Comment)));
                }
                block = line.map(|line| (line, line));
            }
        }
    }
    ranges
}
