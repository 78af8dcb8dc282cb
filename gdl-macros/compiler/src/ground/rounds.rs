//! Grounding in rounds, by a profile of itself.
//!
//! In come rules, out goes their ground [`Program`]. In the first round a clause that takes more than a small cap is
//! parked while the others come to their fixpoint. The facts found by then show which parked clauses to split;
//! the rest get a larger cap. What was found stays found, since every fact is one whatever was left behind. Only
//! when a relation is found that may be kept to what is asked of it does all start again.
//!
//! Once all is found, clauses with many instances are split on trial: of a split that does not save a quarter
//! of its clause's instances nothing remains.

use super::{
    Program,
    clause::{self, Clauses},
    constant, demand,
    excess::Excess,
    fixpoint::{Cap, Grounder},
    split::Splitter,
    terms::Terms,
};
use crate::{
    Limits, Options, Rules,
    limits::Fuel,
    observer::Phase,
    rules::{Keywords, RelationId},
};

/// What a clause may cost in the first round: so many times as many instances as one that may be split.
const FIRST: usize = 25;

/// What a clause of a fixed relation may cost, likewise, before it is asked whether all of it is needed.
const FIXED: usize = 50;

/// Steps that an instance may cost.
const STEPS: u64 = 20;

/// How much more in each round that splits nothing.
const GROWTH: usize = 8;

/// Grounds rules. With the program come the clauses of the rules as they were.
pub(super) fn solve(rules: &Rules, options: &Options) -> Result<(Program, Clauses), Excess> {
    let limits = &options.limits;
    let mut terms = Terms::new(limits);
    let mut clauses = clause::clauses(rules, &mut terms, limits)?;
    constant::fold(&mut clauses, &terms, &rules.keywords);
    let Keywords { role, init, next, legal, goal, terminal, sees, .. } = rules.keywords;
    let roots = [role, init, next, legal, goal, terminal, sees];
    let mut wide = Wide { rules, clauses: &clauses, relations: Vec::new() };
    let mut restricted = None;
    let mut fuel = Fuel::new(options, Phase::Ground);
    let many = options.split_from.max(1);
    let mut fixed = cap(many.saturating_mul(FIXED));
    loop {
        let given = restricted.as_ref().unwrap_or(&clauses);
        let mut grounder = Grounder::new(rules, given, terms.clone(), limits, fuel, &roots);
        let parked = grounder.settle(fixed)?;
        if parked.is_empty() {
            match rounds(&mut grounder, &mut wide, many, limits)? {
                Some(fewer) => restricted = Some(fewer),
                None => return Ok((grounder.finish(), clauses)),
            }
        } else {
            match wide.restrict(&grounder, &parked) {
                Some(fewer) => restricted = Some(fewer),
                None => fixed = Cap::NONE,
            }
        }
        fuel = grounder.into_fuel();
    }
}

/// Grounds what depends on the state, or gives clauses by which there is less to ground.
fn rounds(
    grounder: &mut Grounder<'_>,
    wide: &mut Wide<'_>,
    many: usize,
    limits: &Limits,
) -> Result<Option<Clauses>, Excess> {
    let mut budget = many.saturating_mul(FIRST);
    grounder.play(cap(budget))?;
    let mut splitter = Splitter::new(wide.rules.keywords.does, grounder.relations(), many);
    loop {
        let parked = grounder.parked();
        if parked.is_empty() {
            break;
        }
        grounder.measure();
        let mut parts = Vec::new();
        for &number in &parked {
            if let Some(split) = splitter.split(grounder, number, false) {
                grounder.drop(number);
                parts.extend(split);
            }
        }
        if !parts.is_empty() {
            grounder.add(parts, cap(budget))?;
            continue;
        }
        let fewer = wide.restrict(grounder, &parked);
        if fewer.is_some() {
            return Ok(fewer);
        }
        budget = budget.saturating_mul(GROWTH);
        let cap = if budget > limits.max_ground_rules { Cap::NONE } else { cap(budget) };
        grounder.open(&parked, cap)?;
    }
    refine(grounder, &mut splitter, many)?;
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
    fn restrict(&mut self, grounder: &Grounder<'_>, parked: &[usize]) -> Option<Clauses> {
        let known = self.relations.len();
        for &number in parked {
            let head = self.rules.rules[grounder.clause(number).rule].head.relation;
            if !self.relations.contains(&head) {
                self.relations.push(head);
            }
        }
        let (strata, keywords) = (grounder.strata(), &self.rules.keywords);
        demand::restrict(self.clauses, strata, keywords, &self.relations, known)
    }
}

/// Splits clauses with many instances where that pays.
fn refine(grounder: &mut Grounder<'_>, splitter: &mut Splitter, many: usize) -> Result<(), Excess> {
    grounder.measure();
    for number in grounder.opened() {
        let before = grounder.yields(number);
        if before < many {
            continue;
        }
        let relations = splitter.relations();
        let Some(parts) = splitter.split(grounder, number, true) else { continue };
        let most = before / 4 * 3;
        let added = grounder.add(parts, Cap { instances: most, ..Cap::NONE })?;
        let after: usize = added.clone().map(|part| grounder.yields(part)).sum();
        if after > most || !grounder.parked().is_empty() {
            added.for_each(|part| grounder.drop(part));
            splitter.forget(relations);
        } else {
            grounder.drop(number);
            grounder.measure();
        }
    }
    Ok(())
}
