//! Rewritings of clauses into equivalent clauses with fewer instances.
//!
//! If grounding parks a clause with many instances (`rounds.rs`), it tries the rewritings of the
//! [`RewriteStage`]. The first that returns clauses makes grounding start again.
//!
//! A rewriting keeps the facts of relations that are keywords. It lists other relations that have
//! fewer facts afterwards, in [`Clauses::rewritten`] or [`Clauses::demanded`]. It spends its steps
//! from the meter beforehand. It returns `None` if the meter has too few, or if the clauses would
//! not have fewer instances.

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
pub(super) enum RewriteStage {
    /// As soon as a clause is parked. The result is always better and replaces the clauses.
    Parked,
    /// Once splitting no longer helps the parked clauses. The result has a price: it is grounded in
    /// place of the clauses, but the next rewriting starts from the original clauses.
    Stuck,
}

/// A rewriting: its stage, and the function that applies it.
pub(super) type Rewrite = (RewriteStage, fn(&Clauses, &mut Context<'_>) -> Option<Clauses>);

/// All rewritings, in the order in which they are tried.
pub(super) const REWRITES: [Rewrite; 3] = [
    (RewriteStage::Parked, inert::drop),
    // `take_apart` grounds the rules for moves and steps to learn from them, so the cheaper `drop`
    // comes first.
    (RewriteStage::Parked, functional::take_apart),
    (RewriteStage::Stuck, demand::restrict),
];

/// The state of grounding when a rewriting is tried.
pub(super) struct Context<'c> {
    pub(super) rules: &'c Rules,
    pub(super) options: &'c Options,
    pub(super) strata: &'c Strata,
    /// The clauses that are parked because of too many instances.
    pub(super) parked: Vec<&'c Clause>,
    /// The relations of parked clauses for which this rewriting is or was tried, the new ones last.
    pub(super) wide: &'c [RelationId],
    /// The number of relations in `wide` for which this rewriting was tried before.
    pub(super) known: usize,
    /// The relations that are already restricted to their requested parts.
    pub(super) kept: &'c [RelationId],
    /// True if functional arguments may still be learnt.
    pub(super) learns: &'c mut bool,
    pub(super) meter: &'c mut Meter,
}

impl Context<'_> {
    /// The relations for which the rewriting was not tried before.
    fn news(&self) -> &[RelationId] {
        &self.wide[self.known..]
    }
}
