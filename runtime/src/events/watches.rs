//! Gates that watch one operand, so that gates without dependents are not evaluated.
//!
//! A gate is *live* if it is an output, or a live gate relies on it. A true gate relies on all its
//! operands. A false one relies on one false operand, which it *watches*. All other gates are
//! *stale*: their values are not maintained, but evaluated when a live gate reads them.
//!
//! An *edge* is an operand of a gate. While the gate relies on it, the edge is in a list of the
//! operand's gate. So a gate that changes finds exactly the gates that rely on it. Changed gates
//! are evaluated level by level, each at most once. A changed gate that is no longer live becomes
//! stale instead.
//!
//! Input: a net as [`Wiring`], and the inputs that change. Output: a row of bits, goals and
//! percepts ([`Gates`](super::machine::Gates)). The work of a change is the number of gates that it
//! changes, at most O(operands). Each changed gate takes several times as long as in
//! [`counts`](super::counts), but in very large nets most gates are stale. Memory is fixed, except
//! for lists of at most one entry for each gate.

mod wiring;

use super::{machine::Gates, outputs::Output};
use crate::bits;
use std::{ops::Range, sync::Arc};
pub(super) use wiring::Wiring;

/// The index of no edge: the end of a list, or no watch.
const NONE: u32 = u32::MAX;
/// The `next` of an edge that is in no list.
const APART: u32 = u32::MAX - 1;

/// The flags of a gate, in the bits below its level: it is true, stale, pending evaluation, or read
/// by outputs.
const TRUE: u32 = 1;
const STALE: u32 = 2;
const PENDING: u32 = 4;
const READ: u32 = 8;
const FLAGS: u32 = 4;

/// An edge to an operand of a gate.
#[derive(Clone, Copy, Debug)]
struct Edge {
    signal: u32,
    /// The gate that has this operand.
    owner: u32,
    /// The next edge in the list of the operand's gate, [`NONE`] or [`APART`].
    next: u32,
}

#[derive(Clone, Copy, Debug)]
struct Gate {
    /// The first edge of the gate.
    start: u32,
    /// The edge of the watched operand; [`NONE`] if the gate is true or was never evaluated.
    watch: u32,
    /// The first edge of the list of edges whose owners may rely on the gate.
    head: u32,
    /// The level and the flags.
    bits: u32,
}

/// The gates of a net.
struct Watches {
    wiring: Arc<Wiring>,
    edges: Vec<Edge>,
    /// The gates, then a sentinel: its start ends the last gate's range of edges.
    gates: Vec<Gate>,
    /// For each gate the start of its range in `bits`, and the end of the last range.
    readers: Vec<u32>,
    /// The bits of the row that each gate determines.
    bits: Vec<u32>,
    /// The next state, then the view.
    row: Vec<u64>,
    /// The pending gates of each level, and a bit for each level that has some.
    levels: Vec<Vec<u32>>,
    busy: Vec<u64>,
    /// The stack of stale gates under evaluation, each with its current edge.
    asking: Vec<(u32, u32)>,
    /// The number of edges looked at so far.
    work: u64,
}

impl Watches {
    fn new(wiring: Arc<Wiring>) -> Self {
        let count = wiring.len();
        let mut readers = vec![0_u32; count + 1];
        wiring.outputs.kept.iter().for_each(|&(signal, _)| readers[signal as usize / 2] += 1);
        let mut sum = 0;
        for reader in &mut readers {
            sum += *reader;
            *reader = sum;
        }
        let mut bits = vec![0; wiring.outputs.kept.len()];
        let mut row = vec![0; wiring.words];
        for &(signal, bit) in &wiring.outputs.kept {
            let reader = &mut readers[signal as usize / 2];
            *reader -= 1;
            bits[*reader as usize] = bit;
            if signal % 2 == 1 {
                bits::set(&mut row, bit as usize);
            }
        }
        let is_read = |gate: usize| if readers[gate] < readers[gate + 1] { READ } else { 0 };
        let mut gates = Vec::with_capacity(count + 1);
        let mut edges = Vec::with_capacity(wiring.operands.len());
        gates.extend((0..wiring.inputs).map(|gate| Gate {
            start: 0,
            watch: NONE,
            head: NONE,
            bits: is_read(gate),
        }));
        for (and, &level) in wiring.levels.iter().enumerate() {
            let gate = wiring.inputs + and;
            let [start, end] = [wiring.starts[and], wiring.starts[and + 1]];
            gates.push(Gate { start, watch: NONE, head: NONE, bits: level << FLAGS | STALE | is_read(gate) });
            let signals = &wiring.operands[start as usize..end as usize];
            edges.extend(signals.iter().map(|&signal| Edge { signal, owner: gate as u32, next: APART }));
        }
        gates.push(Gate { start: edges.len() as u32, watch: NONE, head: NONE, bits: 0 });
        let kept: Vec<u32> = wiring.outputs.kept.iter().map(|&(signal, _)| signal).collect();
        let mut watches = Self {
            edges,
            gates,
            readers,
            bits,
            row,
            levels: vec![Vec::new(); wiring.height],
            busy: vec![0; wiring.height.div_ceil(64)],
            asking: Vec::new(),
            work: 0,
            wiring,
        };
        for signal in kept {
            watches.ask(signal);
        }
        watches
    }

    /// Sets the bits of true outputs that are not in the row.
    fn write(&mut self, outputs: fn(&Wiring) -> &[Output], row: &mut [u64]) {
        for place in 0..outputs(&self.wiring).len() {
            let (signal, bit) = outputs(&self.wiring)[place];
            if self.ask(signal) {
                bits::set(row, bit as usize);
            }
        }
    }

    /// Flips the outputs that read a changed gate, and makes the gates that rely on it pending.
    fn tell(&mut self, gate: usize) {
        if self.gates[gate].bits & READ != 0 {
            for &bit in &self.bits[self.readers[gate] as usize..self.readers[gate + 1] as usize] {
                self.row[bit as usize / 64] ^= 1 << (bit % 64);
            }
        }
        let mut edge = std::mem::replace(&mut self.gates[gate].head, NONE);
        while edge != NONE {
            self.work += 1;
            let Edge { owner, next, .. } = self.edges[edge as usize];
            self.edges[edge as usize].next = APART;
            let gate = &mut self.gates[owner as usize];
            if gate.bits & (STALE | PENDING) == 0 && (gate.watch == edge || gate.watch == NONE) {
                gate.bits |= PENDING;
                let level = (gate.bits >> FLAGS) as usize;
                self.levels[level].push(owner);
                self.busy[level / 64] |= 1 << (level % 64);
            }
            edge = next;
        }
    }

    /// Evaluates the pending gates of some levels, in ascending order.
    fn settle(&mut self, levels: Range<usize>) {
        let mut from = levels.start;
        while let Some(level) = self.busy_level(from..levels.end) {
            self.busy[level / 64] &= !(1 << (level % 64));
            let mut gates = std::mem::take(&mut self.levels[level]);
            for &gate in &gates {
                self.renew(gate as usize);
            }
            gates.clear();
            self.levels[level] = gates;
            from = level + 1;
        }
    }

    /// The lowest level in a range with pending gates. Returns `None` if there is none.
    fn busy_level(&self, levels: Range<usize>) -> Option<usize> {
        let mut word = levels.start / 64;
        let mut busy = *self.busy.get(word)? & (u64::MAX << (levels.start % 64));
        while busy == 0 {
            word += 1;
            if 64 * word >= levels.end {
                return None;
            }
            busy = self.busy[word];
        }
        Some(64 * word + busy.trailing_zeros() as usize).filter(|&level| level < levels.end)
    }

    /// Evaluates a pending gate, or makes it stale.
    fn renew(&mut self, gate: usize) {
        self.gates[gate].bits &= !PENDING;
        if !self.is_live(gate) {
            self.gates[gate].bits |= STALE;
            return;
        }
        let Gate { start, watch, .. } = self.gates[gate];
        if watch != NONE && !self.ask(self.edges[watch as usize].signal) {
            self.list(watch);
            return;
        }
        for edge in start..self.gates[gate + 1].start {
            if !self.ask(self.edges[edge as usize].signal) {
                self.conclude(gate, edge);
                return;
            }
        }
        self.conclude(gate, NONE);
    }

    /// Returns true if the gate is an output, or a gate that is not stale relies on it. Removes
    /// from the gate's list the edges before the first whose owner relies on it.
    fn is_live(&mut self, gate: usize) -> bool {
        if self.gates[gate].bits & READ != 0 {
            return true;
        }
        loop {
            let edge = self.gates[gate].head;
            if edge == NONE {
                return false;
            }
            self.work += 1;
            let Edge { owner, next, .. } = self.edges[edge as usize];
            let owner = &self.gates[owner as usize];
            if owner.bits & STALE == 0 && (owner.watch == edge || owner.watch == NONE) {
                return true;
            }
            self.edges[edge as usize].next = APART;
            self.gates[gate].head = next;
        }
    }

    /// Returns the value of a signal; evaluates its gate if it is stale.
    #[inline]
    fn ask(&mut self, signal: u32) -> bool {
        self.work += 1;
        if self.gates[signal as usize / 2].bits & STALE != 0 {
            self.evaluate(signal / 2);
        }
        self.value(signal)
    }

    #[inline]
    fn value(&self, signal: u32) -> bool {
        self.gates[signal as usize / 2].bits & TRUE != signal & 1
    }

    /// Evaluates a stale gate and all stale gates below it that it needs, each at most once. All
    /// other gates below it must be up to date.
    fn evaluate(&mut self, gate: u32) {
        self.asking.push((gate, self.gates[gate as usize].start));
        'gates: while let Some((gate, from)) = self.asking.pop() {
            for edge in from..self.gates[gate as usize + 1].start {
                self.work += 1;
                let signal = self.edges[edge as usize].signal;
                let operand = self.gates[signal as usize / 2];
                if operand.bits & STALE != 0 {
                    self.asking.extend([(gate, edge), (signal / 2, operand.start)]);
                    continue 'gates;
                }
                if !self.value(signal) {
                    self.conclude(gate as usize, edge);
                    continue 'gates;
                }
            }
            self.conclude(gate as usize, NONE);
        }
    }

    /// Sets the value of a gate: false with the given watch, or true if `watch` is [`NONE`].
    fn conclude(&mut self, gate: usize, watch: u32) {
        let Gate { start, bits: before, .. } = self.gates[gate];
        let value = if watch == NONE { TRUE } else { 0 };
        let now = &mut self.gates[gate];
        now.watch = watch;
        now.bits = before & !(STALE | TRUE) | value;
        if watch == NONE {
            (start..self.gates[gate + 1].start).for_each(|edge| self.list(edge));
        } else {
            self.list(watch);
        }
        // No evaluated gate relies on a stale gate. Outputs read a stale gate only while the
        // machine is created.
        if before & TRUE != value && (before & STALE == 0 || before & READ != 0) {
            self.tell(gate);
        }
    }

    /// Adds an edge to the list of its operand's gate.
    #[inline]
    fn list(&mut self, edge: u32) {
        let Edge { signal, next, .. } = self.edges[edge as usize];
        if next == APART {
            let head = &mut self.gates[signal as usize / 2].head;
            self.edges[edge as usize].next = std::mem::replace(head, edge);
        }
    }
}

impl Gates for Watches {
    fn flip(&mut self, input: usize) {
        self.gates[input].bits ^= TRUE;
        self.tell(input);
    }

    fn see(&mut self) {
        self.settle(0..self.wiring.moved);
    }

    fn step(&mut self) {
        self.settle(self.wiring.moved..self.wiring.height);
    }

    fn row(&self) -> &[u64] {
        &self.row
    }

    fn write_goals(&mut self, view: &mut [u64]) {
        self.write(|wiring| &wiring.outputs.goals, view);
    }

    fn write_percepts(&mut self, percepts: &mut [u64]) {
        self.write(|wiring| &wiring.outputs.percepts, percepts);
    }

    /// The number of edges looked at.
    fn work(&self) -> u64 {
        self.work
    }
}
