//! A trial to decide which relations are called instead of being filled.
//!
//! Filling a relation computes all its tuples in each state. Calling it computes only the requested
//! tuples. [`Trial::choose`] goes through the relations that the [`survey`](super::survey) fills.
//! It evaluates sample states with one more of them called, and keeps the call if that takes fewer
//! steps. A relation is tried after the relations that are derived from it, since calls pay only if
//! few tuples are requested. The pass is repeated as long as it finds a relation to call.
//!
//! The trial counts steps, so its result is deterministic. All evaluations together take at most
//! [`STEPS`], and at most a quarter of the remaining steps. These include one step for each clause
//! of the program whenever a relation is tried. Planning weighs at most as many goals. The trial
//! takes the memory of one evaluation in addition to its own tables and terms.

use super::{
    Relations, Stop,
    code::{LiftedCode, Phases},
    memory::{Memory, bytes_of},
    plan::Effort,
    program::Program,
    samples::Sample,
    table::Measure,
};
use crate::Limits;

/// The steps that all evaluations together may take.
const STEPS: u64 = 10_000_000;

/// The share of the remaining steps that a trial may take: one part in this number.
const FUEL_PART: u64 = 4;

/// The number of sample states that a trial evaluates.
const STATES: usize = 3;

/// The least saving of a call, as a share of a state's steps: one part in this number.
const PART: u64 = 64;

/// A trial of a program on sample states.
pub(super) struct Trial<'t> {
    program: &'t Program,
    k: &'t Relations,
    measures: &'t [Measure],
    samples: &'t [Sample],
    limits: &'t Limits,
    memory: Memory,
    /// The number of terms before the trial.
    terms: usize,
}

impl<'t> Trial<'t> {
    /// Creates a trial of a program on sample states. Copies the memory, which has the tables of
    /// relations that depend on the rules alone.
    pub(super) fn new(
        program: &'t Program,
        k: &'t Relations,
        (measures, samples): (&'t [Measure], &'t [Sample]),
        memory: &Memory,
        limits: &'t Limits,
    ) -> Self {
        let terms = memory.terms.len();
        Self { program, k, measures, samples, limits, memory: memory.clone(), terms }
    }

    /// Chooses the relations to call: the `demanded` ones, and those of each `optional` component
    /// for which calls take fewer steps than complete tables. `optional` must list a component
    /// after those it depends on. `fuel` is the number of remaining steps.
    ///
    /// # Errors
    /// Returns an error if the trial is cancelled.
    pub(super) fn choose(
        mut self,
        mut demanded: Vec<bool>,
        optional: &[usize],
        fuel: u64,
    ) -> Result<Vec<bool>, Stop> {
        let mut left = STEPS.min(fuel / FUEL_PART);
        let effort = Effort::within(self.limits, left);
        let (best, taken) = self.steps(&demanded, [left; STATES], left, &effort)?;
        let Some(mut best) = best else { return Ok(demanded) };
        left -= taken;
        let mut is_news = true;
        let planning = self.program.clauses.len() as u64;
        while std::mem::take(&mut is_news) {
            for &component in optional.iter().rev() {
                let relations = &self.program.components[component].relations;
                if relations.iter().any(|&relation| demanded[relation]) {
                    continue;
                }
                let Some(rest) = left.checked_sub(planning) else { return Ok(demanded) };
                left = rest;
                let mut more = demanded.clone();
                relations.iter().for_each(|&relation| more[relation] = true);
                // The state that is evaluated first must take fewer steps, and the others no more.
                let mut most = best;
                most[STATES - 1] -= most[STATES - 1].div_ceil(PART);
                let (steps, taken) = self.steps(&more, most, left, &effort)?;
                left -= taken;
                if let Some(steps) = steps {
                    (demanded, best, is_news) = (more, steps, true);
                }
            }
        }
        Ok(demanded)
    }

    /// Measures the steps of each sample state if `demanded` relations are called. Returns `None`
    /// if a state exceeds its entry of `most`, or if all together exceed `left`. Also returns the
    /// steps that the measurement took.
    fn steps(
        &mut self,
        demanded: &[bool],
        most: [u64; STATES],
        left: u64,
        effort: &Effort,
    ) -> Result<(Option<[u64; STATES]>, u64), Stop> {
        let Self { program, k, measures, samples, limits, memory, terms } = self;
        let (mut steps, mut taken) = ([0; STATES], 0);
        let Some(last) = samples.len().checked_sub(1) else { return Ok((None, 0)) };
        let code = match LiftedCode::new(program, k, demanded, measures, &mut memory.store, effort) {
            Ok(code) => code,
            Err(stop) => return stop.or_none(0),
        };
        // The last state is most like those of play, and may be a terminal one, which is scored.
        for i in (0..STATES).rev() {
            let Sample { state, joint } = &samples[i * last / (STATES - 1)];
            memory.questions.truncate(0);
            memory.terms.truncate(*terms);
            memory.give(k.fact, state.iter().map(|&fluent| vec![fluent]));
            memory.give(k.does, joint.iter().cloned());
            let fuel = most[i].min(left - taken);
            memory.refuel(fuel, bytes_of(limits));
            let Phases { observe, score, advance, .. } = &code.phases;
            let score = if i == STATES - 1 { &score[..] } else { &[] };
            let mut phases = [&observe[..], score, &advance[..]].into_iter();
            let filled = phases.try_for_each(|phase| code.fill(program, None, memory, phase));
            steps[i] = fuel - memory.fuel();
            taken += steps[i];
            if let Err(stop) = filled {
                return stop.or_none(taken);
            }
        }
        Ok((Some(steps), taken))
    }
}

impl Stop {
    /// Returns `None` with the steps that were taken, or the error if the work was cancelled.
    fn or_none<T>(self, taken: u64) -> Result<(Option<T>, u64), Self> {
        if matches!(self, Self::Cancelled(_)) { Err(self) } else { Ok((None, taken)) }
    }
}
