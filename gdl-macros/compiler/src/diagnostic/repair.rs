//! Edits of diagnostics, made in the text.
//!
//! What one diagnostic suggests is made as a whole or not at all. Where two get in each other's way, the first one in the list goes
//! first, and the other may be reported again of the new text. O((edits + bytes) · log edits).

use super::{Diagnostic, Source, Span};
use std::collections::BTreeMap;

/// The text after the edits that could be made, and the diagnostics that suggested them.
pub fn repair<'d>(
    source: &Source,
    diagnostics: impl IntoIterator<Item = &'d Diagnostic>,
) -> (String, Vec<&'d Diagnostic>) {
    let mut edits: BTreeMap<Span, String> = BTreeMap::new();
    let mut made = Vec::new();
    for diagnostic in diagnostics {
        let is_free = |edit: &super::Edit| is_free(&edits, edit.span);
        if diagnostic.edits.is_empty() || !diagnostic.edits.iter().all(is_free) {
            continue;
        }
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

/// Whether a span has nothing in common with those that are edited. What is put in stands before what is replaced.
fn is_free(edits: &BTreeMap<Span, String>, span: Span) -> bool {
    let before = edits.range(..=Span { end: u32::MAX, ..span }).next_back();
    let behind = edits.range(span..).next();
    before.is_none_or(|(other, _)| other.end <= span.start && *other != span)
        && behind.is_none_or(|(other, _)| other.start >= span.end && *other != span)
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
        // What is put in at one place keeps its order, and comes before what is replaced there.
        assert_repaired(&[fault(&[(3, 5, "x"), (3, 3, "a"), (3, 3, "b")])], "012abx56789", 1);
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
