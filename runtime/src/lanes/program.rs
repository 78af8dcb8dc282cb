//! Operations in an order and with places for their values: in comes a [`Cover`], out goes a [`Program`] that
//! runs on 512 lanes at once.
//!
//! Values live in [`Slots`]. Of the operations that could come next, those of the most frequent kind come all
//! together, so the interpreter decides once per run what to do. A slot is given to another value as soon as
//! nobody needs the one in it, and a next state goes straight to where the state is if that has been read for
//! the last time.

use super::cover::{Cover, Operation};
use crate::simd::{Plane, Word};
use std::collections::VecDeque;

/// As many planes as have numbers of 16 bits, so that numbers need no test that they are within: 4 MiB, of
/// which most programs use little.
pub(super) const SLOTS: usize = 1 << 16;

/// Where the values of lanes are.
pub(super) type Slots = [Plane; SLOTS];

/// A function of three operands that is not another's with its operands in another order.
macro_rules! for_each_table {
    ($with:ident) => {
        $with! {
            0x00 0x01 0x02 0x03 0x06 0x07 0x08 0x09 0x0a 0x0b 0x0e 0x0f 0x16 0x17 0x18 0x19 0x1a 0x1b 0x1e 0x1f
            0x28 0x29 0x2a 0x2b 0x2c 0x2d 0x2e 0x2f 0x3c 0x3d 0x3e 0x3f 0x68 0x69 0x6a 0x6b 0x6e 0x6f 0x7e 0x7f
            0x80 0x81 0x82 0x83 0x86 0x87 0x88 0x89 0x8a 0x8b 0x8e 0x8f 0x96 0x97 0x98 0x99 0x9a 0x9b 0x9e 0x9f
            0xa8 0xa9 0xaa 0xab 0xac 0xad 0xae 0xaf 0xbc 0xbd 0xbe 0xbf 0xe8 0xe9 0xea 0xeb 0xee 0xef 0xfe 0xff
        }
    };
}

/// What copies the last operand.
const COPY: u8 = 0xaa;

/// An operation on slots.
#[derive(Clone, Copy, Debug)]
struct Step {
    operands: [u16; 3],
    result: u16,
}

/// Operations that do the same.
#[derive(Clone, Copy, Debug)]
struct Run {
    table: u8,
    steps: u32,
}

#[derive(Clone, Debug)]
pub(super) struct Program {
    runs: Box<[Run]>,
    steps: Box<[Step]>,
}

impl Program {
    /// The program that finds its inputs in some slots (the first is for the value 0) and leaves its outputs in
    /// others, which may be the same. All from `free` on is its own. None if there are not enough slots.
    /// O(operations).
    pub(super) fn new(cover: &Cover, inputs: &[u16], outputs: &[u16], free: usize) -> Option<Self> {
        let order = schedule(cover);
        let mut places = Places::new(cover, inputs, &order, free);
        let mut targets = vec![None; order.len()];
        for (&output, &slot) in cover.outputs.iter().zip(outputs) {
            targets[output as usize - cover.inputs] = Some(slot);
        }
        let mut operations: Vec<(u8, Step)> = Vec::with_capacity(order.len());
        let mut copies = Vec::new();
        for (time, &number) in order.iter().enumerate() {
            let Operation { table, operands } = cover.operations[number as usize];
            let operands = operands.map(|value| places.read(value, time));
            let value = cover.inputs + number as usize;
            let result = match targets[number as usize] {
                Some(slot) if places.is_over(slot, time) => {
                    places.slots[value] = slot;
                    slot
                }
                target => {
                    let temporary = places.take(value)?;
                    if let Some(slot) = target {
                        // The copy is the last to read it.
                        places.last[value] = usize::MAX;
                        copies.push((COPY, Step { operands: [temporary; 3], result: slot }));
                    }
                    temporary
                }
            };
            operations.push((table, Step { operands, result }));
        }
        operations.extend(copies);
        let runs = operations.chunk_by(|a, b| a.0 == b.0);
        Some(Self {
            runs: runs.map(|run| Run { table: run[0].0, steps: run.len() as u32 }).collect(),
            steps: operations.iter().map(|operation| operation.1).collect(),
        })
    }

    /// The number of operations.
    pub(super) fn len(&self) -> usize {
        self.steps.len()
    }

    /// Runs on all lanes.
    #[inline(always)]
    pub(super) fn run<W: Word>(&self, slots: &mut Slots) {
        let mut rest = &self.steps[..];
        for &Run { table, steps } in &self.runs {
            let (steps, behind) = rest.split_at(steps as usize);
            rest = behind;
            macro_rules! select {
                ($($table:literal)*) => {
                    match table {
                        $($table => all::<W, $table>(steps, slots),)*
                        _ => unreachable!("operands are in the order that makes tables least"),
                    }
                };
            }
            for_each_table!(select);
        }
    }
}

/// Does the same with all steps.
#[inline(always)]
fn all<W: Word, const TABLE: i32>(steps: &[Step], slots: &mut Slots) {
    for step in steps {
        let [a, b, c] = step.operands;
        let a = W::load(&slots[usize::from(a)]);
        let b = W::load(&slots[usize::from(b)]);
        let c = W::load(&slots[usize::from(c)]);
        W::ternary::<TABLE>(a, b, c).store(&mut slots[usize::from(step.result)]);
    }
}

/// The operations in an order where operands come first and equal tables together.
fn schedule(cover: &Cover) -> Vec<u32> {
    let count = cover.operations.len();
    let own = |value: u32| (value as usize).checked_sub(cover.inputs);
    // The operations that read each, and how many operands each still waits for.
    let mut starts = vec![0; count + 1];
    for operation in &cover.operations {
        operation.operands.into_iter().filter_map(own).for_each(|operand| starts[operand + 1] += 1);
    }
    (0..count).for_each(|i| starts[i + 1] += starts[i]);
    let (mut ends, mut users) = (starts.clone(), vec![0; starts[count]]);
    let mut waits = vec![0_u8; count];
    let mut ready: Vec<VecDeque<u32>> = vec![VecDeque::new(); 256];
    for (number, operation) in cover.operations.iter().enumerate() {
        for operand in operation.operands.into_iter().filter_map(own) {
            users[ends[operand]] = number as u32;
            ends[operand] += 1;
            waits[number] += 1;
        }
        if waits[number] == 0 {
            ready[usize::from(operation.table)].push_back(number as u32);
        }
    }
    let mut order = Vec::with_capacity(count);
    while order.len() < count {
        // The first of the longest lists.
        let Some(list) = (0..256).rev().max_by_key(|&table| ready[table].len()) else { break };
        while let Some(number) = ready[list].pop_front() {
            order.push(number);
            for &user in &users[starts[number as usize]..starts[number as usize + 1]] {
                waits[user as usize] -= 1;
                if waits[user as usize] == 0 {
                    ready[usize::from(cover.operations[user as usize].table)].push_back(user);
                }
            }
        }
    }
    order
}

/// Which slots are taken.
struct Places {
    inputs: usize,
    /// The slot of each value that has one.
    slots: Vec<u16>,
    /// When each value is read for the last time.
    last: Vec<usize>,
    /// When the input in each slot is read for the last time.
    over: Vec<usize>,
    /// Slots for other values, some free, the others from `end` on.
    free: Vec<u16>,
    first: usize,
    end: usize,
}

impl Places {
    fn new(cover: &Cover, inputs: &[u16], order: &[u32], free: usize) -> Self {
        let mut slots = inputs.to_vec();
        slots.resize(cover.inputs + order.len(), 0);
        let mut last = vec![0; slots.len()];
        for (time, &number) in order.iter().enumerate() {
            for operand in cover.operations[number as usize].operands {
                last[operand as usize] = time;
            }
        }
        let mut over = vec![0; free];
        for (&slot, &time) in inputs.iter().zip(&last) {
            over[usize::from(slot)] = time;
        }
        Self { inputs: cover.inputs, slots, last, over, free: Vec::new(), first: free, end: free }
    }

    /// True if nobody reads the input in the slot any more.
    fn is_over(&self, slot: u16, time: usize) -> bool {
        self.over[usize::from(slot)] <= time
    }

    /// The slot of an operand, which is free after its last use.
    fn read(&mut self, value: u32, time: usize) -> u16 {
        let value = value as usize;
        let slot = self.slots[value];
        if value >= self.inputs && self.last[value] == time && usize::from(slot) >= self.first {
            self.free.push(slot);
            // An operand may be read twice.
            self.last[value] = usize::MAX;
        }
        slot
    }

    /// A free slot for a value.
    fn take(&mut self, value: usize) -> Option<u16> {
        let slot = if let Some(slot) = self.free.pop() {
            slot
        } else {
            self.end += 1;
            u16::try_from(self.end - 1).ok()?
        };
        self.slots[value] = slot;
        Some(slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        lanes::{cover, gates::Gates},
        random::Stream,
        simd::{Isa, Kernel, LANES},
    };

    struct Run<'a>(&'a Program, &'a mut Slots);

    impl Kernel for Run<'_> {
        type Output = ();

        fn run<W: Word>(self) {
            self.0.run::<W>(self.1);
        }
    }

    fn slots() -> Box<Slots> {
        vec![Plane::ZERO; SLOTS].into_boxed_slice().try_into().expect("as many as there are numbers")
    }

    /// Random circuits whose outputs replace their inputs, beside their gates run one lane at a time.
    #[test]
    fn programs_compute_what_gates_do() {
        let mut stream = Stream::new(5, 2);
        for isa in Isa::ALL.iter().filter(|isa| isa.is_available()) {
            for round in 0..40 {
                let inputs = 1 + stream.below(12) as usize;
                let gates = cover::tests::random(&mut stream, inputs, 10 * round);
                let outputs: Vec<u32> =
                    (0..inputs).map(|_| stream.below(2 * gates.len() as u64) as u32).collect();
                let places: Vec<u16> = (0..=inputs as u16).collect();
                let program = Program::new(&Cover::new(&gates, &outputs), &places, &places[1..], inputs + 1);
                let program = program.expect("few slots are needed");
                let last = program.steps.iter().map(|step| usize::from(step.result)).max();
                assert!(last.is_none_or(|last| last <= inputs + program.len()));
                let mut slots = slots();
                slots[1..=inputs].fill_with(|| Plane(std::array::from_fn(|_| stream.bits())));
                let before = slots[..=inputs].to_vec();
                isa.run(Run(&program, &mut slots));
                for lane in (0..LANES).step_by(7) {
                    let expected = values(&gates, &before, lane, &outputs);
                    let found: Vec<bool> = slots[1..=inputs].iter().map(|plane| plane.lane(lane)).collect();
                    assert_eq!(found, expected);
                }
            }
        }
    }

    fn values(gates: &Gates, inputs: &[Plane], lane: usize, outputs: &[u32]) -> Vec<bool> {
        let mut nodes: Vec<bool> = inputs.iter().map(|plane| plane.lane(lane)).collect();
        let of = |nodes: &[bool], signal: u32| nodes[signal as usize / 2] != (signal % 2 == 1);
        for &[a, b] in &gates.list {
            nodes.push(of(&nodes, a) && of(&nodes, b));
        }
        outputs.iter().map(|&signal| of(&nodes, signal)).collect()
    }

    #[test]
    fn tables_are_those_of_covers() {
        let mut least: Vec<u8> = (0..=255).map(|table| cover::least(table).0).collect();
        least.sort_unstable();
        least.dedup();
        macro_rules! list {
            ($($table:literal)*) => { [$($table),*] };
        }
        assert_eq!(least, for_each_table!(list));
    }
}
