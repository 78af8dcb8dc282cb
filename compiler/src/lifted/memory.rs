//! The memory of an evaluation: tables, terms, subgoals with their answers, and the steps and
//! bytes that it may still take.
//!
//! Every step spends fuel before it is done. Every tuple, term, subgoal and answer that is stored
//! is charged in bytes, and so are its entries in views and indexes. During planning, views and
//! indexes are charged at their present size ([`Store::indexed`]). During play they are charged at
//! their future size, so that the order of evaluations does not matter. The length of the agenda is
//! bounded. The memory in use is about the bytes charged, and twice that while a table is
//! reallocated.

use super::{
    Stop,
    questions::Questions,
    table::{BYTES_PER_ENTRY, Store, TupleTable},
};
use crate::{
    Limits, Meter, Observer, Options, Phase,
    datalog::terms::{TermId, Terms},
};

/// The number of terms that a step handles without further fuel.
const TERMS: usize = 16;

/// The memory that an evaluation writes to.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    pub(super) store: Store,
    pub(super) terms: Terms,
    pub(super) questions: Questions,
    pub(super) agenda: Vec<Task>,
    /// For each relation, the range of tuples that were new in the previous round.
    pub(super) new: Vec<(u32, u32)>,
    /// The tuples by which negations on a cycle are decided.
    pub(super) assumed: Vec<TupleTable>,
    /// The variables of all running clauses.
    pub(super) slots: Vec<TermId>,
    /// A scratch stack for building terms and tuples.
    pub(super) stack: Vec<TermId>,
    /// The nesting depth of running steps.
    pub(super) depth: usize,
    /// The remaining steps and bytes. During play the meter has no observer.
    meter: Meter,
    /// The bytes that views and indexes may take in an evaluation; `rows` is the number of bytes
    /// left.
    room: usize,
    rows: usize,
}

impl Memory {
    /// Creates a memory with tables and terms, within the limits. The observer is called at
    /// intervals of the steps.
    pub(super) fn new(store: Store, terms: Terms, limits: &Limits, observer: Observer) -> Self {
        let relations = store.tables.len();
        let options = Options { limits: limits.clone(), observer, ..Options::default() };
        Self {
            store,
            terms,
            new: vec![(0, 0); relations],
            assumed: vec![TupleTable::default(); relations],
            meter: Meter::new(&options, Phase::Lift),
            room: bytes_of(limits),
            ..Self::default()
        }
    }

    /// Replaces the tuples of a relation.
    pub(super) fn give(&mut self, relation: usize, tuples: impl Iterator<Item = Vec<TermId>>) {
        self.store.clear(relation);
        tuples.for_each(|tuple| {
            self.store.tables[relation].insert(&tuple);
        });
    }

    /// Sets the remaining steps and bytes, and clears the agenda and the stacks.
    pub(super) fn refuel(&mut self, fuel: u64, bytes: usize) {
        self.meter.refill(fuel, bytes);
        self.rows = self.room;
        self.agenda.clear();
        self.slots.clear();
        self.stack.clear();
        self.depth = 0;
    }

    /// The remaining steps.
    pub(super) fn fuel(&self) -> u64 {
        self.meter.left()
    }

    #[inline]
    pub(super) fn burn(&mut self, steps: u64) -> Result<(), Stop> {
        self.meter.spend(steps).ok_or_else(|| self.meter.cancelled().map_or(Stop::Fuel, Stop::Cancelled))
    }

    /// Spends one step for each [`TERMS`] of the `terms` terms that are handled.
    #[inline]
    pub(super) fn handle(&mut self, terms: usize) -> Result<(), Stop> {
        if terms < TERMS { Ok(()) } else { self.burn((terms / TERMS) as u64) }
    }

    /// The remaining bytes.
    pub(super) fn bytes(&self) -> usize {
        self.meter.room()
    }

    /// Charges the bytes of a stored item of `width` terms.
    #[inline]
    pub(super) fn charge(&mut self, width: usize) -> Result<(), Stop> {
        self.meter.take(BYTES_PER_ENTRY + 8 * width).ok_or(Stop::Bytes)
    }

    /// Charges the bytes of a tuple of a relation, including its entries in views and indexes.
    #[inline]
    pub(super) fn charge_tuple(&mut self, relation: usize, width: usize) -> Result<(), Stop> {
        self.rows = self.rows.checked_sub(self.store.price(relation)).ok_or(Stop::Bytes)?;
        self.charge(width)
    }

    /// Checks the bytes of views and indexes, unless [`Self::charge_tuple`] charges for each tuple.
    ///
    /// # Errors
    /// Returns [`Stop::Bytes`] if views and indexes exceed the bytes of an evaluation.
    #[inline]
    pub(super) fn check_views(&self) -> Result<(), Stop> {
        if self.store.indexed() <= self.room || self.store.is_priced() { Ok(()) } else { Err(Stop::Bytes) }
    }

    /// Puts a task on the agenda.
    #[inline]
    pub(super) fn put_off(&mut self, task: Task) -> Result<(), Stop> {
        self.burn(1)?;
        if self.agenda.len() >= self.room / size_of::<Task>() {
            return Err(Stop::Bytes);
        }
        self.agenda.push(task);
        Ok(())
    }
}

/// The bytes that one evaluation may take: a part of [`Limits::max_bytes`], since each thread may
/// run one.
pub(super) fn bytes_of(limits: &Limits) -> usize {
    limits.max_bytes / 4
}

/// A task for a subgoal whose answers are not complete.
#[derive(Clone, Copy, Debug)]
pub(super) enum Task {
    /// Runs the clauses for a subgoal.
    Start(u32),
    /// Resumes a waiting clause with an answer, both by number.
    Resume(u32, u32),
}
