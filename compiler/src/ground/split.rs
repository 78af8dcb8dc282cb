//! Splitting of clauses with many instances into others with the same meaning.
//!
//! A [`Splitter`] decides by the facts that a [`Grounder`] has found so far. Literals with
//! variables that the head does not mention become a relation of their own, over the variables
//! shared with the rest. For example, `h(x) <- p(x,y), q(y,z), r(z,w)` has one instance for each
//! `x, y, z, w` that join. After the split, `a(y) <- q(y,z), r(z,w)` has an instance for each `y,
//! z, w`, and `h(x) <- p(x,y), a(y)` has one for each `x, y`.
//!
//! The text alone does not show whether a split pays. The sizes of the facts decide, and also joins
//! of a part of the body if these joins are short. (Bichler, Morak and Woltran, "lpopt: A Rule
//! Optimization Tool for Answer Set Programming", 2016, split by the text; Helmert, "Concise
//! finite-domain representations for PDDL planning tasks", 2009, by joins.)
//!
//! A vast clause that cannot be split directly is rewritten first. Clauses from one `or` become one
//! clause again (`branches.rs`). Fixed relations that state inequalities are replaced by their
//! definitions (`unfold.rs`).
//!
//! Weighing all cuts takes at most [`WEIGHING`] of the grounder's steps; after that, clauses stay
//! whole. An applied cut makes two clauses, and one for each guard.

mod cut;

use super::{
    branches::Branches,
    clause::{Clause, Literal, Test},
    fixpoint::Grounder,
    statistics::Rows,
    unfold,
};
use crate::{datalog::pattern::Pattern, rules::RelationId};
use cut::{Body, Cut, Draft, Key, blocks, common, looking, probe};
use rustc_hash::{FxHashMap, FxHashSet};

/// A split pays if the ratio of the instances after it to those before is less than this.
const GAIN: f64 = 0.95;

/// The greatest number of arguments of a relation that is made for a part.
const MAX_SHARED: usize = 14;

/// The number of cuts of a clause that are probed: their parts are joined over the facts.
const PROBES: usize = 6;

/// The steps that a probe may take.
const PROBE: u64 = 5_000;

/// The steps that weighing may take for all cuts of a program.
const WEIGHING: u64 = 10_000_000;

/// The steps to copy a literal or test to one side of a cut.
const COPY: u64 = 20;

/// A clause is vast if it has at least `VAST * Splitter::many` instances.
const VAST: f64 = 200.0;

/// Returns whether clauses with `cost` instances may replace one with `now` instances.
pub(super) fn pays(cost: f64, now: f64) -> bool {
    cost < GAIN * now
}

/// Splits clauses and remembers the relations made for their parts, so that clauses with a common
/// part share one.
pub(super) struct Splitter {
    /// The least number of instances of a clause that is split during the rounds.
    many: f64,
    /// The steps that may still be spent on weighing cuts.
    left: u64,
    /// The number of relations, and their number before any were made here.
    relations: usize,
    ruled: usize,
    parts: FxHashMap<Key, RelationId>,
    /// The relations that stand for the branches of an `or`, by the bodies of these branches.
    unions: FxHashMap<Vec<Key>, RelationId>,
    guards: FxHashSet<RelationId>,
    /// The dependencies that splitting added: for each relation, those that its clauses now
    /// mention.
    below: FxHashMap<RelationId, Vec<RelationId>>,
}

impl Splitter {
    /// Creates a splitter for a program of `relations` relations.
    pub(super) fn new(relations: usize, many: usize) -> Self {
        Self {
            many: many as f64,
            left: WEIGHING,
            relations,
            ruled: relations,
            parts: FxHashMap::default(),
            unions: FxHashMap::default(),
            guards: FxHashSet::default(),
            below: FxHashMap::default(),
        }
    }

    /// Returns whether a clause with this number of instances is vast.
    fn is_vast(&self, instances: f64) -> bool {
        instances >= VAST * self.many
    }

    /// The number of relations, including those made here.
    pub(super) fn relations(&self) -> usize {
        self.relations
    }

    /// Forgets the parts made after the first `relations` relations.
    pub(super) fn forget(&mut self, relations: usize) {
        self.parts.retain(|_, relation| relation.index() < relations);
    }

    /// Spends steps on weighing. Returns `None` if too few are left.
    fn spend(&mut self, steps: u64, grounder: &mut Grounder<'_>) -> Option<()> {
        self.left = self.left.checked_sub(steps)?;
        grounder.afford(steps)
    }

    fn relation(&mut self) -> RelationId {
        self.relations += 1;
        RelationId(self.relations as u32 - 1)
    }

    /// Splits a clause and its parts repeatedly, as long as a cut seems to pay. Returns the clauses
    /// that replace it, or `None` if it stays whole.
    pub(super) fn split(&mut self, grounder: &mut Grounder<'_>, number: usize) -> Option<Vec<Clause>> {
        let clause = Clause::clone(grounder.clause(number));
        let now = expect(grounder, number);
        let is_vast = self.is_vast(grounder.yields(number) as f64);
        let pending = if is_vast { self.unfold(grounder, clause, now) } else { vec![(clause, now)] };
        let is_unfolded = pending.len() > 1;
        let mut done = Vec::new();
        let is_split = self.settle(grounder, pending, &mut done);
        (is_unfolded || is_split).then_some(done)
    }

    /// Merges vast clauses that differ in one literal, and splits the result. A new relation stands
    /// for any of these literals. Returns the clauses that replace them, or `None` if that does not
    /// seem to pay.
    pub(super) fn merge(&mut self, grounder: &mut Grounder<'_>, branches: &Branches) -> Option<Vec<Clause>> {
        let Branches { numbers, place, literals } = branches;
        let found: usize = numbers.iter().map(|&number| grounder.yields(number)).sum();
        if numbers.len() < 2 || !self.is_vast(found as f64) {
            return None;
        }
        let now = numbers.iter().map(|&number| expect(grounder, number)).sum();
        let mut rest = Clause::clone(grounder.clause(numbers[0]));
        rest.positives.remove(*place);
        let mut outside = rest.head.variables();
        outside.extend(rest.positives.iter().flat_map(Literal::variables));
        outside.extend(rest.tests.iter().flat_map(Test::variables));
        let shared = common(&literals[0].variables(), &outside);
        let body = |literal: &Literal| Body { positives: vec![literal.clone()], ..Body::default() };
        let key: Vec<Key> = literals.iter().map(|l| body(l).key(&shared, rest.is_guard)).collect();
        let made = self.unions.get(&key).copied();

        let rows: Vec<Rows> = literals.iter().map(|literal| grounder.rows(literal)).collect();
        let size = Rows::union(rows.iter().map(|rows| rows.project(&shared)));
        let inside = if made.is_some() { 0.0 } else { rows.iter().map(|rows| rows.count).sum() };
        let others: Vec<Rows> = rest.positives.iter().map(|l| grounder.rows(l)).collect();
        let outside = Rows::join(others.iter().chain([&size])).count;
        if !pays(inside + outside, now) {
            return None;
        }
        let relation = made.unwrap_or_else(|| self.relation());
        let arguments: Vec<Pattern> = shared.iter().map(|&v| Pattern::Variable(v)).collect();
        let mut done = Vec::new();
        if made.is_none() {
            self.unions.insert(key, relation);
            self.below.insert(relation, literals.iter().map(|l| l.relation).collect());
            let head = Literal { relation, arguments: arguments.clone() };
            for literal in literals {
                let (positives, tests) = (vec![literal.clone()], Vec::new());
                done.push(Clause { head: head.clone(), positives, tests, ..rest.clone() }.compact());
            }
            let place = |v| shared.iter().position(|&s| s == v).unwrap_or(0) as u32;
            grounder.statistics().assume(relation, shared.len(), size.rename(place));
        }
        self.below.entry(rest.head.relation).or_default().push(relation);
        rest.positives.insert(*place, Literal { relation, arguments });
        let pending = self.unfold(grounder, rest.compact(), outside);
        self.settle(grounder, pending, &mut done);
        Some(done)
    }

    /// Unfolds each literal of a fixed relation in a vast clause if that reduces the estimated
    /// number of instances. `now` is the number of instances of `clause`. Returns the clauses, each
    /// with its estimated number of instances.
    fn unfold(&mut self, grounder: &mut Grounder<'_>, clause: Clause, now: f64) -> Vec<(Clause, f64)> {
        let (mut pending, mut done) = (vec![(clause, now, 0)], Vec::new());
        while let Some((clause, now, place)) = pending.pop() {
            if place == clause.positives.len() {
                done.push((clause, now));
            } else if let Some(unfolded) = self.replace(grounder, &clause, now, place) {
                pending.extend(unfolded.into_iter().map(|(clause, now)| (clause, now, place)));
            } else {
                pending.push((clause, now, place + 1));
            }
        }
        done
    }

    /// Unfolds the literal at `place` of a clause with `now` instances. Returns `None` if the new
    /// clauses, each after its best cut, do not have clearly fewer instances by estimate.
    fn replace(
        &mut self,
        grounder: &mut Grounder<'_>,
        clause: &Clause,
        now: f64,
        place: usize,
    ) -> Option<Vec<(Clause, f64)>> {
        if !self.is_vast(now) {
            return None;
        }
        self.spend(COPY * (clause.positives.len() + clause.tests.len()) as u64, grounder)?;
        let definition = grounder.definition(clause.positives[place].relation)?;
        let unfolded = unfold::unfold(clause, place, &definition)?;
        let scale = scale(grounder, clause, now);
        let numbers: Vec<f64> = unfolded.iter().map(|clause| scale * estimate(grounder, clause)).collect();
        let unfolded: Vec<(Clause, f64)> = unfolded.into_iter().zip(numbers).collect();
        let cost: f64 = unfolded.iter().map(|(clause, now)| self.promise(grounder, clause, *now)).sum();
        pays(cost, self.promise(grounder, clause, now)).then_some(unfolded)
    }

    /// The estimated cost of a clause with `now` instances after its best cut; `now` if none pays.
    fn promise(&mut self, grounder: &mut Grounder<'_>, clause: &Clause, now: f64) -> f64 {
        let scale = scale(grounder, clause, now);
        self.cuts(grounder, clause, now).first().map_or(now, |cut| cut.cost(scale))
    }

    /// Splits clauses and their parts repeatedly, as long as a cut seems to pay. Appends the
    /// results to `done`, and returns whether any clause was split.
    fn settle(
        &mut self,
        grounder: &mut Grounder<'_>,
        mut pending: Vec<(Clause, f64)>,
        done: &mut Vec<Clause>,
    ) -> bool {
        let mut is_split = false;
        while let Some((clause, now)) = pending.pop() {
            let cut = (now >= self.many).then(|| self.cuts(grounder, &clause, now).into_iter().next());
            match cut.flatten() {
                Some(cut) => {
                    is_split = true;
                    pending.extend(self.apply(grounder, &clause, cut, done));
                }
                None => done.push(clause),
            }
        }
        is_split
    }

    /// Applies one cut to a clause. Returns the clauses that replace it.
    pub(super) fn carve(&mut self, grounder: &mut Grounder<'_>, clause: &Clause, cut: Cut) -> Vec<Clause> {
        let mut clauses = Vec::new();
        let parts = self.apply(grounder, clause, cut, &mut clauses);
        clauses.extend(parts.into_iter().map(|(clause, _)| clause));
        clauses
    }

    /// The cuts of a clause with `now` instances that seem to pay, cheapest first.
    pub(super) fn cuts(&mut self, grounder: &mut Grounder<'_>, clause: &Clause, now: f64) -> Vec<Cut> {
        if self.spend(looking(clause), grounder).is_none() {
            return Vec::new();
        }
        let rows: Vec<Rows> = clause.positives.iter().map(|l| grounder.rows(l)).collect();
        // If the clause has more instances than estimated, its parts are scaled up by the same
        // ratio.
        let scale = (now / Rows::join(&rows).count).max(1.0);
        let mut cuts: Vec<Cut> = Vec::new();
        let parts = (clause.positives.len() + clause.tests.len()) as u64;
        for block in blocks(clause) {
            // Each part is compared with the block, copied, and joined with the others by estimate.
            if self.spend(parts * (COPY + block.len() as u64), grounder).is_none() {
                break;
            }
            let cut = self.cut(grounder, clause, now, &rows, &block);
            cuts.extend(cut.filter(|cut| cuts.iter().all(|other| other.inner != cut.inner)));
        }
        cuts.sort_by(|a, b| a.inside.total_cmp(&b.inside));
        let is_small = |cut: &&mut Cut| cut.inside > 0.0 && cut.inside <= PROBE as f64;
        for cut in cuts.iter_mut().filter(is_small).take(PROBES) {
            probe(grounder, clause, cut, PROBE);
        }
        // If the clause is vast, only the estimate of the remaining clause is scaled: the new
        // relation's clause may be as small as its estimate.
        let is_vast = self.is_vast(now);
        cuts.iter_mut().for_each(|cut| cut.is_counted |= is_vast);
        cuts.retain(|cut| pays(cut.cost(scale), now));
        cuts.sort_by(|a, b| a.cost(scale).total_cmp(&b.cost(scale)));
        cuts
    }

    /// Cuts out all literals and tests that mention a variable of `block`. `rows` has the
    /// statistics of the positive literals. Returns `None` if the cut is not possible, makes no
    /// side smaller, or makes a relation recursive.
    fn cut(
        &self,
        grounder: &mut Grounder<'_>,
        clause: &Clause,
        now: f64,
        rows: &[Rows],
        block: &[u32],
    ) -> Option<Cut> {
        let is_vast = self.is_vast(now);
        let mut draft = Draft::new(clause, rows, block)?;
        draft.bind_tests(grounder, is_vast)?;
        draft.copy_fixed(grounder, &self.guards);
        let shared = draft.shared();
        if shared.len() > MAX_SHARED || !draft.is_less(clause, &self.guards, is_vast) {
            return None;
        }
        let inside = draft.narrow(grounder, &shared, &self.guards, is_vast);
        let made = self.parts.get(&draft.inner.key(&shared, clause.is_guard));
        if made.is_some_and(|&part| self.rests_on(part, clause.head.relation)) {
            return None;
        }
        let mut size = draft.size(grounder, &shared, is_vast);
        size.count = size.count.min(inside);
        let outside = Rows::join(draft.outer_rows.iter().chain([&size])).count;
        let inside = if made.is_some() { 0.0 } else { inside };
        let Draft { inner, outer, .. } = draft;
        Some(Cut { inner, outer, shared, inside, is_counted: false, outside, size })
    }

    /// Returns whether a part is `relation`, or depends on it through earlier splits.
    fn rests_on(&self, part: RelationId, relation: RelationId) -> bool {
        let mut pending = vec![part];
        while let Some(part) = pending.pop() {
            if part == relation {
                return true;
            }
            // Relations may be recursive by the rules; only splits must not make relations
            // recursive.
            let below = self.below.get(&part).into_iter().flatten().copied();
            pending.extend(below.filter(|relation| relation.index() >= self.ruled));
        }
        false
    }

    /// Applies a cut. Returns the clauses that may be split further, each with its estimated number
    /// of instances. Clauses of guards go to `done`.
    fn apply(
        &mut self,
        grounder: &mut Grounder<'_>,
        clause: &Clause,
        cut: Cut,
        done: &mut Vec<Clause>,
    ) -> Vec<(Clause, f64)> {
        let Cut { inner, mut outer, shared, inside, outside, size, .. } = cut;
        let key = inner.key(&shared, clause.is_guard);
        let arguments: Vec<Pattern> = shared.iter().map(|&v| Pattern::Variable(v)).collect();
        let mut clauses = Vec::new();
        let relation = if let Some(&relation) = self.parts.get(&key) {
            relation
        } else {
            let mut positives = inner.positives;
            for (literal, seen) in inner.guards {
                positives.push(self.guard(grounder, clause, literal, &seen, done));
            }
            let relation = self.relation();
            self.parts.insert(key, relation);
            self.below.insert(relation, positives.iter().map(|l| l.relation).collect());
            let head = Literal { relation, arguments: arguments.clone() };
            let part = Clause { head, positives, tests: inner.tests, ..clause.clone() };
            clauses.push((part.compact(), inside));
            let place = |v| shared.iter().position(|&s| s == v).unwrap_or(0) as u32;
            grounder.statistics().assume(relation, shared.len(), size.rename(place));
            relation
        };
        self.below.entry(clause.head.relation).or_default().push(relation);
        outer.positives.push(Literal { relation, arguments });
        let rest = Clause { positives: outer.positives, tests: outer.tests, ..clause.clone() };
        clauses.push((rest.compact(), outside));
        clauses
    }

    /// Returns the literal of a guard: it holds for the values of `seen` with which `literal` is
    /// possible.
    fn guard(
        &mut self,
        grounder: &mut Grounder<'_>,
        clause: &Clause,
        literal: Literal,
        seen: &[u32],
        done: &mut Vec<Clause>,
    ) -> Literal {
        let arguments: Vec<Pattern> = seen.iter().map(|&v| Pattern::Variable(v)).collect();
        let rows = grounder.projection(&literal, seen, false);
        let body = Body { positives: vec![literal], ..Body::default() };
        let key = body.key(seen, true);
        let relation = if let Some(&relation) = self.parts.get(&key) {
            relation
        } else {
            let relation = self.relation();
            self.parts.insert(key, relation);
            self.guards.insert(relation);
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

/// The estimated number of instances of a clause, from the statistics of its literals.
fn estimate(grounder: &mut Grounder<'_>, clause: &Clause) -> f64 {
    let rows: Vec<Rows> = clause.positives.iter().map(|l| grounder.rows(l)).collect();
    Rows::join(&rows).count
}

/// The number of instances that a clause may reach: the greater of the estimate and the present
/// number. The estimate may be greater by orders of magnitude.
fn expect(grounder: &mut Grounder<'_>, number: usize) -> f64 {
    let clause = grounder.clause(number).clone();
    estimate(grounder, &clause).max(grounder.yields(number) as f64)
}

/// The ratio of a clause's `now` instances to their estimate, at least 1.
fn scale(grounder: &mut Grounder<'_>, clause: &Clause, now: f64) -> f64 {
    (now / estimate(grounder, clause)).max(1.0)
}
