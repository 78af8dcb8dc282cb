//! Joins: plans executed over the facts found so far.
//!
//! Each step of a plan costs fuel. A lookup costs more for a longer key, and a test for more
//! symbols and variables. Steps are spent one by one.

use super::{
    clause::{Clause, Literal, Test},
    facts::Facts,
    plan::JoinStep,
    terms::{AtomId, Atoms, TermId, Terms},
};
use crate::meter::Meter;

/// The execution of a plan over facts, which counts its steps.
pub(super) struct Walk<'a> {
    pub(super) clause: &'a Clause,
    pub(super) facts: &'a Facts,
    pub(super) atoms: &'a Atoms,
    pub(super) terms: &'a Terms,
    pub(super) dynamic: &'a [bool],
    /// The steps of plans that may still be taken; at zero the walk ends early.
    pub(super) steps: u64,
    /// The meter that pays for the steps. If it runs out, `steps` becomes zero.
    pub(super) meter: &'a mut Meter,
    /// The greatest number of bindings; the walk ends early when there are more.
    pub(super) room: usize,
    /// The number of last steps of the plan for which one binding is enough.
    pub(super) last: usize,
    /// The number of bindings found.
    pub(super) hits: usize,
    /// The bindings found. A row has one entry for each variable and each positive literal of the
    /// clause.
    pub(super) found: Vec<TermId>,
    /// The least number of remaining steps of the plan that any path has reached.
    pub(super) left: usize,
    /// A scratch stack for building terms and keys.
    stack: Vec<TermId>,
}

impl<'a> Walk<'a> {
    /// Creates a walk of at most `steps` steps.
    pub(super) fn new(
        clause: &'a Clause,
        facts: &'a Facts,
        (atoms, terms): (&'a Atoms, &'a Terms),
        dynamic: &'a [bool],
        steps: u64,
        meter: &'a mut Meter,
    ) -> Self {
        let (room, left) = (usize::MAX, usize::MAX);
        let (last, hits, found, stack) = (0, 0, Vec::new(), Vec::new());
        Self { clause, facts, atoms, terms, dynamic, steps, meter, room, last, hits, found, left, stack }
    }

    /// Collects all bindings of the plan's remaining steps. Recurses once per step.
    pub(super) fn run(&mut self, steps: &[JoinStep], bindings: &mut [TermId]) {
        if self.steps == 0 || self.hits > self.room {
            return;
        }
        // At the end of the plan, the binding is copied to `found`.
        let cost = steps.first().map_or(1 + bindings.len() as u64 / 8, JoinStep::cost);
        if self.meter.spend(cost).is_none() {
            self.steps = 0;
            return;
        }
        self.steps -= 1;
        self.left = self.left.min(steps.len());
        let Some((step, rest)) = steps.split_first() else {
            self.hits += 1;
            self.found.extend_from_slice(bindings);
            return;
        };
        match step {
            JoinStep::Test { test, .. } => {
                let clause = self.clause;
                if self.decide(&clause.tests[*test], bindings) != Some(false) {
                    self.run(rest, bindings);
                }
            }
            JoinStep::Check { place, .. } => {
                let clause = self.clause;
                let Some(atom) = self.find(&clause.positives[*place], bindings) else { return };
                if self.facts.has_entered(atom) {
                    bindings[clause.slot(*place)] = TermId(atom.0);
                    self.run(rest, bindings);
                }
            }
            JoinStep::Lookup { place, index, key, free, .. } => {
                let start = self.stack.len();
                self.stack.extend(key.iter().map(|&v| bindings[v as usize]));
                let facts = self.facts;
                let rows = facts.rows(*index, &self.stack[start..]);
                self.stack.truncate(start);
                let slot = self.clause.slot(*place);
                let (is_last, before) = (steps.len() <= self.last, self.hits);
                for row in rows.chunks_exact(free.len() + 1) {
                    for (&variable, &value) in free.iter().zip(row) {
                        bindings[variable as usize] = value;
                    }
                    bindings[slot] = row[free.len()];
                    self.run(rest, bindings);
                    if is_last && self.hits > before {
                        break;
                    }
                }
            }
        }
    }

    /// The atom of a literal under bindings; `None` if it does not exist.
    fn find(&mut self, literal: &Literal, bindings: &[TermId]) -> Option<AtomId> {
        literal.find(self.atoms, self.terms, bindings, &mut self.stack)
    }

    /// Decides a test. Returns `None` if its truth depends on the state.
    pub(super) fn decide(&mut self, test: &Test, bindings: &[TermId]) -> Option<bool> {
        match test {
            Test::Literal(literal) => {
                if self.dynamic[literal.relation.index()] {
                    return None;
                }
                Some(self.find(literal, bindings).is_some_and(|atom| self.facts.contains(atom)))
            }
            Test::Distinct(left, right) => Some(!left.equals(right, self.terms, bindings, &mut self.stack)),
            Test::Not(inner) => self.decide(inner, bindings).map(|truth| !truth),
            Test::Or(branches) => {
                let mut unknown = false;
                for branch in branches {
                    match self.decide(branch, bindings) {
                        Some(true) => return Some(true),
                        Some(false) => {}
                        None => unknown = true,
                    }
                }
                if unknown { None } else { Some(false) }
            }
        }
    }
}
