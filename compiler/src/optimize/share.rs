//! Sharing: common operands of several conjunctions become a gate of their own.
//!
//! The pair of operands that occurs in most gates is extracted repeatedly (single-cube extraction,
//! Rajski and Vasudevamurthi 1992; Re-Pair of Larsson and Moffat 1999 does so for texts). Each cell
//! is changed by many moves, and most moves change several cells, so disjunctions of moves overlap
//! widely. A net has a third of the operations afterwards. Only operands of equal height form a
//! pair, so a gate gets no deeper than a balanced tree. In a small game, the depth determines the
//! time of a step. Gates that are wide for the size of their net are divided into blocks, so that
//! the number of pairs hardly exceeds `PAIRS`. Pairs wait in queues by an upper bound of their
//! frequency. A pair's frequency is recounted when its turn comes; most pairs are gone by then.
//! Only the pairs of the first queue are sorted.
//!
//! Sharing terminates, since each extraction reduces the total number of operands in the blocks.
//! Pairs are paid for in steps and bytes before they are counted, and so is each block that a pair
//! is extracted from.

use super::rebuild::{close, inputs, open};
use crate::meter::Meter;
use crate::propnet::{Gate, Net, Signal};
use std::{cmp::Reverse, collections::BinaryHeap};

/// The approximate number of pairs that are counted at first in a net of usual size.
const PAIRS: usize = 4 << 20;

/// The size of a block in operands. Two operands of a gate form a pair only if they are in one
/// block.
const BLOCK: std::ops::RangeInclusive<usize> = 8..=512;

/// The steps to count a pair, and to enqueue one that is in several blocks.
const COUNTED: u64 = 1;
const WAITED: u64 = 8;

/// The bytes of a pair that is in several blocks: its entries in a queue and in the heap, whose
/// capacity may be twice their length.
const REMEMBERED: usize = 32;

/// Extracts common pairs of operands from the gates. O(literals x log), with a factor of up to half
/// a block.
pub fn share(net: &Net, meter: &mut Meter) -> Option<Net> {
    open(net, meter)?;
    // The numbers of operands, the blocks, and the places of each operand.
    meter.take(48 * net.len() + 16 * net.literals())?;
    let live = net.cone(net.outputs.iter());
    let block = (2 * PAIRS / net.literals().max(1)).clamp(*BLOCK.start(), *BLOCK.end());
    let gates = net.inputs()..net.len();
    let operands = |gate: usize| match net.gate(gate as u32) {
        Gate::And(operands) if live[gate] => operands,
        _ => &[],
    };
    let mut sharing = Sharing::default();
    // Operands are marked and then numbered in order. Parts get the numbers after them.
    let mut numbers = vec![0; 2 * net.len()];
    gates.clone().flat_map(operands).for_each(|operand| numbers[operand.code() as usize] = 1);
    for (code, number) in (0_u32..).zip(&mut numbers) {
        if std::mem::replace(number, sharing.operands.len() as u32) == 1 {
            sharing.operands.push(Signal::new(code >> 1, code & 1 == 1));
        }
    }
    meter.take(32 * sharing.operands.len())?;
    let mut blocks_of = vec![0..0; net.len()];
    for gate in gates.clone() {
        let start = sharing.blocks.len();
        let numbered = |block: &[Signal]| block.iter().map(|s| numbers[s.code() as usize]).collect();
        sharing.blocks.extend(operands(gate).chunks(block).map(numbered));
        blocks_of[gate] = start..sharing.blocks.len();
    }
    sharing.count(meter)?;
    while sharing.extract_next(meter)? {}

    let mut copy = net.without_gates();
    let mut signals = inputs(net);
    signals.resize(net.len(), Signal::FALSE);
    let mut parts: Vec<Option<Signal>> = vec![None; sharing.parts.len()];
    for gate in gates.filter(|&gate| live[gate]) {
        let operands = sharing.blocks[blocks_of[gate].clone()].iter().flatten();
        let operands = operands.map(|&o| sharing.make(&mut copy, o, &signals, &mut parts)).collect();
        signals[gate] = copy.and(operands);
        copy.pay(meter)?;
    }
    Some(close(net, copy, &signals))
}

/// Two operands by their numbers, the lesser first.
type Pair = [u32; 2];

#[derive(Default)]
struct Sharing {
    /// The operands of the net, in order. Parts have the numbers that follow theirs.
    operands: Vec<Signal>,
    /// The blocks: operands of one gate by number, sorted.
    blocks: Vec<Vec<u32>>,
    /// By operand: the blocks that contain it, sorted.
    places: Vec<Vec<u32>>,
    /// The pairs, by an upper bound of the number of blocks that contain them. Pairs in a single
    /// block are not stored.
    queues: Vec<Vec<Pair>>,
    /// The pairs that may be in at least `queues.len()` blocks.
    heap: BinaryHeap<Reverse<Pair>>,
    /// The extracted pairs.
    parts: Vec<Pair>,
    /// The height of each of `parts`: the number of nested pairs.
    heights: Vec<u32>,
    /// A scratch counter by operand: the number of blocks that it shares with the current operand
    /// or pair. All zero between extractions.
    beside: Vec<u32>,
}

impl Sharing {
    /// Counts the pairs of all blocks and enqueues those in several.
    fn count(&mut self, meter: &mut Meter) -> Option<()> {
        let count = |block: &Vec<u32>| block.len() * block.len().saturating_sub(1) / 2;
        meter.spend(COUNTED * self.blocks.iter().map(count).sum::<usize>() as u64)?;
        self.places = vec![Vec::new(); self.operands.len()];
        for (number, block) in (0_u32..).zip(&self.blocks) {
            block.iter().for_each(|&operand| self.places[operand as usize].push(number));
        }
        self.beside = vec![0; self.operands.len()];
        let most = self.places.iter().map(Vec::len).max();
        self.queues = vec![Vec::new(); 1 + most.unwrap_or(0)];
        let mut others = Vec::new();
        for left in 0..self.operands.len() as u32 {
            for &place in &self.places[left as usize] {
                let block = &self.blocks[place as usize];
                note(&mut self.beside, &mut others, &block[block.partition_point(|&other| other <= left)..]);
            }
            for right in others.drain(..) {
                let count = std::mem::take(&mut self.beside[right as usize]);
                self.remember([left, right], count as usize, meter)?;
            }
        }
        Some(())
    }

    fn remember(&mut self, pair: Pair, count: usize, meter: &mut Meter) -> Option<()> {
        if count > 1 {
            meter.spend(WAITED)?;
            meter.take(REMEMBERED)?;
            self.enqueue(pair, count);
        }
        Some(())
    }

    /// Adds a pair to the queue of pairs in at most `most` blocks, or to the heap. Drops a pair
    /// that is in at most one block.
    fn enqueue(&mut self, pair: Pair, most: usize) {
        match self.queues.get_mut(most) {
            Some(queue) if most > 1 => queue.push(pair),
            Some(_) => {}
            None => self.heap.push(Reverse(pair)),
        }
    }

    /// Extracts the most frequent pair; of equally frequent pairs, the least. Returns false if no
    /// pair is in two blocks.
    fn extract_next(&mut self, meter: &mut Meter) -> Option<bool> {
        loop {
            if let Some(Reverse(pair)) = self.heap.pop() {
                let count = self.count_common(pair, self.queues.len(), meter)?;
                if count >= self.queues.len() {
                    self.extract(pair, meter)?;
                    return Some(true);
                }
                self.enqueue(pair, count);
                continue;
            }
            let Some(queue) = self.queues.pop() else { return Some(false) };
            for pair in queue {
                let count = self.count_common(pair, self.queues.len(), meter)?;
                self.enqueue(pair, count);
            }
        }
    }

    /// Counts the blocks that contain a pair. If there are fewer than `least`, the count may be an
    /// upper bound.
    fn count_common(&self, pair: Pair, least: usize, meter: &mut Meter) -> Option<usize> {
        let [a, b] = pair.map(|operand| &self.places[operand as usize][..]);
        let most = a.len().min(b.len());
        meter.spend(1)?;
        if most < least {
            return Some(most);
        }
        // Each place of the shorter list is searched for in the longer one.
        meter.spend(most as u64)?;
        let mut count = 0;
        intersect(a, b, |_| count += 1);
        Some(count)
    }

    /// Extracts a pair: replaces it by a new part in all its blocks.
    fn extract(&mut self, pair: Pair, meter: &mut Meter) -> Option<()> {
        let part = (self.operands.len() + self.parts.len()) as u32;
        let height = 1 + self.height(pair[0]);
        self.parts.push(pair);
        self.heights.push(height);
        let [a, b] = pair.map(|operand| std::mem::take(&mut self.places[operand as usize]));
        meter.spend((a.len() + b.len()) as u64)?;
        let mut places = Vec::new();
        intersect(&a, &b, |place| places.push(place));
        for (operand, mut list) in pair.into_iter().zip([a, b]) {
            let mut gone = places.iter().peekable();
            list.retain(|place| gone.next_if_eq(&place).is_none());
            self.places[operand as usize] = list;
        }
        self.beside.push(0);
        let mut others = Vec::new();
        for &place in &places {
            let block = &mut self.blocks[place as usize];
            meter.spend(2 * block.len() as u64)?;
            let before = block.len();
            block.retain(|operand| !pair.contains(operand));
            note(&mut self.beside, &mut others, block);
            // Later parts have greater numbers, so the block stays sorted.
            block.push(part);
            debug_assert!(block.len() < before, "a block has fewer operands");
        }
        self.places.push(places);
        for other in others {
            let count = std::mem::take(&mut self.beside[other as usize]);
            if self.height(other) == height {
                self.remember([other, part], count as usize, meter)?;
            }
        }
        Some(())
    }

    fn height(&self, operand: u32) -> u32 {
        (operand as usize).checked_sub(self.operands.len()).map_or(0, |number| self.heights[number])
    }

    /// Makes the signal of an operand in `net`. The recursion is as deep as the part is high, at
    /// most the logarithm of a block's size.
    fn make(&self, net: &mut Net, operand: u32, signals: &[Signal], parts: &mut [Option<Signal>]) -> Signal {
        let Some(number) = (operand as usize).checked_sub(self.operands.len()) else {
            let s = self.operands[operand as usize];
            return signals[s.gate() as usize].negate_if(s.is_negated());
        };
        if let Some(made) = parts[number] {
            return made;
        }
        let pair = self.parts[number].map(|operand| self.make(net, operand, signals, parts));
        let made = net.and(pair.to_vec());
        parts[number] = Some(made);
        made
    }
}

/// Counts operands in one more block, and adds those whose count was zero to `others`.
fn note(beside: &mut [u32], others: &mut Vec<u32>, operands: &[u32]) {
    for &operand in operands {
        let count = &mut beside[operand as usize];
        if *count == 0 {
            others.push(operand);
        }
        *count += 1;
    }
}

/// Passes the common items of two sorted lists to `give`, by galloping search. O(short list x log
/// long list).
fn intersect(a: &[u32], b: &[u32], mut give: impl FnMut(u32)) {
    let (short, mut long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    for &place in short {
        let mut end = 1;
        while long.get(end - 1).is_some_and(|&other| other < place) {
            end *= 2;
        }
        let near = &long[end / 2..end.min(long.len())];
        long = &long[end / 2 + near.partition_point(|&other| other < place)..];
        if long.first() == Some(&place) {
            give(place);
        }
    }
}
