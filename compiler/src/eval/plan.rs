//! The planner, which orders the literals of a body.
//!
//! A plan is a list of [`EvalStep`]s for the goals of a clause, ordered by the expected number of
//! rows. A test comes as soon as its variables are bound. Otherwise the atom or disjunction with
//! the fewest expected rows is next. Once the head's variables are bound, the rest needs to succeed
//! only once, so an [`EvalStep::Cut`] precedes it.

use super::EvalError;
use super::program::{Atom, Goal, Leaf, Pattern, Program};
use super::store::EvalStore;

/// The number of tuples above which a relation is evaluated on demand, and the expected size of
/// each relation on demand.
pub(super) const ON_DEMAND: usize = 20_000;

/// The cost of a test that queries a relation on demand: more than other tests, less than a scan.
const QUESTION: f64 = 0.1;

/// One step of a plan.
pub(super) enum EvalStep<'p> {
    /// Tries rows of the atom's view.
    Scan { atom: &'p Atom, rows: Rows, once: bool, record: bool },
    /// Tries the tuples that a relation on demand has for the bound arguments.
    Ask { atom: &'p Atom, once: bool },
    /// Tests an atom whose variables are bound.
    Member { atom: &'p Atom, positive: bool, record: bool },
    /// Tests whether two terms are equal or not.
    Compare { left: &'p Pattern, right: &'p Pattern, equal: bool },
    /// Tries every branch of a disjunction.
    Any { branches: Vec<Vec<EvalStep<'p>>>, once: bool },
    /// Continues only if the head is not derived yet; one solution of the later steps is enough.
    Cut,
}

/// The rows that a scan tries.
pub(super) enum Rows {
    /// The rows `from..to`.
    Range(usize, usize),
    /// The rows that an index finds for the bound leaves.
    Index { index: usize, columns: Vec<usize> },
}

/// The purpose of a plan.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Derives heads.
    Derive,
    /// Derives heads, assuming that negated atoms of the component do not hold.
    Optimistic,
    /// Lists instances, with the atoms of the component unresolved.
    Instances,
}

/// The planner. It refreshes views and builds indexes as plans need them.
pub(super) struct Planner<'p> {
    pub(super) program: &'p Program,
    pub(super) store: &'p mut EvalStore,
    pub(super) mode: Mode,
    /// The component of the head.
    pub(super) component: usize,
}

impl Planner<'_> {
    /// Plans a body, given the variables that are bound beforehand. With `delta`, the first goal is
    /// an atom that ranges only over the tuples in that range.
    pub(super) fn plan<'g>(
        &mut self,
        head: &Atom,
        mut bound: Vec<bool>,
        goals: &'g [Goal],
        delta: Option<(usize, usize)>,
    ) -> Result<Vec<EvalStep<'g>>, EvalError> {
        let mut steps = Vec::new();
        let mut rest: Vec<&Goal> = goals.iter().collect();
        let mut once = false;
        for goal in goals {
            goal.for_each_atom(&mut |atom, positive| {
                if positive {
                    self.store.refresh(atom.relation, atom.shape);
                }
            });
        }
        if self.mode != Mode::Instances && all_bound(head, &bound) {
            steps.push(EvalStep::Cut);
            once = true;
        }
        if let (Some((from, to)), Some(Goal::Holds(atom))) = (delta, goals.first()) {
            let (from, to) = self.store.views[atom.shape].rows_of(from, to);
            steps.push(EvalStep::Scan { atom, rows: Rows::Range(from, to), once, record: false });
            bind(atom, &mut bound);
            rest.remove(0);
        }
        let cut = (self.mode != Mode::Instances && !once).then_some(head);
        self.order(rest, &mut bound, cut, once, &mut steps)?;
        Ok(steps)
    }

    /// Appends the goals to `steps`, with a cut as soon as the variables of the head `cut` are
    /// bound.
    fn order<'g>(
        &mut self,
        mut rest: Vec<&'g Goal>,
        bound: &mut [bool],
        mut cut: Option<&Atom>,
        mut once: bool,
        steps: &mut Vec<EvalStep<'g>>,
    ) -> Result<(), EvalError> {
        while !rest.is_empty() {
            if cut.is_some_and(|head| all_bound(head, bound)) {
                steps.push(EvalStep::Cut);
                (cut, once) = (None, true);
            }
            let mut best: Option<(f64, usize)> = None;
            for (i, goal) in rest.iter().enumerate() {
                if let Some(cost) = self.cost(goal, bound)
                    && best.is_none_or(|(least, _)| cost < least)
                {
                    best = Some((cost, i));
                    if cost == 0.0 {
                        break;
                    }
                }
            }
            let (_, i) = best.ok_or(EvalError::Unsafe)?;
            let goal = rest.remove(i);
            self.step(goal, bound, once, steps)?;
        }
        Ok(())
    }

    fn step<'g>(
        &mut self,
        goal: &'g Goal,
        bound: &mut [bool],
        once: bool,
        steps: &mut Vec<EvalStep<'g>>,
    ) -> Result<(), EvalError> {
        match goal {
            Goal::Holds(atom) => {
                let record = self.mode == Mode::Instances && self.is_internal(atom);
                if all_bound(atom, bound) {
                    steps.push(EvalStep::Member { atom, positive: true, record });
                    return Ok(());
                }
                if self.store.is_on_demand(atom.relation) {
                    steps.push(EvalStep::Ask { atom, once });
                    bind(atom, bound);
                    return Ok(());
                }
                let columns: Vec<usize> =
                    (0..atom.leaves.len()).filter(|&i| leaf_is_bound(atom.leaves[i], bound)).collect();
                let view = &mut self.store.views[atom.shape];
                let rows = if columns.is_empty() {
                    Rows::Range(0, view.n_rows())
                } else {
                    Rows::Index { index: view.index(&columns), columns }
                };
                steps.push(EvalStep::Scan { atom, rows, once, record });
                bind(atom, bound);
            }
            Goal::Fails(atom) => {
                let internal = self.is_internal(atom);
                if !(internal && self.mode == Mode::Optimistic) {
                    let record = internal && self.mode == Mode::Instances;
                    steps.push(EvalStep::Member { atom, positive: false, record });
                }
            }
            Goal::Differ(left, right) => steps.push(EvalStep::Compare { left, right, equal: false }),
            Goal::Equal(left, right) => steps.push(EvalStep::Compare { left, right, equal: true }),
            Goal::Any(alternatives) => {
                let mut branches = Vec::new();
                let mut after = vec![true; bound.len()];
                for goals in alternatives {
                    let mut inside = bound.to_vec();
                    let mut branch = Vec::new();
                    self.order(goals.iter().collect(), &mut inside, None, once, &mut branch)?;
                    after.iter_mut().zip(inside).for_each(|(all, one)| *all &= one);
                    branches.push(branch);
                }
                // A disjunction without branches has no solution, so all variables may count as
                // bound after it.
                bound.copy_from_slice(&after);
                steps.push(EvalStep::Any { branches, once });
            }
        }
        Ok(())
    }

    fn is_internal(&self, atom: &Atom) -> bool {
        self.program.component_of[atom.relation] == self.component
    }

    /// The expected number of rows of a goal; `None` while it needs variables that are unbound.
    fn cost(&self, goal: &Goal, bound: &[bool]) -> Option<f64> {
        match goal {
            Goal::Holds(atom) | Goal::Fails(atom) if all_bound(atom, bound) => {
                Some(if self.store.is_on_demand(atom.relation) { QUESTION } else { 0.0 })
            }
            Goal::Fails(_) => None,
            Goal::Holds(atom) => {
                let n_bound = atom.leaves.iter().filter(|&&leaf| leaf_is_bound(leaf, bound)).count();
                let free = 1.0 - n_bound as f64 / atom.leaves.len() as f64;
                let n_rows = if self.store.is_on_demand(atom.relation) {
                    ON_DEMAND
                } else {
                    self.store.views[atom.shape].n_rows()
                };
                // Assumes that columns are independent and have equally many values each.
                Some((n_rows as f64).powf(free))
            }
            Goal::Differ(left, right) | Goal::Equal(left, right) => {
                (pattern_is_bound(left, bound) && pattern_is_bound(right, bound)).then_some(0.0)
            }
            Goal::Any(branches) => {
                let mut sum = 0.0;
                for branch in branches {
                    sum += self.branch_cost(branch, bound)?;
                }
                Some(sum)
            }
        }
    }

    /// Returns the cost of a branch's conjunction, as [`Planner::cost`] does for a goal. Each goal
    /// comes as soon as its variables are bound.
    fn branch_cost(&self, goals: &[Goal], bound: &[bool]) -> Option<f64> {
        if let [goal] = goals {
            return Some(self.cost(goal, bound)?.max(0.5));
        }
        let mut inside = bound.to_vec();
        let mut waiting: Vec<&Goal> = goals.iter().collect();
        let mut product = 1.0;
        while !waiting.is_empty() {
            let (i, cost) =
                waiting.iter().enumerate().find_map(|(i, g)| self.cost(g, &inside).map(|cost| (i, cost)))?;
            product *= cost.max(0.5);
            bind_goal(waiting.remove(i), &mut inside);
        }
        Some(product)
    }
}

fn leaf_is_bound(leaf: Leaf, bound: &[bool]) -> bool {
    match leaf {
        Leaf::Variable(variable) => bound[variable],
        Leaf::Ground(_) => true,
    }
}

fn all_bound(atom: &Atom, bound: &[bool]) -> bool {
    atom.leaves.iter().all(|&leaf| leaf_is_bound(leaf, bound))
}

fn pattern_is_bound(pattern: &Pattern, bound: &[bool]) -> bool {
    let mut all = true;
    pattern.for_each_variable(&mut |variable| all &= bound[variable]);
    all
}

fn bind(atom: &Atom, bound: &mut [bool]) {
    for leaf in &atom.leaves {
        if let Leaf::Variable(variable) = leaf {
            bound[*variable] = true;
        }
    }
}

/// Marks the variables that are bound after a goal.
fn bind_goal(goal: &Goal, bound: &mut [bool]) {
    match goal {
        Goal::Holds(atom) => bind(atom, bound),
        Goal::Fails(_) | Goal::Differ(..) | Goal::Equal(..) => {}
        Goal::Any(branches) => {
            let mut after = vec![true; bound.len()];
            for goals in branches {
                let mut inside = bound.to_vec();
                for goal in goals {
                    bind_goal(goal, &mut inside);
                }
                after.iter_mut().zip(inside).for_each(|(all, one)| *all &= one);
            }
            bound.copy_from_slice(&after);
        }
    }
}
