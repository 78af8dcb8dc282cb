//! Covers gates of two operands by operations of three operands, which are one instruction of
//! vector machines (LUT mapping).
//!
//! A [`Cover`] of an [`Aig`] computes its wanted outputs by operations in topological order, each a
//! function of three earlier values. A cut of a node is a set of at most three nodes whose values
//! determine the node's value. The cut with the fewest operations is chosen for each node, where
//! the cost of a shared operation is divided among its users (area flow: Manohararajah, Brown,
//! Vranesic, "Heuristics for area minimization in LUT-based FPGA technology mapping", 2006).
//!
//! A node may be stored complemented. So inner operations are normalised to give 0 for operands
//! that are all 0, and operands are ordered to make the table least. With fewer kinds of
//! operations, runs of one kind are longer.
//!
//! Each gate joins the cuts of its operands, and keeps the best [`CUTS`] cuts and the trivial one.

use gdl_format::{
    aig::Aig,
    lanes::{COLUMNS, least, swap},
};

/// The maximum number of a node's cuts that are kept for its users, without the trivial cut.
const CUTS: usize = 6;

/// An operation. Its result for operands a, b and c is bit 4a + 2b + c of `table`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Operation {
    pub(super) table: u8,
    /// The indices of values. Indices below [`Cover::inputs`] are inputs, and all others are
    /// results of operations.
    pub(super) operands: [u32; 3],
}

/// A circuit of operations.
#[derive(Clone, Debug)]
pub(super) struct Cover {
    /// The number of inputs; the first is the constant 0.
    pub(super) inputs: usize,
    pub(super) operations: Vec<Operation>,
    /// For each output, the index of its value. Each output has an operation of its own.
    pub(super) outputs: Vec<u32>,
}

/// The table of the first operand itself; the other operands are ignored.
const FIRST: u8 = COLUMNS[0];

/// A cut: a set of nodes that determine the value of a node.
#[derive(Clone, Copy, Debug)]
struct Cut {
    /// The nodes, ascending; only the first `len` are used.
    leaves: [u32; 3],
    len: u8,
    table: u8,
    flow: f32,
}

impl Cut {
    /// Creates the cut of only the node itself.
    fn trivial(node: u32, flow: f32) -> Self {
        Self { leaves: [node, 0, 0], len: 1, table: FIRST, flow }
    }

    fn leaves(&self) -> &[u32] {
        &self.leaves[..usize::from(self.len)]
    }

    /// Joins cuts of a gate's operands to a cut of the gate, without its table. Returns `None` if
    /// it has more than three leaves.
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

    /// Computes the truth table of a gate over the leaves, from the joined cuts.
    fn table(&self, a: &Self, b: &Self, [negate_a, negate_b]: [bool; 2]) -> u8 {
        let of = |cut: &Self, negate: bool| {
            let table = spread(cut, self.leaves());
            if negate { !table } else { table }
        };
        of(a, negate_a) & of(b, negate_b)
    }
}

/// Returns the truth table of a cut over a superset of its leaves.
fn spread(cut: &Cut, leaves: &[u32]) -> u8 {
    let mut table = cut.table;
    // The last leaf is moved first, since its new column is not in use yet.
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
        // An output needs its exact value. Other users of the node accept the complement.
        let mut wanted = vec![None; gates.nodes()];
        for &signal in outputs {
            wanted[signal as usize / 2].get_or_insert(signal % 2 == 1);
        }
        let mut cover = Self { inputs: gates.first(), operations: Vec::new(), outputs: Vec::new() };
        // For each node, its value, and true if that is the complement.
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
                // The value is an input, an output already, or a complement.
                cover.push(if fits { FIRST } else { !FIRST }, [value, 0, 0])
            };
            cover.outputs.push(output);
        }
        cover
    }

    fn push(&mut self, table: u8, operands: [u32; 3]) -> u32 {
        // Operands that do not affect the result are replaced by one that does, or by 0.
        let counts = [0, 1, 2].map(|i| flip(table, i) != table);
        let first = (0..3).find(|&i| counts[i]).map_or(0, |i| operands[i]);
        let (table, order) = least(table);
        let operands = order.map(|i| if counts[i] { operands[i] } else { first });
        self.operations.push(Operation { table, operands });
        (self.inputs + self.operations.len() - 1) as u32
    }
}

/// Returns the table with operand `i` complemented.
fn flip(table: u8, i: usize) -> u8 {
    let shift = 4 >> i;
    (table & COLUMNS[i]) >> shift | (table & !COLUMNS[i]) << shift
}

/// Chooses the best cut of each gate in the cone. Other gates get an unused cut.
fn best_cuts(gates: &Aig, cone: &[bool]) -> Vec<Cut> {
    let mut users = vec![0_u32; gates.nodes()];
    let list = || (gates.first()..gates.nodes()).zip(gates.gates());
    for (_, operands) in list().filter(|(node, _)| cone[*node]) {
        operands.iter().for_each(|&signal| users[signal as usize / 2] += 1);
    }
    // The cuts of all nodes, grouped by node with the trivial one last, and the start of each
    // group.
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

    /// Makes a circuit with a gate for each pair; operands are reduced to signals before the gate.
    pub(in crate::emit::lanes) fn gates(inputs: usize, pairs: &[[u32; 2]]) -> Aig {
        let mut gates = Aig::new(inputs);
        for pair in pairs {
            let [a, b] = pair.map(|signal| signal % (2 * gates.nodes() as u32));
            gates.and(a, b);
        }
        gates
    }

    /// Computes the result of an operation on 64 values of each operand.
    pub(in crate::emit::lanes) fn apply(table: u8, operands: [u64; 3]) -> u64 {
        (0..64).fold(0, |result, lane| {
            let row = operands.iter().fold(0, |row, operand| 2 * row + (operand >> lane & 1));
            result | u64::from(table >> row & 1) << lane
        })
    }

    proptest! {
        /// Covers equal their gates for all values of up to six inputs.
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
