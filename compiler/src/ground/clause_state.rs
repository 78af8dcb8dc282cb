//! The state of a clause in the fixpoint: whether it is open, its instances so far, what they cost,
//! and how much it may cost.

use super::{Literal, clause::Clause, terms::AtomId};
use std::rc::Rc;

/// The cost that a clause may reach before it is parked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cap {
    pub(super) instances: usize,
    /// Steps on its joins.
    pub(super) steps: u64,
}

impl Cap {
    pub(super) const NONE: Self = Self { instances: usize::MAX, steps: u64::MAX };
}

/// The state of a clause's evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    /// Its plans run.
    Open,
    /// It took more than its cap.
    Parked,
    /// It does not count any more.
    Dropped,
}

/// Instances: the head of each, where its literals start, and the literals.
#[derive(Debug, Default)]
pub(super) struct Instances {
    pub(super) heads: Vec<(AtomId, u32)>,
    pub(super) literals: Vec<Literal>,
}

impl Instances {
    /// The head and the body of each.
    pub(super) fn iter(&self) -> impl Iterator<Item = (AtomId, &[Literal])> {
        self.heads.iter().enumerate().map(|(i, &(head, start))| {
            let end = self.heads.get(i + 1).map_or(self.literals.len(), |next| next.1 as usize);
            (head, &self.literals[start as usize..end])
        })
    }

    pub(super) fn bytes(&self) -> usize {
        size_of::<(AtomId, u32)>() * self.heads.len() + size_of::<Literal>() * self.literals.len()
    }
}

/// A clause, and the state of its evaluation.
#[derive(Debug)]
pub(super) struct ClauseState {
    pub(super) clause: Rc<Clause>,
    pub(super) status: Status,
    pub(super) cap: Cap,
    /// Plans before this one are out of date.
    pub(super) since: usize,
    /// Instances found, those of guards and of fixed relations too.
    pub(super) hits: usize,
    /// Steps of its joins.
    pub(super) steps: u64,
    /// The cost of these and of their joins.
    pub(super) spent: u64,
    /// The cost of one instance.
    pub(super) effort: u64,
    pub(super) instances: Instances,
}

impl ClauseState {
    pub(super) fn new(clause: Rc<Clause>, cap: Cap) -> Self {
        let (since, hits, steps, spent, effort) = (0, 0, 0, 0, clause.effort());
        let (status, instances) = (Status::Open, Instances::default());
        Self { clause, status, cap, since, hits, steps, spent, effort, instances }
    }
}
