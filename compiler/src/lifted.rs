//! Evaluation of each state directly from the rules, for rulesheets whose ground program is too
//! large: the engine `lifted`.
//!
//! A [`Lifted`] game is made of checked [`Rules`]. Like a table, it numbers fluents and moves, but
//! it evaluates the rules with their variables. Only the names are grounded: the possible fluents,
//! moves and percepts are found beforehand (`domain`).
//!
//! ```text
//! Rules --clause--> clauses --domain--> fluents, moves, percepts
//!                      |
//!                      `--survey, trial--> what is filled, what is called --plan--> code --machine--> views and states
//! ```
//!
//! Relations that depend on the rules alone are filled once. Relations that depend on the state are
//! filled again for each state. Components are filled one after the other, bottom-up and semi-naive
//! (`fixpoint`). A relation that would be too large, or is needed only in small part (`trial`), is
//! called instead of filled. A call has the known arguments, and its answers are stored
//! (`machine`). Plans are made once, for the sizes in some sample states (`survey`).
//!
//! The public rulesheet `laikLee_hex` shows the need. Its relation `connection` has the visited
//! cells as an ordered list among its arguments. The atoms that `terminal` reads are the simple
//! paths from one edge of a board of 25 hexagons. There are 207,802,892 in each colour (counted),
//! each with its own list, and any of these paths may be coloured. This engine follows only the
//! paths through cells of one colour.
//!
//! # Evaluations that fail
//! Grounding rejects a program in which atoms depend on their own negation. Lifted evaluation never
//! sees all atoms, so it checks each state. The evaluation fails if an atom is undefined in the
//! well-founded model of the rules in that state. In the initial state and in sample states, this
//! failure is a diagnostic, GDL091 or GDL092. In later states it is an [`Excess`]. An undefined
//! atom is never read as false.
//!
//! Evaluation also fails at goal values that are not integers from 0 to 255 (GDL082), and at
//! fluents and moves without a name. A name is missing if `base` or `input` was trusted and is
//! incomplete. It is also missing if terms grow as long as the game lasts and the search for names
//! ended after some steps. Thus a view is never incomplete.
//!
//! # Limits
//! [`Lifted::new`] takes at most [`Limits::fuel`] steps, and in addition a share of that number to
//! find names (`domain`) and to plan (`plan`). The tables of the rules alone, the names, the plans
//! and the indexes take at most a quarter of [`Limits::max_bytes`] each.
//!
//! An evaluation, which observes a state or makes one step, may take [`Limits::fuel`] divided by
//! [`FUEL_SHARE`] steps. It may take a quarter of [`Limits::max_bytes`], and another quarter for
//! views and indexes. Beyond that, it is abandoned with an [`Excess`]. The count of steps depends
//! on state and moves alone, not on earlier evaluations.

mod assembly;
mod clause;
mod code;
mod domain;
mod fixpoint;
mod machine;
mod memory;
mod plan;
mod program;
mod questions;
mod samples;
mod state;
mod survey;
mod table;
mod trial;

use crate::{
    Diagnostic, Limits, Options,
    datalog::terms::{Oversized, TermId},
    diagnostic::codes,
    observer::Progress,
    rules::{Formula, Keywords, RelationId, Rule, Rules, Term},
    vocabulary::{Numbers, Vocabulary},
};
use code::{LiftedCode, Phases};
use gdl_format::shape::Shape;
use memory::{Memory, bytes_of};
use program::Program;
use rustc_hash::FxHashMap;
use state::State;
use std::{collections::BTreeMap, fmt};
use table::{Store, TupleTable};

/// The share of [`Limits::fuel`] that one evaluation may take: one part in this number.
pub const FUEL_SHARE: u64 = 5;

/// The reason why an evaluation or its preparation was abandoned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    Fuel,
    Bytes,
    /// A term too deep or too large.
    Term,
    /// Steps nested beyond the maximum depth.
    Depth,
    /// Relations called with too many patterns of arguments.
    Procedures,
    /// More fluents than the limit.
    Fluents,
    /// Planning takes too many steps.
    Planning,
    /// A relation whose atoms depend on their own negation, so that some are neither true nor
    /// false.
    Undecided(usize),
    /// A role, by number, that can never move.
    NoMoves(usize),
    /// A fluent or move that the trusted relation of this name, `base` or `input`, does not
    /// declare.
    Undeclared(&'static str),
    /// A goal value that is not an integer from 0 to 255.
    NoValue,
    /// A fluent or move that first occurs after this number of steps and thus has no name.
    Beyond(usize),
    /// A variable that nothing binds before it is needed.
    Unsafe,
    /// The observer cancelled the evaluation after this progress.
    Cancelled(Progress),
}

impl From<Oversized> for Stop {
    fn from(_: Oversized) -> Self {
        Self::Term
    }
}

impl Stop {
    /// Returns true for an exceeded limit, which another way to evaluate may avoid.
    fn is_excess(self) -> bool {
        matches!(
            self,
            Self::Fuel
                | Self::Bytes
                | Self::Term
                | Self::Depth
                | Self::Procedures
                | Self::Fluents
                | Self::Planning
        )
    }

    /// Builds the diagnostic for rules whose preparation failed.
    fn diagnostic(self, rules: &Rules, limits: &Limits) -> Diagnostic {
        let name = |relation: usize| rules.relation_name(RelationId(relation as u32)).to_owned();
        let code = match self {
            Self::Cancelled(progress) => return progress.cancelled(),
            Self::Undecided(relation) => return undecided(rules, relation),
            Self::NoMoves(role) => return no_moves(rules, role),
            Self::NoValue => return no_value(rules),
            Self::Fuel | Self::Planning => &codes::OUT_OF_FUEL,
            Self::Term => &codes::BILLION_LAUGHS,
            Self::Fluents => &codes::EXPONENTIAL_COUNTER,
            Self::Unsafe => &codes::OR_EXPLOSION,
            Self::Bytes | Self::Depth | Self::Procedures | Self::Undeclared(_) | Self::Beyond(_) => {
                &codes::TOO_MANY_INSTANCES
            }
        };
        let excess = Excess::new(self, limits, limits.fuel, name);
        Diagnostic::new(code, None, format!("evaluating the rules state by state {excess}"))
            .help("bound the arguments of rules for `next` and `legal` by relations with fewer values")
    }
}

/// The diagnostic for a relation whose atoms depend on their own negation.
fn undecided(rules: &Rules, relation: usize) -> Diagnostic {
    /// Returns whether the relation occurs under a negation, counting `negative` as one.
    fn denies(formula: &Formula, relation: usize, negative: bool) -> bool {
        match formula {
            Formula::Not(inner) => denies(inner, relation, !negative),
            Formula::Or(branches) => branches.iter().any(|branch| denies(branch, relation, negative)),
            Formula::Atom(atom) => negative && atom.relation.index() == relation,
            Formula::Distinct(..) => false,
        }
    }
    let mut own = rules.rules.iter().filter(|rule| rule.head.relation.index() == relation);
    let direct = own.clone().find(|rule| rule.body.iter().any(|formula| denies(formula, relation, false)));
    let code = if direct.is_some() { &codes::UNSTRATIFIED_DIRECT } else { &codes::UNSTRATIFIED_CYCLE };
    let name = rules.relation_name(RelationId(relation as u32));
    let message =
        format!("`{name}` depends on its own negation, so the rules do not decide whether it holds");
    Diagnostic::new(code, direct.or_else(|| own.next()).map(|rule| rule.span), message)
        .help("use `true` facts in one of these rules: a relation may not depend on its own negation")
}

/// The diagnostic for a role that has no move in any state.
fn no_moves(rules: &Rules, role: usize) -> Diagnostic {
    let is_fact = |rule: &&Rule| rule.head.relation == rules.keywords.role;
    let role = rules.roles.get(role);
    let fact = rules.rules.iter().filter(is_fact).find(|rule| rule.head.arguments.first() == role);
    let name = fact.map_or_else(String::new, |fact| rules.display_term(fact, &fact.head.arguments[0]));
    let message = format!("role `{name}` has no legal move in any reachable state");
    Diagnostic::new(&codes::MISSING_LEGAL_ONE_ROLE, fact.map(|fact| fact.head.span), message)
        .help(format!("add a rule such as `(<= (legal {name} noop) ..)`"))
}

/// The diagnostic for a goal value that is not an integer from 0 to 255.
fn no_value(rules: &Rules) -> Diagnostic {
    let is_open = |rule: &&Rule| {
        rule.head.relation == rules.keywords.goal
            && matches!(rule.head.arguments.get(1), Some(Term::Variable(_)))
    };
    let rule = rules.rules.iter().find(is_open);
    let message = "the rules derive a goal value that is not an integer from 0 to 255";
    Diagnostic::new(&codes::GOAL_VARIABLE_NONINT, rule.map(|rule| rule.head.span), message)
        .help("bind the value by a relation that contains only numbers")
}

/// An evaluation that exceeds the limits, or for which the rules have no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excess(String);

impl fmt::Display for Excess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Excess {}

impl Excess {
    fn new(stop: Stop, limits: &Limits, fuel: u64, name: impl Fn(usize) -> String) -> Self {
        Self(match stop {
            Stop::Fuel => format!("takes more than {fuel} steps (`fuel`)"),
            Stop::Bytes => format!("takes more than {} bytes (a quarter of `max_bytes`)", bytes_of(limits)),
            Stop::Term => format!(
                "has a term beyond depth {} (`max_term_depth`) or {} symbols (`max_term_size`)",
                limits.max_term_depth, limits.max_term_size
            ),
            Stop::Depth => "nests rules too deep".to_owned(),
            Stop::Procedures => "calls relations with too many patterns of arguments".to_owned(),
            Stop::Planning => "has bodies with too many literals to order (`fuel`)".to_owned(),
            Stop::Fluents => format!("has more than {} fluents (`max_fluents`)", limits.max_fluents),
            Stop::Unsafe => "has an `or` whose branches bind too few variables".to_owned(),
            Stop::Cancelled(_) => "was cancelled".to_owned(),
            Stop::Undecided(relation) => {
                format!(
                    "does not decide whether `{}` holds, which depends on its own negation",
                    name(relation)
                )
            }
            Stop::NoMoves(_) => "has a role without moves".to_owned(),
            Stop::Undeclared(relation) => {
                format!("has a fluent or move that the rules for `{relation}` do not declare")
            }
            Stop::NoValue => "has a goal value that is not an integer from 0 to 255".to_owned(),
            Stop::Beyond(steps) => format!(
                "has fluents or moves that first occur after {steps} steps, and are too many to name (`max_fluents`, `fuel`)"
            ),
        })
    }
}

/// A game that is evaluated state by state. Threads may share it; each needs its own [`Scratch`].
pub struct Lifted {
    /// The names of roles, fluents, moves and percepts.
    pub vocabulary: Vocabulary,
    /// For each role, the moves that it may ever make, ascending.
    pub role_moves: Vec<Vec<u32>>,
    /// For each role, the goal values that it may ever have, ascending.
    pub role_goals: Vec<Vec<u8>>,
    /// For each role, the percepts that it may ever have, ascending; `None` without rules for
    /// `sees`.
    pub role_percepts: Option<Vec<Vec<u32>>>,
    /// The sizes of states and views.
    pub shape: Shape,
    initial: Vec<u64>,
    /// The moves that roles may ever make, as bits of a view.
    possible: Vec<u64>,
    /// The legal moves of every state, as bits of a view; `None` if they depend on the state or a
    /// legal move has no name.
    always: Option<Vec<u64>>,
    /// For each role, the index of its first goal value among those of all roles.
    goal_starts: Vec<usize>,
    /// The reasons to stop at a fluent without a name and at a move without a name.
    unnamed: [Stop; 2],
    /// The names of relations whose atoms may be undefined in a state.
    open_names: FxHashMap<usize, String>,
    relations: Relations,
    limits: Limits,
    names: TermNames,
    program: Program,
    code: LiftedCode,
    /// The tables that are the same in all states, and for each relation whether it has one.
    fixed: Store,
    is_fixed: Vec<bool>,
    /// The empty memory from which a scratch is copied.
    blank: Memory,
}

impl fmt::Debug for Lifted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lifted").field("shape", &self.shape).finish_non_exhaustive()
    }
}

/// The indices of the keyword relations.
#[derive(Clone, Copy, Debug)]
struct Relations {
    fact: usize,
    does: usize,
    next: usize,
    legal: usize,
    goal: usize,
    terminal: usize,
    sees: usize,
}

impl Relations {
    fn of(keywords: &Keywords) -> Self {
        let Keywords { fact, does, next, legal, goal, terminal, sees, .. } = *keywords;
        let [fact, does, next, legal, goal, terminal, sees] =
            [fact, does, next, legal, goal, terminal, sees].map(RelationId::index);
        Self { fact, does, next, legal, goal, terminal, sees }
    }
}

/// Terms of roles, fluents, moves and percepts by number, and their numbers by term.
#[derive(Debug, Default)]
struct TermNames {
    roles: Vec<TermId>,
    fluents: Vec<TermId>,
    moves: Vec<TermId>,
    percepts: Vec<TermId>,
    role_of: Numbers,
    fluent_of: Numbers,
    move_of: Numbers,
    percept_of: Numbers,
    /// The values of the terms that are goal values.
    goal_of: BTreeMap<TermId, u8>,
}

/// The memory of one thread's evaluations. It keeps the last observed state and its successor.
#[derive(Clone, Debug)]
pub struct Scratch {
    /// Boxed, since it is large and a scratch is passed on with each evaluation.
    memory: Box<Memory>,
    state: State,
    /// Another decoded state, usually the successor that the last step computed.
    next: State,
    /// The result of observing `state`; `None` before the first observation.
    seen: Option<Result<(), Stop>>,
    /// The result of filling the goals of `state`; `None` if they are not filled.
    scored: Option<Result<(), Stop>>,
    /// The numbers of terms and of subgoals after observing `state`. A step drops all later terms
    /// and subgoals.
    marks: (usize, usize),
    /// The number of steps taken so far, plus one for each relation of an observed state and each
    /// component filled after it.
    work: u64,
}

impl Scratch {
    /// The number of steps of all evaluations so far, plus one for each relation of an observed
    /// state and each component filled after it. The time of evaluations is estimated from this
    /// sum.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.work
    }
}

fn set(row: &mut [u64], bit: usize) {
    row[bit / 64] |= 1 << (bit % 64);
}

impl Lifted {
    /// Prepares rules for evaluation.
    ///
    /// # Errors
    /// Returns an error if the names cannot be found within the limits, or the initial state cannot
    /// be evaluated. Also if a role never has a move, or an atom depends on its own negation in the
    /// initial state or in a sample state.
    pub fn new(rules: &Rules, options: &Options) -> Result<Self, Box<Diagnostic>> {
        assembly::assemble(rules, options).map_err(|stop| Box::new(stop.diagnostic(rules, &options.limits)))
    }

    /// The words of the initial state.
    #[must_use]
    pub fn initial(&self) -> &[u64] {
        &self.initial
    }

    /// The approximate number of bytes of the tables that are the same in all states.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.fixed.bytes()
    }

    /// Creates the memory that a thread needs to evaluate.
    #[must_use]
    pub fn scratch(&self) -> Scratch {
        Scratch {
            memory: Box::new(self.blank.clone()),
            state: State::default(),
            next: State::default(),
            seen: None,
            scored: None,
            marks: (0, 0),
            work: 0,
        }
    }

    /// Replaces the limits of evaluations.
    #[must_use]
    pub fn with_limits(self, limits: &Limits) -> Self {
        Self { limits: limits.clone(), ..self }
    }

    /// Writes the view of `state` into `view`, in the layout of [`Shape`], and overwrites all of
    /// it.
    ///
    /// # Errors
    /// Returns an error and clears the view if evaluation exceeds the limits or the rules leave an
    /// atom undefined.
    ///
    /// # Panics
    /// Panics if a row is shorter than the shape's.
    pub fn observe(&self, scratch: &mut Scratch, state: &[u64], view: &mut [u64]) -> Result<(), Excess> {
        self.see(scratch, state, view, true)
    }

    /// Writes the view of `state` like [`Lifted::observe`], but without goals unless the state is
    /// terminal.
    ///
    /// # Errors
    /// As for [`Lifted::observe`].
    ///
    /// # Panics
    /// Panics if a row is shorter than the shape's.
    pub fn observe_without_goals(
        &self,
        scratch: &mut Scratch,
        state: &[u64],
        view: &mut [u64],
    ) -> Result<(), Excess> {
        self.see(scratch, state, view, false)
    }

    fn see(
        &self,
        scratch: &mut Scratch,
        state: &[u64],
        view: &mut [u64],
        with_goals: bool,
    ) -> Result<(), Excess> {
        view.fill(0);
        self.enter(scratch, state).map_err(|stop| self.excess(stop))?;
        let (names, shape, k) = (&self.names, self.shape, &self.relations);
        if let Some(always) = &self.always {
            view[..always.len()].copy_from_slice(always);
        } else if let Err(stop) = self.permit(self.pairs(scratch, k.legal), view) {
            return Err(self.emptied(view, stop));
        }
        let is_terminal = self.table(scratch, k.terminal).len() > 0;
        if is_terminal {
            set(view, shape.terminal_bit());
        }
        if !(is_terminal || with_goals) {
            return Ok(());
        }
        if let Err(stop) = self.score(scratch) {
            return Err(self.emptied(view, stop));
        }
        for (role, value) in self.pairs(scratch, k.goal) {
            if let Some(role) = names.role_of.of(role) {
                let value = names.goal_of.get(&value);
                let place = value.and_then(|value| self.role_goals[role].binary_search(value).ok());
                let Some(place) = place else { return Err(self.emptied(view, Stop::NoValue)) };
                set(view, shape.goal_bit() + self.goal_starts[role] + place);
            }
        }
        Ok(())
    }

    /// Replaces `state` by its successor when each role makes its move of `joint`. If a number of
    /// `joint` is not a move, its role makes no move.
    ///
    /// # Errors
    /// Returns an error and keeps the state if evaluation exceeds the limits or the rules leave an
    /// atom undefined.
    ///
    /// # Panics
    /// Panics if the row is shorter than the shape's.
    pub fn advance(&self, scratch: &mut Scratch, state: &mut [u64], joint: &[u32]) -> Result<(), Excess> {
        self.step(scratch, state, joint, &self.code.phases.advance).map_err(|stop| self.excess(stop))?;
        let next = self.table(scratch, self.relations.next);
        let fluents: Option<Vec<u32>> = (0..next.len())
            .map(|i| self.names.fluent_of.of(next.tuple(i)[0]).map(|fluent| fluent as u32))
            .collect();
        let fluents = fluents.ok_or_else(|| self.excess(self.unnamed[0]))?;
        scratch.next.set(state.len(), fluents);
        scratch.state.change(state, &scratch.next);
        Ok(())
    }

    /// Writes the percepts of all roles into a row and overwrites all of it. The roles make the
    /// moves of `joint` in `state`.
    ///
    /// # Errors
    /// Returns an error and clears the row if evaluation exceeds the limits or the rules leave an
    /// atom undefined.
    ///
    /// # Panics
    /// Panics if a row is shorter than the shape's.
    pub fn perceive(
        &self,
        scratch: &mut Scratch,
        state: &[u64],
        joint: &[u32],
        percepts: &mut [u64],
    ) -> Result<(), Excess> {
        percepts.fill(0);
        if self.role_percepts.is_none() {
            return Ok(());
        }
        self.step(scratch, state, joint, &self.code.phases.perceive).map_err(|stop| self.excess(stop))?;
        for (role, percept) in self.pairs(scratch, self.relations.sees) {
            if let Some(role) = self.names.role_of.of(role)
                && let Some(percept) = self.names.percept_of.of(percept)
            {
                set(percepts, self.shape.percept_bit(role, percept));
            }
        }
        Ok(())
    }

    /// Sets the bits of legal moves in a view. Stops at a move without a name.
    fn permit(&self, legal: impl Iterator<Item = (TermId, TermId)>, view: &mut [u64]) -> Result<(), Stop> {
        for (role, action) in legal {
            if let Some(role) = self.names.role_of.of(role) {
                let bit = self.names.move_of.of(action).map(|action| self.shape.legal_bit(role, action));
                let Some(bit) = bit.filter(|bit| self.possible[bit / 64] >> (bit % 64) & 1 == 1) else {
                    return Err(self.unnamed[1]);
                };
                set(view, bit);
            }
        }
        Ok(())
    }

    /// Computes `possible` and `always`, once the moves have their numbers.
    fn number_moves(mut self) -> Self {
        let bits = self
            .role_moves
            .iter()
            .enumerate()
            .flat_map(|(role, list)| list.iter().map(move |&action| (role, action as usize)));
        let mut possible = vec![0; self.shape.roles * self.shape.legal_words()];
        bits.for_each(|(role, action)| set(&mut possible, self.shape.legal_bit(role, action)));
        self.possible = possible;
        let legal = self.relations.legal;
        self.always = None;
        if self.is_fixed[legal] {
            let table = &self.fixed.tables[legal];
            let pairs = (0..table.len()).map(|i| (table.tuple(i)[0], table.tuple(i)[1]));
            let mut always = vec![0; self.possible.len()];
            self.always = self.permit(pairs, &mut always).is_ok().then_some(always);
        }
        self
    }

    /// Clears a row that could not be completed and returns the error.
    fn emptied(&self, row: &mut [u64], stop: Stop) -> Excess {
        row.fill(0);
        self.excess(stop)
    }

    fn excess(&self, stop: Stop) -> Excess {
        let name = |relation: usize| self.open_names.get(&relation).cloned().unwrap_or_default();
        Excess::new(stop, &self.limits, self.fuel(), name)
    }

    /// The number of steps that one evaluation may take.
    fn fuel(&self) -> u64 {
        self.limits.fuel / FUEL_SHARE
    }

    fn table<'t>(&'t self, scratch: &'t Scratch, relation: usize) -> &'t TupleTable {
        let store = if self.is_fixed[relation] { &self.fixed } else { &scratch.memory.store };
        &store.tables[relation]
    }

    fn pairs<'t>(
        &'t self,
        scratch: &'t Scratch,
        relation: usize,
    ) -> impl Iterator<Item = (TermId, TermId)> + 't {
        let table = self.table(scratch, relation);
        (0..table.len()).map(|i| (table.tuple(i)[0], table.tuple(i)[1]))
    }

    /// Makes `state` the current state, and fills the relations that observing it needs. If `state`
    /// is the current state already, returns the earlier result.
    fn enter(&self, scratch: &mut Scratch, state: &[u64]) -> Result<(), Stop> {
        if let Some(seen) = scratch.seen
            && scratch.state.is(state)
        {
            return seen;
        }
        if scratch.next.is(state) {
            std::mem::swap(&mut scratch.state, &mut scratch.next);
        } else {
            scratch.state.read(state);
        }
        let memory = &mut scratch.memory;
        memory.questions.truncate(0);
        memory.terms.forget();
        (0..self.is_fixed.len()).for_each(|relation| memory.store.clear(relation));
        let facts = &mut memory.store.tables[self.relations.fact];
        for &fluent in scratch.state.fluents() {
            if let Some(&term) = self.names.fluents.get(fluent as usize) {
                facts.insert(&[term]);
            }
        }
        memory.refuel(self.fuel(), bytes_of(&self.limits));
        let seen = self.fill(memory, &self.code.phases.observe);
        scratch.work += self.is_fixed.len() as u64 + self.fuel() - memory.fuel();
        scratch.marks = (memory.terms.len(), memory.questions.len());
        (scratch.seen, scratch.scored) = (Some(seen), None);
        seen
    }

    /// Fills the goals of the current state, unless they are filled.
    fn score(&self, scratch: &mut Scratch) -> Result<(), Stop> {
        if let Some(scored) = scratch.scored {
            return scored;
        }
        let scored = self.fill_besides(scratch, &self.code.phases.score);
        scratch.scored = Some(scored);
        scored
    }

    /// Enters a state and a joint move, and fills the components that depend on them.
    fn step(
        &self,
        scratch: &mut Scratch,
        state: &[u64],
        joint: &[u32],
        components: &[usize],
    ) -> Result<(), Stop> {
        self.enter(scratch, state)?;
        // `fill_besides` clears the relations that `score` filled.
        scratch.scored = None;
        let memory = &mut scratch.memory;
        memory.store.clear(self.relations.does);
        for (&role, &action) in self.names.roles.iter().zip(joint) {
            if let Some(&action) = self.names.moves.get(action as usize) {
                memory.store.tables[self.relations.does].insert(&[role, action]);
            }
        }
        self.fill_besides(scratch, components)
    }

    /// Fills components in addition to those of the observed state. Fuel is renewed first, so the
    /// same call always succeeds or always fails.
    fn fill_besides(&self, scratch: &mut Scratch, components: &[usize]) -> Result<(), Stop> {
        let (terms, questions) = scratch.marks;
        let memory = &mut scratch.memory;
        let Phases { score, advance, perceive, .. } = &self.code.phases;
        for &component in score.iter().chain(advance).chain(perceive) {
            for &relation in &self.program.components[component].relations {
                memory.store.clear(relation);
            }
        }
        memory.questions.truncate(questions);
        memory.terms.truncate(terms);
        memory.refuel(self.fuel(), bytes_of(&self.limits));
        let result = self.fill(memory, components);
        scratch.work += components.len() as u64 + self.fuel() - memory.fuel();
        result
    }

    fn fill(&self, memory: &mut Memory, components: &[usize]) -> Result<(), Stop> {
        self.code.fill(&self.program, Some((&self.fixed, &self.is_fixed)), memory, components)
    }
}
