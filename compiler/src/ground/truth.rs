//! The ground program in one state: the atoms that hold, and the rules that derive them.
//!
//! Computing the truth of all atoms takes time in proportion to the ground program. Play runs on
//! the net. This module answers the questions that only rules can answer: which rule derives an
//! atom, and which rules never derive one. Closures are trait objects, so that the functions are
//! compiled in this crate.

use super::{GroundRules, Literal, Meaning, stratified, terms::AtomId};

impl GroundRules {
    /// Computes the truth of each atom, by its index, in a state where no move is made. `holds`
    /// returns whether a fluent holds there. O(ground rules).
    #[must_use]
    pub fn truths(&self, holds: &dyn Fn(u32) -> bool) -> Vec<bool> {
        stratified::evaluate(self, |meaning| matches!(meaning, Meaning::Fluent(fluent) if holds(fluent)))
    }

    /// Computes the truth of each atom, by its index, when each role makes its move of `joint`.
    /// `holds` returns whether a fluent holds in the state. O(ground rules).
    #[must_use]
    pub fn truths_of_step(&self, holds: &dyn Fn(u32) -> bool, joint: &[u32]) -> Vec<bool> {
        stratified::evaluate(self, |meaning| match meaning {
            Meaning::Fluent(fluent) => holds(fluent),
            Meaning::Does(role, action) => joint.get(role as usize) == Some(&action),
            Meaning::Derived => false,
        })
    }

    /// Sets the entries in `fired` of the rules with a true instance. `fired` has an entry for each
    /// of [`Rules::rules`](crate::Rules::rules). A rule that grounding split fires if all of its
    /// parts hold. O(ground rules).
    pub fn mark_fired(&self, truths: &[bool], fired: &mut [bool]) {
        for (rule, body) in self.named() {
            fired[rule] |= body.iter().all(|l| truths[l.atom().index()] != l.is_negated());
        }
    }

    /// For each of [`Rules::rules`](crate::Rules::rules), returns true if it has instances. Static
    /// rules have none, since only their facts remain. Rules that were replaced by others have none
    /// either.
    #[must_use]
    pub fn with_instances(&self) -> Vec<bool> {
        let mut rules = vec![false; self.places.len()];
        self.named().for_each(|(rule, _)| rules[rule] = true);
        rules
    }

    /// The instances for atoms of the rules' own relations: the rule of each and its body.
    fn named(&self) -> impl Iterator<Item = (usize, &[Literal])> {
        let named = (0..self.meaning.len() as u32).map(AtomId).filter(|atom| !self.auxiliary[atom.index()]);
        named.flat_map(|atom| self.instances(atom))
    }

    /// For each of [`Rules::rules`](crate::Rules::rules), returns true if the rule is silent:
    /// grounding shows that it never fires, although the game depends on its relation.
    #[must_use]
    pub fn silent(&self) -> &[bool] {
        &self.silent
    }

    /// The number of literals of all instances: the cost of visiting all of them.
    #[must_use]
    pub fn literals(&self) -> usize {
        self.literals.len()
    }

    /// The first rule that derives `atom`, an index into [`Rules::rules`](crate::Rules::rules).
    /// Returns `None` if no rule derives it. `truths` has the truth of each atom.
    #[must_use]
    pub fn firing(&self, atom: AtomId, truths: &[bool]) -> Option<usize> {
        self.instances(atom)
            .find(|(_, body)| body.iter().all(|l| truths[l.atom().index()] != l.is_negated()))
            .map(|(rule, _)| rule)
    }
}
