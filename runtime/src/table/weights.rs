//! The time of a table's steps once the residuals of its circuits are made: a state and a joint
//! move in, a number of gates out.
//!
//! A table is as slow as its circuits at first. Where cases or moves are common it is as fast as
//! their residuals, which may take a tenth. Here that time is computed without waiting for it, and
//! the table keeps nothing of it. The numbers are the same on all machines. Each case of a state
//! takes O(gates) steps, each joint move O(gates x roles).

use super::{
    FEW_ROLES, Table,
    cases::{Split, Wanted},
    residual::MOST_GATES,
    wide::load_weight,
};
use crate::game::Id;
use rustc_hash::FxHashMap;

/// The residual circuits of a table.
pub(crate) struct Weights<'t> {
    table: &'t Table,
    wanted: Wanted<'t>,
    /// The fluents that distinguish cases of states; `None` if their circuit is too large for
    /// residuals.
    split: Option<Split>,
    /// By case, as far as they were asked for.
    cases: FxHashMap<usize, usize>,
}

impl<'t> Weights<'t> {
    /// For what is wanted of states.
    pub(super) fn new(table: &'t Table, wanted: Wanted<'t>) -> Self {
        let split = (wanted.observe.size() <= MOST_GATES).then(|| Split::new(wanted));
        Self { table, wanted, split, cases: FxHashMap::default() }
    }

    /// About how long it takes to observe a state without its goals and to step it by moves, in
    /// gates one by one.
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
