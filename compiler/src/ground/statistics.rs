//! The number of facts that match a literal, and of values that its variables take.
//!
//! [`Rows`] are what planning a join and splitting a clause go by. They are estimates: of
//! long relations a sample is counted, and joins are taken to be of independent columns.
//!
//! A sample has fewer facts of what is wider, so each measure takes a bounded number of steps; they
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

/// Facts of a relation that are looked at.
const SAMPLE: usize = 20_000;

/// Facts of a relation whose tuples are counted one by one where much depends on it.
const TUPLES: usize = 200_000;

/// The number of rows, and of values that each variable takes.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    pub(super) count: f64,
    pub(super) values: Vec<(u32, f64)>,
}

impl Rows {
    /// The rows of a join, if values are spread evenly and independently (Selinger et al., "Access
    /// path selection in a relational database management system", 1979).
    pub(super) fn join<'r>(parts: impl IntoIterator<Item = &'r Self>) -> Self {
        let (mut count, mut values) = (1.0, Vec::<(u32, f64)>::new());
        for part in parts {
            count *= part.count;
            for &(variable, n) in &part.values {
                match values.iter_mut().find(|(v, _)| *v == variable) {
                    // Of two sets of values the smaller is taken to lie in the larger.
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

    /// The tuples of values that `variables` take in bindings.
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

    /// The rows of all together, if the fewer are among the more.
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

    /// The rows that differ in `variables`.
    pub(super) fn project(&self, variables: &[u32]) -> Self {
        let values: Vec<(u32, f64)> =
            self.values.iter().copied().filter(|(v, _)| variables.contains(v)).collect();
        Self { count: self.count.min(product(&values)), values }
    }

    /// The same with each variable renamed.
    pub(super) fn rename(&self, name: impl Fn(u32) -> u32) -> Self {
        Self { count: self.count, values: self.values.iter().map(|&(v, n)| (name(v), n)).collect() }
    }
}

fn product(values: &[(u32, f64)]) -> f64 {
    values.iter().map(|(_, n)| n).product()
}

/// The measures, by relation and arguments with variables numbered by occurrence.
#[derive(Debug, Default)]
pub(super) struct Statistics {
    measured: FxHashMap<(u32, Vec<Pattern>), Rows>,
    /// The numbers of different tuples at some of the variables, by the same keys.
    projected: FxHashMap<(u32, Vec<Pattern>, Vec<usize>), f64>,
    /// Steps spent on counting.
    pub(super) steps: u64,
}

impl Statistics {
    /// The facts that match a literal. O(its relation's facts) the first time.
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

    /// The tuples of values that `seen` takes in the facts that match a literal. O(its relation's
    /// facts) the first time; of long relations an estimate, unless it `matters`.
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

    /// Forgets what is known of the relations from `first` on.
    pub(super) fn forget(&mut self, first: usize) {
        self.measured.retain(|key, _| (key.0 as usize) < first);
        self.projected.retain(|key, _| (key.0 as usize) < first);
    }

    /// Takes `rows` for what matches a relation applied to variables that are all different, until
    /// it is measured.
    pub(super) fn assume(&mut self, relation: RelationId, arity: usize, rows: Rows) {
        let pattern = (0..arity as u32).map(Pattern::Variable).collect();
        self.measured.insert((relation.0, pattern), rows);
    }
}

/// Facts that are looked at for a literal: fewer of wide ones.
fn sample(literal: &Literal) -> usize {
    SAMPLE / (1 + literal.size() / 16)
}

/// Steps to look at `facts` facts.
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
    // Facts are found in an order that follows their values: a sample must come from all over.
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
    // The size of a relation without facts is unknown; zero would make everything free.
    let values = (0..).zip(values).map(|(v, set)| (v, set.len().max(1) as f64)).collect();
    Rows { count: (f64::from(count) * scale).max(1.0), values }
}
