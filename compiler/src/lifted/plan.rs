//! Planning: orders the literals of a body, and writes the order as code for the
//! [`machine`](super::machine).
//!
//! A test comes as soon as its variables are bound. Otherwise the atom or disjunction with the
//! fewest expected rows is next, by the sizes measured so far. Once the head's variables are bound,
//! the remaining goals need to succeed only once, so a [`Step::Cut`] precedes them. The bound
//! variables are known at every step, so nothing has to be unbound when a step fails.
//!
//! A relation that is not filled is called with the arguments that are bound at that step. Each
//! pattern of known arguments gets a [`Procedure`] with plans of its own. This is the sideways
//! information passing of magic sets (Beeri and Ramakrishnan 1991), without rewriting the rules.
//! Weighing a goal, which estimates its rows, takes a step, and one more for each `TERMS` terms.
//! All planning may take [`Limits::fuel`](crate::Limits::fuel) / [`FUEL_SHARE`] steps. The code of
//! procedures, and of the game's own plans, is kept and may take the bytes of an evaluation.

use super::{
    Stop,
    clause::{Atom, Clause, Goal, Leaf},
    memory::bytes_of,
    program::Program,
    table::{Measure, Store},
};
use crate::{
    Limits,
    datalog::pattern::{Match, Pattern},
};
use rustc_hash::FxHashMap;
use std::cell::Cell;

/// One step of a plan. The next one follows unless the step branches or jumps.
#[derive(Debug)]
pub(super) enum Step {
    /// Tries rows of a view, and binds variables by them.
    Scan(Scan),
    /// Tests that a tuple is in a table or, if `positive` is false, that it is not.
    Member { relation: usize, arguments: Vec<Pattern>, positive: bool, assumed: bool },
    /// Tries the answers of a procedure, and binds variables by them.
    Call { procedure: usize, bound: Vec<Pattern>, free: Vec<Match>, own: bool, once: bool },
    /// Tests that a procedure, all of whose arguments are bound, has no answer.
    Deny { procedure: usize, bound: Vec<Pattern> },
    /// Tests that two terms are equal or, if `equal` is false, that they differ.
    Compare { left: Pattern, right: Pattern, equal: bool },
    /// Continues at each of the places, one after the other; with `once`, until one succeeds.
    Branch { starts: Vec<usize>, once: bool },
    /// Continues at another place.
    Jump(usize),
    /// Continues only if the head is not derived yet; after it one solution is enough.
    Cut,
    /// Derives the head.
    Emit,
}

/// A scan of the rows of a view.
#[derive(Debug)]
pub(super) struct Scan {
    pub(super) view: usize,
    pub(super) relation: usize,
    pub(super) rows: Rows,
    /// Columns with a required value.
    pub(super) key: Vec<(usize, Leaf)>,
    /// Columns that bind variables.
    pub(super) binds: Vec<(usize, u32)>,
    /// Columns that must equal a variable that another column of the row binds.
    pub(super) checks: Vec<(usize, u32)>,
    pub(super) once: bool,
}

/// The rows of a view that are tried.
#[derive(Debug)]
pub(super) enum Rows {
    All,
    /// The tuples that were new in the previous round.
    New,
    /// The tuples that an index over the key's columns finds.
    Index(usize),
}

/// A relation that is called with some arguments given.
#[derive(Debug)]
pub(super) struct Procedure {
    pub(super) relation: usize,
    /// For each argument, whether it is given.
    pub(super) bound: Vec<bool>,
    /// One entry for each clause of the relation.
    pub(super) entries: Vec<ClauseEntry>,
}

/// The code by which one clause answers a procedure.
#[derive(Debug)]
pub(super) struct ClauseEntry {
    /// The matches of the given arguments with the head's.
    pub(super) given: Vec<Match>,
    /// The other arguments of the head, which form the answer.
    pub(super) answer: Vec<Pattern>,
    pub(super) code: Vec<Step>,
    pub(super) variables: usize,
}

/// The procedures that the plans call, each planned once.
#[derive(Debug, Default)]
pub(super) struct Procedures {
    pub(super) list: Vec<Procedure>,
    numbers: FxHashMap<(usize, Vec<bool>), usize>,
    /// The bytes of all code that is kept.
    bytes: usize,
}

/// The steps and bytes that planning may still take.
#[derive(Debug)]
pub(super) struct Effort {
    /// The number of goals that may still be weighed.
    weighings: Cell<u64>,
    /// The greatest number of bytes of code.
    bytes: usize,
}

/// The share of the fuel that planning may take: one part in this number.
const FUEL_SHARE: u64 = 10;

/// The approximate bytes of a step, and of each pattern in it.
const BYTES_PER_STEP: usize = 160;
const BYTES_PER_PATTERN: usize = 40;

impl Effort {
    /// The effort that the limits allow.
    pub(super) fn new(limits: &Limits) -> Self {
        Self::within(limits, limits.fuel / FUEL_SHARE)
    }

    /// Creates an effort for weighing `weighings` goals.
    pub(super) fn within(limits: &Limits, weighings: u64) -> Self {
        Self { weighings: Cell::new(weighings), bytes: bytes_of(limits) }
    }

    /// Counts goals as weighed.
    fn weigh(&self, goals: usize) {
        self.weighings.set(self.weighings.get().saturating_sub(goals as u64));
    }

    /// Checks that some effort is left.
    fn check(&self) -> Result<(), Stop> {
        if self.weighings.get() > 0 { Ok(()) } else { Err(Stop::Planning) }
    }
}

/// The approximate bytes of some code.
fn bytes_of_code(code: &[Step]) -> usize {
    let patterns = |step: &Step| match step {
        Step::Scan(scan) => scan.key.len() + scan.binds.len() + scan.checks.len(),
        Step::Member { arguments, .. } => arguments.len(),
        Step::Call { bound, free, .. } => bound.len() + free.len(),
        Step::Deny { bound, .. } => bound.len(),
        Step::Branch { starts, .. } => starts.len(),
        Step::Compare { .. } | Step::Jump(_) | Step::Cut | Step::Emit => 2,
    };
    code.iter().map(|step| BYTES_PER_STEP + BYTES_PER_PATTERN * patterns(step)).sum()
}

/// The greatest number of procedures: a relation may be called with exponentially many patterns of
/// given arguments.
const MAX_PROCEDURES: usize = 20_000;

/// The greatest number of copies of a body's end that are made to multiply disjunctions out.
const MAX_COPIES: usize = 64;

/// The greatest length of a plan while disjunctions are multiplied out.
const MAX_STEPS: usize = 100_000;

/// The number of terms of a goal that add one to its weighing.
const TERMS: usize = 16;

/// Disjunctions may be multiplied out if the best goal has at least this number of expected rows.
const WORTH_A_COPY: f64 = 4.0;

/// The expected cost of a call with all arguments given: more than a test, less than a scan.
const QUESTION: f64 = 0.5;

/// The factor of a call's expected answers for each argument that is not given.
const ANSWERS: f64 = 100.0;

/// The factor of the cost of a call without any given argument: such a call may never end.
const BLIND: f64 = 1_000.0;

/// The input of planning.
pub(super) struct Planner<'p> {
    pub(super) program: &'p Program,
    /// For each relation, whether it is called instead of being filled.
    pub(super) demanded: &'p [bool],
    /// The measure of each view.
    pub(super) measures: &'p [Measure],
    /// The store to which indexes are added.
    pub(super) store: &'p mut Store,
    pub(super) procedures: &'p mut Procedures,
    pub(super) effort: &'p Effort,
}

impl Planner<'_> {
    /// Plans a clause like [`Planner::filled`], and charges the bytes of the code, which is kept.
    pub(super) fn kept(&mut self, clause: usize, variant: Option<usize>) -> Result<Vec<Step>, Stop> {
        let code = self.filled(clause, variant)?;
        self.keep(&code)?;
        Ok(code)
    }

    /// Charges the bytes of code that is kept.
    fn keep(&mut self, code: &[Step]) -> Result<(), Stop> {
        let bytes = self.procedures.bytes.saturating_add(bytes_of_code(code));
        self.procedures.bytes = bytes;
        if bytes <= self.effort.bytes { Ok(()) } else { Err(Stop::Procedures) }
    }

    /// The code that derives a clause's head for its relation's table. With a variant, the code
    /// derives only heads that follow from new tuples of the variant's first atom.
    pub(super) fn filled(&mut self, clause: usize, variant: Option<usize>) -> Result<Vec<Step>, Stop> {
        let program = self.program;
        let Clause { head, body, variables } = &program.clauses[clause];
        let goals = variant.map_or(body, |variant| &program.variants[clause][variant]);
        let component = program.component_of[head.relation];
        let mut order = Order { planner: self, component, head: &head.arguments, code: Vec::new() };
        let mut bound = vec![false; *variables];
        let mut rest: Vec<&Goal> = goals.iter().collect();
        let mut once = order.cut(&bound, false);
        if variant.is_some()
            && let Some(Goal::Holds(atom)) = goals.first()
        {
            order.scan(atom, &mut bound, once, true);
            rest.remove(0);
            once = order.cut(&bound, once);
        }
        order.derive(rest, bound, once, MAX_COPIES)?;
        Ok(order.code)
    }

    /// Plans the procedures from number `first` on, and those that they call in turn.
    pub(super) fn procedures_from(&mut self, first: usize) -> Result<(), Stop> {
        let mut number = first;
        while number < self.procedures.list.len() {
            let Procedure { relation, bound: given, .. } = &self.procedures.list[number];
            let (relation, given) = (*relation, given.clone());
            let mut entries = Vec::new();
            for &clause in &self.program.clauses_of[relation] {
                let entry = self.entry(clause, &given)?;
                self.keep(&entry.code)?;
                entries.push(entry);
            }
            self.procedures.list[number].entries = entries;
            number += 1;
        }
        Ok(())
    }

    fn entry(&mut self, clause: usize, given: &[bool]) -> Result<ClauseEntry, Stop> {
        let program = self.program;
        let Clause { head, body, variables } = &program.clauses[clause];
        let mut bound = vec![false; *variables];
        let (known, open): (Vec<_>, Vec<_>) =
            head.arguments.iter().zip(given).partition(|(_, given)| **given);
        let given = known.into_iter().map(|(pattern, _)| Match::of(pattern, &mut bound)).collect();
        let answer: Vec<Pattern> = open.into_iter().map(|(pattern, _)| pattern.clone()).collect();
        let component = program.component_of[head.relation];
        let mut order = Order { planner: self, component, head: &answer, code: Vec::new() };
        let once = order.cut(&bound, false);
        order.derive(body.iter().collect(), bound, once, MAX_COPIES)?;
        let code = order.code;
        Ok(ClauseEntry { given, answer, code, variables: *variables })
    }

    /// The expected number of rows of a goal; `None` if it has to wait for more variables.
    fn cost(&self, goal: &Goal, bound: &[bool]) -> Option<f64> {
        self.effort.weigh(1 + goal.terms() / TERMS);
        match goal {
            Goal::Holds(atom) if self.demanded[atom.relation] => {
                let free = atom.arguments.iter().filter(|a| !a.is_bound(bound)).count();
                let blind = if free == atom.arguments.len() && free > 0 { BLIND } else { 1.0 };
                Some(if free == 0 { QUESTION } else { blind * ANSWERS.powi(free as i32) })
            }
            Goal::Fails(atom) => {
                let cost = if self.demanded[atom.relation] { QUESTION } else { 0.0 };
                atom.is_bound(bound).then_some(cost)
            }
            Goal::Holds(atom) if atom.is_bound(bound) => Some(0.0),
            Goal::Holds(atom) => {
                let measure = &self.measures[atom.view];
                let known =
                    atom.leaves.iter().zip(&measure.distinct).filter(|(leaf, _)| leaf.is_bound(bound));
                // The columns are assumed to be independent.
                Some(known.fold(measure.rows, |rows, (_, distinct)| rows / distinct.max(1.0)))
            }
            Goal::Compare(left, right, _) => (left.is_bound(bound) && right.is_bound(bound)).then_some(0.0),
            Goal::Any(_, outer) if !outer.iter().all(|&variable| bound[variable as usize]) => None,
            Goal::Any(branches, _) => {
                let mut sum = 0.0;
                for branch in branches {
                    sum += self.branch_cost(branch, bound)?;
                }
                Some(sum)
            }
        }
    }

    /// The expected number of rows of a branch's conjunction; `None` if it has to wait for
    /// variables.
    fn branch_cost(&self, goals: &[Goal], bound: &[bool]) -> Option<f64> {
        let mut inside = bound.to_vec();
        let mut waiting: Vec<&Goal> = goals.iter().collect();
        let mut product = 1.0;
        while !waiting.is_empty() {
            let found = waiting.iter().enumerate().find_map(|(i, g)| Some((i, self.cost(g, &inside)?)));
            let (i, cost) = found?;
            product *= cost.max(0.5);
            waiting.remove(i).bind(&mut inside);
        }
        Some(product)
    }

    fn procedure(&mut self, relation: usize, bound: Vec<bool>) -> Result<usize, Stop> {
        let Procedures { list, numbers, .. } = &mut *self.procedures;
        if let Some(&number) = numbers.get(&(relation, bound.clone())) {
            return Ok(number);
        }
        if list.len() == MAX_PROCEDURES {
            return Err(Stop::Procedures);
        }
        numbers.insert((relation, bound.clone()), list.len());
        list.push(Procedure { relation, bound, entries: Vec::new() });
        Ok(list.len() - 1)
    }
}

/// The code of a plan under construction.
struct Order<'o, 'p> {
    planner: &'o mut Planner<'p>,
    /// The component of the head.
    component: usize,
    /// The arguments that are derived: those of the head, or of a procedure's answer.
    head: &'o [Pattern],
    code: Vec<Step>,
}

impl Order<'_, '_> {
    /// Appends a cut if the head is bound and there is no cut yet. Returns whether there is one
    /// now.
    fn cut(&mut self, bound: &[bool], once: bool) -> bool {
        if once || !self.head.iter().all(|pattern| pattern.is_bound(bound)) {
            return once;
        }
        self.code.push(Step::Cut);
        true
    }

    /// Appends the goals and the derivation of the head, with a cut as soon as the head is bound.
    /// Disjunctions are multiplied out to at most `copies` copies of the remaining goals, or to
    /// more if all goals have to wait for variables.
    fn derive(
        &mut self,
        mut rest: Vec<&Goal>,
        mut bound: Vec<bool>,
        mut once: bool,
        copies: usize,
    ) -> Result<(), Stop> {
        while !rest.is_empty() {
            self.planner.effort.check()?;
            let best = self.best(&rest, &bound);
            let cost = best.map_or(f64::INFINITY, |(cost, _)| cost);
            if let Some((i, branches)) = self.disjunction(&rest, &bound, cost, copies) {
                rest.remove(i);
                return self.multiply(branches, &rest, &bound, once, (copies / branches.len()).max(1));
            }
            let Some((_, i)) = best else { return Err(Stop::Unsafe) };
            self.goal(rest.remove(i), &mut bound, once)?;
            once = self.cut(&bound, once);
        }
        // Deriving a head checks for duplicates by itself.
        self.code.pop_if(|step| matches!(step, Step::Cut));
        self.code.push(Step::Emit);
        Ok(())
    }

    /// Finds a disjunction to multiply out: its branches are tried one after the other, each with
    /// all remaining goals. That pays if the best goal has a high cost, or an infinite one because
    /// all goals have to wait for variables.
    fn disjunction<'g>(
        &self,
        rest: &[&'g Goal],
        bound: &[bool],
        cost: f64,
        copies: usize,
    ) -> Option<(usize, &'g [Vec<Goal>])> {
        let mut all = rest.iter().enumerate().filter_map(|(i, goal)| match goal {
            Goal::Any(branches, _) => Some((i, branches.as_slice())),
            _ => None,
        });
        if cost.is_infinite() {
            return all.next();
        }
        all.find(|(_, branches)| {
            let cost_of = |sum, branch: &Vec<Goal>| Some(sum + self.planner.branch_cost(branch, bound)?);
            let sum = branches.iter().try_fold(0.0, cost_of);
            cost >= WORTH_A_COPY && branches.len() <= copies && sum.is_some_and(|sum| sum < cost)
        })
    }

    /// Multiplies out a disjunction: appends an alternative for each branch. An alternative derives
    /// the head from the goals of the branch and of `rest`.
    fn multiply(
        &mut self,
        branches: &[Vec<Goal>],
        rest: &[&Goal],
        bound: &[bool],
        once: bool,
        copies: usize,
    ) -> Result<(), Stop> {
        let place = self.code.len();
        self.code.push(Step::Branch { starts: Vec::new(), once });
        let mut starts = Vec::new();
        for goals in branches {
            if self.code.len() > MAX_STEPS {
                return Err(Stop::Procedures);
            }
            starts.push(self.code.len());
            self.derive(goals.iter().chain(rest.iter().copied()).collect(), bound.to_vec(), once, copies)?;
        }
        self.code[place] = Step::Branch { starts, once };
        Ok(())
    }

    /// Finds the goal of lowest cost that can be tried now. Returns its cost and its index.
    fn best(&self, rest: &[&Goal], bound: &[bool]) -> Option<(f64, usize)> {
        let mut best: Option<(f64, usize)> = None;
        for (i, goal) in rest.iter().enumerate() {
            if let Some(cost) = self.planner.cost(goal, bound)
                && best.is_none_or(|(least, _)| cost < least)
            {
                best = Some((cost, i));
                if cost == 0.0 {
                    break;
                }
            }
        }
        best
    }

    /// Appends the goals of a branch.
    fn branch(&mut self, goals: &[Goal], bound: &mut [bool], once: bool) -> Result<(), Stop> {
        let mut rest: Vec<&Goal> = goals.iter().collect();
        while !rest.is_empty() {
            self.planner.effort.check()?;
            let Some((_, i)) = self.best(&rest, bound) else { return Err(Stop::Unsafe) };
            self.goal(rest.remove(i), bound, once)?;
        }
        Ok(())
    }

    fn goal(&mut self, goal: &Goal, bound: &mut [bool], once: bool) -> Result<(), Stop> {
        match goal {
            Goal::Holds(atom) if self.planner.demanded[atom.relation] => {
                let given: Vec<bool> = atom.arguments.iter().map(|a| a.is_bound(bound)).collect();
                let own = self.planner.program.component_of[atom.relation] == self.component;
                let (known, open): (Vec<_>, Vec<_>) =
                    atom.arguments.iter().zip(&given).partition(|(_, g)| **g);
                let procedure = self.planner.procedure(atom.relation, given.clone())?;
                let known = known.into_iter().map(|(pattern, _)| pattern.clone()).collect();
                let free = open.into_iter().map(|(pattern, _)| Match::of(pattern, bound)).collect();
                self.code.push(Step::Call { procedure, bound: known, free, own, once });
            }
            Goal::Holds(atom) if atom.is_bound(bound) => {
                let (relation, arguments) = (atom.relation, atom.arguments.clone());
                self.code.push(Step::Member { relation, arguments, positive: true, assumed: false });
            }
            Goal::Holds(atom) => self.scan(atom, bound, once, false),
            Goal::Fails(atom) if self.planner.demanded[atom.relation] => {
                let procedure = self.planner.procedure(atom.relation, vec![true; atom.arguments.len()])?;
                self.code.push(Step::Deny { procedure, bound: atom.arguments.clone() });
            }
            Goal::Fails(atom) => {
                let (relation, arguments) = (atom.relation, atom.arguments.clone());
                let assumed = self.planner.program.component_of[relation] == self.component;
                self.code.push(Step::Member { relation, arguments, positive: false, assumed });
            }
            Goal::Compare(left, right, equal) => {
                self.code.push(Step::Compare { left: left.clone(), right: right.clone(), equal: *equal });
            }
            Goal::Any(branches, _) => {
                let place = self.code.len();
                self.code.push(Step::Branch { starts: Vec::new(), once });
                let (mut starts, mut ends) = (Vec::new(), Vec::new());
                let mut after = vec![true; bound.len()];
                for goals in branches {
                    starts.push(self.code.len());
                    let mut inside = bound.to_vec();
                    self.branch(goals, &mut inside, once)?;
                    after.iter_mut().zip(inside).for_each(|(all, one)| *all &= one);
                    ends.push(self.code.len());
                    self.code.push(Step::Jump(0));
                }
                let end = self.code.len();
                ends.into_iter().for_each(|jump| self.code[jump] = Step::Jump(end));
                self.code[place] = Step::Branch { starts, once };
                // A disjunction without branches has no solution, so every variable may count as
                // bound after it.
                bound.copy_from_slice(&after);
            }
        }
        Ok(())
    }

    fn scan(&mut self, atom: &Atom, bound: &mut [bool], once: bool, new: bool) {
        let (mut key, mut binds, mut checks) = (Vec::new(), Vec::new(), Vec::new());
        let before = bound.to_vec();
        for (column, &leaf) in atom.leaves.iter().enumerate() {
            match leaf {
                _ if leaf.is_bound(&before) => key.push((column, leaf)),
                Leaf::Variable(variable) if bound[variable as usize] => checks.push((column, variable)),
                Leaf::Variable(variable) => {
                    bound[variable as usize] = true;
                    binds.push((column, variable));
                }
                Leaf::Ground(_) => {}
            }
        }
        let columns: Vec<usize> = key.iter().map(|&(column, _)| column).collect();
        let rows = match (new, columns.is_empty()) {
            (true, _) => Rows::New,
            (false, true) => Rows::All,
            (false, false) => Rows::Index(self.planner.store.add_index(atom.view, &columns)),
        };
        let (view, relation) = (atom.view, atom.relation);
        self.code.push(Step::Scan(Scan { view, relation, rows, key, binds, checks, once }));
    }
}
