//! Circuits of two-input AND gates, evaluated for one state: from the values of the inputs to the
//! value of every signal.
//!
//! A signal is twice a node, plus one if complemented, as in the compiler's tables. Nodes are the
//! constant false, the inputs and the gates, in this order. Every signal is stored next to its
//! complement, so an operand is one load without a branch.

use gdl_format::aig::Program;
use std::{cell::RefCell, ops::Range};

/// The values of a node and of its complement.
pub(crate) type Pair = [u8; 2];

/// The maximum number of nodes whose signals fit 16 bits.
const SMALL: usize = 1 << 15;

/// Gates and outputs.
#[derive(Clone, Debug)]
pub struct Circuit {
    /// The number of nodes before the first gate: the constant and the inputs.
    inputs: usize,
    gates: Gates,
    outputs: Box<[u32]>,
}

#[derive(Clone, Debug)]
enum Gates {
    /// A circuit of at most [`SMALL`] nodes: 16-bit signals need no bounds checks.
    Small(Box<[[u16; 2]]>),
    Large(Box<[[u32; 2]]>),
}

/// For each byte, the [`Pair`] of each bit.
static SPREAD: [[Pair; 8]; 256] = {
    let mut spread = [[[0, 1]; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                spread[byte][bit] = [1, 0];
            }
            bit += 1;
        }
        byte += 1;
    }
    spread
};

thread_local! {
    /// The signals of the circuit being run, shared by all circuits of a thread, so that a step
    /// allocates nothing.
    static SCRATCH: RefCell<Vec<Pair>> = const { RefCell::new(Vec::new()) };
}

impl Circuit {
    /// Creates a circuit. Gates must refer only to earlier nodes, and outputs to existing ones.
    pub(crate) fn new(inputs: usize, mut gates: Vec<[u32; 2]>, mut outputs: Vec<u32>) -> Self {
        sort_by_depth(inputs, &mut gates, &mut outputs);
        let gates = if inputs + gates.len() <= SMALL {
            Gates::Small(gates.iter().map(|gate| gate.map(|signal| signal as u16)).collect())
        } else {
            Gates::Large(gates.into())
        };
        Self { inputs, gates, outputs: outputs.into() }
    }

    /// The number of nodes before the first gate.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// The operands of a gate, as signals.
    #[must_use]
    pub fn gate(&self, gate: usize) -> [u32; 2] {
        match &self.gates {
            Gates::Small(gates) => gates[gate].map(u32::from),
            Gates::Large(gates) => gates[gate],
        }
    }

    /// For each node, true if it depends on one of the inputs `from`. O(gates).
    #[must_use]
    pub fn reached(&self, from: Range<usize>) -> Vec<bool> {
        let mut reached: Vec<bool> = (0..self.inputs).map(|input| from.contains(&input)).collect();
        for gate in 0..self.size() {
            let [a, b] = self.gate(gate);
            reached.push(reached[a as usize / 2] || reached[b as usize / 2]);
        }
        reached
    }

    /// The input signals that hold whenever `signal` does. Only conjunctions are followed, not
    /// complemented gates. O(gates).
    #[must_use]
    pub fn literals(&self, signal: u32) -> Vec<u32> {
        let mut literals = Vec::new();
        let mut pending = vec![signal];
        // A gate may be reached on exponentially many paths.
        let mut seen = vec![false; 2 * (self.inputs + self.size())];
        while let Some(signal) = pending.pop() {
            if std::mem::replace(&mut seen[signal as usize], true) {
                continue;
            }
            match (signal as usize / 2).checked_sub(self.inputs) {
                None => literals.push(signal),
                Some(gate) if signal % 2 == 0 => pending.extend(self.gate(gate)),
                Some(_) => {}
            }
        }
        literals
    }

    /// The bytes of the gates and outputs.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let gates = match &self.gates {
            Gates::Small(gates) => size_of_val(&**gates),
            Gates::Large(gates) => size_of_val(&**gates),
        };
        gates + size_of_val(&*self.outputs)
    }

    /// The number of gates.
    #[must_use]
    pub fn size(&self) -> usize {
        match &self.gates {
            Gates::Small(gates) => gates.len(),
            Gates::Large(gates) => gates.len(),
        }
    }

    /// The output signals, in the order given at construction.
    #[inline]
    #[must_use]
    pub fn outputs(&self) -> &[u32] {
        &self.outputs
    }

    /// Calls `work` with a buffer for the nodes' values, whose content is unspecified.
    #[inline]
    pub(crate) fn with_scratch(&self, work: impl FnOnce(&mut [Pair])) {
        SCRATCH.with_borrow_mut(|scratch| {
            let size = SMALL.max(self.inputs + self.size());
            if scratch.len() < size {
                scratch.resize(size, [0, 0]);
            }
            work(scratch);
        });
    }

    /// Sets the constant, sets the first inputs to the `fluents` bits of `state`, and clears the
    /// other inputs.
    #[inline]
    pub(crate) fn load(&self, scratch: &mut [Pair], state: &[u64], fluents: usize) {
        Self::load_state(scratch, state, fluents);
        scratch[1 + fluents..self.inputs].fill([0, 1]);
    }

    /// Sets the constant, and the first inputs to the `fluents` bits of `state`. Leaves the other
    /// inputs.
    #[inline]
    pub(crate) fn load_state(scratch: &mut [Pair], state: &[u64], fluents: usize) {
        let Some((constant, bits)) = scratch[..=fluents].split_first_mut() else { return };
        *constant = [0, 1];
        let spread = |word: u64, byte: usize| &SPREAD[usize::from((word >> (8 * byte)) as u8)];
        // Chunks of a constant length are copied by one store.
        let (chunks, rest) = bits.as_chunks_mut();
        let last = chunks.len();
        for (chunks, &word) in chunks.chunks_mut(8).zip(state) {
            chunks.iter_mut().enumerate().for_each(|(byte, pairs)| *pairs = *spread(word, byte));
        }
        if let Some(&word) = state.get(last / 8) {
            rest.copy_from_slice(&spread(word, last % 8)[..rest.len()]);
        }
    }

    /// Evaluates the gates. Signal `s` is byte `s` of the result.
    #[inline]
    pub(crate) fn run<'s>(&self, scratch: &'s mut [Pair]) -> &'s [u8] {
        match &self.gates {
            Gates::Small(gates) => {
                if let Some(pairs) = scratch.first_chunk_mut() {
                    run_small(pairs, self.inputs, gates);
                }
            }
            Gates::Large(gates) => run_large(scratch, self.inputs, gates),
        }
        scratch.as_flattened()
    }
}

impl From<Program> for Circuit {
    fn from(program: Program) -> Self {
        Self::new(1 + program.inputs, program.gates, program.outputs)
    }
}

fn run_small(pairs: &mut [Pair; SMALL], inputs: usize, gates: &[[u16; 2]]) {
    for (node, &[a, b]) in (inputs..).zip(gates) {
        let signals = pairs.as_flattened();
        let value = signals[usize::from(a)] & signals[usize::from(b)];
        pairs[node % SMALL] = [value, value ^ 1];
    }
}

fn run_large(pairs: &mut [Pair], inputs: usize, gates: &[[u32; 2]]) {
    for (node, &[a, b]) in (inputs..).zip(gates) {
        let signals = pairs.as_flattened();
        let value = signals[a as usize] & signals[b as usize];
        pairs[node] = [value, value ^ 1];
    }
}

/// Sorts the gates by depth, so that neighbours do not depend on each other.
fn sort_by_depth(inputs: usize, gates: &mut [[u32; 2]], outputs: &mut [u32]) {
    let mut depths = vec![0_u32; inputs + gates.len()];
    for (i, gate) in gates.iter().enumerate() {
        let [a, b] = gate.map(|signal| depths[signal as usize / 2]);
        depths[inputs + i] = a.max(b) + 1;
    }
    let mut order: Vec<u32> = (inputs as u32..depths.len() as u32).collect();
    order.sort_by_key(|&node| depths[node as usize]);
    let mut places: Vec<u32> = (0..depths.len() as u32).collect();
    for (place, &node) in (inputs as u32..).zip(&order) {
        places[node as usize] = place;
    }
    let rename = |signal: u32| 2 * places[signal as usize / 2] + signal % 2;
    let sorted: Vec<[u32; 2]> = order.iter().map(|&node| gates[node as usize - inputs].map(rename)).collect();
    gates.copy_from_slice(&sorted);
    for output in outputs {
        *output = rename(*output);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A conjunction of three literals, and one that is reached on 2^100 paths.
    #[test]
    fn literals_of_conjunctions() {
        let mut gates = vec![[2, 5], [7, 8]];
        gates.extend((5..105).map(|node| [2 * node, 2 * node]));
        let circuit = Circuit::new(4, gates, Vec::new());
        for signal in [10, 2 * 105] {
            let mut literals = circuit.literals(signal);
            literals.sort_unstable();
            assert_eq!(literals, [2, 5, 7], "{signal}");
        }
        assert!(circuit.literals(11).is_empty());
    }

    /// A chain too long for 16 bits: each gate is true if the first input is and the last is not.
    #[test]
    fn large_circuits_run() {
        let (inputs, length) = (3, 40_000);
        let mut gates = vec![[2, 5]];
        gates.extend((0..length).map(|i| [2, 2 * (inputs + i)]));
        let last = 2 * (inputs + length);
        let circuit = Circuit::new(inputs as usize, gates, vec![last, last + 1, 4]);
        assert!(matches!(circuit.gates, Gates::Large(_)));
        for (state, expected) in [(0, [0, 1, 0]), (1, [1, 0, 0]), (3, [0, 1, 1])] {
            circuit.with_scratch(|scratch| {
                circuit.load(scratch, &[state], 2);
                let signals = circuit.run(scratch);
                let values: Vec<u8> = circuit.outputs().iter().map(|&s| signals[s as usize]).collect();
                assert_eq!(values, expected);
            });
        }
    }
}
