//! Mutex groups: sets of mutually exclusive fluents, such as the contents of a cell, the player to
//! move, or the value of a counter. Names and random play propose them, and induction proves them.
//!
//! Fluents whose names differ only in some arguments are a candidate, unless simulation refutes it.
//! The proof assumes that the candidate and the groups proved before hold in a state. If
//! propagation then shows the candidate for the next state, for each move that affects it, the
//! candidate is an invariant: it holds in the initial state, and every legal step keeps it.
//! (Planners derive such mutexes: Edelkamp and Helmert 1999.)
//!
//! Each word of a name adds its fluent to at most two candidates. Each candidate is checked once
//! for each step of the simulation, and proved within the [`Budget`].

use super::{
    budget::Budget,
    proof::Prover,
    rebuild::open,
    simulate::{Simulation, mix, steps},
};
use crate::meter::Meter;
use crate::propnet::{MutexGroup, Net, Signal};
use gdl_format::term;
use rustc_hash::FxHashMap;

/// The most roles whose moves a proof distinguishes case by case.
const ROLES: usize = 4;

/// The most words of a name whose fluent is in a group. Longer names are neither cells nor
/// counters.
const MOST_WORDS: usize = 32;

/// The steps and bytes of a word of a name, and of a fluent in a group.
const WORD: (usize, usize) = (4, 32);
const ENTRY: (u64, usize) = (8, 20);

/// Finds mutex groups of fluents and adds them to the net. The gates do not change. O(literals +
/// bytes of names), with a large factor.
pub fn find_mutex_groups(net: &Net, meter: &mut Meter) -> Option<Net> {
    open(net, meter)?;
    meter.take(net.bytes())?;
    let mut net = net.clone();
    net.mutex_groups = Vec::new();
    let candidates = candidates(&net.vocabulary.fluents, meter)?;
    let candidates = refute(&net, candidates, meter)?;
    if !candidates.is_empty() {
        net.mutex_groups = prove(&net, candidates, meter)?;
    }
    Some(net)
}

/// Returns candidates: groups of fluents whose names differ in one argument, in all but one, or in
/// all.
fn candidates(fluents: &[String], meter: &mut Meter) -> Option<Vec<Vec<u32>>> {
    let mut numbers: FxHashMap<&str, u64> = FxHashMap::default();
    // For each group and each of its fluents: the hash of the part that the group's names have in
    // common, and the fluent. A collision is harmless, since groups are only candidates.
    let mut entries: Vec<(u64, u32)> = Vec::new();
    for (number, name) in (0u32..).zip(fluents) {
        let words = words(name, &mut numbers, meter)?;
        if words.len() > MOST_WORDS {
            continue;
        }
        let places = 2 * words.len();
        meter.spend(ENTRY.0 * places as u64)?;
        meter.take(ENTRY.1 * places)?;
        // The relation's name and the number of words are always part of the hash.
        let length = mix(words.len() as u64);
        let all = words.iter().fold(length, |all, word| all.wrapping_add(*word));
        for (place, &word) in (0u64..).zip(&words) {
            let alone = if place == 0 { 0 } else { word };
            let others = length.wrapping_add(words[0]).wrapping_add(alone);
            entries.push((mix(all.wrapping_sub(alone) ^ (2 * place)), number));
            entries.push((mix(others ^ (2 * place + 1)), number));
        }
    }
    entries.sort_unstable();
    let groups = entries.chunk_by(|left, right| left.0 == right.0).filter(|group| group.len() > 1);
    let mut groups: Vec<Vec<u32>> =
        groups.map(|group| group.iter().map(|&(_, fluent)| fluent).collect()).collect();
    groups.sort_unstable();
    groups.dedup();
    Some(groups)
}

/// Hashes the words of a name, each with its place, such that sums of hashes distinguish names.
/// `numbers` has a number for each word so far.
fn words<'n>(name: &'n str, numbers: &mut FxHashMap<&'n str, u64>, meter: &mut Meter) -> Option<Vec<u64>> {
    meter.spend(name.len() as u64)?;
    let parts = term::parts(name);
    meter.spend((WORD.0 * parts.len()) as u64)?;
    meter.take(WORD.1 * parts.len())?;
    let words = (1u64..).zip(parts).map(|(place, word)| {
        let new = numbers.len() as u64;
        mix(place << 40 | *numbers.entry(word).or_insert(new))
    });
    Some(words.collect())
}

/// Returns the candidates that hold in random play.
fn refute(net: &Net, candidates: Vec<Vec<u32>>, meter: &mut Meter) -> Option<Vec<MutexGroup>> {
    let mut groups: Vec<MutexGroup> =
        candidates.into_iter().map(|members| MutexGroup { members, exactly_one: true }).collect();
    let mut simulation = Simulation::new(net, meter)?;
    for _ in 0..steps(net) {
        let members: usize = groups.iter().map(|group| group.members.len()).sum();
        meter.spend(members as u64)?;
        groups.retain_mut(|group| {
            let (once, twice) = simulation.holders(&group.members);
            group.exactly_one &= once == u64::MAX;
            twice == 0
        });
        if groups.is_empty() {
            break;
        }
        simulation.step(meter)?;
    }
    Some(groups)
}

/// Returns the groups that every step keeps, given that they and the groups proved before hold.
/// Small groups come first, and among groups of one size, those of relations with few fluents. Such
/// a group, for example the player to move, helps to prove others, so proofs of many cells must not
/// use up its budget.
fn prove(net: &Net, mut groups: Vec<MutexGroup>, meter: &mut Meter) -> Option<Vec<MutexGroup>> {
    let relation = |fluent: u32| {
        term::parts(&net.vocabulary.fluents[fluent as usize]).first().copied().unwrap_or_default()
    };
    let mut sizes: FxHashMap<&str, usize> = FxHashMap::default();
    (0..net.initial.len() as u32).for_each(|fluent| *sizes.entry(relation(fluent)).or_default() += 1);
    groups.sort_by_cached_key(|group| {
        let relation = group.members.first().map_or("", |&fluent| relation(fluent));
        (group.members.len(), sizes.get(relation).copied())
    });
    meter.take(32 * groups.iter().map(|group| group.members.len()).sum::<usize>())?;
    let mut prover = Prover::new(net, groups.len(), true, meter)?;
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
        let exactly_one = group.exactly_one && prove(&|prover| prover.refutes(&none));
        let is_kept = prove(&|prover| are_exclusive(prover, &next, &budget));
        if !is_kept {
            prover.know(number, MutexGroup::default());
        } else if group.exactly_one != exactly_one {
            // The proof of exclusion may have used that one member holds, so it is repeated without
            // that.
            prover.know(number, MutexGroup { exactly_one, ..group });
            if !in_all_cases(&mut prover, &moves, &budget, &|prover| are_exclusive(prover, &next, &budget)) {
                prover.know(number, MutexGroup::default());
            }
        }
        if !prover.mutex_groups()[number].members.is_empty() {
            budget.reward();
        }
        budget.pay(&prover, meter)?;
    }
    let groups = prover.mutex_groups().iter();
    Some(groups.filter(|group| !group.members.is_empty()).cloned().collect())
}

/// Returns true if `holds` is proved, if necessary by cases: for each relevant move of a role, and
/// for none of these moves. Recurses once for each of at most `ROLES` roles.
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

/// Returns true if it is proved within the budget that no two of the signals hold together.
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
