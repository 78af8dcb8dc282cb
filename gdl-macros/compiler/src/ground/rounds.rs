//! Grounding in rounds, by a profile of itself.
//!
//! [`solve`] makes of rules their ground [`Program`]. In the first round a clause that takes more than a small cap is
//! parked while the others come to their fixpoint. The facts found by then show which parked clauses to split;
//! the rest get a larger cap. What was found stays found, since every fact is one whatever was left behind. Only
//! when a relation is found that may be kept to what is asked of it does all start again.
//!
//! Once all is found, clauses are split on trial: of a split that saves too little of its clause's instances nothing
//! remains.
//!
//! Rounds are few, and a trial is one of a few for each clause with many instances; all that they do takes its steps and
//! bytes from the one meter of grounding.

use super::{
    Program, branches,
    clause::{self, Clauses},
    clause_state::Cap,
    constant, demand,
    excess::Excess,
    fixpoint::Grounder,
    split::{self, Splitter},
    terms::Terms,
};
use crate::{
    Options, Rules,
    meter::Meter,
    observer::Phase,
    rules::{Keywords, RelationId},
};

/// What a clause may cost in each round, in as many times as many instances as one that may be split. After the
/// last round it may cost what it will.
const BUDGETS: [usize; 3] = [5, 25, 200];

/// What a clause of a fixed relation may cost, likewise, before it is asked whether all of it is needed.
const FIXED: usize = 50;

/// Once all is found, clauses with fewer instances are left as they are: a part of one that may be split before.
const FEW: usize = 40;

/// How many splits of a clause are tried then.
const TRIALS: usize = 3;

/// Steps that an instance may cost.
const STEPS: u64 = 20;

/// Grounds rules. With the program come the clauses of the rules as they were.
pub(super) fn solve(rules: &Rules, options: &Options) -> Result<(Program, Clauses), Excess> {
    let limits = &options.limits;
    let mut terms = Terms::new(limits);
    let mut meter = Meter::new(options, Phase::Ground);
    let mut clauses = clause::clauses(rules, &mut terms, limits, &mut meter)?;
    constant::fold(&mut clauses, &terms, &rules.keywords);
    let Keywords { role, init, next, legal, goal, terminal, sees, .. } = rules.keywords;
    let roots = [role, init, next, legal, goal, terminal, sees];
    let mut wide = Wide { rules, clauses: &clauses, relations: Vec::new() };
    let mut restricted = None;
    let many = options.split_from.max(1);
    let mut fixed = cap(many.saturating_mul(FIXED));
    loop {
        let given = restricted.as_ref().unwrap_or(&clauses);
        let mut grounder = Grounder::new(rules, given, terms.clone(), limits, meter, &roots);
        let parked = grounder.settle(fixed)?;
        if parked.is_empty() {
            match rounds(&mut grounder, &mut wide, many)? {
                Some(fewer) => restricted = Some(fewer),
                None => return Ok((grounder.finish(), clauses)),
            }
        } else {
            match wide.restrict(&mut grounder, &parked) {
                Some(fewer) => restricted = Some(fewer),
                None => fixed = Cap::NONE,
            }
        }
        meter = grounder.into_meter();
    }
}

/// Grounds what depends on the state, or gives clauses by which there is less to ground.
fn rounds(grounder: &mut Grounder<'_>, wide: &mut Wide<'_>, many: usize) -> Result<Option<Clauses>, Excess> {
    let mut budgets = BUDGETS.iter().map(|budget| cap(many.saturating_mul(*budget)));
    let mut budget = budgets.next().unwrap_or(Cap::NONE);
    grounder.play(budget)?;
    let mut splitter = Splitter::new(grounder.relations(), many);
    let mut is_first = true;
    loop {
        let parked = grounder.parked();
        if parked.is_empty() {
            break;
        }
        grounder.measure();
        let mut parts = Vec::new();
        for branches in branches::group(grounder, &parked) {
            if let Some(merged) = splitter.merge(grounder, &branches) {
                branches.numbers.iter().for_each(|&number| grounder.drop_clause(number));
                parts.extend(merged);
                continue;
            }
            for number in branches.numbers {
                if let Some(split) = splitter.split(grounder, number) {
                    grounder.drop_clause(number);
                    parts.extend(split);
                }
            }
        }
        if !parts.is_empty() {
            grounder.add(parts, budget)?;
            continue;
        }
        // To start again is dear: not for what a little more may do.
        if !is_first && let Some(fewer) = wide.restrict(grounder, &parked) {
            return Ok(Some(fewer));
        }
        is_first = false;
        budget = budgets.next().unwrap_or(Cap::NONE);
        grounder.open(&parked, budget)?;
    }
    refine(grounder, &mut splitter, many / FEW)?;
    Ok(None)
}

fn cap(instances: usize) -> Cap {
    Cap { instances, steps: STEPS.saturating_mul(instances as u64) }
}

/// The relations of clauses that were parked.
struct Wide<'r> {
    rules: &'r Rules,
    clauses: &'r Clauses,
    relations: Vec<RelationId>,
}

impl Wide<'_> {
    /// Clauses in which less is derived of the relations that the parked clauses are for, unless that was tried
    /// before or is of no use.
    fn restrict(&mut self, grounder: &mut Grounder<'_>, parked: &[usize]) -> Option<Clauses> {
        let known = self.relations.len();
        for &number in parked {
            let head = self.rules.rules[grounder.clause(number).rule].head.relation;
            if !self.relations.contains(&head) {
                self.relations.push(head);
            }
        }
        // What it may take besides is seen there.
        let steps = demand::effort(self.clauses);
        grounder.afford(steps)?;
        let (strata, keywords) = (grounder.strata(), &self.rules.keywords);
        let mut spare = Meter::of(grounder.left());
        let before = spare.left();
        let fewer = demand::restrict(self.clauses, strata, keywords, &self.relations, known, &mut spare);
        grounder.afford(before - spare.left())?;
        fewer
    }
}

/// Splits clauses, and what they were split into, where that is seen to pay.
fn refine(grounder: &mut Grounder<'_>, splitter: &mut Splitter, few: usize) -> Result<(), Excess> {
    grounder.measure();
    let mut pending = grounder.opened();
    while let Some(number) = pending.pop() {
        let before = grounder.yields(number);
        if before < few {
            continue;
        }
        let clause = grounder.clause(number).clone();
        for cut in splitter.chances(grounder, &clause, before as f64).into_iter().take(TRIALS) {
            let relations = splitter.relations();
            let parts = splitter.carve(grounder, &clause, cut);
            let added = grounder.add(parts, Cap { instances: before, ..Cap::NONE })?;
            grounder.statistics().forget(relations);
            let after: usize = added.clone().map(|part| grounder.yields(part)).sum();
            if split::pays(after as f64, before as f64) && grounder.parked().is_empty() {
                grounder.drop_clause(number);
                pending.extend(added);
                break;
            }
            added.for_each(|part| grounder.drop_clause(part));
            splitter.forget(relations);
        }
    }
    Ok(())
}
