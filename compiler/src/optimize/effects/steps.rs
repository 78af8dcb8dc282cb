//! Steps of which something is known: the values of all gates where some inputs have one, and how a move changes them.
//!
//! A gate is true, false or unknown (Kleene's logic). It counts its operands that are false and those that are unknown, so that a
//! change of an operand is a change of a count. [`Steps::make`] makes a move and says which next values may be others; [`Steps::undo`]
//! takes it back. Both take the uses of the gates that change, and nothing recurses.

use super::super::users::Users;
use crate::meter::Meter;
use crate::propnet::{Gate, Net, Signal};
use std::{cmp::Reverse, collections::BinaryHeap};

/// Bytes for each gate and each operand.
const GATE: usize = 72;
const OPERAND: usize = 8;

/// What a conjunction waits for: its operands that are false, those that are unknown, and the codes of the latter by exclusive or,
/// which are the code of the last one where no other is left.
#[derive(Clone, Copy, Default)]
struct Open {
    falses: u32,
    unknown: u32,
    codes: u32,
}

/// The values of all gates in a step of which something is known.
pub(super) struct Steps<'n> {
    net: &'n Net,
    users: Users,
    /// By gate: the fluents of which it gives the next value.
    next_of: Vec<Vec<u32>>,
    values: Vec<Option<bool>>,
    open: Vec<Open>,
    /// The gates of which an operand has changed: operands come before their users, so the first is looked at first.
    due: BinaryHeap<Reverse<u32>>,
    is_due: Vec<bool>,
    /// By gate, if the move has changed it, and what each of those was before.
    is_changed: Vec<bool>,
    trail: Vec<(u32, Option<bool>, Open)>,
    work: u64,
}

impl<'n> Steps<'n> {
    /// Nothing is known.
    pub(super) fn new(net: &'n Net, meter: &mut Meter) -> Option<Self> {
        meter.spend((net.len() + 2 * net.literals()) as u64)?;
        meter.take(GATE * net.len() + OPERAND * net.literals())?;
        let mut next_of = vec![Vec::new(); net.len()];
        for (fluent, next) in (0u32..).zip(&net.outputs.next) {
            next_of[next.gate() as usize].push(fluent);
        }
        Some(Self {
            net,
            users: Users::new(net),
            next_of,
            values: vec![None; net.len()],
            open: vec![Open::default(); net.len()],
            due: BinaryHeap::new(),
            is_due: vec![false; net.len()],
            is_changed: vec![false; net.len()],
            trail: Vec::new(),
            work: 0,
        })
    }

    /// Computes all gates from the inputs. O(literals).
    pub(super) fn begin(&mut self, inputs: &[Option<bool>]) {
        self.values[..inputs.len()].copy_from_slice(inputs);
        self.values[0] = Some(false);
        for gate in inputs.len()..self.net.len() {
            let Gate::And(operands) = self.net.gate(gate as u32) else { continue };
            let mut open = Open::default();
            operands.iter().for_each(|&operand| open.add(operand, self.value(operand)));
            self.values[gate] = open.value();
            self.open[gate] = open;
        }
        self.work += (self.net.literals() + self.net.len()) as u64;
    }

    /// What is known of a signal.
    pub(super) fn value(&self, signal: Signal) -> Option<bool> {
        self.values[signal.gate() as usize].map(|value| value != signal.is_negated())
    }

    /// What is left of a signal: a constant, or the one operand of a conjunction that is unknown, and so on, or itself.
    pub(super) fn left(&mut self, mut signal: Signal) -> Signal {
        loop {
            self.work += 1;
            if let Some(value) = self.value(signal) {
                return Signal::FALSE.negate_if(value);
            }
            let Open { unknown: 1, codes, .. } = self.open[signal.gate() as usize] else { return signal };
            signal = Signal::new(codes >> 1, codes & 1 == 1).negate_if(signal.is_negated());
        }
    }

    /// Makes a move that was known not to be made. Returns the fluents whose next values may be others, in order.
    pub(super) fn make(&mut self, input: u32) -> Vec<u32> {
        let mut fluents = Vec::new();
        self.trail.push((input, self.values[input as usize], Open::default()));
        let old = self.values[input as usize].replace(true);
        self.tell(input, old, &mut fluents);
        while let Some(Reverse(gate)) = self.due.pop() {
            self.is_due[gate as usize] = false;
            let old = std::mem::replace(&mut self.values[gate as usize], self.open[gate as usize].value());
            // What is unknown may be left of something else than before.
            if self.values[gate as usize].is_none() || self.values[gate as usize] != old {
                self.tell(gate, old, &mut fluents);
            }
        }
        fluents.sort_unstable();
        fluents.dedup();
        fluents
    }

    /// Tells the users of a gate what it was before.
    fn tell(&mut self, gate: u32, old: Option<bool>, fluents: &mut Vec<u32>) {
        fluents.extend(&self.next_of[gate as usize]);
        for &user in self.users.of(gate) {
            self.work += 1;
            let operand = Signal::new(gate, user.is_negated());
            let new = self.value(operand);
            let user = user.gate() as usize;
            if !std::mem::replace(&mut self.is_changed[user], true) {
                self.trail.push((user as u32, self.values[user], self.open[user]));
            }
            let open = &mut self.open[user];
            open.remove(operand, old.map(|value| value != operand.is_negated()));
            open.add(operand, new);
            // What was false and is false is looked at no more.
            let stays_false = open.falses > 0 && self.values[user] == Some(false);
            if !stays_false && !std::mem::replace(&mut self.is_due[user], true) {
                self.due.push(Reverse(user as u32));
            }
        }
    }

    /// Takes the move back.
    pub(super) fn undo(&mut self) {
        while let Some((gate, value, open)) = self.trail.pop() {
            self.values[gate as usize] = value;
            self.open[gate as usize] = open;
            self.is_changed[gate as usize] = false;
        }
    }

    /// The steps taken since this was last asked.
    pub(super) fn take_work(&mut self) -> u64 {
        std::mem::take(&mut self.work)
    }
}

impl Open {
    fn value(self) -> Option<bool> {
        match self {
            Self { falses: 1.., .. } => Some(false),
            Self { unknown: 0, .. } => Some(true),
            _ => None,
        }
    }

    fn add(&mut self, operand: Signal, value: Option<bool>) {
        self.falses += u32::from(value == Some(false));
        self.unknown += u32::from(value.is_none());
        self.codes ^= if value.is_none() { operand.code() } else { 0 };
    }

    fn remove(&mut self, operand: Signal, value: Option<bool>) {
        self.falses -= u32::from(value == Some(false));
        self.unknown -= u32::from(value.is_none());
        self.codes ^= if value.is_none() { operand.code() } else { 0 };
    }
}
