//! Families of mutex groups: the fluents of a relation that differ in some of its arguments, the others being equal, such as all that may
//! stand on a square, for each square.
//!
//! Candidates are told by names, for each set of arguments. That no two fluents of a group hold together is proved by induction over
//! the [`effects`](super::effects) of moves: for each move, the next values of the group are false, or different fluents of one
//! group, or one of them alone may be true. The groups are assumed of the state before a step, all at once; those of which it does not
//! follow are given up, until it follows of all that are left. ([`mutex`](super::mutex) proves by propagation instead, a pair of fluents
//! at a time: it takes what is smaller and of any shape.)

use super::{
    effects::{Case, Effects},
    mutex::words,
    simulate::mix,
};
use crate::meter::Meter;
use crate::propnet::{Gate, MutexGroup, Net, Signal};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// Relations with more arguments have no families: there is one for each set of arguments.
const ARGUMENTS: usize = 5;

/// Times that groups are given up, after which all are.
const ROUNDS: usize = 3;

/// Groups of fluents that differ in some arguments, of which no two hold at first.
pub(super) fn candidates(net: &Net, meter: &mut Meter) -> Option<Vec<MutexGroup>> {
    let mut numbers: FxHashMap<&str, u64> = FxHashMap::default();
    // The family of a fluent, its group and itself: names with equal numbers are tried together, and no more than tried.
    let mut entries: Vec<(u64, u64, u32)> = Vec::new();
    for (number, name) in (0u32..).zip(&net.vocabulary.fluents) {
        let words = words(name, &mut numbers, meter)?;
        let arguments = words.len() - 1;
        let is_fixed = net.outputs.next[number as usize] == Signal::FALSE && !net.initial[number as usize];
        if arguments > ARGUMENTS || is_fixed {
            continue;
        }
        let families = 1 << arguments;
        meter.spend((arguments * families) as u64)?;
        meter.take(size_of::<(u64, u64, u32)>() * families)?;
        let relation = words[0].wrapping_add(mix(arguments as u64));
        for differ in 1..families as u64 {
            let equal = words[1..].iter().enumerate().filter(|(place, _)| differ >> place & 1 == 0);
            let family = relation.wrapping_add(mix(differ));
            let group = equal.fold(family, |sum, (_, word)| sum.wrapping_add(*word));
            entries.push((family, group, number));
        }
    }
    entries.sort_unstable();
    let mut groups = Vec::new();
    for family in entries.chunk_by(|left, right| left.0 == right.0) {
        let groups_of = || family.chunk_by(|left, right| left.1 == right.1);
        let at_first = |&&(.., fluent): &&(u64, u64, u32)| net.initial[fluent as usize];
        if groups_of().all(|group| group.iter().filter(at_first).count() < 2) {
            let members = |group: &[(u64, u64, u32)]| group.iter().map(|&(.., fluent)| fluent).collect();
            let groups_of = groups_of().filter(|group| group.len() > 1);
            groups.extend(groups_of.map(|group| MutexGroup { members: members(group), exactly_one: false }));
        }
    }
    Some(groups)
}

/// The groups that are not part of another one, the largest first.
pub(super) fn largest(net: &Net, mut groups: Vec<MutexGroup>, meter: &mut Meter) -> Option<Vec<MutexGroup>> {
    groups.sort_by_key(|group| (Reverse(group.members.len()), group.members.first().copied()));
    let mut groups_of: Vec<Vec<usize>> = vec![Vec::new(); net.initial.len()];
    let mut kept: Vec<MutexGroup> = Vec::new();
    for group in groups {
        let mut is_part = false;
        for &other in &groups_of[group.members[0] as usize] {
            meter.spend(group.members.len() as u64)?;
            is_part |= group.members.iter().all(|member| kept[other].members.binary_search(member).is_ok());
        }
        if !is_part {
            meter.take(size_of::<usize>() * group.members.len())?;
            group.members.iter().for_each(|&fluent| groups_of[fluent as usize].push(kept.len()));
            kept.push(group);
        }
    }
    Some(kept)
}

/// By group, if every step keeps it; that is so only if the premises of the effects are kept.
pub(super) fn kept(
    net: &Net,
    effects: &Effects,
    groups: &[MutexGroup],
    meter: &mut Meter,
) -> Option<Vec<bool>> {
    let members: usize = groups.iter().map(|group| group.members.len()).sum();
    meter.take(size_of::<usize>() * (members + 4 * net.initial.len()))?;
    let mut groups_of = vec![Vec::new(); net.initial.len()];
    for (number, group) in groups.iter().enumerate() {
        group.members.iter().for_each(|&fluent| groups_of[fluent as usize].push(number));
    }
    let mut induction = Induction { net, groups, groups_of, kept: vec![true; groups.len()] };
    for _ in 0..ROUNDS {
        let before = induction.kept.clone();
        for case in &effects.cases {
            induction.step(case, meter)?;
        }
        if induction.kept == before {
            return Some(before);
        }
    }
    Some(vec![false; groups.len()])
}

/// Groups of which it is tried if every step keeps them.
struct Induction<'n> {
    net: &'n Net,
    groups: &'n [MutexGroup],
    /// By fluent: the groups it is in.
    groups_of: Vec<Vec<usize>>,
    kept: Vec<bool>,
}

impl Induction<'_> {
    /// Gives up the groups that a case of a step may break.
    fn step(&mut self, case: &Case, meter: &mut Meter) -> Option<()> {
        let mut next = case.still.clone();
        // By group: if its members become nothing else where no move is made.
        let mut rests = vec![false; self.groups.len()];
        for (number, group) in self.groups.iter().enumerate() {
            meter.spend(2 * group.members.len() as u64)?;
            let own = |&fluent: &u32| self.net.fluent(fluent as usize);
            rests[number] = group.members.iter().all(|fluent| {
                let next = next[*fluent as usize];
                next == Signal::FALSE || next == own(fluent)
            });
            self.kept[number] =
                self.kept[number] && (rests[number] || self.are_exclusive(&next, &group.members));
        }
        let mut concerned: Vec<(usize, u32)> = Vec::new();
        for (_, changes) in &case.moves {
            changes.iter().for_each(|&(fluent, signal)| next[fluent as usize] = signal);
            concerned.clear();
            for &(fluent, _) in changes {
                concerned.extend(self.groups_of[fluent as usize].iter().map(|&group| (group, fluent)));
            }
            concerned.sort_unstable();
            meter.spend((changes.len() + 2 * concerned.len()) as u64)?;
            for changed in concerned.chunk_by(|left, right| left.0 == right.0) {
                let number = changed[0].0;
                if !self.kept[number] || rests[number] && self.are_swapped(&next, changed) {
                    continue;
                }
                meter.spend(2 * self.groups[number].members.len() as u64)?;
                self.kept[number] = self.are_exclusive(&next, &self.groups[number].members);
            }
            changes.iter().for_each(|&(fluent, _)| next[fluent as usize] = case.still[fluent as usize]);
        }
        Some(())
    }

    /// True if the next values of fluents of a group, given with its number, are false or different ones of these fluents. If those of its other
    /// members rest, it is kept.
    fn are_swapped(&self, next: &[Signal], changed: &[(usize, u32)]) -> bool {
        let Some(mut fluents) = self.fluents(next, changed.iter().map(|&(_, fluent)| fluent)) else {
            return false;
        };
        fluents.sort_unstable();
        fluents.windows(2).all(|pair| pair[0] != pair[1])
            && fluents.iter().all(|&fluent| changed.binary_search(&(changed[0].0, fluent)).is_ok())
    }

    /// True if the next values of some fluents exclude each other as they stand: they are different fluents of one group, or one of
    /// them alone may be true.
    fn are_exclusive(&self, next: &[Signal], members: &[u32]) -> bool {
        if members.iter().filter(|&&member| next[member as usize] != Signal::FALSE).nth(1).is_none() {
            return true;
        }
        let Some(mut fluents) = self.fluents(next, members.iter().copied()) else { return false };
        fluents.sort_unstable();
        let is_within = |&group: &usize| {
            let members = &self.groups[group].members;
            self.kept[group] && fluents.iter().all(|fluent| members.binary_search(fluent).is_ok())
        };
        fluents.windows(2).all(|pair| pair[0] != pair[1])
            && self.groups_of[fluents[0] as usize].iter().any(is_within)
    }

    /// The fluents that are the next values of some, if those are false or fluents.
    fn fluents(&self, next: &[Signal], mut members: impl Iterator<Item = u32>) -> Option<Vec<u32>> {
        let mut fluents = Vec::new();
        members
            .all(|member| {
                let signal = next[member as usize];
                if let (Gate::Fluent(fluent), false) = (self.net.gate(signal.gate()), signal.is_negated()) {
                    fluents.push(fluent);
                    return true;
                }
                signal == Signal::FALSE
            })
            .then_some(fluents)
    }
}
