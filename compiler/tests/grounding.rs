//! Grounding of rules that would have many unneeded instances, measured in instances and steps.

use gdl_compiler::{
    Diagnostics, Limits, Options, Source,
    check::check,
    diagnostic::codes,
    ground::{GroundRules, ground},
    syntax::parse,
};
use std::fmt::Write as _;

/// Grounds a rulesheet; rules are split from `split_from` instances on.
fn grounded(text: &str, split_from: usize) -> GroundRules {
    let options = Options { split_from, ..Options::default() };
    let source = Source::new("game.kif", text);
    let mut diagnostics = Diagnostics::new(options.levels.clone());
    let tree = parse(&source, &options, &mut diagnostics);
    let rules = check(&tree, &source, &options, &mut diagnostics);
    let ground = rules.and_then(|rules| ground(&rules, &options, &mut diagnostics));
    ground.unwrap_or_else(|| panic!("{}", diagnostics.render(&source)))
}

/// Joins `line` for each number below `count`.
fn repeat(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut text, i| {
        let _ = write!(text, "{} ", line(i));
        text
    })
}

const WHOLE: usize = usize::MAX;

/// A game in which any pair of 20 numbers may be marked.
fn pairs(rule: &str) -> String {
    let numbers = repeat(20, |i| format!("(number {i})"));
    format!(
        "(role r) (init (f 0 1)) {numbers} (<= (legal r (mark ?x ?y)) (number ?x) (number ?y))
         (<= (next (f ?x ?y)) (does r (mark ?x ?y))) (<= (next (f ?x ?y)) (true (f ?x ?y)))
         (goal r 0) (<= terminal done) {rule}"
    )
}

/// The number of instances of the game, without those of the added rule.
const FRAME: usize = 400 + 400 + 400 + 1 + 1;

#[test]
fn a_join_that_the_head_does_not_mention_is_split() {
    let text = pairs("(<= done (true (f ?a ?b)) (true (f ?b ?c)))");
    assert_eq!(grounded(&text, WHOLE).len(), FRAME + 20 * 20 * 20);
    // The values of `?b` that start a pair take 400 instances; the pairs before them take 400 more.
    assert_eq!(grounded(&text, 100).len(), FRAME + 400 + 400);
}

#[test]
fn a_test_across_the_split_goes_with_the_values_it_needs() {
    let text = pairs("(<= done (true (f ?a ?b)) (true (f ?b ?c)) (distinct ?a ?c))");
    let whole = grounded(&text, WHOLE).len();
    assert_eq!(whole, FRAME + 20 * 20 * 19);
    // The test needs `?a` and `?c` at once, so splitting cannot drop a variable.
    assert_eq!(grounded(&text, 100).len(), whole);
    let text = pairs("(<= done (true (f ?a ?b)) (true (f ?b ?c)) (not (true (f ?c ?b))))");
    assert_eq!(grounded(&text, WHOLE).len(), FRAME + 20 * 20 * 20);
    assert_eq!(grounded(&text, 100).len(), FRAME + 400 + 400);
}

#[test]
fn what_splitting_does_not_make_cheaper_stays_whole() {
    let text = pairs("(<= done (true (f ?a ?b)) (true (f ?b ?a)))");
    assert_eq!(grounded(&text, 1).len(), grounded(&text, WHOLE).len());
}

#[test]
fn rules_with_a_part_in_common_share_it() {
    let rule = |name: &str| format!("(<= {name} (true (f ?a ?b)) (true (f ?b ?c)))");
    let text = pairs(&format!("{} {} (<= done one two)", rule("one"), rule("two")));
    assert_eq!(grounded(&text, 100).len(), FRAME + 400 + 2 * 400 + 1);
}

#[test]
fn of_a_vast_clause_relations_that_say_what_differs_are_unfolded() {
    let numbers = repeat(20, |i| format!("(number {i})")) + &repeat(8, |i| format!("(small {i})"));
    let all = "(small ?x) (small ?y) (small ?u) (small ?v)";
    let text = format!(
        "(role r) (init (f 0 0 0)) {numbers} (goal r 0) (<= terminal (true (g 0 0 0)))
         (<= (legal r (mark ?u ?v ?z)) (small ?u) (small ?v) (number ?z))
         (<= (next (f ?u ?v ?z)) (does r (mark ?u ?v ?z)))
         (<= (apart ?x ?y ?u ?v) {all} (distinct ?x ?u)) (<= (apart ?x ?y ?u ?v) {all} (distinct ?y ?v))
         (<= (next (g ?x ?y ?z)) (true (f ?u ?v ?z)) (apart ?x ?y ?u ?v))"
    );
    let (whole, split) = (grounded(&text, WHOLE), grounded(&text, 100));
    let frame = 2 * 64 * 20 + 2;
    assert_eq!(whole.len(), frame + 64 * 63 * 20);
    // For each of the two coordinates: its values in `f`, the values that differ from one of these,
    // and all cells with such a value.
    assert_eq!(split.len(), frame + 2 * (64 * 20 + 8 * 7 * 20 + 64 * 20));
    assert_eq!(split.vocabulary.fluents, whole.vocabulary.fluents);
}

#[test]
fn vast_branches_of_an_or_become_one_clause() {
    let text = pairs(
        "(<= (next (g ?x ?y)) (does r (mark ?x ?y))) (<= (next (h ?x ?y)) (does r (mark ?x ?y)))
         (<= (next (k ?x ?u ?v)) (number ?x) (or (true (f ?u ?v)) (true (g ?u ?v)) (true (h ?v ?u))) (distinct ?x ?u))
         (<= done (true (k 0 1 0)))",
    );
    let (whole, split) = (grounded(&text, WHOLE), grounded(&text, 20));
    assert_eq!(whole.len(), FRAME + 2 * 400 + 3 * 20 * 19 * 20 + 1);
    assert_eq!(split.len(), FRAME + 2 * 400 + 3 * 400 + 20 * 19 * 20 + 1);
    assert_eq!(split.vocabulary.fluents, whole.vocabulary.fluents);
}

/// A game of two roles that mark pairs of 20 numbers; five cells each have one of four kinds.
fn kinds(rule: &str) -> String {
    let numbers = repeat(20, |i| format!("(number {i})"));
    let others =
        repeat(
            400,
            |i| if i / 20 == i % 20 { String::new() } else { format!("(other {} {})", i / 20, i % 20) },
        );
    let kinds = repeat(20, |i| format!("(init (cell {} {}))", i / 4, i % 4));
    format!(
        "(role r) (role s) {numbers} {others} {kinds} (<= (legal ?r (mark ?x ?y)) (role ?r) (number ?x) (number ?y))
         (goal r 0) (goal s 0) (<= terminal (not (true (cell 1 0)))) {rule}"
    )
}

/// The number of instances for legal moves, for goals and for the end.
const MOVES: usize = 800 + 2 + 1;

#[test]
fn a_part_is_kept_to_what_the_rest_allows_and_each_player_taken_out() {
    let text = kinds(
        "(<= (next (cell ?v ?k)) (true (cell ?v ?k)) (does ?r (mark ?x ?y)) (other ?v ?x) (other ?v ?y))",
    );
    assert_eq!(grounded(&text, WHOLE).len(), MOVES + 20 * 2 * 19 * 19);
    // The instances for marks of any role, for marks that leave one of five cells unchanged, and
    // for the kinds.
    assert_eq!(grounded(&text, 400).len(), MOVES + 800 + 5 * 19 * 19 + 20);
}

/// A game on four numbers that needs few of the sums of numbers below `count`.
fn sums(count: usize) -> String {
    let numbers = repeat(count, |i| format!("(n {i}) (succ {i} {})", i + 1));
    format!(
        "(role r) (init (at 0)) {numbers} (step 1) (step 2)
         (<= (sum ?x 0 ?x) (n ?x)) (<= (sum ?x ?y ?z) (succ ?v ?y) (succ ?w ?z) (sum ?x ?v ?w))
         (<= (legal r (go ?d)) (step ?d)) (<= (next (at 0)) (does r (go 1)))
         (<= (next (at ?y)) (true (at ?x)) (does r (go ?d)) (sum ?x ?d ?y) (small ?y)) (small 0) (small 1) (small 2) (small 3)
         (goal r 0) (<= terminal (true (at 3)))"
    )
}

#[test]
fn of_a_wide_relation_only_what_is_asked_for_is_derived() {
    let (all, asked) = (grounded(&sums(300), WHOLE), grounded(&sums(300), 20));
    // The game is the same and takes a small part of the steps.
    assert_eq!(asked.vocabulary.fluents, all.vocabulary.fluents);
    assert_eq!(asked.vocabulary.fluents, ["(at 0)", "(at 1)", "(at 2)", "(at 3)"]);
    assert!(4 * asked.cost.steps < all.cost.steps, "{:?} {:?}", asked.cost, all.cost);
}

/// A split rule fires only if its whole body holds. The rule requires a chain of two marks; in the
/// initial state only its first half holds.
#[test]
fn a_rule_that_was_split_fires_when_all_of_it_holds() {
    let text = pairs("(<= done (true (f ?a ?b)) (true (f ?b ?c)))");
    for split_from in [WHOLE, 100] {
        let ground = grounded(&text, split_from);
        let chain = ground.with_instances().len() - 1;
        let fired = |fluents: &[&str], joint: &[u32]| {
            let number = |name: &&str| ground.vocabulary.fluents.iter().position(|other| other == name);
            let holding: Vec<usize> = fluents.iter().filter_map(number).collect();
            let truths = ground.truths_of_step(&|fluent| holding.contains(&(fluent as usize)), joint);
            let mut fired = vec![false; ground.with_instances().len()];
            ground.mark_fired(&truths, &mut fired);
            fired
        };
        let one = fired(&["(f 0 1)"], &[0]);
        assert!(!one[chain] && !fired(&["(f 0 1)", "(f 2 3)"], &[0])[chain], "{split_from}");
        assert!(fired(&["(f 0 1)", "(f 1 3)"], &[0])[chain], "{split_from}");
        // The move fires one rule; the frame rule fires from the state alone.
        let count = |fired: &[bool]| fired.iter().filter(|&&fired| fired).count();
        assert_eq!(count(&one), count(&fired(&["(f 0 1)"], &[])) + 1, "{split_from}");
        assert!(ground.silent().iter().all(|&silent| !silent));
    }
}

#[test]
fn rules_that_can_never_fire_are_known_where_the_game_rests_on_them() {
    let text = pairs(
        "(<= done (true (f 0 0))) (<= done (true (f 77 0))) (<= (idle ?x) (true (g ?x)) (true (f ?x ?x)))",
    );
    let ground = grounded(&text, WHOLE);
    let (instances, silent) = (ground.with_instances(), ground.silent());
    let last = silent.len() - 1;
    // The game does not depend on `idle`, so its rule is not reported.
    assert_eq!([silent[last - 2], silent[last - 1], silent[last]], [false, true, false]);
    assert_eq!([instances[last - 2], instances[last - 1], instances[last]], [true, false, false]);
    assert_eq!(silent.iter().filter(|&&silent| silent).count(), 1);
}

#[test]
fn what_nothing_depends_on_is_dropped() {
    let text =
        pairs("(<= done (true (f 0 0))) (<= (idle ?x) (true (f ?x ?x))) (<= (next (f ?x ?x)) (idle ?x))");
    assert_eq!(grounded(&text, WHOLE).len(), FRAME + 1 + 20 + 20);
    let text = pairs(
        "(<= done (true (f 0 0))) (<= (idle ?x ?y) (true (f ?x ?y)) (true (f 1 1))) (<= (next (f ?x ?x)) (idle ?x ?x))",
    );
    assert_eq!(grounded(&text, WHOLE).len(), FRAME + 1 + 20 + 20);
}

#[test]
fn a_term_beyond_the_limits_is_blamed_on_the_rule_that_makes_it() {
    // Relations before and after the growing one fire in each round too.
    let before = "(<= (seen ?x) (true (n ?x)))";
    // The depth is finite, so the check of growth accepts the rules; the limit is lower.
    let grows = "(<= (next (n (s ?x))) (true (n ?x)) (deep ?x))";
    let after = "(<= (next (m ?x)) (true (n ?x)) (seen ?x))";
    let frame = "(role r) (init (n z)) (legal r go) (goal r 0) (<= terminal (true (m z)))
        (deep z) (deep (s z)) (deep (s (s z))) (deep (s (s (s z))))";
    for text in [[frame, before, grows, after], [frame, after, grows, before], [grows, after, frame, before]]
    {
        let text = text.join("\n");
        let source = Source::new("game.kif", &text[..]);
        let limits = Limits { max_term_depth: 5, ..Limits::default() };
        let options = Options { limits, ..Options::default() };
        let mut diagnostics = Diagnostics::new(options.levels.clone());
        let tree = parse(&source, &options, &mut diagnostics);
        let rules = check(&tree, &source, &options, &mut diagnostics).expect("the rules are sound");
        assert!(ground(&rules, &options, &mut diagnostics).is_none());
        let fault = diagnostics.iter().find(|d| d.code.id == codes::BILLION_LAUGHS.id).expect("it grows");
        let span = fault.span.expect("it has a place");
        assert!(grows.contains(source.slice(span)), "{}", diagnostics.render(&source));
    }
}
