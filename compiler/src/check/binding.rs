//! Binding: the variables that the body of a rule binds, and those that it leaves unsafe.

use crate::rules::{Formula, Rule, Variable};

/// For each variable of a rule, true if its body binds it.
pub(super) fn bound(rule: &Rule) -> Vec<bool> {
    let mut bound = vec![false; rule.variables.len()];
    rule.body.iter().for_each(|formula| bind(formula, &mut bound));
    bound
}

/// For each variable of a rule, true if it is unsafe: required by the head, `not` or `distinct`,
/// and not bound.
pub(super) fn unbound(rule: &Rule) -> Vec<bool> {
    fn require(formula: &Formula, mark: &mut impl FnMut(Variable)) {
        match formula {
            Formula::Atom(_) => {}
            Formula::Or(branches) => branches.iter().for_each(|branch| require(branch, mark)),
            Formula::Distinct(..) | Formula::Not(_) => formula.for_each_variable(mark),
        }
    }
    let bound = bound(rule);
    let mut unbound = vec![false; bound.len()];
    let mut mark = |variable: Variable| unbound[variable.index()] = !bound[variable.index()];
    rule.head.arguments.iter().for_each(|term| term.for_each_variable(&mut mark));
    rule.body.iter().for_each(|formula| require(formula, &mut mark));
    unbound
}

/// Marks the variables that have a value whenever the formula holds.
fn bind(formula: &Formula, bound: &mut [bool]) {
    match formula {
        Formula::Atom(_) => formula.for_each_variable(&mut |variable| bound[variable.index()] = true),
        Formula::Distinct(..) | Formula::Not(_) => {}
        Formula::Or(branches) => {
            let mut all = vec![true; bound.len()];
            for branch in branches {
                let mut here = vec![false; bound.len()];
                bind(branch, &mut here);
                all.iter_mut().zip(here).for_each(|(all, here)| *all &= here);
            }
            bound.iter_mut().zip(all).for_each(|(bound, all)| *bound |= all);
        }
    }
}
