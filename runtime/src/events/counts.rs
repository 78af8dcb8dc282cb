//! Gates that count their false operands.
//!
//! A gate holds where it counts none. One that changes tells those that read it, whose counts go up
//! or down by one; one whose count comes to nothing or leaves it is *pending*. Pending gates are
//! taken lowest first, and so each changes at most once, when all below it have. One that comes
//! back to its value before its turn is not pending any more. Outputs are gates that never have
//! their turn, so that their bits of `pending` say whether they hold. What goals and percepts alone
//! depend on stays pending until they are asked for.
//!
//! Input: a net as [`Wiring`], and what changes of its inputs. Output: a row of bits, goals and
//! percepts ([`Gates`](super::machine::Gates)). What changes takes as many steps as the gates that
//! change have readers, at most O(operands), and a look at one word for each 4,096 gates. The
//! memory is fixed: two bytes and some bits for each gate.

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
    /// The number of operands of each gate that are false, as far as changes have been passed on;
    /// an input counts one that is false, if the input is.
    falses: Vec<u16>,
    /// A bit for each gate that is to tell that it has changed, and for each output that holds.
    pending: Vec<u64>,
    /// A bit for each word of those that may have such gates.
    busy: Vec<u64>,
    /// The number of readers notified so far, and [`CHANGE`] for each gate that notified them.
    work: u64,
}

impl Counts {
    fn new(wiring: Arc<Wiring>) -> Self {
        let words = wiring.len().div_ceil(64);
        let mut pending = vec![0; words];
        let mut busy = vec![0; words.div_ceil(64)];
        let falses = wiring.falses();
        // As if no gate had ever held: those that read nothing but complements are still to tell
        // that they do.
        let holding = falses.iter().enumerate().filter(|(_, falses)| **falses == 0);
        holding.for_each(|(gate, _)| toggle(&mut pending, &mut busy, gate));
        Self { wiring, falses, pending, busy, work: 0 }
    }

    /// Tells those that read a gate that it has changed.
    fn tell(&mut self, gate: usize) {
        let Self { wiring, falses, pending, busy, .. } = self;
        let [plain, complement] = wiring.readers(gate);
        self.work += CHANGE + (plain.len() + complement.len()) as u64;
        let (falling, rising) = if falses[gate] == 0 { (plain, complement) } else { (complement, plain) };
        // One loop for each direction: an edge takes half as long as where that is given by the
        // edge.
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

    /// Has all pending gates of some tell that they have changed, from the lowest up.
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
                // Changes that these gates pass on may make other gates pending that come later in
                // the same word.
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

    /// Writes outputs where they hold.
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

    /// The number of readers notified, and a constant for each gate that notified them.
    fn work(&self) -> u64 {
        self.work
    }
}

/// Has a gate pending that was not, or the other way round.
#[inline]
fn toggle(pending: &mut [u64], busy: &mut [u64], gate: usize) {
    pending[gate / 64] ^= 1 << (gate % 64);
    busy[gate / 4096] |= 1 << (gate / 64 % 64);
}

/// The bits of a word that are from one bit to another one of a row.
fn part(first: usize, last: usize, word: usize) -> u64 {
    let from = if first / 64 == word { u64::MAX << (first % 64) } else { u64::MAX };
    let to = if last / 64 == word { u64::MAX >> (63 - last % 64) } else { u64::MAX };
    from & to
}
