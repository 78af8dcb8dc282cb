//! Rules that grounding rewrites, and similar ones that it must not rewrite. Tests count instances,
//! and play in lockstep with the evaluator, which does not rewrite.

use gdl_compiler::{
    Diagnostics, Limits, Options, Rules, Source,
    check::check,
    eval::{Evaluator, State},
    ground::{GroundRules, ground, terms::AtomId},
    syntax::parse,
};
use std::{collections::BTreeSet, fmt::Write as _};

/// Joins `line` for each number below `count`.
fn repeat(count: usize, mut line: impl FnMut(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut text, i| {
        let _ = write!(text, "{} ", line(i));
        text
    })
}

fn rules(text: &str, options: &Options) -> Rules {
    let source = Source::new("game.kif", text);
    let mut diagnostics = Diagnostics::new(options.levels.clone());
    let tree = parse(&source, options, &mut diagnostics);
    check(&tree, &source, options, &mut diagnostics)
        .unwrap_or_else(|| panic!("{}", diagnostics.render(&source)))
}

/// Grounds rules, rewritten from `split_from` instances on, and compares each state of random games
/// with the evaluator.
#[track_caller]
fn played(text: &str, split_from: usize) -> GroundRules {
    let options = Options { split_from, ..Options::default() };
    played_by(text, &options).unwrap_or_else(|code| panic!("{code}: {text}"))
}

/// Like [`played`], with the given options. Returns the code of the first error if grounding fails.
#[track_caller]
fn played_by(text: &str, options: &Options) -> Result<GroundRules, &'static str> {
    let rules = rules(text, options);
    let mut diagnostics = Diagnostics::new(options.levels.clone());
    let Some(game) = ground(&rules, options, &mut diagnostics) else {
        let fault = diagnostics.iter().find(|d| d.severity == gdl_compiler::Severity::Error);
        return Err(fault.expect("a fault").code.id);
    };
    let mut random = 1_u64;
    let mut below = |count: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % count
    };
    let evaluator = Evaluator::new(&rules).expect("within the limits");
    let mut play = Play::new(&game, &evaluator);
    for _ in 0..60 {
        let seen = play.look();
        if seen.terminal || seen.legal.iter().any(Vec::is_empty) {
            play = Play::new(&game, &evaluator);
            continue;
        }
        let joint: Vec<u32> = seen.legal.iter().map(|moves| moves[below(moves.len())]).collect();
        play.step(&joint);
    }
    Ok(game)
}

/// A state of a game in both engines: ground rules and evaluator.
struct Play<'g> {
    game: &'g GroundRules,
    evaluator: &'g Evaluator<'g>,
    state: Vec<bool>,
    expected: State,
}

/// The view of a state: the legal moves and goal values of each role, and true if the state is
/// terminal.
struct Seen {
    legal: Vec<Vec<u32>>,
    goals: Vec<BTreeSet<String>>,
    terminal: bool,
}

impl<'g> Play<'g> {
    fn new(game: &'g GroundRules, evaluator: &'g Evaluator<'g>) -> Self {
        Self { game, evaluator, state: game.initial.clone(), expected: evaluator.initial().expect("a start") }
    }

    /// Compares the views of the state by both engines, and returns the view.
    #[track_caller]
    fn look(&self) -> Seen {
        let Self { game, evaluator, state, expected } = self;
        let names = &game.vocabulary;
        let held: Vec<&str> =
            (0..state.len()).filter(|&f| state[f]).map(|f| names.fluents[f].as_str()).collect();
        let known: Vec<String> = expected.iter().map(ToString::to_string).collect();
        assert_eq!(held, known, "fluents");
        let truths = game.truths(&|fluent| state[fluent as usize]);
        let holds = |atom: &AtomId| truths[atom.index()];
        let (mut all_legal, mut all_goals) = (Vec::new(), Vec::new());
        for role in 0..names.roles.len() {
            let legal: Vec<u32> =
                game.legal[role].iter().filter(|(_, atom)| holds(atom)).map(|&(action, _)| action).collect();
            let moves: Vec<&str> =
                legal.iter().map(|&action| names.moves[action as usize].as_str()).collect();
            let known: Vec<String> =
                evaluator.legal(expected, role).expect("moves").iter().map(ToString::to_string).collect();
            assert_eq!(moves, known, "legal moves in {held:?}");
            let goals: BTreeSet<String> = game.goal[role]
                .iter()
                .filter(|(_, atom)| holds(atom))
                .map(|(value, _)| value.to_string())
                .collect();
            let known =
                evaluator.goals(expected, role).expect("goals").iter().map(ToString::to_string).collect();
            assert_eq!(goals, known, "goals in {held:?}");
            all_legal.push(legal);
            all_goals.push(goals);
        }
        let terminal = game.terminal.as_ref().is_some_and(holds);
        assert_eq!(terminal, evaluator.terminal(expected).expect("an answer"), "terminal in {held:?}");
        Seen { legal: all_legal, goals: all_goals, terminal }
    }

    /// Makes a joint move in both engines.
    fn step(&mut self, joint: &[u32]) {
        let truths = self.game.truths_of_step(&|fluent| self.state[fluent as usize], joint);
        let names = &self.game.vocabulary.moves;
        let made: Vec<_> =
            joint.iter().map(|&m| self.evaluator.term(&names[m as usize]).expect("a move")).collect();
        self.expected = self.evaluator.next(&self.expected, &made).expect("a next state");
        let holds = |next: &Option<AtomId>| next.is_some_and(|atom| truths[atom.index()]);
        self.state = self.game.next.iter().map(holds).collect();
    }
}

const WHOLE: usize = usize::MAX;

/// Returns the numbers of instances of a game as it is and with its rules rewritten. Both are
/// played.
#[track_caller]
fn sizes(text: &str) -> [usize; 2] {
    [WHOLE, 1].map(|split_from| played(text, split_from).len())
}

/// A game of one role that switches four lights, with three domains.
fn lights(added: &str) -> String {
    format!(
        "(role r) (light 0) (light 1) (light 2) (light 3) (bit 0) (bit 1) (digit 0) (digit 1) (digit 2) (digit 3)
         (init (lit 0)) (<= (legal r (switch ?l)) (light ?l))
         (<= (next (lit ?l)) (does r (switch ?l)) (not (true (lit ?l))))
         (<= (next (lit ?l)) (true (lit ?l)) (not (does r (switch ?l))))
         (<= terminal (true (lit 0)) (true (lit 1)) (true (lit 2)) (true (lit 3))) {added}"
    )
}

/// The rules for a goal of 100 if `text` holds, otherwise 0.
fn asked(text: &str) -> String {
    format!("(<= (goal r 100) {text}) (<= (goal r 0) (not {text}))")
}

/// A tree of relations, `depth` levels deep. Each level calls the next one twice, with another bit
/// as argument.
fn tree(depth: usize, argument: impl Fn(usize) -> String) -> String {
    let bits = |count: usize| repeat(count, |i| format!("?b{i}"));
    let domains = |count: usize| repeat(count, |i| format!("(bit ?b{i})"));
    let level = |i: usize| {
        let (own, domains, light) = (bits(i), domains(i), i % 4);
        let more = format!(
            "(<= (q{i} {own}) {domains} (not (true (lit {light}))) (q{0} {own} 0) (q{0} {own} {1}))",
            i + 1,
            argument(i)
        );
        format!("(<= (q{i} {own}) {domains} (true (lit {light}))) {}", if i < depth { &more } else { "" })
    };
    lights(&format!("{} {}", asked("(q1 0)"), repeat(depth + 1, level)))
}

#[test]
fn arguments_that_say_nothing_are_dropped() {
    let text = tree(9, |_| "1".to_owned());
    // Rewriting drops all arguments: the instances are those of the tree without arguments.
    assert_eq!(played(&text, 40).len(), tree_without(9));
    assert!(10 * tree_without(9) < played(&text, WHOLE).len());
    // A call with a value outside the domain has no effect.
    assert!(sizes(&tree(6, |i| if i == 4 { "2" } else { "1" }.to_owned()))[1] < 60);
}

/// The number of instances of the tree without arguments.
fn tree_without(depth: usize) -> usize {
    let level = |i: usize| {
        let more = format!("(<= q{i} (not (true (lit {}))) q{})", i % 4, i + 1);
        format!("(<= q{i} (true (lit {}))) {}", i % 4, if i < depth { &more } else { "" })
    };
    let levels = repeat(depth, |i| level(i + 1));
    played(&lights(&format!("{} {levels}", asked("q1"))), WHOLE).len()
}

/// Redundant arguments are dropped from relations that call each other, also under a negation, for
/// values in the domain and outside it.
#[test]
fn what_is_inert_may_be_asked_for_anywhere() {
    let text = lights(
        "(<= (even ?a ?b ?n) (digit ?a) (digit ?b) (light ?n) (not (true (lit ?n))))
         (<= (even ?a ?b ?n) (digit ?b) (odd ?b ?a ?m) (light ?n) (true (lit ?m)))
         (<= (odd ?b ?a ?n) (digit ?a) (even ?a ?b ?n) (true (lit 2)))
         (<= (other ?a ?b) (digit ?a) (digit ?b) (not (even ?b ?a 1)) (not (odd ?b ?b 2)))
         (value 2) (value 7)
         (<= (legal r (try ?v)) (value ?v) (not (other ?v 3)))
         (<= (legal r (dare ?v)) (value ?v) (or (not (other 1 ?v)) (true (lit 3))))
         (<= (legal r (hope ?x)) (other ?x 0)) (<= (legal r plain) (other ?x ?y))
         (<= (goal r 100) (other ?x ?x)) (<= (goal r 0) (not (other 0 0)))",
    );
    let [whole, less] = sizes(&text);
    assert!(4 * less < whole, "{less} of {whole}");
}

#[test]
fn arguments_that_say_something_stay() {
    let relation = |body: &str| {
        let asked = asked("(p 0 1 2)");
        lights(&format!("{asked} (<= (legal r (press ?x)) (p ?x 1 3)) {body}"))
    };
    let domains = "(digit ?x) (digit ?y) (digit ?z)";
    let same = |body: &str| {
        let [whole, less] = sizes(&relation(body));
        assert_eq!(whole, less, "{body}");
    };
    // The arguments of a relation that holds for all values of their domains are redundant.
    let [whole, less] = sizes(&relation(&format!("(<= (p ?x ?y ?z) {domains} (true (lit 0)))")));
    assert_eq!([less, whole], [4 + 8 + 1 + 2 + 4 + 1, 4 + 8 + 1 + 2 + 4 + 5]);
    // Arguments stay if they are compared, restricted to some values, in two domains, or used in
    // fluents.
    same(&format!("(<= (p ?x ?y ?z) {domains} (distinct ?x ?y) (distinct ?y ?z) (true (lit 0)))"));
    same(&format!("(<= (p ?x ?y ?z) {domains} (true (lit ?x)) (true (lit ?y)) (not (true (lit ?z))))"));
    same("(<= (p ?x ?x ?x) (digit ?x) (true (lit 0))) (<= (p 0 1 2) (true (lit 1)))");
    same(
        "(<= (p ?x ?y ?z) (bit ?x) (bit ?y) (digit ?z) (true (lit ?z))) (<= (p ?x ?y ?z) (digit ?x) (digit ?y) (light ?z) (true (lit 1)))",
    );
    same(&format!(
        "(<= (big ?x) (digit ?x) (true (lit ?x))) (<= (p ?x ?y ?z) (big ?x) (big ?y) (big ?z)) (<= (p 3 ?y ?z) {} (true (lit 3)))",
        "(big ?y) (big ?z)"
    ));
    // The arguments also stay next to redundant ones, which are dropped.
    let beside = |body: &str| {
        let text = relation(&format!(
            "(<= (p ?x ?y ?z) (many ?x ?y ?z 1 2)) (<= (many ?x ?y ?z ?u ?v) {domains} (digit ?u) (digit ?v) {body})"
        ));
        let [whole, less] = facts(&text);
        assert!(less < whole, "{less} of {whole}: {body}");
    };
    beside("(distinct ?x ?y) (distinct ?y ?z) (true (lit 0))");
    beside("(or (distinct ?x 1) (distinct 2 ?y)) (not (true (lit ?z)))");
    beside(
        "(true (value ?x)) (true (value ?y)) (digit ?z)) (init (value 2)) (<= (next (value 2)) (true (value 2))",
    );
    beside("(true ?x) (true ?y) (true ?z)) (init 2) (init 1) (<= (next 1) (true 1)) (<= (next 2) (true 2)");
    same(&format!(
        "(<= (p ?x ?y ?z) {domains} (s (g ?x)) (s (g ?y)) (s (g ?z))) (<= (s (g ?x)) (digit ?x) (true (lit ?x)))"
    ));
}

/// Returns the numbers of atoms that can hold, in a game as it is and with its rules rewritten.
#[track_caller]
fn facts(text: &str) -> [usize; 2] {
    [WHOLE, 1]
        .map(|split_from| played(text, split_from).possible.iter().filter(|&&possible| possible).count())
}

/// A game with a row of `count` lights, counted one by one by a tail-recursive rule.
fn count(count: usize, added: &str) -> String {
    let numbers = repeat(2 * count, |i| format!("(n {i}) (succ {i} {})", i + 1));
    let lights = repeat(count - 1, |i| format!("(after {i} {})", i + 1));
    let last = count - 1;
    format!(
        "(role r) {numbers} (n {0}) {lights} (init (lit 0)) (<= (place ?l) (after ?l ?m)) (place {last})
         (<= (legal r (switch ?l)) (place ?l))
         (<= (next (lit ?l)) (does r (switch ?l)) (not (true (lit ?l))))
         (<= (next (lit ?l)) (true (lit ?l)) (not (does r (switch ?l))))
         (<= (one ?l ?n ?m) (true (lit ?l)) (succ ?n ?m)) (<= (one ?l ?n ?n) (place ?l) (n ?n) (not (true (lit ?l))))
         (<= (from {last} ?n ?all) (one {last} ?n ?all))
         (<= (from ?l ?n ?all) (one ?l ?n ?m) (after ?l ?k) (from ?k ?m ?all))
         (<= terminal (from 0 0 {last})) {added}",
        2 * count
    )
}

#[test]
fn recursion_that_counts_from_the_far_end_means_what_it_says() {
    let asked =
        "(<= (goal r 1) (not (from 0 0 3))) (<= (goal r 2) (from 4 2 4)) (<= (goal r ?all) (from 4 2 ?all))";
    sizes(&count(8, asked));
}

/// A game with a row of four cells that get one of four values, and a rule about all of them.
/// `again` is the condition for setting a cell.
fn row(again: &str, rule: &str) -> String {
    let numbers = repeat(4, |i| format!("(cell {i}) (value {i})"));
    format!(
        "(role r) {numbers} (<= (full ?k) (true (mark ?k ?m))) (init (mark 0 1))
         (<= (legal r (put ?k ?m)) (cell ?k) (value ?m) {again}) (legal r rest)
         (<= (next (mark ?k ?m)) (does r (put ?k ?m))) (<= (next (mark ?k ?m)) (true (mark ?k ?m)))
         (<= terminal (full 0) (full 1) (full 2) (full 3))
         (<= (same ?x ?x) (value ?x)) (<= (first ?z ?a ?b ?c ?d) (same ?z ?a) (value ?b) (value ?c) (value ?d)
            (not (same ?z ?b)) (not (same ?z ?c)) (not (same ?z ?d)))
         (<= (once ?z ?a ?b ?c ?d) (first ?z ?a ?b ?c ?d)) (<= (once ?z ?a ?b ?c ?d) (first ?z ?b ?a ?c ?d))
         (<= (once ?z ?a ?b ?c ?d) (first ?z ?c ?a ?b ?d)) (<= (once ?z ?a ?b ?c ?d) (first ?z ?d ?a ?b ?c))
         (<= (goal r 100) good) (<= (goal r 0) (not good)) {rule}"
    )
}

const ONCE: &str = "(not (full ?k))";

/// The literals that bind the values of all four cells.
const CELLS: &str = "(true (mark 0 ?a)) (true (mark 1 ?b)) (true (mark 2 ?c)) (true (mark 3 ?d))";

/// Options with a limit of `max_ground_rules` instances.
fn within(max_ground_rules: usize) -> Options {
    Options { limits: Limits { max_ground_rules, ..Limits::default() }, ..Options::default() }
}

/// Returns the code of the error under a limit of `room` instances, which must be fewer than
/// without rewriting.
#[track_caller]
fn fault(text: &str, room: usize) -> Option<&'static str> {
    let whole = played(text, WHOLE);
    assert!(whole.len() > room, "{} fit into {room}: {text}", whole.len());
    let less = played_by(text, &within(room));
    assert!(
        less.as_ref().is_ok_and(|less| less.vocabulary.fluents == whole.vocabulary.fluents) || less.is_err()
    );
    less.err()
}

#[test]
fn a_rule_about_functions_of_cells_is_taken_apart() {
    let rules = [
        // A relation over all cells; tests of two and of three cells.
        (150, format!("(<= good {CELLS} (once 0 ?a ?b ?c ?d))")),
        (150, format!("(<= good {CELLS} (distinct ?a ?b) (distinct ?c ?d))")),
        (220, format!("(<= good {CELLS} (or (distinct ?a ?b) (distinct ?c 2)) (distinct ?d 3))")),
        // The head uses one value, and another one is compared.
        (250, format!("(<= good (but ?c)) (<= (but ?c) {CELLS} (not (same ?a ?b)) (once 3 ?a ?b ?c ?d) (value ?z) (distinct ?z ?b))")),
        // Only these literals determine the cells.
        (4_000, "(<= good (true (mark ?k ?a)) (true (mark ?l ?b)) (true (mark ?m ?c)) (true (mark ?n ?d)) (once 1 ?a ?b ?c ?d) (once 2 ?a ?b ?c ?d))".to_owned()),
        // Two values are connected through a third variable.
        (250, format!("(<= (near ?x ?y) (value ?x) (value ?y) (distinct ?x ?y)) (<= good {CELLS} (near ?a ?z) (near ?z ?b) (near ?c ?y) (near ?y ?d) (distinct ?a ?d))")),
    ];
    for (room, rule) in &rules {
        assert_eq!(fault(&row(ONCE, rule), *room), None, "{rule}");
        // Clauses with more than a hundred instances are rewritten even if no limit is reached.
        let game = played(&row(ONCE, rule), 20);
        assert!(game.len() <= *room, "{}: {rule}", game.len());
    }
}

#[test]
fn what_is_no_function_of_cells_stays_whole() {
    let rule = format!("(<= good {CELLS} (once 0 ?a ?b ?c ?d))");
    // A cell may have several values.
    for again in ["", "(or (not (full ?k)) (true (mark 3 3)))"] {
        assert_eq!(fault(&row(again, &rule), 150), Some("GDL133"), "{again}");
        assert!(played(&row(again, &rule), 20).len() > 150, "{again}");
    }
    // One cell's number is another cell's value, and other literals bind the variables of a test.
    let chain = "(<= good (true (mark 0 ?a)) (true (mark ?a ?b)) (true (mark ?b ?c)) (true (mark ?c ?d)) (distinct ?a ?c) (distinct ?b ?d))";
    assert_eq!(fault(&row(ONCE, chain), 150), Some("GDL133"));
    let other = format!(
        "(<= good {CELLS} (same ?a ?x) (value ?y) (same ?y ?x) (same ?b ?w) (distinct ?a ?w) (once 0 ?a ?b ?c ?d))"
    );
    assert!(fault(&row(ONCE, &other), 80).is_some());
}

/// A sudoku in which any digit may be written to an empty cell. A solution has each digit once in
/// each row, column and box, which one rule tests for all nine cells.
fn sudoku() -> String {
    let list = |line: &dyn Fn(usize) -> String| repeat(9, |i| line(i + 1));
    let values = list(&|i| format!("?v{i}"));
    let others = |i: usize| list(&|k| if k == i { String::new() } else { format!("?v{k}") });
    let once = list(&|i| format!("(<= (once ?d {values}) (only ?d ?v{i} {}))", others(i)));
    let each = list(&|digit| format!("(once {digit} {values})"));
    let boxed = |i: usize| {
        let place = |axis: char, k: usize| format!("?{axis}{k}");
        format!("(true (cell {} {} ?v{i}))", place('x', (i - 1) / 3), place('y', (i - 1) % 3))
    };
    format!(
        "(role r) {} {}
         (<= (filled ?x ?y) (true (cell ?x ?y ?d)))
         (<= (legal r (write ?x ?y ?d)) (digit ?x) (digit ?y) (digit ?d) (not (filled ?x ?y)))
         (<= (next (cell ?x ?y ?d)) (does r (write ?x ?y ?d))) (<= (next (cell ?x ?y ?d)) (true (cell ?x ?y ?d)))
         (<= open (digit ?x) (digit ?y) (not (filled ?x ?y))) (<= terminal (not open))
         (<= (only ?d {values}) (same ?d ?v1) {} {}) {once}
         (<= (row ?y) {} {each}) (<= (column ?x) {} {each})
         (<= (box ?x0 ?y0) (after ?x0 ?x1) (after ?x1 ?x2) (after ?y0 ?y1) (after ?y1 ?y2) {} {each})
         (<= right {} {} {})
         (<= (goal r 100) right) (<= (goal r 0) (not right))",
        list(&|i| format!("(digit {i}) (same {i} {i})")),
        repeat(8, |i| format!("(after {} {})", i + 1, i + 2)),
        repeat(8, |i| format!("(digit ?v{})", i + 2)),
        repeat(8, |i| format!("(not (same ?d ?v{}))", i + 2)),
        list(&|x| format!("(true (cell {x} ?y ?v{x}))")),
        list(&|y| format!("(true (cell ?x {y} ?v{y}))")),
        list(&boxed),
        list(&|i| format!("(row {i})")),
        list(&|i| format!("(column {i})")),
        repeat(9, |i| format!("(box {} {})", i / 3 * 3 + 1, i % 3 * 3 + 1)),
    )
}

#[test]
fn a_sudoku_that_asks_for_nine_cells_together_is_taken_apart() {
    let (text, options) = (sudoku(), within(100_000));
    let game = played_by(&text, &options).expect("grounded");
    let rules = rules(&text, &options);
    let evaluator = Evaluator::new(&rules).expect("within the limits");
    let judge = |digit: &dyn Fn(usize, usize) -> usize| {
        let mut play = Play::new(&game, &evaluator);
        for (x, y) in (0..81).map(|cell| (cell % 9, cell / 9)) {
            let text = format!("(write {} {} {})", x + 1, y + 1, digit(x, y) + 1);
            let action = game.vocabulary.moves.iter().position(|name| *name == text).expect("a move");
            play.step(&[action as u32]);
        }
        let seen = play.look();
        assert!(seen.terminal);
        let [value] = &Vec::from_iter(&seen.goals[0])[..] else { panic!("one value") };
        value.parse::<u8>().expect("a number")
    };
    let right = |x: usize, y: usize| (x + 3 * y + y / 3) % 9;
    assert_eq!(judge(&right), 100);
    // Grids with wrong boxes, wrong columns, wrong rows, and one digit that is wrong in all three.
    assert_eq!(judge(&|x, y| (x + y) % 9), 0);
    assert_eq!(judge(&|x, y| right(if y == 4 && x < 2 { 1 - x } else { x }, y)), 0);
    assert_eq!(judge(&|x, y| right(x, if x == 7 && y < 2 { 1 - y } else { y })), 0);
    assert_eq!(judge(&|x, y| if (x, y) == (8, 8) { 0 } else { right(x, y) }), 0);
}

/// A board of nine squares with stones, an eye and a king. One role moves all of them, but no stone
/// whose move would let the eye see the king. `shut` has the rules for a stone that leaves its
/// square.
fn hypothetical(shut: &str) -> String {
    let middle = |a: &str, b: &str, c: &str| {
        format!(
            "(<= (between ?z {a} ?z {b} ?z {c}) (n ?z) (up ?u ?v) (up ?v ?w)) (<= (between {a} ?z {b} ?z {c} ?z) (n ?z) (up ?u ?v) (up ?v ?w))"
        )
    };
    let [there, back] = [["?u", "?v", "?w"], ["?w", "?v", "?u"]].map(|[a, b, c]| middle(a, b, c));
    format!(
        "(role r) (n 1) (n 2) (n 3) (up 1 2) (up 2 3) (low 1) (low 2) {there} {back}
         (<= (line ?x ?a ?x ?b) (n ?x) (n ?a) (n ?b) (distinct ?a ?b)) (<= (line ?a ?y ?b ?y) (n ?y) (n ?a) (n ?b) (distinct ?a ?b))
         (init (king 1 1)) (init (eye 1 3)) (init (stone 1 2)) (init (stone 2 2)) (init (stone 3 3))
         (<= (full ?x ?y) (true (stone ?x ?y))) (<= (full ?x ?y) (true (king ?x ?y))) (<= (full ?x ?y) (true (eye ?x ?y)))
         (<= (goes ?a ?b ?x ?y) (n ?a) (n ?b) (n ?x) (n ?y) (other ?a ?b ?x ?y))
         (<= (other ?a ?b ?x ?y) (n ?a) (n ?b) (n ?x) (n ?y) (or (distinct ?a ?x) (distinct ?b ?y)))
         {shut}
         (<= (exposes ?a ?b ?x ?y) (goes ?a ?b ?x ?y) (seen ?k ?l ?s ?t) (not (shut ?a ?b ?k ?l ?s ?t)) (not (between ?k ?l ?x ?y ?s ?t)))
         (<= (seen ?k ?l ?s ?t) (true (king ?k ?l)) (line ?k ?l ?s ?t) (true (eye ?s ?t)))
         (<= (legal r (move ?a ?b ?x ?y)) (true (stone ?a ?b)) (goes ?a ?b ?x ?y) (not (full ?x ?y)) (not (exposes ?a ?b ?x ?y)))
         (<= (legal r (look ?x ?y)) (n ?x) (n ?y) (not (full ?x ?y))) (<= (legal r (walk ?x ?y)) (n ?x) (n ?y) (not (full ?x ?y)))
         (<= (next (stone ?x ?y)) (does r (move ?a ?b ?x ?y)))
         (<= (next (stone ?x ?y)) (true (stone ?x ?y)) (not (leaves ?x ?y))) (<= (leaves ?a ?b) (does r (move ?a ?b ?x ?y)))
         (<= looks (does r (look ?x ?y))) (<= (next (eye ?x ?y)) (does r (look ?x ?y))) (<= (next (eye ?x ?y)) (true (eye ?x ?y)) (not looks))
         (<= walks (does r (walk ?x ?y))) (<= (next (king ?x ?y)) (does r (walk ?x ?y))) (<= (next (king ?x ?y)) (true (king ?x ?y)) (not walks))
         (<= terminal (true (stone 1 1)) (true (stone 2 2)) (true (stone 3 3))) (<= (goal r 100) terminal) (<= (goal r 0) (not terminal))"
    )
}

/// The condition for an occupied square between the king and the eye, and the condition that it is
/// not the square that the piece leaves.
const BETWEEN: &str = "(between ?k ?l ?x ?y ?s ?t) (full ?x ?y)";
const ELSEWHERE: &str = "(or (distinct ?x ?a) (distinct ?y ?b))";

/// A rule for `shut` with this body.
fn shut(body: &str) -> String {
    format!("(<= (shut ?a ?b ?k ?l ?s ?t) {body})")
}

/// Rules for `shut` from random parts keep their meaning.
#[test]
fn negations_mean_the_same_whatever_they_ask_for() {
    let domains =
        ["(n ?a) (n ?b)", "(low ?a) (n ?b)", "(other ?a ?b 1 2)", "(low ?b) (low ?a) (other ?a ?b 2 2)"];
    let lines = [
        BETWEEN,
        "(line ?k ?l ?s ?t) (full ?x ?y)",
        "(between ?k ?l ?x ?y ?s ?t) (not (true (eye ?y ?x)))",
        "(between ?k ?l ?x ?y ?s ?t) (true (stone ?y ?x))",
    ];
    let tests = [
        ELSEWHERE,
        "",
        "(distinct ?a ?x)",
        "(distinct ?y ?b) (distinct ?a ?x)",
        "(distinct ?a 2)",
        "(or (distinct ?a ?x) (distinct ?a ?y))",
        "(or (distinct ?x ?b) (distinct ?a ?l)) (distinct ?b ?k)",
    ];
    let mut random = 1_u64;
    let mut below = |count: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % count
    };
    for _ in 0..24 {
        let domain = domains[below(domains.len())];
        let rules = repeat(1 + below(2), |_| {
            shut(&format!("{domain} {} {}", lines[below(lines.len())], tests[below(tests.len())]))
        });
        played(&hypothetical(&rules), 1);
    }
}

/// A game with a ring of five places and changing arcs between neighbours; places and colours
/// change too. The legal moves use all pairs that `rules` join.
fn ring(rules: &str) -> String {
    let places = repeat(5, |i| format!("(place {i}) (after {i} {})", (i + 1) % 5));
    let start = repeat(5, |i| format!("(init (arc {i} {})) (init (open {i}))", (i + 1) % 5));
    format!(
        "(role r) {places} {start} (init (hue red)) (hue red) (hue blue) (kind 1) (kind 2) (init (arc 3 2)) (init (arc 0 4))
         (<= (near ?x ?y) (after ?x ?y)) (<= (near ?x ?y) (after ?y ?x)) (near 2 2)
         (<= (switched (arc ?x ?y)) (near ?x ?y)) (<= (switched (open ?x)) (place ?x)) (<= (switched (hue ?c)) (hue ?c))
         (<= (legal r (switch ?f)) (switched ?f)) (<= (legal r (ask ?x ?y ?k)) (p ?x ?y ?k))
         (<= (next ?f) (does r (switch ?f)) (not (true ?f))) (<= (next ?f) (true ?f) (not (does r (switch ?f))))
         (<= terminal (p 0 4 1) (p 4 0 1) (p 1 3 2) (not (p 2 2 2))) (goal r 100)
         (<= (a ?x ?y 1) (true (arc ?x ?y))) (<= (a ?x ?y 2) (true (arc ?x ?y)) (true (open ?y)))
         (<= (l ?x ?y ?k) (after ?x ?y) (true (open ?x)) (kind ?k)) (<= (t ?x) (true (hue red)) (place ?x)) (t 1) {rules}"
    )
}

const BASE: &str = "(<= (p ?x ?y ?k) (a ?x ?y ?k))";
const COMPOSED: &str = "(<= (p ?x ?z ?k) (p ?x ?y ?k) (p ?y ?z ?k))";
const EXCHANGED: &str = "(<= (p ?y ?x ?k) (p ?x ?y ?k))";
const FAR: &str = "(<= (p ?x ?z ?k) (l ?y ?z ?k) (p ?x ?y ?k))";
const NEAR: &str = "(<= (p ?x ?z ?k) (l ?x ?y ?k) (p ?y ?z ?k))";

#[test]
fn relations_closed_under_composition_and_exchange_mean_what_they_say() {
    for set in 0_u32..16 {
        let rules = [COMPOSED, EXCHANGED, FAR, NEAR].into_iter().enumerate();
        let rules: String = rules.filter(|(i, _)| set >> i & 1 == 1).map(|(_, rule)| rule).collect();
        sizes(&ring(&format!("{rules}{BASE}")));
    }
    // Conditions on the places, and other orders of composition.
    let conditions = [
        "(p ?y ?z ?k) (true (open ?y)) (not (t ?y))",
        "(p ?y ?z ?k) (distinct ?x ?y) (distinct ?y ?z) (distinct ?x ?z)",
        "(p ?y ?z ?k) (t ?x) (not (distinct ?z 3))",
        "(p ?y ?z ?j) (kind ?k)",
        "(p ?z ?y ?k)",
        "(p ?y ?z ?k) (not (not (p ?z ?x ?k)))",
    ];
    for condition in conditions {
        sizes(&ring(&format!("{BASE}(<= (p ?x ?z ?k) (p ?x ?y ?k) {condition})")));
    }
}
