//! Grounding in rounds, by a profile of itself.
//!
//! [`solve`] makes of rules their ground [`Program`]. In the first round a clause that takes more
//! than a small cap is parked while the others come to their fixpoint. The facts found by then show
//! which parked clauses to split; the rest get a larger cap. What was found stays found, since
//! every fact holds whatever is parked.
//!
//! All starts again when a rewriting finds clauses that have less to ground (`rewrite.rs`). Each is
//! tried at most once for each relation that has a parked clause: some at once, and others, which
//! have a price, when splitting brings nothing more.
//!
//! Once all is found, clauses are split on trial: of a split that saves too little of its clause's
//! instances nothing remains.
//!
//! Rounds are few, and a trial is one of a few for each clause with many instances; all that they
//! do takes its steps and bytes from the one meter of grounding.

use super::{
    Program, branches,
    clause::{self, Clause, Clauses},
    clause_state::Cap,
    constant,
    excess::Excess,
    fixpoint::Grounder,
    rewrite::{Context, Functional, REWRITES, Stage},
    split::{self, Splitter},
    terms::Terms,
};
use crate::{Options, Rules, meter::Meter, observer::Phase, rules::RelationId};

/// The cost that a clause may have in each round, as a multiple of the instances from which on it
/// may be split. After the last round there is no limit.
const BUDGETS: [usize; 3] = [5, 25, 200];

/// The same for a clause of a fixed relation, before rewritings look for what is needed of it.
const FIXED: usize = 50;

/// Once all is found, clauses with fewer instances are left as they are: a part of one that may be
/// split before.
const FEW: usize = 40;

/// The number of splits of a clause that are tried then.
const TRIALS: usize = 3;

/// Steps that an instance may cost.
const STEPS: u64 = 20;

/// The choice to take clauses apart by functional arguments.
#[derive(Clone, Copy)]
pub(super) enum Apart<'f> {
    /// Learns if some clauses are vast.
    Learn,
    Never,
    By(&'f Functional),
}

/// Grounds rules. With the program come the clauses that it is of, without what only keeps
/// relations to what is asked of them.
///
/// Only what `roots` depend on is.
pub(super) fn solve(
    rules: &Rules,
    options: &Options,
    roots: &[RelationId],
    apart: Apart<'_>,
) -> Result<(Program, Clauses), Excess> {
    let limits = &options.limits;
    let mut terms = Terms::new(limits);
    let mut meter = Meter::new(options, Phase::Ground);
    let mut clauses = clause::clauses(rules, &mut terms, limits, &mut meter)?;
    constant::fold(&mut clauses, &terms, &rules.keywords);
    if let Apart::By(functional) = apart
        && let Some(split) = functional.split(&clauses, &rules.keywords, &mut meter)
    {
        clauses = split;
    }
    let mut draft = Draft {
        rules,
        options,
        clauses,
        kept: None,
        learns: matches!(apart, Apart::Learn),
        tried: std::array::from_fn(|_| Vec::new()),
    };
    let many = options.split_from.max(1);
    let mut fixed = cap(many.saturating_mul(FIXED));
    loop {
        let given = draft.kept.as_ref().unwrap_or(&draft.clauses);
        let mut grounder = Grounder::new(rules, given, terms.clone(), limits, meter, roots);
        let parked = grounder.settle(fixed)?;
        if parked.is_empty() {
            if !rounds(&mut grounder, &mut draft, many)? {
                return Ok((grounder.finish(), draft.clauses));
            }
        } else if ![Stage::Parked, Stage::Stuck]
            .into_iter()
            .any(|stage| draft.rewrite(stage, &mut grounder, &parked))
        {
            fixed = Cap::NONE;
        }
        meter = grounder.into_meter();
    }
}

/// Grounds what depends on the state. Returns true if `draft` was rewritten, so that all starts
/// again.
fn rounds(grounder: &mut Grounder<'_>, draft: &mut Draft<'_>, many: usize) -> Result<bool, Excess> {
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
        if draft.rewrite(Stage::Parked, grounder, &parked) {
            return Ok(true);
        }
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
        if !is_first && draft.rewrite(Stage::Stuck, grounder, &parked) {
            return Ok(true);
        }
        is_first = false;
        budget = budgets.next().unwrap_or(Cap::NONE);
        grounder.open(&parked, budget)?;
    }
    refine(grounder, &mut splitter, many / FEW)?;
    Ok(false)
}

fn cap(instances: usize) -> Cap {
    Cap { instances, steps: STEPS.saturating_mul(instances as u64) }
}

/// The clauses to ground, and what they were rewritten for.
struct Draft<'r> {
    rules: &'r Rules,
    options: &'r Options,
    clauses: Clauses,
    /// The clauses that are grounded in their place, if relations are kept to what is asked of
    /// them.
    kept: Option<Clauses>,
    /// True if functional arguments may still be learnt.
    learns: bool,
    /// By rewriting, the relations that it was tried for.
    tried: [Vec<RelationId>; REWRITES.len()],
}

impl Draft<'_> {
    /// Applies the first rewriting of a stage that changes the clauses. Returns false if none does.
    fn rewrite(&mut self, stage: Stage, grounder: &mut Grounder<'_>, parked: &[usize]) -> bool {
        let Self { rules, options, clauses, kept, learns, tried } = self;
        for ((when, apply), wide) in REWRITES.iter().zip(tried).filter(|((when, _), _)| *when == stage) {
            let known = wide.len();
            let parked: Vec<&Clause> = parked.iter().map(|&number| &**grounder.clause(number)).collect();
            for clause in &parked {
                let relation = rules.rules[clause.rule].head.relation;
                if !wide.contains(&relation) {
                    wide.push(relation);
                }
            }
            let mut meter = Meter::of(grounder.left());
            let strata = grounder.strata();
            let demanded = kept.as_ref().map_or(&[][..], |kept| &kept.demanded);
            let mut context = Context {
                rules,
                options,
                strata,
                parked,
                wide,
                known,
                kept: demanded,
                learns,
                meter: &mut meter,
            };
            let rewritten = apply(clauses, &mut context);
            let is_paid = grounder.afford(grounder.left() - meter.left()).is_some();
            if let Some(rewritten) = rewritten.filter(|_| is_paid) {
                match when {
                    Stage::Parked => (*clauses, *kept) = (rewritten, None),
                    Stage::Stuck => *kept = Some(rewritten),
                }
                return true;
            }
        }
        false
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
        for cut in splitter.cuts(grounder, &clause, before as f64).into_iter().take(TRIALS) {
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
