//! The relations that play needs, directly or through others.
//!
//! Play evaluates `role`, `init`, `legal`, `next`, `goal`, `terminal` and `sees`. `base` and
//! `input` list the fluents and moves, which the compiler finds itself, so play needs them only if
//! rules read them. A rule for a relation that is not needed can be left out without changing the
//! game. O(text).

use crate::rules::{RelationId, Rules};

/// Returns for each relation true if play needs it.
pub(super) fn find(rules: &Rules) -> Vec<bool> {
    let mut bodies: Vec<Vec<RelationId>> = vec![Vec::new(); rules.relations.len()];
    for rule in &rules.rules {
        let body = &mut bodies[rule.head.relation.index()];
        rule.body.iter().for_each(|formula| formula.for_each_atom(&mut |atom, _| body.push(atom.relation)));
    }
    let k = rules.keywords;
    let mut waiting = vec![k.role, k.init, k.legal, k.next, k.goal, k.terminal, k.sees, k.fact, k.does];
    let mut needed = vec![false; rules.relations.len()];
    while let Some(relation) = waiting.pop() {
        if !std::mem::replace(&mut needed[relation.index()], true) {
            waiting.append(&mut bodies[relation.index()]);
        }
    }
    needed
}
