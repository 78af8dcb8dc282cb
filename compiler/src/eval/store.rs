//! The derived facts: the tables, the views into them, and answers given on demand.

use super::EvalError;
use super::program::Program;
use super::table::{Table, View};
use super::term::{Id, Terms};
use crate::limits::Limits;
use crate::rules::Rules;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The steps that may still be taken.
pub(super) struct Fuel {
    left: u64,
    limit: u64,
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

    pub(super) fn refill(&mut self) {
        self.left = self.limit;
    }
}

/// The placeholder of an argument that is not given in a question.
pub(super) const FREE: Id = Id::MAX;

/// The answers of a relation that is asked about instead of being filled.
#[derive(Default)]
pub(super) struct Answers {
    /// The tuples that have the given arguments.
    by_arguments: FxHashMap<Box<[Id]>, Arc<Table>>,
    /// Questions and tuples kept.
    size: usize,
}

impl Answers {
    pub(super) fn find(&self, arguments: &[Id]) -> Option<Arc<Table>> {
        self.by_arguments.get(arguments).cloned()
    }

    /// Keeps an answer; the size afterwards.
    pub(super) fn keep(&mut self, arguments: &[Id], tuples: Arc<Table>) -> usize {
        self.size += tuples.len() + 1;
        self.by_arguments.insert(arguments.into(), tuples);
        self.size
    }
}

/// The first derivation of a tuple: the clause of its component, and the values of its variables.
#[derive(Clone)]
pub(super) struct Derivation {
    pub(super) clause: usize,
    pub(super) binding: Vec<Option<Id>>,
}

pub(super) struct Store {
    pub(super) terms: Terms,
    /// By relation.
    pub(super) tables: Vec<Table>,
    /// By shape.
    pub(super) views: Vec<View>,
    /// The views of each relation.
    views_of: Vec<Vec<usize>>,
    /// By relation; only for those that are asked about on demand.
    pub(super) answers: Vec<Option<Answers>>,
    pub(super) fuel: Fuel,
    pub(super) max_atoms: usize,
    /// Tuples of one answer.
    pub(super) max_answer: usize,
    /// The derivations of tuples, if they are kept: by relation and place in its table.
    pub(super) derivations: Option<Vec<Vec<Derivation>>>,
    /// Questions in the course of being answered, each for the sake of the one before.
    pub(super) n_open: usize,
}

impl Store {
    pub(super) fn new(rules: &Rules, program: &Program, terms: Terms, limits: &Limits) -> Self {
        let mut views_of = vec![Vec::new(); rules.relations.len()];
        for (view, (relation, _)) in program.shapes.iter().enumerate() {
            views_of[*relation].push(view);
        }
        Self {
            terms,
            tables: rules.relations.iter().map(|relation| Table::new(relation.arity)).collect(),
            views: program.shapes.iter().map(|(_, shape)| View::new(shape.clone())).collect(),
            views_of,
            answers: rules.relations.iter().map(|_| None).collect(),
            fuel: Fuel { left: limits.fuel, limit: limits.fuel },
            max_atoms: limits.max_atoms,
            max_answer: limits.max_atoms,
            derivations: None,
            n_open: 0,
        }
    }

    /// Forgets what was derived of a relation.
    pub(super) fn clear(&mut self, relation: usize) {
        self.tables[relation].clear();
        for &view in &self.views_of[relation] {
            self.views[view].clear();
        }
        if let Some(answers) = &mut self.answers[relation] {
            *answers = Answers::default();
        }
    }

    pub(super) fn is_on_demand(&self, relation: usize) -> bool {
        self.answers[relation].is_some()
    }

    /// Brings a view up to date.
    pub(super) fn refresh(&mut self, relation: usize, view: usize) {
        self.views[view].refresh(&self.tables[relation], &self.terms);
    }
}
