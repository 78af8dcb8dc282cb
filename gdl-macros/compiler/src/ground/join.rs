//! Joins: indexes over the facts found so far and plans that walk them.
//!
//! A [`Plan`] orders the body of a clause so that what is bound most comes first and every test
//! runs as soon as its variables are bound. Each lookup of a plan goes through an index from the
//! values of its bound variables to the values of its free ones.

use super::clause::{Clause, Literal, Pattern, Test};
use super::terms::{AtomId, Atoms, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// The value of a variable that is not bound.
pub(super) const UNBOUND: TermId = TermId(u32::MAX);

/// Rows of the free variables' values by the bound variables' values.
#[derive(Debug)]
struct Index {
    /// The literal with its variables numbered by first occurrence.
    pattern: Vec<Pattern>,
    variables: usize,
    key: Vec<usize>,
    free: Vec<usize>,
    rows: FxHashMap<Box<[TermId]>, Vec<TermId>>,
}

/// One step of a plan.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// Look up `key` in an index, bind `free`, for each row.
    Lookup { index: usize, key: Vec<u32>, free: Vec<u32> },
    /// Go on unless the test is known to fail.
    Test(Test),
}

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
    /// Whether the atom was found.
    known: Vec<bool>,
    /// The found atoms in the order they were entered.
    pub(super) list: Vec<AtomId>,
    indexes: Vec<Index>,
    /// The indexes of each relation.
    by_relation: FxHashMap<u32, Vec<usize>>,
    by_pattern: FxHashMap<(u32, Vec<Pattern>, Vec<usize>), usize>,
    /// For each relation how many facts it has and how many values occur at each place; only kept for
    /// static relations, whose sizes are known when dynamic clauses are planned.
    sizes: FxHashMap<u32, (usize, Vec<usize>)>,
}

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

/// Numbers the variables of patterns by first occurrence; `names` collects the originals.
fn canonical(pattern: &Pattern, names: &mut Vec<u32>) -> Pattern {
    match pattern {
        Pattern::Ground(ground) => Pattern::Ground(*ground),
        Pattern::Variable(variable) => {
            let place = names.iter().position(|n| n == variable).unwrap_or_else(|| {
                names.push(*variable);
                names.len() - 1
            });
            Pattern::Variable(place as u32)
        }
        Pattern::Function(symbol, arguments) => {
            Pattern::Function(*symbol, arguments.iter().map(|a| canonical(a, names)).collect())
        }
    }
}

impl Facts {
    /// True if the atom was found.
    pub(super) fn contains(&self, atom: AtomId) -> bool {
        self.known.get(atom.index()).copied().unwrap_or(false)
    }

    /// Notes that the atom was found; false if it was before. It is not in the indexes yet.
    pub(super) fn note(&mut self, atom: AtomId) -> bool {
        if self.known.len() <= atom.index() {
            self.known.resize(atom.index() + 1, false);
        }
        if std::mem::replace(&mut self.known[atom.index()], true) {
            return false;
        }
        self.list.push(atom);
        true
    }

    /// Enters a noted atom into the indexes of its relation, those numbered `from` on.
    pub(super) fn enter(&mut self, atom: AtomId, atoms: &Atoms, terms: &Terms, from: usize) {
        let Some(indexes) = self.by_relation.get(&atoms.relation(atom).0) else { return };
        for &i in indexes.iter().filter(|&&i| i >= from) {
            let index = &mut self.indexes[i];
            let mut bindings = vec![UNBOUND; index.variables];
            if matches_all(&index.pattern, atoms.arguments(atom), terms, &mut bindings) {
                let key: Vec<TermId> = index.key.iter().map(|&v| bindings[v]).collect();
                let free = index.free.iter().map(|&v| bindings[v]);
                match index.rows.get_mut(&key[..]) {
                    Some(rows) => rows.extend(free),
                    None => {
                        index.rows.insert(key.into(), free.collect());
                    }
                }
            }
        }
    }

    /// The number of indexes, to tell new ones apart.
    pub(super) fn indexes(&self) -> usize {
        self.indexes.len()
    }

    /// Notes the sizes of static relations, given with their arities, for the planner. O(facts).
    pub(super) fn measure(&mut self, relations: Vec<(u32, usize)>, atoms: &Atoms) {
        let values = |arity| vec![FxHashSet::<TermId>::default(); arity];
        let mut found: FxHashMap<u32, (usize, Vec<FxHashSet<TermId>>)> =
            relations.into_iter().map(|(relation, arity)| (relation, (0, values(arity)))).collect();
        for &atom in &self.list {
            if let Some((count, values)) = found.get_mut(&atoms.relation(atom).0) {
                *count += 1;
                for (set, &term) in values.iter_mut().zip(atoms.arguments(atom)) {
                    set.insert(term);
                }
            }
        }
        let distinct = |values: Vec<FxHashSet<TermId>>| values.iter().map(|v| v.len().max(1)).collect();
        self.sizes = found.into_iter().map(|(r, (count, values))| (r, (count, distinct(values)))).collect();
    }

    /// How many rows a lookup of `literal` will find, roughly.
    fn estimate(&self, literal: &Literal, bound: &[bool]) -> f64 {
        let is_bound = |p: &Pattern| {
            let mut all = true;
            p.for_each_variable(&mut |v| all &= bound[v as usize]);
            all
        };
        if let Some((count, distinct)) = self.sizes.get(&literal.relation.0) {
            let mut rows = *count as f64;
            for (argument, &values) in literal.arguments.iter().zip(distinct) {
                if is_bound(argument) {
                    rows /= values as f64;
                }
            }
            return rows;
        }
        // A dynamic relation: its size is not known yet. A guess of 8 values a variable keeps
        // bound lookups first and cross products last.
        let free = literal.variables().iter().filter(|&&v| !bound[v as usize]).count();
        8f64.powi(free as i32) * 1.5
    }

    /// Plans a clause for when the literal at `start` is bound.
    pub(super) fn plan(&mut self, clauses: &[Clause], clause: usize, start: Option<usize>) -> Plan {
        let body = &clauses[clause];
        let mut bound = vec![false; body.variables];
        let mut waiting: Vec<usize> = (0..body.positives.len()).filter(|&i| Some(i) != start).collect();
        let mut tests: Vec<&Test> = body.tests.iter().collect();
        if let Some(start) = start {
            body.positives[start].variables().iter().for_each(|&v| bound[v as usize] = true);
        }
        let mut steps = Vec::new();
        loop {
            tests.retain(|test| {
                let ready = test.variables().iter().all(|&v| bound[v as usize]);
                if ready {
                    steps.push(Step::Test((*test).clone()));
                }
                !ready
            });
            let best = (0..waiting.len()).min_by(|&a, &b| {
                let estimate = |i: usize| self.estimate(&body.positives[waiting[i]], &bound);
                estimate(a).total_cmp(&estimate(b))
            });
            let Some(best) = best else { break };
            let literal = &body.positives[waiting.remove(best)];
            let (index, key, free) = self.index(literal, &bound);
            free.iter().for_each(|&v| bound[v as usize] = true);
            steps.push(Step::Lookup { index, key, free });
        }
        Plan { clause, start, steps }
    }

    /// The index for a literal with some variables bound, and those variables, bound and free.
    fn index(&mut self, literal: &Literal, bound: &[bool]) -> (usize, Vec<u32>, Vec<u32>) {
        let mut names = Vec::new();
        let pattern: Vec<Pattern> = literal.arguments.iter().map(|a| canonical(a, &mut names)).collect();
        let (key, free): (Vec<usize>, Vec<usize>) = (0..names.len()).partition(|&i| bound[names[i] as usize]);
        let key_names = key.iter().map(|&i| names[i]).collect();
        let free_names = free.iter().map(|&i| names[i]).collect();
        let relation = literal.relation.0;
        let indexes = &mut self.indexes;
        let by_relation = &mut self.by_relation;
        let number = *self.by_pattern.entry((relation, pattern.clone(), key.clone())).or_insert_with(|| {
            by_relation.entry(relation).or_default().push(indexes.len());
            indexes.push(Index { pattern, variables: names.len(), key, free, rows: FxHashMap::default() });
            indexes.len() - 1
        });
        (number, key_names, free_names)
    }
}

/// Walks plans over facts, counting steps.
pub(super) struct Walk<'a> {
    pub(super) facts: &'a Facts,
    pub(super) atoms: &'a Atoms,
    pub(super) terms: &'a Terms,
    pub(super) dynamic: &'a [bool],
    /// Steps left; the walk ends early when there are none.
    pub(super) fuel: u64,
    /// How many bindings may be found; the walk ends early when there are more.
    pub(super) room: usize,
    /// How many bindings were found.
    pub(super) hits: usize,
    /// Bindings found, one row of the clause's variables each.
    pub(super) found: Vec<TermId>,
}

impl Walk<'_> {
    /// Collects all bindings of the plan's remaining steps. Recurses once per literal of the body.
    pub(super) fn run(&mut self, steps: &[Step], bindings: &mut [TermId]) {
        if self.fuel == 0 || self.hits > self.room {
            return;
        }
        self.fuel -= 1;
        let Some((step, rest)) = steps.split_first() else {
            self.hits += 1;
            self.found.extend_from_slice(bindings);
            return;
        };
        match step {
            Step::Test(test) => {
                if self.decide(test, bindings) != Some(false) {
                    self.run(rest, bindings);
                }
            }
            Step::Lookup { index, key, free } => {
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
                if free.is_empty() {
                    self.run(rest, bindings);
                    return;
                }
                for row in rows.chunks_exact(free.len()) {
                    for (&variable, &value) in free.iter().zip(row) {
                        bindings[variable as usize] = value;
                    }
                    self.run(rest, bindings);
                }
                free.iter().for_each(|&v| bindings[v as usize] = UNBOUND);
            }
        }
    }

    /// The truth of a test as far as it does not depend on the state.
    pub(super) fn decide(&self, test: &Test, bindings: &[TermId]) -> Option<bool> {
        match test {
            Test::Literal(literal) => {
                if self.dynamic[literal.relation.index()] {
                    return None;
                }
                let arguments: Option<Vec<TermId>> =
                    literal.arguments.iter().map(|a| find(a, self.terms, bindings)).collect();
                let atom = arguments.and_then(|a| self.atoms.find(literal.relation, &a));
                Some(atom.is_some_and(|a| self.facts.contains(a)))
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
