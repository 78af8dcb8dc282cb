//! The oracle on short rulesheets, compared with answers worked out by hand.

use gdl_oracle::{Error, Oracle, Settings, State};

/// The base of each case: one player, who may wait.
const GAME: &str =
    "(role p) (<= (legal p wait) (role p)) (<= terminal (true over)) (<= (goal p 0) (true over)) ";

fn oracle(rules: &str) -> Oracle {
    Oracle::new(&format!("{GAME}{rules}"), &Settings::default()).expect("a game")
}

fn texts(state: &State) -> Vec<&str> {
    state.iter().map(String::as_str).collect()
}

/// Asserts the legal moves of the initial state, except `wait`.
#[track_caller]
fn assert_legal(rules: &str, expected: &[&str]) {
    let oracle = oracle(rules);
    let mut legal = oracle.position(oracle.initial()).expect("an answer").legal(0);
    legal.retain(|text| text != "wait");
    assert_eq!(legal, expected, "{rules}");
}

#[test]
fn bodies_bind_and_test() {
    let facts = "(e 1 2) (e 2 3) (e 3 3) (q (f 1)) (q (f 2)) (q f) ";
    let legal =
        |body: &str, expected: &[&str]| assert_legal(&format!("{facts} (<= (legal p ?x) {body})"), expected);
    legal("(e ?x ?x)", &["3"]);
    legal("(e ?x ?y) (e ?y ?z) (distinct ?x ?z)", &["1", "2"]);
    legal("(distinct ?x (f 1)) (q ?x)", &["(f 2)", "f"]);
    legal("(q (f ?x))", &["1", "2"]);
    legal("(e ?y ?x) (not (e ?x ?y))", &["2", "3"]);
    legal("(e ?x ?y) (not (not (e ?y ?y)))", &["2", "3"]);
    legal("(e ?x ?y) (not (or (e ?y ?y) (distinct ?y 2)))", &["1"]);
    legal("(or (e 1 ?x) (and1 ?x)) (not (distinct ?x 2))", &["2"]);
    legal("(or (distinct ?x 1) (e ?x 2)) (e ?x ?y)", &["1", "2", "3"]);
}

#[test]
fn recursion_reaches_the_fixpoint() {
    assert_legal(
        "(e 1 2) (e 2 3) (e 3 4) (<= (path ?x ?y) (e ?x ?y)) (<= (path ?x ?z) (path ?x ?y) (path ?y ?z))
         (<= (legal p ?y) (path 2 ?y))",
        &["3", "4"],
    );
}

#[test]
fn a_state_is_followed() {
    let oracle = oracle(
        "(init (on 1)) (lamp 1) (lamp 2) (<= (legal p (toggle ?x)) (lamp ?x))
         (<= (next (on ?x)) (true (on ?x)) (not (does p (toggle ?x))))
         (<= (next (on ?x)) (does p (toggle ?x)) (not (true (on ?x))))
         (<= (next over) (true (on 1)) (does p (toggle 2)))
         (<= (sees p (lit ?x)) (does p (toggle ?x)))",
    );
    let start = oracle.position(oracle.initial()).expect("an answer");
    assert_eq!((start.is_terminal(), start.goals(0)), (false, Vec::new()));
    let (state, percepts) = start.next(&["(toggle 2)".to_owned()]).expect("an answer");
    assert_eq!(texts(&state), ["(on 1)", "(on 2)", "over"]);
    assert_eq!(percepts, [["(lit 2)"]]);
    let end = oracle.position(&state).expect("an answer");
    assert_eq!((end.is_terminal(), end.goals(0)), (true, vec!["0".to_owned()]));
    let (state, percepts) = end.next(&["wait".to_owned()]).expect("an answer");
    assert_eq!((texts(&state), &percepts[0][..]), (vec!["(on 1)", "(on 2)"], &[][..]));
}

#[test]
fn each_role_has_its_own_answers() {
    let oracle = oracle("(role q) (legal q go) (goal p 30) (goal q 70) (<= (sees q ?m) (does p ?m))");
    let start = oracle.position(oracle.initial()).expect("an answer");
    assert_eq!([0, 1].map(|role| start.legal(role)), [["wait"], ["go"]]);
    assert_eq!([0, 1].map(|role| start.goals(role)), [["30"], ["70"]]);
    let (_, percepts) = start.next(&["wait".to_owned(), "go".to_owned()]).expect("an answer");
    assert_eq!(percepts, [vec![], vec!["wait".to_owned()]]);
}

#[test]
fn names_are_folded_unless_case_counts() {
    let text = "(ROLE Red) (INIT (Cell A)) (<= (LEGAL red (GO ?X)) (TRUE (cell ?x))) (role red)";
    let oracle = Oracle::new(text, &Settings::default()).expect("a game");
    assert_eq!((oracle.roles(), texts(oracle.initial())), (&["Red".to_owned()][..], vec!["(Cell A)"]));
    assert_eq!(oracle.position(oracle.initial()).expect("an answer").legal(0), ["(GO A)"]);
    let settings = Settings { case_sensitive: true, ..Settings::default() };
    let oracle = Oracle::new("(role a) (role A) (init (p b)) (init (p B))", &settings).expect("a game");
    assert_eq!((oracle.roles().len(), oracle.initial().len()), (2, 2));
}

#[test]
fn negation_of_itself_is_judged_by_atoms() {
    let win =
        |moves: &str| format!("{moves} (<= (win ?x) (edge ?x ?y) (not (win ?y))) (<= (legal p ?x) (win ?x))");
    assert_legal(&win("(edge 0 1) (edge 1 2) (edge 2 3)"), &["0", "2"]);
    assert_legal(&win("(edge 0 1) (edge 1 0) (edge 1 2)"), &["1"]);
    let oracle = oracle(&win("(edge 1 0) (<= (edge 0 1) (true there)) (init there)"));
    assert_eq!(oracle.position(&State::new()).expect("an answer").legal(0), ["1", "wait"]);
    assert_eq!(oracle.position(oracle.initial()).err(), Some(Error::Unstratified));
}

#[test]
fn growth_and_faults_are_errors() {
    let settings = Settings { max_steps: 500_000, ..Settings::default() };
    let error = |rules: &str| Oracle::new(&format!("{GAME}{rules}"), &settings).err();
    assert_eq!(error("(<= (n (s ?x)) (n ?x)) (n 0) (<= (init ?x) (n ?x))"), Some(Error::TooMuch));
    assert_eq!(error(&"(".repeat(5_000)), Some(Error::TooMuch));
    let doubled =
        (0..40).fold(String::new(), |text, i| format!("{text} (<= (d{} (f ?x ?x)) (d{i} ?x))", i + 1));
    assert_eq!(error(&format!("(d0 a) {doubled} (<= (init ?x) (d40 ?x))")), Some(Error::TooMuch));
    for rules in ["(legal p ?x)", "(<= (legal p ?x) (not (q ?x)))", "(true a)", "(<= (not a) b)", "(p", "())"]
    {
        assert!(matches!(error(rules), Some(Error::Refused(_))), "{rules}");
    }
    // Rules that no query depends on are not evaluated.
    assert_eq!(error("(<= (n (s ?x)) (n ?x)) (n 0) (<= (m ?x) (not (n ?y)))"), None);
}
