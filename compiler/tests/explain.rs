//! Explanations of single atoms: the rule that derives an atom, or the literal at which each rule
//! fails.

use gdl_compiler::eval::{EvalError, Evaluator, Explanation, Literal, Reason, State};
use gdl_compiler::{Options, Rules, Source, read};

/// A game in which two roles mark a row of three cells, each connected to the next.
const GAME: &str = "
(role x) (role o)
(init (turn x)) (init (cell 1 b)) (init (cell 2 b)) (init (cell 3 b))
(link 1 2) (link 2 1) (link 2 3)
(<= (reach ?a ?b) (link ?a ?b))
(<= (reach ?a ?c) (reach ?b ?c) (link ?a ?b))
(<= (legal ?r (mark ?n)) (true (turn ?r)) (true (cell ?n b)) (not taboo) (distinct ?n 2))
(<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
(<= taboo (true (cell 1 x)) (true (cell 3 o)))
(<= (next (cell ?n ?r)) (does ?r (mark ?n)))
(<= (next (cell ?n ?c)) (true (cell ?n ?c)) (not (marked ?n)))
(<= (marked ?n) (does ?r (mark ?n)))
(<= (next (turn o)) (true (turn x)))
(<= (next (turn x)) (true (turn o)))
(<= full (not (open)))
(<= open (or (true (cell 1 b)) (true (cell 3 b))))
(<= terminal full)
(<= (goal ?r 100) (role ?r) (reach 1 3))
";

fn rules(text: &str) -> Rules {
    read(&Source::new("test.kif", text), &Options::default()).expect("no faults").0
}

/// Explains an atom after the joint moves `played`, or for the step by `joint` from there.
fn explain(atom: &str, played: &[[&str; 2]], joint: Option<[&str; 2]>, depth: usize) -> Explanation {
    let rules = rules(GAME);
    let evaluator = Evaluator::new(&rules).expect("within limits");
    let moves = |joint: &[&str; 2]| joint.map(|text| evaluator.term(text).expect("a move"));
    let state = played.iter().fold(evaluator.initial().expect("a state"), |state: State, joint| {
        evaluator.next(&state, &moves(joint)).expect("a state")
    });
    let joint = joint.map(|joint| moves(&joint));
    evaluator.explain(atom, &state, joint.as_ref().map(|joint| &joint[..]), depth).expect("an atom")
}

/// Prints an explanation: `+` before an atom that holds, `-` before one that does not, `?` after
/// one that is not explained. Rules are numbers.
fn text(explanation: &Explanation) -> String {
    let sign = if explanation.holds { '+' } else { '-' };
    let inner = |why: &Option<Box<Explanation>>| why.as_ref().map_or(String::new(), |why| text(why));
    match &explanation.reason {
        Reason::Given => format!("{sign}{}", explanation.atom),
        Reason::Deeper => format!("{sign}{}?", explanation.atom),
        Reason::Rule { rule, premises } => {
            let premises: Vec<String> =
                premises.iter().map(|premise| format!("{}[{}]", premise.text, inner(&premise.why))).collect();
            format!("{sign}{} by {rule}: {}", explanation.atom, premises.join(", "))
        }
        Reason::None(attempts) => {
            let attempts: Vec<String> = attempts
                .iter()
                .map(|attempt| {
                    let Literal { text, why, .. } = &attempt.fails;
                    format!("{} after {:?} fails {text}[{}]", attempt.rule, attempt.held, inner(why))
                })
                .collect();
            format!("{sign}{} since {}", explanation.atom, attempts.join("; "))
        }
    }
}

#[test]
fn what_holds_follows_from_a_rule() {
    assert_eq!(
        text(&explain("(legal x (mark 3))", &[], None, 1)),
        "+(legal x (mark 3)) by 11: (true (turn x))[+(true (turn x))], (true (cell 3 b))[+(true (cell 3 b))], \
         (not taboo)[-taboo?], (distinct 3 2)[]"
    );
    // The explanation of a disjunction is the branch that holds.
    assert_eq!(
        text(&explain("open", &[["(mark 1)", "noop"]], None, 1)),
        "+open by 20: (true (cell 3 b))[+(true (cell 3 b))]"
    );
    assert_eq!(
        text(&explain("(next (cell 3 x))", &[], Some(["(mark 3)", "noop"]), 9)),
        "+(next (cell 3 x)) by 14: (does x (mark 3))[+(does x (mark 3))]"
    );
    assert_eq!(text(&explain("(link 1 2)", &[], None, 1)), "+(link 1 2) by 6: ");
}

#[test]
fn what_does_not_hold_is_told_rule_by_rule() {
    // Literals in the order of the text, values as they were found, and tests once their variables
    // are bound.
    assert_eq!(
        text(&explain("(legal x (mark 2))", &[], None, 1)),
        "-(legal x (mark 2)) since 11 after [\"(true (turn x))\", \"(true (cell 2 b))\", \"(not taboo)\"] fails (distinct 2 2)[]"
    );
    let moves = [["(mark 1)", "noop"], ["noop", "(mark 3)"]];
    assert_eq!(
        text(&explain("(legal x (mark 1))", &moves, None, 1)),
        "-(legal x (mark 1)) since 11 after [\"(true (turn x))\"] fails (true (cell 1 b))[-(true (cell 1 b))]"
    );
    // Negated literals are explained too.
    assert_eq!(
        text(&explain("(legal x noop)", &[], None, 1)),
        "-(legal x noop) since 12 after [\"(role x)\"] fails (not (true (turn x)))[+(true (turn x))]"
    );
    assert_eq!(
        text(&explain("(next (cell 1 b))", &[], Some(["(mark 1)", "noop"]), 2)),
        "-(next (cell 1 b)) since 14 after [] fails (does b (mark 1))[-(does b (mark 1))]; \
         15 after [\"(true (cell 1 b))\"] fails (not (marked 1))[+(marked 1) by 16: (does x (mark 1))[+(does x (mark 1))]]"
    );
    // No head fits.
    assert_eq!(text(&explain("(legal x x)", &[], None, 9)), "-(legal x x) since ");
    assert_eq!(text(&explain("(true (turn o))", &[], None, 9)), "-(true (turn o))");
}

/// Returns true if an atom's explanation uses the atom itself.
fn rests_on_itself(explanation: &Explanation, above: &mut Vec<String>) -> bool {
    if above.contains(&explanation.atom) {
        return true;
    }
    let Reason::Rule { premises, .. } = &explanation.reason else { return false };
    above.push(explanation.atom.clone());
    let found =
        premises.iter().filter_map(|premise| premise.why.as_ref()).any(|why| rests_on_itself(why, above));
    above.pop();
    found
}

#[test]
fn recursion_is_explained_without_going_round() {
    for atom in ["(reach 1 1)", "(reach 2 2)", "(reach 1 3)", "(reach 2 1)"] {
        let explanation = explain(atom, &[], None, 20);
        assert!(explanation.holds, "{atom}");
        assert!(!rests_on_itself(&explanation, &mut Vec::new()), "{}", text(&explanation));
        assert!(!text(&explanation).contains('?'), "{}", text(&explanation));
    }
    assert!(!explain("(reach 3 1)", &[], None, 20).holds);
}

#[test]
fn depth_and_size_are_bounded() {
    assert_eq!(text(&explain("terminal", &[], None, 0)), "-terminal?");
    assert_eq!(text(&explain("terminal", &[], None, 1)), "-terminal since 21 after [] fails full[-full?]");
    // A chain of ten thousand atoms, explained without a limit of depth.
    let chain = (0..10_000).fold(String::new(), |text, n| text + &format!("(succ {n} {})", n + 1));
    let rules =
        rules(&format!("{GAME}{chain}(up 0)(<= (up ?n) (up ?m) (succ ?m ?n))(<= (legal x go) (up 9000))"));
    let evaluator = Evaluator::new(&rules).expect("within limits");
    let start = evaluator.initial().expect("a state");
    let explanation = evaluator.explain("(legal x go)", &start, None, usize::MAX).expect("an atom");
    assert!(
        explanation.holds
            && text(&explanation).contains("(up 8901)?")
            && !text(&explanation).contains("(up 8900)")
    );
}

#[test]
fn texts_are_bounded() {
    /// The bytes of all texts of an explanation.
    fn bytes(explanation: &Explanation) -> usize {
        let literal = |literal: &Literal| literal.text.len() + literal.why.as_deref().map_or(0, bytes);
        let reason = match &explanation.reason {
            Reason::Given | Reason::Deeper => 0,
            Reason::Rule { premises, .. } => premises.iter().map(literal).sum(),
            Reason::None(attempts) => (attempts.iter())
                .map(|attempt| attempt.held.iter().map(String::len).sum::<usize>() + literal(&attempt.fails))
                .sum(),
        };
        explanation.atom.len() + reason
    }
    // Each of 500 rules fails for an atom that 500 other rules could derive, from atoms that one
    // rule could derive.
    let long = "n".repeat(200);
    let wide = (0..500).fold(String::new(), |text, n| {
        text + &format!("(<= (deep ?x) (wide ?x {long}{n})) (<= (wide ?x ?y) (flat ?x ?y {n}))")
    });
    let rules =
        rules(&format!("{GAME}{wide}(<= (flat ?x ?y ?z) (cell ?x ?y ?z) (distinct ?x ?x))(cell 0 0 0)"));
    let evaluator = Evaluator::new(&rules).expect("within limits");
    let start = evaluator.initial().expect("a state");
    let found = evaluator.explain("(deep 0)", &start, None, 1).expect("an atom");
    assert!(matches!(&found.reason, Reason::None(attempts) if attempts.len() == 500));
    let found = evaluator.explain("(deep 0)", &start, None, 3).expect("an atom");
    assert!(bytes(&found) < 5 << 20, "{}", bytes(&found));
}

#[test]
fn wrong_atoms_are_errors() {
    let rules = rules(GAME);
    let evaluator = Evaluator::new(&rules).expect("within limits");
    let state = evaluator.initial().expect("a state");
    let error = |atom: &str| evaluator.explain(atom, &state, None, 1).expect_err(atom);
    assert!(matches!(error("(legal x (marc 1))"), EvalError::NotATerm { .. }));
    assert!(matches!(error("(legal x ?y)"), EvalError::NotATerm { .. }));
    assert!(matches!(error("(mark 1)"), EvalError::NoRelation { .. }));
    assert!(matches!(error("(link 1 2 3)"), EvalError::NoRelation { .. }));
    let joint = [evaluator.term("noop").expect("a move")];
    let short = evaluator.explain("(next (turn x))", &state, Some(&joint), 1);
    assert!(matches!(short, Err(EvalError::JointMove { expected: 2, found: 1 })));
}
