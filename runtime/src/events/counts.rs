//! Gates that count their false operands.
//!
//! A gate is true if it has no false operand. A gate that changes notifies its readers, whose
//! counts increase or decrease by one. A gate whose count becomes zero or leaves zero is *pending*.
//! Pending gates are processed in ascending order, so each changes at most once, after all gates
//! below it. A gate whose value changes back before it is processed is no longer pending.
//!
//! The bits of the row are gates that are never processed, so their bits of `pending` are the
//! values of the outputs. Gates that only goals or percepts depend on stay pending until these are
//! requested.
//!
//! Input: a net as [`Wiring`], and the inputs that change. Output: a row of bits, goals and
//! percepts ([`Gates`](super::machine::Gates)). The work is the number of readers of the gates that
//! change, at most O(operands), and one word for each 4,096 gates. Memory is fixed: two bytes and a
//! few bits for each gate.

mod wiring;

use super::{machine::Gates, outputs::Output};
use crate::bits;
use std::{ops::Range, sync::Arc};
pub(super) use wiring::Wiring;

/// The fixed work of a gate that changes, in units of one notified reader.
const CHANGE: u64 = 20;

/// The gates of a net.
struct Counts {
    wiring: Arc<Wiring>,
    /// The number of false operands of each gate, as far as changes were propagated. The count of
    /// an input is 1 if it is false, otherwise 0.
    falses: Vec<u16>,
    /// A bit for each gate that has changed but not notified its readers, and for each output bit
    /// that is set.
    pending: Vec<u64>,
    /// A bit for each word of `pending` that may be nonzero.
    busy: Vec<u64>,
    /// The number of readers notified so far, plus [`CHANGE`] for each gate that notified them.
    work: u64,
}

impl Counts {
    fn new(wiring: Arc<Wiring>) -> Self {
        let words = wiring.len().div_ceil(64);
        let mut pending = vec![0; words];
        let mut busy = vec![0; words.div_ceil(64)];
        let falses = wiring.falses();
        // Initially no gate counts as true, so gates that are true in the state without fluents are
        // pending.
        let holding = falses.iter().enumerate().filter(|(_, falses)| **falses == 0);
        holding.for_each(|(gate, _)| toggle(&mut pending, &mut busy, gate));
        Self { wiring, falses, pending, busy, work: 0 }
    }

    /// Notifies the readers of a gate that it has changed.
    fn tell(&mut self, gate: usize) {
        let Self { wiring, falses, pending, busy, .. } = self;
        let [plain, complement] = wiring.readers(gate);
        self.work += CHANGE + (plain.len() + complement.len()) as u64;
        let (falling, rising) = if falses[gate] == 0 { (plain, complement) } else { (complement, plain) };
        // One loop for each direction is twice as fast as a direction stored in each edge.
        for &reader in falling {
            let count = &mut falses[reader as usize];
            *count -= 1;
            if *count == 0 {
                toggle(pending, busy, reader as usize);
            }
        }
        for &reader in rising {
            let count = &mut falses[reader as usize];
            *count += 1;
            if *count == 1 {
                toggle(pending, busy, reader as usize);
            }
        }
    }

    /// Processes the pending gates of a range in ascending order.
    fn settle(&mut self, gates: Range<usize>) {
        if gates.is_empty() {
            return;
        }
        let (first, last) = (gates.start / 64, (gates.end - 1) / 64);
        for group in first / 64..=last / 64 {
            let mut rest = part(first, last, group);
            while self.busy[group] & rest != 0 {
                let place = (self.busy[group] & rest).trailing_zeros();
                let word = 64 * group + place as usize;
                let of_range = part(gates.start, gates.end - 1, word);
                // Processing a gate may make later gates of the same word pending.
                while self.pending[word] & of_range != 0 {
                    let gate = (self.pending[word] & of_range).trailing_zeros();
                    self.pending[word] ^= 1 << gate;
                    self.tell(64 * word + gate as usize);
                }
                if self.pending[word] == 0 {
                    self.busy[group] ^= 1 << place;
                }
                rest &= !(1 << place);
            }
        }
    }

    /// Sets the bits of outputs that hold.
    fn write(&self, outputs: &[Output], row: &mut [u64]) {
        for &(signal, bit) in outputs {
            if (self.falses[signal as usize / 2] == 0) != (signal % 2 == 1) {
                bits::set(row, bit as usize);
            }
        }
    }
}

impl Gates for Counts {
    fn flip(&mut self, input: usize) {
        self.falses[input] ^= 1;
        self.tell(input);
    }

    fn see(&mut self) {
        self.settle(self.wiring.seen());
    }

    fn step(&mut self) {
        self.settle(self.wiring.moved());
    }

    fn row(&self) -> &[u64] {
        &self.pending[self.wiring.row()]
    }

    fn write_goals(&mut self, view: &mut [u64]) {
        self.settle(self.wiring.scored());
        self.write(&self.wiring.goals, view);
    }

    fn write_percepts(&mut self, percepts: &mut [u64]) {
        self.settle(self.wiring.perceived());
        self.write(&self.wiring.percepts, percepts);
    }

    /// The number of readers notified, plus a constant for each gate that notified them.
    fn work(&self) -> u64 {
        self.work
    }
}

/// Flips the pending bit of a gate.
#[inline]
fn toggle(pending: &mut [u64], busy: &mut [u64], gate: usize) {
    pending[gate / 64] ^= 1 << (gate % 64);
    busy[gate / 4096] |= 1 << (gate / 64 % 64);
}

/// The bits of a word that are within the range of bits from `first` to `last`, inclusive.
fn part(first: usize, last: usize, word: usize) -> u64 {
    let from = if first / 64 == word { u64::MAX << (first % 64) } else { u64::MAX };
    let to = if last / 64 == word { u64::MAX >> (63 - last % 64) } else { u64::MAX };
    from & to
}
