//! Removal of inert arguments, whose values make no difference.
//!
//! An argument of a relation is inert if its value makes no difference: every clause accepts all
//! values of one domain there, and only passes the value on. [`drop`] makes clauses without such
//! arguments. A relation with k of them over two values has `2^k` facts; all of them hold or none
//! does. Afterwards it has one.
//!
//! A domain is a relation of one argument that is defined by facts alone, at least one. Argument i
//! of p is inert within the domain D if each clause of p has a variable there that stands once in
//! the head. Elsewhere it may only be an argument of a positive literal for D, or an inert argument
//! within D. An argument counts as inert until a clause contradicts this, so arguments that depend
//! on each other are found. The relation p must not be a keyword, such as `legal`.
//!
//! Then p holds for a value exactly if D has that value and p holds for some value of D. The proof
//! is by induction on how the facts are derived. With one value of D in the place of another, each
//! clause has an instance that differs in inert arguments alone. So every use of `p(t, ..)`,
//! negated or not, may be replaced by `D(t)` and p without the argument. In the clauses of p the
//! literal for D may be left out. So may `D(v)` wherever nothing else mentions `v`, since D has a
//! value. An argument that only depends on itself belongs to a relation that never holds, and is
//! left alone.
//!
//! Each argument changes its kind at most twice, and each literal is copied once: O(literals),
//! spent beforehand.

use super::{
    super::clause::{Clause, Clauses, Literal, Test},
    Context,
};
use crate::{
    datalog::pattern::Pattern,
    rules::{Keywords, RelationId},
};
use std::rc::Rc;

/// The steps to read and copy an argument or a literal.
const STEPS: u64 = 8;

/// The least factor by which a clause's instances must shrink for grounding to start again.
const SAVING: usize = 4;

/// The kind of an argument, as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ArgumentKind {
    /// Not known yet: no clause determines it.
    Open,
    /// Inert within a domain, unless a clause contradicts it.
    Inert(RelationId),
    /// Not inert: its value makes a difference.
    Telling,
}

impl ArgumentKind {
    /// Combines the kinds that two clauses give to one argument.
    fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Open, kind) | (kind, Self::Open) => kind,
            _ if self == other => self,
            _ => Self::Telling,
        }
    }
}

/// Drops inert arguments. Returns `None` unless a clause for a newly wide relation has at least
/// [`SAVING`] times fewer instances without them.
pub(super) fn drop(clauses: &Clauses, context: &mut Context<'_>) -> Option<Clauses> {
    if context.news().is_empty() {
        return None;
    }
    let size = |clause: &Rc<Clause>| {
        let positives: usize = clause.positives.iter().map(|l| 1 + l.size()).sum();
        let tests: usize = clause.tests.iter().map(|t| 1 + t.size()).sum();
        // Literals are compared pairwise.
        1 + clause.head.size() + positives + tests + (clause.positives.len() + clause.tests.len()).pow(2) / 4
    };
    let size: usize = clauses.list.iter().map(size).sum();
    context.meter.spend(STEPS * (size + clauses.relations) as u64)?;
    let inert = Inert::new(clauses, &context.rules.keywords);
    let concerns = |clause: &Rc<Clause>| {
        let mut found = inert.is_in(&clause.head);
        clause.for_each_literal(&mut |literal, _| found |= inert.is_in(literal));
        found
    };
    let is_wide = |clause: &&Rc<Clause>| context.news().contains(&clause.head.relation) && concerns(clause);
    if !clauses.list.iter().filter(is_wide).any(|clause| inert.saving(clause) >= SAVING) {
        return None;
    }
    let change = |clause: &Rc<Clause>| {
        if concerns(clause) { Rc::new(inert.rewrite(clause).compact()) } else { clause.clone() }
    };
    let list = clauses.list.iter().map(change).collect();
    let mut rewritten = clauses.rewritten.clone();
    rewritten.extend((0..clauses.relations as u32).map(RelationId).filter(|&relation| inert.has(relation)));
    Some(Clauses { list, rewritten, demanded: clauses.demanded.clone(), ..*clauses })
}

/// The inert arguments and the domains of a program.
struct Inert {
    /// The kind of each argument, by relation.
    kinds: Vec<Vec<ArgumentKind>>,
    /// For each relation, its number of facts if it is a domain, otherwise 0.
    domains: Vec<usize>,
}

impl Inert {
    fn new(clauses: &Clauses, keywords: &Keywords) -> Self {
        let mut arities = vec![0; clauses.relations];
        for clause in &clauses.list {
            arities[clause.head.relation.index()] = clause.head.arguments.len();
            clause.for_each_literal(&mut |literal, _| {
                arities[literal.relation.index()] = literal.arguments.len();
            });
        }
        let kinds = arities.iter().map(|&arity| vec![ArgumentKind::Open; arity]).collect();
        let mut inert = Self { kinds, domains: domains(clauses, keywords, &arities) };
        // For each argument, the head arguments that are passed on to it.
        let mut users: Vec<Vec<Vec<(usize, usize)>>> = arities.iter().map(|&n| vec![Vec::new(); n]).collect();
        let mut pending = Vec::new();
        for clause in &clauses.list {
            let head = clause.head.relation;
            for (i, kind) in inert.judge(clause, keywords).into_iter().enumerate() {
                let (kind, uses) = kind;
                uses.into_iter().for_each(|(relation, j)| users[relation][j].push((head.index(), i)));
                inert.learn(head.index(), i, kind, &mut pending);
            }
        }
        inert.spread(&users, &mut pending);
        inert
    }

    /// For each argument of a clause's head, its kind by this clause alone, and the arguments that
    /// it is passed on to.
    fn judge(&self, clause: &Clause, keywords: &Keywords) -> Vec<(ArgumentKind, Vec<(usize, usize)>)> {
        let mut seen = Uses::new(self, clause, keywords);
        let is_given = keywords.contains(clause.head.relation);
        let judge = |pattern: &Pattern| match pattern {
            Pattern::Variable(v) if !is_given && seen.in_head[*v as usize] == 1 => {
                let v = *v as usize;
                (seen.kinds[v], std::mem::take(&mut seen.arguments[v]))
            }
            _ => (ArgumentKind::Telling, Vec::new()),
        };
        clause.head.arguments.iter().map(judge).collect()
    }

    /// Combines `kind` with the known kind of an argument. Queues the argument if its kind changes.
    fn learn(&mut self, relation: usize, i: usize, kind: ArgumentKind, pending: &mut Vec<(usize, usize)>) {
        let known = &mut self.kinds[relation][i];
        let joined = known.join(kind);
        if joined != *known {
            *known = joined;
            pending.push((relation, i));
        }
    }

    /// Propagates the kinds of queued arguments to the head arguments that are passed on to them.
    fn spread(&mut self, users: &[Vec<Vec<(usize, usize)>>], pending: &mut Vec<(usize, usize)>) {
        while let Some((relation, i)) = pending.pop() {
            let kind = self.kinds[relation][i];
            for &(user, j) in &users[relation][i] {
                self.learn(user, j, kind, pending);
            }
        }
    }

    /// The domain of an argument; `None` unless it is inert.
    fn domain(&self, relation: RelationId, i: usize) -> Option<RelationId> {
        match self.kinds[relation.index()][i] {
            ArgumentKind::Inert(domain) => Some(domain),
            _ => None,
        }
    }

    /// Returns whether a relation has an inert argument.
    fn has(&self, relation: RelationId) -> bool {
        (0..self.kinds[relation.index()].len()).any(|i| self.domain(relation, i).is_some())
    }

    fn is_in(&self, literal: &Literal) -> bool {
        self.has(literal.relation)
    }

    /// The clause without inert arguments, and without domain literals that always hold.
    fn rewrite(&self, clause: &Clause) -> Clause {
        let mut given: Vec<Literal> = Vec::new();
        let head = self.shorten(&clause.head, &mut given);
        // The domain literals of the head's inert arguments may be left out.
        let mut said = given;
        let mut positives: Vec<Literal> = Vec::new();
        for literal in &clause.positives {
            if self.is_domain(literal) {
                said.push(literal.clone());
            }
        }
        for literal in &clause.positives {
            let mut bounds = Vec::new();
            let short = self.shorten(literal, &mut bounds);
            for literal in [short].into_iter().chain(bounds.into_iter().filter(|bound| !said.contains(bound)))
            {
                if !positives.contains(&literal) {
                    positives.push(literal);
                }
            }
        }
        said.extend(positives.iter().cloned());
        let tests: Vec<Test> = clause.tests.iter().map(|test| self.test(test, &said)).collect();
        // A domain literal always holds if nothing else mentions its variable.
        let mut count = vec![0; clause.variables];
        let mut visit = |pattern: &Pattern| pattern.for_each_variable(&mut |v| count[v as usize] += 1);
        head.arguments.iter().for_each(&mut visit);
        positives.iter().flat_map(|l| &l.arguments).for_each(&mut visit);
        tests.iter().flat_map(Test::variables).for_each(|v| count[v as usize] += 1);
        positives.retain(|literal| match literal.arguments[..] {
            [Pattern::Variable(v)] => !self.is_domain(literal) || count[v as usize] > 1,
            _ => true,
        });
        Clause { head, positives, tests, ..*clause }
    }

    /// The factor by which a clause's instances shrink without inert arguments.
    fn saving(&self, clause: &Clause) -> usize {
        let mut left = vec![false; clause.variables];
        let short = self.rewrite(clause);
        short.head.variables().iter().for_each(|&v| left[v as usize] = true);
        short.positives.iter().flat_map(Literal::variables).for_each(|v| left[v as usize] = true);
        let mut bounds = Vec::new();
        self.shorten(&clause.head, &mut bounds);
        clause.for_each_literal(&mut |literal, _| {
            self.shorten(literal, &mut bounds);
        });
        let mut saving = 1usize;
        for bound in bounds {
            if let [Pattern::Variable(v)] = bound.arguments[..]
                && !std::mem::replace(&mut left[v as usize], true)
            {
                saving = saving.saturating_mul(self.domains[bound.relation.index()]);
            }
        }
        saving
    }

    fn is_domain(&self, literal: &Literal) -> bool {
        self.domains[literal.relation.index()] > 0
    }

    /// The literal without inert arguments. The domain literals of these arguments, which must hold
    /// as well, go to `bounds`.
    fn shorten(&self, literal: &Literal, bounds: &mut Vec<Literal>) -> Literal {
        let relation = literal.relation;
        let mut arguments = Vec::new();
        for (i, argument) in literal.arguments.iter().enumerate() {
            match self.domain(relation, i) {
                Some(domain) => bounds.push(Literal { relation: domain, arguments: vec![argument.clone()] }),
                None => arguments.push(argument.clone()),
            }
        }
        Literal { relation, arguments }
    }

    /// The test without inert arguments. Domain literals in `said` hold anyway and are left out.
    fn test(&self, test: &Test, said: &[Literal]) -> Test {
        match test {
            Test::Literal(literal) => {
                let mut bounds = Vec::new();
                let short = Test::Literal(self.shorten(literal, &mut bounds));
                bounds.retain(|bound| !said.contains(bound));
                if bounds.is_empty() {
                    return short;
                }
                let parts = bounds.into_iter().map(Test::Literal).chain([short]);
                Test::Not(Box::new(Test::Or(parts.map(|part| Test::Not(Box::new(part))).collect())))
            }
            Test::Distinct(..) => test.clone(),
            Test::Not(inner) => Test::Not(Box::new(self.test(inner, said))),
            Test::Or(branches) => Test::Or(branches.iter().map(|branch| self.test(branch, said)).collect()),
        }
    }
}

/// The occurrences of a clause's variables.
struct Uses {
    /// For each variable, its number of occurrences in the head.
    in_head: Vec<usize>,
    /// For each variable, the join of its kinds over the body, without the occurrences in
    /// `arguments`.
    kinds: Vec<ArgumentKind>,
    /// For each variable, the body arguments that it stands for.
    arguments: Vec<Vec<(usize, usize)>>,
}

impl Uses {
    fn new(inert: &Inert, clause: &Clause, keywords: &Keywords) -> Self {
        let mut uses = Self {
            in_head: vec![0; clause.variables],
            kinds: vec![ArgumentKind::Open; clause.variables],
            arguments: vec![Vec::new(); clause.variables],
        };
        for argument in &clause.head.arguments {
            argument.for_each_variable(&mut |v| uses.in_head[v as usize] += 1);
        }
        let is_known = |relation: RelationId| keywords.contains(relation);
        for literal in &clause.positives {
            match literal.arguments[..] {
                [Pattern::Variable(v)] if inert.is_domain(literal) => {
                    uses.say(v, ArgumentKind::Inert(literal.relation));
                }
                _ => uses.visit(literal, is_known(literal.relation)),
            }
        }
        for test in &clause.tests {
            // Negation makes no difference.
            test.for_each_literal(false, &mut |literal, _| uses.visit(literal, is_known(literal.relation)));
            uses.visit_distinct(test);
        }
        uses
    }

    fn say(&mut self, variable: u32, kind: ArgumentKind) {
        let known = &mut self.kinds[variable as usize];
        *known = known.join(kind);
    }

    /// Marks the variables of a pattern as variables whose values make a difference.
    fn look(&mut self, pattern: &Pattern) {
        pattern.for_each_variable(&mut |v| self.say(v, ArgumentKind::Telling));
    }

    fn visit(&mut self, literal: &Literal, is_given: bool) {
        for (i, argument) in literal.arguments.iter().enumerate() {
            match argument {
                Pattern::Variable(v) if !is_given => {
                    self.arguments[*v as usize].push((literal.relation.index(), i));
                }
                _ => self.look(argument),
            }
        }
    }

    fn visit_distinct(&mut self, test: &Test) {
        match test {
            Test::Literal(_) => {}
            Test::Distinct(left, right) => {
                self.look(left);
                self.look(right);
            }
            Test::Not(inner) => self.visit_distinct(inner),
            Test::Or(branches) => branches.iter().for_each(|branch| self.visit_distinct(branch)),
        }
    }
}

/// For each relation, its number of facts if it is a domain: it has one argument, and facts alone
/// define it. Otherwise 0.
fn domains(clauses: &Clauses, keywords: &Keywords, arities: &[usize]) -> Vec<usize> {
    let mut facts = vec![0; clauses.relations];
    let mut has_rules = vec![false; clauses.relations];
    for clause in &clauses.list {
        let is_fact =
            clause.positives.is_empty() && clause.tests.is_empty() && clause.head.variables().is_empty();
        facts[clause.head.relation.index()] += usize::from(is_fact);
        has_rules[clause.head.relation.index()] |= !is_fact;
    }
    let is_domain = |relation: usize| {
        let is_given = keywords.contains(RelationId(relation as u32)) && relation != keywords.role.index();
        arities[relation] == 1 && !has_rules[relation] && !is_given
    };
    (0..clauses.relations).map(|relation| if is_domain(relation) { facts[relation] } else { 0 }).collect()
}
