//! An error means that a game cannot be played; other faults are warnings. The expected numbers of
//! sequences of joint moves come from an independent oracle.

use gdl_compiler::{
    Compilation, Diagnostics, Options, Rules, Source, compile,
    diagnostic::Diagnostic,
    eval::{Evaluator, State},
    lifted::Lifted,
    read,
};

/// Reads a rulesheet of the folder `severities`, by its name.
fn case(name: &str) -> Source {
    let path = format!("{}/tests/severities/{name}.kif", env!("CARGO_MANIFEST_DIR"));
    Source::new(name, std::fs::read_to_string(path).expect("a rulesheet"))
}

/// Counts the sequences of joint moves of each length up to `depth`, by the evaluator.
fn perft(source: &Source, depth: usize) -> Vec<u64> {
    perft_of(&read(source, &Options::default()).expect("it can be played").0, depth)
}

fn perft_of(rules: &Rules, depth: usize) -> Vec<u64> {
    let evaluator = Evaluator::new(rules).expect("it can be evaluated");
    let mut states: Vec<(State, u64)> = vec![(evaluator.initial().expect("a state"), 1)];
    let mut counts = Vec::new();
    for _ in 0..depth {
        let mut next = Vec::new();
        for (state, times) in states {
            if !evaluator.terminal(&state).expect("an answer") {
                for joint in joints(&evaluator, &state) {
                    next.push((evaluator.next(&state, &joint).expect("a state"), times));
                }
            }
        }
        states = next;
        counts.push(states.iter().map(|(_, times)| times).sum());
    }
    counts
}

fn joints(evaluator: &Evaluator<'_>, state: &State) -> Vec<Vec<gdl_compiler::eval::Term>> {
    let mut joints = vec![Vec::new()];
    for role in 0..evaluator.roles().len() {
        let legal = evaluator.legal(state, role).expect("an answer");
        let extend = |joint: &Vec<_>| {
            let with =
                |action: &gdl_compiler::eval::Term| [&joint[..], std::slice::from_ref(action)].concat();
            legal.iter().map(with).collect::<Vec<_>>()
        };
        joints = joints.iter().flat_map(extend).collect();
    }
    joints
}

/// Returns the severities and codes of all diagnostics.
fn said(diagnostics: &Diagnostics) -> Vec<String> {
    diagnostics.iter().map(|Diagnostic { severity, code, .. }| format!("{severity} {}", code.id)).collect()
}

fn compiled(source: &Source) -> Compilation {
    compile(source, &Options::default())
        .unwrap_or_else(|failure| panic!("{}", failure.diagnostics.render(source)))
}

#[test]
fn what_can_be_played_is_no_error() {
    for (name, expected, counts) in [
        ("goal_table_over_100", vec!["warning GDL082"], vec![2, 4, 8, 16, 32, 0]),
        ("sees_does_term", vec![], vec![3, 9, 0]),
        ("legacy_base", vec!["warning GDL036"], vec![2, 2, 0]),
        ("arity_clash", vec!["warning GDL021"], vec![]),
    ] {
        let source = case(name);
        assert_eq!(said(&compiled(&source).diagnostics), expected, "{name}");
        assert_eq!(perft(&source, counts.len()), counts, "{name}");
    }
}

#[test]
fn terms_that_grow_as_long_as_the_game_lasts_are_evaluated_state_by_state() {
    let source = case("growing_alone");
    assert_eq!(perft(&source, 4), [1, 1, 1, 0]);
    let (_, diagnostics) = read(&source, &Options::default()).expect("it can be played");
    assert_eq!(said(&diagnostics), ["warning GDL098"]);
    let source = case("history_list");
    assert_eq!(perft(&source, 4), [2, 4, 8, 0]);
    let failure = compile(&source, &Options::default()).expect_err("it cannot be grounded");
    assert!(failure.diagnostics.are_excesses() && failure.rules.is_some());
    let (rules, diagnostics) = read(&source, &Options::default()).expect("it can be played");
    assert_eq!(said(&diagnostics), ["warning GDL099"]);
    let game = Lifted::new(&rules, &Options::default()).expect("its names can be found");
    // The fluents are four steps and lists of up to four words.
    assert_eq!(game.vocabulary.fluents.len(), 4 + 1 + 2 + 4 + 8 + 16);
}

/// A game of one move, to which tests add rules.
const GAME: &str =
    "(role ann) (init (at 1)) (<= (legal ann go) (true (at 1))) (<= (next (at 2)) (does ann go))
    (<= terminal (true (at 2))) (<= (goal ann 100) terminal) (<= (goal ann 0) (not terminal))\n";

/// Compiles the game with an addition. Returns the diagnostics, and true if it can be played.
fn with(addition: &str) -> (Vec<String>, bool) {
    let source = Source::new("game", format!("{GAME}{addition}"));
    match compile(&source, &Options::default()) {
        Ok(compilation) => (said(&compilation.diagnostics), true),
        Err(failure) => (said(&failure.diagnostics), false),
    }
}

#[test]
fn faults_of_what_play_does_not_need_are_warnings() {
    for (addition, code) in [
        ("(base at 1 2)", "GDL036"),
        ("(input ann)", "GDL035"),
        ("(<= (base (at ?x)))", "GDL089"),
        ("(<= (base (at ?x)) (not (true (at ?x))))", "GDL085"),
        ("(<= (base (at ?x)) (true (at ?x)))", "GDL054"),
        ("(<= (input ?r ?m) (does ?r ?m))", "GDL055"),
        ("(<= (base (at ?x)) (number ?x)) (number 1) (<= (number (s ?x)) (number ?x))", "GDL095"),
        ("(<= (unused ?x) (not (true (at ?x))))", "GDL085"),
    ] {
        let (list, is_played) = with(addition);
        assert!(is_played && list.contains(&format!("warning {code}")), "{addition}: {list:?}");
    }
}

#[test]
fn faults_of_what_play_needs_are_errors() {
    for (addition, code) in [
        ("(base at 1 2) (<= terminal (true (at 3)) (base (at 3)))", "GDL036"),
        ("(<= (base (at ?x)) (not (true (at ?x)))) (<= terminal (base (at 3)))", "GDL085"),
        ("(<= (used ?x) (not (true (at ?x)))) (<= terminal (used 3))", "GDL085"),
    ] {
        let (list, is_played) = with(addition);
        assert!(!is_played && list.contains(&format!("error {code}")), "{addition}: {list:?}");
    }
}

#[test]
fn a_goal_above_100_is_an_error_only_where_a_game_ends_with_it() {
    for (addition, severity, code) in [
        ("(<= (goal ann 101) (true (at 3)))", "warning", "GDL079"),
        ("(<= (goal ann 101) terminal)", "error", "GDL079"),
        ("(<= (goal ann 10000000000) (true (at 3)))", "warning", "GDL081"),
        ("(<= (goal ann ?x) (true (at 3)) (worth ?x)) (worth 200) (<= (next (at 3)) (true (at 9)))", "", ""),
        ("(<= (goal ann ?x) terminal (worth ?x)) (worth 200)", "error", "GDL082"),
        ("(<= (goal ann ?x) (not terminal) (worth ?x)) (worth 200)", "warning", "GDL082"),
        ("(<= (goal ann ?x) (not terminal) (worth ?x)) (worth much)", "warning", "GDL082"),
    ] {
        let (list, is_played) = with(addition);
        assert_eq!(is_played, severity != "error", "{addition}: {list:?}");
        let is_said = list.contains(&format!("{severity} {code}"));
        assert!(is_said || code.is_empty(), "{addition}: {list:?}");
    }
}

#[test]
fn a_game_that_grows_for_ever_is_given_up_and_says_so() {
    let text = "(role ann) (init (list nil)) (legal ann a) (legal ann b)
        (<= (next (list (cons ?m ?l))) (does ann ?m) (true (list ?l)))
        (<= terminal (true (list (cons a (cons a (cons a nil)))))) (<= (goal ann 100) terminal) (<= (goal ann 0) (not terminal))";
    let (rules, _) = read(&Source::new("lists", text), &Options::default()).expect("it can be played");
    let game = Lifted::new(&rules, &Options::default()).expect("it can be begun");
    // The fluents are all lists of up to fourteen words.
    assert_eq!(game.vocabulary.fluents.len(), (1 << 15) - 1);
    let (mut scratch, mut row) = (game.scratch(), game.initial().to_vec());
    let b = game.vocabulary.moves.iter().position(|name| name == "b").expect("a move") as u32;
    for _ in 0..14 {
        game.advance(&mut scratch, &mut row, &[b]).expect("it has a name");
    }
    let excess = game.advance(&mut scratch, &mut row, &[b]).expect_err("names end");
    assert!(excess.to_string().contains("after 14 steps"), "{excess}");
}

/// A walk over three cells, which ends by the helper `same`. The callers bind the arguments of
/// helpers.
const WALK: &str = "(role ann) (cell a) (cell b) (cell c) (init (at a)) (init (from a))
    (<= (legal ann (go ?y)) (true (at ?x)) (cell ?y) (other ?x ?y))
    (<= (next (at ?y)) (does ann (go ?y))) (<= (next (from ?x)) (true (from ?x)))
    (<= (goal ann 100) (true (at ?x)) (cell ?x) (not (same ?x a))) (<= (goal ann 0) (true (at a)))
    (<= terminal (true (at ?x)) (true (from ?y)) (other ?x ?y) (not (same ?x b)))\n";

#[test]
fn callers_bind_the_variables_of_rules() {
    for (helpers, expected, counts) in [
        // The moves lead from `a` to `b`, or to `c`, where the game ends; from `b` to `a` or `c`.
        ("(<= (other ?x ?y) (distinct ?x ?y)) (<= (same ?x ?x))", "GDL085 GDL089", vec![2, 2, 2]),
        ("(<= (other ?x ?y) (not (same ?x ?y))) (same ?z ?z)", "GDL085 GDL090", vec![2, 2, 2]),
        // Rules that bind their own variables have an effect too: there is a third move in `b`.
        (
            "(<= (other ?x ?y) (not (same ?x ?y))) (other b b) (<= (same ?x ?x))",
            "GDL085 GDL089",
            vec![2, 3, 5],
        ),
        (
            "(<= (other ?x ?y) (cell ?x) (cell ?y) (or (less ?x ?y) (less ?y ?x))) (<= (less ?x c) (not (same c ?x))) (less a b)
             (<= (same ?x ?x))",
            "GDL085 GDL089",
            vec![2, 2, 2],
        ),
    ] {
        let source = Source::new("walk", format!("{WALK}{helpers}"));
        let failure = compile(&source, &Options::default()).expect_err("it is refused otherwise");
        let lenient = Options { lenient: true, ..Options::default() };
        let compilation = compile(&source, &lenient)
            .unwrap_or_else(|failure| panic!("{}", failure.diagnostics.render(&source)));
        for code in expected.split(' ') {
            assert!(said(&failure.diagnostics).contains(&format!("error {code}")), "{helpers}");
            assert!(said(&compilation.diagnostics).contains(&format!("warning {code}")), "{helpers}");
        }
        assert_eq!(perft_of(&compilation.rules, counts.len()), counts, "{helpers}");
    }
}

#[test]
fn roles_are_bound_by_those_who_ask() {
    let text = "(role ann) (role bob) (init at) (<= (legal ?r ?r)) (<= terminal (not (true at)))
        (<= (goal ?r 50) (not (winner ?r))) (<= (goal ?r 100) (winner ?r)) (winner ann)";
    let source = Source::new("roles", text);
    assert!(compile(&source, &Options::default()).is_err());
    let compilation = compile(&source, &Options { lenient: true, ..Options::default() })
        .unwrap_or_else(|failure| panic!("{}", failure.diagnostics.render(&source)));
    assert_eq!(perft_of(&compilation.rules, 1), [1]);
    let goals: Vec<usize> = compilation.net.outputs.goal.iter().map(Vec::len).collect();
    assert_eq!(goals, [1, 1]);
}

#[test]
fn what_no_caller_binds_is_an_error() {
    for (helpers, reason) in [
        ("(<= (other ?x ?y) (distinct ?x ?z)) (<= (same ?x ?x))", "no caller has `?z`"),
        (
            "(<= (other ?x ?y) (distinct ?x ?y)) (<= (same ?x ?x)) (<= (goal ann 0) (same ?x a))",
            "`?x` is free",
        ),
        ("(<= (other ?x ?y) (other ?y ?x)) (<= (other ?x b)) (<= (same ?x ?x))", "`other` asks for itself"),
        (
            "(<= (other ?x ?y) (distinct ?x ?y)) (<= (same ?x ?x)) (<= (next (seen ?x)) (true (at ?y)))",
            "a state",
        ),
    ] {
        let source = Source::new("walk", format!("{WALK}{helpers}"));
        let compilation = compile(&source, &Options { lenient: true, ..Options::default() });
        assert!(compilation.is_err(), "{reason}");
    }
}

#[test]
fn copies_for_callers_have_a_limit() {
    use std::fmt::Write;
    // Each helper calls the next one twice, which makes 2^20 copies.
    let mut text = format!("{WALK}(<= (other ?x ?y) (not (h0 ?x ?y))) (<= (same ?x ?x)) (<= (h20 ?x ?x))");
    for number in 0..20 {
        let next = number + 1;
        write!(text, "(<= (h{number} ?x ?y) (not (h{next} ?x ?y)) (not (h{next} ?y ?x)))").expect("written");
    }
    let source = Source::new("deep", text);
    assert!(compile(&source, &Options { lenient: true, ..Options::default() }).is_err());
    // Each of 500 calls would copy 1,000 literals.
    let [cells, calls] = [("(cell ?y)", 1_000), ("(not (same ?y b))", 500)].map(|(text, n)| text.repeat(n));
    let helpers = "(<= (other ?x ?y) (distinct ?x ?y)) (<= (same ?x ?x))";
    let source = Source::new("wide", format!("{WALK}{helpers}(<= (goal ann 0) {cells}{calls})"));
    assert!(compile(&source, &Options { lenient: true, ..Options::default() }).is_err());
}

/// A game of two moves. `ann` holds or passes in `step 1`, and later rules refer to that move.
const STEPS: &str = "(role ann) (role bob) (init (step 1)) (legal ann hold) (legal ann pass) (legal bob wait)
    (<= (next (step 2)) (true (step 1))) (<= (next (step 3)) (true (step 2)) held) (<= held (does ann hold))
    (<= (goal ann 100) (true (step 3)))\n";

#[test]
fn a_lenient_reading_plays_on() {
    for (addition, expected, counts) in [
        // `held` is false without moves, so the game ends after the first move, whatever it is.
        ("(<= terminal (not held) (not (true (step 1))))", vec!["GDL033", "GDL058"], vec![2, 0]),
        (
            "(<= terminal (does ann hold)) (<= terminal (true (step 3)))",
            vec!["GDL033", "GDL058"],
            vec![2, 4, 4],
        ),
        ("(<= terminal (true (step 2))) (<= (goal ann 0) (not held))", vec!["GDL033", "GDL057"], vec![2, 0]),
        (
            "(<= terminal (true (step 2))) (<= (legal bob jump) (or held (true (step 1))))",
            vec!["GDL033", "GDL056"],
            vec![4, 0],
        ),
    ] {
        let source = Source::new("steps", format!("{STEPS}{addition}"));
        let failure = compile(&source, &Options::default()).expect_err("it is refused otherwise");
        for code in &expected {
            assert!(said(&failure.diagnostics).contains(&format!("error {code}")), "{addition}");
        }
        let lenient = Options { lenient: true, ..Options::default() };
        let compilation = compile(&source, &lenient)
            .unwrap_or_else(|failure| panic!("{}", failure.diagnostics.render(&source)));
        for code in &expected {
            assert!(said(&compilation.diagnostics).contains(&format!("warning {code}")), "{addition}");
        }
        assert_eq!(perft_of(&compilation.rules, counts.len()), counts, "{addition}");
        assert_eq!(compilation.net.outputs.goal[1].len(), 1, "bob has 0");
    }
}
