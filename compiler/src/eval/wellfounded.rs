//! The well-founded model of ground rules, by the alternating fixpoint (Van Gelder 1989).
//!
//! The input is instances of clauses. The output is the set of true atoms, or an atom that is
//! neither true nor false. `T(s)` is the least set that is closed under the instances without a
//! negative atom in `s`:
//!
//! ```text
//! possible = T({});  certain = T(possible)
//! while T(certain) != possible:  possible = T(certain);  certain = T(possible)
//! ```
//!
//! `certain` grows and `possible` shrinks, so the loop ends. The model is total if the two sets are
//! equal at the end.

use super::EvalError;
use super::solve::{GroundAtom, Instance};
use super::store::Fuel;
use std::collections::BTreeMap;

/// Returns the true atoms in order, or the first undefined one.
pub(super) fn solve(
    instances: &[Instance],
    fuel: &mut Fuel,
) -> Result<Result<Vec<GroundAtom>, GroundAtom>, EvalError> {
    let mut numbers: BTreeMap<&GroundAtom, usize> = BTreeMap::new();
    for instance in instances {
        for atom in [&instance.head].into_iter().chain(&instance.positive).chain(&instance.negative) {
            numbers.entry(atom).or_insert(0);
        }
    }
    numbers.values_mut().enumerate().for_each(|(i, number)| *number = i);
    let number = |list: &[GroundAtom]| list.iter().map(|atom| numbers[atom]).collect::<Vec<_>>();
    let rules: Vec<Ground> = instances
        .iter()
        .map(|instance| Ground {
            head: numbers[&instance.head],
            positive: number(&instance.positive),
            negative: number(&instance.negative),
        })
        .collect();
    // The rules in which each atom is positive.
    let mut uses = vec![Vec::new(); numbers.len()];
    for (i, rule) in rules.iter().enumerate() {
        rule.positive.iter().for_each(|&atom| uses[atom].push(i));
    }

    let mut possible = closure(&rules, &uses, &vec![false; numbers.len()], fuel)?;
    let certain = loop {
        let certain = closure(&rules, &uses, &possible, fuel)?;
        let next = closure(&rules, &uses, &certain, fuel)?;
        if next == possible {
            break certain;
        }
        possible = next;
    };
    let mut atoms = Vec::new();
    for (atom, i) in numbers {
        match (certain[i], possible[i]) {
            (true, _) => atoms.push(atom.clone()),
            (false, true) => return Ok(Err(atom.clone())),
            (false, false) => {}
        }
    }
    Ok(Ok(atoms))
}

struct Ground {
    head: usize,
    positive: Vec<usize>,
    negative: Vec<usize>,
}

/// Returns the least set that is closed under the rules without a negative atom in `blocked`.
fn closure(
    rules: &[Ground],
    uses: &[Vec<usize>],
    blocked: &[bool],
    fuel: &mut Fuel,
) -> Result<Vec<bool>, EvalError> {
    let mut holds = vec![false; uses.len()];
    // The number of positive atoms that each rule still waits for; `usize::MAX` for a blocked rule.
    let mut waiting: Vec<usize> = Vec::with_capacity(rules.len());
    let mut fired = Vec::new();
    for rule in rules {
        let is_blocked = rule.negative.iter().any(|&atom| blocked[atom]);
        waiting.push(if is_blocked { usize::MAX } else { rule.positive.len() });
        if !is_blocked && rule.positive.is_empty() {
            fired.push(rule.head);
        }
    }
    fuel.burn(rules.len() as u64 + 1)?;
    while let Some(atom) = fired.pop() {
        if std::mem::replace(&mut holds[atom], true) {
            continue;
        }
        fuel.burn(1 + uses[atom].len() as u64)?;
        for &i in &uses[atom] {
            if waiting[i] != usize::MAX {
                waiting[i] -= 1;
                if waiting[i] == 0 {
                    fired.push(rules[i].head);
                }
            }
        }
    }
    Ok(holds)
}
