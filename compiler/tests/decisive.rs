//! Decisive play allows the moves that a search of all replies allows, in every state of random
//! games.

use gdl_compiler::{Options, Phase, Source, compile, emit::lower, meter::Meter, optimize, propnet::Net};
use std::{collections::BTreeSet, fmt::Write};

/// A game in which two roles mark a row of cells, in the order of `movers`. Three marks in a row
/// end the game.
fn row(cells: usize, movers: &[&str], goals: &str) -> String {
    let mut text = "(role x) (role o) (init (turn 1)) (other x o) (other o x)
        (<= (mover ?r) (true (turn ?t)) (turn-of ?t ?r))
        (<= (legal ?r (mark ?n)) (mover ?r) (true (cell ?n b)))
        (<= (legal ?r noop) (role ?r) (not (mover ?r)))
        (<= (next (cell ?n ?r)) (does ?r (mark ?n)))
        (<= (next (cell ?n ?c)) (true (cell ?n ?c)) (distinct ?c b))
        (<= (next (cell ?n b)) (true (cell ?n b)) (mover ?r) (not (does ?r (mark ?n))))
        (<= (next (turn ?u)) (true (turn ?t)) (after ?t ?u))
        (<= (three ?r) (succ ?a ?b) (succ ?b ?c) (role ?r)
            (true (cell ?a ?r)) (true (cell ?b ?r)) (true (cell ?c ?r)))
        (<= over (three ?r)) (<= open (true (cell ?n b)))
        (<= terminal over) (<= terminal (not open))
        (<= (goal ?r 50) (role ?r) (not over))"
        .to_owned();
    text.push_str(goals);
    for cell in 1..=cells {
        let _ = write!(text, " (init (cell {cell} b)) (succ {cell} {})", cell + 1);
    }
    for (turn, role) in (1..).zip(movers) {
        let _ = write!(text, " (turn-of {turn} {role}) (after {turn} {})", turn % movers.len() + 1);
    }
    text
}

const THREE_WIN: &str =
    "(<= (goal ?r 100) (three ?r)) (<= (goal ?r 0) (role ?r) (other ?r ?s) (three ?s) (not (three ?r)))";
const THREE_LOSE: &str =
    "(<= (goal ?r 0) (three ?r)) (<= (goal ?r 100) (role ?r) (other ?r ?s) (three ?s) (not (three ?r)))";

/// The rules for a move that ends the game in a draw at once, so that the next role's threats do
/// not matter.
const STOP: &str =
    "(<= (legal ?r stop) (mover ?r)) (<= (next stopped) (does ?r stop)) (<= terminal (true stopped))";

fn game(name: &str) -> String {
    let path = format!("{}/../games/board/{name}.kif", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn net(text: &str) -> Net {
    let compilation = compile(&Source::new("test.kif", text), &Options::default());
    compilation.unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics)).net
}

fn meter() -> Meter {
    Meter::new(&Options::default(), Phase::Optimize)
}

/// The view of a state by a net.
struct View {
    /// For each role its legal moves.
    legal: Vec<BTreeSet<u32>>,
    /// For each role its goal.
    goals: Vec<u8>,
    terminal: bool,
}

fn view(net: &Net, state: &[bool]) -> View {
    let mut seen = lower::observe(net).run(state).into_iter();
    let legal = net.outputs.legal.iter();
    let legal =
        legal.map(|list| list.iter().filter(|_| seen.next().unwrap()).map(|&(action, _)| action).collect());
    let legal = legal.collect();
    let goals = net.outputs.goal.iter();
    let goals = goals
        .map(|list| list.iter().filter(|_| seen.next().unwrap()).map(|&(value, _)| value).max().unwrap_or(0));
    let goals = goals.collect();
    View { legal, goals, terminal: seen.next().unwrap() }
}

fn next(net: &Net, state: &[bool], joint: &[u32]) -> Vec<bool> {
    let made = net.does().iter().map(|&(role, action)| joint[role as usize] == action);
    lower::advance(net).run(&state.iter().copied().chain(made).collect::<Vec<_>>())
}

/// The first role with a choice, if there is one.
fn mover(view: &View) -> Option<usize> {
    view.legal.iter().position(|legal| legal.len() > 1)
}

/// The moves of a role, each with its successor state, where the other roles have one move each.
fn after(net: &Net, state: &[bool], view: &View, mover: usize) -> Vec<(u32, Vec<bool>)> {
    let mut joint: Vec<u32> = view.legal.iter().map(|legal| *legal.first().expect("a move")).collect();
    let each = view.legal[mover].iter().map(|&action| {
        joint[mover] = action;
        (action, next(net, state, &joint))
    });
    each.collect()
}

fn ends_with(net: &Net, view: &View, role: usize, value: impl Fn(&[u8]) -> u8) -> bool {
    let values: Vec<u8> = net.outputs.goal[role].iter().map(|&(value, _)| value).collect();
    view.terminal && view.goals[role] == value(&values)
}

fn greatest(values: &[u8]) -> u8 {
    *values.iter().max().unwrap()
}

fn least(values: &[u8]) -> u8 {
    *values.iter().min().unwrap()
}

/// Returns true if a move to a state wins for the role that made it: at once, or by its next move
/// if it moves again. `turns` has the role to move at each phase.
fn wins(net: &Net, state: &[bool], role: usize, phase: usize, turns: &[usize]) -> bool {
    let seen = view(net, state);
    if seen.terminal {
        return ends_with(net, &seen, role, greatest);
    }
    let phase = phase % turns.len();
    turns[phase] == role
        && after(net, state, &seen, role).iter().any(|(_, next)| wins(net, next, role, phase + 1, turns))
}

/// Computes the moves of decisive play by a search of all replies.
fn expected(net: &Net, state: &[bool], seen: &View, phase: usize, turns: &[usize]) -> BTreeSet<u32> {
    let role = turns[phase];
    let moves = after(net, state, seen, role);
    let pick = |test: &dyn Fn(&[bool]) -> bool| -> BTreeSet<u32> {
        moves.iter().filter(|(_, next)| test(next)).map(|&(action, _)| action).collect()
    };
    let winning = pick(&|next| wins(net, next, role, phase + 1, turns));
    if !winning.is_empty() {
        return winning;
    }
    let other = turns[(phase + 1) % turns.len()];
    let safe = pick(&|next| {
        let seen = view(net, next);
        if seen.terminal {
            return !ends_with(net, &seen, role, least);
        }
        let reply = |(_, next): &(u32, Vec<bool>)| wins(net, next, other, phase + 2, turns);
        other == role || !after(net, next, &seen, other).iter().any(reply)
    });
    if safe.is_empty() { seen.legal[role].clone() } else { safe }
}

/// Plays random games and compares the legal moves. Asserts that more than one state in twenty has
/// fewer moves.
fn check(text: &str, turns: &[usize], games: u64) {
    let net = net(text);
    let phases = optimize::decisive(&net, &mut meter()).expect("it has decisive play").phases;
    assert_eq!(phases.nets.len(), turns.len());
    let (mut narrowed, mut states) = (0, 0);
    let mut random = 1_u64;
    for _ in 0..games {
        let mut state = net.initial.clone();
        for step in 0.. {
            let seen = view(&net, &state);
            if seen.terminal {
                break;
            }
            let phase = step % turns.len();
            let allowed = view(&phases.nets[phase], &state);
            assert!(!allowed.terminal);
            for (role, legal) in seen.legal.iter().enumerate() {
                if role == turns[phase] && mover(&seen).is_some() {
                    let expected = expected(&net, &state, &seen, phase, turns);
                    assert_eq!(allowed.legal[role], expected, "phase {phase}, step {step}");
                    narrowed += usize::from(expected.len() < legal.len());
                } else {
                    assert_eq!(&allowed.legal[role], legal);
                }
            }
            states += 1;
            let joint = seen.legal.iter().map(|legal| {
                random =
                    random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                *legal.iter().nth((random >> 33) as usize % legal.len()).expect("a legal move")
            });
            state = next(&net, &state, &joint.collect::<Vec<_>>());
        }
    }
    assert!(20 * narrowed > states, "{narrowed} of {states} states have fewer moves");
}

#[test]
fn lines_are_made_and_prevented() {
    check(&game("tictactoe"), &[0, 1], 60);
    check(&game("connect_four"), &[0, 1], 3);
    check(&row(7, &["x", "o"], THREE_WIN), &[0, 1], 100);
}

#[test]
fn pieces_come_to_the_last_row() {
    check(&game("breakthrough_small"), &[0, 1], 2);
}

#[test]
fn what_loses_at_once_is_left_out() {
    check(&row(10, &["x", "o"], THREE_LOSE), &[0, 1], 50);
}

#[test]
fn who_moves_again_does_not_prevent_itself() {
    check(&row(8, &["x", "x", "o", "o"], THREE_WIN), &[0, 0, 1, 1], 100);
    check(&row(8, &["x", "o", "o", "x"], THREE_WIN), &[0, 1, 1, 0], 100);
}

#[test]
fn after_the_end_nothing_is_won() {
    let rules = format!("{THREE_WIN} {STOP}");
    check(&row(7, &["x", "o"], &rules), &[0, 1], 100);
    check(&row(8, &["x", "x", "o", "o"], &rules), &[0, 0, 1, 1], 100);
}

#[test]
fn other_games_have_none() {
    let none = |text: &str| assert!(optimize::decisive(&net(text), &mut meter()).is_none(), "{text}");
    // A single role to move; no cycle; no goal to win.
    none(&row(5, &["x", "x"], THREE_WIN));
    none("(role a) (role b) (init (mark 0)) (legal a up) (legal a stay) (legal b up) (legal b stay)
        (<= (next (mark 1)) (does a up)) (<= (next (mark 1)) (true (mark 1))) (<= (next (mark 0)) (true (mark 0)) (does a stay))
        (<= terminal (true (mark 1))) (<= (goal a 100) (true (mark 1))) (<= (goal a 0) (true (mark 0))) (goal b 0)");
    none(&row(5, &["x", "o"], "(<= (goal ?r 50) (role ?r) over)"));
    // Few states have fewer moves.
    none(&row(7, &["x", "o"], THREE_LOSE));
}

#[test]
fn little_fuel_is_none() {
    let net = net(&game("tictactoe"));
    let mut whole = meter();
    optimize::decisive(&net, &mut whole).expect("it has decisive play");
    let steps = whole.spent();
    for part in [0, 1, 10, 100, 1000, 10_000, steps / 2, steps - 1] {
        assert!(optimize::decisive(&net, &mut Meter::of(part)).is_none(), "{part}");
    }
    assert!(optimize::decisive(&net, &mut Meter::of(steps)).is_some());
}
