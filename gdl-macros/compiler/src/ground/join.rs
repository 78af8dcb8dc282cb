//! Joins: indexes over the facts found so far and plans that walk them.
//!
//! A [`Plan`] orders the body of a clause so that what is bound most comes first and every test
//! runs as soon as its variables are bound. Each lookup of a plan goes through an index from the
//! values of its bound variables to the values of its free ones.
//!
//! Steps stand for what is done: a lookup takes some and more for a long key, a test as many as it has parts, an index
//! some for each fact that may enter it. They are spent before a plan is made ([`Facts::planning`]), before an index
//! is filled ([`Facts::filling`]), and one by one while a plan is walked. Facts, indexes and plans are counted in bytes.

use super::clause::{Clause, Literal, Pattern, Test, numbered};
use super::statistics::Rows;
use super::terms::{AtomId, Atoms, TermId, Terms};
use super::watch::Watch;
use crate::meter::Meter;
use crate::rules::RelationId;
use rustc_hash::FxHashMap;

/// The value of a variable that is not bound.
pub(super) const UNBOUND: TermId = TermId(u32::MAX);

/// Rows of the free variables' values, and the atom, by the bound variables' values.
#[derive(Debug)]
struct Index {
    relation: RelationId,
    /// The literal with its variables numbered by first occurrence.
    pattern: Vec<Pattern>,
    variables: usize,
    key: Vec<usize>,
    free: Vec<usize>,
    rows: FxHashMap<Box<[TermId]>, Vec<TermId>>,
    /// Steps that entering a fact takes.
    effort: u64,
    bytes: usize,
    /// Whether no plan needs it any more: it takes nothing then.
    is_retired: bool,
}

impl Index {
    /// Enters a fact if it matches. Returns the bytes that takes.
    fn enter(&mut self, atom: AtomId, atoms: &Atoms, terms: &Terms) -> usize {
        if self.is_retired {
            return 0;
        }
        let mut bindings = vec![UNBOUND; self.variables];
        if !matches_all(&self.pattern, atoms.arguments(atom), terms, &mut bindings) {
            return 0;
        }
        let key: Vec<TermId> = self.key.iter().map(|&v| bindings[v]).collect();
        let free = self.free.iter().map(|&v| bindings[v]).chain([TermId(atom.0)]);
        let row = size_of::<TermId>() * (self.free.len() + 1);
        if let Some(rows) = self.rows.get_mut(&key[..]) {
            rows.extend(free);
            self.bytes += row;
            return row;
        }
        let bytes = BYTES_PER_KEY + size_of::<TermId>() * key.len() + row;
        self.rows.insert(key.into(), free.collect());
        self.bytes += bytes;
        bytes
    }
}

/// One step of a plan.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// Go on if the clause's literal at `place`, whose variables are all bound, is a fact.
    Check { place: usize, cost: u64 },
    /// Look up `key` in an index, bind `free`, for each row: the clause's literal at `place`.
    Lookup { place: usize, index: usize, key: Vec<u32>, free: Vec<u32>, cost: u64 },
    /// Go on unless the test of the clause with this number is known to fail.
    Test { test: usize, cost: u64 },
}

impl Step {
    /// Steps of fuel that it takes.
    fn cost(&self) -> u64 {
        let (Self::Check { cost, .. } | Self::Lookup { cost, .. } | Self::Test { cost, .. }) = self;
        *cost
    }
}

/// Steps of fuel that finding something in a hash table takes, beside those for what is looked for.
const FIND: u64 = 8;

/// The way through a clause's body once the literal at `start` (if any) is bound.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) clause: usize,
    pub(super) start: Option<usize>,
    pub(super) steps: Vec<Step>,
}

/// The facts and their indexes.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// For each atom, its place in the list; none if it was not found.
    places: Vec<u32>,
    /// The found atoms in the order they were noted.
    pub(super) list: Vec<AtomId>,
    /// How many of them joins can see: those noted since wait for their turn.
    entered: usize,
    /// The found atoms of each relation, likewise.
    by_relation: Vec<Vec<AtomId>>,
    indexes: Vec<Index>,
    /// How many indexes have been filled with what was found before them.
    filled: usize,
    /// The indexes by their patterns.
    watch: Watch,
    /// Those that the last fact may enter.
    found: Vec<usize>,
    by_pattern: FxHashMap<(u32, Vec<Pattern>, Vec<usize>), usize>,
    /// Steps spent on plans and indexes.
    pub(super) steps: u64,
    /// Bytes in the indexes and plans.
    bytes: usize,
}

/// The place of an atom that was not found.
const NOWHERE: u32 = u32::MAX;

/// Bytes that a key of an index takes with its rows, whatever their length: an entry of a hash map that is
/// two thirds full, and two small pieces of the heap.
const BYTES_PER_KEY: usize = 120;

/// Bytes that an index takes without its rows.
const BYTES_PER_INDEX: usize = 400;

/// Bytes that a step of a plan takes, with its lists of variables.
const BYTES_PER_STEP: usize = 128;

/// Matches a term with a pattern, binding unbound variables.
pub(super) fn matches(pattern: &Pattern, term: TermId, terms: &Terms, bindings: &mut [TermId]) -> bool {
    match pattern {
        Pattern::Ground(ground) => *ground == term,
        Pattern::Variable(variable) => {
            let value = &mut bindings[*variable as usize];
            if *value == UNBOUND {
                *value = term;
            }
            *value == term
        }
        Pattern::Function(symbol, arguments) => {
            terms.symbol(term) == *symbol
                && terms.arguments(term).len() == arguments.len()
                && arguments.iter().zip(terms.arguments(term)).all(|(p, &t)| matches(p, t, terms, bindings))
        }
    }
}

/// Matches the arguments of a fact with those of a literal.
pub(super) fn matches_all(
    patterns: &[Pattern],
    values: &[TermId],
    terms: &Terms,
    bindings: &mut [TermId],
) -> bool {
    patterns.iter().zip(values).all(|(p, &t)| matches(p, t, terms, bindings))
}

/// The pattern under bindings, if such a term exists.
pub(super) fn find(pattern: &Pattern, terms: &Terms, bindings: &[TermId]) -> Option<TermId> {
    match pattern {
        Pattern::Ground(ground) => Some(*ground),
        Pattern::Variable(variable) => Some(bindings[*variable as usize]),
        Pattern::Function(symbol, arguments) => {
            let arguments: Option<Vec<TermId>> = arguments.iter().map(|a| find(a, terms, bindings)).collect();
            terms.find(*symbol, &arguments?)
        }
    }
}

/// The pattern under bindings, made if need be.
pub(super) fn instantiate(pattern: &Pattern, terms: &mut Terms, bindings: &[TermId]) -> TermId {
    match pattern {
        Pattern::Ground(ground) => *ground,
        Pattern::Variable(variable) => bindings[*variable as usize],
        Pattern::Function(symbol, arguments) => {
            let arguments: Vec<TermId> = arguments.iter().map(|a| instantiate(a, terms, bindings)).collect();
            terms.intern(*symbol, &arguments)
        }
    }
}

/// The patterns with their variables numbered by first occurrence; `names` collects the originals.
pub(super) fn canonical(patterns: &[Pattern], names: &mut Vec<u32>) -> Vec<Pattern> {
    patterns.iter().map(|pattern| pattern.rename(&mut |variable| numbered(variable, names))).collect()
}

/// How many rows a lookup of a literal will find: `rows` match it, of its variables some are bound.
fn estimate(rows: Option<&Rows>, variables: &[u32], bound: &[bool]) -> f64 {
    if let Some(rows) = rows {
        let bound = rows.values.iter().filter(|(v, _)| bound[*v as usize]);
        return rows.count / bound.map(|(_, values)| values).product::<f64>();
    }
    // Nothing is known yet. A guess of 8 values a variable keeps bound lookups first and cross products last.
    let free = variables.iter().filter(|&&v| !bound[v as usize]).count();
    8f64.powi(free as i32) * 1.5
}

impl Facts {
    /// True if the atom was found.
    pub(super) fn contains(&self, atom: AtomId) -> bool {
        self.place(atom) != NOWHERE
    }

    fn place(&self, atom: AtomId) -> u32 {
        self.places.get(atom.index()).copied().unwrap_or(NOWHERE)
    }

    /// Notes that the atom was found; false if it was before. Joins do not see it yet.
    pub(super) fn note(&mut self, atom: AtomId, atoms: &Atoms) -> bool {
        if self.contains(atom) {
            return false;
        }
        if self.places.len() <= atom.index() {
            self.places.resize(atom.index() + 1, NOWHERE);
        }
        self.places[atom.index()] = self.list.len() as u32;
        self.list.push(atom);
        let relation = atoms.relation(atom).index();
        if self.by_relation.len() <= relation {
            self.by_relation.resize(relation + 1, Vec::new());
        }
        self.by_relation[relation].push(atom);
        true
    }

    /// The atoms found of a relation.
    pub(super) fn of(&self, relation: RelationId) -> &[AtomId] {
        self.by_relation.get(relation.index()).map_or(&[], |atoms| atoms)
    }

    /// The bytes that facts, indexes and plans take.
    pub(super) fn bytes(&self) -> usize {
        self.bytes + size_of::<u32>() * self.places.len() + 2 * size_of::<AtomId>() * self.list.len()
    }

    /// Enters the atom that was noted first of those that wait, if there is one, and gives it.
    pub(super) fn enter(&mut self, atoms: &Atoms, terms: &Terms) -> Option<AtomId> {
        let &atom = self.list.get(self.entered)?;
        self.entered += 1;
        let arguments = atoms.arguments(atom);
        self.steps += self.watch.find(atoms.relation(atom).0, arguments, terms, &mut self.found);
        for &i in &self.found {
            self.steps += self.indexes[i].effort;
            self.bytes += self.indexes[i].enter(atom, atoms, terms);
        }
        Some(atom)
    }

    /// Steps that the next index to be filled takes, if one was made since all were.
    pub(super) fn filling(&self) -> Option<u64> {
        let index = self.indexes.get(self.filled)?;
        Some(self.of(index.relation).len() as u64 * index.effort)
    }

    /// Enters all that was noted, and fills the next index made. Nothing may wait in indexes made before.
    pub(super) fn fill(&mut self, atoms: &Atoms, terms: &Terms) {
        self.entered = self.list.len();
        let Some(index) = self.indexes.get_mut(self.filled) else { return };
        for &atom in self.by_relation.get(index.relation.index()).map_or(&[][..], |atoms| atoms) {
            self.bytes += index.enter(atom, atoms, terms);
        }
        self.filled += 1;
    }

    /// Forgets the indexes that none of the plans needs.
    pub(super) fn retire<'p>(&mut self, plans: impl Iterator<Item = &'p Plan>) {
        let mut is_used = vec![false; self.indexes.len()];
        for step in plans.flat_map(|plan| &plan.steps) {
            if let Step::Lookup { index, .. } = step {
                is_used[*index] = true;
            }
        }
        for (index, is_used) in self.indexes.iter_mut().zip(is_used) {
            if !is_used && !index.is_retired {
                self.bytes -= index.bytes;
                (index.rows, index.bytes, index.is_retired) = (FxHashMap::default(), 0, true);
                self.by_pattern.remove(&(index.relation.0, index.pattern.clone(), index.key.clone()));
            }
        }
    }

    /// Steps that planning a clause takes once: each literal is compared with those left whenever one is chosen, and
    /// each test looked at.
    pub(super) fn planning(clause: &Clause) -> u64 {
        let (literals, tests) = (clause.positives.len(), clause.tests.len());
        let size: usize = clause.positives.iter().map(Literal::size).sum();
        let tested: usize = clause.tests.iter().map(Test::size).sum();
        (20 * (1 + literals) + literals * (literals + tests) / 12 + 2 * size + tested) as u64
    }

    /// Plans clause `number` for when its literal at `start` is bound. `rows` has the matches of each of its
    /// literals where they are known.
    pub(super) fn plan(
        &mut self,
        clause: &Clause,
        number: usize,
        start: Option<usize>,
        rows: &[Option<Rows>],
    ) -> Plan {
        let variables: Vec<Vec<u32>> = clause.positives.iter().map(Literal::variables).collect();
        let mut bound = vec![false; clause.variables];
        let mut tests: Vec<(usize, Vec<u32>)> =
            clause.tests.iter().map(Test::variables).enumerate().collect();
        if let Some(start) = start {
            variables[start].iter().for_each(|&v| bound[v as usize] = true);
        }
        let estimate =
            |place: usize, bound: &[bool]| estimate(rows[place].as_ref(), &variables[place], bound);
        // Each literal that waits and how many rows its lookup will find, as far as is known.
        let mut waiting: Vec<(usize, f64)> = (0..clause.positives.len())
            .filter(|&place| Some(place) != start)
            .map(|place| (place, estimate(place, &bound)))
            .collect();
        let mut steps = Vec::new();
        let mut news = true;
        loop {
            if news {
                tests.retain(|(test, variables)| {
                    let ready = variables.iter().all(|&v| bound[v as usize]);
                    if ready {
                        let cost = 1 + clause.tests[*test].size() as u64 / 2;
                        steps.push(Step::Test { test: *test, cost });
                    }
                    !ready
                });
            }
            let best = (0..waiting.len()).min_by(|&a, &b| waiting[a].1.total_cmp(&waiting[b].1));
            let Some(best) = best else { break };
            let (place, _) = waiting.remove(best);
            if variables[place].iter().all(|&v| bound[v as usize]) {
                news = false;
                let cost = FIND + clause.positives[place].size() as u64 / 2;
                steps.push(Step::Check { place, cost });
                continue;
            }
            let (index, key, free) = self.index(&clause.positives[place], &bound);
            free.iter().for_each(|&v| bound[v as usize] = true);
            news = !free.is_empty();
            for (other, rows) in &mut waiting {
                if free.iter().any(|v| variables[*other].contains(v)) {
                    *rows = estimate(*other, &bound);
                }
            }
            let cost = FIND + key.len() as u64 / 4;
            steps.push(Step::Lookup { place, index, key, free, cost });
        }
        let size: usize = clause.positives.iter().map(Literal::size).sum();
        self.bytes += BYTES_PER_STEP * (1 + steps.len()) + size_of::<u32>() * size;
        Plan { clause: number, start, steps }
    }

    /// The index for a literal with some variables bound, and those variables, bound and free.
    fn index(&mut self, literal: &Literal, bound: &[bool]) -> (usize, Vec<u32>, Vec<u32>) {
        let mut names = Vec::new();
        let pattern = canonical(&literal.arguments, &mut names);
        let (key, free): (Vec<usize>, Vec<usize>) = (0..names.len()).partition(|&i| bound[names[i] as usize]);
        let key_names = key.iter().map(|&i| names[i]).collect();
        let free_names = free.iter().map(|&i| names[i]).collect();
        let relation = literal.relation;
        let indexes = &mut self.indexes;
        let watch = &mut self.watch;
        let number =
            *self.by_pattern.entry((relation.0, pattern.clone(), key.clone())).or_insert_with(|| {
                watch.add(relation.0, &pattern, indexes.len());
                let (variables, rows) = (names.len(), FxHashMap::default());
                let effort = FIND + (literal.size() + variables) as u64 / 4;
                self.bytes += BYTES_PER_INDEX + 2 * size_of::<Pattern>() * literal.size();
                let (bytes, is_retired) = (0, false);
                indexes.push(Index {
                    relation,
                    pattern,
                    variables,
                    key,
                    free,
                    rows,
                    effort,
                    bytes,
                    is_retired,
                });
                indexes.len() - 1
            });
        (number, key_names, free_names)
    }
}

/// Walks plans over facts, counting steps.
pub(super) struct Walk<'a> {
    pub(super) clause: &'a Clause,
    pub(super) facts: &'a Facts,
    pub(super) atoms: &'a Atoms,
    pub(super) terms: &'a Terms,
    pub(super) dynamic: &'a [bool],
    /// Steps of plans that the walk may take; it ends early when there are none left.
    pub(super) steps: u64,
    /// What they cost is taken from here. When that is not enough, there are no steps left either.
    pub(super) meter: &'a mut Meter,
    /// How many bindings may be found; the walk ends early when there are more.
    pub(super) room: usize,
    /// How many bindings were found.
    pub(super) hits: usize,
    /// Bindings found, one row of the clause's variables and positive literals each.
    pub(super) found: Vec<TermId>,
    /// The fewest steps that were ever left to go.
    pub(super) left: usize,
}

impl Walk<'_> {
    /// Collects all bindings of the plan's remaining steps. Recurses once per literal of the body.
    pub(super) fn run(&mut self, steps: &[Step], bindings: &mut [TermId]) {
        if self.steps == 0 || self.hits > self.room {
            return;
        }
        // A row that was found is copied.
        let cost = steps.first().map_or(1 + bindings.len() as u64 / 8, Step::cost);
        if self.meter.spend(cost).is_none() {
            self.steps = 0;
            return;
        }
        self.steps -= 1;
        self.left = self.left.min(steps.len());
        let Some((step, rest)) = steps.split_first() else {
            self.hits += 1;
            self.found.extend_from_slice(bindings);
            return;
        };
        match step {
            Step::Test { test, .. } => {
                let clause = self.clause;
                if self.decide(&clause.tests[*test], bindings) != Some(false) {
                    self.run(rest, bindings);
                }
            }
            Step::Check { place, .. } => {
                let clause = self.clause;
                let Some(atom) = self.find(&clause.positives[*place], bindings) else { return };
                if (self.facts.place(atom) as usize) < self.facts.entered {
                    bindings[clause.slot(*place)] = TermId(atom.0);
                    self.run(rest, bindings);
                }
            }
            Step::Lookup { place, index, key, free, .. } => {
                let facts = self.facts;
                let rows = &facts.indexes[*index].rows;
                // Keys are short; the stack serves all but the odd one.
                let mut short = [UNBOUND; 8];
                let long: Vec<TermId>;
                let key = if key.len() <= short.len() {
                    for (place, &v) in short.iter_mut().zip(key) {
                        *place = bindings[v as usize];
                    }
                    &short[..key.len()]
                } else {
                    long = key.iter().map(|&v| bindings[v as usize]).collect();
                    &long[..]
                };
                let Some(rows) = rows.get(key) else { return };
                let slot = self.clause.slot(*place);
                for row in rows.chunks_exact(free.len() + 1) {
                    for (&variable, &value) in free.iter().zip(row) {
                        bindings[variable as usize] = value;
                    }
                    bindings[slot] = row[free.len()];
                    self.run(rest, bindings);
                }
                free.iter().for_each(|&v| bindings[v as usize] = UNBOUND);
            }
        }
    }

    /// The atom that a literal is under bindings, if there is one.
    fn find(&self, literal: &Literal, bindings: &[TermId]) -> Option<AtomId> {
        let mut short = [UNBOUND; 8];
        if let Some(arguments) = short.get_mut(..literal.arguments.len()) {
            for (argument, pattern) in arguments.iter_mut().zip(&literal.arguments) {
                *argument = find(pattern, self.terms, bindings)?;
            }
            return self.atoms.find(literal.relation, arguments);
        }
        let arguments: Option<Vec<TermId>> =
            literal.arguments.iter().map(|a| find(a, self.terms, bindings)).collect();
        self.atoms.find(literal.relation, &arguments?)
    }

    /// The truth of a test as far as it does not depend on the state.
    pub(super) fn decide(&self, test: &Test, bindings: &[TermId]) -> Option<bool> {
        match test {
            Test::Literal(literal) => {
                if self.dynamic[literal.relation.index()] {
                    return None;
                }
                Some(self.find(literal, bindings).is_some_and(|atom| self.facts.contains(atom)))
            }
            Test::Distinct(left, right) => Some(!equal(left, right, self.terms, bindings)),
            Test::Not(inner) => self.decide(inner, bindings).map(|truth| !truth),
            Test::Or(branches) => {
                let mut unknown = false;
                for branch in branches {
                    match self.decide(branch, bindings) {
                        Some(true) => return Some(true),
                        Some(false) => {}
                        None => unknown = true,
                    }
                }
                if unknown { None } else { Some(false) }
            }
        }
    }
}

/// True if both patterns stand for the same term, which need not have been made yet.
pub(super) fn equal(left: &Pattern, right: &Pattern, terms: &Terms, bindings: &[TermId]) -> bool {
    if let (Pattern::Function(f, xs), Pattern::Function(g, ys)) = (left, right) {
        return f == g
            && xs.len() == ys.len()
            && xs.iter().zip(ys).all(|(x, y)| equal(x, y, terms, bindings));
    }
    match (find(left, terms, bindings), find(right, terms, bindings)) {
        (Some(left), Some(right)) => left == right,
        _ => false,
    }
}
