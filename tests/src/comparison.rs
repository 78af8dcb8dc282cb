//! Comparison of engines that play one game: everything observable in each state, or the first
//! difference.
//!
//! A random game is recorded by a [`Semantics`], which is the oracle unless it rejects the
//! rulesheet or exceeds its limits. Every engine then follows the game. The compiler's evaluator
//! records the same game, and is compared too.

use gdl_compiler::{
    Compilation, Levels, Options, Rules, Source, Syntax, compile, diagnostic::codes, eval::EvalError,
    eval::Evaluator, eval::Term,
};
use gdl_oracle::{Error, Oracle, Settings, State};
use gdl_runtime::{
    Dynamic, Game, GameExt,
    chance::Stream,
    engine::{eventful, lift},
    game::Perception,
};

/// A state, and the joint move made in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Position {
    /// The fluents that hold, sorted.
    pub fluents: Vec<String>,
    /// True if the game is over.
    pub terminal: bool,
    /// The legal moves of each role, sorted.
    pub legal: Vec<Vec<String>>,
    /// The goal values of each role, ascending.
    pub goals: Vec<Vec<u8>>,
    /// The joint move, one move for each role; empty if none was made.
    pub joint: Vec<String>,
    /// The percepts of each role after the joint move, sorted.
    pub percepts: Vec<Vec<String>>,
}

/// A semantics of a rulesheet, state by state.
pub trait Semantics {
    /// The roles, in the order of the text.
    fn roles(&self) -> Vec<String>;

    /// The initial state.
    ///
    /// # Errors
    /// Returns an error if a limit is exceeded or an atom depends on its own negation.
    fn initial(&self) -> Result<State, Error>;

    /// Returns the observation of a state with the joint move that `choose` returns, and the
    /// successor state. The successor is `None` if `choose` returns no moves.
    ///
    /// # Errors
    /// As for [`Semantics::initial`].
    fn step(
        &self,
        state: &State,
        choose: &mut dyn FnMut(&Position) -> Vec<String>,
    ) -> Result<(Position, Option<State>), Error>;
}

impl Semantics for Oracle {
    fn roles(&self) -> Vec<String> {
        self.roles().to_vec()
    }

    fn initial(&self) -> Result<State, Error> {
        Ok(self.initial().clone())
    }

    fn step(
        &self,
        state: &State,
        choose: &mut dyn FnMut(&Position) -> Vec<String>,
    ) -> Result<(Position, Option<State>), Error> {
        let (known, roles) = (self.position(state)?, 0..self.roles().len());
        let mut position = Position {
            fluents: state.iter().cloned().collect(),
            terminal: known.is_terminal(),
            legal: roles.clone().map(|role| known.legal(role)).collect(),
            goals: roles.map(|role| values(&known.goals(role))).collect(),
            ..Position::default()
        };
        position.joint = choose(&position);
        if position.joint.is_empty() {
            return Ok((position, None));
        }
        let (next, percepts) = known.next(&position.joint)?;
        Ok((Position { percepts, ..position }, Some(next)))
    }
}

impl Semantics for Evaluator<'_> {
    fn roles(&self) -> Vec<String> {
        self.roles().iter().map(Term::to_string).collect()
    }

    fn initial(&self) -> Result<State, Error> {
        Ok(self.initial().map_err(reason)?.iter().map(Term::to_string).collect())
    }

    fn step(
        &self,
        state: &State,
        choose: &mut dyn FnMut(&Position) -> Vec<String>,
    ) -> Result<(Position, Option<State>), Error> {
        let known = state.iter().map(|text| self.term(text)).collect::<Result<_, _>>().map_err(reason)?;
        let legal = |role| Ok(texts(&self.legal(&known, role).map_err(reason)?));
        let goals = |role| Ok(values(&texts(&self.goals(&known, role).map_err(reason)?)));
        let roles = 0..self.roles().len();
        let mut position = Position {
            fluents: state.iter().cloned().collect(),
            terminal: self.terminal(&known).map_err(reason)?,
            legal: roles.clone().map(legal).collect::<Result<_, Error>>()?,
            goals: roles.clone().map(goals).collect::<Result<_, Error>>()?,
            ..Position::default()
        };
        position.joint = choose(&position);
        if position.joint.is_empty() {
            return Ok((position, None));
        }
        let joint = position.joint.iter().map(|text| self.term(text));
        let joint = joint.collect::<Result<Vec<_>, _>>().map_err(reason)?;
        let percepts = roles.map(|role| Ok(texts(&self.percepts(&known, &joint, role).map_err(reason)?)));
        position.percepts = percepts.collect::<Result<_, Error>>()?;
        let next = self.next(&known, &joint).map_err(reason)?;
        Ok((position, Some(next.iter().map(Term::to_string).collect())))
    }
}

fn reason(error: EvalError) -> Error {
    match error {
        EvalError::Fuel { .. }
        | EvalError::TermDepth { .. }
        | EvalError::TermSize { .. }
        | EvalError::Atoms { .. } => Error::TooMuch,
        EvalError::Unstratified { .. } => Error::Unstratified,
        error => Error::Refused(error.to_string()),
    }
}

fn texts(terms: &[Term]) -> Vec<String> {
    let mut texts: Vec<String> = terms.iter().map(Term::to_string).collect();
    texts.sort_unstable();
    texts
}

/// Parses goal values. Text that is not a number becomes 255, which no engine has.
fn values(texts: &[String]) -> Vec<u8> {
    let mut values: Vec<u8> = texts.iter().map(|text| text.parse().unwrap_or(u8::MAX)).collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// States of random games. After a position without a joint move, the next game begins.
pub struct Record {
    /// The roles, in the order of the text.
    pub roles: Vec<String>,
    /// The states, in the order of play.
    pub positions: Vec<Position>,
    /// The error that ended the last game, if there was one.
    pub end: Option<Error>,
}

impl Record {
    /// Records `steps` random steps. Equal legal moves give equal draws with every semantics.
    #[must_use]
    pub fn new(semantics: &impl Semantics, steps: usize) -> Self {
        let mut record = Self { roles: semantics.roles(), positions: Vec::new(), end: None };
        record.end = record.play(semantics, steps).err();
        record
    }

    fn play(&mut self, semantics: &impl Semantics, steps: usize) -> Result<(), Error> {
        let mut random = Stream::new(1, 0);
        let mut state = semantics.initial()?;
        for step in 0..=steps {
            let mut draw = |position: &Position| {
                if step == steps || position.terminal || position.legal.iter().any(Vec::is_empty) {
                    return Vec::new();
                }
                let draw = |moves: &Vec<String>| moves[random.below(moves.len() as u64) as usize].clone();
                position.legal.iter().map(draw).collect()
            };
            let (position, next) = semantics.step(&state, &mut draw)?;
            self.positions.push(position);
            state = next.map_or_else(|| semantics.initial(), Ok)?;
        }
        Ok(())
    }

    /// Follows the games in an engine and compares every observation. Returns the last state, or
    /// `None` if the engine failed before it.
    ///
    /// # Panics
    /// Panics if they differ.
    pub fn follow<G: Game>(
        &self,
        name: &str,
        game: &G,
        has_given_up: impl Fn(&G) -> bool,
    ) -> Option<G::State> {
        // Without a state there is nothing to compare, and the roles may be unknown.
        if !self.positions.is_empty() {
            let roles: Vec<&str> = game.roles().map(|role| game.role_text(role)).collect();
            assert_eq!(roles, self.roles, "roles of {name}");
        }
        let mut state = game.initial();
        for (step, position) in self.positions.iter().enumerate() {
            let mut found = seen(game, &state);
            if has_given_up(game) {
                return None;
            }
            found.joint.clone_from(&position.joint);
            let mut next = None;
            if !position.joint.is_empty() {
                let made = game.roles().zip(&position.joint).map(|(role, made)| {
                    let mut legal = game.legal_moves(&state, role);
                    legal.find(|&action| game.move_text(action) == made)
                });
                if let Some(joint) = made.collect::<Option<Vec<_>>>() {
                    found.percepts = perceived(game, &state, &joint);
                    next = Some(game.apply(&state, &joint));
                }
                if has_given_up(game) {
                    return None;
                }
            }
            assert_eq!(found, *position, "{name} (left) and record (right) differ at step {step}");
            state = next.map_or_else(|| game.initial(), |next| next.expect("the moves are legal"));
        }
        Some(state)
    }
}

fn seen<G: Game>(game: &G, state: &G::State) -> Position {
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

/// The percepts of each role.
fn perceived<G: Game>(game: &G, state: &G::State, joint: &[G::Move]) -> Vec<Vec<String>> {
    let perceive = |role| match game.perception(state, joint, role) {
        Perception::Percepts(all) => all.iter().map(|&p| game.percept_text(p).to_owned()).collect(),
        // The rules define no percepts.
        Perception::Joint(seen) => {
            assert_eq!(*seen, *joint, "the joint move is perceived");
            Vec::new()
        }
    };
    game.roles().map(perceive).collect()
}

/// The outcome of comparing engines on a rulesheet.
#[derive(Debug)]
pub enum Outcome {
    /// The compiler rejected it, with the code of the first error.
    Refused(&'static str),
    /// The oracle and the evaluator exceeded a limit.
    TooMuch,
    /// The states on which the engines agree, in the order of play. After a position without a
    /// joint move, the next game begins.
    Agreed(Vec<Position>),
}

/// The options with all lints allowed, since lints concern style and not meaning.
#[must_use]
pub fn lenient(options: &Options) -> Options {
    let allow = codes::ALL.iter().map(|code| code.id.to_owned()).collect();
    Options { levels: Levels { allow, ..Levels::default() }, ..options.clone() }
}

/// The oracle of a rulesheet, with limits for tests of many rulesheets.
///
/// # Errors
/// Returns an error if the oracle rejects the rulesheet, or a limit is exceeded.
pub fn oracle(text: &str, options: &Options) -> Result<Oracle, Error> {
    let case_sensitive = options.case_sensitive;
    if Syntax::of(text) != Syntax::Kif {
        return Err(Error::Refused("it is not written in KIF".to_owned()));
    }
    Oracle::new(text, &Settings { case_sensitive, max_steps: 3_000_000, max_symbols: 200_000 })
}

/// Plays `steps` random steps in the table engine, in all event engines, in the lifted engine, in
/// the evaluator and in the oracle.
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
        // Grounding ignores negations in derivability, so it finds fewer roles that can never move.
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

/// The event engines of a compilation. Those with counting gates run the net before optimising, the
/// optimised net and, if there are any, the nets of phases. The last engine has watching gates.
///
/// # Panics
/// Panics if one of the nets exceeds its memory.
#[must_use]
pub fn by_events(compilation: &Compilation) -> Vec<Dynamic> {
    let games: Vec<Dynamic> = eventful(compilation).collect();
    assert_eq!(games.len(), 3 + usize::from(compilation.phases.is_some()), "the nets are small");
    games
}

/// Follows `steps` random steps of the oracle in `games` of the same rules and in the evaluator. If
/// the oracle rejects the rulesheet or exceeds its limits, the evaluator's steps are followed
/// instead. A lifted game is compared until it exceeds a limit.
///
/// # Panics
/// Panics if they differ.
#[must_use]
pub fn agree(text: &str, games: &[Dynamic], rules: &Rules, options: &Options, steps: usize) -> Outcome {
    let evaluated = match Evaluator::with_limits(rules, &options.limits) {
        Ok(evaluator) => Record::new(&evaluator, steps),
        Err(error) => Record { roles: Vec::new(), positions: Vec::new(), end: Some(reason(error)) },
    };
    let known = oracle(text, options).map(|oracle| Record::new(&oracle, steps));
    if let Ok(record) = &known {
        let both = record.positions.iter().zip(&evaluated.positions);
        both.enumerate().for_each(|(step, (oracle, evaluator))| {
            assert_eq!(
                evaluator, oracle,
                "evaluator (left) and oracle (right) differ at step {step} of\n{text}"
            );
        });
    }
    let is_better = |record: &Record| !matches!(record.end, Some(Error::Refused(_) | Error::TooMuch));
    let record = known.ok().filter(is_better).unwrap_or(evaluated);
    let follow =
        |game: &Dynamic| record.follow(&format!("{} of\n{text}\n", game.engine()), game, has_given_up);
    let ends: Vec<_> = games.iter().map(follow).collect();
    match record.end {
        None => {}
        Some(Error::TooMuch) => return Outcome::TooMuch,
        Some(Error::Refused(reason)) => {
            panic!("the compiler accepts what the evaluator does not: {reason}\n{text}")
        }
        // All games exceed a limit too, in the next state or in its successors.
        Some(Error::Unstratified) => {
            for (game, state) in games.iter().zip(&ends) {
                let Some(state) = state else { continue };
                drop(seen(game, state));
                let first = |role| game.legal_moves(state, role).next();
                if let Some(joint) = game.roles().map(first).collect::<Option<Vec<_>>>() {
                    drop(perceived(game, state, &joint));
                    drop(game.apply(state, &joint));
                }
                assert!(has_given_up(game), "the compiler accepts what depends on its own negation:\n{text}");
            }
        }
    }
    Outcome::Agreed(record.positions)
}

fn has_given_up(game: &Dynamic) -> bool {
    game.failed_evaluations().is_some()
}
