//! Grounding in rounds, guided by its own statistics.
//!
//! [`solve`] turns rules into their ground [`GroundProgram`]. In the first round a clause that
//! exceeds a small cap is parked, while the others reach their fixpoint. The facts found by then
//! show which parked clauses to split; the rest get a larger cap. Facts stay from round to round,
//! since they hold no matter which clauses are parked.
//!
//! Grounding starts again when a rewriting returns clauses with fewer instances (`rewrite.rs`).
//! Each rewriting is tried at most once for each relation with a parked clause. Some are tried as
//! soon as a clause is parked. The others have a price, and are tried only when splitting no longer
//! helps.
//!
//! Once all facts are found, clauses are split on trial. A split that saves too few of its clause's
//! instances is undone.
//!
//! The steps and bytes of all rounds and trials come from the one meter of grounding.

use super::{
    GroundProgram, branches,
    clause::{self, Clause, Clauses},
    clause_state::Cap,
    constant,
    excess::Excess,
    fixpoint::Grounder,
    rewrite::{Context, Functional, REWRITES, RewriteStage},
    split::{self, Splitter},
    terms::Terms,
};
use crate::{Options, Rules, meter::Meter, observer::Phase, rules::RelationId};

/// The caps of a clause in the rounds, as multiples of [`Options::split_from`]. After the last
/// round there is no cap.
const BUDGETS: [usize; 3] = [5, 25, 200];

/// The cap of a clause of a fixed relation before a rewriting is tried, as a multiple of
/// [`Options::split_from`].
const FIXED: usize = 50;

/// A clause is split on trial if it has at least [`Options::split_from`] / `FEW` instances.
const FEW: usize = 40;

/// The number of cuts of a clause that are tried.
const TRIALS: usize = 3;

/// The steps that a cap allows for each instance.
const STEPS: u64 = 20;

/// The handling of functional arguments.
#[derive(Clone, Copy)]
pub(super) enum Apart<'f> {
    /// Learns functional arguments once a parked clause reads several fluents with variables
    /// outside its head, and splits clauses by them.
    Learn,
    Never,
    By(&'f Functional),
}

/// Grounds the rules that `roots` depend on. Returns the program and its clauses, without the
/// guards that restrict relations to their requested parts.
pub(super) fn solve(
    rules: &Rules,
    options: &Options,
    roots: &[RelationId],
    apart: Apart<'_>,
) -> Result<(GroundProgram, Clauses), Excess> {
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
        } else if ![RewriteStage::Parked, RewriteStage::Stuck]
            .into_iter()
            .any(|stage| draft.rewrite(stage, &mut grounder, &parked))
        {
            fixed = Cap::NONE;
        }
        meter = grounder.into_meter();
    }
}

/// Grounds the relations that depend on the state. Returns true if `draft` was rewritten, so that
/// grounding must start again.
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
        if draft.rewrite(RewriteStage::Parked, grounder, &parked) {
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
        // A restart is expensive, so a larger cap is tried first.
        if !is_first && draft.rewrite(RewriteStage::Stuck, grounder, &parked) {
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

/// The clauses to ground, and the rewritings tried on them.
struct Draft<'r> {
    rules: &'r Rules,
    options: &'r Options,
    clauses: Clauses,
    /// Clauses that are grounded instead of `clauses`, with relations restricted to their requested
    /// parts.
    kept: Option<Clauses>,
    /// True if functional arguments may still be learnt.
    learns: bool,
    /// For each rewriting, the relations that it was tried for.
    tried: [Vec<RelationId>; REWRITES.len()],
}

impl Draft<'_> {
    /// Applies the first rewriting of a stage that changes the clauses. Returns false if none does.
    fn rewrite(&mut self, stage: RewriteStage, grounder: &mut Grounder<'_>, parked: &[usize]) -> bool {
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
                    RewriteStage::Parked => (*clauses, *kept) = (rewritten, None),
                    RewriteStage::Stuck => *kept = Some(rewritten),
                }
                return true;
            }
        }
        false
    }
}

/// Splits clauses and their parts on trial, and keeps the splits that save enough instances.
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
