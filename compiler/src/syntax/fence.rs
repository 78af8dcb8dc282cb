//! Rulesheets inside Markdown: the text between lines that begin with three backticks.
//!
//! Language models answer in this form. Text outside the fences is ignored. O(bytes).

use crate::diagnostic::{Diagnostic, Edit, Source, Span, codes};
use std::ops::Range;

/// Returns the ranges of lines outside the fences, including the fences themselves; empty if there
/// is no fence.
pub(super) fn outside(text: &str) -> Vec<Range<usize>> {
    let mut outside: Vec<Range<usize>> = Vec::new();
    let (mut start, mut is_inside, mut place) = (0, false, 0);
    for line in text.split_inclusive('\n') {
        let end = place + line.len();
        if line.trim_start().starts_with("```") {
            if is_inside {
                start = place;
            } else {
                outside.push(start..end);
            }
            is_inside = !is_inside;
        }
        place = end;
    }
    if !outside.is_empty() && !is_inside {
        outside.push(start..text.len());
    }
    outside
}

/// Replaces the text outside the fences by blanks. Returns the new source and a warning, or `None`
/// if there is no fence.
pub(super) fn strip(source: &Source) -> Option<(Source, Diagnostic)> {
    let outside = outside(source.text());
    let first = outside.first()?.clone();
    let mut bytes = source.text().as_bytes().to_vec();
    for byte in outside.iter().cloned().flatten() {
        if !matches!(bytes[byte], b'\n' | b'\r') {
            bytes[byte] = b' ';
        }
    }
    let text = String::from_utf8(bytes).ok()?;
    let fence = source.text()[..first.end].rfind("```").unwrap_or(first.start);
    let warning = Diagnostic::new(
        &codes::MARKDOWN_FENCE,
        Span::new(fence, fence + "```".len()),
        "the rulesheet is inside Markdown",
    )
    .note("text outside the fences is ignored")
    .help("remove the fences and the text outside them")
    .suggest_all(outside.iter().map(|range| Edit::remove(Span::new(range.start, range.end))));
    // If there are several blocks, some may not be part of the rulesheet.
    let is_one = outside.len() <= 2;
    let warning = if is_one { warning.machine_applicable() } else { warning };
    Some((Source::new(source.name(), text), warning))
}
