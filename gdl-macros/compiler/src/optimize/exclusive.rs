//! Exclusive fluents: groups of which no two hold together, such as the contents of a cell, whose turn it is, or
//! what a counter shows. Found by their names and in random play, proved by induction.
//!
//! Fluents whose names differ in some arguments only are a group to try, unless simulation refutes it. Such a group
//! is assumed of a state, with those proved before; if it follows of the next state, by propagation through the
//! gates for each move that matters to it, it is an invariant: it holds at the start, and every legal step keeps it.
//! (Such mutexes are what planners derive: Edelkamp and Helmert 1999.)

use super::{
    budget::Budget,
    proof::Prover,
    simulate::{Simulation, steps},
};
use crate::meter::Meter;
use crate::propnet::{Exclusive, Net, Signal};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Roles whose moves a proof takes one by one.
const ROLES: usize = 4;

/// Finds groups of exclusive fluents and notes them in the net, whose gates stay as they are.
/// O(literals), with a large factor.
pub fn find_exclusive(net: &Net, meter: &mut Meter) -> Option<Net> {
    let mut net = net.clone();
    net.exclusive = Vec::new();
    let candidates = refute(&net, candidates(&net.vocabulary.fluents), meter)?;
    if !candidates.is_empty() {
        net.exclusive = prove(&net, candidates, meter)?;
    }
    Some(net)
}

/// Groups of fluents whose names differ in one argument, in all but one, or in all of them.
fn candidates(fluents: &[String]) -> BTreeSet<Vec<u32>> {
    /// Stands for any value of an argument.
    const ANY: usize = usize::MAX;
    let mut words: FxHashMap<&str, usize> = FxHashMap::default();
    let mut groups: Vec<Vec<u32>> = Vec::new();
    let mut places: FxHashMap<(Vec<usize>, usize, bool), usize> = FxHashMap::default();
    for (number, name) in (0u32..).zip(fluents) {
        let mut parts = Vec::new();
        for part in self::parts(name) {
            let new = words.len();
            parts.push(*words.entry(part).or_insert(new));
        }
        for place in 0..parts.len() {
            for all_but_one in [false, true] {
                // The name of the relation always counts.
                let any = |i: usize| i > 0 && (i == place) != all_but_one;
                let kept = (0..parts.len()).map(|i| if any(i) { ANY } else { parts[i] });
                let group = *places.entry((kept.collect(), place, all_but_one)).or_insert(groups.len());
                if group == groups.len() {
                    groups.push(Vec::new());
                }
                groups[group].push(number);
            }
        }
    }
    groups.into_iter().filter(|group| group.len() > 1).collect()
}

/// The words of a fluent's name: of `(cell 1 (a b) x)` they are `cell`, `1`, `(a b)` and `x`.
fn parts(name: &str) -> Vec<&str> {
    let inside = name.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(name);
    let mut depth = 0;
    let separates = move |c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ' ' && depth == 0
    };
    inside.split(separates).collect()
}

/// The groups that hold in random play.
fn refute(net: &Net, candidates: BTreeSet<Vec<u32>>, meter: &mut Meter) -> Option<Vec<Exclusive>> {
    let mut groups: Vec<Exclusive> =
        candidates.into_iter().map(|members| Exclusive { members, one_holds: true }).collect();
    let mut simulation = Simulation::new(net);
    for _ in 0..steps(net) {
        let members: usize = groups.iter().map(|group| group.members.len()).sum();
        meter.spend((net.literals() + members) as u64 / 64)?;
        groups.retain_mut(|group| {
            let (mut once, mut twice) = (0, 0);
            for &fluent in &group.members {
                let value = simulation.value(net.fluent(fluent as usize));
                twice |= once & value;
                once |= value;
            }
            group.one_holds &= once == u64::MAX;
            twice == 0
        });
        if groups.is_empty() {
            break;
        }
        simulation.step();
    }
    Some(groups)
}

/// The groups that every step keeps, if they and those proved before them hold before it. Small groups come
/// first: what they say, such as whose turn it is, helps to prove others.
fn prove(net: &Net, mut groups: Vec<Exclusive>, meter: &mut Meter) -> Option<Vec<Exclusive>> {
    groups.sort_by_key(|group| group.members.len());
    let mut prover = Prover::new(net, groups.len(), true);
    let mut budget = Budget::new(net);
    for (number, group) in groups.into_iter().enumerate() {
        if !budget.lasts(&prover) {
            break;
        }
        let next: Vec<Signal> = group.members.iter().map(|&f| net.outputs.next[f as usize]).collect();
        let none: Vec<Signal> = next.iter().map(|&s| !s).collect();
        let mut moves = prover.focus(&next);
        moves.retain(|cases| !cases.is_empty());
        moves.truncate(ROLES);
        prover.know(number, group.clone());
        let mut prove =
            |holds: &dyn Fn(&mut Prover<'_>) -> bool| in_all_cases(&mut prover, &moves, &budget, holds);
        let one_holds = group.one_holds && prove(&|prover| prover.refutes(&none));
        let is_kept = prove(&|prover| are_exclusive(prover, &next, &budget));
        if !is_kept {
            prover.know(number, Exclusive::default());
        } else if group.one_holds != one_holds {
            // That one holds may have helped to prove the rest.
            prover.know(number, Exclusive { one_holds, ..group });
            if !in_all_cases(&mut prover, &moves, &budget, &|prover| are_exclusive(prover, &next, &budget)) {
                prover.know(number, Exclusive::default());
            }
        }
        if !prover.exclusive()[number].members.is_empty() {
            budget.reward();
        }
        budget.pay(&prover, meter)?;
    }
    let groups = prover.exclusive().iter();
    Some(groups.filter(|group| !group.members.is_empty()).cloned().collect())
}

/// True if `holds` is found to be true, if need be for each of the moves of a role on its own, and for none of
/// them. Recurses once for each of `ROLES`.
fn in_all_cases(
    prover: &mut Prover<'_>,
    moves: &[Vec<Signal>],
    budget: &Budget,
    holds: &dyn Fn(&mut Prover<'_>) -> bool,
) -> bool {
    if holds(prover) {
        return true;
    }
    let Some((cases, rest)) = moves.split_first() else { return false };
    let none: Vec<Signal> = cases.iter().map(|&s| !s).collect();
    cases.iter().map(std::slice::from_ref).chain([&none[..]]).all(|case| {
        let mark = prover.mark();
        let possible = case.iter().all(|&signal| prover.assume(signal));
        let proved = !possible || budget.lasts(prover) && in_all_cases(prover, rest, budget, holds);
        prover.undo(mark);
        proved
    })
}

/// True if no two of the signals can hold together, and the budget suffices to prove it.
fn are_exclusive(prover: &mut Prover<'_>, signals: &[Signal], budget: &Budget) -> bool {
    signals.iter().enumerate().all(|(i, &left)| {
        if !budget.lasts(prover) {
            return false;
        }
        let mark = prover.mark();
        prover.charge(signals.len() - i);
        let alone = prover.value(left) == Some(false)
            || !prover.assume(left)
            || signals[i + 1..].iter().all(|&right| {
                prover.value(right) == Some(false) || budget.lasts(prover) && prover.refutes(&[right])
            });
        prover.undo(mark);
        alone
    })
}
