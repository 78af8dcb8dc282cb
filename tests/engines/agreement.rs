//! Every engine agrees with `eval`, the slow and obvious semantics, on every step of seeded
//! playouts of every built-in game: legal moves, termination, goals, fluents and what each role
//! perceives.

use gdl_compiler::{
    Diagnostics, Levels, Options, Rules, Source, check::check, compile, eval::Evaluator, syntax::parse,
};
use gdl_games::{Entry, LIST, Visitor, compiled, visit};
use gdl_runtime::{
    Dynamic, Game, GameExt, Loader, Playouts,
    bits::BitBox,
    chance::Stream,
    dynamic::MoveId,
    engine::{EngineKind, playable},
    game::Perception,
    playouts::PlayoutMode,
};
use gdl_tests::{
    comparison::{by_events, lenient},
    threads,
};
use std::thread;

/// Steps compared on each game and engine; the oracle is slow.
const STEPS: usize = 150;

pub(crate) fn rules(text: &str) -> Rules {
    let source = Source::new("game.kif", text);
    let options = Options::default();
    let mut diagnostics = Diagnostics::new(Levels::default());
    let tree = parse(&source, &options, &mut diagnostics);
    check(&tree, &source, &options, &mut diagnostics).expect("built-in rulesheets have no faults")
}

/// Plays `game` and the oracle at random and compares all views.
fn agree<G: Game>(name: &str, game: &G, rules: &Rules) {
    let oracle = Evaluator::new(rules).expect("the oracle can evaluate a built-in game");
    let roles: Vec<String> = oracle.roles().iter().map(|role| role.as_str().to_owned()).collect();
    let texts = |terms: Vec<gdl_compiler::eval::Term>| -> Vec<String> {
        terms.into_iter().map(|term| term.as_str().to_owned()).collect()
    };
    assert_eq!(
        game.roles().map(|r| game.role_text(r).to_owned()).collect::<Vec<_>>(),
        roles,
        "{name}: roles"
    );
    let mut random = Stream::new(1, 0);
    let (mut state, mut expected) = (game.initial(), oracle.initial().expect("initial"));
    for step in 0..STEPS {
        let context = format!("{name}, step {step}: {}", game.state_text(&state));
        let fluents: Vec<String> = game.fluents(&state).map(|f| game.fluent_text(f).to_owned()).collect();
        let mut held: Vec<String> = expected.iter().map(|term| term.as_str().to_owned()).collect();
        held.sort();
        assert_eq!(fluents, held, "{context}: fluents");
        let terminal = oracle.terminal(&expected).expect("terminal");
        assert_eq!(game.is_terminal(&state), terminal, "{context}: terminal");
        let mut joint = Vec::new();
        for (number, role) in game.roles().enumerate() {
            let mut goals: Vec<u8> = texts(oracle.goals(&expected, number).expect("goals"))
                .iter()
                .map(|value| value.parse().expect("goal values are numbers"))
                .collect();
            goals.sort_unstable();
            assert_eq!(game.goals(&state, role), goals, "{context}: goals of {}", roles[number]);
            let legal: Vec<G::Move> = game.legal_moves(&state, role).collect();
            let names: Vec<String> = legal.iter().map(|&m| game.move_text(m).to_owned()).collect();
            let moves = texts(oracle.legal(&expected, number).expect("legal"));
            assert_eq!(names, moves, "{context}: legal moves of {}", roles[number]);
            if !terminal {
                joint.push(legal[random.below(legal.len() as u64) as usize]);
            }
        }
        if terminal {
            (state, expected) = (game.initial(), oracle.initial().expect("initial"));
            continue;
        }
        let made: Vec<_> =
            joint.iter().map(|&m| oracle.term(game.move_text(m)).expect("a known move")).collect();
        for (number, role) in game.roles().enumerate() {
            let perceived = match game.perception(&state, &joint, role) {
                Perception::Percepts(percepts) => {
                    percepts.iter().map(|&p| game.percept_text(p).to_owned()).collect()
                }
                Perception::Joint(seen) => {
                    assert_eq!(*seen, *joint, "{context}: what {} perceives", roles[number]);
                    Vec::new()
                }
            };
            let percepts = texts(oracle.percepts(&expected, &made, number).expect("percepts"));
            assert_eq!(perceived, percepts, "{context}: percepts of {}", roles[number]);
        }
        expected = oracle.next(&expected, &made).expect("next");
        state = game.apply(&state, &joint).expect("the moves are legal");
    }
}

struct Agree;

impl Visitor for Agree {
    type Output = ();

    fn visit<G: Game<State: Copy, View: Copy> + Copy + 'static>(self, game: G, entry: &'static Entry) {
        agree(entry.name, &game, &rules(entry.text));
    }
}

/// By what a step is expected to take: of pig and kalah, large as their tables are, little is left
/// where cases are common; of amazons more is left than changes from state to state.
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
        let (name, rules) = (entry.name, rules(entry.text));
        let source = Source::new("game.kif", entry.text);
        let compilation = compile(&source, &lenient(&Options::default())).expect("built-in rulesheets load");
        let table = playable(&compilation, Some(EngineKind::Table)).expect("it is small enough");
        assert_eq!(table.engine(), "table");
        agree(name, &table, &rules);
        // Moves that are made often are made in a way of their own.
        let tally = |game: &Dynamic| {
            Playouts::new(game).engine(PlayoutMode::Single).threads(2).count(400).run().tally
        };
        let tallied = tally(&table);
        agree(name, &table, &rules);
        for (place, events) in by_events(&compilation).iter().enumerate() {
            assert_eq!(events.engine(), "events");
            let name = format!("{name}, events {place}");
            agree(&name, events, &rules);
            jump(&name, events, &table);
            assert!(tally(events) == tallied, "{name}: playouts of events and table");
        }
        name
    });
    assert!(compared.into_iter().eq(LIST.iter().map(|entry| entry.name)), "all games, in order");
}

/// Asks for what is seen of states, and for what follows from them, in an order that no play has,
/// in two threads at once.
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
        agree(entry.name, &game, &rules(entry.text));
        assert!(game.failed_evaluations().is_none(), "{}", entry.name);
    }
}
