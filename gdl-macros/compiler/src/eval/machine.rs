//! Fills tables component by component.
//!
//! In come a [`Program`], a state and perhaps a joint move; [`Machine::demand`] brings a relation
//! and all it depends on up to date. Tables that hang on the rules alone are filled once, those of
//! a state are kept until another state is entered, and likewise for a joint move.

use super::plan::{Mode, Planner, Step};
use super::program::{Clause, Goal, Layer, Program};
use super::solve::{Fuel, Instance, Sink, Solver};
use super::table::{Table, View};
use super::term::{Id, Term, Terms};
use super::{EvalError, State, wellfounded};
use crate::limits::Limits;
use crate::rules::{RelationId, Rules};

pub(super) struct Machine {
    pub(super) program: Program,
    pub(super) terms: Terms,
    pub(super) tables: Vec<Table>,
    views: Vec<View>,
    /// The views of each relation.
    views_of: Vec<Vec<usize>>,
    /// Which components are up to date.
    done: Vec<bool>,
    fuel: Fuel,
    max_atoms: usize,
    /// The state the tables hold, and the players and moves.
    state: Option<State>,
    moves: Option<Vec<(Id, Id)>>,
}

impl Machine {
    pub(super) fn new(program: Program, terms: Terms, limits: &Limits) -> Self {
        let n_relations = program.component_of.len();
        let mut views_of = vec![Vec::new(); n_relations];
        for (view, (relation, _)) in program.shapes.iter().enumerate() {
            views_of[*relation].push(view);
        }
        Self {
            views_of,
            tables: (0..n_relations).map(|_| Table::default()).collect(),
            views: program.shapes.iter().map(|(_, shape)| View::new(shape.clone())).collect(),
            done: vec![false; program.components.len()],
            fuel: Fuel { left: limits.fuel, limit: limits.fuel },
            max_atoms: limits.max_atoms,
            state: None,
            moves: None,
            program,
            terms,
        }
    }

    /// Makes `state` and the joint move the current ones, with a full tank.
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
            self.clear(&[fact]);
            for fluent in state {
                let id = self.terms.id(&rules.symbols, fluent)?;
                self.tables[fact].insert(&[id]);
            }
            self.state = Some(state.clone());
        }
        if self.moves.as_ref() != Some(&moves) {
            self.moves = None;
            self.forget(Layer::Moves);
            self.clear(&[does]);
            for &(role, action) in &moves {
                self.tables[does].insert(&[role, action]);
            }
            self.moves = Some(moves);
        }
        Ok(())
    }

    pub(super) fn refuel(&mut self) {
        self.fuel.left = self.fuel.limit;
    }

    fn forget(&mut self, layer: Layer) {
        for (done, component) in self.done.iter_mut().zip(&self.program.components) {
            *done &= component.layer < layer;
        }
    }

    fn clear(&mut self, relations: &[usize]) {
        for &relation in relations {
            self.tables[relation].clear();
            for &view in &self.views_of[relation] {
                self.views[view].clear();
            }
        }
    }

    /// Brings the components up to date; each must stand behind those it depends on.
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
        let negative_cycle = component.negative_cycle;
        self.clear(&relations);
        self.fixpoint(number, if negative_cycle { Mode::Optimistic } else { Mode::Derive })?;
        if !negative_cycle {
            return Ok(());
        }
        let mut instances = Vec::new();
        for clause in 0..self.program.components[number].clauses.len() {
            self.run(number, clause, None, Mode::Instances, Some(&mut instances))?;
        }
        self.clear(&relations);
        match wellfounded::solve(&instances, &mut self.fuel)? {
            Ok(atoms) => {
                for atom in atoms {
                    self.tables[atom[0] as usize].insert(&atom[1..]);
                }
                Ok(())
            }
            Err(undefined) => Err(EvalError::Unstratified { atom: self.describe(&undefined, rules) }),
        }
    }

    /// Semi-naive evaluation: every derivation uses an atom that was new in the round before.
    fn fixpoint(&mut self, number: usize, mode: Mode) -> Result<(), EvalError> {
        let relations = self.program.components[number].relations.clone();
        let component = &self.program.components[number];
        let n_variants: Vec<usize> = component.clauses.iter().map(|clause| clause.variants.len()).collect();
        // A clause that needs an atom of the component gives nothing yet.
        let waits = |goal: &Goal| matches!(goal, Goal::Holds(atom) if relations.contains(&atom.relation));
        let waiting: Vec<bool> =
            component.clauses.iter().map(|clause| clause.body.iter().any(waits)).collect();
        for (clause, _) in waiting.iter().enumerate().filter(|&(_, &waits)| !waits) {
            self.run(number, clause, None, mode, None)?;
        }
        let mut from: Vec<usize> = vec![0; relations.len()];
        loop {
            let to: Vec<usize> = relations.iter().map(|&relation| self.tables[relation].len()).collect();
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
                        self.run(number, clause, Some(delta), mode, None)?;
                    }
                }
            }
            from = to;
        }
    }

    /// Runs a clause, or a variant of it whose first atom ranges over some tuples only.
    fn run(
        &mut self,
        number: usize,
        clause: usize,
        delta: Option<(usize, usize, usize)>,
        mode: Mode,
        instances: Option<&mut Vec<Instance>>,
    ) -> Result<(), EvalError> {
        let Clause { head, body, n_variables, variants } = &self.program.components[number].clauses[clause];
        let mut planner = Planner {
            tables: &self.tables,
            views: &mut self.views,
            terms: &self.terms,
            mode,
            component_of: &self.program.component_of,
            component: number,
        };
        let goals = delta.map_or(body, |(variant, ..)| &variants[variant]);
        let range = delta.map(|(_, from, to)| (from, to));
        let steps: Vec<Step<'_>> = planner.plan(head, *n_variables, goals, range)?;
        let mut solver = Solver {
            head,
            views: &self.views,
            tables: &mut self.tables,
            terms: &mut self.terms,
            fuel: &mut self.fuel,
            max_atoms: self.max_atoms,
            sink: instances.map_or(Sink::Table, Sink::Instances),
            binding: vec![None; *n_variables],
            trail: Vec::new(),
            passed: Vec::new(),
        };
        solver.run(&steps)
    }

    /// The atoms a demanded relation has.
    pub(super) fn tuples(&self, relation: RelationId) -> &[Box<[Id]>] {
        self.tables[relation.index()].tuples()
    }

    /// The terms of some ids, sorted, each once.
    pub(super) fn sorted(&mut self, rules: &Rules, ids: &[Id]) -> Vec<Term> {
        let mut list: Vec<Term> = ids.iter().map(|&id| self.terms.term(&rules.symbols, id)).collect();
        list.sort_unstable();
        list.dedup();
        list
    }

    fn describe(&mut self, atom: &[u32], rules: &Rules) -> String {
        let name = rules.relation_name(RelationId(atom[0]));
        if atom.len() == 1 {
            return name.to_owned();
        }
        let mut text = format!("({name}");
        for &argument in &atom[1..] {
            text.push(' ');
            text.push_str(self.terms.term(&rules.symbols, argument).as_str());
        }
        text + ")"
    }
}
