//! The front end on its own.

use gdl_compiler::{Diagnostics, Options, Source, check, syntax};

#[test]
fn tictactoe_becomes_rules() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/tictactoe.kif");
    let source = Source::new("tictactoe.kif", std::fs::read_to_string(path).unwrap());
    let options = Options::default();
    let mut diagnostics = Diagnostics::new(options.levels.clone());
    let tree = syntax::parse(&source, &options, &mut diagnostics);
    let rules = check::check(&tree, &source, &options, &mut diagnostics);
    assert!(!diagnostics.has_errors(), "{diagnostics:?}");
    let rules = rules.unwrap();
    assert_eq!(rules.roles.len(), 2);
    assert!(rules.rules.len() > 20);
}
