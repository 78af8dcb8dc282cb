//! The memory of an evaluation: tables, terms, questions with their answers, and the steps and
//! bytes that it may still take.
//!
//! Every step is paid for with fuel before it is done. Every tuple, term, question and answer is
//! paid for with bytes when it is kept, and so are its entries in views and indexes. While plans
//! are searched the price is the present size of these ([`Store::indexed`]); in play it is their
//! future size, so that the order of evaluations does not matter. The agenda is bounded by its
//! length. Memory in use is about the bytes charged, and twice that while a table moves to a larger
//! place.

use super::{
    Stop,
    questions::Questions,
    table::{BYTES_PER_ENTRY, Store, Table},
};
use crate::{
    Limits, Meter, Observer, Options, Phase,
    datalog::terms::{TermId, Terms},
};

/// The number of terms that are handled in a step.
const TERMS: usize = 16;

/// Everything an evaluation writes to.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    pub(super) store: Store,
    pub(super) terms: Terms,
    pub(super) questions: Questions,
    pub(super) agenda: Vec<Task>,
    /// The tuples of each relation that were new in the round before.
    pub(super) new: Vec<(u32, u32)>,
    /// The tuples that negations on a cycle are judged by.
    pub(super) assumed: Vec<Table>,
    /// The variables of the clauses at work.
    pub(super) slots: Vec<TermId>,
    /// Terms on their way into a tuple or a larger term.
    pub(super) stack: Vec<TermId>,
    /// The depth to which steps are nested.
    pub(super) depth: usize,
    /// The remaining steps and bytes; no observer is called during play.
    meter: Meter,
    /// The bytes of an evaluation in views and indexes, and how many of them remain.
    room: usize,
    rows: usize,
}

impl Memory {
    /// A memory with only the tables and the terms, within the limits. The observer is called at
    /// intervals of the steps.
    pub(super) fn new(store: Store, terms: Terms, limits: &Limits, observer: Observer) -> Self {
        let relations = store.tables.len();
        let options = Options { limits: limits.clone(), observer, ..Options::default() };
        Self {
            store,
            terms,
            new: vec![(0, 0); relations],
            assumed: vec![Table::default(); relations],
            meter: Meter::new(&options, Phase::Lift),
            room: bytes_of(limits),
            ..Self::default()
        }
    }

    /// Gives a relation its tuples.
    pub(super) fn give(&mut self, relation: usize, tuples: impl Iterator<Item = Vec<TermId>>) {
        self.store.clear(relation);
        tuples.for_each(|tuple| {
            self.store.tables[relation].insert(&tuple);
        });
    }

    /// Sets the steps and bytes that may be taken from now on.
    pub(super) fn refuel(&mut self, fuel: u64, bytes: usize) {
        self.meter.refill(fuel, bytes);
        self.rows = self.room;
        self.agenda.clear();
        self.slots.clear();
        self.stack.clear();
        self.depth = 0;
    }

    /// Steps that may still be taken.
    pub(super) fn fuel(&self) -> u64 {
        self.meter.left()
    }

    #[inline]
    pub(super) fn burn(&mut self, steps: u64) -> Result<(), Stop> {
        self.meter.spend(steps).ok_or_else(|| self.meter.cancelled().map_or(Stop::Fuel, Stop::Cancelled))
    }

    /// Burns the fuel to handle `terms` terms beyond the few of a step.
    #[inline]
    pub(super) fn handle(&mut self, terms: usize) -> Result<(), Stop> {
        if terms < TERMS { Ok(()) } else { self.burn((terms / TERMS) as u64) }
    }

    /// Bytes that may still be taken.
    pub(super) fn bytes(&self) -> usize {
        self.meter.room()
    }

    /// Accounts for a stored item of `width` terms.
    #[inline]
    pub(super) fn charge(&mut self, width: usize) -> Result<(), Stop> {
        self.meter.take(BYTES_PER_ENTRY + 8 * width).ok_or(Stop::Bytes)
    }

    /// Accounts for a tuple of a relation.
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

/// The share of [`Limits::max_bytes`] that one evaluation may take: there may be one for each
/// thread.
pub(super) fn bytes_of(limits: &Limits) -> usize {
    limits.max_bytes / 4
}

/// The work that remains for open questions.
#[derive(Clone, Copy, Debug)]
pub(super) enum Task {
    /// Run the clauses for a question.
    Start(u32),
    /// Go on where a clause waits, with an answer.
    Resume(u32, u32),
}
