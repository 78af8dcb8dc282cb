//! Plans: the order in which the literals of a clause are joined.
//!
//! A [`JoinPlan`] orders the body of a clause. The literal with the fewest expected rows comes
//! next, and each test runs as soon as its variables are bound. A lookup uses an index from the
//! values of its bound variables to the values of its free ones.
//!
//! An instance consists of the head and the dynamic literals of its body. If the last steps of a
//! plan bind no variable of these, one solution of the steps is enough. For example, four distinct
//! constants out of sixty are found once, not twelve million times.
//!
//! The steps of planning are spent before it ([`effort`]), and the bytes of plans are counted with
//! those of the facts.

use super::{
    clause::{Clause, Literal, Test},
    facts::{FIND, Facts},
    statistics::Rows,
};
use crate::datalog::pattern::{Match, Pattern};

/// One step of a plan, with its cost in fuel.
#[derive(Clone, Debug)]
pub(super) enum JoinStep {
    /// Continues if the clause's literal at `place`, whose variables are all bound, is a fact.
    Check { place: usize, cost: u64 },
    /// Looks up the clause's literal at `place`: finds the rows for `key` in an index, and binds
    /// `free` for each row.
    Lookup { place: usize, index: usize, key: Vec<u32>, free: Vec<u32>, cost: u64 },
    /// Continues unless the clause's test with this index is known to fail.
    Test { test: usize, cost: u64 },
}

impl JoinStep {
    /// The fuel that the step takes.
    pub(super) fn cost(&self) -> u64 {
        let (Self::Check { cost, .. } | Self::Lookup { cost, .. } | Self::Test { cost, .. }) = self;
        *cost
    }
}

/// The join order of a clause's body once the literal at `start` (if any) is bound.
#[derive(Debug)]
pub(super) struct JoinPlan {
    pub(super) clause: usize,
    pub(super) start: Option<usize>,
    /// The matches of a fact's arguments with those of the literal at `start`.
    pub(super) given: Vec<Match>,
    pub(super) steps: Vec<JoinStep>,
    /// The number of last steps for which one binding is enough.
    pub(super) last: usize,
}

/// The bytes of a step of a plan, including its lists of variables.
const BYTES_PER_STEP: usize = 128;

/// The steps to plan a clause: each choice compares all remaining literals, and each test is
/// visited.
pub(super) fn effort(clause: &Clause) -> u64 {
    let (literals, tests) = (clause.positives.len(), clause.tests.len());
    let size: usize = clause.positives.iter().map(Literal::size).sum();
    let tested: usize = clause.tests.iter().map(Test::size).sum();
    (20 * (1 + literals) + literals * (literals + tests) / 12 + 2 * size + tested) as u64
}

impl JoinPlan {
    /// Plans clause `number` for a binding of its literal at `start`. `rows` has the statistics of
    /// each of its literals, if they are known.
    pub(super) fn new(
        facts: &mut Facts,
        clause: &Clause,
        number: usize,
        start: Option<usize>,
        rows: &[Option<Rows>],
    ) -> Self {
        let variables: Vec<Vec<u32>> = clause.positives.iter().map(Literal::variables).collect();
        let mut bound = vec![false; clause.variables];
        let mut tests: Vec<(usize, Vec<u32>)> =
            clause.tests.iter().map(Test::variables).enumerate().collect();
        let first = start.map_or(&[][..], |start| &clause.positives[start].arguments);
        let given = Match::of_all(first, &mut bound);
        let estimate =
            |place: usize, bound: &[bool]| estimate(rows[place].as_ref(), &variables[place], bound);
        // Each remaining literal, and the expected rows of its lookup.
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
                        steps.push(JoinStep::Test { test: *test, cost });
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
                steps.push(JoinStep::Check { place, cost });
                continue;
            }
            let (index, key, free) = facts.index(&clause.positives[place], &bound);
            free.iter().for_each(|&v| bound[v as usize] = true);
            news = !free.is_empty();
            for (other, rows) in &mut waiting {
                if free.iter().any(|v| variables[*other].contains(v)) {
                    *rows = estimate(*other, &bound);
                }
            }
            let cost = FIND + key.len() as u64 / 4;
            steps.push(JoinStep::Lookup { place, index, key, free, cost });
        }
        let size: usize = clause.positives.iter().map(Literal::size).sum();
        let first: usize = first.iter().map(Pattern::size).sum();
        facts.bytes += BYTES_PER_STEP * (1 + steps.len());
        facts.bytes += size_of::<u32>() * size + size_of::<Match>() * first;
        Self { clause: number, start, given, steps, last: 0 }
    }

    /// Finds the last steps that bind no variable of an instance. `dynamic` marks the relations
    /// that depend on the state.
    pub(super) fn find_last(&mut self, clause: &Clause, dynamic: &[bool]) {
        let is_dynamic = |literal: &Literal| dynamic[literal.relation.index()];
        let mut is_seen = vec![false; clause.variables];
        let literals = clause.positives.iter().filter(|literal| is_dynamic(literal));
        let in_literals = std::iter::once(&clause.head).chain(literals).flat_map(Literal::variables);
        let tests = clause.tests.iter().filter(|test| {
            let mut is_part = false;
            test.for_each_literal(false, &mut |literal, _| is_part |= is_dynamic(literal));
            is_part
        });
        in_literals.chain(tests.flat_map(Test::variables)).for_each(|v| is_seen[v as usize] = true);
        let is_last = |step: &&JoinStep| match step {
            JoinStep::Lookup { free, .. } => !free.iter().any(|&v| is_seen[v as usize]),
            JoinStep::Check { .. } | JoinStep::Test { .. } => true,
        };
        self.last = self.steps.iter().rev().take_while(is_last).count();
    }

    /// The indexes that the plan uses.
    pub(super) fn indexes(&self) -> impl Iterator<Item = usize> {
        self.steps.iter().filter_map(|step| match step {
            JoinStep::Lookup { index, .. } => Some(*index),
            JoinStep::Check { .. } | JoinStep::Test { .. } => None,
        })
    }
}

/// The expected number of rows of a lookup. `rows` has the statistics of the literal, and `bound`
/// marks the variables that are bound.
fn estimate(rows: Option<&Rows>, variables: &[u32], bound: &[bool]) -> f64 {
    if let Some(rows) = rows {
        let bound = rows.values.iter().filter(|(v, _)| bound[*v as usize]);
        return rows.count / bound.map(|(_, values)| values).product::<f64>();
    }
    // Without statistics, a guess of 8 values for each variable keeps bound lookups first and cross
    // products last.
    let free = variables.iter().filter(|&&v| !bound[v as usize]).count();
    8f64.powi(free as i32) * 1.5
}
