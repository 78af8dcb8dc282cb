//! Splits clauses that have many instances.
//!
//! In come clauses and the [`Profile`] of a grounding, out go clauses with the same meaning. The literals of
//! variables that the head does not mention become a relation of their own, over what they share with the
//! rest: where `h(x) <- p(x,y), q(y,z), r(z,w)` has an instance for each `x, y, z, w` that join,
//! `a(y) <- q(y,z), r(z,w)` and `h(x) <- p(x,y), a(y)` have one for each `y, z, w` and one for each `x, y`.
//!
//! The text alone does not tell whether that pays, so the sizes of a grounding, which may have been cut
//! short, decide: only clauses with many instances are split, and only where the estimate halves them.
//! (Bichler, Morak and Woltran, "lpopt: A Rule Optimization Tool for Answer Set Programming", 2016, split
//! by the text; Helmert, "Concise finite-domain representations for PDDL planning tasks", 2009, by joins.)

use super::{
    clause::{Clause, Literal, Pattern, Test, numbered},
    fixpoint::Grounder,
    statistics::Rows,
};
use crate::rules::RelationId;
use rustc_hash::FxHashMap;

/// A split must bring the instances down to this part.
const GAIN: f64 = 0.5;

/// A relation made here has at most this many arguments.
const MAX_SHARED: usize = 14;

/// Splits clauses and remembers the relations made for that, so that clauses with a part in common share one.
pub(super) struct Splitter {
    does: RelationId,
    /// A clause with fewer instances stays as it is.
    many: f64,
    relations: usize,
    parts: FxHashMap<Key, RelationId>,
}

/// A way to split a clause.
struct Cut {
    /// The body of the new relation: literals and tests taken out, and copies of what narrows them down.
    inner: Body,
    /// What stays, but for the literal of the new relation.
    outer: Body,
    /// The variables that both sides have: the arguments of the new relation.
    shared: Vec<u32>,
    /// Estimated instances of the clause that defines the new relation.
    inside: f64,
    /// Estimated instances of the clause that remains.
    outside: f64,
    /// Estimated facts of the new relation.
    size: Rows,
}

#[derive(Default)]
struct Body {
    positives: Vec<Literal>,
    tests: Vec<Test>,
    /// Literals of which only the values of some variables matter, and only whether they are possible.
    guards: Vec<(Literal, Vec<u32>)>,
}

impl Splitter {
    /// Nothing made yet, beside so many relations that there are.
    pub(super) fn new(does: RelationId, relations: usize, many: usize) -> Self {
        Self { does, many: many as f64, relations, parts: FxHashMap::default() }
    }

    /// How many relations there are, with those made here.
    pub(super) fn relations(&self) -> usize {
        self.relations
    }

    /// Gives up all but the first `relations`.
    pub(super) fn forget(&mut self, relations: usize) {
        self.parts.retain(|_, relation| relation.index() < relations);
    }

    fn relation(&mut self) -> RelationId {
        self.relations += 1;
        RelationId(self.relations as u32 - 1)
    }

    /// Splits a clause as often as it pays, and what it was split into. Gives the clauses that take its place,
    /// if there are any. What is known of its instances counts if it `is_complete`; else they may be far more.
    pub(super) fn split(
        &mut self,
        grounder: &mut Grounder<'_>,
        number: usize,
        is_complete: bool,
    ) -> Option<Vec<Clause>> {
        let known = grounder.yields(number) as f64;
        let mut pending = vec![(Clause::clone(grounder.clause(number)), known)];
        let mut done = Vec::new();
        let mut is_split = false;
        while let Some((clause, known)) = pending.pop() {
            let parts: Vec<Rows> = clause.positives.iter().map(|l| grounder.rows(l)).collect();
            let now =
                if is_complete && known > 0.0 { known } else { known.max(Rows::join(parts.iter()).count) };
            let cut = self.best(grounder, &clause, &parts);
            match cut.filter(|cut| now >= self.many && cut.inside + cut.outside < GAIN * now) {
                Some(cut) => {
                    is_split = true;
                    self.apply(grounder, &clause, cut, &mut pending, &mut done);
                }
                None => done.push(clause),
            }
        }
        is_split.then_some(done)
    }

    /// The cheapest cut of a clause; `parts` has the sizes of its positive literals.
    fn best(&self, grounder: &mut Grounder<'_>, clause: &Clause, parts: &[Rows]) -> Option<Cut> {
        let cost = |cut: &Cut| cut.inside + cut.outside;
        let mut best: Option<Cut> = None;
        for block in blocks(clause) {
            let Some(cut) = self.cut(grounder, clause, parts, &block) else { continue };
            if best.as_ref().is_none_or(|best| cost(&cut) < cost(best)) {
                best = Some(cut);
            }
        }
        best
    }

    /// The cut that takes out all that mentions the variables of `block`.
    fn cut(&self, grounder: &Grounder<'_>, clause: &Clause, parts: &[Rows], block: &[u32]) -> Option<Cut> {
        let touches = |variables: &[u32]| variables.iter().any(|v| block.contains(v));
        let (mut inner, mut outer) = (Body::default(), Body::default());
        let (mut inner_rows, mut outer_rows) = (Vec::new(), Vec::new());
        let (mut bound, mut needed, mut outside) = (Vec::new(), Vec::new(), clause.head.variables());
        for (literal, rows) in clause.positives.iter().zip(parts) {
            let variables = literal.variables();
            if literal.relation == self.does {
                // A relation of what one of several roles does would hide that each role does one thing.
                literal.arguments[0].for_each_variable(&mut |role| outside.push(role));
            }
            if touches(&variables) {
                inner.positives.push(literal.clone());
                inner_rows.push(rows.clone());
                bound.extend(variables);
            } else {
                outer.positives.push(literal.clone());
                outer_rows.push(rows.clone());
                outside.extend(variables);
            }
        }
        for test in &clause.tests {
            let variables = test.variables();
            if touches(&variables) {
                inner.tests.push(test.clone());
                needed.extend(variables);
            } else {
                outer.tests.push(test.clone());
                outside.extend(variables);
            }
        }
        if inner.positives.is_empty() || outer.positives.is_empty() {
            return None;
        }
        let mut all: Vec<u32> = bound.iter().chain(&needed).copied().collect();
        all.sort_unstable();
        all.dedup();

        // What binds the other variables of tests stays outside, too; inside, its projection will do.
        needed.retain(|v| !bound.contains(v));
        while let Some(&variable) = needed.first() {
            let binds = |literal: &Literal| literal.variables().contains(&variable);
            let (literal, rows) = outer.positives.iter().zip(&outer_rows).find(|(l, _)| binds(l))?;
            let variables = literal.variables();
            let seen: Vec<u32> = all.iter().copied().filter(|v| variables.contains(v)).collect();
            needed.retain(|v| !seen.contains(v));
            inner_rows.push(rows.project(&seen));
            inner.guards.push((literal.clone(), seen));
        }
        // What does not depend on the state may as well narrow down both sides.
        for (literal, rows) in outer.positives.iter().zip(&outer_rows) {
            let variables = literal.variables();
            // A relation made in this round is taken to depend on the state: that costs nothing but a narrower copy.
            if !grounder.is_dynamic(literal.relation)
                && variables.len() >= 2
                && variables.iter().all(|v| all.contains(v))
            {
                inner.positives.push(literal.clone());
                inner_rows.push(rows.clone());
            }
        }

        let shared: Vec<u32> = all.into_iter().filter(|v| outside.contains(v)).collect();
        // A part must have a smaller body, so that no relation comes to depend on itself.
        let is_smaller = inner.positives.len() + inner.guards.len() < clause.positives.len();
        if shared.len() > MAX_SHARED || !is_smaller {
            return None;
        }
        let whole = Rows::join(inner_rows.iter()).count;
        let projected: Vec<Rows> = inner_rows.iter().map(|rows| rows.project(&shared)).collect();
        let mut size = Rows::join(projected.iter());
        size.count = size.count.min(whole);
        let is_known = self.parts.contains_key(&inner.key(&shared, clause.is_guard));
        let outside = Rows::join(outer_rows.iter().chain([&size])).count;
        Some(Cut { inner, outer, shared, inside: if is_known { 0.0 } else { whole }, outside, size })
    }

    /// Carries a cut out: the clauses that may be split further go to `pending`, with estimates of their
    /// instances, the others to `done`.
    fn apply(
        &mut self,
        grounder: &mut Grounder<'_>,
        clause: &Clause,
        cut: Cut,
        pending: &mut Vec<(Clause, f64)>,
        done: &mut Vec<Clause>,
    ) {
        let Cut { inner, mut outer, shared, outside, size, .. } = cut;
        let key = inner.key(&shared, clause.is_guard);
        let arguments: Vec<Pattern> = shared.iter().map(|&v| Pattern::Variable(v)).collect();
        let relation = if let Some(&relation) = self.parts.get(&key) {
            relation
        } else {
            let mut positives = inner.positives;
            for (literal, seen) in inner.guards {
                positives.push(self.guard(grounder, clause, literal, &seen, done));
            }
            let relation = self.relation();
            self.parts.insert(key, relation);
            let head = Literal { relation, arguments: arguments.clone() };
            pending.push((Clause { head, positives, tests: inner.tests, ..clause.clone() }.compact(), 0.0));
            let place = |v| shared.iter().position(|&s| s == v).unwrap_or(0) as u32;
            grounder.statistics().assume(relation, shared.len(), size.rename(place));
            relation
        };
        outer.positives.push(Literal { relation, arguments });
        let head = clause.head.clone();
        let outer = Clause { head, positives: outer.positives, tests: outer.tests, ..clause.clone() };
        pending.push((outer.compact(), outside));
    }

    /// A literal that holds for the values of `seen` for which `literal` is possible.
    fn guard(
        &mut self,
        grounder: &mut Grounder<'_>,
        clause: &Clause,
        literal: Literal,
        seen: &[u32],
        done: &mut Vec<Clause>,
    ) -> Literal {
        let arguments: Vec<Pattern> = seen.iter().map(|&v| Pattern::Variable(v)).collect();
        let rows = grounder.rows(&literal).project(seen);
        let body = Body { positives: vec![literal], ..Body::default() };
        let key = body.key(seen, true);
        let relation = if let Some(&relation) = self.parts.get(&key) {
            relation
        } else {
            let relation = self.relation();
            self.parts.insert(key, relation);
            let head = Literal { relation, arguments: arguments.clone() };
            let (positives, tests) = (body.positives, Vec::new());
            done.push(Clause { head, positives, tests, is_guard: true, ..clause.clone() }.compact());
            let place = |v| seen.iter().position(|&s| s == v).unwrap_or(0) as u32;
            grounder.statistics().assume(relation, seen.len(), rows.rename(place));
            relation
        };
        Literal { relation, arguments }
    }
}

/// What makes two relations the same: their body, with variables numbered by occurrence, and whether they are
/// guards, which have no part in instances.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    positives: Vec<Literal>,
    tests: Vec<Test>,
    guards: Vec<(Literal, Vec<u32>)>,
    arguments: Vec<u32>,
    is_guard: bool,
}

impl Body {
    fn key(&self, arguments: &[u32], is_guard: bool) -> Key {
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

/// Sets of variables that a clause's head does not mention and that might go together.
fn blocks(clause: &Clause) -> Vec<Vec<u32>> {
    let head = clause.head.variables();
    let hidden: Vec<Vec<u32>> = clause
        .positives
        .iter()
        .map(|l| l.variables().into_iter().filter(|v| !head.contains(v)).collect())
        .collect();
    let mut found: Vec<Vec<u32>> = Vec::new();
    let mut add = |mut block: Vec<u32>| {
        block.sort_unstable();
        block.dedup();
        if !block.is_empty() && !found.contains(&block) {
            found.push(block);
        }
    };
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
