//! Every engine and the compiler's evaluator agree with the oracle on seeded playouts of every
//! built-in game. Each step compares legal moves, termination, goals, fluents and percepts.

use gdl_compiler::{
    Diagnostics, Levels, Options, Rules, Source, check::check, compile, eval::Evaluator, syntax::parse,
};
use gdl_games::{Entry, LIST, Visitor, compiled, visit};
use gdl_oracle::{Oracle, Settings};
use gdl_runtime::{
    Dynamic, Game, GameExt, Loader, Playouts,
    bits::BitBox,
    chance::Stream,
    dynamic::MoveId,
    engine::{EngineKind, playable},
    playouts::PlayoutMode,
};
use gdl_tests::{
    comparison::{Record, by_events, lenient},
    threads,
};
use std::{sync::OnceLock, thread};

/// The number of steps compared on each game and engine.
const STEPS: usize = 150;

pub(crate) fn rules(text: &str) -> Rules {
    let source = Source::new("game.kif", text);
    let options = Options::default();
    let mut diagnostics = Diagnostics::new(Levels::default());
    let tree = parse(&source, &options, &mut diagnostics);
    check(&tree, &source, &options, &mut diagnostics).expect("built-in rulesheets have no faults")
}

/// Games whose initial state takes the oracle many seconds. The compiler's evaluator records them.
const SLOW_STARTS: &[&str] = &["pig"];

/// Games with states that are slow for the oracle, and the number of steps to record instead.
const SLOW_STEPS: &[(&str, usize)] = &[("go", 12), ("reversi", 60), ("xiangqi", 12)];

/// The oracle's record of a random game, played once and shared by all engines.
pub(crate) fn record(entry: &'static Entry) -> &'static Record {
    static RECORDS: [OnceLock<Record>; LIST.len()] = [const { OnceLock::new() }; LIST.len()];
    let place = LIST.iter().position(|other| other.name == entry.name).expect("it is in the list");
    RECORDS[place].get_or_init(|| {
        let steps =
            SLOW_STEPS.iter().find(|(name, _)| *name == entry.name).map_or(STEPS, |(_, steps)| *steps);
        let rules = rules(entry.text);
        let evaluated = Record::new(&Evaluator::new(&rules).expect("evaluable"), steps);
        if SLOW_STARTS.contains(&entry.name) {
            return evaluated;
        }
        let oracle = Oracle::new(entry.text, &Settings::default()).expect("a game");
        let record = Record::new(&oracle, steps);
        assert_eq!(record.end, None, "{}", entry.name);
        assert!(record.positions == evaluated.positions, "{}: oracle and evaluator", entry.name);
        record
    })
}

fn agree<G: Game>(name: &str, game: &G, entry: &'static Entry) {
    let end = record(entry).follow(name, game, |_| false);
    assert!(end.is_some(), "{name}");
}

struct Agree;

impl Visitor for Agree {
    type Output = ();

    fn visit<G: Game<State: Copy, View: Copy> + Copy + 'static>(self, game: G, entry: &'static Entry) {
        agree(entry.name, &game, entry);
    }
}

/// A trial chooses the engine with the lower expected time per step. The large tables of pig and
/// kalah shrink when specialised; in amazons fewer gates change between states than a
/// specialisation keeps.
#[test]
fn a_trial_chooses_the_engine() {
    for (name, engine) in [("pig", "table"), ("kalah", "table"), ("amazons", "events"), ("reversi", "table")]
    {
        let game = gdl_games::dynamic(name).expect("built-in rulesheets load");
        assert_eq!(game.engine(), engine, "{name}");
    }
}

#[test]
fn compiled_games_agree_with_the_oracle() {
    for entry in compiled() {
        visit(entry.name, Agree).expect("it is compiled in");
    }
}

#[test]
fn tables_and_events_agree_with_the_oracle() {
    let compared = threads::map(LIST.iter(), |entry| {
        let name = entry.name;
        let source = Source::new("game.kif", entry.text);
        let compilation = compile(&source, &lenient(&Options::default())).expect("built-in rulesheets load");
        let table = playable(&compilation, Some(EngineKind::Table)).expect("it is small enough");
        assert_eq!(table.engine(), "table");
        agree(name, &table, entry);
        // Moves that are made often use specialised code.
        let tally = |game: &Dynamic| {
            Playouts::new(game).engine(PlayoutMode::Single).threads(2).count(400).run().tally
        };
        let tallied = tally(&table);
        agree(name, &table, entry);
        for (place, events) in by_events(&compilation).iter().enumerate() {
            assert_eq!(events.engine(), "events");
            let name = format!("{name}, events {place}");
            agree(&name, events, entry);
            jump(&name, events, &table);
            assert!(tally(events) == tallied, "{name}: playouts of events and table");
        }
        name
    });
    assert!(compared.into_iter().eq(LIST.iter().map(|entry| entry.name)), "all games, in order");
}

/// Queries states in an order that no play has, from two threads at once. Compares the view and the
/// successor of each state.
fn jump(name: &str, events: &Dynamic, table: &Dynamic) {
    let mut random = Stream::new(2, 0);
    let mut met: Vec<(BitBox, Vec<MoveId>, BitBox)> = Vec::new();
    let mut state = table.initial();
    for _ in 0..STEPS {
        let view = table.view(&state);
        let joint: Option<Vec<MoveId>> =
            table.roles().map(|role| table.random_move_in(&view, role, &mut random)).collect();
        let Some(joint) = joint.filter(|_| !table.is_terminal_in(&view)) else {
            state = table.initial();
            continue;
        };
        let before = state.clone();
        table.advance(&mut state, &joint);
        met.push((before, joint, state.clone()));
    }
    let visit = |seed| {
        let mut random = Stream::new(seed, 0);
        for _ in 0..2 * STEPS {
            let (state, joint, next) = &met[random.below(met.len() as u64) as usize];
            assert_eq!(events.view(state), table.view(state), "{name}: {}", table.state_text(state));
            let mut after = state.clone();
            events.advance(&mut after, joint);
            assert_eq!(after, *next, "{name}: {}", table.state_text(state));
        }
    };
    thread::scope(|scope| (1..=2).for_each(|seed| drop(scope.spawn(move || visit(seed)))));
}

#[test]
fn lifted_games_agree_with_the_oracle() {
    for entry in LIST {
        let game = Loader::new().lifted().load(entry.text).expect("built-in rulesheets load");
        assert_eq!(game.engine(), "lifted");
        agree(entry.name, &game, entry);
        assert!(game.failed_evaluations().is_none(), "{}", entry.name);
    }
}
