//! Recursion from the far end, turned round so that it begins where it is asked.
//!
//! A relation such as `path(x, y)`, which is `edge(x, y)`, or `edge(x, z)` and `path(z, y)`, is right-linear: it holds for all pairs that any path
//! joins, though the game may ask for those from one place alone. [`turn`] makes clauses in which such a relation is
//! replaced, for each place that it is asked from, by what can be reached from there and by what that ends in: one fact for each place
//! reached, where there was one for each place and each end. (Naughton, Ramakrishnan, Sagiv and Ullman, "Argument reduction by factoring",
//! 1989.)
//!
//! An argument of p is handed through if each recursive clause `p(X, F) <- body, p(Y, F)` has the same variable there in the head and in
//! its one literal for p, and nowhere else. A relation is turned round if
//! - some arguments F are handed through and some, X, are not;
//! - nothing that its clauses mention beside itself depends on it, and p is none of the relations that the game is asked for;
//! - of a recursive clause the rest of the body, with X, binds every variable of Y and of the tests, and Y has no functions of variables;
//! - wherever else p is mentioned, all of X is ground, and there are no more than [`PLACES`] such values.
//!
//! For each value t of X that is asked for, `reach(t)` holds, `reach(Y)` where `reach(X)` and a recursive clause's body do, and `end(F)`
//! where `reach(X)` and the body of another clause of p do. Then `end(F)` holds exactly if `p(t, F)` does: what is derived of
//! p is derived along a chain t, X1, .., Xn of recursive clauses, whose bodies do not depend on p and do not mention F, and at its end by
//! another clause for Xn and F; `reach` has the ends of all such chains. It is finite, since Y has values that the body, or X, already
//! had. Nothing depends on more than it did by way of p, so no cycle with a negation comes about.
//!
//! Each relation takes O(literals) steps, which are paid for beforehand; what is made is a copy of its clauses for each place that it is
//! asked from.

use super::clause::{Clause, Clauses, Literal, Test};
use crate::{
    datalog::pattern::Pattern,
    meter::Meter,
    rules::{Keywords, RelationId},
};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// From so many places a relation may be asked for. From many it is as well to know it as a whole.
const PLACES: usize = 4;

/// Steps that a literal takes, which is looked at and copied.
const STEPS: u64 = 8;

/// The clauses without those of `wide` relations that can be turned round. None if none can be, or if it takes more steps than there
/// are.
pub(super) fn turn(
    clauses: &Clauses,
    keywords: &Keywords,
    wide: &[RelationId],
    meter: &mut Meter,
) -> Option<Clauses> {
    let mut turned: Option<Clauses> = None;
    for &relation in wide {
        let given = turned.as_ref().unwrap_or(clauses);
        let size = |clause: &Rc<Clause>| 1 + clause.positives.len() + clause.tests.len();
        let size: usize = given.list.iter().map(size).sum();
        meter.spend(STEPS * (size + given.relations) as u64)?;
        let recursion = Recursion::of(given, keywords, relation);
        let Some(recursion) = recursion else { continue };
        meter.spend(STEPS * recursion.size() as u64)?;
        turned = Some(recursion.turn(given));
    }
    turned
}

/// A relation that can be turned round.
struct Recursion<'c> {
    relation: RelationId,
    /// By argument, whether it is handed through.
    through: Vec<bool>,
    /// Its clauses, each with the place of the literal by which it depends on itself.
    recursive: Vec<(&'c Clause, usize)>,
    others: Vec<&'c Clause>,
    /// What it is asked for, each once, with the rule that asks.
    asked: Vec<(Vec<Pattern>, usize)>,
}

impl<'c> Recursion<'c> {
    fn of(clauses: &'c Clauses, keywords: &Keywords, relation: RelationId) -> Option<Self> {
        if keywords.contains(relation) {
            return None;
        }
        let is_own = |literal: &Literal| literal.relation == relation;
        let (mut recursive, mut others) = (Vec::new(), Vec::new());
        for clause in clauses.list.iter().filter(|clause| is_own(&clause.head)) {
            let mut uses = 0;
            clause.for_each_literal(&mut |literal, _| uses += usize::from(is_own(literal)));
            match (uses, clause.positives.iter().position(is_own)) {
                (0, _) => others.push(&**clause),
                (1, Some(place)) => recursive.push((&**clause, place)),
                _ => return None,
            }
        }
        let (first, _) = recursive.first()?;
        let mut through = vec![true; first.head.arguments.len()];
        for &(clause, place) in &recursive {
            for (i, through) in through.iter_mut().enumerate() {
                *through &= clause.hands_on(place, i);
            }
        }
        if !through.contains(&true) || !through.contains(&false) {
            return None;
        }
        let mut recursion = Self { relation, through, recursive, others, asked: Vec::new() };
        let binds = recursion.recursive.iter().all(|&(clause, place)| recursion.is_bound(clause, place));
        if !binds || recursion.is_below(clauses) {
            return None;
        }
        for clause in clauses.list.iter().filter(|clause| !is_own(&clause.head)) {
            let mut is_known = true;
            clause.for_each_literal(&mut |literal, _| {
                if is_own(literal) {
                    let from = recursion.from(literal);
                    is_known &= from.iter().all(|pattern| matches!(pattern, Pattern::Ground(_)));
                    if !recursion.asked.iter().any(|(other, _)| *other == from) {
                        recursion.asked.push((from, clause.rule));
                    }
                }
            });
            if !is_known || recursion.asked.len() > PLACES {
                return None;
            }
        }
        Some(recursion)
    }

    /// Whether, beside the literal for the relation itself, a recursive clause binds all that it hands on and tests.
    fn is_bound(&self, clause: &Clause, place: usize) -> bool {
        let mut bound = vec![false; clause.variables];
        let mut bind = |pattern: &Pattern| pattern.for_each_variable(&mut |v| bound[v as usize] = true);
        self.from(&clause.head).iter().for_each(&mut bind);
        rest(clause, place).iter().flat_map(|l| &l.arguments).for_each(&mut bind);
        let to = self.from(&clause.positives[place]);
        let is_plain = |pattern: &Pattern| !matches!(pattern, Pattern::Function(..));
        to.iter().all(|pattern| is_plain(pattern) && pattern.is_bound(&bound))
            && clause.tests.iter().flat_map(Test::variables).all(|v| bound[v as usize])
    }

    /// Whether what its clauses mention depends on it.
    fn is_below(&self, clauses: &Clauses) -> bool {
        let mut defined: Vec<Vec<usize>> = vec![Vec::new(); clauses.relations];
        for (number, clause) in clauses.list.iter().enumerate() {
            defined[clause.head.relation.index()].push(number);
        }
        let mut seen = vec![false; clauses.relations];
        let mut pending = Vec::new();
        let own = self.recursive.iter().map(|(clause, _)| *clause).chain(self.others.iter().copied());
        for clause in own {
            clause.for_each_literal(&mut |literal, _| pending.push(literal.relation.index()));
        }
        pending.retain(|&relation| relation != self.relation.index());
        while let Some(relation) = pending.pop() {
            if !std::mem::replace(&mut seen[relation], true) {
                for &number in &defined[relation] {
                    clauses.list[number]
                        .for_each_literal(&mut |literal, _| pending.push(literal.relation.index()));
                }
            }
        }
        seen[self.relation.index()]
    }

    /// What copying its clauses takes.
    fn size(&self) -> usize {
        let own = self.recursive.iter().map(|(clause, _)| *clause).chain(self.others.iter().copied());
        let size: usize = own.map(|clause| 2 + clause.positives.len() + clause.tests.len()).sum();
        size * self.asked.len()
    }

    /// The arguments of a literal for the relation that are not handed through.
    fn from(&self, literal: &Literal) -> Vec<Pattern> {
        self.arguments(literal, false)
    }

    fn arguments(&self, literal: &Literal, through: bool) -> Vec<Pattern> {
        let arguments = literal.arguments.iter().zip(&self.through);
        arguments
            .filter(|(_, is_through)| **is_through == through)
            .map(|(pattern, _)| pattern.clone())
            .collect()
    }

    /// The clauses without the relation.
    fn turn(&self, clauses: &Clauses) -> Clauses {
        let mut relations = clauses.relations;
        let mut relation = || {
            relations += 1;
            RelationId(relations as u32 - 1)
        };
        let mut list = Vec::new();
        let mut ends: FxHashMap<Vec<Pattern>, RelationId> = FxHashMap::default();
        for (from, rule) in &self.asked {
            let (reach, end) = (relation(), relation());
            ends.insert(from.clone(), end);
            let reached = |arguments| Literal { relation: reach, arguments };
            list.push(Rc::new(Clause {
                head: reached(from.clone()),
                positives: Vec::new(),
                tests: Vec::new(),
                variables: 0,
                rule: *rule,
                is_guard: false,
            }));
            for &(clause, place) in &self.recursive {
                let head = reached(self.from(&clause.positives[place]));
                let mut positives = vec![reached(self.from(&clause.head))];
                positives.extend(rest(clause, place));
                list.push(Rc::new(
                    Clause { head, positives, tests: clause.tests.clone(), ..*clause }.compact(),
                ));
            }
            for &clause in &self.others {
                let head = Literal { relation: end, arguments: self.arguments(&clause.head, true) };
                let mut positives = vec![reached(self.from(&clause.head))];
                positives.extend(clause.positives.iter().cloned());
                list.push(Rc::new(
                    Clause { head, positives, tests: clause.tests.clone(), ..*clause }.compact(),
                ));
            }
        }
        let change = |literal: &Literal| {
            if literal.relation != self.relation {
                return literal.clone();
            }
            Literal { relation: ends[&self.from(literal)], arguments: self.arguments(literal, true) }
        };
        for clause in clauses.list.iter().filter(|clause| clause.head.relation != self.relation) {
            let mut asks = false;
            clause.for_each_literal(&mut |literal, _| asks |= literal.relation == self.relation);
            list.push(if asks {
                let positives = clause.positives.iter().map(change).collect();
                let tests = clause.tests.iter().map(|test| test.map(&change)).collect();
                Rc::new(Clause { positives, tests, ..Clause::clone(clause) })
            } else {
                clause.clone()
            });
        }
        let mut rewritten = clauses.rewritten.clone();
        rewritten.push(self.relation);
        Clauses { list, relations, rewritten, demanded: clauses.demanded.clone(), ..*clauses }
    }
}

/// The positive literals but the one at `place`.
fn rest(clause: &Clause, place: usize) -> Vec<Literal> {
    let others = clause.positives.iter().enumerate().filter(|&(other, _)| other != place);
    others.map(|(_, literal)| literal.clone()).collect()
}
