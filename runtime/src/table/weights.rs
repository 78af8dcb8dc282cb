//! The time of a table's steps once the residuals of its circuits are made: from a state and a
//! joint move to a number of gates.
//!
//! At first a table is as slow as its circuits. For frequent cases and moves it becomes as fast as
//! their residuals, which may take a tenth of the time. This module computes that time in advance,
//! and stores nothing in the table. The numbers are the same on all machines. Each case takes
//! O(gates) steps, each joint move O(gates * roles).

use super::{
    FEW_ROLES, Table,
    cases::{Split, Wanted},
    residual::MOST_GATES,
    wide::load_weight,
};
use crate::game::id::Id;
use rustc_hash::FxHashMap;

/// The estimator of a table's steps.
pub(crate) struct Weights<'t> {
    table: &'t Table,
    wanted: Wanted<'t>,
    /// The split of states into cases; `None` if the circuit is too large for residuals.
    split: Option<Split>,
    /// The weights of the cases met so far.
    cases: FxHashMap<usize, usize>,
}

impl<'t> Weights<'t> {
    /// Creates an estimator for the wanted outputs.
    pub(super) fn new(table: &'t Table, wanted: Wanted<'t>) -> Self {
        let split = (wanted.observe.size() <= MOST_GATES).then(|| Split::new(wanted));
        Self { table, wanted, split, cases: FxHashMap::default() }
    }

    /// The estimated time of observing a state without its goals and stepping it by a joint move,
    /// in single gates.
    pub(crate) fn of<M: Id>(&mut self, state: &[u64], joint: &[M]) -> usize {
        let Self { table, wanted, .. } = *self;
        let load = load_weight(wanted.fluents);
        let observe = self.split.as_ref().map_or(wanted.observe.size() + load, |split| {
            let case = split.case_of(state);
            let weigh = || split.residual(wanted, case).whole_weight(wanted.fluents);
            *self.cases.entry(case).or_insert_with(weigh)
        });
        let (few, many) = (&mut [(0, 0); FEW_ROLES], &mut Vec::new());
        let moves = table.places(few, many, joint);
        let is_small = table.advance.size() <= MOST_GATES;
        let advance = if is_small { table.patches.weight(table.rules(), moves) } else { None };
        observe + advance.unwrap_or(table.advance.size() + load)
    }
}
