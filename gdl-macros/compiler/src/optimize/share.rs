//! Sharing: what several conjunctions have in common becomes a gate of its own.
//!
//! The pair of operands that most gates have is taken out again and again (single-cube extraction, Rajski and
//! Vasudevamurthi 1992; Re-Pair of Larsson and Moffat 1999 does the same to texts). Many moves change each
//! cell, most of them several cells, so the disjunctions of moves overlap widely; a net has a third of the
//! operations afterwards. Only operands of equal height are a pair, so a gate gets no deeper than a balanced
//! tree: depth is what a step of a small game waits for. Gates that are wide for the size of their net are looked at in blocks,
//! so that there are never many more pairs than `PAIRS`. Pairs wait in queues by the number of gates that they were seen in, and only those of
//! the first queue are put in order: most are gone before their turn comes.
//!
//! Sharing ends: with each pair taken out the blocks have fewer operands. Pairs are paid for before they are counted, in steps and
//! bytes, and so is each block that a pair is taken out of.

use super::rebuild::{close, inputs, open};
use crate::meter::Meter;
use crate::propnet::{Gate, Net, Signal};
use rustc_hash::FxHashMap;
use std::{cmp::Reverse, collections::BinaryHeap};

/// About how many pairs are counted at first, in a net of any usual size.
const PAIRS: usize = 4 << 20;

/// The operands of a block. Any two of a gate's operands are a pair only if they are in one block.
const BLOCK: std::ops::RangeInclusive<usize> = 8..=512;

/// Steps to count a pair, and for one that is in several blocks to wait for its turn.
const COUNTED: u64 = 1;
const WAITED: u64 = 8;

/// Bytes of a pair that is in several blocks: its count and its places in the heap.
const REMEMBERED: usize = 48;

/// Takes common pairs of operands out of the gates. O(literals x log), with a factor of up to half a block.
pub fn share(net: &Net, meter: &mut Meter) -> Option<Net> {
    open(net, meter)?;
    // The blocks, where each of their operands is, and how many are beside another one.
    meter.take(16 * (net.len() + net.literals()) + 8 * net.len())?;
    let live = net.cone(net.outputs.iter());
    let block = (2 * PAIRS / net.literals().max(1)).clamp(*BLOCK.start(), *BLOCK.end());
    let mut sharing = Sharing { first: net.len() as u32, ..Sharing::default() };
    let mut blocks_of = vec![0..0; net.len()];
    for gate in net.inputs()..net.len() {
        if let (true, Gate::And(operands)) = (live[gate], net.gate(gate as u32)) {
            let start = sharing.blocks.len();
            sharing.blocks.extend(operands.chunks(block).map(<[Signal]>::to_vec));
            blocks_of[gate] = start..sharing.blocks.len();
        }
    }
    sharing.count(meter)?;
    while let Some(pair) = sharing.next() {
        sharing.extract(pair, meter)?;
    }

    let mut copy = net.without_gates();
    let mut signals = inputs(net);
    signals.resize(net.len(), Signal::FALSE);
    let mut parts: Vec<Option<Signal>> = vec![None; sharing.parts.len()];
    for (gate, blocks) in blocks_of.into_iter().enumerate().skip(net.inputs()) {
        let operands: Vec<Signal> = sharing.blocks[blocks].iter().flatten().copied().collect();
        if live[gate] {
            let operands =
                operands.iter().map(|&s| sharing.make(&mut copy, s, &signals, &mut parts)).collect();
            signals[gate] = copy.and(operands);
            copy.pay(meter)?;
        }
    }
    Some(close(net, copy, &signals))
}

type Pair = [Signal; 2];

#[derive(Default)]
struct Sharing {
    /// The operands of the gates.
    blocks: Vec<Vec<Signal>>,
    /// The blocks that an operand was ever in.
    places: FxHashMap<Signal, Vec<u32>>,
    /// In how many blocks both of a pair are; pairs in one block have no entry.
    counts: FxHashMap<Pair, u32>,
    /// By how many blocks they are in: the pairs of `counts`, some with counts that are too high by now, and some that are gone.
    queues: Vec<Vec<Pair>>,
    /// The pairs in as many blocks as there are queues.
    heap: BinaryHeap<Reverse<Pair>>,
    /// The pairs taken out. They are numbered like gates that follow those of the net.
    parts: Vec<Pair>,
    /// How many pairs each of `parts` has below it, one in the other.
    heights: Vec<u32>,
    first: u32,
    /// By the code of an operand, in how many of the blocks at hand it is beside another one: all zero in between.
    beside: Vec<u32>,
}

impl Sharing {
    /// Counts the pairs.
    fn count(&mut self, meter: &mut Meter) -> Option<()> {
        let count = |block: &Vec<Signal>| block.len() * block.len().saturating_sub(1) / 2;
        meter.spend(COUNTED * self.blocks.iter().map(count).sum::<usize>() as u64)?;
        let mut operands = Vec::new();
        for (number, block) in (0u32..).zip(&self.blocks) {
            for &operand in block {
                self.places
                    .entry(operand)
                    .or_insert_with(|| {
                        operands.push(operand);
                        Vec::new()
                    })
                    .push(number);
            }
        }
        self.beside = vec![0; 2 * self.first as usize];
        let most = operands.iter().map(|operand| self.places[operand].len()).max();
        self.queues = vec![Vec::new(); 1 + most.unwrap_or(0)];
        let mut others = Vec::new();
        for left in operands {
            for &place in &self.places[&left] {
                let block = &self.blocks[place as usize];
                note(&mut self.beside, &mut others, &block[block.partition_point(|&s| s <= left)..]);
            }
            for right in others.drain(..) {
                let count = std::mem::take(&mut self.beside[right.code() as usize]);
                self.remember([left, right], count, meter)?;
            }
        }
        Some(())
    }

    fn remember(&mut self, pair: Pair, count: u32, meter: &mut Meter) -> Option<()> {
        if count > 1 {
            meter.spend(WAITED)?;
            meter.take(REMEMBERED)?;
            self.counts.insert(pair, count);
            self.enqueue(pair, count);
        }
        Some(())
    }

    /// Puts a pair where those in so many blocks wait.
    fn enqueue(&mut self, pair: Pair, count: u32) {
        match self.queues.get_mut(count as usize) {
            Some(queue) => queue.push(pair),
            None => self.heap.push(Reverse(pair)),
        }
    }

    /// The most frequent pair, of several the first; none if no pair is in two blocks.
    fn next(&mut self) -> Option<Pair> {
        loop {
            let Some(Reverse(pair)) = self.heap.pop() else {
                for pair in self.queues.pop()? {
                    if let Some(&count) = self.counts.get(&pair) {
                        self.enqueue(pair, count);
                    }
                }
                continue;
            };
            match self.counts.get(&pair) {
                Some(&count) if (count as usize) < self.queues.len() => self.enqueue(pair, count),
                Some(_) => return Some(pair),
                None => {}
            }
        }
    }

    /// Takes a pair out.
    fn extract(&mut self, pair: Pair, meter: &mut Meter) -> Option<()> {
        self.counts.remove(&pair);
        let part = Signal::new(self.first + self.parts.len() as u32, false);
        let height = 1 + self.height(pair[0]);
        self.parts.push(pair);
        self.heights.push(height);
        let fewer = pair.map(|operand| &self.places[&operand]).into_iter().min_by_key(|places| places.len());
        let mut places = fewer.cloned().unwrap_or_default();
        meter.spend(places.len() as u64)?;
        places.retain(|&place| {
            pair.iter().all(|operand| self.blocks[place as usize].binary_search(operand).is_ok())
        });
        self.beside.resize(2 * (self.first as usize + self.parts.len()), 0);
        let mut others = Vec::new();
        for &place in &places {
            let block = &mut self.blocks[place as usize];
            // Two look-ups for each of the others.
            meter.spend(4 * block.len() as u64)?;
            let before = block.len();
            block.retain(|operand| !pair.contains(operand));
            note(&mut self.beside, &mut others, block);
            // Later parts have greater numbers, so the block stays sorted.
            block.push(part);
            debug_assert!(block.len() < before, "a block has fewer operands");
        }
        self.places.insert(part, places);
        for other in others {
            let count = std::mem::take(&mut self.beside[other.code() as usize]);
            pair.iter().for_each(|&operand| forget(&mut self.counts, operand, other, count));
            if self.height(other) == height {
                self.remember([other, part], count, meter)?;
            }
        }
        Some(())
    }

    fn height(&self, operand: Signal) -> u32 {
        operand.gate().checked_sub(self.first).map_or(0, |number| self.heights[number as usize])
    }

    /// The signal in `net` of an operand. Recurses as deep as the part is high: to the logarithm of a block.
    fn make(&self, net: &mut Net, s: Signal, signals: &[Signal], parts: &mut [Option<Signal>]) -> Signal {
        let Some(number) = s.gate().checked_sub(self.first) else {
            return signals[s.gate() as usize].negate_if(s.is_negated());
        };
        if let Some(made) = parts[number as usize] {
            return made;
        }
        let pair = self.parts[number as usize].map(|operand| self.make(net, operand, signals, parts));
        let made = net.and(pair.to_vec());
        parts[number as usize] = Some(made);
        made
    }
}

/// Counts operands in one more block. The `others` are those that were in none before.
fn note(beside: &mut [u32], others: &mut Vec<Signal>, operands: &[Signal]) {
    for &operand in operands {
        let count = &mut beside[operand.code() as usize];
        if *count == 0 {
            others.push(operand);
        }
        *count += 1;
    }
}

/// A pair is in so many blocks less.
fn forget(counts: &mut FxHashMap<Pair, u32>, left: Signal, right: Signal, blocks: u32) {
    let pair = if left < right { [left, right] } else { [right, left] };
    if let Some(count) = counts.get_mut(&pair) {
        *count -= blocks;
        if *count < 2 {
            counts.remove(&pair);
        }
    }
}
