//! Direct evaluation of checked rules: queries and explanations, state by state.
//!
//! An [`Evaluator`] of checked [`Rules`] answers queries about any state: the legal moves, the
//! successor, the end and the goal values. It evaluates the rules bottom-up as they are written.
//! Nothing is grounded beforehand, and no code is shared with the compiler's other parts.
//!
//! Relations that depend negatively on themselves are grounded against the other relations and get
//! their well-founded model. So rules that are stratified only after grounding have the right
//! meaning. An atom that stays undefined is an error. [`Limits`] bound all work, and fuel is
//! counted for each query. The explanation of an atom ([`Evaluator::explain`]) is a query, too.
//!
//! ```text
//! for each component of relations the question depends on, in order of dependence:
//!     repeat for each rule: join the body, derive the head; until nothing new  (semi-naive)
//! ```
//!
//! A relation that is not recursive and would have very many atoms is not filled. A rule that uses
//! such a relation joins the bodies of the relation's rules instead, with the arguments known at
//! that point.

mod explain;
mod machine;
mod plan;
mod program;
mod solve;
mod store;
mod table;
mod term;
mod wellfounded;

pub use explain::{Attempt, Explanation, Literal, Reason};
pub use term::Term;

use crate::limits::Limits;
use crate::rules::{RelationId, Rules};
use machine::Machine;
use program::Program;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;
use term::{Id, InternedTerms};

/// A state: the fluents that hold, in the order of their KIF text.
pub type State = BTreeSet<Term>;

/// The reason why a query fails.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EvalError {
    /// The evaluation took too many steps.
    Fuel {
        /// The maximum number of steps of one query.
        limit: u64,
    },
    /// A term grew too deep.
    TermDepth {
        /// The maximum depth.
        limit: usize,
    },
    /// A term grew too long.
    TermSize {
        /// The maximum number of symbols.
        limit: usize,
    },
    /// A relation grew too large.
    Atoms {
        /// The maximum number of atoms.
        limit: usize,
    },
    /// The rules make an atom neither true nor false.
    Unstratified {
        /// The atom, as KIF.
        atom: String,
    },
    /// A rule leaves a variable unbound, which checked rules never do.
    Unsafe,
    /// A text is not a ground term, or has a name that the rules do not use.
    NotATerm {
        /// The text, truncated.
        text: String,
    },
    /// A text is a term of the game, but no relation has its name and arity.
    NoRelation {
        /// The text, truncated.
        text: String,
    },
    /// A role number is out of range.
    NoRole {
        /// The role number of the query.
        role: usize,
    },
    /// A joint move does not have one move for each player.
    JointMove {
        /// The number of players.
        expected: usize,
        /// The number of moves given.
        found: usize,
    },
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fuel { limit } => write!(f, "the evaluation takes more than {limit} steps"),
            Self::TermDepth { limit } => write!(f, "a term grows deeper than {limit}"),
            Self::TermSize { limit } => write!(f, "a term grows longer than {limit} symbols"),
            Self::Atoms { limit } => write!(f, "a relation grows beyond {limit} atoms"),
            Self::Unstratified { atom } => write!(f, "`{atom}` depends on its own negation"),
            Self::Unsafe => f.write_str("a rule leaves a variable unbound"),
            Self::NotATerm { text } => write!(f, "`{text}` is not a term of this game"),
            Self::NoRelation { text } => {
                write!(f, "`{text}` is not an atom of this game: a fluent is `(true FLUENT)`")
            }
            Self::NoRole { role } => write!(f, "there is no player number {role}"),
            Self::JointMove { expected, found } => {
                write!(f, "a joint move needs {expected} moves but has {found}")
            }
        }
    }
}

impl std::error::Error for EvalError {}

/// An evaluator that answers queries about a game directly from its rules.
///
/// It keeps the derived relations of a state until a query about another state, so group queries by
/// state.
pub struct Evaluator<'r> {
    rules: &'r Rules,
    roles: Vec<Term>,
    role_ids: Vec<Id>,
    machine: RefCell<Machine>,
}

impl<'r> Evaluator<'r> {
    /// Creates an evaluator with the default limits.
    ///
    /// # Errors
    /// Returns an error if a term of the rules exceeds the limits.
    pub fn new(rules: &'r Rules) -> Result<Self, EvalError> {
        Self::with_limits(rules, &Limits::default())
    }

    /// Creates an evaluator with the given limits on fuel, atoms of a relation, term depth and term
    /// size.
    ///
    /// # Errors
    /// Returns an error if a term of the rules exceeds the limits.
    pub fn with_limits(rules: &'r Rules, limits: &Limits) -> Result<Self, EvalError> {
        let mut terms = InternedTerms::new(limits.max_term_depth, limits.max_term_size);
        let program = Program::new(rules, &mut terms)?;
        let mut role_ids = Vec::new();
        for role in &rules.roles {
            role_ids.push(program::ground(role, &mut terms)?);
        }
        let names = role_ids.iter().map(|&id| terms.term(&rules.symbols, id)).collect();
        let machine = RefCell::new(Machine::new(rules, program, terms, limits));
        Ok(Self { rules, roles: names, role_ids, machine })
    }

    /// The players, in the order of the text.
    #[must_use]
    pub fn roles(&self) -> &[Term] {
        &self.roles
    }

    /// Parses a ground term in KIF. Its symbols get their first spelling in the rules.
    ///
    /// # Errors
    /// Returns an error if the text is not a ground term of this game.
    pub fn term(&self, text: &str) -> Result<Term, EvalError> {
        let mut machine = self.machine.borrow_mut();
        let id = machine.store.terms.parse(&self.rules.symbols, text)?;
        Ok(machine.store.terms.term(&self.rules.symbols, id))
    }

    /// The initial state.
    ///
    /// # Errors
    /// Returns an error if a limit is exceeded or the rules are unstratified, as all other queries
    /// do.
    pub fn initial(&self) -> Result<State, EvalError> {
        let all = self.ask(self.rules.keywords.init, None, |tuple| Some(tuple[0]))?;
        Ok(all.into_iter().collect())
    }

    /// A player's legal moves, sorted.
    ///
    /// # Errors
    /// As for [`Evaluator::initial`], or if there is no such player.
    pub fn legal(&self, state: &State, role: usize) -> Result<Vec<Term>, EvalError> {
        let role = self.role(role)?;
        let mine = |tuple: &[Id]| (tuple[0] == role).then_some(tuple[1]);
        self.ask(self.rules.keywords.legal, Some((state, &[])), mine)
    }

    /// The state after a joint move, one move for each player in the order of [`Evaluator::roles`].
    ///
    /// # Errors
    /// As for [`Evaluator::initial`], or if there are not as many moves as players.
    pub fn next(&self, state: &State, joint: &[Term]) -> Result<State, EvalError> {
        let all = self.ask(self.rules.keywords.next, Some((state, joint)), |tuple| Some(tuple[0]))?;
        Ok(all.into_iter().collect())
    }

    /// The percepts of a player for a joint move, sorted (GDL-II).
    ///
    /// # Errors
    /// As for [`Evaluator::next`], or if there is no such player.
    pub fn percepts(&self, state: &State, joint: &[Term], role: usize) -> Result<Vec<Term>, EvalError> {
        let role = self.role(role)?;
        let mine = |tuple: &[Id]| (tuple[0] == role).then_some(tuple[1]);
        self.ask(self.rules.keywords.sees, Some((state, joint)), mine)
    }

    /// Returns whether the state is terminal.
    ///
    /// # Errors
    /// As for [`Evaluator::initial`].
    pub fn terminal(&self, state: &State) -> Result<bool, EvalError> {
        self.fill(self.rules.keywords.terminal, Some((state, &[])))?;
        Ok(self.machine.borrow().table(self.rules.keywords.terminal).len() > 0)
    }

    /// All goal values that can be derived for a player, sorted as text.
    ///
    /// # Errors
    /// As for [`Evaluator::legal`].
    pub fn goals(&self, state: &State, role: usize) -> Result<Vec<Term>, EvalError> {
        let role = self.role(role)?;
        let mine = |tuple: &[Id]| (tuple[0] == role).then_some(tuple[1]);
        self.ask(self.rules.keywords.goal, Some((state, &[])), mine)
    }

    fn role(&self, role: usize) -> Result<Id, EvalError> {
        self.role_ids.get(role).copied().ok_or(EvalError::NoRole { role })
    }

    /// Pairs each role with its move in a joint move.
    fn moves(&self, machine: &mut Machine, joint: &[Term]) -> Result<Vec<(Id, Id)>, EvalError> {
        if joint.len() != self.roles.len() {
            return Err(EvalError::JointMove { expected: self.roles.len(), found: joint.len() });
        }
        let moves = self.role_ids.iter().zip(joint);
        moves
            .map(|(&role, action)| Ok((role, machine.store.terms.id(&self.rules.symbols, action)?)))
            .collect()
    }

    /// Derives a relation and returns the terms that `pick` selects from its atoms, sorted.
    fn ask(
        &self,
        relation: RelationId,
        position: Option<(&State, &[Term])>,
        pick: impl Fn(&[Id]) -> Option<Id>,
    ) -> Result<Vec<Term>, EvalError> {
        self.fill(relation, position)?;
        let mut machine = self.machine.borrow_mut();
        let table = machine.table(relation);
        let ids: Vec<Id> = (0..table.len()).filter_map(|i| pick(table.tuple(i))).collect();
        Ok(machine.sorted(self.rules, &ids))
    }

    /// Derives a relation in a state and for a joint move, or from the rules alone.
    fn fill(&self, relation: RelationId, position: Option<(&State, &[Term])>) -> Result<(), EvalError> {
        let mut machine = self.machine.borrow_mut();
        match position {
            // Relations that depend on the rules alone are the same in every state.
            None => machine.refuel(),
            Some((state, joint)) => {
                let keywords = &self.rules.keywords;
                let is_step = relation == keywords.next || relation == keywords.sees;
                let moves = if is_step { self.moves(&mut machine, joint)? } else { Vec::new() };
                machine.enter(self.rules, state, moves)?;
            }
        }
        let needed = machine.program.closure(relation);
        machine.demand(&needed, self.rules)
    }
}
