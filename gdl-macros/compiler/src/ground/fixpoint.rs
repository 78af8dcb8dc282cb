//! The semi-naive fixpoint: what can hold, and every instance that can make it hold.
//!
//! Facts wait in a list. Each in turn enters the indexes and starts the plans of all clauses that
//! have a literal it matches; what those derive joins the list. An instance is found exactly once:
//! when the last of its facts is processed, through the first literal that matches that fact.
//!
//! Every step costs fuel, and what is kept is counted in bytes, so both are bounded by the limits.

use super::{
    Cost, Literal, Program,
    clause::{self, Clause, Clauses, Test},
    excess::{Excess, What},
    join::{self, Facts, Plan, UNBOUND, Walk},
    strata::{self, Strata},
    terms::{AtomId, Atoms, TermId, Terms},
    watch::Watch,
};
use crate::{
    Limits, Rules,
    rules::{Keywords, RelationId, Symbols},
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Bytes that a disjunction takes besides its literals: an entry of a hash map and a piece of the heap.
const BYTES_PER_FORMULA: usize = 80;

/// A formula's value in an instance.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    False,
    True,
    Literal(Literal),
}

struct Grounder<'a> {
    limits: &'a Limits,
    symbols: &'a Symbols,
    keywords: Keywords,
    /// How many relations the rules have: those behind them stand for parts of rules.
    relations: usize,
    clauses: &'a [Clause],
    strata: Strata,
    terms: Terms,
    atoms: Atoms,
    facts: Facts,
    /// Steps spent on joins.
    steps: u64,
    /// The stage at work.
    stage: usize,
    /// For each rule, whether it has an instance.
    fired: Vec<bool>,
    /// The roles, to keep `does` to them.
    roles: FxHashSet<TermId>,
    fluents: usize,
    instances: Vec<(AtomId, u32, u32)>,
    literals: Vec<Literal>,
    /// Instances of each rule, for messages.
    counts: Vec<usize>,
    formula: RelationId,
    formula_bytes: usize,
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
    let Keywords { role, init, next, legal, goal, terminal, sees, .. } = rules.keywords;
    let roots = [role, init, next, legal, goal, terminal, sees];
    let mut grounder = Grounder::new(rules, clauses, terms, limits, &roots);
    let stages = grounder.stages();
    let (dynamic, fixed) = stages.split_last().expect("the dynamic stage");
    for (stage, numbers) in fixed.iter().enumerate() {
        grounder.saturate(stage, numbers, &[])?;
    }
    for (number, relation) in rules.relations.iter().enumerate() {
        if !grounder.strata.dynamic[number] && grounder.strata.relevant[number] {
            grounder.facts.measure(RelationId(number as u32), relation.arity, &grounder.atoms);
        }
    }
    let of = |grounder: &Grounder<'_>, relation: RelationId| -> Vec<TermId> {
        grounder.facts.of(relation).iter().map(|&a| grounder.atoms.arguments(a)[0]).collect()
    };
    grounder.roles = of(&grounder, role).into_iter().collect();
    let initial = of(&grounder, init);
    let start: Vec<AtomId> =
        initial.iter().map(|&term| grounder.atoms.intern(grounder.keywords.fact, &[term])).collect();
    grounder.saturate(grounder.strata.last, dynamic, &start)?;

    let possible = (0..grounder.atoms.len() as u32)
        .map(|a| {
            let atom = AtomId(a);
            grounder.facts.contains(atom) || grounder.atoms.relation(atom) == grounder.formula
        })
        .collect();
    let cost = Cost { steps: grounder.steps + grounder.facts.steps, bytes: grounder.bytes() };
    Ok(Program {
        terms: grounder.terms,
        atoms: grounder.atoms,
        possible,
        instances: grounder.instances,
        literals: grounder.literals,
        initial,
        fired: grounder.fired,
        strata: grounder.strata,
        cost,
    })
}

/// Grounds the static relations that `roots` depend on, which are static too. Gives the terms, the atoms and
/// those of them that hold.
pub(super) fn declarations(
    rules: &Rules,
    clauses: &Clauses,
    terms: Terms,
    limits: &Limits,
    roots: &[RelationId],
) -> Result<(Terms, Atoms, Vec<AtomId>), Excess> {
    let mut grounder = Grounder::new(rules, clauses, terms, limits, roots);
    let stages = grounder.stages();
    let fixed = &stages[..grounder.strata.last];
    for (stage, numbers) in fixed.iter().enumerate() {
        grounder.saturate(stage, numbers, &[])?;
    }
    let facts = roots.iter().flat_map(|&root| grounder.facts.of(root)).copied().collect();
    Ok((grounder.terms, grounder.atoms, facts))
}

impl<'a> Grounder<'a> {
    /// Nothing derived yet; only what `roots` depend on ever is.
    fn new(
        rules: &'a Rules,
        clauses: &'a Clauses,
        terms: Terms,
        limits: &'a Limits,
        roots: &[RelationId],
    ) -> Self {
        Self {
            limits,
            symbols: &rules.symbols,
            keywords: rules.keywords,
            relations: rules.relations.len(),
            clauses: &clauses.list,
            strata: strata::stratify(&clauses.list, clauses.relations, &rules.keywords, roots),
            terms,
            atoms: Atoms::default(),
            facts: Facts::default(),
            steps: 0,
            stage: 0,
            fired: vec![false; rules.rules.len()],
            roles: FxHashSet::default(),
            fluents: 0,
            instances: Vec::new(),
            literals: Vec::new(),
            counts: vec![0; rules.rules.len()],
            formula: RelationId(clauses.relations as u32),
            formula_bytes: 0,
            formulas: FxHashMap::default(),
            new_formulas: Vec::new(),
        }
    }

    /// The clauses of each stage.
    fn stages(&self) -> Vec<Vec<usize>> {
        let mut stages = vec![Vec::new(); self.strata.last + 1];
        for (number, clause) in self.clauses.iter().enumerate() {
            let head = clause.head.relation.index();
            if self.strata.relevant[head] {
                stages[self.strata.stage[head]].push(number);
            }
        }
        stages
    }

    /// Whether the relation is computed in the stage at work.
    fn is_inside(&self, relation: RelationId) -> bool {
        self.strata.stage[relation.index()] == self.stage
    }

    /// Runs the clauses of a stage to their fixpoint, from `start` and what is known.
    fn saturate(&mut self, stage: usize, clauses: &[usize], start: &[AtomId]) -> Result<(), Excess> {
        self.stage = stage;
        let (mut at_once, mut plans, mut watch) = (Vec::new(), Vec::new(), Watch::default());
        for &number in clauses {
            let clause = &self.clauses[number];
            let mut waits = false;
            for (place, literal) in clause.positives.iter().enumerate() {
                if self.is_inside(literal.relation) {
                    waits = true;
                    watch.add(literal.relation.0, &literal.arguments, plans.len());
                    plans.push(self.facts.plan(self.clauses, number, Some(place)));
                }
            }
            if !waits {
                at_once.push(self.facts.plan(self.clauses, number, None));
            }
            self.check(clause)?;
        }
        self.facts.fill(&self.atoms, &self.terms);

        let first = self.facts.list.len();
        start.iter().for_each(|&atom| {
            self.facts.note(atom, &self.atoms);
        });
        let mut bindings = Vec::new();
        for plan in &at_once {
            bindings.clear();
            bindings.resize(self.clauses[plan.clause].variables, UNBOUND);
            self.derive(plan, &mut bindings, None)?;
        }
        let mut found = Vec::new();
        let mut done = first;
        while let Some(&atom) = self.facts.list.get(done) {
            done += 1;
            self.follow(atom)?;
            self.facts.enter(atom, &self.atoms, &self.terms);
            let relation = self.atoms.relation(atom).0;
            self.steps += watch.find(relation, self.atoms.arguments(atom), &self.terms, &mut found);
            for &number in &found {
                let plan: &Plan = &plans[number];
                let clause = &self.clauses[plan.clause];
                bindings.clear();
                bindings.resize(clause.variables, UNBOUND);
                let literal = &clause.positives[plan.start.expect("waits for a fact")];
                if join::matches_all(
                    &literal.arguments,
                    self.atoms.arguments(atom),
                    &self.terms,
                    &mut bindings,
                ) {
                    self.derive(plan, &mut bindings, Some(atom))?;
                }
            }
        }
        Ok(())
    }

    /// The steps that may still be made.
    fn fuel(&self) -> u64 {
        self.limits.fuel.saturating_sub(self.steps + self.facts.steps)
    }

    /// What everything kept takes.
    fn bytes(&self) -> usize {
        self.terms.bytes()
            + self.atoms.bytes()
            + self.facts.bytes()
            + size_of::<(AtomId, u32, u32)>() * self.instances.len()
            + size_of::<Literal>() * self.literals.len()
            + self.formula_bytes
    }

    /// That the limits hold, while `clause` is at work.
    fn check(&self, clause: &Clause) -> Result<(), Excess> {
        let limits = self.limits;
        let what = if self.fuel() == 0 {
            What::Fuel
        } else if self.instances.len() > limits.max_ground_rules {
            let rule = (0..self.counts.len()).max_by_key(|&r| self.counts[r]).unwrap_or(clause.rule);
            return Err(What::Instances(self.counts[rule]).of(rule));
        } else if self.atoms.len() > limits.max_atoms {
            What::Atoms
        } else if self.terms.len() > limits.max_terms {
            What::Terms
        } else if self.bytes() > limits.max_bytes {
            What::Bytes
        } else {
            return Ok(());
        };
        Err(self.excess(what, clause))
    }

    fn excess(&self, what: What, clause: &Clause) -> Excess {
        let recursive = self.strata.recursive[clause.head.relation.index()];
        Excess { recursive, ..what.of(clause.rule) }
    }

    /// What can be legal can be done by a role, and what can hold next or at the start can hold. `init` comes
    /// here only if it depends on relations that may not be stratified.
    fn follow(&mut self, atom: AtomId) -> Result<(), Excess> {
        let relation = self.atoms.relation(atom);
        let arguments = self.atoms.arguments(atom).to_vec();
        let starts = relation == self.keywords.init && self.strata.dynamic[relation.index()];
        let follower = if relation == self.keywords.next || starts {
            self.atoms.intern(self.keywords.fact, &arguments)
        } else if relation == self.keywords.legal && self.roles.contains(&arguments[0]) {
            self.atoms.intern(self.keywords.does, &arguments)
        } else {
            self.fluents += usize::from(relation == self.keywords.fact);
            if self.fluents > self.limits.max_fluents {
                let next = self.atoms.find(self.keywords.next, &arguments);
                let rule = self.instances.iter().find(|i| Some(i.0) == next).map(|i| i.2 as usize);
                return Err(Excess { what: What::Fluents, rule, recursive: false });
            }
            return Ok(());
        };
        self.facts.note(follower, &self.atoms);
        Ok(())
    }

    /// Runs a plan from its start's bindings and enters what it derives.
    fn derive(&mut self, plan: &Plan, bindings: &mut [TermId], fact: Option<AtomId>) -> Result<(), Excess> {
        let clause = &self.clauses[plan.clause];
        // What is found waits in memory until it is emitted.
        let row = size_of::<TermId>() * clause.variables.max(1);
        let waiting = self.limits.max_bytes.saturating_sub(self.bytes()) / row;
        let room = self.limits.max_ground_rules.min(waiting);
        let fuel = self.fuel();
        let mut walk = Walk {
            clause,
            facts: &self.facts,
            atoms: &self.atoms,
            terms: &self.terms,
            dynamic: &self.strata.dynamic,
            fuel,
            room,
            hits: 0,
            found: Vec::new(),
            left: usize::MAX,
        };
        walk.run(&plan.steps, bindings);
        self.steps += fuel - walk.fuel;
        let (hits, found) = (walk.hits, walk.found);
        if self.fuel() == 0 {
            return Err(self.excess(What::Fuel, clause));
        }
        if hits > room {
            let count = self.counts[clause.rule] + hits;
            let what =
                if waiting < self.limits.max_ground_rules { What::Bytes } else { What::Instances(count) };
            return Err(self.excess(what, clause));
        }
        if clause.variables == 0 {
            // A row without columns: the clause is ground and the walk only counts.
            let repeated = self.is_repeated(plan, &[], fact);
            return if hits > 0 && !repeated { self.emit(clause, &[]) } else { Ok(()) };
        }
        for row in found.chunks_exact(clause.variables) {
            if !self.is_repeated(plan, row, fact) {
                self.emit(clause, row)?;
            }
        }
        Ok(())
    }

    /// True if an earlier literal of the clause matches the same fact: its own plan finds the instance.
    fn is_repeated(&self, plan: &Plan, row: &[TermId], fact: Option<AtomId>) -> bool {
        let (Some(start), Some(fact)) = (plan.start, fact) else { return false };
        let clause = &self.clauses[plan.clause];
        clause.positives[..start].iter().any(|literal| {
            literal.relation == self.atoms.relation(fact)
                && self.is_inside(literal.relation)
                && literal
                    .arguments
                    .iter()
                    .zip(self.atoms.arguments(fact))
                    .all(|(p, &t)| join::find(p, &self.terms, row) == Some(t))
        })
    }

    /// Enters the head of an instance and, if it depends on the state, the instance.
    fn emit(&mut self, clause: &Clause, row: &[TermId]) -> Result<(), Excess> {
        let rule = clause.rule;
        let arguments: Vec<TermId> =
            clause.head.arguments.iter().map(|a| join::instantiate(a, &mut self.terms, row)).collect();
        if let Some(term) = self.terms.excess() {
            return Err(self.excess(What::Term(self.terms.brief(term, self.symbols)), clause));
        }
        let head = self.atoms.intern(clause.head.relation, &arguments);
        self.facts.note(head, &self.atoms);
        self.steps += 1 + (clause.positives.len() + clause.tests.len()) as u64;
        if !self.strata.dynamic[clause.head.relation.index()] {
            self.fired[rule] |= clause.head.relation.index() < self.relations;
            return self.check(clause);
        }
        let start = self.literals.len();
        for literal in &clause.positives {
            if self.is_inside(literal.relation) {
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
        self.fired[rule] |= clause.head.relation.index() < self.relations;
        self.counts[rule] += 1;
        self.instances.push((head, start as u32, rule as u32));
        for (atom, literals) in std::mem::take(&mut self.new_formulas) {
            for literal in literals {
                self.instances.push((atom, self.literals.len() as u32, rule as u32));
                self.literals.push(literal);
            }
        }
        self.check(clause)
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
        self.formula_bytes += BYTES_PER_FORMULA + 2 * size_of::<Literal>() * literals.len();
        self.new_formulas.push((atom, literals.clone()));
        self.formulas.insert(literals, atom);
        Value::Literal(Literal::new(atom, false))
    }
}
