//! Gates that watch an operand, so that gates without dependents are not evaluated.
//!
//! A gate is *live* if an output is it, or a live gate relies on it: a true gate relies on all its
//! operands, a false one on one false operand, which it *watches*. All others are *stale*: their
//! values are not kept, and evaluated when a live gate looks at them. Each operand of a gate, an
//! *edge*, is in a list of the gate that it reads while that matters: so a gate that changes finds
//! those that rely on it, and no others. Changed gates are evaluated level by level, each at most
//! once, and one that no live gate relies on any more goes stale instead.
//!
//! Input: a net as [`Wiring`], and the inputs that change. Output: a row of bits, goals and
//! percepts ([`Gates`](super::machine::Gates)). A change takes as many steps as gates change by it,
//! at most O(operands), and each takes several times as long as in [`counts`](super::counts); but
//! in vast nets most gates are stale. The memory is fixed, except for lists of at most one entry
//! for each gate.

mod wiring;

use super::{machine::Gates, outputs::Output};
use crate::bits;
use std::{ops::Range, sync::Arc};
pub(super) use wiring::Wiring;

/// No edge: the end of a list, a watch of nothing.
const NONE: u32 = u32::MAX;
/// The next edge of one that is in no list.
const APART: u32 = u32::MAX - 1;

/// Flags of a gate, below its level: its value, whether it is stale, whether it is to be evaluated,
/// and whether outputs read it.
const TRUE: u32 = 1;
const STALE: u32 = 2;
const PENDING: u32 = 4;
const READ: u32 = 8;
const FLAGS: u32 = 4;

/// An edge to an operand of a gate.
#[derive(Clone, Copy, Debug)]
struct Edge {
    signal: u32,
    /// The gate that reads it.
    owner: u32,
    /// The next edge in the list of the gate that is read, [`NONE`] or [`APART`].
    next: u32,
}

#[derive(Clone, Copy, Debug)]
struct Gate {
    /// Its first edge.
    start: u32,
    /// The edge of the operand that it watches; none if it is true, or was never evaluated.
    watch: u32,
    /// The first edge of those that may rely on it.
    head: u32,
    /// Its level and flags.
    bits: u32,
}

/// The gates of a net.
struct Watches {
    wiring: Arc<Wiring>,
    edges: Vec<Edge>,
    /// One more than there are, which has no edges.
    gates: Vec<Gate>,
    /// For each gate the first of its entries in `bits`; one more than there are gates.
    readers: Vec<u32>,
    /// Bits of the row that change with a gate.
    bits: Vec<u32>,
    /// The next state, then the view.
    row: Vec<u64>,
    /// The gates to be evaluated on each level, and a bit for each level that has some.
    levels: Vec<Vec<u32>>,
    busy: Vec<u64>,
    /// Stale gates being evaluated, each with the edge that it has come to.
    asking: Vec<(u32, u32)>,
    /// Edges looked at so far.
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

    /// Writes outputs that are not kept, where they are true.
    fn write(&mut self, outputs: fn(&Wiring) -> &[Output], row: &mut [u64]) {
        for place in 0..outputs(&self.wiring).len() {
            let (signal, bit) = outputs(&self.wiring)[place];
            if self.ask(signal) {
                bits::set(row, bit as usize);
            }
        }
    }

    /// Evaluates the gates that watch a changed gate, and changes the outputs that read it.
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

    /// Evaluates what has to be on some levels, from the lowest up.
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

    /// The lowest level of some that has gates to be evaluated.
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

    /// Evaluates a pending gate, or lets it go stale.
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

    /// True if an output is the gate, or a gate that is not stale relies on it. Edges of others
    /// leave its list.
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

    /// The value of a signal, whose gate is evaluated if it is stale.
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

    /// Evaluates a stale gate, and all stale ones that it takes, each at most once. What is below
    /// it is settled.
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

    /// Notes that an operand is false, or none.
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
        // Only outputs read a stale gate, and only when the machine is made; all others are still
        // to look at it.
        if before & TRUE != value && (before & STALE == 0 || before & READ != 0) {
            self.tell(gate);
        }
    }

    /// Puts an edge into the list of the gate that it reads.
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

    /// The edges looked at.
    fn work(&self) -> u64 {
        self.work
    }
}
