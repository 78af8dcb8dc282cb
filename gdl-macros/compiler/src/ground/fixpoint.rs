//! The semi-naive fixpoint: what can hold, and every instance that can make it hold.
//!
//! Facts wait in a list. Each in turn enters the indexes and starts the plans of all clauses that
//! have a literal it matches; what those derive joins the list. An instance is found exactly once:
//! when the last of its facts is processed, through the first literal that matches that fact.

use super::{
    Excess, Literal, Program,
    clause::{self, Clause, Clauses, Test},
    join::{self, Facts, Plan, UNBOUND, Walk},
    strata::{self, Strata},
    terms::{AtomId, Atoms, TermId, Terms},
};
use crate::{
    Limits, Rules,
    rules::{Keywords, RelationId},
};
use rustc_hash::FxHashMap;

/// How many values of variables may wait to be emitted, over all bindings of one join: 256 MiB.
const MAX_WAITING: usize = 64 << 20;

/// Instances may have this many literals on average; what has more counts as too many instances.
const LITERALS_PER_INSTANCE: usize = 32;

/// A formula's value in an instance.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    False,
    True,
    Literal(Literal),
}

struct Grounder<'a> {
    limits: &'a Limits,
    keywords: Keywords,
    clauses: &'a [Clause],
    strata: Strata,
    terms: Terms,
    atoms: Atoms,
    facts: Facts,
    fuel: u64,
    /// The roles, to keep `does` to them.
    roles: Vec<TermId>,
    instances: Vec<(AtomId, u32, u32)>,
    literals: Vec<Literal>,
    /// Instances of each rule, for messages.
    counts: Vec<usize>,
    formula: RelationId,
    /// Atoms that stand for the disjunctions of literals.
    formulas: FxHashMap<Vec<Literal>, AtomId>,
    /// Those whose instances are not written yet.
    new_formulas: Vec<(AtomId, Vec<Literal>)>,
}

/// Grounds the clauses.
pub(super) fn fixpoint(
    rules: &Rules,
    clauses: &Clauses,
    terms: Terms,
    limits: &Limits,
) -> Result<Program, Excess> {
    let keywords = rules.keywords;
    let strata = strata::stratify(&clauses.list, clauses.relations, &keywords);
    let mut grounder = Grounder {
        limits,
        keywords,
        clauses: &clauses.list,
        strata,
        terms,
        atoms: Atoms::default(),
        facts: Facts::default(),
        fuel: limits.fuel,
        roles: Vec::new(),
        instances: Vec::new(),
        literals: Vec::new(),
        counts: vec![0; rules.rules.len()],
        formula: RelationId(clauses.relations as u32),
        formulas: FxHashMap::default(),
        new_formulas: Vec::new(),
    };
    for level in 0..grounder.strata.levels {
        grounder
            .saturate(|strata, relation| !strata.dynamic[relation] && strata.level[relation] == level, &[])?;
    }
    let is_static = |&r: &usize| !grounder.strata.dynamic[r] && grounder.strata.relevant[r];
    let measured = (0..rules.relations.len()).filter(is_static).map(|r| (r as u32, rules.relations[r].arity));
    grounder.facts.measure(measured.collect(), &grounder.atoms);
    let of = |grounder: &Grounder<'_>, relation: RelationId| -> Vec<TermId> {
        let facts = grounder.facts.list.iter().filter(|&&a| grounder.atoms.relation(a) == relation);
        facts.map(|&a| grounder.atoms.arguments(a)[0]).collect()
    };
    grounder.roles = of(&grounder, keywords.role);
    let initial = of(&grounder, keywords.init);
    let start: Vec<AtomId> =
        initial.iter().map(|&term| grounder.atoms.intern(keywords.fact, &[term])).collect();
    grounder.saturate(|strata, relation| strata.dynamic[relation], &start)?;

    let possible = (0..grounder.atoms.len() as u32)
        .map(|a| {
            let atom = AtomId(a);
            grounder.facts.contains(atom) || grounder.atoms.relation(atom) == grounder.formula
        })
        .collect();
    Ok(Program {
        terms: grounder.terms,
        atoms: grounder.atoms,
        possible,
        instances: grounder.instances,
        literals: grounder.literals,
        initial,
    })
}

impl Grounder<'_> {
    /// Runs the clauses whose heads are `chosen` to their fixpoint, from `start` and what is known.
    fn saturate(&mut self, chosen: impl Fn(&Strata, usize) -> bool, start: &[AtomId]) -> Result<(), Excess> {
        let inside: Vec<bool> = (0..self.strata.dynamic.len()).map(|r| chosen(&self.strata, r)).collect();
        let before = self.facts.indexes();
        let (mut at_once, mut by_relation) = (Vec::new(), FxHashMap::<u32, Vec<Plan>>::default());
        for (number, clause) in self.clauses.iter().enumerate() {
            let head = clause.head.relation.index();
            if !inside[head] || !self.strata.relevant[head] {
                continue;
            }
            let mut waits = false;
            for (place, literal) in clause.positives.iter().enumerate() {
                if inside[literal.relation.index()] {
                    waits = true;
                    let plan = self.facts.plan(self.clauses, number, Some(place));
                    by_relation.entry(literal.relation.0).or_default().push(plan);
                }
            }
            if !waits {
                at_once.push(self.facts.plan(self.clauses, number, None));
            }
        }
        for i in 0..self.facts.list.len() {
            self.facts.enter(self.facts.list[i], &self.atoms, &self.terms, before);
        }

        let first = self.facts.list.len();
        start.iter().for_each(|&atom| {
            self.facts.note(atom);
        });
        for plan in &at_once {
            let mut bindings = vec![UNBOUND; self.clauses[plan.clause].variables];
            self.derive(plan, &mut bindings, None, &inside)?;
        }
        let mut done = first;
        while let Some(&atom) = self.facts.list.get(done) {
            done += 1;
            self.follow(atom);
            self.facts.enter(atom, &self.atoms, &self.terms, 0);
            let relation = self.atoms.relation(atom).0;
            for plan in by_relation.get(&relation).map_or(&[][..], |plans| plans) {
                let clause = &self.clauses[plan.clause];
                let mut bindings = vec![UNBOUND; clause.variables];
                let literal = &clause.positives[plan.start.expect("waits for a fact")];
                if join::matches_all(
                    &literal.arguments,
                    self.atoms.arguments(atom),
                    &self.terms,
                    &mut bindings,
                ) {
                    self.derive(plan, &mut bindings, Some(atom), &inside)?;
                }
            }
        }
        Ok(())
    }

    /// What can be legal can be done by a role, and what can hold next or at the start can hold. `init` comes
    /// here only if it depends on relations that may not be stratified.
    fn follow(&mut self, atom: AtomId) {
        let relation = self.atoms.relation(atom);
        let arguments = self.atoms.arguments(atom).to_vec();
        let starts = relation == self.keywords.init && self.strata.dynamic[relation.index()];
        let follower = if relation == self.keywords.next || starts {
            self.atoms.intern(self.keywords.fact, &arguments)
        } else if relation == self.keywords.legal && self.roles.contains(&arguments[0]) {
            self.atoms.intern(self.keywords.does, &arguments)
        } else {
            return;
        };
        self.facts.note(follower);
    }

    /// Runs a plan from its start's bindings and enters what it derives.
    fn derive(
        &mut self,
        plan: &Plan,
        bindings: &mut [TermId],
        fact: Option<AtomId>,
        inside: &[bool],
    ) -> Result<(), Excess> {
        let clause = &self.clauses[plan.clause];
        let mut walk = Walk {
            facts: &self.facts,
            atoms: &self.atoms,
            terms: &self.terms,
            dynamic: &self.strata.dynamic,
            fuel: self.fuel,
            // What is found waits in memory until it is emitted.
            room: self.limits.max_ground_rules.min(MAX_WAITING / clause.variables.max(1)),
            hits: 0,
            found: Vec::new(),
        };
        let room = walk.room;
        walk.run(&plan.steps, bindings);
        self.fuel = walk.fuel;
        let (hits, found) = (walk.hits, walk.found);
        if self.fuel == 0 {
            return Err(Excess::Fuel { rule: clause.rule });
        }
        if hits > room {
            return Err(Excess::Instances { rule: clause.rule, count: self.counts[clause.rule] + hits });
        }
        if clause.variables == 0 {
            // A row without columns: the clause is ground and the walk only counts.
            let repeated = self.is_repeated(plan, &[], fact, inside);
            return if hits > 0 && !repeated { self.emit(clause, &[], inside) } else { Ok(()) };
        }
        for row in found.chunks_exact(clause.variables) {
            if !self.is_repeated(plan, row, fact, inside) {
                self.emit(clause, row, inside)?;
            }
        }
        Ok(())
    }

    /// True if an earlier literal of the clause matches the same fact: its own plan finds the instance.
    fn is_repeated(&self, plan: &Plan, row: &[TermId], fact: Option<AtomId>, inside: &[bool]) -> bool {
        let (Some(start), Some(fact)) = (plan.start, fact) else { return false };
        let clause = &self.clauses[plan.clause];
        clause.positives[..start].iter().any(|literal| {
            literal.relation == self.atoms.relation(fact)
                && inside[literal.relation.index()]
                && literal
                    .arguments
                    .iter()
                    .zip(self.atoms.arguments(fact))
                    .all(|(p, &t)| join::find(p, &self.terms, row) == Some(t))
        })
    }

    /// Enters the head of an instance and, if it depends on the state, the instance.
    fn emit(&mut self, clause: &Clause, row: &[TermId], inside: &[bool]) -> Result<(), Excess> {
        let rule = clause.rule;
        let arguments: Vec<TermId> =
            clause.head.arguments.iter().map(|a| join::instantiate(a, &mut self.terms, row)).collect();
        if let Some(term) = self.terms.excess() {
            return Err(Excess::Term { rule, text: self.describe(term) });
        }
        let head = self.atoms.intern(clause.head.relation, &arguments);
        self.facts.note(head);
        if self.atoms.len() > self.limits.max_atoms {
            return Err(Excess::Atoms { rule });
        }
        if !self.strata.dynamic[clause.head.relation.index()] {
            return Ok(());
        }
        let start = self.literals.len();
        for literal in &clause.positives {
            if inside[literal.relation.index()] {
                let atom = self.atom(literal, row);
                self.literals.push(Literal::new(atom, false));
            }
        }
        for test in &clause.tests {
            match self.value(test, row) {
                Value::True => {}
                Value::Literal(literal) => self.literals.push(literal),
                Value::False => {
                    self.literals.truncate(start);
                    return Ok(());
                }
            }
        }
        self.counts[rule] += 1;
        self.instances.push((head, start as u32, rule as u32));
        for (atom, literals) in std::mem::take(&mut self.new_formulas) {
            for literal in literals {
                self.instances.push((atom, self.literals.len() as u32, rule as u32));
                self.literals.push(literal);
            }
        }
        let max_literals = self.limits.max_ground_rules.saturating_mul(LITERALS_PER_INSTANCE);
        if self.instances.len() > self.limits.max_ground_rules || self.literals.len() > max_literals {
            let rule = (0..self.counts.len()).max_by_key(|&r| self.counts[r]).unwrap_or(rule);
            return Err(Excess::Instances { rule, count: self.counts[rule] });
        }
        Ok(())
    }

    /// A term too large to print in full: its outermost parts.
    fn describe(&self, term: TermId) -> String {
        format!(
            "a term of {} arguments, nested too deep or too large to print",
            self.terms.arguments(term).len()
        )
    }

    fn atom(&mut self, literal: &clause::Literal, row: &[TermId]) -> AtomId {
        let arguments: Vec<TermId> =
            literal.arguments.iter().map(|a| join::instantiate(a, &mut self.terms, row)).collect();
        self.atoms.intern(literal.relation, &arguments)
    }

    /// The value of a test under a full binding.
    fn value(&mut self, test: &Test, row: &[TermId]) -> Value {
        match test {
            Test::Literal(literal) => {
                if self.strata.dynamic[literal.relation.index()] {
                    return Value::Literal(Literal::new(self.atom(literal, row), false));
                }
                let arguments: Option<Vec<TermId>> =
                    literal.arguments.iter().map(|a| join::find(a, &self.terms, row)).collect();
                let atom = arguments.and_then(|a| self.atoms.find(literal.relation, &a));
                if atom.is_some_and(|a| self.facts.contains(a)) { Value::True } else { Value::False }
            }
            Test::Distinct(left, right) => {
                if join::equal(left, right, &self.terms, row) {
                    Value::False
                } else {
                    Value::True
                }
            }
            Test::Not(inner) => match self.value(inner, row) {
                Value::True => Value::False,
                Value::False => Value::True,
                Value::Literal(literal) => Value::Literal(!literal),
            },
            Test::Or(branches) => {
                let mut literals = Vec::new();
                for branch in branches {
                    match self.value(branch, row) {
                        Value::True => return Value::True,
                        Value::False => {}
                        Value::Literal(literal) => literals.push(literal),
                    }
                }
                self.disjunction(literals)
            }
        }
    }

    /// An atom that stands for a disjunction, shared by all equal ones.
    fn disjunction(&mut self, mut literals: Vec<Literal>) -> Value {
        literals.sort_unstable();
        literals.dedup();
        match literals[..] {
            [] => return Value::False,
            [single] => return Value::Literal(single),
            _ => {}
        }
        if let Some(&atom) = self.formulas.get(&literals) {
            return Value::Literal(Literal::new(atom, false));
        }
        let atom = self.atoms.intern(self.formula, &[TermId(self.formulas.len() as u32)]);
        self.new_formulas.push((atom, literals.clone()));
        self.formulas.insert(literals, atom);
        Value::Literal(Literal::new(atom, false))
    }
}
