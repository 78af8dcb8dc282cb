//! The store of derived facts: tables, their views, and answers on demand.

use super::EvalError;
use super::program::Program;
use super::table::{TupleTable, TupleView};
use super::term::{Id, InternedTerms};
use crate::limits::Limits;
use crate::rules::Rules;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The budget of steps of a query.
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

/// The placeholder for an unbound argument of a query.
pub(super) const FREE: Id = Id::MAX;

/// The cached answers of a relation on demand.
#[derive(Default)]
pub(super) struct Answers {
    /// The tuples for each list of arguments.
    by_arguments: FxHashMap<Box<[Id]>, Arc<TupleTable>>,
    /// The number of answers plus the number of all their tuples.
    size: usize,
}

impl Answers {
    pub(super) fn find(&self, arguments: &[Id]) -> Option<Arc<TupleTable>> {
        self.by_arguments.get(arguments).cloned()
    }

    /// Adds an answer and returns the new size.
    pub(super) fn keep(&mut self, arguments: &[Id], tuples: Arc<TupleTable>) -> usize {
        self.size += tuples.len() + 1;
        self.by_arguments.insert(arguments.into(), tuples);
        self.size
    }
}

/// The first derivation of a tuple: the index of the clause in its component, and the values of the
/// clause's variables.
#[derive(Clone)]
pub(super) struct Derivation {
    pub(super) clause: usize,
    pub(super) binding: Vec<Option<Id>>,
}

pub(super) struct EvalStore {
    pub(super) terms: InternedTerms,
    /// The tables, by relation.
    pub(super) tables: Vec<TupleTable>,
    /// The views, by shape.
    pub(super) views: Vec<TupleView>,
    /// The indexes of the views of each relation.
    views_of: Vec<Vec<usize>>,
    /// The answers of relations on demand, by relation; `None` for other relations.
    pub(super) answers: Vec<Option<Answers>>,
    pub(super) fuel: Fuel,
    pub(super) max_atoms: usize,
    /// The most tuples of one answer.
    pub(super) max_answer: usize,
    /// The derivations of tuples, by relation and index in its table; `None` unless they are
    /// recorded.
    pub(super) derivations: Option<Vec<Vec<Derivation>>>,
    /// The number of nested queries in progress.
    pub(super) n_open: usize,
}

impl EvalStore {
    pub(super) fn new(rules: &Rules, program: &Program, terms: InternedTerms, limits: &Limits) -> Self {
        let mut views_of = vec![Vec::new(); rules.relations.len()];
        for (view, (relation, _)) in program.shapes.iter().enumerate() {
            views_of[*relation].push(view);
        }
        Self {
            terms,
            tables: rules.relations.iter().map(|relation| TupleTable::new(relation.arity)).collect(),
            views: program.shapes.iter().map(|(_, shape)| TupleView::new(shape.clone())).collect(),
            views_of,
            answers: rules.relations.iter().map(|_| None).collect(),
            fuel: Fuel { left: limits.fuel, limit: limits.fuel },
            max_atoms: limits.max_atoms,
            max_answer: limits.max_atoms,
            derivations: None,
            n_open: 0,
        }
    }

    /// Removes the tuples, rows and answers of a relation.
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

    /// Adds the new tuples of a relation to a view.
    pub(super) fn refresh(&mut self, relation: usize, view: usize) {
        self.views[view].refresh(&self.tables[relation], &self.terms);
    }
}
