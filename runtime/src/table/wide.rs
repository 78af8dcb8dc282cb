//! Circuits for one state, 64 gates at a time: a [`Wide`] evaluates a circuit with bytes for
//! signals, and writes the outputs into a row of bits.
//!
//! Every signal is a byte of a plane, all ones or zero: first the fluents, then the gates, 64 to a
//! plane. Byte permutations gather the operands of 64 gates: one permutation for each pair of
//! planes that contains some of the operands. On machines with AVX-512 and VBMI, a permutation
//! takes about three instructions, about as long as two single gates.
//!
//! Each group of 64 operands takes at most 64 permutations (`Take`). A [`Wide`] is used only if its
//! estimated time is less than that of single gates. Each thread keeps a byte for each fluent and
//! gate.

use crate::{
    circuit::Circuit,
    simd::{Isa, Kernel, Plane, Word},
};
use std::{cell::RefCell, collections::BinaryHeap};

thread_local! {
    /// The planes of the circuit being run.
    static PLANES: RefCell<Vec<Plane>> = const { RefCell::new(Vec::new()) };
}

/// A circuit in groups of 64 gates, with the permutations that gather operands and outputs.
#[derive(Clone, Debug)]
pub(super) struct Wide {
    /// The number of planes that hold fluents.
    inputs: usize,
    groups: Box<[GateGroup]>,
    words: Box<[Output]>,
    /// The permutations of each group and word in turn.
    takes: Box<[Take]>,
}

/// A permutation: bytes from a pair of planes.
#[derive(Clone, Copy, Debug)]
struct Take {
    places: Plane,
    /// The lanes that receive a byte.
    lanes: u64,
    /// The index of the pair of planes.
    pair: u32,
}

/// A group of at most 64 gates.
#[derive(Clone, Copy, Debug)]
struct GateGroup {
    /// The numbers of takes that gather the first and the second operands.
    takes: [u32; 2],
    /// The lanes in which each operand is complemented.
    flips: [u64; 2],
}

/// A word of the row that the circuit writes.
#[derive(Clone, Copy, Debug)]
struct Output {
    place: u32,
    takes: u32,
    flips: u64,
    /// The bits that come from signals.
    open: u64,
    /// The bits that are always set.
    set: u64,
}

/// A word to write into a row: its place, the bits that are always set, and each signal with its
/// bit.
pub(super) struct WantedWord {
    pub(super) place: u32,
    pub(super) set: u64,
    pub(super) signals: Vec<(u32, u8)>,
}

impl Wide {
    /// Converts a circuit whose inputs are the fluents. Returns `None` if the machine lacks the
    /// instructions, or single gates are faster.
    pub(super) fn new(circuit: &Circuit, fluents: usize, wanted: &[WantedWord]) -> Option<Self> {
        if Isa::best() != Isa::Avx512 {
            return None;
        }
        let wide = Self::arrange(circuit, fluents, wanted);
        (wide.weight() < narrow_weight(circuit, fluents)).then_some(wide)
    }

    /// Converts the circuit for any machine.
    pub(super) fn arrange(circuit: &Circuit, fluents: usize, wanted: &[WantedWord]) -> Self {
        let first = circuit.inputs();
        let inputs = fluents.div_ceil(64);
        let order = order(circuit);
        let mut slots: Vec<u32> = (0..first).map(|node| (node as u32).wrapping_sub(1)).collect();
        slots.resize(first + circuit.size(), 0);
        let mut takes = Vec::new();
        let mut groups = Vec::new();
        for (number, group) in order.iter().enumerate() {
            let mut operands = [Vec::new(), Vec::new()];
            for (lane, &gate) in group.iter().enumerate() {
                let mut pair = circuit.gate(gate as usize);
                // Sorted operands tend to come from the same planes.
                pair.sort_by_key(|&signal| slots[signal as usize / 2]);
                operands.iter_mut().zip(pair).for_each(|(list, signal)| list.push((signal, lane as u8)));
            }
            let [a, b] = operands.map(|signals| gather(&signals, &slots, &mut takes));
            groups.push(GateGroup { takes: [a.0, b.0], flips: [a.1, b.1] });
            for (lane, &gate) in group.iter().enumerate() {
                slots[first + gate as usize] = (64 * (inputs + number) + lane) as u32;
            }
        }
        let words = wanted.iter().map(|word| {
            let (count, flips) = gather(&word.signals, &slots, &mut takes);
            let open = word.signals.iter().fold(0, |open, &(_, bit)| open | 1 << bit);
            Output { place: word.place, takes: count, flips, open, set: word.set }
        });
        let words = words.collect();
        Self { inputs, groups: groups.into(), words, takes: takes.into() }
    }

    /// The estimated time, in single gates.
    pub(super) fn weight(&self) -> usize {
        // A single gate takes as long as half a take.
        2 * (self.takes.len() + self.groups.len())
    }

    /// The bytes of the circuit.
    pub(super) fn bytes(&self) -> usize {
        let Self { groups, words, takes, .. } = self;
        size_of::<Self>() + size_of_val(&**groups) + size_of_val(&**words) + size_of_val(&**takes)
    }

    /// Writes the outputs for a state into a clear row. Words beyond the row are dropped.
    #[inline]
    pub(super) fn write(&self, state: &[u64], row: &mut [u64]) {
        PLANES.with_borrow_mut(|planes| {
            let size = (self.inputs + self.groups.len()).next_multiple_of(2);
            if planes.len() < size {
                planes.resize(size, Plane::ZERO);
            }
            Isa::Avx512.run(WideWork { wide: self, state, row, planes });
        });
    }
}

/// The estimated time of a circuit gate by gate, in gates; an output counts as one.
pub(super) fn narrow_weight(circuit: &Circuit, fluents: usize) -> usize {
    circuit.size() + circuit.outputs().len() + load_weight(fluents)
}

/// The approximate time to load `fluents` fluents, in gates.
pub(super) fn load_weight(fluents: usize) -> usize {
    fluents / 4
}

/// Appends the takes that gather signals into lanes. Returns the number of these takes and the
/// complemented lanes.
fn gather(signals: &[(u32, u8)], slots: &[u32], takes: &mut Vec<Take>) -> (u32, u64) {
    let start = takes.len();
    let mut flips = 0;
    for &(signal, lane) in signals {
        let slot = slots[signal as usize / 2];
        flips |= u64::from(signal % 2) << lane;
        let pair = slot / 128;
        let found = takes[start..].iter().position(|take| take.pair == pair);
        let number = found.map_or(takes.len(), |i| start + i);
        if found.is_none() {
            takes.push(Take { places: Plane::ZERO, lanes: 0, pair });
        }
        let take = &mut takes[number];
        take.lanes |= 1 << lane;
        take.places.0[usize::from(lane) / 8] |= u64::from(slot % 128) << (lane % 8 * 8);
    }
    ((takes.len() - start) as u32, flips)
}

/// List scheduling: groups of at most 64 gates that do not depend on each other. Gates with the
/// longest chain of dependents come first.
fn order(circuit: &Circuit) -> Vec<Vec<u32>> {
    let (first, count) = (circuit.inputs(), circuit.size());
    let own = |signal: u32| (signal as usize / 2).checked_sub(first);
    let mut heights = vec![0_u32; count];
    let mut waits = vec![0_u8; count];
    let mut users: Vec<Vec<u32>> = vec![Vec::new(); count];
    for gate in (0..count).rev() {
        for operand in circuit.gate(gate).into_iter().filter_map(own) {
            heights[operand] = heights[operand].max(heights[gate] + 1);
            users[operand].push(gate as u32);
            waits[gate] += 1;
        }
    }
    let place = |gate: usize| (heights[gate], std::cmp::Reverse(gate));
    let mut ready: BinaryHeap<_> = (0..count).filter(|&gate| waits[gate] == 0).map(place).collect();
    let mut groups = Vec::new();
    while !ready.is_empty() {
        let group: Vec<u32> =
            std::iter::from_fn(|| ready.pop()).take(64).map(|(_, gate)| gate.0 as u32).collect();
        for &user in group.iter().flat_map(|&gate| &users[gate as usize]) {
            waits[user as usize] -= 1;
            if waits[user as usize] == 0 {
                ready.push(place(user as usize));
            }
        }
        groups.push(group);
    }
    groups
}

struct WideWork<'a> {
    wide: &'a Wide,
    state: &'a [u64],
    row: &'a mut [u64],
    planes: &'a mut [Plane],
}

impl Kernel for WideWork<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Word>(self) {
        let Wide { inputs, groups, words, takes } = self.wide;
        let mut takes = &takes[..];
        for (plane, &word) in self.planes[..*inputs].iter_mut().zip(self.state) {
            W::spread(word).store(plane);
        }
        for (i, group) in groups.iter().enumerate() {
            let a = sum::<W>(&mut takes, group.takes[0], self.planes).xor(W::spread(group.flips[0]));
            let b = sum::<W>(&mut takes, group.takes[1], self.planes).xor(W::spread(group.flips[1]));
            a.and(b).store(&mut self.planes[inputs + i]);
        }
        for word in words {
            let bits = sum::<W>(&mut takes, word.takes, self.planes).collect();
            if let Some(to) = self.row.get_mut(word.place as usize) {
                *to = (bits ^ word.flips) & word.open | word.set;
            }
        }
    }
}

/// Gathers bytes by the next `count` takes.
#[inline(always)]
fn sum<W: Word>(takes: &mut &[Take], count: u32, planes: &[Plane]) -> W {
    let (now, rest) = takes.split_at(count as usize);
    *takes = rest;
    let mut sum = W::splat(false);
    for take in now {
        let (low, high) = (&planes[2 * take.pair as usize], &planes[2 * take.pair as usize + 1]);
        sum = sum.or(W::take(take.lanes, W::load(low), W::load(high), W::load(&take.places)));
    }
    sum
}
