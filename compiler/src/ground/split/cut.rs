//! A cut: one way to split a clause into a part and the rest, with the expected instances.
//!
//! A [`Draft`] is made from a clause and a block of variables. It becomes a [`Cut`] if both sides
//! are smaller than the clause. Sizes are estimates, or counts from a join of the facts found so
//! far.

use super::super::{
    clause::{Clause, Literal, Test, numbered},
    fixpoint::Grounder,
    statistics::Rows,
};
use crate::rules::RelationId;
use rustc_hash::FxHashSet;

/// The ratio to which an optional guard must reduce the instances of a part.
const NARROW: f64 = 0.5;

/// A way to split a clause in two.
pub(in crate::ground) struct Cut {
    /// The body of the new relation: the literals and tests taken out, copies of fixed literals,
    /// and guards.
    pub(super) inner: Body,
    /// The rest of the body, except the literal of the new relation.
    pub(super) outer: Body,
    /// The variables that both sides have: the arguments of the new relation.
    pub(super) shared: Vec<u32>,
    /// The number of instances of the clause for the new relation. `is_counted` is true if this
    /// number is not scaled: it was counted, or the split clause is vast.
    pub(super) inside: f64,
    pub(super) is_counted: bool,
    /// The estimated number of instances of the remaining clause.
    pub(super) outside: f64,
    /// Estimated facts of the new relation.
    pub(super) size: Rows,
}

impl Cut {
    /// The instances of both clauses, with estimates multiplied by `scale`.
    pub(super) fn cost(&self, scale: f64) -> f64 {
        self.inside * if self.is_counted { 1.0 } else { scale } + self.outside * scale
    }
}

/// The body of one side of a cut.
#[derive(Default, PartialEq, Eq)]
pub(super) struct Body {
    pub(super) positives: Vec<Literal>,
    pub(super) tests: Vec<Test>,
    /// Literals that only narrow the body: each must be possible for the values of its listed
    /// variables.
    pub(super) guards: Vec<(Literal, Vec<u32>)>,
}

/// The identity of a relation made for a part: its body, with variables numbered by occurrence, and
/// whether it is a guard.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    positives: Vec<Literal>,
    tests: Vec<Test>,
    guards: Vec<(Literal, Vec<u32>)>,
    arguments: Vec<u32>,
    is_guard: bool,
}

impl Body {
    pub(super) fn key(&self, arguments: &[u32], is_guard: bool) -> Key {
        let mut names: Vec<u32> = Vec::new();
        let mut rename = |variable| numbered(variable, &mut names);
        Key {
            positives: self.positives.iter().map(|l| l.rename(&mut rename)).collect(),
            tests: self.tests.iter().map(|t| t.rename(&mut rename)).collect(),
            guards: self
                .guards
                .iter()
                .map(|(l, seen)| (l.rename(&mut rename), seen.iter().map(|&v| rename(v)).collect()))
                .collect(),
            arguments: arguments.iter().map(|&v| rename(v)).collect(),
            is_guard,
        }
    }
}

/// A cut under construction: both sides of a clause, with the statistics of their literals.
pub(super) struct Draft {
    pub(super) inner: Body,
    pub(super) outer: Body,
    /// The statistics of the part's literals, then those of its guards.
    inner_rows: Vec<Rows>,
    pub(super) outer_rows: Vec<Rows>,
    /// The variables of the part, sorted.
    own: Vec<u32>,
    /// The variables of the part's tests that its literals do not bind.
    unbound: Vec<u32>,
    /// The variables of the head and of the rest of the body.
    outside: Vec<u32>,
}

impl Draft {
    /// Takes out all literals and tests that mention a variable of `block`. Returns `None` if one
    /// side has no literal that binds variables.
    pub(super) fn new(clause: &Clause, rows: &[Rows], block: &[u32]) -> Option<Self> {
        let touches = |variables: &[u32]| variables.iter().any(|v| block.contains(v));
        let (mut inner, mut outer) = (Body::default(), Body::default());
        let (mut inner_rows, mut outer_rows) = (Vec::new(), Vec::new());
        let (mut bound, mut tested, mut outside) = (Vec::new(), Vec::new(), clause.head.variables());
        for (literal, rows) in clause.positives.iter().zip(rows) {
            let variables = literal.variables();
            let is_inner = touches(&variables);
            let (body, sizes, names) = if is_inner {
                (&mut inner, &mut inner_rows, &mut bound)
            } else {
                (&mut outer, &mut outer_rows, &mut outside)
            };
            body.positives.push(literal.clone());
            sizes.push(rows.clone());
            names.extend(variables);
        }
        for test in &clause.tests {
            let variables = test.variables();
            let is_inner = touches(&variables);
            let (body, names) = if is_inner { (&mut inner, &mut tested) } else { (&mut outer, &mut outside) };
            body.tests.push(test.clone());
            names.extend(variables);
        }
        if inner.positives.is_empty() || outer.positives.is_empty() {
            return None;
        }
        let mut own: Vec<u32> = bound.iter().chain(&tested).copied().collect();
        own.sort_unstable();
        own.dedup();
        tested.retain(|v| !bound.contains(v));
        Some(Self { inner, outer, inner_rows, outer_rows, own, unbound: tested, outside })
    }

    /// Binds the unbound variables of the part's tests by guards: projections of outer literals,
    /// which stay outside as well. Returns `None` if a variable stays unbound.
    pub(super) fn bind_tests(&mut self, grounder: &mut Grounder<'_>, is_vast: bool) -> Option<()> {
        while !self.unbound.is_empty() {
            let binds = |literal: &&Literal| common(&self.unbound, &literal.variables()).len();
            // The first literal of those that bind the most variables.
            let literal = self.outer.positives.iter().rev().max_by_key(binds).filter(|l| binds(l) > 0)?;
            let seen = common(&self.own, &literal.variables());
            self.unbound.retain(|v| !seen.contains(v));
            self.inner_rows.push(grounder.projection(literal, &seen, is_vast));
            self.inner.guards.push((literal.clone(), seen));
        }
        Some(())
    }

    /// Copies fixed literals of the rest into the part, since they may narrow down both sides.
    pub(super) fn copy_fixed(&mut self, grounder: &Grounder<'_>, guards: &FxHashSet<RelationId>) {
        for (literal, rows) in self.outer.positives.iter().zip(&self.outer_rows) {
            let variables = literal.variables();
            // A relation made in this round counts as dynamic: at worst, a narrowing copy is
            // missing.
            if !grounder.is_dynamic(literal.relation)
                && !guards.contains(&literal.relation)
                && variables.len() >= 2
                && variables.iter().all(|v| self.own.contains(v))
            {
                self.inner.positives.push(literal.clone());
                self.inner_rows.push(rows.clone());
            }
        }
    }

    /// The variables that both sides have.
    pub(super) fn shared(&self) -> Vec<u32> {
        common(&self.own, &self.outside)
    }

    /// Returns whether both sides are smaller than the clause, so that splitting ends. The rest has
    /// fewer variables. The part must have fewer literals, guards not counted. For a vast clause,
    /// the same number of literals and fewer tests are enough.
    pub(super) fn is_less(&self, clause: &Clause, guards: &FxHashSet<RelationId>, is_vast: bool) -> bool {
        let weight = |list: &[Literal], tests: &[Test]| {
            (list.iter().filter(|l| !guards.contains(&l.relation)).count(), tests.len())
        };
        let part = weight(&self.inner.positives, &self.inner.tests);
        let whole = weight(&clause.positives, &clause.tests);
        // Splitting off tests alone would hide from the optimiser which moves a part mentions.
        if is_vast { part < whole } else { part.0 < whole.0 }
    }

    /// Adds guards to the part. They are literals of the rest that share variables with it, and
    /// each reduces the instances enough. Returns the instances of the part.
    pub(super) fn narrow(
        &mut self,
        grounder: &mut Grounder<'_>,
        shared: &[u32],
        guards: &FxHashSet<RelationId>,
        is_vast: bool,
    ) -> f64 {
        let mut inside = Rows::join(&self.inner_rows).count;
        for literal in &self.outer.positives {
            let seen = common(shared, &literal.variables());
            let is_said =
                self.inner.positives.contains(literal) || self.inner.guards.iter().any(|(l, _)| l == literal);
            if seen.is_empty() || is_said || guards.contains(&literal.relation) {
                continue;
            }
            self.inner_rows.push(grounder.projection(literal, &seen, is_vast));
            let narrowed = Rows::join(&self.inner_rows).count;
            if narrowed <= NARROW * inside {
                inside = narrowed;
                self.inner.guards.push((literal.clone(), seen));
            } else {
                self.inner_rows.pop();
            }
        }
        inside
    }

    /// Estimates the facts of the part's relation from projections of its literals and guards.
    pub(super) fn size(&self, grounder: &mut Grounder<'_>, shared: &[u32], is_vast: bool) -> Rows {
        let literals = self.inner.positives.iter().map(|literal| (literal, shared));
        let guards = self.inner.guards.iter().map(|(literal, seen)| (literal, &seen[..]));
        let projected: Vec<Rows> = literals
            .chain(guards)
            .map(|(literal, seen)| grounder.projection(literal, seen, is_vast).project(shared))
            .collect();
        Rows::join(&projected)
    }
}

/// Replaces the estimates of a cut by counts over the facts found so far, if their join takes at
/// most `steps` steps.
pub(super) fn probe(grounder: &mut Grounder<'_>, clause: &Clause, cut: &mut Cut, steps: u64) {
    let guards = cut.inner.guards.iter().map(|(literal, _)| literal);
    let positives = cut.inner.positives.iter().chain(guards).cloned().collect();
    let body = Clause { positives, tests: cut.inner.tests.clone(), ..clause.clone() };
    let mut own: Vec<u32> = cut.inner.positives.iter().flat_map(Literal::variables).collect();
    own.extend(cut.inner.guards.iter().flat_map(|(_, seen)| seen));
    own.sort_unstable();
    own.dedup();
    if let Some([inside, size]) = grounder.probe(&body, [&own, &cut.shared], steps) {
        let mut outer: Vec<Rows> = cut.outer.positives.iter().map(|l| grounder.rows(l)).collect();
        outer.push(size);
        cut.outside = Rows::join(&outer).count;
        (cut.inside, cut.is_counted) = (inside.count, true);
        cut.size = outer.pop().expect("pushed above");
    }
}

/// The variables of the first list that the second contains, in the order of the first.
pub(super) fn common(variables: &[u32], others: &[u32]) -> Vec<u32> {
    variables.iter().copied().filter(|v| others.contains(v)).collect()
}

/// The steps to find the blocks of a clause.
pub(super) fn looking(clause: &Clause) -> u64 {
    let size: usize = clause.positives.iter().map(|l| l.size() + l.variables().len().pow(2)).sum();
    let tests: usize = clause.tests.iter().map(Test::size).sum();
    let (literals, scopes) = (clause.positives.len(), clause.positives.len() + clause.tests.len());
    (16 * (size + tests + literals * literals) + clause.variables * clause.variables * scopes) as u64
}

/// The candidate blocks of a clause: sets of variables outside its head that may be cut out
/// together.
pub(super) fn blocks(clause: &Clause) -> Vec<Vec<u32>> {
    let head = clause.head.variables();
    let hidden: Vec<Vec<u32>> = clause
        .positives
        .iter()
        .map(|l| l.variables().into_iter().filter(|v| !head.contains(v)).collect())
        .collect();
    let (mut found, mut known) = (Vec::new(), FxHashSet::default());
    let mut add = |mut block: Vec<u32>| {
        block.sort_unstable();
        block.dedup();
        if !block.is_empty() && known.insert(block.clone()) {
            found.push(block);
        }
    };
    // The block of a variable `v` has each variable `w` for which the following holds: all literals
    // and tests with `w` mention only variables that occur together with `v`.
    let scopes: Vec<Vec<u32>> = clause
        .positives
        .iter()
        .map(Literal::variables)
        .chain(clause.tests.iter().map(Test::variables))
        .collect();
    let mut variables: Vec<u32> = hidden.iter().flatten().copied().collect();
    variables.sort_unstable();
    variables.dedup();
    for &variable in &variables {
        let scope: Vec<u32> = scopes.iter().filter(|s| s.contains(&variable)).flatten().copied().collect();
        let is_inside =
            |v: &u32| scopes.iter().filter(|s| s.contains(v)).flatten().all(|other| scope.contains(other));
        add(variables.iter().copied().filter(is_inside).collect());
    }
    let touch = |a: &[u32], b: &[u32]| a.iter().any(|v| b.contains(v));
    for (place, own) in hidden.iter().enumerate() {
        for (i, &a) in own.iter().enumerate() {
            add(vec![a]);
            own[i + 1..].iter().for_each(|&b| add(vec![a, b]));
        }
        add(own.clone());
        let others = || hidden.iter().enumerate().filter(|&(other, _)| other != place).map(|(_, h)| h);
        add(own.iter().copied().filter(|v| !others().any(|o| o.contains(v))).collect());
        for other in others().filter(|other| touch(own, other)) {
            add(own.iter().chain(other).copied().collect());
        }
        let mut component = own.clone();
        while let Some(more) =
            hidden.iter().find(|h| touch(h, &component) && !h.iter().all(|v| component.contains(v)))
        {
            component.extend(more);
        }
        add(component);
    }
    found
}
