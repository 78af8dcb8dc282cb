//! The programs for gringo have the meaning of the rules.

use gdl_benches::gringo::{is_installed, program, run};
use gdl_compiler::{Diagnostics, Options, Rules, Source, check::check, ground::ground, syntax::parse};
use std::time::Duration;

fn rules(name: &str, text: &str) -> Rules {
    let (source, options) = (Source::new(name, text), Options::default());
    let mut diagnostics = Diagnostics::default();
    let tree = parse(&source, &options, &mut diagnostics);
    check(&tree, &source, &options, &mut diagnostics).expect("no faults")
}

const RULES: &str = "
    (role r) (init a) (legal r go) (goal r 0) (<= terminal (true (at 1)))
    (edge 1 2) (edge 2 3)
    (<= (next (at ?x)) (or (true a) (not (does r go))) (edge ?x ?y) (edge ?y ?z) (distinct ?x ?z))
    (<= (next a) (not (or (true (at 2)) (not (true a)))))";

#[test]
fn rules_become_a_program() {
    let text = program(&rules("rules", RULES), false).expect("few alternatives");
    let (_, of_rules) = text.split_once("{does(R,M)} :- legal(R,M), role(R).\n").expect("the choices");
    let expected = "\
role(c11).
init(c12).
legal(c11,c13).
goal(c11,c14).
terminal :- true(f16(c15)).
r11(c15,c17).
r11(c17,c19).
next(f16(V0)) :- true(c12), r11(V0,V1), r11(V1,V2), V0!=V2.
next(f16(V0)) :- not does(c11,c13), r11(V0,V1), r11(V1,V2), V0!=V2.
next(c12) :- not true(f16(c17)), true(c12).
";
    assert_eq!(of_rules, expected);
}

#[test]
fn splitting_projects_variables_that_the_head_does_not_need() {
    let text = program(
        &rules(
            "rules",
            "(role r) (init a) (legal r go) (goal r 0) (e 1 2)
            (<= terminal (e ?a ?b) (e ?b ?c) (e ?c ?d) (true ?d))",
        ),
        true,
    );
    let text = text.expect("no alternatives");
    let (_, of_rules) = text.split_once("r11(c15,c16).\n").expect("the fact");
    let expected = "\
h0(V1) :- r11(V0,V1).
h1(V2) :- r11(V1,V2), h0(V1).
terminal :- r11(V2,V3), true(V3), h1(V2).
";
    assert_eq!(of_rules, expected);
}

#[test]
fn gringo_finds_what_the_compiler_finds() {
    if !is_installed() {
        return gdl_test_support::skip("`python3` has no clingo: `pip install clingo`");
    }
    for entry in gdl_games::compiled() {
        let rules = rules(entry.name, entry.text);
        let ours =
            ground(&rules, &Options::default(), &mut Diagnostics::default()).expect("within the limits");
        for splits in [false, true] {
            let program = program(&rules, splits).expect("few alternatives");
            let counts = run(&program, Duration::from_secs(60)).counts.expect("a small game");
            // The compiler analyses more than derivability, so it finds fewer possible atoms.
            assert!(ours.vocabulary.fluents.len() as u64 <= counts.fluents, "{}", entry.name);
            assert!(ours.does.len() as u64 <= counts.moves, "{}", entry.name);
            assert!(counts.relevant <= counts.rules && counts.rules > 0, "{}", entry.name);
        }
    }
}
