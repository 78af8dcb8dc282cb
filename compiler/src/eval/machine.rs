//! The evaluation of tables, component by component.
//!
//! A [`Machine`] has a [`Program`], a state and possibly a joint move. [`Machine::demand`] brings
//! relations up to date. Tables that depend on the rules alone are filled once. A table that
//! depends on the state is kept until the state changes. A table that depends on the joint move is
//! kept until the joint move or the state changes. A relation with more than [`ON_DEMAND`] tuples
//! is evaluated on demand if its component allows that (`may_be_on_demand`). Rules that read the
//! relation then query its tuples with the arguments that are bound.

use super::plan::{EvalStep, Mode, ON_DEMAND, Planner};
use super::program::{Clause, Component, Goal, Layer, Program};
use super::solve::{Sink, Solver};
use super::store::{Answers, Derivation, EvalStore};
use super::table::TupleTable;
use super::term::{Id, InternedTerms, Term};
use super::{EvalError, State, wellfounded};
use crate::limits::Limits;
use crate::rules::{RelationId, Rules};

pub(super) struct Machine {
    pub(super) program: Program,
    pub(super) store: EvalStore,
    /// For each component, true if it is up to date.
    done: Vec<bool>,
    /// The state that the tables hold, and the joint move as pairs of role and move.
    state: Option<State>,
    moves: Option<Vec<(Id, Id)>>,
}

impl Machine {
    pub(super) fn new(rules: &Rules, program: Program, terms: InternedTerms, limits: &Limits) -> Self {
        let store = EvalStore::new(rules, &program, terms, limits);
        Self { done: vec![false; program.components.len()], store, state: None, moves: None, program }
    }

    /// Sets the current state and joint move, and refills the fuel.
    pub(super) fn enter(
        &mut self,
        rules: &Rules,
        state: &State,
        moves: Vec<(Id, Id)>,
    ) -> Result<(), EvalError> {
        self.refuel();
        let (fact, does) = (rules.keywords.fact.index(), rules.keywords.does.index());
        if self.state.as_ref() != Some(state) {
            self.state = None;
            self.moves = None;
            self.forget(Layer::State);
            self.store.clear(fact);
            for fluent in state {
                let id = self.store.terms.id(&rules.symbols, fluent)?;
                self.store.tables[fact].insert(&[id]);
            }
            self.state = Some(state.clone());
        }
        if self.moves.as_ref() != Some(&moves) {
            self.moves = None;
            self.forget(Layer::Moves);
            self.store.clear(does);
            for &(role, action) in &moves {
                self.store.tables[does].insert(&[role, action]);
            }
            self.moves = Some(moves);
        }
        Ok(())
    }

    pub(super) fn refuel(&mut self) {
        self.store.fuel.refill();
        self.store.n_open = 0;
    }

    fn forget(&mut self, layer: Layer) {
        for (done, component) in self.done.iter_mut().zip(&self.program.components) {
            *done &= component.layer < layer;
        }
    }

    /// Brings components up to date. They must be in dependency order.
    pub(super) fn demand(&mut self, components: &[usize], rules: &Rules) -> Result<(), EvalError> {
        for &number in components {
            if !self.done[number] {
                self.fill(number, rules)?;
                self.done[number] = true;
            }
        }
        Ok(())
    }

    fn fill(&mut self, number: usize, rules: &Rules) -> Result<(), EvalError> {
        let component = &self.program.components[number];
        if component.clauses.is_empty() {
            return Ok(());
        }
        let relations = component.relations.clone();
        for &relation in &relations {
            self.store.clear(relation);
        }
        if self.store.is_on_demand(relations[0]) {
            return Ok(());
        }
        if !component.negative_cycle {
            let limit = if may_be_on_demand(component, rules) { ON_DEMAND } else { usize::MAX };
            let limit = limit.min(self.store.max_atoms);
            // A relation that needs such a large answer is evaluated on demand, too.
            self.store.max_answer = limit;
            let result = self.fixpoint(number, Mode::Derive, limit);
            self.store.max_answer = self.store.max_atoms;
            return match result {
                Err(EvalError::Atoms { .. }) if limit == ON_DEMAND => {
                    self.store.n_open = 0;
                    self.store.clear(relations[0]);
                    self.store.answers[relations[0]] = Some(Answers::default());
                    Ok(())
                }
                result => result,
            };
        }
        self.fixpoint(number, Mode::Optimistic, self.store.max_atoms)?;
        let mut instances = Vec::new();
        for clause in 0..self.program.components[number].clauses.len() {
            let sink = self.run(number, clause, None, Mode::Instances, Sink::Instances(instances))?;
            instances = if let Sink::Instances(instances) = sink { instances } else { Vec::new() };
        }
        for &relation in &relations {
            self.store.clear(relation);
        }
        match wellfounded::solve(&instances, &mut self.store.fuel)? {
            Ok(atoms) => {
                for atom in atoms {
                    self.store.tables[atom[0] as usize].insert(&atom[1..]);
                }
                Ok(())
            }
            Err(undefined) => Err(EvalError::Unstratified { atom: self.describe(&undefined, rules) }),
        }
    }

    /// Evaluates a component semi-naively: after the first round, every derivation uses an atom
    /// that was new in the previous round.
    fn fixpoint(&mut self, number: usize, mode: Mode, limit: usize) -> Result<(), EvalError> {
        let relations = self.program.components[number].relations.clone();
        let component = &self.program.components[number];
        let n_variants: Vec<usize> = component.clauses.iter().map(|clause| clause.variants.len()).collect();
        // A clause that needs an atom of the component derives nothing in the first round.
        let waits = |goal: &Goal| matches!(goal, Goal::Holds(atom) if relations.contains(&atom.relation));
        let waiting: Vec<bool> =
            component.clauses.iter().map(|clause| clause.body.iter().any(waits)).collect();
        for (clause, _) in waiting.iter().enumerate().filter(|&(_, &waits)| !waits) {
            self.run(number, clause, None, mode, Sink::Table { limit })?;
        }
        let mut from: Vec<usize> = vec![0; relations.len()];
        loop {
            let to: Vec<usize> =
                relations.iter().map(|&relation| self.store.tables[relation].len()).collect();
            if from == to {
                return Ok(());
            }
            for (clause, &variants) in n_variants.iter().enumerate() {
                for variant in 0..variants {
                    let Some(Goal::Holds(atom)) =
                        self.program.components[number].clauses[clause].variants[variant].first()
                    else {
                        continue;
                    };
                    let place = relations.binary_search(&atom.relation).map_err(|_| EvalError::Unsafe)?;
                    if from[place] < to[place] {
                        let delta = (variant, from[place], to[place]);
                        self.run(number, clause, Some(delta), mode, Sink::Table { limit })?;
                    }
                }
            }
            from = to;
        }
    }

    /// Runs a clause or, with `delta`, one of its variants. `delta` has the index of the variant
    /// and the range of tuples to which the variant's first atom is restricted.
    fn run(
        &mut self,
        number: usize,
        clause: usize,
        delta: Option<(usize, usize, usize)>,
        mode: Mode,
        sink: Sink,
    ) -> Result<Sink, EvalError> {
        let Self { program, store, .. } = self;
        let Clause { head, body, n_variables, variants, .. } = &program.components[number].clauses[clause];
        let goals = delta.map_or(body, |(variant, ..)| &variants[variant]);
        let range = delta.map(|(_, from, to)| (from, to));
        let mut planner = Planner { program, store, mode, component: number };
        let steps: Vec<EvalStep<'_>> = planner.plan(head, vec![false; *n_variables], goals, range)?;
        let mut solver = Solver::new(program, store, number, clause, sink);
        solver.run(&steps)?;
        Ok(solver.sink)
    }

    /// Fills a component again, which must be filled and not on demand. Returns, for each relation,
    /// the derivation of each tuple of its table.
    pub(super) fn derive_again(
        &mut self,
        number: usize,
        rules: &Rules,
    ) -> Result<Vec<Vec<Derivation>>, EvalError> {
        self.done[number] = false;
        self.store.derivations = Some(vec![Vec::new(); rules.relations.len()]);
        let filled = self.fill(number, rules);
        let derivations = self.store.derivations.take();
        filled?;
        self.done[number] = true;
        Ok(derivations.unwrap_or_default())
    }

    /// The atoms of a relation that is up to date.
    pub(super) fn table(&self, relation: RelationId) -> &TupleTable {
        &self.store.tables[relation.index()]
    }

    /// Returns the terms of some ids, sorted and without duplicates.
    pub(super) fn sorted(&mut self, rules: &Rules, ids: &[Id]) -> Vec<Term> {
        let mut list: Vec<Term> = ids.iter().map(|&id| self.store.terms.term(&rules.symbols, id)).collect();
        list.sort_unstable();
        list.dedup();
        list
    }

    fn describe(&mut self, atom: &[u32], rules: &Rules) -> String {
        self.display(rules, RelationId(atom[0]), &atom[1..])
    }

    /// Prints an atom as KIF.
    pub(super) fn display(&mut self, rules: &Rules, relation: RelationId, arguments: &[Id]) -> String {
        let name = rules.relation_name(relation);
        if arguments.is_empty() {
            return name.to_owned();
        }
        let mut text = format!("({name}");
        for &argument in arguments {
            text.push(' ');
            text.push_str(self.store.terms.term(&rules.symbols, argument).as_str());
        }
        text + ")"
    }
}

/// Returns whether a component may be evaluated on demand. It must have one relation that is not
/// recursive, is not a keyword and has no facts. Such relations are often abbreviations, whose
/// tables may be too large to fill.
fn may_be_on_demand(component: &Component, rules: &Rules) -> bool {
    let keywords = &rules.keywords;
    let asked = [
        keywords.role,
        keywords.init,
        keywords.next,
        keywords.legal,
        keywords.goal,
        keywords.terminal,
        keywords.base,
        keywords.input,
        keywords.sees,
    ];
    let [relation] = component.relations[..] else { return false };
    asked.iter().all(|keyword| keyword.index() != relation)
        && component.clauses.iter().all(|clause| clause.variants.is_empty() && !clause.body.is_empty())
}
