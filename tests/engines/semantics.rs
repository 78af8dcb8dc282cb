//! Points of the language on which implementations may disagree. Each case gives the expected views
//! of the initial state and of later ones. The table engine, the compiler's evaluator and the
//! oracle must all produce them.
//!
//! The view of a state lists its fluents, then each role's legal moves and goals, then `over` at
//! the end.

use gdl_compiler::{Diagnostics, Options, Source, check::check, eval::Evaluator, syntax::parse};
use gdl_oracle::{Oracle, Settings};
use gdl_runtime::engine;
use gdl_tests::reasoner::OracleReasoner;
use gdl_tools::{
    load,
    verify::{GameReasoner, Reasoner},
};

/// The base of every case: one player, who may wait.
const GAME: &str =
    "(role p) (<= (legal p wait) (role p)) (<= terminal (true over)) (<= (goal p 0) (true over)) ";

/// The views of the initial state and of each state after a joint move, separated by `;`.
fn seen<R: Reasoner>(reasoner: &R, joints: &[&str]) -> String {
    let roles = reasoner.roles();
    let mut state = reasoner.initial().expect("a start");
    let mut shown = show(reasoner, &roles, &state);
    for joint in joints {
        let joint: Vec<String> = joint.split(',').map(|text| text.trim().to_owned()).collect();
        state = reasoner.next(&state, &joint).expect("a next state");
        shown.push_str("; ");
        shown.push_str(&show(reasoner, &roles, &state));
    }
    shown
}

fn show<R: Reasoner>(reasoner: &R, roles: &[String], state: &R::State) -> String {
    let mut parts = vec![format!("[{}]", reasoner.fluents(state).join(" "))];
    for (role, name) in roles.iter().enumerate() {
        let legal = reasoner.legal(state, role).expect("moves");
        let legal: Vec<&str> = legal.iter().map(String::as_str).filter(|text| *text != "wait").collect();
        // Goals are compared as numbers: `070` is 70.
        let goals: Vec<String> = reasoner
            .goals(state, role)
            .expect("goals")
            .iter()
            .map(|goal| goal.parse().map_or_else(|_| goal.clone(), |value: u8| value.to_string()))
            .collect();
        parts.push(format!("{name}: {} = {}", legal.join(" "), goals.join(" ")));
    }
    if reasoner.terminal(state).expect("an answer") {
        parts.push("over".to_owned());
    }
    parts.join(" | ")
}

#[track_caller]
fn assert_seen_with(text: &str, options: &Options, joints: &[&str], expected: &str) {
    let source = Source::new("case.kif", text);
    let mut diagnostics = Diagnostics::new(options.levels.clone());
    let tree = parse(&source, options, &mut diagnostics);
    let rules = check(&tree, &source, options, &mut diagnostics)
        .unwrap_or_else(|| panic!("{}", diagnostics.render(&source)));
    assert_eq!(seen(&Evaluator::new(&rules).expect("evaluable"), joints), expected, "evaluator of {text}");
    let settings = Settings { case_sensitive: options.case_sensitive, ..Settings::default() };
    let oracle = Oracle::new(text, &settings).expect("a game");
    assert_eq!(seen(&OracleReasoner(oracle), joints), expected, "oracle of {text}");
    let source = Source::new("case", text);
    let game =
        engine::compile(&source, options).unwrap_or_else(|faults| panic!("{}", faults.render(&source)));
    assert_eq!(seen(&GameReasoner(&game), joints), expected, "table of {text}");
}

/// Asserts the views of [`GAME`] with `added`, with all lints allowed.
#[track_caller]
fn assert_seen(added: &str, joints: &[&str], expected: &str) {
    assert_seen_with(&format!("{GAME}{added}"), &load::quiet(), joints, expected);
}

/// A game of three switches, the first of them on, with a move for each `?x` that satisfies `body`.
fn switches(body: &str) -> String {
    format!(
        "(q 1) (q 2) (q 3) (init (on 1)) (<= (next (on ?x)) (true (on ?x))) (<= (next (on 2)) (does p wait))
         (<= (legal p (go ?x)) (q ?x) {body})"
    )
}

#[track_caller]
fn assert_admits(body: &str, at_first: &str, then: &str) {
    let expected = format!("[(on 1)] | p: {at_first} = ; [(on 1) (on 2)] | p: {then} = ");
    assert_seen(&switches(body), &["wait"], &expected);
}

#[test]
fn or_and_not_nest_in_any_form() {
    assert_admits("(not (true (on ?x)))", "(go 2) (go 3)", "(go 3)");
    assert_admits("(not (not (true (on ?x))))", "(go 1)", "(go 1) (go 2)");
    assert_admits("(not (not (not (true (on ?x)))))", "(go 2) (go 3)", "(go 3)");
    assert_admits("(or (true (on ?x)) (not (distinct ?x 3)))", "(go 1) (go 3)", "(go 1) (go 2) (go 3)");
    assert_admits("(not (or (true (on ?x)) (not (distinct ?x 3))))", "(go 2)", "");
    assert_admits(
        "(or (or (true (on ?x)) (or (not (true (on 2))))) (not (or (true (on 2)) (distinct ?x 1))))",
        "(go 1) (go 2) (go 3)",
        "(go 1) (go 2)",
    );
    assert_admits("(not (or (not (true (on ?x))) (not (true (on 2)))))", "", "(go 1) (go 2)");
    assert_admits("(or (distinct 1 1) (true (on ?x)))", "(go 1)", "(go 1) (go 2)");
}

#[test]
fn an_or_need_not_bind_what_is_bound_elsewhere() {
    assert_admits("(or (true (on ?x)) (true (on 2)))", "(go 1)", "(go 1) (go 2) (go 3)");
    assert_admits("(or (true (on 2)) (distinct ?x 1))", "(go 2) (go 3)", "(go 1) (go 2) (go 3)");
}

#[test]
fn distinct_compares_terms_as_they_are_written() {
    assert_seen(
        "(init (at (f 1) (g a))) (init (at 1 (f 1))) (init (at (f (g a)) (f (g b))))
         (<= (legal p (go ?x)) (true (at ?x ?y)) (distinct ?x (f 1)))
         (<= (legal p (same ?x)) (true (at ?x ?y)) (true (at ?z ?x)) (not (distinct ?x (f 1))))
         (<= (legal p (deep ?x)) (true (at (f ?x) (f ?y))) (distinct (f ?x) (f ?y)))",
        &[],
        "[(at (f (g a)) (f (g b))) (at (f 1) (g a)) (at 1 (f 1))] | \
         p: (deep (g a)) (go (f (g a))) (go 1) (same (f 1)) = ",
    );
}

#[test]
fn functions_are_arguments_anywhere() {
    assert_seen(
        "(init (stack (cons a (cons b nil))))
         (<= (legal p (pop ?x)) (true (stack (cons ?x ?rest))))
         (<= (next (stack ?rest)) (does p (pop ?x)) (true (stack (cons ?x ?rest))))
         (<= (next (popped (was ?x))) (does p (pop ?x)))
         (<= (next over) (true (stack nil)))",
        &["(pop a)", "(pop b)", "wait"],
        "[(stack (cons a (cons b nil)))] | p: (pop a) = ; \
         [(popped (was a)) (stack (cons b nil))] | p: (pop b) = ; \
         [(popped (was b)) (stack nil)] | p:  = ; \
         [over] | p:  = 0 | over",
    );
}

#[test]
fn relations_that_depend_on_the_state_may_be_recursive() {
    assert_seen(
        "(init (edge a b)) (init (edge b c)) (init (edge c a)) (node a) (node b) (node c)
         (<= (path ?x ?y) (true (edge ?x ?y)))
         (<= (path ?x ?z) (path ?x ?y) (path ?y ?z))
         (<= (legal p (cut ?x ?y)) (true (edge ?x ?y)))
         (<= (next (edge ?x ?y)) (true (edge ?x ?y)) (not (does p (cut ?x ?y))))
         (<= (next over) (does p ?m) (not (path a a)))
         (<= (goal p 100) (path a c))
         (<= (goal p 50) (node ?x) (not (path ?x ?x)))",
        &["(cut c a)", "(cut a b)"],
        "[(edge a b) (edge b c) (edge c a)] | p: (cut a b) (cut b c) (cut c a) = 100; \
         [(edge a b) (edge b c)] | p: (cut a b) (cut b c) = 100 50; \
         [(edge b c) over] | p: (cut b c) = 0 50 | over",
    );
}

#[test]
fn stratification_is_judged_once_ground() {
    // The player to move at the end of the chain loses.
    assert_seen(
        "(init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3)
         (<= (win ?x) (succ ?x ?y) (not (win ?y)))
         (<= (legal p step) (true (at ?x)) (win ?x))
         (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))",
        &["step", "wait", "step"],
        "[(at 0)] | p: step = ; [(at 1)] | p:  = ; [(at 2)] | p: step = ; [(at 3)] | p:  = ",
    );
    // The same recursion over fluents: a link of the chain may be missing.
    assert_seen(
        "(init (succ 0 1)) (init (succ 1 2)) (<= (next (succ 0 1)) (true (succ 0 1)))
         (step 0 1) (step 1 2)
         (<= (win ?x) (step ?x ?y) (true (succ ?x ?y)) (not (win ?y)))
         (<= (legal p (hop ?x)) (win ?x))",
        &["wait"],
        "[(succ 0 1) (succ 1 2)] | p: (hop 1) = ; [(succ 0 1)] | p: (hop 0) = ",
    );
}

#[test]
fn case_is_folded_or_counts() {
    let text =
        "(ROLE Red) (INIT (Cell A)) (<= (LEGAL red (GO ?X)) (TRUE (cell ?X))) (<= Terminal (true (cell b)))
        (init (CELL a)) (<= (goal RED 7) (true (cell A)))";
    // A symbol prints in its first spelling.
    assert_seen_with(text, &load::quiet(), &[], "[(Cell A)] | Red: (GO A) = 7");
    let sensitive = Options { case_sensitive: true, ..load::quiet() };
    let text = "(role red) (role Red) (legal red x) (legal Red X) (init (P a)) (init (p a)) (goal red 1) (goal Red 2)
        (<= terminal (true (p A)))";
    assert_seen_with(text, &sensitive, &[], "[(P a) (p a)] | red: x = 1 | Red: X = 2");
}

#[test]
fn parentheses_round_a_lone_symbol_change_nothing() {
    assert_seen(
        "(init (on)) (ready) (<= (quick) ready) (<= (legal p (go)) (true on) quick)
         (<= (next (gone)) (does p go)) (<= (next over) (true (gone)))",
        &["go", "wait"],
        "[on] | p: go = ; [gone] | p:  = ; [over] | p:  = 0 | over",
    );
}

#[test]
fn facts_may_be_written_as_rules() {
    assert_seen("(<= (init (n 1))) (<= (q 5)) (<= (legal p (go ?x)) (q ?x))", &[], "[(n 1)] | p: (go 5) = ");
}

#[test]
fn keywords_are_relations_in_bodies() {
    assert_seen(
        "(init (n 1)) (<= (legal p (go ?n)) (true (n ?n)))
         (<= (legal p (twice ?m)) (legal p (go ?n)) (legal p ?m) (distinct ?m wait) (q ?m)) (q (go 1))
         (<= (goal p 40) (legal p (twice ?m)))
         (<= (goal p 41) (goal p 40) (not terminal))
         (<= (next over) (goal p 41) (terminal_next)) (<= terminal_next (does p ?m))",
        &["(go 1)"],
        "[(n 1)] | p: (go 1) (twice (go 1)) = 40 41; [over] | p:  = 0 | over",
    );
}

#[test]
fn roles_stand_in_the_order_of_the_file() {
    let text =
        "(<= (legal ?r (say ?r)) (role ?r)) (role zoe) (goal zoe 2) (role adam) (goal adam 1) (goal adam 3)
        (role zoe) (<= terminal (true (heard adam))) (<= (next (heard ?r)) (does ?r (say ?r)))";
    assert_seen_with(
        text,
        &load::quiet(),
        &["(say zoe), (say adam)"],
        "[] | zoe: (say zoe) = 2 | adam: (say adam) = 1 3; \
         [(heard adam) (heard zoe)] | zoe: (say zoe) = 2 | adam: (say adam) = 1 3 | over",
    );
}

#[test]
fn names_with_two_arities_are_two_symbols() {
    assert_seen(
        "(init (pile 1)) (init (pile 1 2)) (init pile) (size 1) (size 2 3)
         (<= (legal p (go ?x)) (true (pile ?x)) (size ?x))
         (<= (legal p (go ?x ?y)) (true (pile ?w ?x)) (size ?x ?y))",
        &[],
        "[(pile 1 2) (pile 1) pile] | p: (go 1) (go 2 3) = ",
    );
}

#[test]
fn numbers_are_symbols() {
    assert_seen(
        "(init (n 01)) (init (n 1)) (init (n 001)) (<= (legal p (go ?x)) (true (n ?x)) (distinct ?x 1))
         (<= (goal p 070) (true (n 01)))",
        &[],
        "[(n 001) (n 01) (n 1)] | p: (go 001) (go 01) = 70",
    );
}

#[test]
fn one_relation_may_be_dynamic_for_some_arguments_only() {
    assert_seen(
        "(init (n 1)) (q 1) (<= (q 2) (true (n 1))) (<= (legal p (go ?x)) (q ?x)) (<= (next (n 2)) (does p (go 2)))",
        &["(go 2)"],
        "[(n 1)] | p: (go 1) (go 2) = ; [(n 2)] | p: (go 1) = ",
    );
}
