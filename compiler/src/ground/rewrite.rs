//! Clauses to clauses that derive the same from fewer instances: a list of rewritings.
//!
//! Grounding parks a clause that has many instances (`rounds.rs`), and asks the rewritings of the
//! [`Stage`] for other clauses; the first that returns some makes it start again.
//!
//! A rewriting keeps what the game is asked for: the facts of relations that are keywords. It lists
//! other relations that have fewer facts afterwards, in [`Clauses::rewritten`] or
//! [`Clauses::demanded`]. It pays the meter for its steps before it takes them. It returns `None`
//! if that has too few, or if the clauses would not have fewer instances.

mod demand;
mod functional;
mod inert;

pub(super) use functional::{Functional, SHARE};

use super::{
    clause::{Clause, Clauses},
    strata::Strata,
};
use crate::{Options, Rules, meter::Meter, rules::RelationId};

/// The stage at which a rewriting is tried.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// As soon as a clause is parked: the result is always better, and takes the place of the
    /// clauses.
    Parked,
    /// At the point where splitting parked clauses brings nothing more: the result has a price. It
    /// is grounded in place of the clauses, and the next one is made from the clauses again.
    Stuck,
}

/// A rewriting: its stage, and the function that applies it.
pub(super) type Rewrite = (Stage, fn(&Clauses, &mut Context<'_>) -> Option<Clauses>);

/// The rewritings in the order in which they are tried.
pub(super) const REWRITES: [Rewrite; 3] = [
    (Stage::Parked, inert::drop),
    // It grounds moves and steps to learn of them, so what is cheaper comes first.
    (Stage::Parked, functional::take_apart),
    (Stage::Stuck, demand::restrict),
];

/// The state of grounding when a rewriting is tried.
pub(super) struct Context<'c> {
    pub(super) rules: &'c Rules,
    pub(super) options: &'c Options,
    pub(super) strata: &'c Strata,
    /// The clauses with too many instances.
    pub(super) parked: Vec<&'c Clause>,
    /// The relations of parked clauses for which this rewriting has been tried, those of this
    /// time last.
    pub(super) wide: &'c [RelationId],
    /// The number of these it was tried for before.
    pub(super) known: usize,
    /// The relations that are kept to what is asked of them as it is.
    pub(super) kept: &'c [RelationId],
    /// True if functional arguments may still be learnt.
    pub(super) learns: &'c mut bool,
    pub(super) meter: &'c mut Meter,
}

impl Context<'_> {
    /// The relations for which the rewriting has not been tried before.
    fn news(&self) -> &[RelationId] {
        &self.wide[self.known..]
    }
}
