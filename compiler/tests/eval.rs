//! Tests the evaluator on short rulesheets with a known result.

use gdl_compiler::eval::{EvalError, Evaluator, State, Term};
use gdl_compiler::{Diagnostics, Levels, Limits, Options, Rules, Source, check, syntax};
use std::fmt::Write as _;

/// The game that every snippet adds to.
const GAME: &str = "(role p) (init s) (<= (legal p a) (true s)) (<= (next s) (true s))
    (<= terminal (true over)) (goal p 100) ";

fn load(text: &str, options: &Options) -> Rules {
    let source = Source::new("test.kif", text);
    let mut diagnostics = Diagnostics::new(options.levels.clone());
    let tree = syntax::parse(&source, options, &mut diagnostics);
    let rules = check::check(&tree, &source, options, &mut diagnostics);
    let messages: Vec<&str> = diagnostics.iter().map(|d| d.message.as_str()).collect();
    rules.unwrap_or_else(|| panic!("{messages:?} in {text}"))
}

/// Loads a snippet with every lint allowed.
fn rules(snippet: &str) -> Rules {
    let lints = gdl_compiler::diagnostic::codes::ALL.iter().map(|code| code.id.to_string()).collect();
    let options = Options { levels: Levels { allow: lints, ..Levels::default() }, ..Options::default() };
    load(&format!("{GAME}{snippet}"), &options)
}

fn texts(terms: &[Term]) -> Vec<&str> {
    terms.iter().map(Term::as_str).collect()
}

fn fluents(state: &State) -> Vec<&str> {
    state.iter().map(Term::as_str).collect()
}

/// Asserts the player's legal moves in the initial state, except `a`.
#[track_caller]
fn check_legal(snippet: &str, expected: &[&str]) {
    let rules = rules(snippet);
    let evaluator = Evaluator::new(&rules).unwrap();
    let state = evaluator.initial().unwrap();
    let legal = evaluator.legal(&state, 0).unwrap();
    let others: Vec<&str> = texts(&legal).into_iter().filter(|text| *text != "a").collect();
    assert_eq!(others, expected, "{snippet}");
}

/// Asserts that computing the legal moves fails with a message.
#[track_caller]
fn check_error(snippet: &str, limits: &Limits, expected: &str) {
    let rules = rules(snippet);
    let evaluator = Evaluator::with_limits(&rules, limits).unwrap();
    let state = evaluator.initial().unwrap();
    assert_eq!(evaluator.legal(&state, 0).unwrap_err().to_string(), expected, "{snippet}");
}

#[test]
fn joins_bind_and_repeat_variables() {
    let facts = "(e 1 2) (e 2 3) (e 3 3) ";
    check_legal(
        &format!("{facts} (<= (legal p (go ?x ?z)) (e ?x ?y) (e ?y ?z) (distinct ?x ?z))"),
        &["(go 1 3)", "(go 2 3)"],
    );
    check_legal(&format!("{facts} (<= (legal p (loop ?x)) (e ?x ?x))"), &["(loop 3)"]);
}

#[test]
fn compound_terms_are_matched_inside() {
    check_legal(
        "(init (at (pos 1 2) k)) (init (at (pos 1) k)) (init (at 3 k))
         (<= (legal p (go ?x ?y)) (true (at (pos ?x ?y) k)))
         (<= (legal p (stay ?a)) (true (at ?a k)) (not (true (at ?a (f ?a)))))",
        &["(go 1 2)", "(stay (pos 1 2))", "(stay (pos 1))", "(stay 3)"],
    );
}

#[test]
fn distinct_is_syntactic() {
    check_legal("(q (f 1)) (q (f 2)) (q f) (<= (legal p ?x) (q ?x) (distinct ?x (f 1)))", &["(f 2)", "f"]);
    check_legal("(q (f 1) 1) (q (f 1) 2) (<= (legal p ?y) (q ?x ?y) (distinct ?x (f ?y)))", &["2"]);
    check_legal("(<= (legal p 01) (distinct 1 01))", &["01"]);
}

#[test]
fn parentheses_round_a_lone_symbol_do_not_matter() {
    check_legal("(q (f)) (ok) (<= (legal p ?x) (q ?x) ok (not (distinct f (f))))", &["f"]);
}

#[test]
fn not_has_its_logical_meaning() {
    let facts = "(q 1) (q 2) (q 3) (q 4) (r 1) (t 2) ";
    let legal = |body: &str| format!("{facts} (<= (legal p ?x) (q ?x) {body})");
    check_legal(&legal("(not (r ?x))"), &["2", "3", "4"]);
    check_legal(&legal("(not (or (r ?x) (t ?x)))"), &["3", "4"]);
    check_legal(&legal("(not (not (r ?x)))"), &["1"]);
    check_legal(&legal("(not (distinct ?x 3))"), &["3"]);
    check_legal(&legal("(not (or (not (r ?x)) (distinct ?x 1)))"), &["1"]);
    check_legal(&legal("(or (not (or (r ?x) (not (t ?x)))) (not (distinct ?x 4)))"), &["2", "4"]);
    check_legal(&legal("(not (or (r ?x) (or (t ?x) (not (distinct ?x 3)))))"), &["4"]);
}

#[test]
fn or_stands_anywhere_and_binds_what_all_branches_bind() {
    let facts = "(q 1) (q 2) (r 2) (r 3) (t 3 4) ";
    let legal = |head: &str, body: &str| format!("{facts} (<= (legal p {head}) {body})");
    check_legal(&legal("?x", "(or (q ?x) (r ?x))"), &["1", "2", "3"]);
    check_legal(&legal("?x", "(or (q ?x) (or (r ?x) (t ?y ?x)))"), &["1", "2", "3", "4"]);
    // Only one branch binds `?y`; for the other branch, the other literal binds it.
    check_legal(
        &legal("(go ?x ?y)", "(q ?y) (or (r ?x) (t ?x ?y))"),
        &["(go 2 1)", "(go 2 2)", "(go 3 1)", "(go 3 2)"],
    );
    check_legal(&legal("?x", "(or (distinct ?x 1) (r ?x)) (q ?x)"), &["2"]);
    check_legal(&legal("done", "(or (r 7) (q 1))"), &["done"]);
}

#[test]
fn recursion_reaches_the_fixpoint() {
    let chain: String = (0..40).fold(String::new(), |mut text, i| {
        let _ = write!(text, "(e {i} {}) ", i + 1);
        text
    });
    let path = "(<= (path ?x ?y) (e ?x ?y)) (<= (path ?x ?z) (path ?x ?y) (path ?y ?z)) ";
    check_legal(&format!("{chain}{path}(<= (legal p ?y) (path 37 ?y))"), &["38", "39", "40"]);
    // Mutual recursion through a disjunction, with a test of the component itself.
    check_legal(
        "(e 0 1) (e 1 2) (e 2 3) (even 0)
         (<= (odd ?y) (or (even ?x) (odd nothing)) (e ?x ?y))
         (<= (even ?y) (e ?x ?y) (not (not (odd ?x))))
         (<= (legal p ?x) (odd ?x))",
        &["1", "3"],
    );
}

/// A relation of 30 * 30 * 30 tuples is evaluated on demand, with the same results.
#[test]
fn vast_abbreviations_are_not_written_out() {
    let numbers: String = (0..30).fold(String::new(), |mut text, i| {
        let _ = write!(text, "(n {i}) ");
        text
    });
    let vast = format!(
        "{numbers} (t 1 2 2) (t 1 1 2) (t 5 6 7) (p (f 3) 4)
         (<= (all ?x ?y ?z) (n ?x) (n ?y) (n ?z))
         (<= (all (f ?x) ?y ?x) (n ?x) (n ?y))
         (<= (two ?x ?y ?z) (all ?x ?y ?z) (or (distinct ?x ?y) (not (distinct ?y ?z)))) "
    );
    check_legal(
        &format!("{vast} (<= (legal p (yes ?x ?y ?z)) (t ?x ?y ?z) (two ?x ?y ?z))"),
        &["(yes 1 2 2)", "(yes 5 6 7)"],
    );
    check_legal(
        &format!("{vast} (<= (legal p (no ?x ?y ?z)) (t ?x ?y ?z) (not (two ?x ?y ?z)))"),
        &["(no 1 1 2)"],
    );
    check_legal(&format!("{vast} (<= (legal p (z ?z)) (p ?f ?y) (all ?f ?y ?z))"), &["(z 3)"]);
    check_legal(
        &format!("{vast} (<= (legal p (x ?x)) (two (f ?x) 4 ?z) (t 5 6 7) (p (f ?x) 4))"),
        &["(x 3)"],
    );
    check_legal(&format!("{vast} (<= (legal p some) (all ?x ?y ?z))"), &["some"]);
    check_legal(&format!("{vast} (<= (legal p some) (all ?x ?x nothing))"), &[]);
}

#[test]
fn keyword_relations_may_be_used_in_bodies() {
    check_legal(
        "(<= (legal p (copy ?m)) (legal p ?m) (q ?m)) (q a)
         (<= (legal p (worth ?v)) (goal p ?v) (role p))",
        &["(copy a)", "(worth 100)"],
    );
}

#[test]
fn locally_stratified_negation_has_a_meaning() {
    check_legal(
        "(n 1 2) (n 2 3) (n 3 4)
         (<= (win ?x) (n ?x ?y) (not (win ?y)))
         (<= (legal p ?x) (win ?x))",
        &["1", "3"],
    );
    // The component's atoms stand inside disjunctions and next to existential variables.
    check_legal(
        "(n 1 2) (n 2 3) (n 3 4) (k 1) (k 2)
         (<= (win ?x) (n ?x ?y) (or (lost ?y) (not (or (win ?y) (not (n ?x ?y))))) (k ?z))
         (<= (lost ?x) (n ?x ?y) (win ?y) (not (win ?x)))
         (<= (legal p ?x) (win ?x)) (<= (legal p (lost ?x)) (lost ?x))",
        &["(lost 2)", "1", "3"],
    );
}

#[test]
fn goals_by_default_are_locally_stratified() {
    let text =
        "(role a) (role b) (init s) (legal a m) (legal b m) (<= (next s) (true s)) (<= terminal (true s))
        (<= (goal a 100) (true s)) (<= (goal ?r 0) (role ?r) (not (goal ?r 100)))";
    let rules = load(text, &Options::default());
    let evaluator = Evaluator::new(&rules).unwrap();
    let state = evaluator.initial().unwrap();
    assert_eq!(texts(&evaluator.goals(&state, 0).unwrap()), ["100"]);
    assert_eq!(texts(&evaluator.goals(&state, 1).unwrap()), ["0"]);
}

#[test]
fn undefined_atoms_are_named() {
    let limits = Limits::default();
    check_error(
        "(n 1 2) (n 2 1) (<= (win ?x) (n ?x ?y) (not (win ?y))) (<= (legal p ?x) (win ?x))",
        &limits,
        "`(win 1)` depends on its own negation",
    );
    check_error("(<= odd (not odd)) (<= (legal p b) odd)", &limits, "`odd` depends on its own negation");
}

#[test]
fn endless_rules_end() {
    let growing = "(nat z) (<= (nat (s ?x)) (nat ?x)) (<= (legal p ?x) (nat ?x))";
    check_error(growing, &Limits::default(), "a term grows deeper than 1000");
    let limits = Limits { fuel: 100, ..Limits::default() };
    check_error(growing, &limits, "the evaluation takes more than 100 steps");
    let limits = Limits { max_atoms: 20, ..Limits::default() };
    check_error(growing, &limits, "a relation grows beyond 20 atoms");
    let wide = "(big z) (<= (big (f ?x ?x)) (big ?x)) (<= (legal p b) (big ?x) (distinct ?x z))";
    check_error(wide, &Limits::default(), "a term grows longer than 100000 symbols");
    check_error(
        "(n 1 2) (nat z) (<= (nat (s ?x)) (nat ?x) (not (nat (t ?x)))) (<= (legal p ?x) (nat ?x))",
        &Limits::default(),
        "a term grows deeper than 1000",
    );
}

#[test]
fn fuel_is_counted_for_each_question() {
    let rules = rules("(q 1) (q 2) (<= (legal p ?x) (q ?x) (true s))");
    let evaluator = Evaluator::with_limits(&rules, &Limits { fuel: 60, ..Limits::default() }).unwrap();
    let state = evaluator.initial().unwrap();
    for _ in 0..100 {
        assert_eq!(evaluator.legal(&state, 0).unwrap().len(), 3);
        assert_eq!(evaluator.legal(&State::new(), 0).unwrap().len(), 0);
    }
}

#[test]
fn moves_lead_to_the_next_state() {
    let rules = rules(
        "(init (n 0)) (succ 0 1) (succ 1 2) (<= (legal p inc) (true s)) (<= (base (n ?x)) (succ ?y ?x))
         (<= (next (n ?y)) (does p inc) (true (n ?x)) (succ ?x ?y))
         (<= (next (n ?x)) (does p a) (true (n ?x)))
         (<= (next over) (true (n 1)) (not (does p a)))
         (input p a) (<= (sees p ?m) (does p ?m))",
    );
    let evaluator = Evaluator::new(&rules).unwrap();
    let [a, inc] = ["a", "(INC)"].map(|text| evaluator.term(text).unwrap());
    let state = evaluator.initial().unwrap();
    assert_eq!(fluents(&state), ["(n 0)", "s"]);
    assert_eq!(evaluator.next(&state, std::slice::from_ref(&a)).unwrap(), state);
    let state = evaluator.next(&state, std::slice::from_ref(&inc)).unwrap();
    assert_eq!(fluents(&state), ["(n 1)", "s"]);
    assert!(!evaluator.terminal(&state).unwrap());
    assert_eq!(texts(&evaluator.percepts(&state, std::slice::from_ref(&a), 0).unwrap()), ["a"]);
    let state = evaluator.next(&state, std::slice::from_ref(&inc)).unwrap();
    assert_eq!(fluents(&state), ["(n 2)", "over", "s"]);
    assert!(evaluator.terminal(&state).unwrap());
    assert_eq!(texts(&evaluator.goals(&state, 0).unwrap()), ["100"]);
}

#[test]
fn states_do_not_belong_to_an_evaluator() {
    let rules = rules("(init (n (f 1) 2)) (<= (legal p ?x) (true (n ?x 2)))");
    let state = Evaluator::new(&rules).unwrap().initial().unwrap();
    let other = Evaluator::new(&rules).unwrap();
    assert_eq!(texts(&other.legal(&state, 0).unwrap()), ["(f 1)", "a"]);
}

#[test]
fn wrong_questions_get_errors() {
    let rules = rules("");
    let evaluator = Evaluator::new(&rules).unwrap();
    let state = evaluator.initial().unwrap();
    for text in ["", "(", ")", "()", "(a", "a b", "((a) b)", "nowhere", "(a nowhere)", "a)"] {
        assert_eq!(evaluator.term(text), Err(EvalError::NotATerm { text: text.to_owned() }), "{text}");
    }
    assert_eq!(evaluator.legal(&state, 1), Err(EvalError::NoRole { role: 1 }));
    assert_eq!(evaluator.next(&state, &[]), Err(EvalError::JointMove { expected: 1, found: 0 }));
    assert_eq!(EvalError::NoRole { role: 1 }.to_string(), "there is no player number 1");
}
