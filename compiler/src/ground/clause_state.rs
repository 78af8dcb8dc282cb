//! The state of a clause in the fixpoint: its status, its instances, their cost and the cap on it.

use super::{Literal, clause::Clause, terms::AtomId};
use std::rc::Rc;

/// The cost that a clause may reach before it is parked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cap {
    pub(super) instances: usize,
    /// The steps of the clause's joins.
    pub(super) steps: u64,
}

impl Cap {
    pub(super) const NONE: Self = Self { instances: usize::MAX, steps: u64::MAX };
}

/// The status of a clause's evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    /// Its plans are executed.
    Open,
    /// It exceeded its cap, and its plans are suspended.
    Parked,
    /// It was removed; other clauses derive its facts.
    Dropped,
}

/// Rule instances: the head of each with the index of its first literal, and all literals.
#[derive(Debug, Default)]
pub(super) struct Instances {
    pub(super) heads: Vec<(AtomId, u32)>,
    pub(super) literals: Vec<Literal>,
}

impl Instances {
    /// Iterates over the head and the body of each instance.
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

/// A clause with the state of its evaluation.
#[derive(Debug)]
pub(super) struct ClauseState {
    pub(super) clause: Rc<Clause>,
    pub(super) status: Status,
    pub(super) cap: Cap,
    /// The first plan that is current; earlier plans of the clause are out of date.
    pub(super) since: usize,
    /// The number of instances found, including those of guards and of fixed relations.
    pub(super) hits: usize,
    /// The steps of its joins since it was opened.
    pub(super) steps: u64,
    /// The fuel spent on its instances and on its joins.
    pub(super) spent: u64,
    /// The fuel that one instance costs.
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
