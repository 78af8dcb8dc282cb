//! Application of the edits of diagnostics to the text.
//!
//! The edits of one diagnostic are applied as a whole or not at all. They claim the text from their
//! first to their last insertion or removal. For example, a pair of parentheses claims the text
//! inside, where another edit might mean something else. If two diagnostics claim the same text,
//! only the first in the list is applied. The other may be reported again for the new text.
//! O((edits + bytes) · log edits).

use super::{Diagnostic, Edit, Source, Span};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the text after all edits that could be applied, and the diagnostics that suggested them.
pub fn repair<'d>(
    source: &Source,
    diagnostics: impl IntoIterator<Item = &'d Diagnostic>,
) -> (String, Vec<&'d Diagnostic>) {
    let mut edits: BTreeMap<Span, String> = BTreeMap::new();
    let mut claimed = BTreeSet::new();
    let mut made = Vec::new();
    for diagnostic in diagnostics {
        let claims = claims(&diagnostic.edits);
        if claims.is_empty() || !claims.iter().all(|&span| is_free(&claimed, span)) {
            continue;
        }
        claimed.extend(claims);
        for edit in &diagnostic.edits {
            edits.entry(edit.span).or_default().push_str(&edit.text);
        }
        made.push(diagnostic);
    }
    let mut text = String::with_capacity(source.text().len());
    let mut last = 0;
    for (span, new) in edits {
        text.push_str(source.slice(Span { start: last, end: span.start }));
        text.push_str(&new);
        last = span.end;
    }
    text.push_str(source.slice(Span::new(last as usize, source.text().len())));
    (text, made)
}

/// Returns the spans that the edits of a diagnostic claim: replaced spans, and the span from the
/// first to the last insertion or removal.
fn claims(edits: &[Edit]) -> Vec<Span> {
    let is_structural = |edit: &&Edit| edit.text.is_empty() || edit.span.start == edit.span.end;
    let structural = || edits.iter().filter(is_structural).map(|edit| edit.span);
    let hull = structural()
        .reduce(|all, span| Span { start: all.start.min(span.start), end: all.end.max(span.end) });
    let is_inside = |span: Span| hull.is_some_and(|hull| hull.start <= span.start && span.end <= hull.end);
    let replaced = edits.iter().map(|edit| edit.span).filter(|&span| !is_inside(span));
    hull.into_iter().chain(replaced).collect()
}

/// True if a span overlaps no claimed span. Two empty spans at one place overlap.
fn is_free(claimed: &BTreeSet<Span>, span: Span) -> bool {
    let before = claimed.range(..=Span { end: u32::MAX, ..span }).next_back();
    let behind = claimed.range(span..).next();
    before.is_none_or(|other| other.end <= span.start && *other != span)
        && behind.is_none_or(|other| other.start >= span.end && *other != span)
}

#[cfg(test)]
mod tests {
    use super::{super::codes, Diagnostic, Source, Span, repair};

    fn fault(edits: &[(usize, usize, &str)]) -> Diagnostic {
        let fault = Diagnostic::new(&codes::EMPTY_LIST, None, "");
        edits.iter().fold(fault, |fault, &(start, end, text)| fault.suggest(Span::new(start, end), text))
    }

    #[track_caller]
    fn assert_repaired(faults: &[Diagnostic], text: &str, made: usize) {
        let source = Source::new("a.kif", "0123456789");
        let (found, list) = repair(&source, faults);
        assert_eq!((found.as_str(), list.len()), (text, made));
    }

    #[test]
    fn edits_that_do_not_meet_are_all_made() {
        assert_repaired(&[], "0123456789", 0);
        assert_repaired(&[fault(&[])], "0123456789", 0);
        assert_repaired(
            &[fault(&[(7, 9, "b"), (10, 10, "c")]), fault(&[(0, 2, "a"), (2, 7, "")])],
            "ab9c",
            2,
        );
        // Insertions at one place keep their order, and come before a replacement there.
        assert_repaired(&[fault(&[(3, 5, "x"), (3, 3, "a"), (3, 3, "b")])], "012abx56789", 1);
    }

    #[test]
    fn what_is_inside_a_pair_is_left() {
        let pair = |start, end| fault(&[(start, start + 1, ""), (end - 1, end, "")]);
        assert_repaired(&[pair(0, 9), pair(2, 6)], "12345679", 1);
        assert_repaired(&[pair(2, 6), pair(0, 9)], "01346789", 1);
        assert_repaired(&[pair(0, 9), fault(&[(4, 5, "x")])], "12345679", 1);
        // Replacements claim only their own places.
        assert_repaired(&[fault(&[(0, 1, "x"), (8, 9, "x")]), pair(2, 6)], "x13467x9", 2);
        assert_repaired(&[pair(0, 4), pair(4, 9)], "125679", 2);
    }

    #[test]
    fn of_edits_that_meet_the_first_are_made() {
        for second in
            [(2, 4, "y"), (4, 6, "y"), (5, 8, "y"), (3, 3, "y"), (4, 4, "y"), (5, 5, "y"), (0, 9, "y")]
        {
            let first = fault(&[(3, 6, "x"), (3, 3, "a")]);
            let (start, end, text) = second;
            if (start, end) == (6, 6) {
                continue;
            }
            assert_repaired(&[first, fault(&[(9, 10, "z"), (start, end, text)])], "012ax6789", 1);
        }
        assert_repaired(&[fault(&[(4, 4, "a")]), fault(&[(2, 6, "b")])], "0123a456789", 1);
    }
}
