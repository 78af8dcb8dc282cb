//! The ground program in one state: which atoms hold, and which rules say so.
//!
//! The truth of each atom takes time in proportion to the ground program. Play
//! runs on the net; this is for the questions that only rules can answer.

use super::{GroundRules, Meaning, stratified, terms::AtomId};

impl GroundRules {
    /// The truth of each atom, by its index, in the state where `holds` is true of exactly the fluents
    /// that hold, and no move is made. O(ground rules).
    #[must_use]
    pub fn truths(&self, holds: impl Fn(u32) -> bool) -> Vec<bool> {
        stratified::evaluate(self, |meaning| matches!(meaning, Meaning::Fluent(fluent) if holds(fluent)))
    }

    /// The first rule that gives `atom`, an index into [`Rules::rules`](crate::Rules::rules).
    #[must_use]
    pub fn firing(&self, atom: AtomId, truths: &[bool]) -> Option<usize> {
        self.instances(atom)
            .find(|(_, body)| body.iter().all(|l| truths[l.atom().index()] != l.is_negated()))
            .map(|(rule, _)| rule)
    }
}
