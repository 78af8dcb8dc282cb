//! A naive implementation of the semantics of the Game Description Language, for tests to compare
//! with.
//!
//! An [`Oracle`] reads a rulesheet in KIF. For any state it returns the legal moves, the successor
//! state, the percepts, the goal values, and whether the game is over. It shares no code with this
//! project's compiler and engines: no planner, no deltas, no demand, no cuts, no indexes.
//!
//! # Semantics
//!
//! The facts of a state are its fluents as `true`, the joint move as `does`, and all that the rules
//! derive from these. Relations that depend on each other form a stratum. Strata are evaluated in
//! the order of dependence, each by naive iteration:
//!
//! ```text
//! repeat:  for each rule of the stratum, for each way to satisfy its body:  add the head
//! until nothing is new
//! ```
//!
//! A positive literal tries every fact of its relation. Negations and `distinct` are decided once
//! their variables are bound. Other literals are tried in the order of the text. A stratum that
//! depends negatively on itself has its well-founded model, by the alternating fixpoint; an atom
//! that is neither true nor false there is an error.
//!
//! # Limits
//!
//! [`Settings`] bound the steps of one query and the symbols of derived facts, so every query
//! terminates. Infix syntax and rules with unbound variables are rejected.

mod kif;
mod model;
mod rules;

use model::{Facts, Program};
use rules::{Names, Rulesheet, Term};
use std::{collections::BTreeSet, fmt, rc::Rc};

/// The fluents that hold, as KIF with one blank between words.
pub type State = BTreeSet<String>;

/// The reason why a query has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The text is not a rulesheet, or breaks a restriction of the language.
    Refused(String),
    /// An atom depends on its own negation.
    Unstratified,
    /// The steps, the symbols or the depth of a term exceed the limits.
    TooMuch,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(reason) => write!(f, "refused: {reason}"),
            Self::Unstratified => f.write_str("an atom depends on its own negation"),
            Self::TooMuch => f.write_str("the evaluation exceeds its limits"),
        }
    }
}

impl std::error::Error for Error {}

/// The case sensitivity of a rulesheet and the limits of a query.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Treat symbols that differ in case alone as different ones.
    pub case_sensitive: bool,
    /// The most comparisons of literals with facts, plus symbols of derived facts, of one query.
    pub max_steps: u64,
    /// The maximum number of symbols of the facts that one query derives.
    pub max_symbols: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { case_sensitive: false, max_steps: 1 << 28, max_symbols: 5_000_000 }
    }
}

/// A rulesheet that can be queried in any state.
pub struct Oracle {
    names: Names,
    keywords: rules::Keywords,
    program: Program,
    settings: Settings,
    roles: Vec<Term>,
    role_texts: Vec<String>,
    /// The facts that depend on neither the state nor the moves.
    facts: Facts,
    initial: State,
}

impl Oracle {
    /// Reads a rulesheet in KIF.
    ///
    /// # Errors
    /// Returns an error if the text breaks a restriction of the language, or an answer exceeds the
    /// limits.
    pub fn new(text: &str, settings: &Settings) -> Result<Self, Error> {
        let Rulesheet { names, relations, keywords, roles, rules } =
            Rulesheet::read(text, settings.case_sensitive)?;
        let program = Program::new(rules, relations.len(), &keywords)?;
        let facts = program.evaluate(0, &vec![Rc::default(); relations.len()], settings)?;
        let initial = facts[keywords.init].iter().map(|row| names.text(&row[0])).collect();
        let role_texts = roles.iter().map(|role| names.text(role)).collect();
        Ok(Self { names, keywords, program, settings: settings.clone(), roles, role_texts, facts, initial })
    }

    /// The roles, in the order of the text.
    #[must_use]
    pub fn roles(&self) -> &[String] {
        &self.role_texts
    }

    /// The initial state.
    #[must_use]
    pub fn initial(&self) -> &State {
        &self.initial
    }

    /// Prepares a state for queries.
    ///
    /// # Errors
    /// Returns an error if a fluent is not a ground term of the game, or a query exceeds the
    /// limits.
    pub fn position(&self, state: &State) -> Result<Position<'_>, Error> {
        let fluents = state.iter().map(|text| Ok(vec![self.names.term(text)?]));
        let mut facts = self.facts.clone();
        facts[self.keywords.fact] = Rc::new(fluents.collect::<Result<_, Error>>()?);
        Ok(Position { oracle: self, facts: self.program.evaluate(1, &facts, &self.settings)? })
    }
}

/// A state and the facts derived from it.
pub struct Position<'o> {
    oracle: &'o Oracle,
    facts: Facts,
}

impl Position<'_> {
    /// The legal moves of a role, sorted.
    #[must_use]
    pub fn legal(&self, role: usize) -> Vec<String> {
        self.oracle.of_role(&self.facts, self.oracle.keywords.legal, role)
    }

    /// The goal values of a role, sorted as texts.
    #[must_use]
    pub fn goals(&self, role: usize) -> Vec<String> {
        self.oracle.of_role(&self.facts, self.oracle.keywords.goal, role)
    }

    /// True if the game is over.
    #[must_use]
    pub fn is_terminal(&self) -> bool {
        !self.facts[self.oracle.keywords.terminal].is_empty()
    }

    /// The successor state after a joint move, one move for each role, and each role's percepts.
    ///
    /// # Errors
    /// Returns an error if a move is not a ground term of the game, or a query exceeds the limits.
    pub fn next(&self, joint: &[String]) -> Result<(State, Vec<Vec<String>>), Error> {
        let Oracle { names, keywords, program, settings, roles, .. } = self.oracle;
        if joint.len() != roles.len() {
            return Err(Error::Refused(format!("{} moves for {} roles", joint.len(), roles.len())));
        }
        let moves = roles.iter().zip(joint).map(|(role, text)| Ok(vec![role.clone(), names.term(text)?]));
        let mut facts = self.facts.clone();
        facts[keywords.does] = Rc::new(moves.collect::<Result<_, Error>>()?);
        let facts = program.evaluate(2, &facts, settings)?;
        let state = facts[keywords.next].iter().map(|row| names.text(&row[0])).collect();
        let percepts = 0..roles.len();
        Ok((state, percepts.map(|role| self.oracle.of_role(&facts, keywords.sees, role)).collect()))
    }
}

impl Oracle {
    /// The second arguments of a relation's facts about a role, sorted as texts.
    fn of_role(&self, facts: &Facts, relation: usize, role: usize) -> Vec<String> {
        let rows = facts[relation].iter().filter(|row| row[0] == self.roles[role]);
        let mut texts: Vec<String> = rows.map(|row| self.names.text(&row[1])).collect();
        texts.sort_unstable();
        texts
    }
}
