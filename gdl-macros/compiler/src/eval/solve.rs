//! Runs one plan: finds all bindings that satisfy a body and derives the head for each.
//!
//! In come [`Step`]s, up-to-date views and the tables; out go new tuples of the head's table or, for
//! a component with a negative cycle, instances of the clause. Backtracking recurses once per step,
//! so no deeper than a body is long.

use super::EvalError;
use super::plan::{Rows, Step};
use super::program::{Atom, Leaf, Pattern};
use super::table::{END, Table, View};
use super::term::{Id, Terms};

/// How many steps may still be taken.
pub(super) struct Fuel {
    pub(super) left: u64,
    pub(super) limit: u64,
}

impl Fuel {
    pub(super) fn burn(&mut self, steps: u64) -> Result<(), EvalError> {
        match self.left.checked_sub(steps) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(EvalError::Fuel { limit: self.limit }),
        }
    }
}

/// A ground atom: its relation, then its arguments.
pub(super) type GroundAtom = Box<[u32]>;

/// A clause's instance; only atoms of the head's own component are kept.
pub(super) struct Instance {
    pub(super) head: GroundAtom,
    pub(super) positive: Vec<GroundAtom>,
    pub(super) negative: Vec<GroundAtom>,
}

/// Where solutions go.
pub(super) enum Sink<'s> {
    Table,
    Instances(&'s mut Vec<Instance>),
}

pub(super) struct Solver<'s> {
    pub(super) head: &'s Atom,
    pub(super) views: &'s [View],
    pub(super) tables: &'s mut [Table],
    pub(super) terms: &'s mut Terms,
    pub(super) fuel: &'s mut Fuel,
    pub(super) max_atoms: usize,
    pub(super) sink: Sink<'s>,
    pub(super) binding: Vec<Option<Id>>,
    /// Variables bound so far, in order, so that they can be unbound.
    pub(super) trail: Vec<usize>,
    /// Atoms of the component passed on the way, for instances.
    pub(super) passed: Vec<(&'s Atom, bool)>,
}

/// What follows a branch.
struct Rest<'r, 's> {
    steps: &'r [Step<'s>],
    rest: Option<&'r Rest<'r, 's>>,
}

impl<'s> Solver<'s> {
    pub(super) fn run(&mut self, steps: &[Step<'s>]) -> Result<(), EvalError> {
        self.solve(steps, None).map(|_| ())
    }

    /// True if the steps and the rest were satisfied at least once.
    fn solve(&mut self, steps: &[Step<'s>], rest: Option<&Rest<'_, 's>>) -> Result<bool, EvalError> {
        self.fuel.burn(1)?;
        let Some((step, tail)) = steps.split_first() else {
            return match rest {
                None => self.emit(),
                Some(rest) => self.solve(rest.steps, rest.rest),
            };
        };
        match step {
            Step::Scan { atom, rows, once, record } => {
                if *record {
                    self.passed.push((atom, true));
                }
                let found = self.scan(atom, rows, *once, tail, rest)?;
                if *record {
                    self.passed.pop();
                }
                Ok(found)
            }
            Step::Member { atom, positive, record } => {
                if *record {
                    self.passed.push((atom, *positive));
                }
                // An atom to be recorded as negative is left open, not tested.
                let open = *record && !positive;
                let found = (open || self.is_member(atom) == *positive) && self.solve(tail, rest)?;
                if *record {
                    self.passed.pop();
                }
                Ok(found)
            }
            Step::Compare { left, right, equal } => {
                let same = self.build(left)? == self.build(right)?;
                Ok(same == *equal && self.solve(tail, rest)?)
            }
            Step::Any { branches, once } => {
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
            Step::Cut => {
                let head = self.build_all(self.head)?;
                Ok(!self.tables[self.head.relation].contains(&head) && self.solve(tail, rest)?)
            }
        }
    }

    fn scan(
        &mut self,
        atom: &Atom,
        rows: &Rows,
        once: bool,
        tail: &[Step<'s>],
        rest: Option<&Rest<'_, 's>>,
    ) -> Result<bool, EvalError> {
        let views = self.views;
        let view = &views[atom.shape];
        let mut found = false;
        let (mut row, end, index) = match rows {
            Rows::Range(from, to) => (*from, *to, None),
            Rows::Index { index, columns } => {
                let values = columns.iter().filter_map(|&column| self.leaf(atom.leaves[column]));
                (view.first(*index, values), END, Some(*index))
            }
        };
        while row != end {
            self.fuel.burn(1)?;
            let before = self.trail.len();
            if self.fits(&atom.leaves, view.row(row)) {
                found |= self.solve(tail, rest)?;
            }
            self.unbind(before);
            if found && once {
                break;
            }
            row = match index {
                None => row + 1,
                Some(index) => view.next(index, row),
            };
        }
        Ok(found)
    }

    /// Binds the leaves' variables to the row's values; false if some value does not fit.
    fn fits(&mut self, leaves: &[Leaf], row: &[Id]) -> bool {
        leaves.iter().zip(row).all(|(&leaf, &value)| match (self.leaf(leaf), leaf) {
            (Some(known), _) => known == value,
            (None, Leaf::Variable(variable)) => {
                self.binding[variable] = Some(value);
                self.trail.push(variable);
                true
            }
            (None, Leaf::Ground(_)) => false,
        })
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

    fn is_member(&self, atom: &Atom) -> bool {
        let tuple: Option<Vec<Id>> = atom.arguments.iter().map(|a| self.find(a)).collect();
        tuple.is_some_and(|tuple| self.tables[atom.relation].contains(&tuple))
    }

    /// The term of a bound pattern, if it was ever met; a tuple with a new term is in no table.
    fn find(&self, pattern: &Pattern) -> Option<Id> {
        match pattern {
            Pattern::Variable(variable) => self.binding[*variable],
            Pattern::Ground(id) => Some(*id),
            Pattern::Function(symbol, arguments) => {
                let mut key = vec![*symbol];
                for argument in arguments {
                    key.push(self.find(argument)?);
                }
                self.terms.find(&key)
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
                self.terms.intern(&key)
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

    fn emit(&mut self) -> Result<bool, EvalError> {
        match &mut self.sink {
            Sink::Table => {
                let tuple = self.build_all(self.head)?;
                let table = &mut self.tables[self.head.relation];
                table.insert(&tuple);
                if table.len() > self.max_atoms {
                    return Err(EvalError::Atoms { limit: self.max_atoms });
                }
            }
            Sink::Instances(_) => {
                let head = self.ground_atom(self.head)?;
                let mut instance = Instance { head, positive: Vec::new(), negative: Vec::new() };
                for i in 0..self.passed.len() {
                    let (atom, positive) = self.passed[i];
                    let atom = self.ground_atom(atom)?;
                    if positive { instance.positive.push(atom) } else { instance.negative.push(atom) }
                }
                if let Sink::Instances(instances) = &mut self.sink {
                    instances.push(instance);
                    if instances.len() > self.max_atoms {
                        return Err(EvalError::Atoms { limit: self.max_atoms });
                    }
                }
            }
        }
        Ok(true)
    }
}
