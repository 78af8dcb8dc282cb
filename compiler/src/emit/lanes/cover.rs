//! Covering of gates of two operands by operations of three: what vector machines can do in one
//! instruction.
//!
//! A [`Cover`] of an [`Aig`] computes its wanted outputs: operations in topological order, each any
//! function of three earlier values. A cut of a node is a set of at most three nodes that decide
//! its value. Among a node's cuts the one that takes the fewest operations is chosen; operations
//! that several nodes need are shared out among them (area flow: Manohararajah, Brown, Vranesic,
//! "Heuristics for area minimization in LUT-based FPGA technology mapping", 2006).
//!
//! A node may be stored complemented. So all inner operations are made to give 0 where all operands
//! are 0, and operands are ordered so that tables are as small as possible: few kinds of operations
//! make long runs of one kind.
//!
//! Each gate joins no more than a few cuts of each of its operands, and keeps a few of its own.

use gdl_format::{
    aig::Aig,
    lanes::{COLUMNS, least, swap},
};

/// The number of cuts of a node that are kept for its readers.
const CUTS: usize = 6;

/// An operation: what it does with the values of its operands, bit 4a + 2b + c of `table`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Operation {
    pub(super) table: u8,
    /// Values: those below [`Cover::inputs`] are given, the others are operations.
    pub(super) operands: [u32; 3],
}

/// A circuit of operations.
#[derive(Clone, Debug)]
pub(super) struct Cover {
    /// The number of given values; the first is 0.
    pub(super) inputs: usize,
    pub(super) operations: Vec<Operation>,
    /// For each output the operation that computes it; no two are the same.
    pub(super) outputs: Vec<u32>,
}

/// The table of `a & b`, `a ^ 1` and so on, for operations of fewer operands: the others are of no
/// account.
const FIRST: u8 = COLUMNS[0];

/// A set of nodes that decides the value of a node.
#[derive(Clone, Copy, Debug)]
struct Cut {
    /// Ascending; the first `len` count.
    leaves: [u32; 3],
    len: u8,
    table: u8,
    flow: f32,
}

impl Cut {
    /// The node itself.
    fn trivial(node: u32, flow: f32) -> Self {
        Self { leaves: [node, 0, 0], len: 1, table: FIRST, flow }
    }

    fn leaves(&self) -> &[u32] {
        &self.leaves[..usize::from(self.len)]
    }

    /// The cut of a gate by the leaves of cuts of its operands, without its table; `None` if they
    /// are too many.
    fn join(a: &Self, b: &Self) -> Option<Self> {
        let mut leaves = [0; 3];
        let mut len = 0;
        let (mut left, mut right) = (a.leaves(), b.leaves());
        while let Some(&next) = match (left.first(), right.first()) {
            (Some(first), Some(second)) => Some(first.min(second)),
            (first, second) => first.or(second),
        } {
            left = left.strip_prefix(&[next]).unwrap_or(left);
            right = right.strip_prefix(&[next]).unwrap_or(right);
            *leaves.get_mut(len)? = next;
            len += 1;
        }
        Some(Self { leaves, len: len as u8, table: 0, flow: 0.0 })
    }

    /// The truth table of a gate over the leaves, from the cuts that were joined.
    fn table(&self, a: &Self, b: &Self, [negate_a, negate_b]: [bool; 2]) -> u8 {
        let of = |cut: &Self, negate: bool| {
            let table = spread(cut, self.leaves());
            if negate { !table } else { table }
        };
        of(a, negate_a) & of(b, negate_b)
    }
}

/// The table of a cut over more leaves.
fn spread(cut: &Cut, leaves: &[u32]) -> u8 {
    let mut table = cut.table;
    // The last first: the column that it goes to is of no account yet.
    for (i, leaf) in cut.leaves().iter().enumerate().rev() {
        let place = leaves.iter().position(|other| other == leaf);
        table = swap(table, i, place.unwrap_or(i));
    }
    table
}

impl Cover {
    /// Covers the gates that the outputs depend on. O(gates).
    pub(super) fn new(gates: &Aig, outputs: &[u32]) -> Self {
        let best = best_cuts(gates, &gates.cone(outputs.iter().copied()));
        let mut needed = vec![false; gates.nodes()];
        outputs.iter().for_each(|&signal| needed[signal as usize / 2] = true);
        for node in (gates.first()..gates.nodes()).rev() {
            if needed[node] {
                best[node - gates.first()].leaves().iter().for_each(|&leaf| needed[leaf as usize] = true);
            }
        }
        // An output wants its value as it is; whatever else reads the node can do with either.
        let mut wanted = vec![None; gates.nodes()];
        for &signal in outputs {
            wanted[signal as usize / 2].get_or_insert(signal % 2 == 1);
        }
        let mut cover = Self { inputs: gates.first(), operations: Vec::new(), outputs: Vec::new() };
        // Of each node the value, and whether that is the complement.
        let mut values: Vec<(u32, bool)> = (0..gates.first() as u32).map(|node| (node, false)).collect();
        for node in gates.first()..gates.nodes() {
            let mut value = (0, false);
            if needed[node] {
                let cut = &best[node - gates.first()];
                let mut table = cut.table;
                let mut operands = [0; 3];
                for (i, &leaf) in cut.leaves().iter().enumerate() {
                    let (operand, negated) = values[leaf as usize];
                    operands[i] = operand;
                    if negated {
                        table = flip(table, i);
                    }
                }
                let negated = wanted[node].unwrap_or(table & 1 == 1);
                value = (cover.push(if negated { !table } else { table }, operands), negated);
            }
            values.push(value);
        }
        let mut taken = vec![false; cover.inputs + cover.operations.len()];
        for &signal in outputs {
            let (value, negated) = values[signal as usize / 2];
            let fits = negated == (signal % 2 == 1);
            let output = if fits && value as usize >= cover.inputs && !taken[value as usize] {
                taken[value as usize] = true;
                value
            } else {
                // An input, or an output already, or the complement of one.
                cover.push(if fits { FIRST } else { !FIRST }, [value, 0, 0])
            };
            cover.outputs.push(output);
        }
        cover
    }

    fn push(&mut self, table: u8, operands: [u32; 3]) -> u32 {
        // Operands of no account are made equal to one that is, or to nothing.
        let counts = [0, 1, 2].map(|i| flip(table, i) != table);
        let first = (0..3).find(|&i| counts[i]).map_or(0, |i| operands[i]);
        let (table, order) = least(table);
        let operands = order.map(|i| if counts[i] { operands[i] } else { first });
        self.operations.push(Operation { table, operands });
        (self.inputs + self.operations.len() - 1) as u32
    }
}

/// The table where operand i is complemented.
fn flip(table: u8, i: usize) -> u8 {
    let shift = 4 >> i;
    (table & COLUMNS[i]) >> shift | (table & !COLUMNS[i]) << shift
}

/// The best cut of each gate in the cone; of the others, one of no account.
fn best_cuts(gates: &Aig, cone: &[bool]) -> Vec<Cut> {
    let mut users = vec![0_u32; gates.nodes()];
    let list = || (gates.first()..gates.nodes()).zip(gates.gates());
    for (_, operands) in list().filter(|(node, _)| cone[*node]) {
        operands.iter().for_each(|&signal| users[signal as usize / 2] += 1);
    }
    // The cuts of all nodes, those of each node together, the trivial one last, and where they
    // start.
    let mut cuts: Vec<Cut> = (0..gates.first() as u32).map(|node| Cut::trivial(node, 0.0)).collect();
    let mut starts: Vec<u32> = (0..=gates.first() as u32).collect();
    let mut flows = vec![0.0; gates.first()];
    let mut best = Vec::with_capacity(gates.gates().len());
    let mut found: Vec<Cut> = Vec::new();
    for (node, &[a, b]) in list() {
        if !cone[node] {
            best.push(Cut::trivial(node as u32, 0.0));
            flows.push(0.0);
            starts.push(cuts.len() as u32);
            continue;
        }
        found.clear();
        let negated = [a, b].map(|signal| signal % 2 == 1);
        let of = |signal: u32| {
            let node = signal as usize / 2;
            &cuts[starts[node] as usize..starts[node + 1] as usize]
        };
        for x in of(a) {
            for y in of(b) {
                let Some(mut cut) = Cut::join(x, y) else { continue };
                if found.iter().any(|other| other.leaves() == cut.leaves()) {
                    continue;
                }
                cut.table = cut.table(x, y, negated);
                cut.flow = 1.0 + cut.leaves().iter().map(|&leaf| flows[leaf as usize]).sum::<f32>();
                found.push(cut);
            }
        }
        found.sort_by(|x, y| x.flow.total_cmp(&y.flow).then(x.len.cmp(&y.len)));
        found.truncate(CUTS);
        best.push(found[0]);
        let flow = found[0].flow / users[node].max(1) as f32;
        flows.push(flow);
        cuts.extend_from_slice(&found);
        cuts.push(Cut::trivial(node as u32, flow));
        starts.push(cuts.len() as u32);
    }
    best
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::{collection::vec, prelude::*};

    /// A circuit with a gate for each pair, of whatever signals there are before it.
    pub(in crate::emit::lanes) fn gates(inputs: usize, pairs: &[[u32; 2]]) -> Aig {
        let mut gates = Aig::new(inputs);
        for pair in pairs {
            let [a, b] = pair.map(|signal| signal % (2 * gates.nodes() as u32));
            gates.and(a, b);
        }
        gates
    }

    /// The result of an operation on 64 values of each operand.
    pub(in crate::emit::lanes) fn apply(table: u8, operands: [u64; 3]) -> u64 {
        (0..64).fold(0, |result, lane| {
            let row = operands.iter().fold(0, |row, operand| 2 * row + (operand >> lane & 1));
            result | u64::from(table >> row & 1) << lane
        })
    }

    proptest! {
        /// For all values of up to six inputs at once.
        #[test]
        fn covers_compute_what_gates_do(
            inputs in 1_usize..7,
            pairs in vec(any::<[u32; 2]>(), 0..25),
            wanted in vec(any::<u32>(), 8),
        ) {
            let gates = gates(inputs, &pairs);
            let outputs: Vec<u32> = wanted.iter().map(|s| s % (2 * gates.nodes() as u32)).collect();
            let cover = Cover::new(&gates, &outputs);
            let columns = [
                0xaaaa_aaaa_aaaa_aaaa, 0xcccc_cccc_cccc_cccc, 0xf0f0_f0f0_f0f0_f0f0,
                0xff00_ff00_ff00_ff00, 0xffff_0000_ffff_0000, 0xffff_ffff_0000_0000,
            ];
            let mut nodes = vec![0];
            nodes.extend(&columns[..inputs]);
            let mut values = nodes.clone();
            let of = |nodes: &[u64], signal: u32| if signal % 2 == 1 { !nodes[signal as usize / 2] } else { nodes[signal as usize / 2] };
            for &[a, b] in gates.gates() {
                nodes.push(of(&nodes, a) & of(&nodes, b));
            }
            for operation in &cover.operations {
                values.push(apply(operation.table, operation.operands.map(|value| values[value as usize])));
            }
            for (&signal, &output) in outputs.iter().zip(&cover.outputs) {
                prop_assert_eq!(values[output as usize], of(&nodes, signal));
            }
        }
    }

    #[test]
    fn three_operands_take_one_operation() {
        let mut gates = Aig::new(3);
        let either = gates.or(2, 4);
        let all = gates.and(either, 7);
        let cover = Cover::new(&gates, &[all ^ 1]);
        assert_eq!(cover.operations.len(), 1);
        assert_eq!(cover.outputs, [4]);
    }
}
