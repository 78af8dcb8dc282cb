//! Statistics: the number of facts that match a literal, and of values that its variables take.
//!
//! [`Rows`] guide the planning of joins and the splitting of clauses. They are estimates: long
//! relations are sampled, and joins assume independent columns.
//!
//! Wider literals have smaller samples, so each measure takes a bounded number of steps. The steps
//! are counted in [`Statistics::steps`], and each measure is made once.

use super::{
    clause::{Literal, canonical},
    facts::Facts,
    terms::{Atoms, TermId, Terms},
};
use crate::{
    datalog::pattern::{Match, Pattern},
    rules::RelationId,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The number of facts in a sample of a relation, divided for wide literals.
const SAMPLE: usize = 20_000;

/// The number of facts up to which tuples are counted exactly where the result matters most.
const TUPLES: usize = 200_000;

/// The number of rows, and the number of values that each variable takes.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    pub(super) count: f64,
    pub(super) values: Vec<(u32, f64)>,
}

impl Rows {
    /// Estimates the rows of a join, assuming that values are spread evenly and independently
    /// (Selinger et al., "Access path selection in a relational database management system", 1979).
    pub(super) fn join<'r>(parts: impl IntoIterator<Item = &'r Self>) -> Self {
        let (mut count, mut values) = (1.0, Vec::<(u32, f64)>::new());
        for part in parts {
            count *= part.count;
            for &(variable, n) in &part.values {
                match values.iter_mut().find(|(v, _)| *v == variable) {
                    // The smaller set of values is assumed to lie inside the larger one.
                    Some((_, least)) => {
                        count /= least.max(n).max(1.0);
                        *least = least.min(n);
                    }
                    None => values.push((variable, n)),
                }
            }
        }
        Self { count: count.min(product(&values)), values }
    }

    /// Counts the distinct tuples that `variables` take in bindings.
    pub(super) fn count<'b>(variables: &[u32], bindings: impl Iterator<Item = &'b [TermId]>) -> Self {
        let mut tuples = FxHashSet::default();
        let mut values = vec![FxHashSet::default(); variables.len()];
        for binding in bindings {
            let tuple: Vec<TermId> = variables.iter().map(|&v| binding[v as usize]).collect();
            values.iter_mut().zip(&tuple).for_each(|(set, &value)| {
                set.insert(value);
            });
            tuples.insert(tuple);
        }
        let values = variables.iter().zip(values).map(|(&v, set)| (v, set.len() as f64)).collect();
        Self { count: tuples.len() as f64, values }
    }

    /// Estimates a union, assuming that smaller sets lie inside larger ones.
    pub(super) fn union(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Self { count: 0.0, values: Vec::new() };
        for part in parts {
            all.count = all.count.max(part.count);
            for (variable, n) in part.values {
                match all.values.iter_mut().find(|(v, _)| *v == variable) {
                    Some((_, most)) => *most = most.max(n),
                    None => all.values.push((variable, n)),
                }
            }
        }
        all
    }

    /// Estimates the distinct tuples that `variables` take in the rows.
    pub(super) fn project(&self, variables: &[u32]) -> Self {
        let values: Vec<(u32, f64)> =
            self.values.iter().copied().filter(|(v, _)| variables.contains(v)).collect();
        Self { count: self.count.min(product(&values)), values }
    }

    /// The rows with each variable renamed.
    pub(super) fn rename(&self, name: impl Fn(u32) -> u32) -> Self {
        Self { count: self.count, values: self.values.iter().map(|&(v, n)| (name(v), n)).collect() }
    }
}

fn product(values: &[(u32, f64)]) -> f64 {
    values.iter().map(|(_, n)| n).product()
}

/// All measures, by relation and arguments, with variables numbered by occurrence.
#[derive(Debug, Default)]
pub(super) struct Statistics {
    measured: FxHashMap<(u32, Vec<Pattern>), Rows>,
    /// The numbers of distinct tuples of some variables, by relation, arguments and the variables'
    /// places.
    projected: FxHashMap<(u32, Vec<Pattern>, Vec<usize>), f64>,
    /// Steps spent on counting.
    pub(super) steps: u64,
}

impl Statistics {
    /// Measures the facts that match a literal. O(facts of its relation) the first time.
    pub(super) fn rows(&mut self, literal: &Literal, facts: &Facts, atoms: &Atoms, terms: &Terms) -> Rows {
        let mut names = Vec::new();
        let pattern = canonical(&literal.arguments, &mut names);
        let key = (literal.relation.0, pattern);
        if !self.measured.contains_key(&key) {
            self.steps += effort(literal, names.len(), facts.of(literal.relation).len().min(sample(literal)));
            let rows = measure(literal, &key.1, names.len(), facts, atoms, terms);
            self.measured.insert(key.clone(), rows);
        }
        self.measured[&key].rename(|place| names[place as usize])
    }

    /// Measures the tuples that `seen` take in the facts that match a literal. O(facts of its
    /// relation) the first time. Relations longer than a sample get an estimate; if `matters`, only
    /// relations more than ten times as long do.
    pub(super) fn projection(
        &mut self,
        literal: &Literal,
        seen: &[u32],
        matters: bool,
        facts: &Facts,
        atoms: &Atoms,
        terms: &Terms,
    ) -> Rows {
        let rows = self.rows(literal, facts, atoms, terms).project(seen);
        let all = facts.of(literal.relation);
        let most = if matters { sample(literal) * (TUPLES / SAMPLE) } else { sample(literal) };
        if all.is_empty() || all.len() > most {
            return rows;
        }
        let mut names = Vec::new();
        let pattern = canonical(&literal.arguments, &mut names);
        let places: Vec<usize> = (0..names.len()).filter(|&i| seen.contains(&names[i])).collect();
        let count = *self.projected.entry((literal.relation.0, pattern, places)).or_insert_with_key(|key| {
            let (_, pattern, places) = key;
            self.steps += effort(literal, names.len(), all.len());
            let pattern = Match::of_all(pattern, &mut vec![false; names.len()]);
            let mut bindings = vec![TermId::NONE; names.len()];
            let mut tuples: FxHashSet<Vec<TermId>> = FxHashSet::default();
            for &atom in all {
                if Match::all_fit(&pattern, atoms.arguments(atom), terms, &mut bindings) {
                    tuples.insert(places.iter().map(|&place| bindings[place]).collect());
                }
            }
            tuples.len().max(1) as f64
        });
        Rows { count, ..rows }
    }

    /// The number of measures.
    pub(super) fn len(&self) -> usize {
        self.measured.len() + self.projected.len()
    }

    /// Forgets the measures of the relations from `first` on.
    pub(super) fn forget(&mut self, first: usize) {
        self.measured.retain(|key, _| (key.0 as usize) < first);
        self.projected.retain(|key, _| (key.0 as usize) < first);
    }

    /// Assumes `rows` for a relation applied to distinct variables, until the statistics are
    /// dropped.
    pub(super) fn assume(&mut self, relation: RelationId, arity: usize, rows: Rows) {
        let pattern = (0..arity as u32).map(Pattern::Variable).collect();
        self.measured.insert((relation.0, pattern), rows);
    }
}

/// The number of facts in a sample for a literal, smaller for wide ones.
fn sample(literal: &Literal) -> usize {
    SAMPLE / (1 + literal.size() / 16)
}

/// The steps to match `facts` facts with a literal.
fn effort(literal: &Literal, variables: usize, facts: usize) -> u64 {
    (facts * (1 + literal.size() / 4 + variables)) as u64
}

fn measure(
    literal: &Literal,
    pattern: &[Pattern],
    variables: usize,
    facts: &Facts,
    atoms: &Atoms,
    terms: &Terms,
) -> Rows {
    let facts = facts.of(literal.relation);
    let mut values = vec![FxHashSet::default(); variables];
    let pattern = Match::of_all(pattern, &mut vec![false; variables]);
    let mut bindings = vec![TermId::NONE; variables];
    // Neighbouring facts have similar values, so the sample takes one of every `stride` facts.
    let stride = facts.len().div_ceil(sample(literal)).max(1);
    let (mut seen, mut count) = (0, 0);
    for &atom in facts.iter().step_by(stride) {
        seen += 1;
        if Match::all_fit(&pattern, atoms.arguments(atom), terms, &mut bindings) {
            count += 1;
            values.iter_mut().zip(&bindings).for_each(|(set, &value)| {
                set.insert(value);
            });
        }
    }
    let scale = facts.len() as f64 / f64::from(seen.max(1));
    // The size of a relation without facts is unknown; zero would make every join look free.
    let values = (0..).zip(values).map(|(v, set)| (v, set.len().max(1) as f64)).collect();
    Rows { count: (f64::from(count) * scale).max(1.0), values }
}
