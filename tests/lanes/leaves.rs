//! Games in lanes from given states agree with single games from the same states. Tallies agree
//! within their errors, are equal on every instruction set, and are exact where no choice remains.

use gdl_games::{Entry, Visitor, compiled, tictactoe, visit};
use gdl_runtime::{
    Dynamic, Game, GameExt, Playouts,
    chance::Stream,
    engine::RowLeaves,
    lanes::{Isa, Leaves},
    load,
    playouts::{PlayoutMode, Tally},
};

/// States of some seeded games, terminal ones included.
fn states<G: Game>(game: &G, games: u64, most: usize) -> Vec<G::State> {
    let mut states = Vec::new();
    for number in 0..games {
        let mut stream = Stream::new(11, number);
        let mut state = game.initial();
        for _ in 0..stream.below(60) {
            let view = game.view(&state);
            if game.is_terminal_in(&view) {
                break;
            }
            let joint: Option<Vec<_>> =
                game.roles().map(|role| game.random_move_in(&view, role, &mut stream)).collect();
            let Some(joint) = joint else { break };
            game.advance(&mut state, &joint);
        }
        states.push(state);
    }
    states.truncate(most);
    states
}

struct Equal;

impl Visitor for Equal {
    type Output = ();

    fn visit<G: Game<State: Copy, View: Copy> + Copy + 'static>(self, game: G, entry: &'static Entry) {
        let name = entry.name;
        let loaded = load(entry.text).expect("built-in rulesheets load");
        let isas = || Isa::ALL.iter().copied().filter(|isa| isa.is_available());
        // The compiled game has straight-line code; the other one has none.
        let tables = [game.table().expect("a table"), loaded.table().expect("a table")];
        let mut all: Vec<RowLeaves<'_>> = tables
            .iter()
            .flat_map(|table| isas().map(|isa| RowLeaves::new(table, isa, 200).expect("it plays in lanes")))
            .collect();
        let states = states(&game, 12, 12);
        for (number, state) in states.iter().enumerate() {
            let phase = all[0].phase(state.as_ref()).expect("play comes to it");
            // Other states at the same phase share the lanes of the state.
            let fitting = states[number..].iter().map(AsRef::as_ref);
            let sharing: Vec<&[u64]> =
                fitting.filter(|&other| all[0].phase(other) == Some(phase)).take(1 + number % 8).collect();
            let tallies = all[0].play(phase, &sharing, 5, number as u64);
            for (place, (tally, state)) in tallies.iter().zip(&sharing).enumerate() {
                assert_eq!(tally.playouts, RowLeaves::games(sharing.len(), place), "{name}");
                check(&game, state, tally, name);
            }
            for leaves in &mut all[1..] {
                assert_eq!(leaves.play(phase, &sharing, 5, number as u64), tallies, "{name}, {leaves:?}");
            }
        }
    }
}

/// Checks a tally. From a terminal state it is known without play; from any other, states must have
/// been counted.
fn check<G: Game>(game: &G, words: &[u64], tally: &Tally, name: &str) {
    let mut state = game.new_state();
    state.as_mut().copy_from_slice(words);
    if !game.is_terminal(&state) {
        assert!(tally.states > 0 || tally.stuck == tally.playouts, "{name}");
        return;
    }
    assert_eq!((tally.states, tally.scored()), (0, tally.playouts), "{name}");
    for (role, counted) in game.roles().zip(&tally.roles) {
        if Some(role) != game.chance_role() {
            let goal = u64::from(game.goal(&state, role).expect("a goal"));
            assert_eq!(counted.goals, tally.playouts * goal, "{name}");
        }
    }
}

#[test]
fn leaves_are_the_same_on_every_machine() {
    for entry in compiled() {
        visit(entry.name, Equal);
    }
}

/// Compares means of goals from the same states, in units of the standard error of their
/// difference.
#[test]
fn games_from_a_state_are_as_single_games_from_it() {
    for entry in compiled() {
        let game = load(entry.text).expect("built-in rulesheets load");
        let (observe, advance) = game.table().expect("a table").gates();
        let count = (1_000_000 / (observe + advance)) as u64;
        for state in states(&game, 6, 6) {
            let run = |engine, count| {
                Playouts::new(&game).start(&state).engine(engine).max_length(300).seed(1).count(count).run()
            };
            let (lanes, single) = (run(PlayoutMode::Lanes, 20 * count), run(PlayoutMode::Single, count));
            assert_eq!(
                (lanes.engine, single.engine),
                (PlayoutMode::TableLanes, PlayoutMode::Single),
                "{}",
                entry.name
            );
            assert_eq!(lanes.tally.playouts, 20 * count);
            for role in 0..lanes.roles.len() {
                let error = lanes.goal_error(role).hypot(single.goal_error(role));
                let difference = lanes.mean_goal(role) - single.mean_goal(role);
                // A rare end may be missing in the few single games.
                let one = 100.0 / count as f64;
                let name = entry.name;
                assert!(difference.abs() <= 4.0 * error + one, "{name}: {difference} +- {error}");
            }
        }
    }
}

#[test]
fn playouts_from_a_state_repeat() {
    let game = tictactoe::game();
    let state = game.parse_state("((cell 2 2 x) (control oplayer))").expect("a state");
    let run = |threads, isa| {
        Playouts::new(&game).start(&state).threads(threads).isa(isa).seed(3).count(5_003).run().tally
    };
    let one = run(1, Isa::Portable);
    assert_eq!(one.playouts, 5_003);
    for isa in Isa::ALL {
        assert_eq!([run(2, *isa), run(3, *isa)], [one.clone(), one.clone()], "{isa:?}");
    }
    // The initial state as an explicit start gives the same tally.
    let initial = game.initial();
    let run = |playouts: Playouts<'_, _>| playouts.seed(3).count(600).run().tally;
    assert_eq!(run(Playouts::new(&game).start(&initial)), run(Playouts::new(&game)));
}

/// Terminal states, games that exceed the maximum length, states without a legal move, and
/// unreachable states.
#[test]
fn ends_are_counted() {
    let game = tictactoe::game();
    let start = game.initial();
    let mut leaves = Leaves::new(&game, Isa::best(), 4).expect("lanes");
    let tally = &leaves.play(0, &[&start], 1, 1)[0];
    assert_eq!((tally.playouts, tally.too_long, tally.states), (512, 512, 4 * 512));

    let rules = "(role you) (init (at 0)) (succ 0 1) (succ 1 2)
        (<= (legal you go) (true (at ?x)) (succ ?x ?y))
        (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))
        (<= terminal (true (at 3))) (goal you 0)";
    let game: Dynamic = load(rules).expect("it loads");
    let state = game.parse_state("((at 1))").expect("a state");
    let stats = Playouts::new(&game).start(&state).count(100).run();
    assert_eq!((stats.tally.stuck, stats.tally.states, stats.engine), (100, 100, PlayoutMode::TableLanes));

    // No role has the turn in this unreachable state, so single games start there.
    let game = load(gdl_games::find("tictactoe").expect("built in").text).expect("it loads");
    let stats = Playouts::new(&game).start(&game.new_state()).count(10).run();
    assert_eq!(stats.engine, PlayoutMode::Single);
    let mut leaves = Leaves::new(&game, Isa::best(), 9).expect("lanes");
    assert_eq!(leaves.phase(&game.new_state()), None);
    assert!(leaves.play(0, &[], 0, 0).is_empty());
}
