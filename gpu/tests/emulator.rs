//! Tests of the emulator against the rules. Every step of every lane is legal, by the table and, in
//! some lanes, by the evaluator `eval`. Tallies count the games played, legal moves are equally
//! likely, and means agree with those of lanes. The golden tallies, which every card must repeat,
//! are unchanged.

#[allow(unreachable_pub, reason = "other packages have it as a module of their own")]
#[path = "../../tests/src/corpus.rs"]
mod corpus;
mod golden;

use gdl_compiler::{
    Limits, Options, Source, compile,
    eval::{Evaluator, State, Term},
};
use gdl_games::LIST;
use gdl_gpu::{Control, Error, Gpu, Watched, watch};
use gdl_runtime::{
    Cancel, Dynamic, Game, GameExt, Playouts,
    bits::BitBox,
    chance::Stream,
    game::Id,
    load,
    playouts::{PlayoutMode, Tally},
};
use std::collections::BTreeMap;

/// The most steps that the evaluator follows for a game.
const STEPS: usize = if cfg!(debug_assertions) { 40 } else { 2_000 };

/// The number of lanes that the evaluator follows.
const FOLLOWED: usize = 2;

/// The most gates of the table to run for a game; the table follows all lanes until then.
const WORK: usize = if cfg!(debug_assertions) { 20_000_000 } else { 400_000_000 };

/// A game of a lane, replayed by the table, and by the evaluator in some lanes.
struct Twin<'r> {
    state: BitBox,
    length: u64,
    evaluator: Option<State>,
    rules: &'r Evaluator<'r>,
}

/// Sorts texts.
fn texts<'t>(texts: impl Iterator<Item = &'t str>) -> Vec<&'t str> {
    let mut texts: Vec<&str> = texts.collect();
    texts.sort_unstable();
    texts
}

impl<'r> Twin<'r> {
    fn new(game: &Dynamic, rules: &'r Evaluator<'r>, is_followed: bool) -> Self {
        let evaluator = is_followed.then(|| rules.initial().expect("the evaluator takes built-in games"));
        Self { state: game.initial(), length: 0, evaluator, rules }
    }

    /// Makes a joint move. Returns whether the evaluator made it too.
    fn step(&mut self, game: &Dynamic, joint: &[usize], name: &str) -> bool {
        assert!(!game.is_terminal(&self.state), "{name}: a game that is over goes on");
        let joint: Vec<_> = joint.iter().map(|&action| Id::from_index(action)).collect();
        self.state = game.apply(&self.state, &joint).unwrap_or_else(|error| panic!("{name}: {error}"));
        self.length += 1;
        let Some(before) = &self.evaluator else { return false };
        let rules = self.rules;
        assert!(!rules.terminal(before).expect("small"), "{name}: the evaluator says that it is over");
        let joint: Vec<Term> =
            joint.iter().map(|&action| rules.term(game.move_text(action)).expect("a move")).collect();
        for (role, action) in joint.iter().enumerate() {
            let legal = rules.legal(before, role).expect("small");
            assert!(legal.contains(action), "{name}: the evaluator does not take {}", action.as_str());
        }
        let next = rules.next(before, &joint).expect("small");
        assert_eq!(
            texts(next.iter().map(Term::as_str)),
            texts(game.fluents(&self.state).map(|fluent| game.fluent_text(fluent))),
            "{name}: the evaluator (left) comes to another state"
        );
        self.evaluator = Some(next);
        true
    }

    /// Adds the finished game to a tally.
    fn end(&self, game: &Dynamic, max_length: u64, tally: &mut Tally, name: &str) {
        tally.playouts += 1;
        tally.states += self.length;
        let is_terminal = game.is_terminal(&self.state);
        if let Some(state) = &self.evaluator {
            assert_eq!(self.rules.terminal(state).expect("small"), is_terminal, "{name}");
        }
        if !is_terminal {
            if self.length == max_length {
                tally.too_long += 1;
            } else {
                let is_stuck = game.roles().any(|role| game.legal_moves(&self.state, role).len() == 0);
                assert!(is_stuck, "{name}: a game ends for no reason");
                tally.stuck += 1;
            }
            return;
        }
        let chance = game.chance_role().map(Id::index);
        let goals: Vec<Vec<u8>> = game.roles().map(|role| game.goals(&self.state, role)).collect();
        if let Some(state) = &self.evaluator {
            for (role, goals) in goals.iter().enumerate() {
                let found = self.rules.goals(state, role).expect("small");
                let mut values: Vec<u8> =
                    found.iter().map(|goal| goal.as_str().parse().expect("a number")).collect();
                values.sort_unstable();
                values.dedup();
                assert_eq!(&values, goals, "{name}");
            }
        }
        let players: Vec<usize> = (0..goals.len()).filter(|&role| chance != Some(role)).collect();
        if players.iter().any(|&role| goals[role].len() != 1) {
            tally.unscored += 1;
            return;
        }
        for (role, goals) in goals.iter().enumerate() {
            if let [value] = goals[..] {
                tally.roles[role].goals += u64::from(value);
                tally.roles[role].squares += u64::from(value).pow(2);
            }
        }
        let best = players.iter().map(|&role| goals[role][0]).max().expect("there are players");
        let best = if players.len() == 1 { 100 } else { best };
        let shared = players.iter().filter(|&&role| goals[role][0] == best).count();
        for role in players {
            let role_tally = &mut tally.roles[role];
            match (goals[role][0] == best, shared) {
                (true, 1) => role_tally.wins += 1,
                (true, _) => role_tally.draws += 1,
                (false, _) => role_tally.losses += 1,
            }
        }
    }
}

/// Replays a block of games step by step. Returns the game and the tally of the block.
fn follow(
    name: &str,
    text: &str,
    limits: Limits,
    max_length: u64,
    games: u32,
) -> Result<(Dynamic, Tally), Error> {
    let source = Source::new(name, text);
    let options = Options { limits, ..Options::default() };
    let Ok(compilation) = compile(&source, &options) else { return Err(Error::NoLanes) };
    let game = Dynamic::decode(&compilation.table).expect("the table can be read");
    let rules = Evaluator::with_limits(&compilation.rules, &options.limits).expect("the evaluator takes it");
    let (observe, advance) = game.table().expect("a table").gates();
    let mut work = 0;
    let mut steps = STEPS;
    let mut twins: Vec<Option<Twin<'_>>> = (0..Watched::LANES).map(|_| None).collect();
    let mut tally = Tally::new(game.roles().len());
    let mut state = game.new_state();
    let mut look = |step: &Watched<'_>| {
        if work > WORK {
            return;
        }
        for (lane, twin) in twins.iter_mut().enumerate() {
            if (step.has_started(lane) || !step.has_moved(lane))
                && let Some(twin) = twin.take()
            {
                twin.end(&game, max_length, &mut tally, name);
            }
            if step.has_started(lane) {
                *twin = Some(Twin::new(&game, &rules, lane < FOLLOWED && steps > 0));
            }
            if step.has_moved(lane) {
                let twin = twin.as_mut().expect("it has started");
                let joint = step.joint(lane).unwrap_or_else(|| panic!("{name}: a role makes no move"));
                work += observe + advance;
                if twin.step(&game, &joint, name) {
                    steps = steps.saturating_sub(1);
                    if steps == 0 {
                        twin.evaluator = None;
                    }
                }
                step.state(lane, state.as_mut());
                assert_eq!(state, twin.state, "{name}, lane {lane}: {}", game.state_text(&state));
            }
        }
    };
    let counted = watch(&game, 5, 3, games, max_length, &mut look)?;
    assert_eq!(counted.playouts, games.into());
    if work <= WORK {
        assert_eq!(counted, tally, "{name}");
        assert!(twins.iter().all(Option::is_none), "{name}: a game has no end");
    }
    Ok((game, counted))
}

#[test]
fn built_in_games_are_played_by_their_rules() {
    let mut played = 0;
    for entry in LIST {
        // A debug build takes long to compile the largest rulesheets, and few of those play in
        // lanes.
        let is_small = cfg!(debug_assertions) && !entry.is_compiled();
        let limits = || if is_small { corpus::limits() } else { Limits::default() };
        match follow(entry.name, entry.text, limits(), 10_000, 40) {
            Ok(_) => played += 1,
            Err(error) => println!("{}: {error}", entry.name),
        }
        // Games that reach the limit on moves are counted as too long.
        if matches!(entry.name, "tictactoe" | "connect_four" | "reversi" | "monty_hall") {
            let (_, tally) = follow(entry.name, entry.text, limits(), 7, 70).expect("as before");
            assert_eq!(tally.too_long > 0, entry.name != "monty_hall", "{}: {tally:?}", entry.name);
        }
    }
    assert!(played * 10 > LIST.len() * 8, "{played} of {}", LIST.len());
}

/// The golden tallies of third-party rulesheets: name, playouts, moves and sums of goals.
const OTHERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/rulesheets.tsv");

/// The number of small rulesheets with golden tallies, and the stride of those that a debug build
/// plays.
const KEPT: usize = 100;
const DEBUG_STRIDE: usize = 25;

/// The limit on the moves of games of third-party rulesheets.
const LENGTH: u64 = 300;

/// Returns the limits of small rulesheets. They are equal in all builds, since the limit of steps
/// decides which optimisations the compiler skips.
fn small() -> Limits {
    Limits { fuel: 10_000_000, max_ground_rules: 20_000, ..Limits::default() }
}

/// Third-party rulesheets are played by their rules; small ones have the means of lanes and the
/// golden tallies. `GDL_BLESS=1` rewrites these.
#[test]
fn other_rulesheets_are_played_by_their_rules() {
    let Some(rulesheets) = corpus::rulesheets() else { return };
    let (is_debug, blesses) = (cfg!(debug_assertions), std::env::var_os("GDL_BLESS").is_some());
    let golden = std::fs::read_to_string(OTHERS).unwrap_or_default();
    let (mut kept, mut more, mut skipped) = (Vec::new(), 0, Vec::new());
    for (name, text) in rulesheets.step_by(if is_debug && !blesses { DEBUG_STRIDE } else { 1 }) {
        if blesses && kept.len() == KEPT {
            break;
        }
        let Ok((game, tally)) = follow(&name, &text, small(), LENGTH, 33) else {
            // The evaluator cannot check rules that the compiler rejects.
            if is_debug || follow(&name, &text, corpus::limits(), LENGTH, 33).is_err() {
                skipped.push(name);
            } else {
                more += 1;
            }
            continue;
        };
        if kept.len() == KEPT {
            more += 1;
            continue;
        }
        compare_with_lanes(&name, &game);
        let goals: Vec<u64> = tally.roles.iter().map(|role| role.goals).collect();
        let line = format!("{name}\t{}\t{}\t{goals:?}\n", tally.playouts, tally.states);
        let known = golden.lines().find(|known| known.split('\t').next() == Some(&name));
        // A debug build also plays rulesheets after the last golden one.
        let is_known = known.map_or(is_debug, |known| known == line.trim_end());
        assert!(blesses || is_known, "{known:?} was kept, and it is {line}");
        kept.push(line);
    }
    println!("{} compared with lanes and kept, {more} more followed", kept.len());
    println!("over the limits of this test, or not for lanes: {}", skipped.join(", "));
    assert!(kept.len() >= if is_debug { 5 } else { KEPT }, "{}", kept.len());
    if blesses {
        std::fs::write(OTHERS, kept.concat()).expect("the file can be written");
    }
}

/// The most operations, on words of 32 games, for playing a rulesheet.
const PLAYED: u64 = if cfg!(debug_assertions) { 2_000_000 } else { 20_000_000 };

/// Compares random play with lanes: the mean goals, and the shares of games that are too long,
/// stuck or unscored.
fn compare_with_lanes(name: &str, game: &Dynamic) {
    let gpu = Gpu::emulator();
    let prepared = gpu.prepare_for(game, LENGTH).expect("as before");
    let count = 32 * (PLAYED / prepared.operations().max(1) as u64 / LENGTH).clamp(8, 256);
    let tally = prepared.playouts(3, count).expect("it plays");
    let lanes =
        Playouts::new(game).engine(PlayoutMode::Lanes).max_length(LENGTH).seed(4).count(4 * count).run();
    let mut both = tally.clone();
    both.merge(&lanes.tally);
    // Both are samples of one distribution, and all games together give the best estimate of its
    // spread.
    let spread = |games: u64| (both.scored() as f64 / games.max(1) as f64).sqrt();
    for role in 0..tally.roles.len() {
        let error = both.goal_error(role) * spread(tally.scored()).hypot(spread(lanes.tally.scored()));
        let difference = tally.mean_goal(role) - lanes.mean_goal(role);
        let is_near = difference.abs() <= 4.0 * error + 1e-9;
        assert!(
            is_near || tally.scored() == 0 || lanes.tally.scored() == 0,
            "{name}: {difference} of {error}"
        );
    }
    for part in [|tally: &Tally| tally.too_long, |tally: &Tally| tally.stuck, |tally: &Tally| tally.unscored]
    {
        let share = part(&both) as f64 / both.playouts as f64;
        let error = (share * (1.0 - share) * (1.0 / count as f64 + 0.25 / count as f64)).sqrt();
        let difference = part(&tally) as f64 / count as f64 - part(&lanes.tally) as f64 / (4 * count) as f64;
        assert!(difference.abs() <= 4.0 * error + 1e-9, "{name}: {difference} of {error}");
    }
}

/// Roles without a move, without a goal or with several goals are counted as in single games.
#[test]
fn games_without_a_proper_end_are_counted() {
    let rules = |goals: &str| {
        format!(
            "(role p) (role q) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
            (<= (legal p go) (true (at ?x)) (succ ?x ?y)) (legal p stay) (legal p trap)
            (<= (legal q wait) (not (true trapped))) (<= (legal q look) (not (true trapped)))
            (<= (next trapped) (does p trap))
            (<= (next (at ?y)) (does p go) (true (at ?x)) (succ ?x ?y))
            (<= (next (at ?x)) (does p stay) (true (at ?x)))
            (<= (next (at ?x)) (does p trap) (true (at ?x)))
            (<= (next (looked ?x)) (does q look) (true (at ?x))) (<= (next (looked ?x)) (true (looked ?x)))
            (<= terminal (true (at 5))) {goals}"
        )
    };
    let one =
        rules("(goal p 100) (<= (goal q 50) (true (looked 3))) (<= (goal q 50) (not (true (looked 3))))");
    let (_, tally) = follow("trap", &one, Limits::default(), 12, 3_000).expect("it plays in lanes");
    assert!(tally.stuck > 100 && tally.scored() > 10 && tally.unscored == 0, "{tally:?}");
    let several = rules("(goal p 100) (goal q 0) (<= (goal q 50) (true (looked 3)))");
    let (_, tally) = follow("trap", &several, Limits::default(), 12, 3_000).expect("it plays in lanes");
    assert!(tally.unscored > 10 && tally.scored() > 10, "{tally:?}");
    let none = rules("(goal p 100) (<= (goal q 50) (true (looked 3)))");
    let (_, tally) = follow("trap", &none, Limits::default(), 5, 3_000).expect("it plays in lanes");
    assert!(tally.unscored > 1 && tally.too_long > 10, "{tally:?}");
}

/// The number of times that the move at each place was made, by role and number of legal moves.
type Counts = BTreeMap<(usize, usize), Vec<u32>>;

fn choices(game: &Dynamic, most: u32) -> Counts {
    let mut counts = Counts::new();
    let mut left = most;
    for block in 0.. {
        let mut states: Vec<BitBox> = vec![game.initial(); Watched::LANES];
        let mut look = |step: &Watched<'_>| {
            for (lane, state) in states.iter_mut().enumerate().filter(|&(lane, _)| step.has_moved(lane)) {
                if step.has_started(lane) {
                    *state = game.initial();
                }
                let view = game.view(state);
                for (role, made) in game.roles().zip(step.joint(lane).expect("a joint move")) {
                    let mut legal = game.legal_moves_in(&view, role);
                    let length = legal.len();
                    if length > 1 && left > 0 {
                        let place = legal.position(|action| action.index() == made);
                        let counts = counts.entry((role.index(), length)).or_insert_with(|| vec![0; length]);
                        counts[place.expect("only legal moves are made")] += 1;
                        left -= 1;
                    }
                }
                step.state(lane, state.as_mut());
            }
        };
        watch(game, 11, block, 128, 10_000, &mut look).expect("it plays in lanes");
        if left == 0 {
            break;
        }
    }
    counts
}

/// Pearson's chi-squared test over all frequent numbers of legal moves, with a fixed seed.
#[test]
fn legal_moves_are_equally_likely() {
    let most = if cfg!(debug_assertions) { 30_000 } else { 400_000 };
    for name in
        ["tictactoe", "connect_four", "breakthrough", "reversi", "rock_paper_scissors", "nim", "checkers"]
    {
        let game = gdl_games::dynamic(name).expect("built in");
        let (mut sum, mut degrees) = (0.0, 0.0);
        for places in choices(&game, most).values() {
            let expected = f64::from(places.iter().sum::<u32>()) / places.len() as f64;
            if expected >= 5.0 {
                sum +=
                    places.iter().map(|&made| (f64::from(made) - expected).powi(2) / expected).sum::<f64>();
                degrees += places.len() as f64 - 1.0;
            }
        }
        // Wilson and Hilferty: the cube root is approximately normal with this mean and variance.
        let variance = 2.0 / (9.0 * degrees);
        let z = ((sum / degrees).cbrt() - (1.0 - variance)) / f64::sqrt(variance);
        assert!(degrees > 0.0 && z.abs() < 4.0, "{name}: {z}");
    }
}

/// Random play has the mean goals of lanes, within four standard errors of the difference.
#[test]
fn means_are_those_of_lanes() {
    for (name, count) in
        [("tictactoe", 200_000), ("connect_four", 60_000), ("reversi", 3_000), ("nim", 100_000)]
    {
        let game = gdl_games::dynamic(name).expect("built in");
        let tally =
            Gpu::emulator().prepare(&game).expect("it is small").playouts(3, count).expect("it plays");
        let lanes = Playouts::new(&game).engine(PlayoutMode::Lanes).seed(4).count(4 * count).run();
        assert_eq!(tally.playouts, count);
        for role in 0..tally.roles.len() {
            let error = tally.goal_error(role).hypot(lanes.goal_error(role));
            let difference = tally.mean_goal(role) - lanes.mean_goal(role);
            assert!(difference.abs() <= 4.0 * error, "{name}: {difference} of {error}");
        }
        let difference = (tally.mean_length() - lanes.mean_length()).abs();
        // The standard deviation of lengths is less than their mean.
        assert!(
            difference <= 4.0 * tally.mean_length() * (1.25 / count as f64).sqrt(),
            "{name}: {difference}"
        );
    }
}

/// Returns states of random games.
fn states(game: &Dynamic, count: usize) -> Vec<BitBox> {
    let mut stream = Stream::new(8, 1);
    let mut states = Vec::new();
    let mut state = game.initial();
    while states.len() < count {
        states.push(state.clone());
        let view = game.view(&state);
        let joint: Option<Vec<_>> =
            game.roles().map(|role| game.random_move_in(&view, role, &mut stream)).collect();
        state = match joint.filter(|_| !game.is_terminal_in(&view)) {
            Some(joint) => game.apply(&state, &joint).expect("legal"),
            None => game.initial(),
        };
    }
    states
}

/// Random play from each state has the mean of lanes. A state's tally depends on its index and not
/// on the other states, and terminal states count with their goals.
#[test]
fn leaves_are_played_from_their_states() {
    for name in ["tictactoe", "connect_four", "breakthrough_small", "nim"] {
        let game = gdl_games::dynamic(name).expect("built in");
        let states = states(&game, 40);
        let words: Vec<&[u64]> = states.iter().map(AsRef::as_ref).collect();
        let gpu = Gpu::emulator();
        let prepared = gpu.prepare(&game).expect("it is small");
        let tallies = prepared.leaves(&words, 3, 500).expect("play comes to them");
        assert_eq!(tallies[..7], prepared.leaves(&words[..7], 3, 500).expect("as before"));
        assert_ne!(tallies, prepared.leaves(&words, 4, 500).expect("as before"));
        for (state, tally) in states.iter().zip(&tallies) {
            assert_eq!(tally.playouts, 500);
            assert_eq!(tally.states == 0, game.is_terminal(state));
            let lanes = Playouts::new(&game).start(state).seed(5).count(4_096).run();
            for role in 0..tally.roles.len() {
                let error = tally.goal_error(role).hypot(lanes.goal_error(role));
                let difference = tally.mean_goal(role) - lanes.mean_goal(role);
                // The tolerance is larger, since hundreds of means are compared.
                assert!(difference.abs() <= 4.5 * error + 1e-9, "{name}: {difference} of {error}");
            }
        }
    }
}

#[test]
fn leaves_that_cannot_be_played_are_told() {
    let game = gdl_games::dynamic("connect_four").expect("built in");
    let gpu = Gpu::emulator();
    let prepared = gpu.prepare(&game).expect("it is small");
    let (initial, nowhere) = (game.initial(), game.new_state());
    let initial: &[u64] = initial.as_ref();
    assert_eq!(prepared.leaves(&[initial, nowhere.as_ref()], 0, 10), Err(Error::Unreachable(1)));
    assert_eq!(prepared.leaves(&[initial], 0, u32::MAX), Err(Error::TooManyLeaves));
    assert_eq!(prepared.leaves(&[initial], 0, 0).map(|tallies| tallies[0].playouts), Ok(0));
    assert_eq!(prepared.leaves(&[], 0, 10), Ok(Vec::new()));
}

/// Any number of games is counted exactly, and runs that are stopped early equal those of fewer
/// games.
#[test]
fn runs_end_when_they_are_to() {
    let game = gdl_games::dynamic("tictactoe").expect("built in");
    let gpu = Gpu::emulator();
    let prepared = gpu.prepare(&game).expect("it is small");
    for count in [0, 1, 31, 33, 2_047, 2_048, 2_049, 50_000] {
        let tally = prepared.playouts(1, count).expect("it plays");
        assert_eq!((tally.playouts, tally.scored()), (count, count));
    }
    let (cancel, mut told) = (Cancel::default(), Vec::new());
    let mut pull = |done| {
        told.push(done);
        cancel.cancel();
    };
    let mut control = Control { cancel: cancel.clone(), progress: Some(&mut pull), ..Control::default() };
    let tally = prepared.playouts_with(9, u64::MAX, &mut control).expect("it plays");
    assert_eq!(told, [tally.playouts]);
    assert_eq!(Ok(tally.clone()), prepared.playouts(9, tally.playouts));
}

#[test]
fn what_cannot_be_prepared_is_told() {
    let game = gdl_games::dynamic("tictactoe").expect("built in");
    let gpu = Gpu::emulator();
    for length in [0, (1 << 20) + 1, u64::MAX] {
        assert_eq!(gpu.prepare_for(&game, length).err(), Some(Error::MaxLength));
    }
    assert!(gpu.prepare_for(&game, 1 << 20).is_ok());
    let over = load("(role p) (legal p a) terminal (goal p 1)").expect("it loads");
    assert_eq!(gpu.prepare(&over).err(), Some(Error::NoLanes));
    if cfg!(not(feature = "device")) {
        assert_eq!(Gpu::open().err(), Some(Error::NotBuilt));
    }
}

/// Every device must repeat the golden tallies in `tests/golden.tsv`. `GDL_BLESS=1` rewrites them.
#[test]
fn tallies_are_as_they_were() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden.tsv");
    let gpu = Gpu::emulator();
    let mut found = String::from("# game, seed, playouts; then the tally that every device has of them\n");
    for name in golden::GAMES {
        found += &golden::line(&gpu, name);
    }
    if std::env::var_os("GDL_BLESS").is_some() {
        std::fs::write(path, &found).expect("the file can be written");
    }
    assert_eq!(found, golden::text());
}
