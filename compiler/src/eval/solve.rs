//! The interpreter of a plan, which finds all bindings that satisfy a body and derives the head for
//! each.
//!
//! The input is the [`EvalStep`]s of a plan, up-to-date views and the tables. The output is new
//! tuples of the head's table or, for a component with a negative cycle, instances of the clause.
//! Backtracking recurses once per step, so its depth is at most the length of a body.

use super::EvalError;
use super::plan::{EvalStep, Mode, Planner, Rows};
use super::program::{Atom, Clause, Goal, Leaf, Pattern, Program};
use super::store::{Derivation, EvalStore, FREE};
use super::table::{END, TupleTable};
use super::term::Id;
use std::sync::Arc;

/// A ground atom: its relation, then its arguments.
pub(super) type GroundAtom = Box<[u32]>;

/// An instance of a clause, without the atoms of other components.
pub(super) struct Instance {
    pub(super) head: GroundAtom,
    pub(super) positive: Vec<GroundAtom>,
    pub(super) negative: Vec<GroundAtom>,
}

/// The destination of solutions.
pub(super) enum Sink {
    /// The head's table, up to a number of tuples.
    Table {
        limit: usize,
    },
    /// A separate table, for an answer on demand.
    Answer(TupleTable),
    /// The values of the variables in the first solution.
    First(Option<Vec<Option<Id>>>),
    Instances(Vec<Instance>),
}

pub(super) struct Solver<'p, 's> {
    pub(super) program: &'p Program,
    pub(super) store: &'s mut EvalStore,
    pub(super) head: &'p Atom,
    /// The index of the clause in its component.
    pub(super) clause: usize,
    pub(super) sink: Sink,
    pub(super) binding: Vec<Option<Id>>,
    /// The variables bound so far, in order, so that backtracking can unbind them.
    trail: Vec<usize>,
    /// In [`Mode::Instances`], the component's atoms in the steps so far, each with true if it is
    /// positive.
    passed: Vec<(&'p Atom, bool)>,
}

/// The maximum number of nested queries on demand, which keeps the stack from overflowing.
const MAX_OPEN: usize = 64;

/// The steps after a branch of a disjunction.
struct Rest<'r, 'p> {
    steps: &'r [EvalStep<'p>],
    rest: Option<&'r Rest<'r, 'p>>,
}

impl<'p, 's> Solver<'p, 's> {
    pub(super) fn new(
        program: &'p Program,
        store: &'s mut EvalStore,
        component: usize,
        clause: usize,
        sink: Sink,
    ) -> Self {
        let Clause { head, n_variables, .. } = &program.components[component].clauses[clause];
        let binding = vec![None; *n_variables];
        Self { program, store, head, clause, sink, binding, trail: Vec::new(), passed: Vec::new() }
    }

    pub(super) fn run(&mut self, steps: &[EvalStep<'p>]) -> Result<(), EvalError> {
        self.solve(steps, None).map(|_| ())
    }

    /// Plans and runs the goals of a body, given the arguments of the head except those that are
    /// [`FREE`].
    pub(super) fn run_given(
        &mut self,
        goals: &'p [Goal],
        component: usize,
        arguments: &[Id],
    ) -> Result<(), EvalError> {
        let head = self.head;
        let mut given = head.arguments.iter().zip(arguments).filter(|&(_, &id)| id != FREE);
        if !given.all(|(pattern, &id)| self.matches(pattern, id)) {
            return Ok(());
        }
        let bound = self.binding.iter().map(Option::is_some).collect();
        let (program, mode) = (self.program, Mode::Derive);
        let mut planner = Planner { program, store: &mut *self.store, mode, component };
        let steps = planner.plan(head, bound, goals, None)?;
        self.run(&steps)
    }

    /// Runs the steps and the rest. Returns true if they were satisfied at least once.
    fn solve(&mut self, steps: &[EvalStep<'p>], rest: Option<&Rest<'_, 'p>>) -> Result<bool, EvalError> {
        self.store.fuel.burn(1)?;
        let Some((step, tail)) = steps.split_first() else {
            return match rest {
                None => self.emit(),
                Some(rest) => self.solve(rest.steps, rest.rest),
            };
        };
        match step {
            EvalStep::Scan { atom, rows, once, record } => {
                if *record {
                    self.passed.push((atom, true));
                }
                let found = self.scan(atom, rows, *once, tail, rest)?;
                if *record {
                    self.passed.pop();
                }
                Ok(found)
            }
            EvalStep::Ask { atom, once } => self.try_answer(atom, *once, tail, rest),
            EvalStep::Member { atom, positive, record } => {
                if *record {
                    self.passed.push((atom, *positive));
                }
                // A negative atom that is recorded is left open, not tested.
                let open = *record && !positive;
                let found = (open || self.is_member(atom)? == *positive) && self.solve(tail, rest)?;
                if *record {
                    self.passed.pop();
                }
                Ok(found)
            }
            EvalStep::Compare { left, right, equal } => {
                let same = self.build(left)? == self.build(right)?;
                Ok(same == *equal && self.solve(tail, rest)?)
            }
            EvalStep::Any { branches, once } => {
                let rest = Rest { steps: tail, rest };
                let mut found = false;
                for branch in branches {
                    found |= self.solve(branch, Some(&rest))?;
                    if found && *once {
                        break;
                    }
                }
                Ok(found)
            }
            EvalStep::Cut => {
                let head = self.build_all(self.head)?;
                Ok(!self.is_known(&head) && self.solve(tail, rest)?)
            }
        }
    }

    fn scan(
        &mut self,
        atom: &Atom,
        rows: &Rows,
        once: bool,
        tail: &[EvalStep<'p>],
        rest: Option<&Rest<'_, 'p>>,
    ) -> Result<bool, EvalError> {
        let mut found = false;
        let (mut row, end, index) = match rows {
            Rows::Range(from, to) => (*from, *to, None),
            Rows::Index { index, columns } => {
                let values = columns.iter().filter_map(|&column| self.leaf(atom.leaves[column]));
                (self.store.views[atom.shape].first(*index, values), END, Some(*index))
            }
        };
        while row != end {
            self.store.fuel.burn(1)?;
            let before = self.trail.len();
            if self.fits(atom, row) {
                found |= self.solve(tail, rest)?;
            }
            self.unbind(before);
            if found && once {
                break;
            }
            row = match index {
                None => row + 1,
                Some(index) => self.store.views[atom.shape].next(index, row),
            };
        }
        Ok(found)
    }

    /// Binds the variables of the leaves to the values of a row. Returns false if a value does not
    /// match.
    fn fits(&mut self, atom: &Atom, row: usize) -> bool {
        let row = self.store.views[atom.shape].row(row);
        atom.leaves.iter().zip(row).all(|(&leaf, &value)| match leaf {
            Leaf::Ground(id) => id == value,
            Leaf::Variable(variable) => {
                let known = *self.binding[variable].get_or_insert_with(|| {
                    self.trail.push(variable);
                    value
                });
                known == value
            }
        })
    }

    /// Matches a pattern with a term, and binds its variables. Returns false if they do not match.
    fn matches(&mut self, pattern: &Pattern, id: Id) -> bool {
        match pattern {
            Pattern::Ground(known) => *known == id,
            Pattern::Variable(variable) => {
                let known = *self.binding[*variable].get_or_insert_with(|| {
                    self.trail.push(*variable);
                    id
                });
                known == id
            }
            Pattern::Function(symbol, arguments) => {
                let n = arguments.len() + 1;
                (0..n).all(|i| {
                    let key = self.store.terms.key(id);
                    if i == 0 {
                        return key[0] == *symbol && key.len() == n;
                    }
                    let argument = key[i];
                    self.matches(&arguments[i - 1], argument)
                })
            }
        }
    }

    fn unbind(&mut self, length: usize) {
        for variable in self.trail.drain(length..) {
            self.binding[variable] = None;
        }
    }

    fn leaf(&self, leaf: Leaf) -> Option<Id> {
        match leaf {
            Leaf::Variable(variable) => self.binding[variable],
            Leaf::Ground(id) => Some(id),
        }
    }

    fn is_member(&mut self, atom: &Atom) -> Result<bool, EvalError> {
        if self.store.is_on_demand(atom.relation) {
            return Ok(self.answer(atom)?.len() > 0);
        }
        let tuple: Option<Vec<Id>> = atom.arguments.iter().map(|a| self.find(a)).collect();
        Ok(tuple.is_some_and(|tuple| self.store.tables[atom.relation].contains(&tuple)))
    }

    /// Returns the term of a bound pattern, if it is interned. A tuple with a new term is in no
    /// table.
    fn find(&self, pattern: &Pattern) -> Option<Id> {
        match pattern {
            Pattern::Variable(variable) => self.binding[*variable],
            Pattern::Ground(id) => Some(*id),
            Pattern::Function(symbol, arguments) => {
                let mut key = vec![*symbol];
                for argument in arguments {
                    key.push(self.find(argument)?);
                }
                self.store.terms.find(&key)
            }
        }
    }

    fn build(&mut self, pattern: &Pattern) -> Result<Id, EvalError> {
        match pattern {
            Pattern::Variable(variable) => self.binding[*variable].ok_or(EvalError::Unsafe),
            Pattern::Ground(id) => Ok(*id),
            Pattern::Function(symbol, arguments) => {
                let mut key = vec![*symbol];
                for argument in arguments {
                    key.push(self.build(argument)?);
                }
                self.store.terms.intern(&key)
            }
        }
    }

    fn build_all(&mut self, atom: &Atom) -> Result<Vec<Id>, EvalError> {
        atom.arguments.iter().map(|argument| self.build(argument)).collect()
    }

    fn ground_atom(&mut self, atom: &Atom) -> Result<GroundAtom, EvalError> {
        let mut ground = vec![atom.relation as u32];
        ground.extend(self.build_all(atom)?);
        Ok(ground.into())
    }

    /// Returns whether a head is derived already.
    fn is_known(&self, head: &[Id]) -> bool {
        match &self.sink {
            Sink::Table { .. } => self.store.tables[self.head.relation].contains(head),
            Sink::Answer(table) => table.contains(head),
            Sink::First(found) => found.is_some(),
            Sink::Instances(_) => false,
        }
    }

    fn emit(&mut self) -> Result<bool, EvalError> {
        let tuple = self.build_all(self.head)?;
        let (size, limit) = match &mut self.sink {
            Sink::Table { limit } => {
                let table = &mut self.store.tables[self.head.relation];
                let before = table.len();
                table.insert(&tuple);
                if let Some(derivations) = &mut self.store.derivations
                    && before < table.len()
                {
                    let derivation = Derivation { clause: self.clause, binding: self.binding.clone() };
                    derivations[self.head.relation].push(derivation);
                }
                (table.len(), *limit)
            }
            Sink::Answer(table) => {
                table.insert(&tuple);
                (table.len(), self.store.max_answer)
            }
            Sink::First(found) => {
                found.get_or_insert_with(|| self.binding.clone());
                return Ok(true);
            }
            Sink::Instances(_) => {
                let head = self.ground_atom(self.head)?;
                let mut instance = Instance { head, positive: Vec::new(), negative: Vec::new() };
                for i in 0..self.passed.len() {
                    let (atom, positive) = self.passed[i];
                    let atom = self.ground_atom(atom)?;
                    if positive { instance.positive.push(atom) } else { instance.negative.push(atom) }
                }
                let Sink::Instances(instances) = &mut self.sink else { return Ok(true) };
                instances.push(instance);
                (instances.len(), self.store.max_atoms)
            }
        };
        if size > limit { Err(EvalError::Atoms { limit }) } else { Ok(true) }
    }

    fn try_answer(
        &mut self,
        atom: &Atom,
        once: bool,
        tail: &[EvalStep<'p>],
        rest: Option<&Rest<'_, 'p>>,
    ) -> Result<bool, EvalError> {
        let answer = self.answer(atom)?;
        let mut found = false;
        for i in 0..answer.len() {
            self.store.fuel.burn(1)?;
            let before = self.trail.len();
            if atom.arguments.iter().zip(answer.tuple(i)).all(|(a, &id)| self.matches(a, id)) {
                found |= self.solve(tail, rest)?;
            }
            self.unbind(before);
            if found && once {
                break;
            }
        }
        Ok(found)
    }

    /// Returns the tuples of a relation on demand that agree with the atom's bound arguments.
    /// Answers are cached.
    fn answer(&mut self, atom: &Atom) -> Result<Arc<TupleTable>, EvalError> {
        let mut arguments = Vec::new();
        for argument in &atom.arguments {
            let mut bound = true;
            argument.for_each_variable(&mut |variable| bound &= self.binding[variable].is_some());
            arguments.push(if bound { self.build(argument)? } else { FREE });
        }
        if let Some(known) = self.store.answers[atom.relation].as_ref().and_then(|a| a.find(&arguments)) {
            return Ok(known);
        }
        self.store.n_open += 1;
        if self.store.n_open > MAX_OPEN {
            return Err(EvalError::Atoms { limit: self.store.max_atoms });
        }
        let component = self.program.component_of[atom.relation];
        let mut answer = TupleTable::new(arguments.len());
        for (number, clause) in self.program.components[component].clauses.iter().enumerate() {
            let sink = Sink::Answer(answer);
            let mut solver = Solver::new(self.program, &mut *self.store, component, number, sink);
            solver.run_given(&clause.body, component, &arguments)?;
            let Sink::Answer(table) = solver.sink else { return Err(EvalError::Unsafe) };
            answer = table;
        }
        self.store.n_open -= 1;
        let answer = Arc::new(answer);
        if let Some(answers) = &mut self.store.answers[atom.relation]
            && answers.keep(&arguments, answer.clone()) > self.store.max_atoms
        {
            return Err(EvalError::Atoms { limit: self.store.max_atoms });
        }
        Ok(answer)
    }
}
