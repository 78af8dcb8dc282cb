//! Playouts in lanes: on every instruction set, each lane makes legal moves and reaches the state
//! that the table reaches. Tallies match the games played, and random play has the mean of single
//! games.

use gdl_compiler::{Options, Source};
use gdl_games::{Entry, Visitor, compiled, tictactoe, visit};
use gdl_runtime::{
    Dynamic, Game, GameExt, Playouts,
    engine::{Lockstep, compile},
    game::Id,
    lanes::Isa,
    load,
    playouts::{PlayoutMode, Tally},
};
use gdl_tests::{
    corpus, threads,
    watch::{agree, gates},
};

/// The number of table gates to evaluate for a game and instruction set.
const WORK: usize = 30_000_000;

struct Agree;

impl Visitor for Agree {
    type Output = ();

    fn visit<G: Game<State: Copy, View: Copy> + Copy + 'static>(self, compiled: G, entry: &'static Entry) {
        let name = entry.name;
        let table = compiled.table().expect("a table");
        for &isa in Isa::ALL.iter().filter(|isa| isa.is_available()) {
            let is_compiled = isa != Isa::Portable || !cfg!(target_arch = "x86_64");
            assert_eq!(
                table.has_straight_lanes(isa),
                is_compiled && cfg!(not(debug_assertions)),
                "{name}, {isa:?}"
            );
        }
        let game = load(entry.text).expect("built-in rulesheets load");
        assert!(agree(name, &game, table, 10_000, WORK), "{name}");
        assert!(agree(name, &game, table, 7, WORK / 4), "{name}");
    }
}

#[test]
fn lanes_agree_with_the_table() {
    for entry in compiled() {
        visit(entry.name, Agree);
    }
}

/// Two players switch on nine lamps in turn and own those that they switched. A player with three
/// of the first six wins. The game ends when all lamps are on, or as `end` says.
fn lamps(end: &str) -> String {
    format!(
        "(role p) (role q) (init (control p)) (other p q) (other q p)
        (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9)
        (<= (lamp ?l) (succ ?k ?l)) (<= (on ?l) (true (own ?r ?l)))
        (<= (legal ?r (switch ?l)) (true (control ?r)) (lamp ?l) (not (on ?l)))
        (<= (legal ?r noop) (role ?r) (not (true (control ?r))))
        (<= (next (own ?r ?l)) (does ?r (switch ?l))) (<= (next (own ?r ?l)) (true (own ?r ?l)))
        (<= (next (control ?s)) (true (control ?r)) (other ?r ?s))
        (<= dark (lamp ?l) (not (on ?l))) (<= terminal (not dark)) {end}
        (<= (count ?r 0 0) (role ?r))
        (<= (count ?r ?l ?n) (succ ?k ?l) (count ?r ?k ?n) (not (true (own ?r ?l))))
        (<= (count ?r ?l ?n) (succ ?k ?l) (count ?r ?k ?m) (succ ?m ?n) (true (own ?r ?l)))
        (<= (goal ?r 100) (count ?r 6 3)) (<= (goal ?r 0) (role ?r) (not (count ?r 6 3)))"
    )
}

/// Goals that are scored late, at several phases of a cycle, and in a game that is played ply by
/// ply.
#[test]
fn what_is_kept_at_several_phases_is_not_mixed_up() {
    for end in ["", "(<= terminal (on 1) (on 2))"] {
        let game = load(&lamps(end)).expect("it loads");
        assert!(agree("lamps", &game, game.table().expect("a table"), 100, 10 * WORK), "{end}");
    }
}

/// Compares lengths and goals, in units of the standard error of their difference.
#[test]
fn lanes_play_as_single_games_do() {
    for entry in compiled() {
        let game = load(entry.text).expect("built-in rulesheets load");
        let count = (3_000_000 / gates(&game)) as u64;
        let run = |engine, count| Playouts::new(&game).engine(engine).seed(1).count(count).run();
        let (lanes, single) = (run(PlayoutMode::Lanes, 40 * count), run(PlayoutMode::Single, count));
        assert_eq!(
            (lanes.engine, single.engine),
            (PlayoutMode::TableLanes, PlayoutMode::Single),
            "{}",
            entry.name
        );
        for role in 0..lanes.roles.len() {
            let error = lanes.goal_error(role).hypot(single.goal_error(role));
            let difference = lanes.mean_goal(role) - single.mean_goal(role);
            assert!(difference.abs() <= 4.0 * error, "{}: {difference} +- {error}", entry.name);
        }
        // A tally has no squares of lengths. The variance of lengths is estimated from many small
        // runs of lanes, whose states other tests compare with the table.
        let part = 2 * count;
        let parts: Vec<f64> =
            (10..40).map(|block| length(&game, block, part) - lanes.mean_length()).collect();
        let variance = parts.iter().map(|part| part.powi(2)).sum::<f64>() / 29.0 * part as f64;
        let error = (variance / (40 * count) as f64 + variance / count as f64).sqrt();
        let difference = lanes.mean_length() - single.mean_length();
        // The tolerance of one game covers a rare kind of game that one sample may lack.
        let one = single.mean_length() / count as f64;
        assert!(difference.abs() <= 4.0 * error + one, "{}: {difference} +- {error}", entry.name);
    }
}

/// The mean length of `count` games in lanes.
fn length(game: &Dynamic, seed: u64, count: u64) -> f64 {
    Playouts::new(game).engine(PlayoutMode::Lanes).seed(seed).count(count).run().mean_length()
}

/// A game whose blocks in lanes have 32,768 games.
#[test]
fn neither_threads_nor_instructions_change_what_lanes_play() {
    let game = tictactoe::game();
    let run = |isa, threads, seed| {
        let stats = Playouts::new(&game).isa(isa).threads(threads).seed(seed).count(100_001).run();
        let straight = game.table().expect("a table").has_straight_lanes(stats.isa);
        let engine = if straight { PlayoutMode::Lanes } else { PlayoutMode::TableLanes };
        assert_eq!((stats.engine, stats.isa.is_available()), (engine, true));
        stats.tally
    };
    let one = run(Isa::Portable, 1, 7);
    assert_eq!(one.playouts, 100_001);
    assert_eq!(one.unfinished() + one.unscored, 0);
    for isa in Isa::ALL {
        for threads in [1, 2, 5] {
            assert_eq!(run(*isa, threads, 7), one, "{isa:?}, {threads}");
        }
    }
    assert_ne!(run(Isa::best(), 0, 8), one);
}

#[test]
fn lanes_give_up_as_single_games_do() {
    let game = tictactoe::game();
    let run =
        |engine, length| Playouts::new(&game).engine(engine).max_length(length).count(2_000).run().tally;
    for length in 0..5 {
        // No game ends before the fifth move.
        let tally = run(PlayoutMode::Lanes, length);
        assert_eq!((tally.too_long, tally.states, tally.scored()), (2_000, 2_000 * length, 0));
        assert_eq!(tally, run(PlayoutMode::Single, length));
    }
    let share = |stats: Tally| stats.too_long as f64 / 2_000.0;
    for length in 5..9 {
        let (lanes, single) = (run(PlayoutMode::Lanes, length), run(PlayoutMode::Single, length));
        assert_eq!(lanes.unscored + lanes.stuck + single.unscored + single.stuck, 0);
        let difference = share(lanes) - share(single);
        assert!(difference.abs() < 4.0 * (2.0 * 0.25 / 2_000.0_f64).sqrt(), "{length}: {difference}");
    }
    assert_eq!(run(PlayoutMode::Lanes, 9).too_long, 0);
    assert_eq!(run(PlayoutMode::Lanes, u64::MAX), run(PlayoutMode::Lanes, 9));
}

/// In the first step of every game, each role chooses uniformly among its legal moves, and roles
/// choose independently.
#[test]
fn first_moves_are_uniform() {
    for entry in compiled() {
        let game = load(entry.text).expect("built-in rulesheets load");
        let view = game.view(&game.initial());
        let legal: Vec<Vec<usize>> =
            game.roles().map(|role| game.legal_moves_in(&view, role).map(Id::index).collect()).collect();
        let joints: usize = legal.iter().map(Vec::len).product();
        let mut counts = vec![0_u32; joints];
        let mut games = 0_u32;
        for block in 0..200 {
            let table = game.table().expect("a table");
            let count = Lockstep::LANES as u64;
            let mut lanes =
                Lockstep::new(table, Isa::best(), false, 9, block, count, 1).expect("they play in lanes");
            assert!(lanes.step());
            for lane in 0..Lockstep::LANES {
                let joint = lanes.joint(lane);
                let place = joint.iter().zip(&legal).fold(0, |place, (action, legal)| {
                    place * legal.len() + legal.binary_search(action).expect("a legal move")
                });
                counts[place] += 1;
                games += 1;
            }
        }
        let degrees = joints as f64 - 1.0;
        let expected = f64::from(games) / joints as f64;
        let chi: f64 = counts.iter().map(|&count| (f64::from(count) - expected).powi(2) / expected).sum();
        if joints > 1 {
            // The Wilson-Hilferty approximation: the cube root is about normal.
            let z = ((chi / degrees).cbrt() - (1.0 - 2.0 / (9.0 * degrees))) / (2.0 / (9.0 * degrees)).sqrt();
            assert!(z.abs() < 3.5, "{}: z = {z}", entry.name);
        }
    }
}

/// Plays the rulesheets of other authors, next to the checkout, that compile fast.
#[test]
fn lanes_agree_with_the_table_on_other_rulesheets() {
    let Some(rulesheets) = corpus::rulesheets() else { return };
    let options = Options { limits: corpus::limits(), ..gdl_tools::load::quiet() };
    let has_played = threads::map(rulesheets, |(name, text)| {
        let game = compile(&Source::new(&name, &text), &options).ok()?;
        let table = game.table().filter(|_| gates(&game) <= 20_000 * corpus::SCALE as usize)?;
        let has_played = agree(&name, &game, table, 25, 2_000_000 * corpus::SCALE as usize);
        if !has_played {
            println!("not for lanes: {name}");
        }
        Some(has_played)
    });
    let played = has_played.iter().filter(|&&played| played == Some(true)).count();
    let left = has_played.iter().filter(|played| played.is_none()).count();
    println!("{played} rulesheets agree, {left} were too large");
    assert!(played > 100, "{played} rulesheets agree, {left} were too large");
}
