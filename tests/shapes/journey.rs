//! Runs a rulesheet through every phase and engine, and classifies the result.
//!
//! For any text, each phase ends without a panic, within its bytes and within the reports that its
//! fuel allows. All engines agree, state by state: the table, lanes on every instruction set, the
//! lifted engine, the evaluator and the oracle. `enter` is called before each phase, with the
//! number of bytes that the phase may take in addition to those in use.

use gdl_compiler::{
    Compilation, Diagnostics, Levels, Limits, Observer, Options, Phase, Severity, Source, compile,
    emit::{Code, lanes::Lanes, module::module, parts::Frame},
    format::format,
    meter::INTERVAL,
    read,
};
use gdl_runtime::{
    Dynamic, Game, GameExt, Playouts,
    bits::BitBox,
    board::Board,
    chance::Stream,
    dynamic::MoveId,
    engine::lift,
    lanes::{Expansion, Isa, Leaves},
    perft::Perft,
    playouts::PlayoutMode,
};
use gdl_tests::{
    comparison::{self, agree, by_events, lenient},
    successors::expand_all,
    watch,
};
use gdl_tools::simulate::{SimulationSettings, Subject, simulate};
use std::{
    ops::ControlFlow,
    sync::{Mutex, PoisonError},
};

/// The number of steps compared with the oracle.
const STEPS: usize = 10;

/// The most moves of a game.
const LENGTH: u64 = 24;

/// The most joint moves of a state whose successors are compared.
const MOST_JOINTS: usize = 600;

/// The most move sequences that are counted.
const SEQUENCES: u128 = 1_500;

/// The most operations of a net for which straight-line code is made.
const STRAIGHT: usize = if cfg!(debug_assertions) { 150 } else { 400 };

/// The bytes that a phase of the compiler may take besides its limit: the text, the rules and small
/// tables.
const BESIDE: usize = 8 << 20;

/// The bytes that an engine may take for planes of lanes and states.
const PLAY: usize = 96 << 20;

/// The result of running a rulesheet.
#[derive(Debug, PartialEq)]
pub(crate) enum End {
    /// The compiler rejected it, with the code of the first error.
    Refused(&'static str),
    /// The compiler exceeded a limit, so the lifted engine evaluated the rules.
    Lifted,
    /// The evaluator exceeded a limit.
    TooMuch,
    /// All engines played it.
    Played {
        /// Some role has a choice, and states differ.
        is_lively: bool,
        /// Lanes played it.
        in_lanes: bool,
        /// Lanes played it as a game of several phases in a cycle.
        in_phases: bool,
        /// Lanes played it ply by ply.
        in_plies: bool,
    },
}

impl End {
    /// The words to count for this result.
    pub(crate) fn words(&self) -> Vec<String> {
        let words = match *self {
            Self::Refused(code) => return vec![format!("refused {code}")],
            Self::Lifted => return vec!["lifted".to_owned()],
            Self::TooMuch => return vec!["too much".to_owned()],
            Self::Played { is_lively, in_lanes, in_phases, in_plies } => [
                (true, "played"),
                (is_lively, "lively"),
                (in_lanes, "lanes"),
                (in_phases, "phases"),
                (in_plies, "plies"),
            ],
        };
        words.into_iter().filter(|(is, _)| *is).map(|(_, word)| word.to_owned()).collect()
    }
}

/// The most progress reports of a phase: those of its fuel, and one for each part with a share of
/// it.
fn most_reports(phase: Phase) -> u64 {
    match phase {
        // The phase has its fuel once for names and again for static relations, and five million
        // steps for sample states. The last state may take the same again.
        Phase::Lift => (2 * patient().fuel + 10_000_000) / INTERVAL + 10,
        _ => 200,
    }
}

/// The gates of the table that may be evaluated while watching lanes.
const WORK: usize = 150_000;

/// The small limits of the compiler.
fn limits() -> Limits {
    Limits {
        fuel: 1_500_000,
        max_ground_rules: 20_000,
        max_atoms: 50_000,
        max_terms: 50_000,
        max_gates: 50_000,
        max_bytes: 8 << 20,
        ..Limits::network()
    }
}

/// Limits of the evaluator that are so large that other limits are exceeded first.
fn patient() -> Limits {
    Limits { fuel: 4_000_000, ..limits() }
}

/// An observer that checks the compiler's reports and its bytes.
fn observer(enter: Enter) -> Observer {
    let last = Mutex::new((None, 0));
    Observer::new(move |progress| {
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.0 != Some(progress.phase) {
            *last = (Some(progress.phase), 0);
            enter(&progress.phase.to_string(), 3 * limits().max_bytes + BESIDE);
        }
        last.1 += 1;
        assert!(last.1 <= most_reports(progress.phase), "{} does not end", progress.phase);
        ControlFlow::Continue(())
    })
}

/// A callback for the start of a phase, with the bytes that the phase may take.
pub(crate) type Enter = fn(&str, usize);

/// Runs a text through all phases. A text whose length is a multiple of four is also formatted, and
/// compiled with split rules.
///
/// # Panics
/// Panics if engines differ, or if any code under test panics.
pub(crate) fn travel(text: &str, enter: Enter) -> End {
    let options = Options { limits: limits(), ..lenient(&Options::default()) };
    let observed = Options { observer: observer(enter), ..options.clone() };
    let source = Source::new("generated.kif", text);
    let is_fourth = text.len().is_multiple_of(4);
    if is_fourth {
        enter("format", PLAY);
        reread(&source, &options);
    }
    let compiled = compile(&source, &observed);
    enter("check", PLAY);
    let Ok((rules, _)) = read(&source, &options) else {
        return refused(&compiled.expect_err("what cannot be read cannot be compiled").diagnostics);
    };
    let patient = Options { limits: patient(), ..options.clone() };
    let lifted = lift(&rules, &Options { observer: observer(enter), ..patient.clone() });
    let compilation = match compiled {
        Ok(compilation) => compilation,
        Err(failure) if failure.diagnostics.are_excesses() => {
            let Ok(lifted) = lifted else { return End::TooMuch };
            enter("oracle", PLAY);
            return match agree(text, &[lifted], &rules, &patient, STEPS) {
                comparison::Outcome::Agreed(_) => End::Lifted,
                comparison::Outcome::Refused(reason) => End::Refused(reason),
                comparison::Outcome::TooMuch => End::TooMuch,
            };
        }
        Err(failure) => return refused(&failure.diagnostics),
    };
    let Ok(lifted) = lifted else { return End::TooMuch };
    let (in_phases, in_plies) = (compilation.phases.is_some(), compilation.plies.is_some());
    let game = judge(&compilation, enter);
    let mut games = vec![game, lifted];
    games.extend(by_events(&compilation));
    if is_fourth {
        // The same rules, with rules split even in small programs.
        let split = compile(&source, &Options { split_from: 1, ..observed });
        games.extend(split.map(|split| Dynamic::decode(&split.table).expect("the table can be read")));
    }
    enter("oracle", PLAY);
    let end = agree(text, &games, &rules, &patient, STEPS);
    let in_lanes = play(&games[0], &games[1], enter);
    let comparison::Outcome::Agreed(positions) = end else { return End::TooMuch };
    let choice = positions.iter().any(|position| position.legal.iter().any(|moves| moves.len() > 1));
    let change = positions.iter().any(|position| position.fluents != positions[0].fluents);
    End::Played { is_lively: choice && change, in_lanes, in_phases, in_plies }
}

fn refused(diagnostics: &Diagnostics) -> End {
    let error = diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
    End::Refused(error.expect("a refusal has a reason").code.id)
}

/// Tests that the spans of diagnostics are inside the rulesheet, and that formatting is idempotent.
fn reread(source: &Source, options: &Options) {
    let options = &Options { levels: Levels::default(), ..options.clone() };
    let diagnostics =
        read(source, options).map_or_else(|failure| failure.diagnostics, |(_, diagnostics)| diagnostics);
    assert_eq!(diagnostics.render(source).is_empty(), diagnostics.is_empty());
    if let Ok(once) = format(source, options) {
        let again = format(&Source::new("generated.kif", once.clone()), options);
        assert_eq!(again.expect("what is formatted can be read"), once, "formatting again changes it");
    }
}

/// Tests the game, its diagnostics and the emitted code besides its table.
fn judge(compilation: &Compilation, enter: Enter) -> Dynamic {
    let Compilation { rules, ground, net, lanes, .. } = compilation;
    let operations = net.operations().max(lanes.as_ref().map_or(0, Lanes::operations));
    if operations <= STRAIGHT {
        enter("module", PLAY);
        assert!(!module(compilation, &Frame::new("game"), "generated.kif", Code::Straight).is_empty());
    }
    enter("decode", PLAY);
    let game = Dynamic::decode(&compilation.table).expect("the table can be read");
    enter("simulate", PLAY);
    let settings = SimulationSettings { seed: 1, states: 200, playouts: Some(4), steps: 30, work: 300_000 };
    let subject = Subject { rules, ground, net, game: &game };
    simulate(subject, &settings, &mut Diagnostics::new(Levels::default()), &mut |_| {});
    game
}

/// Plays a game in the engines without the oracle. Returns true if lanes play it.
fn play(game: &Dynamic, lifted: &Dynamic, enter: Enter) -> bool {
    let is_whole = |game: &Dynamic| game.failed_evaluations().is_none();
    enter("single", PLAY);
    let playouts = |game, engine| {
        let playouts = Playouts::new(game).engine(engine).threads(1).seed(5);
        playouts.max_length(LENGTH).count(24).run().tally
    };
    let (left, right) = (playouts(game, PlayoutMode::Single), playouts(lifted, PlayoutMode::Single));
    assert!(left == right || !is_whole(lifted), "playouts of table and lifted: {left:?}, {right:?}");

    enter("perft", PLAY);
    let counts = |game, engine| count_sequences(&mut Perft::new(game).engine(engine));
    let expected = counts(game, PlayoutMode::Single);
    assert_eq!(counts(game, PlayoutMode::Lanes), expected, "perft of lanes (left) and table");
    let counted = counts(lifted, PlayoutMode::Single);
    assert!(counted == expected || !is_whole(lifted), "perft of lifted and table: {counted:?}, {expected:?}");

    enter("expansion", PLAY);
    let states = walk(game);
    if let Some(expansion) = Expansion::new(game, Isa::Portable) {
        for state in &states {
            let phase = expansion.phase(state).expect("play comes to it");
            for isa in [Isa::Portable, Isa::best()] {
                expand_all(game, &[state], phase, isa, "expansion");
            }
        }
    }

    enter("leaves", PLAY);
    let leaves = [Isa::Portable, Isa::best()].map(|isa| {
        let mut leaves = Leaves::new(game, isa, LENGTH)?;
        let state = states.last()?;
        Some(leaves.play(leaves.phase(state)?, &[state], 3, 0))
    });
    assert_eq!(leaves[0], leaves[1], "leaves");

    enter("board", PLAY);
    if let Some(board) = Board::of(game) {
        states.iter().for_each(|state| drop(board.text(&board.cells_of(game, state))));
    }

    enter("lockstep", PLAY);
    watch::agree("lockstep", game, game.table().expect("a table"), LENGTH, WORK)
}

/// The first four states of a random game, without those with [`MOST_JOINTS`] joint moves or more.
fn walk(game: &Dynamic) -> Vec<BitBox> {
    let mut stream = Stream::new(3, 1);
    let (mut state, mut states) = (game.initial(), Vec::new());
    for _ in 0..4 {
        let view = game.view(&state);
        let joint: Option<Vec<MoveId>> =
            game.roles().map(|role| game.random_move_in(&view, role, &mut stream)).collect();
        // A role without a legal move counts as one, since the moves of the others are all tried.
        let joints: f64 =
            game.roles().map(|role| game.legal_moves_in(&view, role).len().max(1) as f64).product();
        if joints < MOST_JOINTS as f64 {
            states.push(state.clone());
        }
        let Some(joint) = joint.filter(|_| !game.is_terminal_in(&view)) else { break };
        state = game.apply_unchecked(&state, &joint);
    }
    states
}

/// The numbers of sequences of one, two and more moves, up to the limit.
fn count_sequences(perft: &mut impl Iterator<Item = u128>) -> Vec<u128> {
    let mut counts = Vec::new();
    while counts.len() < 12 {
        let last = counts.last().copied().unwrap_or(1);
        let growth = if counts.len() < 2 { last } else { last / counts[counts.len() - 2].max(1) };
        // The next count is estimated from the last growth.
        if last == 0 || last * growth.max(1) > SEQUENCES {
            break;
        }
        counts.extend(perft.next());
    }
    counts
}
