//! Games that look odd but are correct: none of them gives an error. The numbers of
//! `accept/NN_name.kif` are no codes.

use gdl_compiler::{Diagnostics, Options, Rules, Source, check, syntax};
use std::path::Path;

fn rules(name: &str, bytes: Vec<u8>, options: &Options) -> Rules {
    let source = Source::from_bytes(name, bytes).unwrap();
    let mut diagnostics = Diagnostics::new(options.levels.clone());
    let tree = syntax::parse(&source, options, &mut diagnostics);
    let rules = check::check(&tree, &source, options, &mut diagnostics);
    rules.unwrap_or_else(|| panic!("{}", diagnostics.render(&source)))
}

#[test]
fn odd_games_are_accepted() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/accept");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "kif"));
    assert!(paths.len() > 20);
    for path in paths {
        let name = path.file_name().unwrap().to_str().unwrap();
        let rules = rules(name, std::fs::read(&path).unwrap(), &Options::default());
        assert!(!rules.roles.is_empty(), "{name}");
    }
}

#[test]
fn case_is_folded_unless_sensitive() {
    let text = b"(ROLE Red) (init (P a)) (<= (legal red A) (TRUE (p A))) (<= terminal (true (P a)))
        (goal Red 100)";
    let folded = rules("folded", text.to_vec(), &Options::default());
    let sensitive = Options { case_sensitive: true, ..Options::default() };
    let sensitive = rules("sensitive", text.to_vec(), &sensitive);
    assert_eq!(folded.symbols.find("red"), folded.symbols.find("RED"));
    assert_eq!(sensitive.symbols.find("RED"), None);
    assert_ne!(sensitive.symbols.find("red"), sensitive.symbols.find("Red"));
    // Keywords are recognised in any case.
    assert_eq!((folded.roles.len(), sensitive.roles.len()), (1, 1));
    assert_eq!(folded.display_atom(&folded.rules[0], &folded.rules[0].head), "(role Red)");
}

#[test]
fn documentation_is_the_comment_on_top() {
    let text = b";;; Noughts.\n;  Crosses.\n;\n\n; By hand.\n(role x) ; a player\n(legal x y)\n; not this\nterminal (goal x 0)";
    let rules = rules("documented", text.to_vec(), &Options::default());
    assert_eq!(rules.documentation, ["Noughts.", " Crosses.", "", "", "By hand."]);
}

#[test]
fn chance_and_percepts_are_part_of_the_language() {
    let text = b"(role random) (role a) (legal random flip) (legal a wait) (goal a 0) terminal
        (<= (sees a ?m) (does random ?m))";
    let rules = rules("chance", text.to_vec(), &Options::default());
    assert_eq!(rules.relation_name(rules.keywords.sees), "sees");
}

#[test]
fn bounded_recursion_is_accepted() {
    let text = b"(role a) (legal a wait) (goal a 0) (init (count z)) (init (log 0 nil)) (succ 0 1) (succ 1 2)
        (num z) (num (s z))
        (<= (next (count (s ?x))) (true (count ?x)) (num ?x))
        (<= (next (log ?m (h ?x ?l))) (true (log ?n ?l)) (succ ?n ?m) (does a ?x))
        (<= terminal (true (count (s ?x))) (true (log 2 ?l)))";
    rules("bounded", text.to_vec(), &Options::default());
}
