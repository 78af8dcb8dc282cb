//! A survey chooses how a program is evaluated: which components are filled, which are called, and
//! the sizes of their views.
//!
//! Components are filled in dependency order, and each clause is planned for the current sizes. A
//! component that exceeds its [`Share`] is *called* instead if possible: it is evaluated on demand,
//! with the arguments that are known. The tables of relations that depend on the rules alone are
//! kept. Other relations are filled and measured in sample states.
//!
//! All components together may take the fuel of the limits and the bytes of an evaluation. The
//! bytes of components that depend on the rules alone stay taken; the others are freed before the
//! next state. Views are measured once their tables are filled, at the cost of filling the
//! views.

use super::{
    Stop, fixpoint,
    machine::Machine,
    memory::{Memory, bytes_of},
    plan::{Effort, Planner, Procedures},
    program::{Layer, Program},
    table::Measure,
};
use crate::{Limits, datalog::terms::TermId, rules::Rules};

/// The steps and bytes that a component may take. A component that exceeds them is called instead
/// of filled, if it may be called.
#[derive(Clone, Copy)]
pub(super) struct Share {
    fuel: u64,
    bytes: usize,
}

/// The share of a component that depends on the rules alone and is filled once.
pub(super) const OF_RULES: Share = Share { fuel: 10_000_000, bytes: 20_000_000 };

/// The share of a component that depends on the state and is filled in each state.
pub(super) const OF_STATE: Share = Share { fuel: 500_000, bytes: 2_000_000 };

/// A program under analysis.
pub(super) struct Survey<'p> {
    pub(super) program: &'p Program,
    /// For each relation, whether it is called instead of being filled.
    pub(super) demanded: Vec<bool>,
    pub(super) memory: Memory,
    procedures: Procedures,
    /// For each view, its size when it was last measured.
    measures: Vec<Measure>,
    /// Relations that must have a table.
    asked: Vec<usize>,
    /// The remaining steps, and the remaining bytes: overall and in the current state.
    fuel: u64,
    bytes: usize,
    bytes_of_state: usize,
    effort: Effort,
}

impl<'p> Survey<'p> {
    pub(super) fn new(program: &'p Program, rules: &Rules, memory: Memory, limits: &Limits) -> Self {
        let k = &rules.keywords;
        let asked =
            [k.role, k.init, k.fact, k.does, k.next, k.legal, k.goal, k.terminal, k.base, k.input, k.sees];
        let mut survey = Self {
            program,
            demanded: vec![false; rules.relations.len()],
            procedures: Procedures::default(),
            measures: vec![Measure::default(); memory.store.n_views()],
            memory,
            asked: asked.iter().map(|relation| relation.index()).collect(),
            fuel: limits.fuel,
            bytes: bytes_of(limits),
            bytes_of_state: bytes_of(limits),
            effort: Effort::new(limits),
        };
        survey.measured();
        survey
    }

    /// Returns the relations that are called, the memory, and the effort left for planning.
    pub(super) fn into_parts(self) -> (Vec<bool>, Memory, Effort) {
        (self.demanded, self.memory, self.effort)
    }

    /// Sets the tuples of a relation in the current state.
    pub(super) fn give(&mut self, relation: usize, tuples: impl Iterator<Item = Vec<TermId>>) {
        self.memory.give(relation, tuples);
        self.measure(relation);
    }

    /// Starts the next state: the bytes of tables that depend on the state are free again.
    pub(super) fn next_state(&mut self) {
        self.bytes_of_state = self.bytes;
    }

    /// Returns whether the component's relations may be called instead of being filled.
    fn may_be_demanded(&self, component: usize) -> bool {
        let component = &self.program.components[component];
        !component.negative_cycle
            && !component.relations.iter().any(|relation| self.asked.contains(relation))
            && component.clauses.iter().any(|&clause| !self.program.clauses[clause].body.is_empty())
    }

    /// The components that depend on the state and are filled, but may be called. Each comes after
    /// those it depends on.
    pub(super) fn optional(&self) -> Vec<usize> {
        let components = &self.program.components;
        let is_filled = |component: &usize| {
            components[*component].layer != Layer::Rules
                && !components[*component].relations.iter().any(|&relation| self.demanded[relation])
        };
        (0..components.len()).filter(is_filled).filter(|&number| self.may_be_demanded(number)).collect()
    }

    /// The remaining steps.
    pub(super) fn fuel(&self) -> u64 {
        self.fuel
    }

    /// Fills the components of a layer that some relations need, or marks them to be called.
    pub(super) fn fill_all(&mut self, relations: &[usize], layer: Layer, share: Share) -> Result<(), Stop> {
        for component in self.program.closure(relations) {
            if self.program.components[component].layer == layer {
                self.fill(component, share)?;
            }
        }
        Ok(())
    }

    fn fill(&mut self, component: usize, share: Share) -> Result<(), Stop> {
        let program = self.program;
        let Some(&relation) = program.components[component].relations.first() else { return Ok(()) };
        if self.demanded[relation] || program.components[component].clauses.is_empty() {
            return Ok(());
        }
        let optional = self.may_be_demanded(component);
        let is_kept = program.components[component].layer == Layer::Rules;
        let left = if is_kept { self.bytes } else { self.bytes_of_state };
        // Half of the bytes stay for components that must have tables.
        let most = (share.fuel, share.bytes.min(left / 2));
        let (fuel, bytes) = if optional { most } else { (self.fuel, left) };
        let fuel = fuel.min(self.fuel);
        self.memory.refuel(fuel, bytes);
        let result = self.fill_planned(component);
        self.fuel -= fuel - self.memory.fuel();
        self.memory.questions.truncate(0);
        if result.is_ok() {
            let taken = bytes - self.memory.bytes();
            self.bytes_of_state = self.bytes_of_state.saturating_sub(taken);
            if is_kept {
                self.bytes -= taken;
            }
            program.components[component].relations.iter().for_each(|&relation| self.measure(relation));
        }
        match result {
            Err(stop) if optional && self.fuel > 0 && stop.is_excess() => {
                for &relation in &program.components[component].relations {
                    self.memory.store.drop_table(relation);
                    self.demanded[relation] = true;
                }
                // The procedures were planned as if the relations had tables.
                self.procedures = Procedures::default();
                Ok(())
            }
            result => result,
        }
    }

    fn fill_planned(&mut self, component: usize) -> Result<(), Stop> {
        let Self { program, demanded, memory, procedures, measures, effort, .. } = self;
        fixpoint::fill(program, component, memory, |memory, clause, variant| {
            for goal in &program.clauses[clause].body {
                goal.for_each_atom(&mut |atom, _| measure(atom.view, memory, measures));
            }
            let first = procedures.list.len();
            let mut planner =
                Planner { program, demanded, measures, store: &mut memory.store, procedures, effort };
            let code = planner.filled(clause, variant)?;
            planner.procedures_from(first)?;
            Machine { program, procedures, fixed: None, memory }.run_clause(clause, &code)
        })
    }

    /// Measures all views of a relation.
    fn measure(&mut self, relation: usize) {
        for i in 0..self.memory.store.views_of(relation).len() {
            let view = self.memory.store.views_of(relation)[i];
            measure(view, &mut self.memory, &mut self.measures);
        }
    }

    /// Measures all views and returns their sizes.
    pub(super) fn measured(&mut self) -> &[Measure] {
        (0..self.measures.len()).for_each(|view| measure(view, &mut self.memory, &mut self.measures));
        &self.measures
    }
}

/// Measures a view if it has grown by more than half or shrunk by more than 40 percent.
fn measure(view: usize, memory: &mut Memory, measures: &mut [Measure]) {
    let rows = f64::from(memory.store.refresh(view, &memory.terms));
    let last = measures[view].rows;
    if rows > 1.5 * last || rows < 0.6 * last {
        measures[view] = memory.store.measure(view);
    }
}
