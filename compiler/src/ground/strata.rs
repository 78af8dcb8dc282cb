//! The stratification of relations: which ones are static, and in which order they are computed.
//!
//! [`Strata`] classify the relations of clauses: relevant or not, dynamic or static, and a stage
//! for each. A dynamic relation depends on the state or the moves; all of these are in the last
//! stage. A static relation has a later stage than everything it depends on, except the relations
//! on its own cycle. A static relation on a negative cycle counts as dynamic: only the ground
//! program shows whether the cycle is real. O(literals). Parts of split rules are visited once more
//! for each level of nesting, at most.

use super::clause::{Clause, Clauses};
use crate::{
    graph,
    rules::{Keywords, RelationId},
};
use rustc_hash::FxHashSet;

/// The classification of relations.
#[derive(Debug)]
pub(super) struct Strata {
    /// For each relation, whether a root, a guard or unstratified recursion needs it.
    pub(super) relevant: Vec<bool>,
    /// For each relation, whether it depends on the state or the moves, or is not stratified.
    pub(super) dynamic: Vec<bool>,
    /// For each relation, whether it depends on itself, other than through time.
    pub(super) recursive: Vec<bool>,
    /// For each relation, whether it has other facts than its rules derive.
    pub(super) partial: Vec<bool>,
    /// For each relation, the stage in which it is computed, from zero.
    pub(super) stage: Vec<usize>,
    /// The stage of the dynamic relations, which is the last.
    pub(super) last: usize,
}

impl Strata {
    /// Classifies new relations, which are the heads of `clauses`. All are computed in the last
    /// stage, whatever they depend on.
    pub(super) fn extend(&mut self, clauses: &[Clause]) {
        let known = self.dynamic.len();
        let new = |relation: RelationId| relation.index() >= known;
        for clause in clauses.iter().filter(|clause| new(clause.head.relation)) {
            let number = clause.head.relation.index();
            if self.dynamic.len() <= number {
                self.relevant.resize(number + 1, true);
                self.dynamic.resize(number + 1, false);
                self.recursive.resize(number + 1, false);
                self.partial.resize(number + 1, false);
                self.stage.resize(number + 1, self.last);
            }
        }
        // A part that was split further comes before the clauses it depends on, so one pass may not
        // be enough.
        let mut news = true;
        while std::mem::take(&mut news) {
            for clause in clauses.iter().filter(|clause| !clause.is_guard && new(clause.head.relation)) {
                let mut dynamic = false;
                clause.for_each_literal(&mut |literal, _| dynamic |= self.dynamic[literal.relation.index()]);
                let own = &mut self.dynamic[clause.head.relation.index()];
                news |= dynamic && !*own;
                *own |= dynamic;
            }
        }
    }
}

/// Classifies the relations of `clauses`. A relation is relevant if it is a root, unstratified or a
/// guard, or if a root or an unstratified relation depends on it. O(literals).
pub(super) fn stratify(clauses: &Clauses, keywords: &Keywords, roots: &[RelationId]) -> Strata {
    let Keywords { fact, does, next, legal, goal, terminal, sees, .. } = *keywords;
    let relations = clauses.relations;
    let mut guards = vec![false; relations];
    clauses.list.iter().filter(|c| c.is_guard).for_each(|c| guards[c.head.relation.index()] = true);
    let mut edges: Vec<Vec<(usize, bool)>> = vec![Vec::new(); relations];
    let mut seen = FxHashSet::default();
    let mut tested = vec![false; relations];
    // Guards narrow down joins but change no meaning, so they do not count as dependencies.
    for clause in clauses.list.iter().filter(|clause| !clause.is_guard) {
        let from = clause.head.relation.index();
        clause.for_each_literal(&mut |literal, negative| {
            let to = literal.relation.index();
            if !guards[to] && seen.insert((from, to, negative)) {
                edges[from].push((to, negative));
            }
        });
        for test in &clause.tests {
            test.for_each_literal(false, &mut |literal, _| tested[literal.relation.index()] = true);
        }
    }

    let mut users: Vec<Vec<usize>> = vec![Vec::new(); relations];
    for (from, list) in edges.iter().enumerate() {
        list.iter().for_each(|&(to, _)| users[to].push(from));
    }
    let component = graph::component_of(edges.len(), |from, out| out.extend(edges[from].iter().map(|e| e.0)));
    let component = &component;
    let inner = |from: usize| edges[from].iter().filter(move |&&(to, _)| component[to] == component[from]);
    let recursive: Vec<bool> = (0..relations).map(|r| inner(r).next().is_some()).collect();
    let unstratified: Vec<usize> =
        (0..relations).filter(|&r| inner(r).any(|&(_, negative)| negative)).collect();
    // Unstratified relations are checked even if no root depends on them.
    let judged = roots.iter().map(|r| r.index()).chain(unstratified.iter().copied()).collect();
    let mut relevant = guards.clone();
    spread(judged, &mut relevant, |from| edges[from].iter().map(|&(to, _)| to));
    // A relation derived on demand is complete only at the end, so the net must decide the tests
    // that read it.
    let mut late = vec![false; relations];
    spread(clauses.demanded.iter().map(|r| r.index()).collect(), &mut late, |to| users[to].iter().copied());
    let tested = (0..relations).filter(|&r| late[r] && tested[r]);
    let mut dynamic = vec![false; relations];
    let changing = [fact, does, next, legal, goal, terminal, sees].map(RelationId::index);
    let changing = changing.into_iter().chain(unstratified).chain(tested).collect();
    spread(changing, &mut dynamic, |to| users[to].iter().copied());

    // A component has a greater number than all that it depends on.
    let mut stage = vec![0; relations];
    let is_last = |r: usize| dynamic[r] || late[r] || guards[r];
    let mut order: Vec<usize> = (0..relations).filter(|&r| !is_last(r)).collect();
    order.sort_by_key(|&r| component[r]);
    for members in order.chunk_by(|&a, &b| component[a] == component[b]) {
        let own = component[members[0]];
        let below = members
            .iter()
            .flat_map(|&r| &edges[r])
            .map(|&(to, _)| stage[to] + usize::from(component[to] != own));
        let highest = below.max().unwrap_or(0);
        members.iter().for_each(|&r| stage[r] = highest);
    }
    let last = order.iter().map(|&r| stage[r] + 1).max().unwrap_or(0);
    (0..relations).filter(|&r| is_last(r)).for_each(|r| stage[r] = last);
    let mut partial = vec![false; relations];
    let partly = clauses.demanded.iter().chain(&clauses.rewritten);
    partly.for_each(|relation| partial[relation.index()] = true);
    Strata { relevant, dynamic, recursive, partial, stage, last }
}

/// Marks `pending` and everything reachable from it through `neighbours`.
fn spread<I: Iterator<Item = usize>>(
    mut pending: Vec<usize>,
    marked: &mut [bool],
    neighbours: impl Fn(usize) -> I,
) {
    while let Some(relation) = pending.pop() {
        if !std::mem::replace(&mut marked[relation], true) {
            pending.extend(neighbours(relation));
        }
    }
}
