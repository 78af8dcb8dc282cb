//! The one-hot complement: each role makes exactly one move, so a conjunction that excludes more than half of a
//! role's moves is the disjunction of the others. So it is with fluents of which exactly one holds.
//!
//! Frame axioms speak of all moves but a few; afterwards they speak of the few. Also, two moves of one
//! role exclude each other.

use super::rebuild::{inputs, live, rebuild};
use crate::limits::Fuel;
use crate::propnet::{Net, Signal};
use std::collections::BTreeMap;

/// Replaces long exclusions by their complements. O(literals), for each group that an input is in.
pub fn complement(net: &Net, fuel: &mut Fuel) -> Option<Net> {
    let groups = Groups::new(net);
    rebuild(net, inputs(net), fuel, |copy, mut operands| {
        operands.sort_unstable();
        while let Some(shorter) = groups.complement(copy, &operands) {
            operands = shorter;
            operands.sort_unstable();
        }
        copy.and(operands)
    })
}

/// Groups of inputs of which exactly one holds: the moves of a role, and fluents.
struct Groups {
    groups: Vec<Vec<Signal>>,
    /// By input gate: the groups it is in.
    groups_of: Vec<Vec<usize>>,
}

impl Groups {
    fn new(net: &Net) -> Self {
        let mut groups = moves(net);
        for group in net.exclusive.iter().filter(|group| group.one_holds) {
            groups.push(group.members.iter().map(|&fluent| net.fluent(fluent as usize)).collect());
        }
        let mut groups_of = vec![Vec::new(); net.inputs()];
        for (number, group) in groups.iter().enumerate() {
            group.iter().for_each(|s| groups_of[s.gate() as usize].push(number));
        }
        Self { groups, groups_of }
    }

    /// Sorted operands with a long exclusion replaced, or false if two of them exclude each other; none if there
    /// is nothing to replace.
    fn complement(&self, net: &mut Net, operands: &[Signal]) -> Option<Vec<Signal>> {
        // By group: the member that holds and how many do not.
        let mut counts: BTreeMap<usize, (Option<Signal>, usize)> = BTreeMap::new();
        for &operand in operands {
            for &group in self.groups_of.get(operand.gate() as usize).into_iter().flatten() {
                let (holds, excluded) = counts.entry(group).or_default();
                if operand.is_negated() {
                    *excluded += 1;
                } else if holds.replace(operand).is_some_and(|other| other != operand) {
                    return Some(vec![Signal::FALSE]);
                }
            }
        }
        let (group, (holds, _)) = counts.into_iter().find(|&(group, (holds, excluded))| {
            excluded > 0 && (holds.is_some() || 2 * excluded > self.groups[group].len())
        })?;
        let group = &self.groups[group];
        let is_excluded = |s: &Signal| s.is_negated() && group.binary_search(&!*s).is_ok();
        // Operands may deny the member that another one says holds.
        if holds.is_some_and(|holds| operands.contains(&!holds)) {
            return Some(vec![Signal::FALSE]);
        }
        let mut kept: Vec<Signal> = operands.iter().copied().filter(|s| !is_excluded(s)).collect();
        if holds.is_none() {
            let rest = group.iter().copied().filter(|&s| operands.binary_search(&!s).is_err()).collect();
            kept.push(net.or(rest));
        }
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
