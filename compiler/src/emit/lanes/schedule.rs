//! Schedules the operations of a [`Cover`]: chooses their order and the slots of their values. The
//! runtime's interpreter runs the resulting [`Schedule`].
//!
//! Ready operations of the most frequent kind are scheduled together, so that the interpreter
//! dispatches once per run. Long programs are first divided into blocks, in depth-first order from
//! the outputs, so that most operands are still in the cache. A slot is reused after its value's
//! last use. An output that replaces an input is written directly if the input is no longer read;
//! otherwise a copy at the end writes it.

use super::{
    cover::{Cover, Operation},
    straight::walk,
};
use gdl_format::lanes::{MOST_SLOTS, Schedule, Step};
use std::collections::VecDeque;

/// The truth table that copies the last operand.
const COPY: u8 = 0xaa;

/// The number of operations in a block; their results fill half a megabyte.
const BLOCK: usize = 8_192;

/// Schedules the operations of a cover, given the slots of inputs (the first for the value 0) and
/// of outputs, which may overlap. Other values use slots from `free` on. Returns `None` if there
/// are not enough slots. O(operations).
pub(super) fn schedule(cover: &Cover, inputs: &[u32], outputs: &[u32], free: usize) -> Option<Schedule> {
    let order = order(cover);
    let mut places = Places::new(cover, inputs, &order, free);
    let mut targets = vec![None; cover.operations.len()];
    for (&output, &slot) in cover.outputs.iter().zip(outputs) {
        targets[output as usize - cover.inputs] = Some(slot);
    }
    let mut schedule = Schedule::default();
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
                    // The copy is the last use of the value.
                    places.last[value] = usize::MAX;
                    copies.push(Step { operands: [temporary; 3], result: slot });
                }
                temporary
            }
        };
        schedule.push(table, Step { operands, result });
    }
    copies.into_iter().for_each(|copy| schedule.push(COPY, copy));
    Some(schedule)
}

/// Orders the operations that outputs depend on: topologically and, within each block, grouped by
/// equal tables.
fn order(cover: &Cover) -> Vec<u32> {
    let count = cover.operations.len();
    let walk = walk(cover);
    // Operations that no output depends on are in no block.
    let mut blocks = vec![None; count];
    for (block, numbers) in walk.chunks(BLOCK).enumerate() {
        numbers.iter().for_each(|&number| blocks[number as usize] = Some(block));
    }
    // Each operation with each operand of its own block. Operands of earlier blocks are ready.
    let blocks = &blocks;
    let pairs = || {
        let walked = cover.operations.iter().enumerate().filter(|(number, _)| blocks[*number].is_some());
        walked.flat_map(|(number, operation)| {
            let operands = operation.operands.into_iter();
            let own = operands.filter_map(|value| (value as usize).checked_sub(cover.inputs));
            own.filter_map(move |operand| (blocks[operand] == blocks[number]).then_some((number, operand)))
        })
    };
    // The users of each operation, and the number of operands that each still waits for.
    let mut starts = vec![0; count + 1];
    pairs().for_each(|(_, operand)| starts[operand + 1] += 1);
    (0..count).for_each(|i| starts[i + 1] += starts[i]);
    let (mut ends, mut users) = (starts.clone(), vec![0; starts[count]]);
    let mut waits = vec![0_u8; count];
    for (number, operand) in pairs() {
        users[ends[operand]] = number as u32;
        ends[operand] += 1;
        waits[number] += 1;
    }
    let mut ready: Vec<VecDeque<u32>> = vec![VecDeque::new(); 256];
    let mut order = Vec::with_capacity(count);
    for block in walk.chunks(BLOCK) {
        let mut first = block.to_vec();
        first.retain(|&number| waits[number as usize] == 0);
        // Operations that are ready at first keep the order of their gates.
        first.sort_unstable();
        let table = |number: u32| usize::from(cover.operations[number as usize].table);
        first.into_iter().for_each(|number| ready[table(number)].push_back(number));
        let end = order.len() + block.len();
        while order.len() < end {
            // The first of the longest lists, by table.
            let Some(list) = (0..256).rev().max_by_key(|&table| ready[table].len()) else { break };
            while let Some(number) = ready[list].pop_front() {
                order.push(number);
                for &user in &users[starts[number as usize]..starts[number as usize + 1]] {
                    waits[user as usize] -= 1;
                    if waits[user as usize] == 0 {
                        ready[table(user)].push_back(user);
                    }
                }
            }
        }
    }
    order
}

/// The allocation of slots to values.
struct Places {
    inputs: usize,
    /// The slot of each value that has been computed.
    slots: Vec<u32>,
    /// The position in the order of the last operation that reads each value.
    last: Vec<usize>,
    /// The position in the order of the last operation that reads the input in each slot.
    over: Vec<usize>,
    /// The free slots below `end`. All slots from `end` on are free too.
    free: Vec<u32>,
    first: usize,
    end: usize,
}

impl Places {
    fn new(cover: &Cover, inputs: &[u32], order: &[u32], free: usize) -> Self {
        let mut slots = inputs.to_vec();
        slots.resize(cover.inputs + cover.operations.len(), 0);
        let mut last = vec![0; slots.len()];
        for (time, &number) in order.iter().enumerate() {
            for operand in cover.operations[number as usize].operands {
                last[operand as usize] = time;
            }
        }
        let mut over = vec![0; free];
        for (&slot, &time) in inputs.iter().zip(&last) {
            over[slot as usize] = time;
        }
        Self { inputs: cover.inputs, slots, last, over, free: Vec::new(), first: free, end: free }
    }

    /// Returns true if the input in the slot is not read after `time`.
    fn is_over(&self, slot: u32, time: usize) -> bool {
        self.over[slot as usize] <= time
    }

    /// Returns the slot of an operand, and frees it after the last use.
    fn read(&mut self, value: u32, time: usize) -> u32 {
        let value = value as usize;
        let slot = self.slots[value];
        if value >= self.inputs && self.last[value] == time && slot as usize >= self.first {
            self.free.push(slot);
            // An operation may read an operand twice, but the slot is freed once.
            self.last[value] = usize::MAX;
        }
        slot
    }

    /// Allocates a slot for a value. Returns `None` if there are too many slots.
    fn take(&mut self, value: usize) -> Option<u32> {
        let slot = if let Some(slot) = self.free.pop() {
            slot
        } else {
            self.end += 1;
            (self.end <= MOST_SLOTS).then_some(self.end as u32 - 1)?
        };
        self.slots[value] = slot;
        Some(slot)
    }
}

#[cfg(test)]
mod tests {
    use super::{super::cover, *};
    use gdl_format::aig::Aig;
    use proptest::{collection::vec, prelude::*};

    proptest! {
        /// Schedules equal their gates, for circuits whose outputs replace their inputs.
        #[test]
        fn schedules_compute_what_gates_do(
            inputs in 1_usize..12,
            pairs in vec(any::<[u32; 2]>(), 0..300),
            wanted in vec(any::<u32>(), 12),
            words in vec(any::<u64>(), 12),
        ) {
            let gates = cover::tests::gates(inputs, &pairs);
            let outputs: Vec<u32> = wanted[..inputs].iter().map(|s| s % (2 * gates.nodes() as u32)).collect();
            let places: Vec<u32> = (0..=inputs as u32).collect();
            let schedule = schedule(&Cover::new(&gates, &outputs), &places, &places[1..], inputs + 1);
            let schedule = schedule.expect("few slots are needed");
            let last = schedule.steps.iter().map(|step| step.result as usize).max();
            prop_assert!(last.is_none_or(|last| last <= inputs + schedule.steps.len()));
            let mut slots = vec![0; last.unwrap_or(0).max(inputs) + 1];
            slots[1..=inputs].copy_from_slice(&words[..inputs]);
            let expected = values(&gates, &slots[..=inputs], &outputs);
            for (table, step) in schedule.operations() {
                slots[step.result as usize] = cover::tests::apply(table, step.operands.map(|s| slots[s as usize]));
            }
            prop_assert_eq!(&slots[1..=inputs], &expected[..]);
        }
    }

    /// Operations that no output depends on are skipped. Unused leaves of cuts lead to such
    /// operations.
    #[test]
    fn what_no_output_depends_on_is_left_out() {
        let operation = |operand| Operation { table: 0x0f, operands: [operand; 3] };
        let cover = Cover { inputs: 2, operations: vec![operation(0), operation(1)], outputs: vec![3] };
        let steps = |cover: &Cover| schedule(cover, &[0, 1], &[2], 3).expect("few slots are needed").steps;
        assert_eq!(steps(&cover), [Step { operands: [1; 3], result: 2 }]);
        // The second operation has the same operand as the third, but its result is never read.
        let operations = vec![operation(1), operation(2), operation(2)];
        let cover = Cover { inputs: 2, operations, outputs: vec![4] };
        let expected = [Step { operands: [1; 3], result: 3 }, Step { operands: [3; 3], result: 2 }];
        assert_eq!(steps(&cover), expected);
    }

    fn values(gates: &Aig, inputs: &[u64], outputs: &[u32]) -> Vec<u64> {
        let mut nodes = inputs.to_vec();
        let of = |nodes: &[u64], signal: u32| {
            nodes[signal as usize / 2] ^ (0_u64.wrapping_sub(u64::from(signal % 2)))
        };
        for &[a, b] in gates.gates() {
            nodes.push(of(&nodes, a) & of(&nodes, b));
        }
        outputs.iter().map(|&signal| of(&nodes, signal)).collect()
    }
}
