//! The ground program in one state: the atoms that hold, and the rules that derive them.
//!
//! The truth of each atom takes time in proportion to the ground program. Play runs on the net;
//! this is for the questions that only rules can answer: which rule gave an atom, and which rules
//! never give any.

use super::{GroundRules, Literal, Meaning, stratified, terms::AtomId};

impl GroundRules {
    /// The truth of each atom, by its index, in the state where `holds` is true of exactly the
    /// fluents that hold, and no move is made. O(ground rules).
    #[must_use]
    pub fn truths(&self, holds: impl Fn(u32) -> bool) -> Vec<bool> {
        stratified::evaluate(self, |meaning| matches!(meaning, Meaning::Fluent(fluent) if holds(fluent)))
    }

    /// The truth of each atom, by its index, in the state where `holds` is true of exactly the
    /// fluents that hold, when each role makes its move of `joint`. O(ground rules).
    #[must_use]
    pub fn truths_of_step(&self, holds: impl Fn(u32) -> bool, joint: &[u32]) -> Vec<bool> {
        stratified::evaluate(self, |meaning| match meaning {
            Meaning::Fluent(fluent) => holds(fluent),
            Meaning::Does(role, action) => joint.get(role as usize) == Some(&action),
            Meaning::Derived => false,
        })
    }

    /// Marks the rules that have an instance that holds in `fired`, which has an entry for each of
    /// [`Rules::rules`](crate::Rules::rules). A rule that grounding took apart fires when all of it
    /// holds. O(ground rules).
    pub fn mark_fired(&self, truths: &[bool], fired: &mut [bool]) {
        for (rule, body) in self.named() {
            fired[rule] |= body.iter().all(|l| truths[l.atom().index()] != l.is_negated());
        }
    }

    /// The rules that have instances, an entry for each of [`Rules::rules`](crate::Rules::rules).
    /// Static rules have none, since only their facts remain; nor have those that were replaced by
    /// others.
    #[must_use]
    pub fn with_instances(&self) -> Vec<bool> {
        let mut rules = vec![false; self.places.len()];
        self.named().for_each(|(rule, _)| rules[rule] = true);
        rules
    }

    /// The instances for atoms of the rules' own relations: the rule each comes from and its body.
    fn named(&self) -> impl Iterator<Item = (usize, &[Literal])> {
        let named = (0..self.meaning.len() as u32).map(AtomId).filter(|atom| !self.auxiliary[atom.index()]);
        named.flat_map(|atom| self.instances(atom))
    }

    /// The rules that can never fire, as grounding shows, though the game rests on their relations:
    /// an entry for each of [`Rules::rules`](crate::Rules::rules).
    #[must_use]
    pub fn silent(&self) -> &[bool] {
        &self.silent
    }

    /// The number of literals of all instances: what a look at all of them takes.
    #[must_use]
    pub fn literals(&self) -> usize {
        self.literals.len()
    }

    /// The first rule that gives `atom`, an index into [`Rules::rules`](crate::Rules::rules).
    #[must_use]
    pub fn firing(&self, atom: AtomId, truths: &[bool]) -> Option<usize> {
        self.instances(atom)
            .find(|(_, body)| body.iter().all(|l| truths[l.atom().index()] != l.is_negated()))
            .map(|(rule, _)| rule)
    }
}
