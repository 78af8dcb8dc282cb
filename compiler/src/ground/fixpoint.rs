//! The semi-naive fixpoint: finds all atoms that can hold, and every instance that can derive them.
//!
//! Facts wait in a list. Each fact in turn enters the indexes and starts the plans of all clauses
//! with a literal that it matches. The facts that these derive join the list. An instance is found
//! when the last of its facts is processed, through the first literal that matches that fact:
//! exactly once. If the last steps of a plan bind no variable of the instance, one solution of them
//! is enough (`plan.rs`).
//!
//! A clause that exceeds its [`Cap`] is parked: it derives no more and its instances are dropped,
//! while the other clauses are evaluated further. Later it is opened again with a larger cap, or
//! replaced by other clauses with the same meaning.
//!
//! Every step costs fuel and every byte kept is counted, so the limits bound both. The cost of an
//! instance follows from the text of its clause ([`Clause::effort`]). Rows that wait to be emitted
//! may take a share of the remaining bytes.

mod instance;

use super::{
    Cost, GroundProgram, Literal,
    clause::{self, Clause, Clauses},
    clause_state::{Cap, ClauseState, Instances, Status},
    excess::{Excess, What},
    facts::Facts,
    join::Walk,
    plan::{self, JoinPlan},
    statistics::{Rows, Statistics},
    strata::{self, Strata},
    terms::{AtomId, Atoms, TermId, Terms},
    watch::Watch,
};
use crate::{
    Limits, Options, Rules,
    datalog::pattern::Match,
    meter::Meter,
    observer::Phase,
    rules::{Keywords, RelationId, Symbols},
};
use instance::{Ahead, Definition};
use rustc_hash::{FxHashMap, FxHashSet};
use std::{ops::Range, rc::Rc};

/// The factor by which the bytes of a list grow while it is reallocated.
const GROWTH: usize = 3;

/// The number of rows whose atoms are looked up together.
const BLOCK: usize = 32;

/// The semi-naive evaluation in progress.
pub(super) struct Grounder<'a> {
    limits: &'a Limits,
    meter: Meter,
    symbols: &'a Symbols,
    keywords: Keywords,
    /// The number of relations of the rules. Relations with this number or a greater one stand for
    /// parts of rules.
    relations: usize,
    states: Vec<ClauseState>,
    /// The number of parked clauses.
    waiting: usize,
    /// For each stage, the indices of its clauses.
    stages: Vec<Vec<usize>>,
    strata: Strata,
    terms: Terms,
    atoms: Atoms,
    facts: Facts,
    /// Statistics of the facts. They are dropped when there are more facts.
    statistics: Statistics,
    /// True if the current stage has reached its fixpoint before, so that its facts can be counted.
    is_settled: bool,
    /// The plans of the current stage; `watch` finds them by the facts that start them.
    plans: Vec<JoinPlan>,
    watch: Watch,
    /// The current stage.
    stage: usize,
    /// For each rule, whether it has an instance.
    fired: Vec<bool>,
    /// The roles. Only these get `does` from `legal`.
    roles: FxHashSet<TermId>,
    /// The terms of the fluents in the initial state.
    initial: Vec<TermId>,
    fluents: usize,
    /// The number of instances kept, and their bytes.
    kept: usize,
    kept_bytes: usize,
    /// Scratch buffers for the arguments and the body of the current instance.
    arguments: Vec<TermId>,
    body: Vec<Literal>,
    /// A scratch stack for building terms.
    stack: Vec<TermId>,
    /// The atoms, looked up ahead, of the rows that are emitted next.
    ahead: Ahead,
    formula: RelationId,
    /// The atoms that stand for disjunctions of literals, by their sorted literals.
    formulas: FxHashMap<Vec<Literal>, AtomId>,
    definitions: Vec<Definition>,
}

/// Grounds the static relations that `roots`, which are static too, depend on. Returns the terms,
/// the atoms, and the facts of `roots`.
pub(super) fn declarations(
    rules: &Rules,
    clauses: &Clauses,
    terms: Terms,
    options: &Options,
    roots: &[RelationId],
) -> Result<(Terms, Atoms, Vec<AtomId>), Excess> {
    let meter = Meter::new(options, Phase::Ground);
    let mut grounder = Grounder::new(rules, clauses, terms, &options.limits, meter, roots);
    grounder.settle(Cap::NONE)?;
    let facts = roots.iter().flat_map(|&root| grounder.facts.of(root)).copied().collect();
    Ok((grounder.terms, grounder.atoms, facts))
}

impl<'a> Grounder<'a> {
    /// Creates an evaluation without derived facts. It derives only relations that `roots` depend
    /// on.
    pub(super) fn new(
        rules: &'a Rules,
        clauses: &Clauses,
        terms: Terms,
        limits: &'a Limits,
        meter: Meter,
        roots: &[RelationId],
    ) -> Self {
        let strata = strata::stratify(clauses, &rules.keywords, roots);
        let mut stages = vec![Vec::new(); strata.last + 1];
        for (number, clause) in clauses.list.iter().enumerate() {
            let head = clause.head.relation.index();
            if strata.relevant[head] {
                stages[strata.stage[head]].push(number);
            }
        }
        Self {
            limits,
            meter,
            symbols: &rules.symbols,
            keywords: rules.keywords,
            relations: rules.relations.len(),
            states: clauses.list.iter().map(|clause| ClauseState::new(clause.clone(), Cap::NONE)).collect(),
            waiting: 0,
            stages,
            strata,
            terms,
            atoms: Atoms::default(),
            facts: Facts::default(),
            statistics: Statistics::default(),
            is_settled: false,
            plans: Vec::new(),
            watch: Watch::default(),
            stage: 0,
            fired: vec![false; rules.rules.len()],
            roles: FxHashSet::default(),
            initial: Vec::new(),
            fluents: 0,
            kept: 0,
            kept_bytes: 0,
            arguments: Vec::new(),
            body: Vec::new(),
            stack: Vec::new(),
            ahead: Ahead::default(),
            formula: clauses.formula,
            formulas: FxHashMap::default(),
            definitions: Vec::new(),
        }
    }

    /// Computes the fixed relations. Stops after a stage in which clauses exceed `cap`, since later
    /// stages need their facts, and returns the indices of these clauses.
    pub(super) fn settle(&mut self, cap: Cap) -> Result<Vec<usize>, Excess> {
        self.states.iter_mut().for_each(|state| state.cap = cap);
        for stage in 0..self.strata.last {
            self.begin(stage, &[])?;
            if self.waiting > 0 {
                return Ok(self.parked());
            }
        }
        Ok(Vec::new())
    }

    /// Computes the atoms that can hold at any time, after the fixed relations. Clauses that exceed
    /// `cap` stay parked.
    pub(super) fn play(&mut self, cap: Cap) -> Result<(), Excess> {
        let of = |relation: RelationId| -> Vec<TermId> {
            self.facts.of(relation).iter().map(|&a| self.atoms.arguments(a)[0]).collect()
        };
        self.roles = of(self.keywords.role).into_iter().collect();
        self.initial = of(self.keywords.init);
        self.states.iter_mut().for_each(|state| state.cap = cap);
        let fluents = self.initial.iter().map(|&term| self.atoms.intern(self.keywords.fact, &[term]));
        let start: Vec<AtomId> = fluents.collect();
        self.begin(self.strata.last, &start)?;
        self.is_settled = true;
        Ok(())
    }

    /// Runs the clauses of a stage to their fixpoint, from the facts `start` and all earlier ones.
    fn begin(&mut self, stage: usize, start: &[AtomId]) -> Result<(), Excess> {
        self.stage = stage;
        self.plans.clear();
        self.watch = Watch::default();
        let mut at_once = Vec::new();
        for number in std::mem::take(&mut self.stages[stage]) {
            // A clause with a literal for a relation of this stage matches nothing before the stage
            // has facts.
            if !self.watch(number)? {
                at_once.push(self.plan(number, None)?);
            }
        }
        self.fill()?;
        start.iter().for_each(|&atom| {
            self.facts.note(atom, &self.atoms);
        });
        self.join(&at_once)?;
        self.drain()
    }

    /// Adds clauses, whose relations may be new, and runs the stage to its fixpoint again. Returns
    /// the indices of the clauses.
    pub(super) fn add(&mut self, clauses: Vec<Clause>, cap: Cap) -> Result<Range<usize>, Excess> {
        let first = self.states.len();
        self.strata.extend(&clauses);
        self.states.extend(clauses.into_iter().map(|clause| ClauseState::new(Rc::new(clause), cap)));
        let added = first..self.states.len();
        self.open(&added.clone().collect::<Vec<_>>(), cap)?;
        Ok(added)
    }

    /// Opens clauses, drops their earlier instances, and runs the stage to its fixpoint again.
    pub(super) fn open(&mut self, numbers: &[usize], cap: Cap) -> Result<(), Excess> {
        if let Some(&first) = numbers.first() {
            // The call scans all plans, and each split on trial scans all statistics.
            self.spend((self.plans.len() + self.statistics.len()) as u64 / 4, first)?;
        }
        let mut at_once = Vec::new();
        for &number in numbers {
            self.set_status(number, Status::Open);
            let state = &mut self.states[number];
            *state = ClauseState { since: self.plans.len(), ..ClauseState::new(state.clause.clone(), cap) };
            self.watch(number)?;
            at_once.push(self.plan(number, None)?);
        }
        let is_current = |&(number, plan): &(usize, &JoinPlan)| {
            let state = &self.states[plan.clause];
            state.status == Status::Open && number >= state.since
        };
        let current = self.plans.iter().enumerate().filter(is_current).map(|(_, plan)| plan);
        self.facts.retire(current.chain(&at_once).flat_map(JoinPlan::indexes));
        self.fill()?;
        self.join(&at_once)?;
        self.drain()
    }

    /// Drops a clause and its instances. Other clauses must derive the same facts.
    pub(super) fn drop_clause(&mut self, number: usize) {
        self.set_status(number, Status::Dropped);
    }

    /// Changes the status of a clause and drops its instances.
    fn set_status(&mut self, number: usize, status: Status) {
        let state = &mut self.states[number];
        let instances = std::mem::take(&mut state.instances);
        let before = std::mem::replace(&mut state.status, status);
        self.kept -= instances.heads.len();
        self.kept_bytes -= instances.bytes();
        self.waiting += usize::from(status == Status::Parked);
        self.waiting -= usize::from(before == Status::Parked);
    }

    /// Makes a plan for each positive literal whose relation this stage computes. Returns false if
    /// the clause has no such literal.
    fn watch(&mut self, number: usize) -> Result<bool, Excess> {
        let clause = self.states[number].clause.clone();
        let mut waits = false;
        for (place, literal) in clause.positives.iter().enumerate() {
            if self.is_inside(literal.relation) {
                waits = true;
                self.watch.add(literal.relation.0, &literal.arguments, self.plans.len());
                let plan = self.plan(number, Some(place))?;
                self.plans.push(plan);
            }
        }
        Ok(waits)
    }

    /// Plans a clause by the statistics of the facts.
    fn plan(&mut self, number: usize, start: Option<usize>) -> Result<JoinPlan, Excess> {
        let clause = self.states[number].clause.clone();
        self.spend(plan::effort(&clause), number)?;
        let rows: Vec<Option<Rows>> = clause
            .positives
            .iter()
            .map(|literal| (self.is_settled || !self.is_inside(literal.relation)).then(|| self.rows(literal)))
            .collect();
        let mut plan = JoinPlan::new(&mut self.facts, &clause, number, start, &rows);
        plan.find_last(&clause, &self.strata.dynamic);
        self.check(number)?;
        Ok(plan)
    }

    /// Fills all new indexes with the known facts.
    fn fill(&mut self) -> Result<(), Excess> {
        // All clauses share the indexes: the error names the clause of the last plan.
        let number = self.plans.last().map_or(0, |plan| plan.clause);
        while let Some(steps) = self.facts.filling() {
            self.spend(steps, number)?;
            self.facts.fill(&self.atoms, &self.terms);
            self.check(number)?;
        }
        self.facts.fill(&self.atoms, &self.terms);
        Ok(())
    }

    /// The statistics of the facts that match a literal.
    pub(super) fn rows(&mut self, literal: &clause::Literal) -> Rows {
        let rows = self.statistics.rows(literal, &self.facts, &self.atoms, &self.terms);
        self.facts.steps += std::mem::take(&mut self.statistics.steps);
        rows
    }

    /// The statistics of the tuples that the variables `seen` take in the facts that match a
    /// literal. If `matters`, longer relations are counted exactly, too.
    pub(super) fn projection(&mut self, literal: &clause::Literal, seen: &[u32], matters: bool) -> Rows {
        let Self { facts, atoms, terms, .. } = self;
        let rows = self.statistics.projection(literal, seen, matters, facts, atoms, terms);
        self.facts.steps += std::mem::take(&mut self.statistics.steps);
        rows
    }

    /// Joins a body in at most `steps` steps. Returns the statistics of each list of variables in
    /// the results, or `None` if there are too few steps or no results.
    pub(super) fn probe<const N: usize>(
        &mut self,
        body: &Clause,
        lists: [&[u32]; N],
        steps: u64,
    ) -> Option<[Rows; N]> {
        if body.positives.iter().any(|l| self.facts.of(l.relation).is_empty()) {
            return None;
        }
        let rows: Vec<Option<Rows>> = body.positives.iter().map(|literal| Some(self.rows(literal))).collect();
        self.spend(plan::effort(body), 0).ok()?;
        let plan = JoinPlan::new(&mut self.facts, body, 0, None, &rows);
        self.fill().ok()?;
        let (known, dynamic) = ((&self.atoms, &self.terms), &self.strata.dynamic);
        let mut walk = Walk::new(body, &self.facts, known, dynamic, steps, &mut self.meter);
        walk.run(&plan.steps, &mut vec![TermId::NONE; body.slots()]);
        (walk.steps > 0 && walk.hits > 0)
            .then(|| lists.map(|list| Rows::count(list, walk.found.chunks_exact(body.slots()))))
    }

    /// Drops all statistics, since there are more facts.
    pub(super) fn measure(&mut self) {
        self.statistics = Statistics::default();
    }

    pub(super) fn statistics(&mut self) -> &mut Statistics {
        &mut self.statistics
    }

    /// The clauses that exceeded their caps.
    pub(super) fn parked(&self) -> Vec<usize> {
        self.with_status(Status::Parked)
    }

    /// The open clauses of all stages.
    pub(super) fn opened(&self) -> Vec<usize> {
        self.with_status(Status::Open)
    }

    fn with_status(&self, status: Status) -> Vec<usize> {
        (0..self.states.len()).filter(|&number| self.states[number].status == status).collect()
    }

    /// The clause with this number.
    pub(super) fn clause(&self, number: usize) -> &Rc<Clause> {
        &self.states[number].clause
    }

    /// The clauses of a relation that is fixed and not recursive; `None` for other relations.
    pub(super) fn definition(&self, relation: RelationId) -> Option<Vec<Rc<Clause>>> {
        // The strata have no entries yet for relations that were made in this round.
        let is_set = |flags: &[bool]| flags.get(relation.index()).copied().unwrap_or(true);
        if is_set(&self.strata.dynamic) || is_set(&self.strata.recursive) {
            return None;
        }
        let defines =
            |state: &&ClauseState| state.status != Status::Dropped && state.clause.head.relation == relation;
        Some(self.states.iter().filter(defines).map(|state| state.clause.clone()).collect())
    }

    /// The number of instances of a clause; 0 if its head is fixed or a guard.
    pub(super) fn yields(&self, number: usize) -> usize {
        let state = &self.states[number];
        if self.is_dynamic(state.clause.head.relation) { state.hits } else { 0 }
    }

    /// The number of classified relations.
    pub(super) fn relations(&self) -> usize {
        self.strata.dynamic.len()
    }

    /// Spends steps on optional work. Returns `None` and spends none if too few are left.
    pub(super) fn afford(&mut self, steps: u64) -> Option<()> {
        (steps <= self.meter.left()).then(|| self.meter.spend(steps))?
    }

    /// The number of remaining steps.
    pub(super) fn left(&self) -> u64 {
        self.meter.left()
    }

    /// Returns the meter with the remaining steps and bytes.
    pub(super) fn into_meter(self) -> Meter {
        self.meter
    }

    /// The classification of the relations, with those added since.
    pub(super) fn strata(&self) -> &Strata {
        &self.strata
    }

    /// Returns whether the relation depends on the state or the moves; true if it is not classified
    /// yet.
    pub(super) fn is_dynamic(&self, relation: RelationId) -> bool {
        self.strata.dynamic.get(relation.index()).copied().unwrap_or(true)
    }

    /// Returns whether the relation is computed in the current stage.
    fn is_inside(&self, relation: RelationId) -> bool {
        self.strata.stage[relation.index()] == self.stage
    }

    /// Runs plans over all known facts.
    fn join(&mut self, plans: &[JoinPlan]) -> Result<(), Excess> {
        let mut bindings = Vec::new();
        for plan in plans {
            bindings.clear();
            bindings.resize(self.states[plan.clause].clause.slots(), TermId::NONE);
            self.derive(plan, &mut bindings, None)?;
        }
        Ok(())
    }

    /// Processes the waiting facts until none is left.
    fn drain(&mut self) -> Result<(), Excess> {
        let plans = std::mem::take(&mut self.plans);
        let result = self.process(&plans);
        self.plans = plans;
        result
    }

    fn process(&mut self, plans: &[JoinPlan]) -> Result<(), Excess> {
        let (mut bindings, mut found, mut last) = (Vec::new(), Vec::new(), 0);
        while let Some(atom) = self.facts.enter(&self.atoms, &self.terms) {
            self.spend(0, last)?;
            self.follow(atom)?;
            let relation = self.atoms.relation(atom).0;
            let steps = self.watch.find(relation, self.atoms.arguments(atom), &self.terms, &mut found);
            self.facts.steps += steps;
            for &number in &found {
                let plan = &plans[number];
                last = plan.clause;
                let state = &self.states[plan.clause];
                if state.status != Status::Open || number < state.since {
                    continue;
                }
                self.facts.steps += state.clause.positives[plan.start.unwrap_or(0)].size() as u64 / 4;
                bindings.clear();
                bindings.resize(state.clause.slots(), TermId::NONE);
                let start = plan.start.expect("waits for a fact");
                bindings[state.clause.slot(start)] = TermId(atom.0);
                if Match::all_fit(&plan.given, self.atoms.arguments(atom), &self.terms, &mut bindings) {
                    self.derive(plan, &mut bindings, Some(atom))?;
                }
            }
        }
        Ok(())
    }

    /// Spends `steps`, and the steps that plans and indexes have taken since the last call.
    fn spend(&mut self, steps: u64, number: usize) -> Result<(), Excess> {
        self.meter.note(self.kept);
        let steps = steps + std::mem::take(&mut self.facts.steps);
        if self.meter.stop().is_some() || self.meter.spend(steps).is_none() {
            return Err(self.excess(What::Fuel, number));
        }
        Ok(())
    }

    /// The bytes of all terms, atoms, facts and instances.
    fn bytes(&self) -> usize {
        self.terms.bytes() + self.atoms.bytes() + self.facts.bytes() + self.kept_bytes
    }

    /// Checks the limits while clause `number` is evaluated. If one is exceeded, returns the error
    /// of [`Grounder::excess`].
    fn check(&mut self, number: usize) -> Result<(), Excess> {
        let limits = self.limits;
        let what = if self.kept > limits.max_ground_rules && self.waiting == 0 {
            What::Instances
        } else if self.atoms.len() > limits.max_atoms {
            What::Atoms
        } else if self.terms.len() > limits.max_terms {
            What::Terms
        } else if self.meter.hold(self.bytes()).is_none() {
            What::Bytes
        } else {
            return Ok(());
        };
        Err(self.excess(what, number))
    }

    /// Builds the error for an exceeded limit. Blames the rule with the most steps or instances or,
    /// for a term, the rule of clause `number`.
    fn excess(&self, what: What, number: usize) -> Excess {
        let what = self.meter.cancelled().map_or(what, What::Cancelled);
        let mut costs = vec![(0, 0); self.fired.len()];
        for (other, state) in
            self.states.iter().enumerate().filter(|(_, state)| state.status != Status::Dropped)
        {
            let (instances, steps) = &mut costs[state.clause.rule];
            // For the limit on instances, instances of fixed relations count only if clause
            // `number` derives them.
            let is_kept = what != What::Instances || other == number;
            *instances += if is_kept { state.hits } else { self.yields(other) };
            *steps += state.spent;
        }
        let own = self.states[number].clause.rule;
        let most = (0..costs.len()).max_by_key(|&rule| {
            let (instances, steps) = costs[rule];
            (if what == What::Fuel { steps } else { instances as u64 }, rule == own)
        });
        let rule = if let What::Term(_) = what { own } else { most.unwrap_or(own) };
        let depends = |state: &ClauseState| self.strata.recursive[state.clause.head.relation.index()];
        let recursive = self.states.iter().any(|state| state.clause.rule == rule && depends(state));
        let (instances, steps) = costs[rule];
        Excess { recursive, instances, steps, left: self.meter.left(), ..what.of(rule) }
    }

    /// Derives the consequences of an atom: `legal` gives `does`, and `next` gives `true`. `init`
    /// gives `true` here only if it depends on relations that may not be stratified.
    fn follow(&mut self, atom: AtomId) -> Result<(), Excess> {
        let relation = self.atoms.relation(atom);
        let arguments = self.atoms.arguments(atom).to_vec();
        let starts = relation == self.keywords.init && self.is_dynamic(relation);
        let follower = if relation == self.keywords.next || starts {
            self.atoms.intern(self.keywords.fact, &arguments)
        } else if relation == self.keywords.legal && self.roles.contains(&arguments[0]) {
            self.atoms.intern(self.keywords.does, &arguments)
        } else {
            self.fluents += usize::from(relation == self.keywords.fact);
            if self.fluents > self.limits.max_fluents {
                let next = self.atoms.find(self.keywords.next, &arguments);
                let gives = |state: &&ClauseState| state.instances.heads.iter().any(|i| Some(i.0) == next);
                let rule = self.states.iter().find(gives).map(|state| state.clause.rule);
                return Err(Excess { rule, ..What::Fluents.of(0) });
            }
            return Ok(());
        };
        self.facts.note(follower, &self.atoms);
        Ok(())
    }

    /// Runs a plan from the bindings of its start and emits the instances that it finds.
    fn derive(
        &mut self,
        plan: &JoinPlan,
        bindings: &mut [TermId],
        fact: Option<AtomId>,
    ) -> Result<(), Excess> {
        let number = plan.clause;
        let state = &self.states[number];
        if state.status != Status::Open {
            return Ok(());
        }
        let clause = state.clause.clone();
        // The rows found wait in memory until they are emitted.
        let row = size_of::<TermId>() * clause.slots().max(1);
        let waiting = self.limits.max_bytes.saturating_sub(self.bytes()) / row / GROWTH;
        let capped = state.cap.instances - state.hits;
        let room = self.limits.max_ground_rules.min(waiting).min(capped);
        let most = state.cap.steps - state.steps;
        self.spend(0, number)?;
        let before = self.meter.left();
        let (known, dynamic) = ((&self.atoms, &self.terms), &self.strata.dynamic);
        let mut walk = Walk::new(&clause, &self.facts, known, dynamic, most, &mut self.meter);
        (walk.room, walk.last) = (room, plan.last);
        walk.run(&plan.steps, bindings);
        let (left, hits, found) = (walk.steps, walk.hits, walk.found);
        self.states[number].spent += before - self.meter.left();
        if self.meter.stop().is_some() || left == 0 || hits > room {
            self.states[number].hits += hits;
            if self.meter.stop().is_some() {
                return Err(self.excess(What::Fuel, number));
            }
            if hits > room && room < capped {
                let what = if waiting < self.limits.max_ground_rules { What::Bytes } else { What::Instances };
                return Err(self.excess(what, number));
            }
            self.set_status(number, Status::Parked);
            return Ok(());
        }
        self.states[number].steps += most - left;
        if clause.slots() == 0 {
            // Rows without columns are only counted.
            self.look_ahead(&clause, &[]);
            return if hits > 0 { self.emit(number, &clause, &[], 0) } else { Ok(()) };
        }
        for rows in found.chunks(BLOCK * clause.slots()) {
            self.look_ahead(&clause, rows);
            for (i, row) in rows.chunks_exact(clause.slots()).enumerate() {
                if !self.is_repeated(plan, &clause, row, fact) {
                    self.emit(number, &clause, row, i)?;
                }
            }
        }
        Ok(())
    }

    /// Returns true if an earlier literal of the clause matches the same fact. The plan of the
    /// earliest such literal finds the instance, or one that differs only in fixed atoms.
    fn is_repeated(&self, plan: &JoinPlan, clause: &Clause, row: &[TermId], fact: Option<AtomId>) -> bool {
        let (Some(start), Some(fact)) = (plan.start, fact) else { return false };
        let mut before = clause.positives[..start].iter().enumerate();
        before.any(|(place, literal)| {
            self.is_inside(literal.relation) && row[clause.slot(place)] == TermId(fact.0)
        })
    }

    /// Returns the program: the possible atoms, the instances and their cost.
    pub(super) fn finish(self) -> GroundProgram {
        let possible = (0..self.atoms.len() as u32)
            .map(AtomId)
            .map(|atom| self.facts.contains(atom) || self.atoms.relation(atom) == self.formula)
            .collect();
        let cost = Cost { steps: self.limits.fuel - self.meter.left(), bytes: self.bytes() };
        let mut instances: Vec<(Instances, usize)> =
            self.states.into_iter().map(|state| (state.instances, state.clause.rule)).collect();
        for Definition { atom, literals, rule } in self.definitions {
            let heads = (0..literals.len() as u32).map(|start| (atom, start)).collect();
            instances.push((Instances { heads, literals }, rule));
        }
        GroundProgram {
            terms: self.terms,
            atoms: self.atoms,
            possible,
            instances,
            initial: self.initial,
            fired: self.fired,
            strata: self.strata,
            cost,
        }
    }
}
