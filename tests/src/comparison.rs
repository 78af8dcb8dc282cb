//! Comparison of engines that play one game at once: what all say of each state, or where they
//! differ.

use gdl_compiler::{
    Compilation, Levels, Options, Rules, Source, compile, diagnostic::codes, eval::EvalError,
    eval::Evaluator, eval::State, eval::Term,
};
use gdl_runtime::{
    Dynamic, Game, GameExt,
    bits::BitBox,
    chance::Stream,
    dynamic::{MoveId, RoleId},
    engine::{eventful, lift},
    game::Perception,
};

/// A state, as the oracle sees it.
#[derive(Debug, PartialEq)]
pub struct Position {
    /// The fluents that hold, sorted.
    pub fluents: Vec<String>,
    /// True if the game is over.
    pub terminal: bool,
    /// The legal moves of each role, sorted.
    pub legal: Vec<Vec<String>>,
    /// The goal values of each role, ascending.
    pub goals: Vec<Vec<u8>>,
    /// The joint move that was made, one move per role; empty where none was.
    pub joint: Vec<String>,
    /// The percepts that each role has of it, sorted.
    pub percepts: Vec<Vec<String>>,
}

/// The outcome of a rulesheet.
#[derive(Debug)]
pub enum Outcome {
    /// The compiler refuses it, with the code of the first error.
    Refused(&'static str),
    /// The oracle ran into a limit.
    TooMuch,
    /// The engines agree on these states, in the order of play. One without a joint move is
    /// followed by the initial one.
    Agreed(Vec<Position>),
}

/// Options with all lints allowed: they are about style, not meaning.
#[must_use]
pub fn lenient(options: &Options) -> Options {
    let allow = codes::ALL.iter().map(|code| code.id.to_owned()).collect();
    Options { levels: Levels { allow, ..Levels::default() }, ..options.clone() }
}

/// Plays `steps` random steps in the table engine, by events in all ways, in the lifted engine
/// and in `eval`.
///
/// # Panics
/// Panics if they differ.
#[must_use]
pub fn compare(text: &str, options: &Options, steps: usize) -> Outcome {
    let source = Source::new("generated.kif", text);
    let options = lenient(options);
    let compilation = match compile(&source, &options) {
        Ok(compilation) => compilation,
        Err(failure) => {
            let error = failure.diagnostics.iter().find(|d| d.severity == gdl_compiler::Severity::Error);
            return Outcome::Refused(error.expect("a refusal has a reason").code.id);
        }
    };
    let rules = &compilation.rules;
    let mut games = vec![Dynamic::decode(&compilation.table).expect("the table can be read")];
    games.extend(by_events(&compilation));
    match lift(rules, &options) {
        Ok(lifted) => {
            games.push(lifted);
            agree(text, &games, rules, &options, steps)
        }
        // Grounding takes what is denied as possible, so it finds fewer roles that can never move.
        Err(fault) if fault.code == &codes::MISSING_LEGAL_ONE_ROLE => {
            let outcome = agree(text, &games, rules, &options, steps);
            if let Outcome::Agreed(positions) = &outcome {
                let is_stuck = |position: &Position| position.legal.iter().any(Vec::is_empty);
                assert!(positions.iter().all(is_stuck), "{}\n{text}", fault.message);
            }
            outcome
        }
        Err(fault) => panic!("{}\n{text}", fault.message),
    }
}

/// The games by events of a compilation: of gates that count in the net before optimising, in the
/// optimised one and, if there are any, in those of phases, and of gates that watch.
///
/// # Panics
/// Panics if one of the nets takes too much memory.
#[must_use]
pub fn by_events(compilation: &Compilation) -> Vec<Dynamic> {
    let games: Vec<Dynamic> = eventful(compilation).collect();
    assert_eq!(games.len(), 3 + usize::from(compilation.phases.is_some()), "the nets are small");
    games
}

/// Plays `steps` random steps in some games of the same rules and in `eval`. A lifted game that has
/// come to a limit shows nothing any more, and is not compared from there on.
///
/// # Panics
/// Panics if they differ.
#[must_use]
pub fn agree(text: &str, games: &[Dynamic], rules: &Rules, options: &Options, steps: usize) -> Outcome {
    match play(text, games, rules, options, steps) {
        Ok(positions) => Outcome::Agreed(positions),
        Err(
            EvalError::Fuel { .. }
            | EvalError::TermDepth { .. }
            | EvalError::TermSize { .. }
            | EvalError::Atoms { .. },
        ) => Outcome::TooMuch,
        Err(error) => panic!("the compiler accepts what the oracle does not: {error}\n{text}"),
    }
}

fn play(
    text: &str,
    games: &[Dynamic],
    rules: &Rules,
    options: &Options,
    steps: usize,
) -> Result<Vec<Position>, EvalError> {
    let oracle = Evaluator::with_limits(rules, &options.limits)?;
    let roles = oracle.roles().len();
    for game in games {
        let names = game.roles().map(|role| game.role_text(role));
        assert!(oracle.roles().iter().map(Term::as_str).eq(names), "roles");
    }
    let start = || games.iter().map(Dynamic::initial).collect::<Vec<_>>();
    let mut random = Stream::new(1, 0);
    let mut positions = Vec::new();
    let (mut states, mut expected) = (start(), oracle.initial()?);
    for step in 0..=steps {
        let mut position = match position(&oracle, &expected) {
            Err(EvalError::Unstratified { .. })
                if all_give_up(games, &states, |game, state| drop(seen(game, state))) =>
            {
                return Ok(positions);
            }
            position => position?,
        };
        for (game, state) in games.iter().zip(&states) {
            let engine = game.engine();
            let seen = seen(game, state);
            if has_given_up(game) {
                continue;
            }
            assert_eq!(seen, position, "{engine} (left) and oracle (right) differ at step {step} of\n{text}");
        }
        let mobile = position.legal.iter().all(|moves| !moves.is_empty());
        if step == steps || position.terminal || !mobile {
            positions.push(position);
            (states, expected) = (start(), oracle.initial()?);
            continue;
        }
        for moves in &position.legal {
            position.joint.push(moves[random.below(moves.len() as u64) as usize].clone());
        }
        let made = position.joint.iter();
        let moves = made.clone().map(|action| oracle.term(action)).collect::<Result<Vec<_>, _>>()?;
        let known = |game: &Dynamic| -> Vec<_> {
            made.clone().map(|action| game.parse_move(action).expect("a known move")).collect()
        };
        let advance = |game: &Dynamic, state: &BitBox| {
            let moves = known(game);
            let perceived: Vec<_> = game.roles().map(|role| perceived(game, state, &moves, role)).collect();
            (perceived, game.apply(state, &moves))
        };
        let percepts = |role| Ok(texts(oracle.percepts(&expected, &moves, role)?));
        let told = (0..roles).map(percepts).collect::<Result<Vec<_>, _>>();
        (position.percepts, expected) =
            match told.and_then(|told| Ok((told, oracle.next(&expected, &moves)?))) {
                Err(EvalError::Unstratified { .. })
                    if all_give_up(games, &states, |game, state| drop(advance(game, state))) =>
                {
                    return Ok(positions);
                }
                told => told?,
            };
        for (game, state) in games.iter().zip(&mut states) {
            let (perceived, next) = advance(game, state);
            if has_given_up(game) {
                continue;
            }
            let engine = game.engine();
            assert_eq!(
                perceived, position.percepts,
                "{engine} (left) and oracle (right) differ at step {step} of\n{text}"
            );
            *state = next.expect("the moves are legal");
        }
        positions.push(position);
    }
    Ok(positions)
}

/// Returns whether all games come to a limit where the rules leave something open, when something
/// is asked of them.
fn all_give_up(games: &[Dynamic], states: &[BitBox], ask: impl Fn(&Dynamic, &BitBox)) -> bool {
    games.iter().zip(states).for_each(|(game, state)| ask(game, state));
    games.iter().all(has_given_up)
}

fn has_given_up(game: &Dynamic) -> bool {
    game.failed_evaluations().is_some()
}

fn texts(terms: impl IntoIterator<Item = Term>) -> Vec<String> {
    let mut texts: Vec<String> = terms.into_iter().map(|term| term.as_str().to_owned()).collect();
    texts.sort();
    texts
}

fn position(oracle: &Evaluator<'_>, state: &State) -> Result<Position, EvalError> {
    let roles = 0..oracle.roles().len();
    // No engine has a value that is no number.
    let value = |goal: &String| goal.parse().unwrap_or(u8::MAX);
    let goals = roles.clone().map(|role| {
        let mut values: Vec<u8> = texts(oracle.goals(state, role)?).iter().map(value).collect();
        values.sort_unstable();
        values.dedup();
        Ok(values)
    });
    Ok(Position {
        fluents: texts(state.iter().cloned()),
        terminal: oracle.terminal(state)?,
        goals: goals.collect::<Result<_, _>>()?,
        legal: roles.map(|role| Ok(texts(oracle.legal(state, role)?))).collect::<Result<_, _>>()?,
        joint: Vec::new(),
        percepts: Vec::new(),
    })
}

fn seen(game: &Dynamic, state: &BitBox) -> Position {
    let moves =
        |role| game.legal_moves(state, role).map(|action| game.move_text(action).to_owned()).collect();
    Position {
        fluents: game.fluents(state).map(|fluent| game.fluent_text(fluent).to_owned()).collect(),
        terminal: game.is_terminal(state),
        goals: game.roles().map(|role| game.goals(state, role)).collect(),
        legal: game.roles().map(moves).collect(),
        joint: Vec::new(),
        percepts: Vec::new(),
    }
}

fn perceived(game: &Dynamic, state: &BitBox, joint: &[MoveId], role: RoleId) -> Vec<String> {
    match game.perception(state, joint, role) {
        Perception::Percepts(all) => all.iter().map(|&p| game.percept_text(p).to_owned()).collect(),
        // The rules say nothing of percepts.
        Perception::Joint(_) => Vec::new(),
    }
}
