//! Grounding in rounds, by a profile of itself.
//!
//! [`solve`] makes of rules their ground [`Program`].
//! In the first round a clause that takes more than a small cap is
//! parked while the others come to their fixpoint. The facts found by then show which parked clauses to split;
//! the rest get a larger cap. What was found stays found, since every fact is one whatever was left behind.
//!
//! All starts again when clauses are found by which there is less to ground: parked clauses may be for relations with arguments that
//! say nothing (`inert.rs`), or ask for several fluents, and be taken apart by what is functional (`functional.rs`). These are looked for
//! before anything else, the second of them once. Or relations may be kept to what is asked of them (`demand.rs`), which has its price,
//! and is left until splitting brings nothing more. Each is tried at most once for each relation.
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
    functional::{self, Functional},
    inert,
    split::{self, Splitter},
    terms::Terms,
};
use crate::{Options, Rules, meter::Meter, observer::Phase, rules::RelationId};

/// What a clause may cost in each round, in as many times as many instances as one that may be split. After the
/// last round it may cost what it will.
const BUDGETS: [usize; 3] = [5, 25, 200];

/// What a clause of a fixed relation may cost, likewise, before it is asked whether all of it is needed.
const FIXED: usize = 50;

/// Once all is found, clauses with fewer instances are left as they are: a part of one that may be split before.
const FEW: usize = 40;

/// How many splits of a clause are tried then.
const TRIALS: usize = 3;

/// Steps that it may take to learn what is functional before some limit is reached.
const LEARNING: u64 = 2_000_000;

/// Steps that an instance may cost.
const STEPS: u64 = 20;

/// Whether clauses are taken apart by what is functional.
#[derive(Clone, Copy)]
pub(super) enum Apart<'f> {
    /// If some are vast: then it is learnt.
    Learn,
    Never,
    By(&'f Functional),
}

/// Grounds rules. With the program come the clauses that it is of, without what only keeps relations to what is asked of them.
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
    let learns = matches!(apart, Apart::Learn);
    let mut wide = Wide { rules, options, clauses, learns, rewritten: Vec::new(), restricted: Vec::new() };
    let mut restricted = None;
    let many = options.split_from.max(1);
    let mut fixed = cap(many.saturating_mul(FIXED));
    loop {
        let given = restricted.as_ref().unwrap_or(&wide.clauses);
        let kept = given.demanded.clone();
        let mut grounder = Grounder::new(rules, given, terms.clone(), limits, meter, roots);
        let parked = grounder.settle(fixed)?;
        let news = if parked.is_empty() {
            rounds(&mut grounder, &mut wide, &kept, many)?
        } else if wide.rewrite(&mut grounder, &parked) {
            Some(Fewer::Rewritten)
        } else {
            wide.restrict(&mut grounder, &parked, &kept).map(Fewer::Restricted)
        };
        match news {
            Some(Fewer::Rewritten) => restricted = None,
            Some(Fewer::Restricted(fewer)) => restricted = Some(fewer),
            None if parked.is_empty() => return Ok((grounder.finish(), wide.clauses)),
            None => fixed = Cap::NONE,
        }
        meter = grounder.into_meter();
    }
}

/// Clauses by which there is less to ground.
enum Fewer {
    /// Those of [`Wide`].
    Rewritten,
    /// Those that keep relations to what is asked of them.
    Restricted(Clauses),
}

/// Grounds what depends on the state, where some relations are `kept` to what is asked of them, or gives clauses by which there is less to
/// ground.
fn rounds(
    grounder: &mut Grounder<'_>,
    wide: &mut Wide<'_>,
    kept: &[RelationId],
    many: usize,
) -> Result<Option<Fewer>, Excess> {
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
        if wide.rewrite(grounder, &parked) || wide.take_apart(grounder, &parked) {
            return Ok(Some(Fewer::Rewritten));
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
        if !is_first && let Some(fewer) = wide.restrict(grounder, &parked, kept) {
            return Ok(Some(Fewer::Restricted(fewer)));
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

/// The clauses to ground, and the relations of those that were parked.
struct Wide<'r> {
    rules: &'r Rules,
    options: &'r Options,
    clauses: Clauses,
    /// Whether it may be learnt what is functional.
    learns: bool,
    /// Those that it was tried to rewrite.
    rewritten: Vec<RelationId>,
    /// Those that it was tried to keep to what is asked of them.
    restricted: Vec<RelationId>,
}

impl Wide<'_> {
    /// The relations that parked clauses are for, those beside that are `known`.
    fn news(&self, grounder: &Grounder<'_>, parked: &[usize], known: &[RelationId]) -> Vec<RelationId> {
        let mut news = Vec::new();
        for &number in parked {
            let head = self.rules.rules[grounder.clause(number).rule].head.relation;
            if !known.contains(&head) && !news.contains(&head) {
                news.push(head);
            }
        }
        news
    }

    /// Puts others in the place of the clauses where the relations that parked clauses are for can do with less, whatever is asked of
    /// them; false if that was tried before or is of no use.
    fn rewrite(&mut self, grounder: &mut Grounder<'_>, parked: &[usize]) -> bool {
        let news = self.news(grounder, parked, &self.rewritten);
        let fewer = self.fewer(grounder, &news);
        self.rewritten.extend(news);
        let is_less = fewer.is_some();
        if let Some(fewer) = fewer {
            self.clauses = fewer;
        }
        is_less
    }

    /// Takes clauses apart by what is functional, where a parked one asks for several fluents; false if that was tried before or is of no use.
    fn take_apart(&mut self, grounder: &mut Grounder<'_>, parked: &[usize]) -> bool {
        let keywords = &self.rules.keywords;
        let mut parked = parked.iter();
        if !self.learns || !parked.any(|&number| functional::asks(grounder.clause(number), keywords)) {
            return false;
        }
        self.learns = false;
        let share = (grounder.left() / functional::SHARE).min(LEARNING);
        let mut split = || {
            grounder.afford(share)?;
            let functional = Functional::learn(self.rules, &self.options.with_fuel(share))?;
            let mut spare = Meter::of(grounder.left());
            let before = spare.left();
            let split = functional.split(&self.clauses, keywords, &mut spare);
            grounder.afford(before - spare.left())?;
            split
        };
        let split = split();
        let is_less = split.is_some();
        if let Some(split) = split {
            self.clauses = split;
        }
        is_less
    }

    /// Clauses with the same meaning that have less to say of some relations.
    fn fewer(&self, grounder: &mut Grounder<'_>, relations: &[RelationId]) -> Option<Clauses> {
        if relations.is_empty() {
            return None;
        }
        let mut spare = Meter::of(grounder.left());
        let (before, keywords) = (spare.left(), &self.rules.keywords);
        let fewer = inert::drop(&self.clauses, keywords, relations, &mut spare);
        grounder.afford(before - spare.left())?;
        fewer
    }

    /// Clauses in which less is derived of the relations that the parked clauses are for, unless that was tried
    /// before or is of no use, such as where all that it can be done to are `kept` by now.
    fn restrict(
        &mut self,
        grounder: &mut Grounder<'_>,
        parked: &[usize],
        kept: &[RelationId],
    ) -> Option<Clauses> {
        let known = self.restricted.len();
        self.restricted.extend(self.news(grounder, parked, &self.restricted));
        // What it may take besides is seen there.
        let steps = demand::effort(&self.clauses);
        grounder.afford(steps)?;
        let (strata, keywords) = (grounder.strata(), &self.rules.keywords);
        let mut spare = Meter::of(grounder.left());
        let before = spare.left();
        let wide = (&self.restricted[..], known);
        let fewer = demand::restrict(&self.clauses, strata, keywords, wide, kept, &mut spare);
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
