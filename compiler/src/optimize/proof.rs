//! Proofs by propagation: the consequences of assumed signals.
//!
//! A [`Prover`] assumes signals and draws the conclusions that gates, legality and mutex groups
//! allow. It visits one gate at a time and propagates in both directions, like unit propagation
//! (Davis and Putnam 1960). A contradiction proves that the assumptions never hold together in a
//! reachable state. The method is incomplete, but it needs no search, and each conclusion costs
//! only the uses of a gate.
//!
//! Each gate gets at most one value until it is undone. So the steps of an assumption are linear in
//! the operands, moves and members of groups; the caller bounds the assumptions by a
//! [`Budget`](super::budget::Budget). The memory, linear in gates, operands and members, is paid
//! for at the start.

use super::{
    turns::{Turn, turns},
    users::Users,
};
use crate::meter::Meter;
use crate::propnet::{Gate, MutexGroup, Net, Signal};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The bytes for each gate, each operand and each member of a known group.
const GATE: usize = 64;
const OPERAND: usize = 8;
const MEMBER: usize = 16;

/// A set of assumptions and their consequences. Assumptions are undone in reverse order.
pub(super) struct Prover<'n> {
    net: &'n Net,
    users: Users,
    /// By `does` input: its legality.
    legal: Vec<Signal>,
    /// By gate: the `does` inputs whose legality is the gate, complemented or not.
    moves_of: FxHashMap<u32, Vec<u32>>,
    /// By role: all its `does` inputs. `relevant` lists those to which [`Prover::focus`] restricts
    /// propagation.
    inputs_of: Vec<Range<u32>>,
    relevant: Vec<Vec<u32>>,
    /// By gate: equal to `present` if the gate is relevant.
    scope: Vec<u32>,
    present: u32,
    /// Pairs of signals, by the gate of the first: where the first is false, the second is the only
    /// remaining move of a role.
    forced: FxHashMap<u32, Vec<(Signal, Signal)>>,
    /// For each gate, true if it is a key of `moves_of` or `forced`.
    decides_moves: Vec<bool>,
    mutex_groups: Vec<MutexGroup>,
    /// By fluent: the indices of its mutex groups.
    groups_of: Vec<Vec<u32>>,
    /// True if a step is assumed: the state is not terminal, and each role makes one legal move.
    steps: bool,
    values: Vec<Option<bool>>,
    /// By gate: the number of operands not known to be true.
    open: Vec<u32>,
    /// By role: the number of moves not known to be false.
    moves_left: Vec<u32>,
    /// By group: the number of members not known to be false.
    members_left: Vec<u32>,
    /// The gates with a value, in the order in which they got it.
    trail: Vec<u32>,
    /// The number of gates on the trail whose conclusions are drawn.
    done: usize,
    work: u64,
}

impl<'n> Prover<'n> {
    /// Creates a prover with room for `groups` mutex groups, none of them known yet. It assumes
    /// that the constant is false. If `steps` is true, it also assumes that the state is not
    /// terminal and that moves that are never legal are not made. O(literals + groups).
    pub(super) fn new(net: &'n Net, groups: usize, steps: bool, meter: &mut Meter) -> Option<Self> {
        meter.spend((net.len() + 2 * net.literals() + groups) as u64)?;
        meter.take(GATE * net.len() + OPERAND * net.literals() + 64 * groups)?;
        let first = 1 + net.initial.len() as u32;
        let legal = net.legality();
        let mut moves_of: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        let mut decides_moves = vec![false; net.len()];
        for (input, signal) in (first..).zip(&legal) {
            moves_of.entry(signal.gate()).or_default().push(input);
            decides_moves[signal.gate() as usize] = true;
        }
        let start = |role: u32| first + net.does().partition_point(|&(r, _)| r < role) as u32;
        let roles = 0..net.vocabulary.roles.len() as u32;
        let inputs_of: Vec<Range<u32>> = roles.map(|role| start(role)..start(role + 1)).collect();
        let open = (0..net.len() as u32).map(|gate| match net.gate(gate) {
            Gate::And(operands) => operands.len() as u32,
            _ => 0,
        });
        let mut prover = Self {
            users: Users::new(net),
            relevant: inputs_of.iter().map(|inputs| inputs.clone().collect()).collect(),
            moves_left: inputs_of.iter().map(|inputs| inputs.len() as u32).collect(),
            members_left: vec![0; groups],
            scope: vec![0; net.len()],
            present: 0,
            values: vec![None; net.len()],
            open: open.collect(),
            trail: Vec::new(),
            done: 0,
            work: 0,
            forced: if steps { forced(net, &mut decides_moves) } else { FxHashMap::default() },
            decides_moves,
            net,
            legal,
            moves_of,
            inputs_of,
            mutex_groups: vec![MutexGroup::default(); groups],
            groups_of: vec![Vec::new(); net.initial.len()],
            steps,
        };
        prover.set(Signal::TRUE);
        if steps {
            prover.set(!net.outputs.terminal);
            for position in 0..prover.legal.len() {
                if prover.legal[position] == Signal::FALSE {
                    prover.set(!net.does_at(position));
                }
            }
        }
        // Draws all conclusions, even contradictory ones. If they contradict each other, no state
        // has a step, so every proof about steps is valid.
        while prover.done < prover.trail.len() {
            prover.conclude_next();
        }
        Some(prover)
    }

    /// Creates a prover that uses the mutex groups of the net.
    pub(super) fn of(net: &'n Net, steps: bool, meter: &mut Meter) -> Option<Self> {
        let mut prover = Self::new(net, net.mutex_groups.len(), steps, meter)?;
        let members: usize = net.mutex_groups.iter().map(|group| group.members.len()).sum();
        meter.take(MEMBER * members)?;
        net.mutex_groups.iter().enumerate().for_each(|(number, group)| prover.know(number, group.clone()));
        Some(prover)
    }

    /// The currently known mutex groups.
    pub(super) fn mutex_groups(&self) -> &[MutexGroup] {
        &self.mutex_groups
    }

    /// Restricts propagation to the cone of some signals and of the legality of the moves in it.
    /// Returns these moves, by role. There must be no assumptions.
    pub(super) fn focus(&mut self, signals: &[Signal]) -> Vec<Vec<Signal>> {
        self.present += 1;
        let mut moves = vec![Vec::new(); self.relevant.len()];
        let mut gates: Vec<u32> = signals.iter().map(|s| s.gate()).collect();
        while let Some(gate) = gates.pop() {
            self.work += 1;
            if std::mem::replace(&mut self.scope[gate as usize], self.present) == self.present {
                continue;
            }
            match self.net.gate(gate) {
                Gate::Does { role, .. } => {
                    moves[role as usize].push(Signal::new(gate, false));
                    gates.push(self.legal[gate as usize - 1 - self.net.initial.len()].gate());
                }
                Gate::And(operands) => gates.extend(operands.iter().map(|s| s.gate())),
                _ => {}
            }
        }
        self.relevant = moves.iter().map(|list| list.iter().map(|s| s.gate()).collect()).collect();
        moves
    }

    /// Makes a group known, in place of the group with the same number. There must be no
    /// assumptions.
    pub(super) fn know(&mut self, number: usize, group: MutexGroup) {
        for &fluent in &self.mutex_groups[number].members {
            self.groups_of[fluent as usize].retain(|&other| other as usize != number);
        }
        for &fluent in &group.members {
            self.groups_of[fluent as usize].push(number as u32);
        }
        let may_hold = |&&fluent: &&u32| self.value(self.net.fluent(fluent as usize)) != Some(false);
        self.members_left[number] = group.members.iter().filter(may_hold).count() as u32;
        self.mutex_groups[number] = group;
    }

    /// The number of steps taken so far.
    pub(super) fn work(&self) -> u64 {
        self.work
    }

    /// Counts steps that the caller took.
    pub(super) fn charge(&mut self, steps: usize) {
        self.work += steps as u64;
    }

    /// The value of a signal, if it is known.
    pub(super) fn value(&self, signal: Signal) -> Option<bool> {
        self.values[signal.gate() as usize].map(|value| value != signal.is_negated())
    }

    /// A mark of the present assumptions, for [`Prover::undo`].
    pub(super) fn mark(&self) -> usize {
        self.trail.len()
    }

    /// Assumes a signal. Returns false if it contradicts earlier assumptions; the caller must then
    /// call `undo`.
    pub(super) fn assume(&mut self, signal: Signal) -> bool {
        let mut consistent = self.set(signal);
        while consistent && self.done < self.trail.len() {
            consistent = self.conclude_next();
        }
        consistent
    }

    /// Returns true if the signals are proved never to hold together. Leaves the assumptions
    /// unchanged.
    pub(super) fn refutes(&mut self, signals: &[Signal]) -> bool {
        let mark = self.mark();
        let consistent = signals.iter().all(|&signal| self.assume(signal));
        self.undo(mark);
        !consistent
    }

    /// Undoes the assumptions made since the mark.
    pub(super) fn undo(&mut self, mark: usize) {
        while self.trail.len() > mark {
            let gate = self.trail.pop().expect("longer than the mark");
            let value = self.values[gate as usize].take();
            if self.trail.len() >= self.done {
                continue;
            }
            for user in self.users.of(gate) {
                let matters = self.scope[user.gate() as usize] == self.present;
                if matters && value != Some(user.is_negated()) {
                    self.open[user.gate() as usize] += 1;
                }
            }
            match self.net.gate(gate) {
                Gate::Does { role, .. } if value == Some(false) => self.moves_left[role as usize] += 1,
                Gate::Fluent(fluent) if value == Some(false) => {
                    for &group in &self.groups_of[fluent as usize] {
                        self.members_left[group as usize] += 1;
                    }
                }
                _ => {}
            }
        }
        self.done = self.done.min(mark);
    }

    /// Records that a signal holds. Returns false if its complement is known to hold.
    fn set(&mut self, signal: Signal) -> bool {
        let value = &mut self.values[signal.gate() as usize];
        if value.is_none() {
            *value = Some(!signal.is_negated());
            self.trail.push(signal.gate());
        }
        *value == Some(!signal.is_negated())
    }

    /// Draws all conclusions from the value of the next gate. Returns false for a contradiction;
    /// all counters are up to date even then.
    fn conclude_next(&mut self) -> bool {
        let net = self.net;
        let gate = self.trail[self.done];
        self.done += 1;
        let value = self.values[gate as usize].expect("on the trail");
        let mut consistent = true;
        for place in 0..self.users.of(gate).len() {
            let user = self.users.of(gate)[place];
            self.work += 1;
            if self.scope[user.gate() as usize] != self.present {
                continue;
            }
            let and = Signal::new(user.gate(), false);
            if value == user.is_negated() {
                consistent &= self.set(!and);
                continue;
            }
            self.open[user.gate() as usize] -= 1;
            match self.open[user.gate() as usize] {
                0 => consistent &= self.set(and),
                1 if self.value(and) == Some(false) => consistent &= self.deny_last(user.gate()),
                _ => {}
            }
        }
        if self.steps && self.decides_moves[gate as usize] {
            consistent &= self.conclude_moves(gate);
        }
        consistent
            & match net.gate(gate) {
                Gate::And(operands) if value => {
                    self.work += operands.len() as u64;
                    operands.iter().fold(true, |consistent, &operand| consistent & self.set(operand))
                }
                Gate::And(_) if self.open[gate as usize] == 1 => self.deny_last(gate),
                Gate::Does { role, .. } if self.steps => self.conclude_move(gate, role as usize, value),
                Gate::Fluent(fluent) => self.conclude_fluent(fluent, value),
                _ => true,
            }
    }

    /// Draws the consequences of a gate's value for moves: those whose legality is the gate, and
    /// the only remaining move of a role.
    fn conclude_moves(&mut self, gate: u32) -> bool {
        let mut consistent = true;
        for place in 0..self.moves_of.get(&gate).map_or(0, Vec::len) {
            let input = self.moves_of[&gate][place];
            self.work += 1;
            let legal = self.legal[input as usize - 1 - self.net.initial.len()];
            if self.scope[input as usize] == self.present && self.value(legal) == Some(false) {
                consistent &= self.set(Signal::new(input, true));
            }
        }
        for place in 0..self.forced.get(&gate).map_or(0, Vec::len) {
            let (condition, last) = self.forced[&gate][place];
            self.work += 1;
            consistent &= self.value(condition) != Some(false) || self.set(last);
        }
        consistent
    }

    /// Concludes that the last operand is false, where the gate is false and all its other operands
    /// are true.
    fn deny_last(&mut self, gate: u32) -> bool {
        let Gate::And(operands) = self.net.gate(gate) else { return true };
        self.work += operands.len() as u64;
        match operands.iter().find(|&&operand| self.value(operand) != Some(true)) {
            Some(&last) => self.set(!last),
            // The last operand is true already: it is on the trail, and its conclusions are not
            // drawn yet.
            None => true,
        }
    }

    fn conclude_move(&mut self, gate: u32, role: usize, value: bool) -> bool {
        if value {
            self.work += self.relevant[role].len() as u64;
            let mut alone = true;
            for place in 0..self.relevant[role].len() {
                let other = self.relevant[role][place];
                alone &= other == gate || self.set(Signal::new(other, true));
            }
            return alone & self.set(self.legal[gate as usize - 1 - self.net.initial.len()]);
        }
        self.moves_left[role] -= 1;
        if self.moves_left[role] != 1 {
            return self.moves_left[role] > 0;
        }
        self.work += self.inputs_of[role].len() as u64;
        let mut inputs = self.inputs_of[role].clone().map(|input| Signal::new(input, false));
        let last = inputs.find(|&input| self.value(input) != Some(false));
        last.is_none_or(|last| self.set(last))
    }

    fn conclude_fluent(&mut self, fluent: u32, value: bool) -> bool {
        let net = self.net;
        let mut consistent = true;
        for place in 0..self.groups_of[fluent as usize].len() {
            let group = self.groups_of[fluent as usize][place] as usize;
            self.members_left[group] -= u32::from(!value);
            let is_last = self.mutex_groups[group].exactly_one && self.members_left[group] < 2;
            if !value && !is_last {
                continue;
            }
            for member in 0..self.mutex_groups[group].members.len() {
                let member = self.mutex_groups[group].members[member];
                let signal = net.fluent(member as usize);
                self.work += 1;
                if value && member != fluent {
                    consistent &= self.set(!signal);
                } else if !value && self.value(signal) != Some(false) {
                    consistent &= self.set(signal);
                }
            }
            consistent &= value || self.members_left[group] > 0;
        }
        consistent
    }
}

/// Returns the turns of roles by the gate of their condition: the condition, and the move that
/// remains where the condition is false. Marks these gates in `decides_moves`.
fn forced(net: &Net, decides_moves: &mut [bool]) -> FxHashMap<u32, Vec<(Signal, Signal)>> {
    let mut forced: FxHashMap<u32, Vec<(Signal, Signal)>> = FxHashMap::default();
    for Turn { condition, rest } in turns(net) {
        forced.entry(condition.gate()).or_default().push((condition, rest));
        decides_moves[condition.gate() as usize] = true;
    }
    forced
}
