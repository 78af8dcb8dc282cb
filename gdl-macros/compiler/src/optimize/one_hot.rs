//! The one-hot complement: each role makes exactly one move, so a conjunction that excludes more than half of a
//! role's moves is the disjunction of the others. So it is with fluents of which exactly one holds.
//!
//! Frame axioms speak of all moves but a few; afterwards they speak of the few. Also, two moves of one
//! role exclude each other.

use super::rebuild::{inputs, live, rebuild, uses};
use crate::meter::Meter;
use crate::propnet::{Gate, Net, Signal};
use std::collections::BTreeMap;

/// Replaces long exclusions by their complements, those too that are spread over conjunctions and disjunctions among
/// the operands. O(literals), for each group that an input is in and each gate whose operands are looked into.
pub fn complement(net: &Net, meter: &mut Meter) -> Option<Net> {
    let mut groups = Groups::new(net);
    let live = live(net);
    let uses = uses(net, &live);
    let mut gates = (net.inputs()..net.len()).filter(|&gate| live[gate]);
    rebuild(net, inputs(net), meter, |copy, mut operands| {
        operands.sort_unstable();
        while let Some(shorter) = groups.complement(copy, &operands) {
            operands = shorter;
            operands.sort_unstable();
            groups.note(copy);
        }
        let signal = copy.and(operands);
        groups.note(copy);
        // Gates are copied in this order.
        if let Some(gate) = gates.next() {
            groups.uses[signal.gate() as usize] += uses[gate];
        }
        signal
    })
}

/// Groups of inputs of which exactly one holds: the moves of a role, and fluents.
struct Groups {
    /// By group, in order.
    members: Vec<Vec<Signal>>,
    /// By input gate: the groups it is in.
    of: Vec<Vec<usize>>,
    /// By gate of the copy: the groups of which it denies members.
    denied: Vec<Vec<usize>>,
    /// By gate of the copy: how many gates have it as an operand, as far as it is known.
    uses: Vec<u32>,
}

impl Groups {
    fn new(net: &Net) -> Self {
        let mut members = moves(net);
        for group in net.exclusive.iter().filter(|group| group.one_holds) {
            members.push(group.members.iter().map(|&fluent| net.fluent(fluent as usize)).collect());
        }
        let mut of = vec![Vec::new(); net.inputs()];
        for (number, group) in members.iter().enumerate() {
            group.iter().for_each(|s| of[s.gate() as usize].push(number));
        }
        Self { members, of, denied: vec![Vec::new(); net.inputs()], uses: vec![0; net.inputs()] }
    }

    fn of(&self, signal: Signal) -> &[usize] {
        self.of.get(signal.gate() as usize).map_or(&[], |groups| groups)
    }

    /// Takes note of new gates of the copy.
    fn note(&mut self, copy: &Net) {
        for gate in self.denied.len()..copy.len() {
            let Gate::And(operands) = copy.gate(gate as u32) else { unreachable!("inputs come first") };
            let mut groups: Vec<usize> =
                operands.iter().filter(|s| s.is_negated()).flat_map(|&s| self.of(s)).copied().collect();
            groups.sort_unstable();
            groups.dedup();
            self.denied.push(groups);
            self.uses.push(0);
        }
    }

    /// Sorted operands with a long exclusion replaced, or false if two of them exclude each other; none if there
    /// is nothing to replace.
    fn complement(&self, net: &mut Net, operands: &[Signal]) -> Option<Vec<Signal>> {
        // By group: the member that holds, and how many operands deny members.
        let mut counts: BTreeMap<usize, (Option<Signal>, usize)> = BTreeMap::new();
        for &operand in operands {
            for &group in self.of(operand) {
                let (holds, operands) = counts.entry(group).or_default();
                if operand.is_negated() {
                    *operands += 1;
                } else if holds.replace(operand).is_some_and(|other| other != operand) {
                    return Some(vec![Signal::FALSE]);
                }
            }
            for &group in &self.denied[operand.gate() as usize] {
                counts.entry(group).or_default().1 += 1;
            }
        }
        counts.retain(|_, (holds, operands)| *operands > usize::from(holds.is_none()));
        counts.into_iter().find_map(|(group, (holds, _))| self.shorten(net, operands, group, holds))
    }

    /// The operands with one instead of all that deny members of a group, if that is shorter. Such an operand is a
    /// member denied, a conjunction with some, or a disjunction of members, which denies all others.
    fn shorten(
        &self,
        net: &mut Net,
        operands: &[Signal],
        group: usize,
        holds: Option<Signal>,
    ) -> Option<Vec<Signal>> {
        let members = &self.members[group];
        let is_denied = |s: &Signal| s.is_negated() && self.of(*s).contains(&group);
        let (mut kept, mut denied, mut choices) = (Vec::new(), Vec::new(), Vec::new());
        // How many literals there would be no more.
        let mut gone = 0;
        for &operand in operands {
            let gate = operand.gate();
            let inner = match net.gate(gate) {
                Gate::And(inner) if self.denied[gate as usize].contains(&group) => inner,
                _ if is_denied(&operand) => {
                    gone += 1;
                    denied.push(!operand);
                    continue;
                }
                _ => {
                    kept.push(operand);
                    continue;
                }
            };
            if !operand.is_negated() {
                denied.extend(inner.iter().filter(|s| is_denied(s)).map(|s| !*s));
                kept.extend(inner.iter().filter(|s| !is_denied(s)));
            } else if inner.iter().all(is_denied) {
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
        if let Some(holds) = holds {
            // What another member's holding implies says nothing.
            return if is_open(&holds) { (gone > 0).then_some(kept) } else { Some(vec![Signal::FALSE]) };
        }
        let rest: Vec<Signal> = match choices.iter().min_by_key(|choice| choice.len()) {
            Some(choice) => choice.iter().map(|s| !*s).filter(is_open).collect(),
            None if 2 * denied.len() > members.len() => members.iter().copied().filter(is_open).collect(),
            None => return None,
        };
        if 2 * rest.len() >= members.len() || rest.len() > gone {
            return None;
        }
        kept.push(net.or(rest));
        Some(kept)
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
