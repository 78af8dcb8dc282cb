//! Negated relations that say the same for all values of some arguments, but for a few.
//!
//! That something other than `u` stands between `k` and `s`, `shut(u, k, s)`, hardly depends on `u`: it matters only where `u` itself is a
//! place between them. [`except`] makes of a clause that asks for the negation of such a relation others, of which one says nothing of `u`
//! there, so that it can be split (`split.rs`), and one has few instances. That is how rules speak of a board as it would be after a
//! move: for every move and every line they ask for what stands there beside the piece that moves.
//!
//! An argument of p is loose if in each clause of p it is a variable that stands once in the head, and else only in
//! - positive literals for fixed relations that mention loose arguments alone, which are the same in each clause: the domain D;
//! - inequalities: tests that are `distinct`, or an `or` of these, of a loose argument and something without one each.
//!
//! Let U be the loose arguments of p and V the others. p'(V) is p without U, the domain and the inequalities. e(U, V) holds where for some
//! clause of p and one of its inequalities both sides are the same, and the fixed positive literals of the clause hold; where they do not tell an
//! argument of V, it may be anything. p does not depend on itself.
//!
//! Then `not p(U, V)` holds exactly if `not p'(V)`, or `not D(U)`, or `e(U, V)` and `not p(U, V)`. For where p holds, p' and D do, by the same
//! body. And let p not hold, but p'(V), by some body, and D(U). With U that would be a body of p, so one of its inequalities fails, and e holds.
//! A clause that asks for `not p(U, V)` becomes three by that, in the last of which p is only looked for where e holds.
//!
//! Whether that pays is known by what grounding found so far: only where a clause would have vast numbers of instances it is asked. Each
//! relation and clause that is looked at takes O(literals) steps, weighing it what weighing cuts takes; what is made is a copy of a relation's
//! clauses without the loose arguments, one with e, and a clause of e for each inequality. Relations that are made here are not looked at again, so
//! there are fewer negations to look at each time.

use super::{
    clause::{Clause, Clauses, Literal, Test},
    fixpoint::Grounder,
    split::{self, Splitter},
};
use crate::{
    datalog::pattern::Pattern,
    rules::{Keywords, RelationId},
};
use rustc_hash::FxHashMap;
use std::{collections::hash_map::Entry, rc::Rc};

/// A clause is to have so many times as many instances as what takes its place: all starts again.
const SAVING: f64 = 2.0;

/// Steps that a literal or test takes, which is looked at and copied.
const STEPS: u64 = 8;

/// The clauses with those of the `wide` relations taken apart where that promises to pay. Relations of the rules are looked at, which
/// are the first `ruled`. None if none can be, or if it takes more steps than there are.
pub(super) fn except(
    clauses: &Clauses,
    keywords: &Keywords,
    wide: &[RelationId],
    ruled: usize,
    splitter: &mut Splitter,
    grounder: &mut Grounder<'_>,
) -> Option<Clauses> {
    let mut taken: Vec<(usize, Asked<'_>)> = Vec::new();
    let mut looked: FxHashMap<RelationId, Option<Rc<Loose<'_>>>> = FxHashMap::default();
    for (number, clause) in clauses.list.iter().enumerate() {
        if !wide.contains(&clause.head.relation) {
            continue;
        }
        // What takes more steps than the rest is left for clauses that may be taken apart.
        let may_ask = |test: &Test| negated(test).is_some_and(|literal| literal.relation.index() < ruled);
        if !clause.tests.iter().any(may_ask) {
            continue;
        }
        grounder.afford(STEPS * size(clause))?;
        let now = split::estimate(grounder, clause);
        if !splitter.is_vast(now) {
            continue;
        }
        for (place, test) in clause.tests.iter().enumerate() {
            let Some(literal) = negated(test).filter(|literal| literal.relation.index() < ruled) else {
                continue;
            };
            if let Entry::Vacant(entry) = looked.entry(literal.relation) {
                let loose = Loose::of(clauses, keywords, literal.relation, grounder)?;
                entry.insert(loose.map(Rc::new));
            }
            let Some(loose) = &looked[&literal.relation] else { continue };
            let asked = Asked { clause, place, literal, loose: loose.clone() };
            if asked.pays(now, splitter, grounder) {
                taken.push((number, asked));
                break;
            }
        }
    }
    (!taken.is_empty()).then(|| rewrite(clauses, &taken))
}

/// The clauses with some of them taken apart.
fn rewrite(clauses: &Clauses, taken: &[(usize, Asked<'_>)]) -> Clauses {
    let Clauses { mut relations, .. } = *clauses;
    let (mut list, mut rewritten) = (Vec::new(), clauses.rewritten.clone());
    let mut made: FxHashMap<RelationId, Parts> = FxHashMap::default();
    let mut taken = taken.iter().peekable();
    for (number, clause) in clauses.list.iter().enumerate() {
        let Some((_, asked)) = taken.next_if(|(other, _)| *other == number) else {
            list.push(clause.clone());
            continue;
        };
        let loose = &asked.loose;
        let parts = *made.entry(asked.literal.relation).or_insert_with(|| {
            let [plain, exceptions, rest] = [0, 1, 2].map(|i| RelationId((relations + i) as u32));
            relations += 3;
            let parts = Parts { plain, exceptions, rest };
            list.extend(loose.define(parts).into_iter().map(Rc::new));
            rewritten.push(asked.literal.relation);
            parts
        });
        list.extend(asked.apart(parts).into_iter().map(Rc::new));
    }
    Clauses { list, relations, rewritten, demanded: clauses.demanded.clone(), ..*clauses }
}

/// The relations that take the place of one: without its loose arguments; where these matter; and itself, there.
#[derive(Clone, Copy)]
struct Parts {
    plain: RelationId,
    exceptions: RelationId,
    rest: RelationId,
}

/// A relation with loose arguments.
struct Loose<'c> {
    clauses: Vec<&'c Clause>,
    /// By argument, whether it is loose.
    is_free: Vec<bool>,
    /// By argument, whether it is told where the loose ones matter.
    is_told: Vec<bool>,
    /// The domain, by the numbers of arguments.
    domain: Vec<Literal>,
    /// Where the loose arguments matter: those, and what is told of the others, with the literals by which it is.
    exceptions: Vec<Clause>,
}

impl<'c> Loose<'c> {
    /// What is loose in a relation, if anything is. None if that takes more steps than there are.
    #[expect(clippy::option_option, reason = "nothing loose, and no steps left")]
    fn of(
        clauses: &'c Clauses,
        keywords: &Keywords,
        relation: RelationId,
        grounder: &mut Grounder<'_>,
    ) -> Option<Option<Self>> {
        let Keywords { role, init, fact, does, next, legal, goal, terminal, sees, .. } = *keywords;
        if [role, init, fact, does, next, legal, goal, terminal, sees].contains(&relation)
            || !grounder.is_dynamic(relation)
            || grounder.strata().recursive[relation.index()]
        {
            return Some(None);
        }
        grounder.afford(clauses.list.len() as u64 / 4)?;
        let own: Vec<&Clause> = clauses
            .list
            .iter()
            .map(|clause| &**clause)
            .filter(|clause| clause.head.relation == relation)
            .collect();
        // Each argument may speak against others.
        let arity = own.first().map_or(0, |clause| clause.head.arguments.len());
        let steps: u64 = own.iter().map(|clause| STEPS * size(clause)).sum();
        grounder.afford(steps * (2 + arity) as u64)?;
        let mut is_loose = vec![true; arity];
        while own.iter().any(|clause| tighten(clause, &mut is_loose, grounder)) {}
        if !is_loose.contains(&true) {
            return Some(None);
        }
        let mut loose = Self {
            clauses: own,
            is_free: is_loose,
            is_told: Vec::new(),
            domain: Vec::new(),
            exceptions: Vec::new(),
        };
        Some(loose.learn(grounder).then_some(loose))
    }

    /// Finds the domain, and where loose arguments matter; false if clauses differ in the first, or it is not known where.
    fn learn(&mut self, grounder: &Grounder<'_>) -> bool {
        let mut is_told = vec![true; self.is_free.len()];
        let mut domains: Vec<Vec<Literal>> = Vec::new();
        for clause in &self.clauses {
            let variables = loose_variables(clause, &self.is_free);
            let number = |v| clause.head.arguments.iter().position(|a| *a == Pattern::Variable(v));
            let domain = clause.positives.iter().filter(|literal| is_domain(literal, &variables));
            domains.push(domain.map(|l| l.rename(&mut |v| number(v).unwrap_or(0) as u32)).collect());
            let mut bound = vec![false; clause.variables];
            for literal in clause.positives.iter().filter(|literal| !grounder.is_dynamic(literal.relation)) {
                literal.variables().into_iter().for_each(|v| bound[v as usize] = true);
            }
            for (is_told, argument) in is_told.iter_mut().zip(&clause.head.arguments) {
                *is_told &= argument.is_bound(&bound);
            }
        }
        self.domain = domains.pop().unwrap_or_default();
        let is_same = |other: &Vec<Literal>| {
            other.len() == self.domain.len() && other.iter().all(|literal| self.domain.contains(literal))
        };
        if !domains.iter().all(is_same) {
            return false;
        }
        is_told.iter_mut().zip(&self.is_free).for_each(|(is_told, is_loose)| *is_told &= !is_loose);
        self.is_told = is_told;
        for clause in &self.clauses {
            let variables = loose_variables(clause, &self.is_free);
            for sides in clause.tests.iter().filter_map(|test| inequality(test, &variables)) {
                let mut values: Vec<Pattern> = (0..clause.variables as u32).map(Pattern::Variable).collect();
                // If the same one is compared twice, it is no less where one of them says it.
                sides.into_iter().for_each(|(variable, other)| values[variable as usize] = other.clone());
                let fixed = clause.positives.iter().filter(|l| !grounder.is_dynamic(l.relation));
                let positives: Vec<Literal> = fixed.map(|literal| literal.substitute(&values)).collect();
                let head = Literal {
                    relation: clause.head.relation,
                    arguments: self.exceptional(&clause.head.arguments),
                };
                let head = head.substitute(&values);
                let bound: Vec<u32> = positives.iter().flat_map(Literal::variables).collect();
                if !head.variables().iter().all(|v| bound.contains(v)) {
                    return false;
                }
                self.exceptions
                    .push(Clause { head, positives, tests: Vec::new(), ..(*clause).clone() }.compact());
            }
        }
        true
    }

    /// Of a literal's arguments those that tell whether the loose ones matter.
    fn exceptional(&self, arguments: &[Pattern]) -> Vec<Pattern> {
        let chosen = |chosen: &Vec<bool>| {
            let chosen = arguments.iter().zip(chosen).filter(|(_, is_chosen)| **is_chosen);
            chosen.map(|(argument, _)| argument.clone()).collect::<Vec<_>>()
        };
        [chosen(&self.is_free), chosen(&self.is_told)].concat()
    }

    /// Of a literal's arguments those that are not loose.
    fn others(&self, arguments: &[Pattern]) -> Vec<Pattern> {
        let others = arguments.iter().zip(&self.is_free).filter(|(_, is_loose)| !**is_loose);
        others.map(|(argument, _)| argument.clone()).collect()
    }

    /// The clauses of the relations that take its place.
    fn define(&self, parts: Parts) -> Vec<Clause> {
        let mut list = Vec::new();
        for &clause in &self.clauses {
            let variables = loose_variables(clause, &self.is_free);
            let arguments = &clause.head.arguments;
            let head = Literal { relation: parts.plain, arguments: self.others(arguments) };
            let positives = clause.positives.iter().filter(|l| !is_domain(l, &variables)).cloned().collect();
            let tests = clause.tests.iter().filter(|test| inequality(test, &variables).is_none());
            list.push(
                Clause { head, positives, tests: tests.cloned().collect(), ..clause.clone() }.compact(),
            );
            let mut positives = clause.positives.clone();
            positives.push(Literal { relation: parts.exceptions, arguments: self.exceptional(arguments) });
            let head = Literal { relation: parts.rest, arguments: arguments.clone() };
            list.push(Clause { head, positives, ..clause.clone() });
        }
        for clause in &self.exceptions {
            let mut clause = clause.clone();
            clause.head.relation = parts.exceptions;
            list.push(clause);
        }
        list
    }
}

/// A clause that asks for the negation of a relation with loose arguments.
struct Asked<'c> {
    clause: &'c Clause,
    /// Which of its tests does, and what for.
    place: usize,
    literal: &'c Literal,
    loose: Rc<Loose<'c>>,
}

impl Asked<'_> {
    /// Whether to take the clause apart, which has `now` instances by estimate, promises to pay.
    fn pays(&self, now: f64, splitter: &mut Splitter, grounder: &mut Grounder<'_>) -> bool {
        let before = splitter.promise(grounder, self.clause, now);
        // What it is that is asked for does not matter to that, but of what variables.
        let others = self.loose.others(&self.literal.arguments);
        let plain = self.with(not(self.literal.relation, others));
        let mut after = splitter.promise(grounder, &plain, now);
        for exception in &self.loose.exceptions {
            let first = self.clause.variables as u32;
            let mut values: Vec<Pattern> =
                (0..exception.variables as u32).map(|v| Pattern::Variable(first + v)).collect();
            let given = self.loose.exceptional(&self.literal.arguments);
            for (argument, given) in exception.head.arguments.iter().zip(given) {
                if let Pattern::Variable(v) = argument {
                    values[*v as usize] = given;
                }
            }
            let mut positives = self.clause.positives.clone();
            positives.extend(exception.positives.iter().map(|literal| literal.substitute(&values)));
            after += split::estimate(grounder, &Clause { positives, ..self.clause.clone() });
        }
        SAVING * after <= before
    }

    /// The clauses that take its place.
    fn apart(&self, parts: Parts) -> Vec<Clause> {
        let Self { literal, loose, .. } = self;
        let mut list = vec![self.with(not(parts.plain, loose.others(&literal.arguments)))];
        let outside: Vec<Test> = loose
            .domain
            .iter()
            .map(|domain| domain.substitute(&literal.arguments))
            .filter(|domain| !self.clause.positives.contains(domain))
            .map(|domain| not(domain.relation, domain.arguments))
            .collect();
        if !outside.is_empty() {
            list.push(self.with(Test::Or(outside)));
        }
        if !loose.exceptions.is_empty() {
            let mut rest = self.with(not(parts.rest, literal.arguments.clone()));
            let arguments = loose.exceptional(&literal.arguments);
            rest.positives.push(Literal { relation: parts.exceptions, arguments });
            list.push(rest);
        }
        list.into_iter().map(|clause| clause.compact()).collect()
    }

    /// The clause with another test in the place of its own.
    fn with(&self, test: Test) -> Clause {
        let mut clause = self.clause.clone();
        clause.tests[self.place] = test;
        clause
    }
}

fn not(relation: RelationId, arguments: Vec<Pattern>) -> Test {
    Test::Not(Box::new(Test::Literal(Literal { relation, arguments })))
}

/// What a test is the negation of, if that is a literal.
fn negated(test: &Test) -> Option<&Literal> {
    let Test::Not(inner) = test else { return None };
    let Test::Literal(literal) = &**inner else { return None };
    Some(literal)
}

/// The variables that stand for arguments taken for loose in a clause's head.
fn loose_variables(clause: &Clause, is_loose: &[bool]) -> Vec<u32> {
    let loose = clause.head.arguments.iter().zip(is_loose).filter(|(_, is_loose)| **is_loose);
    loose
        .filter_map(|(argument, _)| if let Pattern::Variable(v) = argument { Some(*v) } else { None })
        .collect()
}

/// Whether a literal speaks of some of the variables and of nothing else.
fn is_domain(literal: &Literal, variables: &[u32]) -> bool {
    let own = literal.variables();
    !own.is_empty() && own.iter().all(|v| variables.contains(v))
}

/// What a test says is different, of which something must be: one of the variables and something without them each. None if
/// it is another test.
fn inequality<'t>(test: &'t Test, variables: &[u32]) -> Option<Vec<(u32, &'t Pattern)>> {
    let tests = if let Test::Or(tests) = test { tests } else { std::slice::from_ref(test) };
    let side = |pattern: &Pattern| match pattern {
        Pattern::Variable(variable) if variables.contains(variable) => Some(*variable),
        _ => None,
    };
    let has_none = |pattern: &Pattern| {
        let mut has_none = true;
        pattern.for_each_variable(&mut |v| has_none &= !variables.contains(&v));
        has_none
    };
    let sides = |test: &'t Test| {
        let Test::Distinct(left, right) = test else { return None };
        match (side(left), side(right)) {
            (Some(variable), None) if has_none(right) => Some((variable, right)),
            (None, Some(variable)) if has_none(left) => Some((variable, left)),
            _ => None,
        }
    };
    tests.iter().map(sides).collect()
}

/// Takes arguments for loose no longer that something in a clause speaks against; false if nothing does.
fn tighten(clause: &Clause, is_loose: &mut [bool], grounder: &Grounder<'_>) -> bool {
    let variables = loose_variables(clause, is_loose);
    let mut refuted: Vec<u32> = Vec::new();
    for literal in &clause.positives {
        if grounder.is_dynamic(literal.relation) || !is_domain(literal, &variables) {
            refuted.extend(literal.variables());
        }
    }
    for test in clause.tests.iter().filter(|test| inequality(test, &variables).is_none()) {
        refuted.extend(test.variables());
    }
    let mut is_less = false;
    for (i, is_loose) in is_loose.iter_mut().enumerate().filter(|(_, is_loose)| **is_loose) {
        let others = clause.head.arguments.iter().enumerate().filter(|&(other, _)| other != i);
        let holds = match clause.head.arguments[i] {
            Pattern::Variable(v) => {
                let mut once = true;
                others.for_each(|(_, other)| other.for_each_variable(&mut |other| once &= other != v));
                once && !refuted.contains(&v)
            }
            _ => false,
        };
        *is_loose = holds;
        is_less |= !holds;
    }
    is_less
}

/// What looking at a clause and copying it takes, in literals and variables.
fn size(clause: &Clause) -> u64 {
    let positives: usize = clause.positives.iter().map(|l| 1 + l.size()).sum();
    (1 + clause.head.size() + positives + clause.tests.iter().map(|t| 1 + t.size()).sum::<usize>()) as u64
}
