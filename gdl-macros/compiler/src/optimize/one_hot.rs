//! The one-hot complement: each role makes exactly one move, so a conjunction that excludes more than half of a
//! role's moves is the disjunction of the others. So it is with fluents of which exactly one holds.
//!
//! Frame axioms speak of all moves but a few; afterwards they speak of the few. Also, two moves of one
//! role exclude each other.
//!
//! A conjunction is complemented for one group after the other until nothing is gained. That ends: with each replacement it has
//! fewer leaves, which are the inputs that it mentions, each as often as it does, with all its gates written out as trees.
//! What is looked at is paid for before: the operands of a gate, the groups that they are in or deny, and for a group that
//! may be complemented its members and the operands of operands.

use super::rebuild::{inputs, live, rebuild, uses};
use crate::meter::Meter;
use crate::propnet::{Gate, Net, Signal};
use std::collections::BTreeMap;

/// Steps to count one more in a group.
const COUNTED: u64 = 4;

/// Replaces long exclusions by their complements, those too that are spread over conjunctions and disjunctions among
/// the operands. O(literals), for each group that an input is in and each gate whose operands are looked into.
pub fn complement(net: &Net, meter: &mut Meter) -> Option<Net> {
    let mut groups = Groups::new(net, meter)?;
    let live = live(net);
    let uses = uses(net, &live);
    let mut gates = (net.inputs()..net.len()).filter(|&gate| live[gate]);
    rebuild(net, inputs(net), meter, |copy, mut operands, meter| {
        operands.sort_unstable();
        let mut leaves = groups.leaves(&operands);
        while groups.complement(copy, &mut operands, meter)? {
            operands.sort_unstable();
            groups.note(copy, meter)?;
            let before = std::mem::replace(&mut leaves, groups.leaves(&operands));
            debug_assert!(leaves < before || before == u64::MAX, "{leaves} leaves, {before} before");
        }
        let signal = copy.and(operands);
        groups.note(copy, meter)?;
        // Gates are copied in this order.
        if let Some(gate) = gates.next() {
            groups.uses[signal.gate() as usize] += uses[gate];
        }
        Some(signal)
    })
}

/// Groups of inputs of which exactly one holds: the moves of a role, and fluents.
struct Groups {
    /// By group, in order.
    members: Vec<Vec<Signal>>,
    /// By input gate: the groups it is in, ascending.
    of: Vec<Vec<usize>>,
    /// By gate of the copy: the groups of which it denies members, ascending.
    denied: Vec<Vec<usize>>,
    /// By gate of the copy: how many gates have it as an operand, as far as it is known.
    uses: Vec<u32>,
    /// By gate of the copy: how many leaves it has, if that is a number.
    leaves: Vec<u64>,
}

impl Groups {
    fn new(net: &Net, meter: &mut Meter) -> Option<Self> {
        let ones = || net.mutex_groups.iter().filter(|group| group.exactly_one);
        let count = net.does().len() + ones().map(|group| group.members.len()).sum::<usize>();
        meter.spend(COUNTED * count as u64)?;
        meter.take(4 * size_of::<usize>() * count + 3 * size_of::<Vec<usize>>() * net.len())?;
        let mut members = moves(net);
        for group in ones() {
            members.push(group.members.iter().map(|&fluent| net.fluent(fluent as usize)).collect());
        }
        let mut of = vec![Vec::new(); net.inputs()];
        for (number, group) in members.iter().enumerate() {
            group.iter().for_each(|s| of[s.gate() as usize].push(number));
        }
        let denied = vec![Vec::new(); net.inputs()];
        let (uses, mut leaves) = (vec![0; net.inputs()], vec![1; net.inputs()]);
        // The constant is none.
        leaves[0] = 0;
        Some(Self { members, of, denied, uses, leaves })
    }

    fn of(&self, signal: Signal) -> &[usize] {
        self.of.get(signal.gate() as usize).map_or(&[], |groups| groups)
    }

    /// True if a signal is a member that is denied.
    fn is_denied(&self, signal: Signal, group: usize) -> bool {
        signal.is_negated() && self.of(signal).binary_search(&group).is_ok()
    }

    /// How many leaves some operands have; [`u64::MAX`] if they are more than that.
    fn leaves(&self, operands: &[Signal]) -> u64 {
        operands.iter().fold(0, |sum, s| sum.saturating_add(self.leaves[s.gate() as usize]))
    }

    /// Takes note of new gates of the copy.
    fn note(&mut self, copy: &Net, meter: &mut Meter) -> Option<()> {
        for gate in self.denied.len()..copy.len() {
            let Gate::And(operands) = copy.gate(gate as u32) else { unreachable!("inputs come first") };
            let denied = || operands.iter().filter(|s| s.is_negated()).map(|&s| self.of(s));
            let count: usize = denied().map(<[usize]>::len).sum();
            meter.spend(operands.len() as u64 + COUNTED * count as u64)?;
            meter.take(size_of::<usize>() * count)?;
            let mut groups: Vec<usize> = denied().flatten().copied().collect();
            groups.sort_unstable();
            groups.dedup();
            groups.shrink_to_fit();
            let leaves = self.leaves(operands);
            self.denied.push(groups);
            self.uses.push(0);
            self.leaves.push(leaves);
        }
        Some(())
    }

    /// Replaces a long exclusion among sorted operands, or all of them by false if two exclude each other; false if there
    /// is nothing to replace.
    fn complement(&self, net: &mut Net, operands: &mut Vec<Signal>, meter: &mut Meter) -> Option<bool> {
        // By group: the member that holds, and how many operands deny members.
        let mut counts: BTreeMap<usize, (Option<Signal>, usize)> = BTreeMap::new();
        for &operand in &*operands {
            let denied = &self.denied[operand.gate() as usize];
            meter.spend(1 + COUNTED * (self.of(operand).len() + denied.len()) as u64)?;
            for &group in self.of(operand) {
                let (holds, count) = counts.entry(group).or_default();
                if operand.is_negated() {
                    *count += 1;
                } else if holds.replace(operand).is_some_and(|other| other != operand) {
                    *operands = vec![Signal::FALSE];
                    return Some(true);
                }
            }
            for &group in denied {
                counts.entry(group).or_default().1 += 1;
            }
        }
        counts.retain(|_, (holds, count)| *count > usize::from(holds.is_none()));
        for (group, (holds, _)) in counts {
            if self.shorten(net, operands, group, holds, meter)? {
                return Some(true);
            }
        }
        Some(false)
    }

    /// Puts one operand in the place of all that deny members of a group, if that is shorter. Such an operand is a
    /// member denied, a conjunction with some, or a disjunction of members, which denies all others.
    fn shorten(
        &self,
        net: &mut Net,
        operands: &mut Vec<Signal>,
        group: usize,
        holds: Option<Signal>,
        meter: &mut Meter,
    ) -> Option<bool> {
        let members = &self.members[group];
        let is_denied = |s: &Signal| self.is_denied(*s, group);
        let (mut kept, mut denied, mut choices) = (Vec::new(), Vec::new(), Vec::new());
        // How many literals there would be no more, and how many leaves.
        let (mut gone, mut leaves) = (0, 0);
        meter.spend(operands.len() as u64)?;
        for &operand in &*operands {
            let gate = operand.gate();
            let inner = match net.gate(gate) {
                Gate::And(inner) if self.denied[gate as usize].binary_search(&group).is_ok() => inner,
                _ if is_denied(&operand) => {
                    (gone, leaves) = (gone + 1, leaves + 1);
                    denied.push(!operand);
                    continue;
                }
                _ => {
                    kept.push(operand);
                    continue;
                }
            };
            meter.spend(2 * inner.len() as u64)?;
            if !operand.is_negated() {
                let (members, others): (Vec<Signal>, Vec<Signal>) = inner.iter().partition(|s| is_denied(s));
                leaves += members.len();
                denied.extend(members.into_iter().map(|s| !s));
                kept.extend(others);
            } else if inner.iter().all(is_denied) {
                leaves += inner.len();
                choices.push(inner);
            } else {
                kept.push(operand);
                continue;
            }
            gone += if self.uses[gate as usize] > 1 { 1 } else { inner.len() };
        }
        denied.sort_unstable();
        let is_open = |member: &Signal| {
            denied.binary_search(member).is_err()
                && choices.iter().all(|c| c.binary_search(&!*member).is_ok())
        };
        meter.spend((1 + choices.len() as u64) * members.len() as u64)?;
        if let Some(holds) = holds {
            // What another member's holding implies says nothing.
            let is_open = is_open(&holds);
            if is_open && leaves == 0 {
                return Some(false);
            }
            *operands = if is_open { kept } else { vec![Signal::FALSE] };
            return Some(true);
        }
        let rest: Vec<Signal> = match choices.iter().min_by_key(|choice| choice.len()) {
            Some(choice) => choice.iter().map(|s| !*s).filter(is_open).collect(),
            None if 2 * denied.len() > members.len() => members.iter().copied().filter(is_open).collect(),
            None => return Some(false),
        };
        // A gate that others need stays; and what is replaced by as many leaves may be replaced again and again.
        if 2 * rest.len() >= members.len() || rest.len() > gone || rest.len() >= leaves {
            return Some(false);
        }
        kept.push(net.or(rest));
        *operands = kept;
        Some(true)
    }
}

/// For each role, the signals of its moves that some gate mentions or that can be legal.
fn moves(net: &Net) -> Vec<Vec<Signal>> {
    let live = live(net);
    let mut groups = vec![Vec::new(); net.vocabulary.roles.len()];
    for (position, &(role, action)) in net.does().iter().enumerate() {
        let signal = net.does_at(position);
        let legal = &net.outputs.legal[role as usize];
        let entry = legal.binary_search_by_key(&action, |&(action, _)| action);
        let possible = entry.is_ok_and(|entry| legal[entry].1 != Signal::FALSE);
        if possible || live[signal.gate() as usize] {
            groups[role as usize].push(signal);
        }
    }
    groups
}
