//! Any bytes: formatting keeps the tokens and comments of a text that can be read, and is
//! idempotent.
#![no_main]

use gdl_compiler::{Diagnostics, Source, format::format, syntax::parse};
use gdl_fuzz::{options, show, source};
use libfuzzer_sys::fuzz_target;

/// The words, the places of lists among them, and the comments of a text that can be read.
fn content(source: &Source) -> (Vec<String>, Vec<String>) {
    let tree = parse(source, &options(), &mut Diagnostics::default());
    let mut tokens = Vec::new();
    let mut open: Vec<_> = tree.forms.iter().rev().copied().map(Some).collect();
    while let Some(next) = open.pop() {
        let Some(id) = next else {
            tokens.push(")".to_owned());
            continue;
        };
        let text = tree.text(id, source);
        if text.starts_with('(') {
            tokens.push("(".to_owned());
            open.push(None);
            open.extend(tree.children(id).iter().rev().copied().map(Some));
        } else {
            tokens.push(text.to_owned());
        }
    }
    let blanks = [' ', '\t', '\u{0C}'];
    let comments = tree.comments.iter().map(|&span| source.slice(span).trim_end_matches(blanks).to_owned());
    (tokens, comments.collect())
}

fuzz_target!(|bytes: &[u8]| {
    let Some(source) = source(bytes) else { return };
    match format(&source, &options()) {
        Ok(text) => {
            let once = Source::new("formatted.kif", text);
            assert_eq!(content(&once), content(&source));
            // Spaces may make a text too long for the small limits.
            if let Ok(twice) = format(&once, &options()) {
                assert_eq!(twice, once.text());
            }
        }
        Err(faults) => show(faults, &source),
    }
});
