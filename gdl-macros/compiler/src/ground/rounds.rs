//! Grounding in rounds, by a profile of itself.
//!
//! In come rules, out goes their ground [`Program`]. In the first round a clause that takes more than a small cap is
//! parked while the others come to their fixpoint. The facts found by then show which parked clauses to split;
//! the rest get a larger cap. What was found stays found, since every fact is one whatever was left behind.
//!
//! Once all is found, clauses with many instances are split on trial: of a split that does not save a quarter
//! of its clause's instances nothing remains.

use super::{
    Program,
    clause::{self, Clauses},
    excess::Excess,
    fixpoint::{Cap, Grounder},
    split::{MANY, Splitter},
    terms::Terms,
};
use crate::{Options, Rules, rules::Keywords};

/// What a clause may cost in the first round.
const FIRST: Cap = Cap { instances: 50_000, steps: 1_000_000 };

/// How much more in each round that splits nothing.
const GROWTH: u32 = 8;

/// Grounds rules. With the program come the clauses of the rules as they were.
pub(super) fn solve(rules: &Rules, options: &Options) -> Result<(Program, Clauses), Excess> {
    let limits = &options.limits;
    let mut terms = Terms::new(limits);
    let clauses = clause::clauses(rules, &mut terms, limits)?;
    let Keywords { role, init, next, legal, goal, terminal, sees, .. } = rules.keywords;
    let roots = [role, init, next, legal, goal, terminal, sees];
    let mut grounder = Grounder::new(rules, &clauses, terms, options, &roots);
    grounder.settle()?;
    let mut cap = FIRST;
    grounder.play(cap)?;
    let mut splitter = Splitter::new(rules.keywords.does, clauses.relations);
    loop {
        let parked = grounder.parked();
        if parked.is_empty() {
            break;
        }
        grounder.measure();
        let mut parts = Vec::new();
        for &number in &parked {
            if let Some(split) = splitter.split(&mut grounder, number, false) {
                grounder.drop(number);
                parts.extend(split);
            }
        }
        if parts.is_empty() {
            let instances = cap.instances.saturating_mul(GROWTH as usize);
            cap = Cap { instances, steps: cap.steps.saturating_mul(u64::from(GROWTH)) };
            if instances > limits.max_ground_rules {
                cap = Cap::NONE;
            }
            grounder.open(&parked, cap)?;
        } else {
            grounder.add(parts, cap)?;
        }
    }
    refine(&mut grounder, &mut splitter)?;
    Ok((grounder.finish(), clauses))
}

/// Splits clauses with many instances where that pays.
fn refine(grounder: &mut Grounder<'_>, splitter: &mut Splitter) -> Result<(), Excess> {
    grounder.measure();
    for number in grounder.opened() {
        let before = grounder.yields(number);
        if before < MANY {
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
