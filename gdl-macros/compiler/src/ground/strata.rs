//! Which relations are fixed and in which order they are computed.
//!
//! In come clauses, out goes a [`Strata`]: relations that can matter, those that depend on the
//! state or the moves (dynamic), and a level for each static one such that a relation lies above
//! everything it negates. A static relation on a negative cycle counts as dynamic: only the ground
//! program shows whether the cycle is real.

use super::clause::Clause;
use crate::rules::{Keywords, RelationId};

/// The classification of relations.
#[derive(Debug)]
pub(super) struct Strata {
    /// Whether the relation can matter to the game.
    pub(super) relevant: Vec<bool>,
    /// Whether the relation depends on the state or the moves, or is not stratified.
    pub(super) dynamic: Vec<bool>,
    /// For a static relation: the stage at which it is computed, from zero.
    pub(super) level: Vec<usize>,
    /// How many levels there are.
    pub(super) levels: usize,
}

/// Classifies the relations of `clauses`. O(clauses x relations) at worst.
pub(super) fn stratify(clauses: &[Clause], relations: usize, keywords: &Keywords) -> Strata {
    let Keywords { role, init, fact, does, next, legal, goal, terminal, sees, .. } = *keywords;
    let mut edges: Vec<Vec<(RelationId, bool)>> = vec![Vec::new(); relations];
    for clause in clauses {
        let from = &mut edges[clause.head.relation.index()];
        clause.for_each_literal(&mut |literal, negative| {
            if !from.contains(&(literal.relation, negative)) {
                from.push((literal.relation, negative));
            }
        });
    }

    let mut relevant = vec![false; relations];
    let mut pending = vec![role, init, next, legal, goal, terminal, sees];
    while let Some(relation) = pending.pop() {
        if !std::mem::replace(&mut relevant[relation.index()], true) {
            pending.extend(edges[relation.index()].iter().map(|&(to, _)| to));
        }
    }

    let mut dynamic = vec![false; relations];
    for relation in [fact, does, next, legal, goal, terminal, sees] {
        dynamic[relation.index()] = true;
    }
    spread(&edges, &mut dynamic);
    let component = components(&edges);
    for from in 0..relations {
        if edges[from].iter().any(|&(to, negative)| negative && component[to.index()] == component[from]) {
            dynamic[from] = true;
        }
    }
    spread(&edges, &mut dynamic);

    // Components are numbered so that what a relation depends on has a smaller number or its own.
    let mut level = vec![0; relations];
    let mut order: Vec<usize> = (0..relations).filter(|&r| !dynamic[r]).collect();
    order.sort_by_key(|&r| component[r]);
    for members in order.chunk_by(|&a, &b| component[a] == component[b]) {
        let own = component[members[0]];
        let below = members
            .iter()
            .flat_map(|&r| &edges[r])
            .map(|&(to, _)| level[to.index()] + usize::from(component[to.index()] != own));
        let highest = below.max().unwrap_or(0);
        members.iter().for_each(|&r| level[r] = highest);
    }
    let levels = order.iter().map(|&r| level[r] + 1).max().unwrap_or(0);
    Strata { relevant, dynamic, level, levels }
}

/// Marks everything that depends on something marked.
fn spread(edges: &[Vec<(RelationId, bool)>], marked: &mut [bool]) {
    let mut changed = true;
    while changed {
        changed = false;
        for from in 0..edges.len() {
            if !marked[from] && edges[from].iter().any(|&(to, _)| marked[to.index()]) {
                marked[from] = true;
                changed = true;
            }
        }
    }
}

/// The strongly connected component of each relation, numbered dependencies first.
fn components(edges: &[Vec<(RelationId, bool)>]) -> Vec<usize> {
    let mut component = vec![0; edges.len()];
    let successors = |node: usize, out: &mut Vec<usize>| out.extend(edges[node].iter().map(|e| e.0.index()));
    let mut count = 0;
    super::cycle::components(edges.len(), successors, |members| {
        members.iter().for_each(|&m| component[m] = count);
        count += 1;
    });
    component
}
