//! Tools that the targets share: reading of bytes, small limits, and a mutator of whole forms.

#[path = "../../tests/src/comparison.rs"]
pub mod comparison;
#[path = "../../compiler/tests/unlikely_rulesheets/forms.rs"]
pub mod forms;
#[path = "../../tests/src/generator.rs"]
pub mod generator;
pub mod message;
pub mod serve;
#[path = "../../cli/tests/cli/validity.rs"]
mod validity;

use gdl_compiler::{Diagnostics, Limits, Options, Rules, Source, check, syntax};

/// Limits that every input must keep to, small enough for a thousand inputs a second.
pub fn options() -> Options {
    let limits = Limits {
        max_source_bytes: 1 << 16,
        max_nesting: 200,
        max_term_depth: 50,
        max_term_size: 1_000,
        max_atoms: 10_000,
        max_fluents: 1_000,
        max_ground_rules: 5_000,
        max_gates: 20_000,
        fuel: 100_000,
        ..Limits::default()
    };
    Options { limits, ..Options::default() }
}

/// Returns the rulesheet in `bytes`. If the bytes are no text, asserts that the fault can be
/// rendered, and returns `None`.
pub fn source(bytes: &[u8]) -> Option<Source> {
    match Source::from_bytes("fuzz.kif", bytes.to_vec()) {
        Ok(source) => Some(source),
        Err(fault) => {
            assert!(!fault.1.render(&fault.0).is_empty());
            None
        }
    }
}

/// Parses and checks a rulesheet. Asserts that the result is either rules or an error.
pub fn checked(source: &Source, options: &Options) -> (Diagnostics, Option<Rules>) {
    let mut diagnostics = Diagnostics::new(options.levels.clone());
    let tree = syntax::parse(source, options, &mut diagnostics);
    let rules = check::check(&tree, source, options, &mut diagnostics);
    assert_eq!(rules.is_none(), diagnostics.has_errors());
    (diagnostics, rules)
}

/// Renders the report. Asserts that every place is inside the text and begins and ends between
/// characters.
pub fn show(mut diagnostics: Diagnostics, source: &Source) {
    diagnostics.sort();
    assert_eq!(diagnostics.render(source).is_empty(), diagnostics.is_empty());
    for diagnostic in diagnostics.iter() {
        for span in diagnostic.span.into_iter().chain(diagnostic.labels.iter().map(|label| label.span)) {
            assert!(span.start <= span.end, "{span:?}");
            assert!(source.text().get(span.start as usize..span.end as usize).is_some(), "{span:?}");
        }
    }
}
