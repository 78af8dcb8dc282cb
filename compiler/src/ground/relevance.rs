//! The ground rules that the game depends on.
//!
//! [`trim`] keeps only those instances of [`GroundRules`] that `next`, `legal`, `goal`, `terminal`
//! or `sees` depend on, and the order of their heads. Atoms keep their numbers. O(literals of the
//! ground rules).

use super::{GroundRules, Literal, terms::AtomId};

/// Drops the instances on which no output depends. O(literals).
pub(super) fn trim(ground: &mut GroundRules) {
    let is_used = used(ground);
    let mut heads = Vec::with_capacity(ground.heads.len());
    let (mut bodies, mut literals, mut origins) = (vec![0], Vec::<Literal>::new(), Vec::new());
    heads.push(0);
    for atom in (0..ground.meaning.len() as u32).map(AtomId) {
        if is_used[atom.index()] {
            for (rule, body) in ground.instances(atom) {
                literals.extend_from_slice(body);
                bodies.push(literals.len() as u32);
                origins.push(rule as u32);
            }
        }
        heads.push(origins.len() as u32);
    }
    // If one atom of a cycle is used, all of them are.
    ground.order.retain(|group| group.iter().any(|atom| is_used[atom.index()]));
    (ground.heads, ground.bodies, ground.literals, ground.origins) = (heads, bodies, literals, origins);
}

/// For each atom, whether it is an output or some output depends on it.
fn used(ground: &GroundRules) -> Vec<bool> {
    let mut is_used = vec![false; ground.meaning.len()];
    let listed =
        |list: &[Vec<(u32, AtomId)>]| -> Vec<AtomId> { list.iter().flatten().map(|o| o.1).collect() };
    let mut pending: Vec<AtomId> = ground.next.iter().flatten().chain(&ground.terminal).copied().collect();
    pending.extend(listed(&ground.legal));
    pending.extend(ground.goal.iter().flatten().map(|output| output.1));
    pending.extend(ground.sees.iter().flat_map(|sees| listed(sees)));
    while let Some(atom) = pending.pop() {
        if !std::mem::replace(&mut is_used[atom.index()], true) {
            pending.extend(ground.bodies(atom).flatten().map(|literal| literal.atom()));
        }
    }
    is_used
}
