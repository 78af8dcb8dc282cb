//! Any bytes: the parser ends, and its tree and its report fit the text.
#![no_main]

use gdl_compiler::{Diagnostics, syntax::parse};
use gdl_fuzz::{options, show, source};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let (Some(source), options) = (source(bytes), options()) else { return };
    let mut diagnostics = Diagnostics::default();
    let tree = parse(&source, &options, &mut diagnostics);
    assert_eq!(tree.broken, diagnostics.has_errors());
    let mut end = 0;
    let mut open = Vec::new();
    for &form in &tree.forms {
        let span = tree.node(form).span;
        assert!(span.start >= end && span.start < span.end);
        end = span.end;
        open.push(form);
    }
    while let Some(id) = open.pop() {
        assert!(!tree.text(id, &source).is_empty());
        let outer = tree.node(id).span;
        for &child in tree.children(id) {
            let inner = tree.node(child).span;
            assert!(outer.start < inner.start && inner.end < outer.end);
            open.push(child);
        }
    }
    let mut end = 0;
    for comment in &tree.comments {
        assert!(comment.start > end || comment.start == 1);
        assert!(source.text()[..comment.start as usize].ends_with(';'));
        end = comment.end;
    }
    show(diagnostics, &source);
});
