//! Compares [`Lifted`] with the evaluator, on short rulesheets. Each is hard for one of the two
//! ways to evaluate relations, calls and tables, or for finding the names.

use gdl_compiler::{
    Diagnostics, Levels, Limits, Observer, Options, Rules, Source, check,
    diagnostic::codes,
    eval::{Evaluator, State, Term},
    lifted::{Lifted, Scratch},
    syntax,
};
use std::{
    collections::BTreeSet,
    fmt::Write as _,
    ops::ControlFlow,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

/// Reads a rulesheet with every lint allowed.
fn rules(text: &str) -> Rules {
    let allow = codes::ALL.iter().map(|code| code.id.to_owned()).collect();
    let options = Options { levels: Levels { allow, ..Levels::default() }, ..Options::default() };
    let source = Source::new("test.kif", text);
    let mut diagnostics = Diagnostics::new(options.levels.clone());
    let tree = syntax::parse(&source, &options, &mut diagnostics);
    let rules = check::check(&tree, &source, &options, &mut diagnostics);
    let messages: Vec<&str> = diagnostics.iter().map(|d| d.message.as_str()).collect();
    rules.unwrap_or_else(|| panic!("{messages:?} in {text}"))
}

fn with_limits(limits: Limits) -> Options {
    Options { limits, ..Options::default() }
}

fn bits(row: &[u64]) -> impl Iterator<Item = usize> + '_ {
    (0..row.len() * 64).filter(|bit| row[bit / 64] >> (bit % 64) & 1 == 1)
}

fn texts(terms: &[Term]) -> Vec<String> {
    terms.iter().map(Term::to_string).collect()
}

/// A state of a game in both engines.
struct Pair<'r> {
    game: &'r Lifted,
    scratch: Scratch,
    evaluator: &'r Evaluator<'r>,
    row: Vec<u64>,
    state: State,
}

impl<'r> Pair<'r> {
    fn new(game: &'r Lifted, evaluator: &'r Evaluator<'r>) -> Self {
        let state = evaluator.initial().expect("the evaluator knows the start");
        Self { game, scratch: game.scratch(), evaluator, row: game.initial().to_vec(), state }
    }

    /// Compares the views of the state. Returns the indices of each role's legal moves, and true if
    /// the state is terminal.
    fn look(&mut self) -> (Vec<Vec<u32>>, bool) {
        let (game, shape) = (self.game, self.game.shape);
        let names = &game.vocabulary;
        let fluents: Vec<&str> = bits(&self.row).map(|f| names.fluents[f].as_str()).collect();
        let expected: Vec<String> = self.state.iter().map(Term::to_string).collect();
        assert_eq!(fluents, expected, "fluents");
        let mut view = vec![u64::MAX; shape.view_words()];
        game.observe(&mut self.scratch, &self.row, &mut view).expect("within the limits");
        let seen: BTreeSet<usize> = bits(&view).collect();
        let mut legal = Vec::new();
        let mut goal = shape.goal_bit();
        for role in 0..shape.roles {
            let mine = (0..shape.moves as u32).filter(|&m| seen.contains(&shape.legal_bit(role, m as usize)));
            legal.push(mine.collect::<Vec<_>>());
            let moves: Vec<&str> = legal[role].iter().map(|&m| names.moves[m as usize].as_str()).collect();
            let expected = self.evaluator.legal(&self.state, role).expect("legal moves");
            assert_eq!(moves, texts(&expected), "legal moves in {fluents:?}");
            assert!(legal[role].iter().all(|m| game.role_moves[role].contains(m)));
            let values = game.role_goals[role].iter().enumerate();
            let mut goals: Vec<String> =
                values.filter(|(i, _)| seen.contains(&(goal + i))).map(|(_, v)| v.to_string()).collect();
            goals.sort_unstable();
            goal += game.role_goals[role].len();
            assert_eq!(
                goals,
                texts(&self.evaluator.goals(&self.state, role).expect("goals")),
                "goals in {fluents:?}"
            );
        }
        let terminal = seen.contains(&shape.terminal_bit());
        assert_eq!(
            terminal,
            self.evaluator.terminal(&self.state).expect("terminal"),
            "terminal in {fluents:?}"
        );
        (legal, terminal)
    }

    /// Makes a joint move and compares its percepts.
    fn step(&mut self, joint: &[u32]) {
        let (game, shape) = (self.game, self.game.shape);
        let names = &game.vocabulary;
        let moves = joint.iter().map(|&m| self.evaluator.term(&names.moves[m as usize]).expect("a move"));
        let moves: Vec<Term> = moves.collect();
        let mut row = vec![u64::MAX; shape.roles * shape.percept_words()];
        game.perceive(&mut self.scratch, &self.row, joint, &mut row).expect("within the limits");
        let seen: BTreeSet<usize> = bits(&row).collect();
        for role in 0..shape.roles {
            let percepts = (0..shape.percepts).filter(|&p| seen.contains(&shape.percept_bit(role, p)));
            let percepts: Vec<&str> = percepts.map(|p| names.percepts[p].as_str()).collect();
            let expected = self.evaluator.percepts(&self.state, &moves, role).expect("percepts");
            assert_eq!(percepts, texts(&expected), "percepts of {joint:?}");
        }
        game.advance(&mut self.scratch, &mut self.row, joint).expect("within the limits");
        self.state = self.evaluator.next(&self.state, &moves).expect("a next state");
    }
}

/// Plays `steps` random moves in both engines and compares all views.
#[track_caller]
fn agree(text: &str, steps: usize) -> Lifted {
    let rules = rules(text);
    let game = Lifted::new(&rules, &Options::default()).expect("within the limits");
    let evaluator = Evaluator::new(&rules).expect("within the limits");
    let mut pair = Pair::new(&game, &evaluator);
    let mut random = 7_u64;
    for _ in 0..steps {
        let (legal, terminal) = pair.look();
        if terminal || legal.iter().any(Vec::is_empty) {
            pair = Pair { scratch: pair.scratch, ..Pair::new(&game, &evaluator) };
            continue;
        }
        let joint: Vec<u32> = legal
            .iter()
            .map(|moves| {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                moves[(random >> 33) as usize % moves.len()]
            })
            .collect();
        pair.step(&joint);
    }
    game
}

#[test]
fn static_relations_that_are_vast_are_called() {
    // `all` has 8^8 tuples. It is called with eight bound arguments, and with one that is free.
    let mut text = String::from("(role p) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)\n");
    (1..=8).for_each(|n| writeln!(text, "(index {n})").unwrap());
    text += "(<= (all ?a ?b ?c ?d ?e ?f ?g ?h) (index ?a) (index ?b) (index ?c) (index ?d)
                 (index ?e) (index ?f) (index ?g) (index ?h) (distinct ?a ?h))
             (<= (legal p (put ?x)) (index ?x) (all 1 2 3 4 5 6 7 ?x))
             (<= (next (mark ?x)) (does p (put ?x)))
             (<= (next (mark ?x)) (true (mark ?x)))
             (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
             (<= terminal (true (step 4)))
             (<= (goal p 100) (true (mark ?x)) (true (mark ?y)) (all ?x ?x ?x ?x ?y ?y ?y ?y))
             (<= (goal p 0) (true (mark ?x)) (not (all ?x 1 1 1 1 1 1 ?x)))";
    let game = agree(&text, 60);
    assert_eq!((game.shape.fluents, game.shape.moves), (12, 7));
}

#[test]
fn paths_that_carry_what_they_visited_are_followed_on_demand() {
    // No cell is visited twice. The visited cells are a list, and there are more lists than fit
    // into memory.
    let mut text = String::from("(role p)\n");
    let cell = |x: u32, y: u32| format!("c{x}{y}");
    for (x, y) in (1..=4).flat_map(|x| (1..=4).map(move |y| (x, y))) {
        writeln!(text, "(init (free {0})) (cell {0} {x} {y}) (cell {0})", cell(x, y)).unwrap();
        for (x, y, v, w) in [(x, y, x + 1, y), (x, y, x, y + 1)] {
            let (one, other) = (cell(x, y), cell(v, w));
            if v <= 4 && w <= 4 {
                writeln!(text, "(adjacent {one} {other}) (adjacent {other} {one})").unwrap();
            }
        }
    }
    for length in 0..=7 {
        let list = (0..length).fold("nil".to_owned(), |list, i| format!("(cons ?c{i} {list})"));
        let cells: Vec<String> = (0..length).map(|i| format!("(cell ?c{i})")).collect();
        writeln!(text, "(<= (cells {list}) {} (cells nil2))", cells.join(" ")).unwrap();
    }
    text += "(cells nil2)
        (<= (visited ?c (cons ?c ?rest)) (cells (cons ?c ?rest)))
        (<= (visited ?c (cons ?d ?rest)) (visited ?c ?rest) (cells (cons ?d ?rest)))
        (<= (path ?c ?c ?seen) (true (mine ?c)) (cells ?seen) (not (visited ?c ?seen)))
        (<= (path ?c ?e ?seen) (true (mine ?c)) (cells ?seen) (not (visited ?c ?seen))
            (adjacent ?c ?d) (path ?d ?e (cons ?c ?seen)))
        (<= (lined ?c ?d) (cell ?c 1 ?y) (cell ?d 4 ?z) (path ?c ?d nil))
        (<= won (lined ?c ?d))
        (<= (legal p (take ?c)) (true (free ?c)))
        (<= (next (mine ?c)) (does p (take ?c)))
        (<= (next (mine ?c)) (true (mine ?c)))
        (<= (next (free ?c)) (true (free ?c)) (not (does p (take ?c))))
        (<= terminal won)
        (<= (goal p 100) won)
        (<= (goal p 0) (not won))";
    // The evaluator fills relations, and `path` is too large for that, so the game is compared with
    // known results.
    let rules = rules(&text);
    let game = Lifted::new(&rules, &Options::default()).expect("within the limits");
    let mut scratch = game.scratch();
    let (shape, mut row) = (game.shape, game.initial().to_vec());
    let number = |text: &str| game.vocabulary.moves.iter().position(|m| m == text).expect("a move") as u32;
    let mut view = vec![0; shape.view_words()];
    // The straight path down, with one detour.
    for (i, cell) in ["c11", "c21", "c22", "c32", "c12", "c42"].iter().enumerate() {
        game.observe(&mut scratch, &row, &mut view).expect("within the limits");
        let seen: BTreeSet<usize> = bits(&view).collect();
        assert!(!seen.contains(&shape.terminal_bit()), "before {cell}");
        assert_eq!((0..shape.moves).filter(|&m| seen.contains(&shape.legal_bit(0, m))).count(), 16 - i);
        game.advance(&mut scratch, &mut row, &[number(&format!("(take {cell})"))])
            .expect("within the limits");
    }
    game.observe(&mut scratch, &row, &mut view).expect("within the limits");
    assert!(bits(&view).any(|bit| bit == shape.terminal_bit()));
}

#[test]
fn recursion_through_the_state_is_filled() {
    agree(
        "(role p) (init (at a)) (init (link a b)) (init (link b c)) (init (link c a)) (init (link c d))
         (<= (reach ?x ?y) (true (link ?x ?y)))
         (<= (reach ?x ?z) (reach ?x ?y) (reach ?y ?z))
         (<= (legal p (cut ?x ?y)) (true (link ?x ?y)))
         (<= (next (link ?x ?y)) (true (link ?x ?y)) (not (does p (cut ?x ?y))))
         (<= (next (at ?x)) (true (at ?x)))
         (<= terminal (not (reach a d)))
         (<= (goal p 100) (reach a a)) (<= (goal p 0) (not (reach a a)))",
        30,
    );
}

#[test]
fn negation_on_a_cycle_of_relations_is_stratified_by_its_atoms() {
    agree(
        "(role white) (role black) (init (on 1)) (succ 1 2) (succ 2 3) (succ 3 4)
         (<= (legal white (go ?x)) (true (on ?x))) (legal black noop)
         (<= (next (on ?y)) (does white (go ?x)) (succ ?x ?y))
         (<= (odd ?y) (succ ?x ?y) (not (odd ?x)) (true (on ?z)))
         (<= terminal (true (on 4)))
         (<= (goal white 100) (odd 2) (true (on 4)))
         (<= (goal ?r 0) (role ?r) (not (goal ?r 100)))",
        20,
    );
}

#[test]
fn branches_that_bind_different_variables_keep_their_constraints() {
    agree(
        "(role p) (init (at 1 2)) (good 1) (good 3) (n 1) (n 2) (n 3) (far 3)
         (<= (legal p (go ?x ?y)) (n ?x) (n ?y) (or (good ?x) (far ?y)))
         (<= (legal p (two ?x)) (or (true (at ?x ?y)) (and2 ?x ?z)) (or (good ?y) (n ?x)))
         (and2 2 3)
         (<= (next (at ?x ?y)) (does p (go ?x ?y)))
         (<= (next (at ?y ?x)) (true (at ?x ?y)) (or (does p (two ?x)) (does p (two ?y))))
         (<= terminal (true (at 3 3))) (goal p 50)",
        40,
    );
}

#[test]
fn terms_within_terms_are_taken_apart_and_built() {
    agree(
        "(role p) (init (stack (s (s z)))) (init (stack z))
         (<= (legal p (pop ?x)) (true (stack (s ?x))))
         (<= (legal p (keep (pair ?x ?x))) (true (stack ?x)))
         (<= (next (stack ?x)) (does p (pop ?x)))
         (<= (next (stack (s ?x))) (does p (keep (pair ?x ?x))) (small ?x))
         (small z) (small (s z))
         (<= terminal (true (stack (s (s (s z))))))
         (<= (goal p 10) (true (stack ?x)) (distinct ?x z)) (<= (goal p 0) (true (stack z)))",
        30,
    );
}

#[test]
fn chance_and_percepts_are_told() {
    let game = agree(
        "(role random) (role p) (init air) (side heads) (side tails)
         (<= (legal random (toss ?s)) (true air) (side ?s)) (<= (legal random noop) (not (true air)))
         (<= (legal p (call ?s)) (side ?s))
         (<= (next (down ?s)) (does random (toss ?s))) (<= (next (down ?s)) (true (down ?s)))
         (<= (next done) (true (down ?s)))
         (<= (sees p (called ?s)) (does p (call ?s)))
         (<= (sees p ?s) (does random (toss ?s)) (does p (call ?s)))
         (<= (sees nobody ?s) (does random (toss ?s)))
         (<= terminal (true done))
         (<= (goal p 100) (true (down heads))) (<= (goal p 0) (true (down tails)))",
        40,
    );
    assert_eq!(game.vocabulary.chance, Some(0));
    assert_eq!(game.role_percepts, Some(vec![vec![], vec![0, 1, 2, 3]]));
}

#[test]
fn an_empty_start_and_static_answers_are_no_trouble() {
    agree(
        "(role p) (legal p go) (<= (next here) (does p go)) (<= terminal (true here)) (goal p 100)
         (<= (legal stranger go) (true here))",
        6,
    );
}

/// A join whose last test rejects everything, evaluated only in the second state.
const HARD: &str = "(role p) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3)
    (d 1) (d 2) (d 3) (d 4) (d 5) (d 6) (d 7) (d 8) (d 9) (d 10) (d 11) (d 12) (d 13) (d 14) (d 15) (d 16)
    (legal p go)
    (<= (next (step ?n)) (does p go) (true (step ?m)) (succ ?m ?n))
    (<= hard (true (step 1)) (d ?a) (d ?b) (d ?c) (d ?e) (distinct (t ?a ?b ?c ?e) (t ?a ?b ?c ?e)))
    (<= (goal p 100) hard) (<= (goal p 0) (true (step 0)))
    (<= terminal (true (step 3)))";

#[test]
fn an_evaluation_over_the_limits_is_given_up_and_the_next_one_is_not() {
    let limits = Limits { fuel: 100_000, ..Limits::default() };
    let game = Lifted::new(&rules(HARD), &with_limits(limits)).expect("the start is easy");
    let mut view = vec![0; game.shape.view_words()];
    let mut told = Vec::new();
    // The result does not depend on earlier evaluations.
    for again in [false, true] {
        let mut scratch = game.scratch();
        let mut row = game.initial().to_vec();
        let place = |text: &str| game.vocabulary.fluents.iter().position(|f| f == text).expect("a fluent");
        for step in 0..3 {
            row.fill(0);
            row[0] |= 1 << place(&format!("(step {step})"));
            if again {
                let _ = game.advance(&mut scratch, &mut row.clone(), &[0]);
            }
            view.fill(u64::MAX);
            let seen = game.observe(&mut scratch, &row, &mut view);
            assert_eq!(
                seen.is_err(),
                view.iter().all(|&word| word == 0),
                "nothing is seen if it is too hard"
            );
            told.push(seen.map_err(|excess| excess.to_string()));
        }
    }
    let hard = Err("takes more than 20000 steps (`fuel`)".to_owned());
    assert_eq!(told[..3], [Ok(()), hard, Ok(())]);
    assert_eq!(told[..3], told[3..]);
}

#[test]
fn names_that_cannot_be_found_within_the_limits_are_an_error() {
    let frame = "(role p) (init (n z z)) (legal p go) (goal p 0) (<= terminal (true (n ?x ?x)))";
    let grows = "(<= (next (n ?x (s ?y))) (true (n ?x ?y))) (<= (next (n (s ?x) ?y)) (true (n ?x ?y)))";
    let pairs = "(<= (next (n ?x ?y)) (number ?x) (number ?y) (true (n z z)))";
    let deep = "(<= (next (n ?x (s ?y))) (true (n ?x ?y)) (deep ?y)) (deep z) (deep (s z)) (deep (s (s z)))";
    let numbers = (0..100).fold(String::new(), |text, number| text + &format!("(number {number})"));
    for (rules_of_n, limits, code) in [
        (grows.to_owned(), Limits { max_fluents: 1_000, ..Limits::default() }, "GDL137"),
        (format!("{pairs}{numbers}"), Limits { max_fluents: 1_000, ..Limits::default() }, "GDL137"),
        (format!("{pairs}{numbers}"), Limits { fuel: 10_000, ..Limits::default() }, "GDLM7"),
        (format!("{pairs}{numbers}"), Limits { max_bytes: 100_000, ..Limits::default() }, "GDL133"),
        (deep.to_owned(), Limits { max_term_depth: 4, ..Limits::default() }, "GDL136"),
    ] {
        let text = format!("{frame}{rules_of_n}");
        let fault = Lifted::new(&rules(&text), &with_limits(limits)).expect_err("there are too many");
        assert_eq!(fault.code.id, code, "{}", fault.message);
        assert!(fault.help.is_some());
    }
}

#[test]
fn whoever_follows_may_end_it() {
    let text = "(role p) (init (n z z)) (legal p go) (goal p 0) (<= terminal (true (n ?x ?x)))
        (<= (next (n ?x (s ?y))) (true (n ?x ?y))) (<= (next (n (s ?x) ?y)) (true (n ?x ?y)))";
    let options = Options { observer: Observer::new(|_| ControlFlow::Break(())), ..Options::default() };
    let fault = Lifted::new(&rules(text), &options).expect_err("it was cancelled");
    assert_eq!(fault.code.name, "cancelled");
}

/// The names cannot be found within the limits, and `base` takes many steps too.
#[test]
fn whoever_follows_may_end_it_while_declared_names_are_read() {
    let text = listed("") + "(<= (base (n ?a ?b ?c z)) (succ ?a ?d) (succ ?b ?e) (succ ?c ?f))";
    let rules = rules(&text);
    // Cancels at the report with the index `last`. Returns the number of reports.
    let end = |last: usize| {
        let reports = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&reports);
        let observer = Observer::new(move |_| {
            let is_last = count.fetch_add(1, Ordering::Relaxed) >= last;
            if is_last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let limits = Limits { fuel: 200_000, ..Limits::default() };
        let made = Lifted::new(&rules, &Options { observer, ..with_limits(limits) });
        (reports.load(Ordering::Relaxed), made.err().map(|fault| fault.code.name))
    };
    let (reports, fault) = end(usize::MAX);
    assert!(reports > 1 && fault.is_none(), "{reports} reports, {fault:?}");
    for last in 0..reports {
        assert_eq!(end(last), (last + 1, Some("cancelled")), "of {reports} reports");
    }
}

/// Returns the code and message of the error for rules that cannot be prepared.
fn refused(text: &str, limits: Limits) -> (&'static str, String) {
    let fault = Lifted::new(&rules(text), &with_limits(limits)).expect_err("they are not");
    assert!(fault.help.is_some(), "{}", fault.message);
    (fault.code.id, fault.message)
}

#[test]
fn what_follows_from_its_own_negation_is_an_error_where_play_starts() {
    let rest = "(role p) (init a) (<= (legal p x) (true a)) (<= (next a) (true a)) (goal p 0)";
    for (text, code, name) in [
        ("(<= terminal (not terminal))", "GDL091", "terminal"),
        ("(<= terminal (not q)) (<= q (true a) (not q))", "GDL091", "q"),
        (
            "(<= terminal (one x)) (<= (one ?x) (is ?x) (not (two ?x))) (<= (two ?x) (is ?x) (not (one ?x))) (is x)",
            "GDL092",
            "one",
        ),
        ("(<= terminal (and2 b)) (<= (and2 ?x) (m ?x ?y) (not (and2 ?y))) (m b c) (m c b)", "GDL091", "and2"),
    ] {
        let (found, message) = refused(&format!("{rest} {text}"), Limits::default());
        assert_eq!((found, message.contains(&format!("`{name}`"))), (code, true), "{text}: {message}");
    }
    // Atoms that alternate through negation without a cycle of atoms are decided.
    agree(
        &format!("{rest} (<= terminal (and2 b)) (<= (and2 ?x) (m ?x ?y) (not (and2 ?y))) (m b c) (m c d)"),
        5,
    );
    // So are atoms that depend on their own negation only under a condition that never holds.
    agree(&format!("{rest} (<= terminal q) (<= q (true a) (true b) (not q)) (<= (next b) (true b))"), 5);
}

/// After the sample states, the end of the game depends on its own negation, so evaluation fails
/// there.
#[test]
fn what_follows_from_its_own_negation_later_is_given_up() {
    let mut text = String::from("(role p) (init (step 0)) (legal p go) (legal p stay) (goal p 0)\n");
    (0..30).for_each(|n| writeln!(text, "(succ {n} {})", n + 1).unwrap());
    text += "(<= (next (step ?n)) (does p go) (true (step ?m)) (succ ?m ?n))
             (<= (next (step ?n)) (does p stay) (true (step ?n)))
             (<= terminal (true (step 20)) (not terminal))
             (<= (next odd) odd) (<= odd (does p go) (true (step 19)) (not odd))";
    let game = Lifted::new(&rules(&text), &Options::default()).expect("the first states are decided");
    let mut scratch = game.scratch();
    let number =
        |list: &[String], name: &str| list.iter().position(|text| text == name).expect("it is there");
    let go = number(&game.vocabulary.moves, "go") as u32;
    let (mut row, mut view) = (vec![0; game.shape.state_words()], vec![0; game.shape.view_words()]);
    let mut at = |step: usize, row: &mut Vec<u64>| {
        row.fill(0);
        let fluent = number(&game.vocabulary.fluents, &format!("(step {step})"));
        row[fluent / 64] |= 1 << (fluent % 64);
        view.fill(u64::MAX);
        let seen = game.observe(&mut scratch, row, &mut view).map_err(|excess| excess.to_string());
        let next = game.advance(&mut scratch, row, &[go]).map_err(|excess| excess.to_string());
        (seen, view.iter().any(|&word| word != 0), next)
    };
    let open =
        |name| Err(format!("does not decide whether `{name}` holds, which depends on its own negation"));
    assert_eq!(at(18, &mut row), (Ok(()), true, Ok(())));
    let step = number(&game.vocabulary.fluents, "(step 19)");
    assert_eq!(at(19, &mut row), (Ok(()), true, open("odd")));
    assert_eq!(row[step / 64], 1 << (step % 64), "a step that is given up leads nowhere");
    assert_eq!(at(20, &mut row), (open("terminal"), false, open("terminal")));
}

#[test]
fn a_role_without_moves_is_an_error() {
    let text = "(role p) (role idle) (init a) (legal p x) (<= (legal idle x) (true b)) (goal p 0) (goal idle 0) (<= terminal (true a))";
    let (code, message) = refused(text, Limits::default());
    assert_eq!((code, &*message), ("GDL034", "role `idle` has no legal move in any reachable state"));
    agree(&text.replace("(true b)", "(true a)"), 3);
}

/// A game of 30 steps with too many names to find: a million if day and night could hold together.
/// `base` and `input` list the names that occur, except one.
fn listed(missing: &str) -> String {
    let mut text = String::from(
        "(role p) (init (step 0)) (init day) (goal p 0) (base day) (base night)
         (<= (next day) (true night)) (<= (next night) (true day))
         (<= (next (n ?a ?b ?c ?d)) (true day) (true night) (succ ?a ?e) (succ ?b ?f) (succ ?c ?g) (succ ?d ?h))
         (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
         (<= (legal p (go ?n)) (true (step ?n)))
         (<= terminal (true (step 30)))\n",
    );
    for n in 0..=30 {
        writeln!(text, "(succ {n} {}) (base (step {n})) (input p (go {n}))", n + 1).unwrap();
    }
    assert!(missing.is_empty() || text.contains(missing));
    text.replace(missing, "")
}

#[test]
fn what_base_and_input_leave_out_is_never_left_out_of_a_state() {
    let limits = Limits { fuel: 500_000, ..Limits::default() };
    let (code, _) = refused(&listed("(base (step 5))"), limits.clone());
    assert_eq!(code, "GDLM7", "a sample state has more");
    assert_eq!(refused(&listed("(input p (go 5))"), limits.clone()).0, code);
    let walk = |missing: &str| {
        let game =
            Lifted::new(&rules(&listed(missing)), &with_limits(limits.clone())).expect("sample states are");
        let (mut scratch, mut row) = (game.scratch(), game.initial().to_vec());
        let mut view = vec![0; game.shape.view_words()];
        for step in 0.. {
            game.observe(&mut scratch, &row, &mut view).map_err(|excess| (step, excess.to_string()))?;
            if bits(&view).any(|bit| bit == game.shape.terminal_bit()) {
                return Ok(step);
            }
            let before = row.clone();
            let advanced = game.advance(&mut scratch, &mut row, &[0]);
            assert_eq!(advanced.is_err(), row == before);
            advanced.map_err(|excess| (step, excess.to_string()))?;
        }
        unreachable!()
    };
    assert_eq!(walk(""), Ok(30));
    let more = |relation| format!("has a fluent or move that the rules for `{relation}` do not declare");
    assert_eq!(walk("(base (step 20))"), Err((19, more("base"))));
    assert_eq!(walk("(input p (go 20))"), Err((20, more("input"))));
}

#[test]
fn goals_that_are_no_numbers_are_told() {
    let text = |end: u32| {
        let mut text = String::from(
            "(role p) (init (step 0)) (legal p go) (<= terminal (true (step 99)))
             (<= (goal p ?x) (true (step ?n)) (worth ?n ?x)) (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))\n",
        );
        for n in 0..30 {
            let worth = if n == end { "much".to_owned() } else { n.to_string() };
            writeln!(text, "(succ {n} {}) (worth {n} {worth})", n + 1).unwrap();
        }
        text
    };
    assert_eq!(refused(&text(5), Limits::default()).0, "GDL082");
    let game = Lifted::new(&rules(&text(20)), &Options::default()).expect("sample states have numbers");
    let (mut scratch, mut row) = (game.scratch(), game.initial().to_vec());
    let mut view = vec![0; game.shape.view_words()];
    for step in 0..25 {
        let seen = game.observe(&mut scratch, &row, &mut view).map_err(|excess| excess.to_string());
        let expected = Err("has a goal value that is not an integer from 0 to 255".to_owned());
        assert_eq!(seen, if step == 20 { expected } else { Ok(()) }, "{step}");
        game.advance(&mut scratch, &mut row, &[0]).expect("within the limits");
    }
}

/// A game with `count` relations whose rules have `literals` literals, all of the head's own SCC.
fn recursive(literals: usize, count: usize) -> String {
    let mut text = String::from("(role p) (init (n 1)) (legal p x) (goal p 0) (<= terminal (q0 1))\n");
    for i in 0..count {
        let body: Vec<String> = (0..literals).map(|j| format!("(q{} ?x)", (i + j) % count)).collect();
        let body = body.join(" ");
        writeln!(text, "(<= (q{i} ?x) (true (n ?x)) {body})").unwrap();
    }
    text
}

/// Bounds the variants of rules. Without a bound, each rule has 300 variants of 300 literals, about
/// a gigabyte.
#[test]
fn variants_of_long_recursive_bodies_are_bounded() {
    let limits = Limits { max_bytes: 64 << 20, ..Limits::default() };
    let (code, message) = refused(&recursive(300, 40), limits.clone());
    assert_eq!((code, message.contains("bytes")), ("GDL133", true), "{message}");
    Lifted::new(&rules(&recursive(10, 40)), &with_limits(limits)).expect("few are within the limits");
}

/// Ordering a body is quadratic in its length. Here all tests wait for the last variable of a
/// chain.
#[test]
fn planning_is_bounded() {
    let text = |count: usize| {
        let mut text = String::from("(role p) (init n) (legal p x) (goal p 0) (a 1 2)\n");
        for i in 0..count {
            let waiting = (0..300).map(|j| format!("(distinct ?v62 k{j})"));
            let chain = (0..62).map(|j| format!("(a ?v{j} ?v{})", j + 1));
            let body = waiting.chain(chain).collect::<Vec<_>>().join(" ");
            writeln!(text, "(<= q{i} {body} (true n)) (<= terminal q{i})").unwrap();
        }
        text
    };
    let limits = Limits { fuel: 20_000_000, ..Limits::default() };
    Lifted::new(&rules(&text(1)), &with_limits(limits.clone())).expect("one is within the limits");
    let (code, message) = refused(&text(100), limits);
    assert_eq!((code, message.contains("too many literals")), ("GDLM7", true), "{message}");
}

/// Each relation is within its share, but all of them together exceed the limits.
#[test]
fn relations_of_the_rules_are_bounded_together() {
    let text = |count: usize| {
        let mut text = String::from("(role p) (init a) (legal p x) (goal p 0)\n");
        (0..30).for_each(|n| writeln!(text, "(d {n})").unwrap());
        for i in 0..count {
            writeln!(
                text,
                "(<= (r{i} ?x ?y ?z) (d ?x) (d ?y) (d ?z)) (<= terminal (true a) (r{i} ?x ?x ?x))"
            )
            .unwrap();
        }
        text
    };
    // 27,000 tuples of 72 bytes each.
    let limits = Limits { max_bytes: 40_000_000, ..Limits::default() };
    Lifted::new(&rules(&text(4)), &with_limits(limits.clone())).expect("four are within the limits");
    // Relations that do not fit are called if possible; the others get tables.
    let game = Lifted::new(&rules(&text(40)), &with_limits(limits));
    let bytes = game.expect("they may be called").bytes();
    assert!(bytes < 10_000_000, "{bytes}");
}

/// A relation of ten columns gets an index for each choice of five of them.
#[test]
fn indexes_are_bounded() {
    let text = |choices: usize| {
        let mut text = String::from("(role p) (init a) (legal p x) (goal p 0)\n");
        for n in 0..200 {
            let columns: Vec<String> = (0..10).map(|column| format!("{}", (n * (column + 3)) % 7)).collect();
            writeln!(text, "(r {} k{n})", columns.join(" ")).unwrap();
        }
        let sets = (0..1_u32 << 10).filter(|set| set.count_ones() == 5).take(choices);
        for set in sets {
            let column = |i: u32| if set >> i & 1 == 1 { format!("?a{i}") } else { format!("?b{i}") };
            let free = |i: u32| if set >> i & 1 == 1 { format!("?a{i}") } else { format!("?c{i}") };
            let columns: Vec<String> = (0..10).map(column).collect();
            let others: Vec<String> = (0..10).map(free).collect();
            writeln!(
                text,
                "(<= terminal (r {} ?k) (r {} ?l) (distinct ?k ?l) (distinct ?k ?k))",
                columns.join(" "),
                others.join(" ")
            )
            .unwrap();
        }
        text
    };
    // 250 indexes of 200 rows of 48 bytes each.
    let limits = Limits { max_bytes: 4_000_000, ..Limits::default() };
    Lifted::new(&rules(&text(20)), &with_limits(limits.clone())).expect("twenty are within the limits");
    let (code, message) = refused(&text(250), limits);
    assert_eq!((code, message.contains("bytes")), ("GDL133", true), "{message}");
}

/// The roles' moves and goals are found in one pass over each.
#[test]
fn many_roles_are_no_trouble() {
    let mut text =
        String::from("(init a) (<= terminal (true b)) (<= (next b) (true a)) (<= (goal ?r 50) (role ?r))\n");
    (0..200).for_each(|n| {
        writeln!(text, "(role r{n}) (legal r{n} m{n}) (legal r{n} m) (goal r{n} {})", n % 50).unwrap();
    });
    let game = agree(&text, 6);
    assert_eq!(game.role_moves.iter().map(Vec::len).sum::<usize>(), 400);
    assert_eq!(game.role_goals[7], [7, 50]);
}

/// A token moves over `cells` cells. The free cells form pairs, and each move requires one pair.
fn pairs(cells: usize) -> String {
    let mut text = String::from(
        "(role p) (init (at 0)) (goal p 50)
         (<= (legal p (go ?b)) (true (at ?a)) (succ ?a ?b) (pair ?a ?b))
         (<= (next (at ?b)) (does p (go ?b)))
         (<= (next (seen ?a)) (true (at ?a))) (<= (next (seen ?a)) (true (seen ?a)))
         (<= (free ?a) (cell ?a) (not (true (seen ?a))))
         (<= (pair ?a ?b) (free ?a) (free ?b) (distinct ?a ?b))
         (<= terminal (true (at 20)))\n",
    );
    for cell in 0..cells {
        writeln!(text, "(cell {cell}) (succ {cell} {})", cell + 1).unwrap();
    }
    text
}

#[test]
fn relations_of_which_little_is_asked_are_called() {
    let game = agree(&pairs(60), 60);
    let (mut scratch, mut row) = (game.scratch(), game.initial().to_vec());
    let mut view = vec![0; game.shape.view_words()];
    for _ in 0..10 {
        game.observe(&mut scratch, &row, &mut view).expect("within the limits");
        let go = bits(&view).next().expect("there is a move") as u32;
        game.advance(&mut scratch, &mut row, &[go]).expect("within the limits");
    }
    assert!(
        scratch.work() < 10 * 500,
        "{} steps, and 3,600 for each state to fill the pairs",
        scratch.work()
    );
}

#[test]
fn a_game_that_is_over_where_it_starts_needs_no_sample() {
    // The initial state is terminal, so the open atom of a step is never evaluated.
    let text = "(role p) (init a) (legal p x) (goal p 10) (<= terminal (true a)) (free c) (<= (open ?c) (free ?c) (true a))
             (<= (next b) (open c) (does p x) odd) (<= odd (does p x) (not odd))";
    let game = Lifted::new(&rules(text), &Options::default()).expect("the start is decided");
    let mut view = vec![0; game.shape.view_words()];
    game.observe(&mut game.scratch(), game.initial(), &mut view).expect("the start is decided");
    assert!(bits(&view).any(|bit| bit == game.shape.terminal_bit()));
}

#[test]
fn a_state_that_is_left_and_come_back_to_is_the_same() {
    let text = format!(
        "{} (<= (legal p stay) (true (at ?a))) (<= (next (at ?a)) (does p stay) (true (at ?a)))",
        pairs(10)
    );
    let game = Lifted::new(&rules(&text), &Options::default()).expect("within the limits");
    let number = |name: &str| game.vocabulary.moves.iter().position(|text| text == name).unwrap() as u32;
    let after = |scratch: &mut Scratch, row: &[u64], action: &str| {
        let mut next = row.to_vec();
        game.advance(scratch, &mut next, &[number(action)]).expect("within the limits");
        next
    };
    let see = |scratch: &mut Scratch, row: &[u64]| {
        let mut view = vec![0; game.shape.view_words()];
        game.observe(scratch, row, &mut view).expect("within the limits");
        view
    };
    let (start, fresh) = (game.initial().to_vec(), || game.scratch());
    let [gone, stayed] = ["(go 1)", "stay"].map(|action| after(&mut fresh(), &start, action));
    let mut scratch = fresh();
    // Both successors are computed before either is observed.
    assert_eq!(after(&mut scratch, &start, "(go 1)"), gone);
    assert_eq!(after(&mut scratch, &start, "stay"), stayed);
    for row in [&gone, &stayed, &start, &stayed, &gone] {
        assert_eq!(see(&mut scratch, row), see(&mut fresh(), row));
    }
    // A successor that is not entered does not become the current state.
    assert_eq!(after(&mut scratch, &gone, "stay"), after(&mut fresh(), &gone, "stay"));
    assert_eq!(see(&mut scratch, &start), see(&mut fresh(), &start));
    assert_eq!(after(&mut scratch, &stayed, "stay"), after(&mut fresh(), &stayed, "stay"));
}
