//! And-inverter graphs: two-input AND gates with complements on their edges.
//!
//! Node 0 is false, the inputs follow, then the gates, each after its operands. A signal is twice a
//! node, plus one if complemented, so `signal ^ 1` is its complement. An [`Aig`] is a graph under
//! construction, which shares equal gates. A [`Program`] is a finished graph with its outputs.

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
};

/// The signal that is always false.
pub const FALSE: u32 = 0;

/// The signal that is always true.
pub const TRUE: u32 = 1;

/// A straight-line program: inputs, gates in topological order, and outputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// The number of inputs, which are nodes 1 to `inputs`.
    pub inputs: usize,
    /// The operands of each gate: signals of nodes before it.
    pub gates: Vec<[u32; 2]>,
    /// The signals of the outputs.
    pub outputs: Vec<u32>,
}

impl Program {
    /// Computes the length of the longest path from an input to an output, in gates. O(gates).
    #[must_use]
    pub fn depth(&self) -> usize {
        let mut depths = vec![0; 1 + self.inputs];
        for gate in &self.gates {
            let deepest = gate.iter().map(|&signal| depths[node(signal)]).max().unwrap_or(0);
            depths.push(deepest + 1);
        }
        self.outputs.iter().map(|&signal| depths[node(signal)]).max().unwrap_or(0)
    }

    /// Computes the values of the outputs from those of the inputs. O(gates).
    #[must_use]
    pub fn run(&self, inputs: &[bool]) -> Vec<bool> {
        let mut nodes = vec![false];
        nodes.extend(inputs);
        let value = |nodes: &[bool], signal: u32| nodes[node(signal)] != (signal & 1 == 1);
        for &[a, b] in &self.gates {
            nodes.push(value(&nodes, a) && value(&nodes, b));
        }
        self.outputs.iter().map(|&signal| value(&nodes, signal)).collect()
    }
}

/// Returns the node of a signal, without the complement.
#[must_use]
pub const fn node(signal: u32) -> usize {
    signal as usize / 2
}

/// Returns the cone of influence of signals: for each node, true if a signal is of that node or
/// depends on it. The first gate is node `first`. O(nodes).
pub fn cone(
    first: usize,
    gates: usize,
    operands: impl Fn(usize) -> [u32; 2],
    signals: impl IntoIterator<Item = u32>,
) -> Vec<bool> {
    let mut cone = vec![false; first + gates];
    signals.into_iter().for_each(|signal| cone[node(signal)] = true);
    for gate in (0..gates).rev() {
        if cone[first + gate] {
            operands(gate).iter().for_each(|&operand| cone[node(operand)] = true);
        }
    }
    cone
}

/// A graph under construction. Equal gates are shared, and gates whose operands make them constant
/// are folded.
#[derive(Clone, Debug)]
pub struct Aig {
    first: usize,
    gates: Vec<[u32; 2]>,
    known: HashMap<u64, u32, BuildHasherDefault<Mix>>,
}

impl Aig {
    /// Creates a graph of inputs 1 to `inputs`, without gates.
    #[must_use]
    pub fn new(inputs: usize) -> Self {
        Self { first: 1 + inputs, gates: Vec::new(), known: HashMap::default() }
    }

    /// The number of nodes: node 0, the inputs and the gates.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.first + self.gates.len()
    }

    /// The node of the first gate, one more than the number of inputs.
    #[must_use]
    pub fn first(&self) -> usize {
        self.first
    }

    /// The operands of each gate, in topological order.
    #[must_use]
    pub fn gates(&self) -> &[[u32; 2]] {
        &self.gates
    }

    /// Returns the conjunction of two signals. O(1).
    pub fn and(&mut self, a: u32, b: u32) -> u32 {
        let pair = [a.min(b), a.max(b)];
        match pair {
            [FALSE, _] => FALSE,
            [TRUE, other] => other,
            [a, b] if a == b => a,
            [a, b] if a ^ 1 == b => FALSE,
            // `b` is already a conjunction with the operand `a`.
            [a, b] if b % 2 == 0 && self.operands(b).is_some_and(|both| both.contains(&a)) => b,
            [a, b] => *self.known.entry(u64::from(a) << 32 | u64::from(b)).or_insert_with(|| {
                self.gates.push(pair);
                2 * (self.first + self.gates.len() - 1) as u32
            }),
        }
    }

    fn operands(&self, signal: u32) -> Option<[u32; 2]> {
        self.gates.get(node(signal).checked_sub(self.first)?).copied()
    }

    /// Returns the disjunction of two signals. O(1).
    pub fn or(&mut self, a: u32, b: u32) -> u32 {
        self.and(a ^ 1, b ^ 1) ^ 1
    }

    /// Returns the conjunction of `a` and the complement of `b`. O(1).
    pub fn and_not(&mut self, a: u32, b: u32) -> u32 {
        self.and(a, b ^ 1)
    }

    /// Returns `value` where `other` is true, and `signal` elsewhere. O(1).
    pub fn or_value(&mut self, signal: u32, other: u32, value: bool) -> u32 {
        if value { self.or(signal, other) } else { self.and_not(signal, other) }
    }

    /// Returns the cone of influence of signals: for each node, true if a signal is of that node or
    /// depends on it. O(nodes).
    pub fn cone(&self, signals: impl IntoIterator<Item = u32>) -> Vec<bool> {
        cone(self.first, self.gates.len(), |gate| self.gates[gate], signals)
    }

    /// Adds the gates of another graph, and returns the signal in this graph for each node of the
    /// other. `signals` has the signals of the nodes before the first gate; constants among them
    /// are propagated. Gates for which `needed` is false are skipped, and their signal is
    /// [`FALSE`]. O(gates).
    pub fn extend(
        &mut self,
        mut signals: Vec<u32>,
        gates: impl IntoIterator<Item = [u32; 2]>,
        needed: impl Fn(usize) -> bool,
    ) -> Vec<u32> {
        for pair in gates {
            let signal = if needed(signals.len()) {
                let [a, b] = pair.map(|signal| here(&signals, signal));
                self.and(a, b)
            } else {
                FALSE
            };
            signals.push(signal);
        }
        signals
    }

    /// Adds the gates of a program, given the signals in this graph of node 0 and of the program's
    /// inputs. Returns the signal in this graph of each output. O(gates).
    pub fn add(&mut self, program: &Program, signals: &[u32]) -> Vec<u32> {
        let signals = self.extend(signals.to_vec(), program.gates.iter().copied(), |_| true);
        program.outputs.iter().map(|&signal| here(&signals, signal)).collect()
    }

    /// Returns the program of some outputs: the gates that they depend on, in the same order.
    /// O(nodes).
    #[must_use]
    pub fn program(&self, outputs: &[u32]) -> Program {
        let cone = self.cone(outputs.iter().copied());
        let mut signals: Vec<u32> = (0..self.first as u32).map(|node| 2 * node).collect();
        let mut gates = Vec::new();
        for (gate, pair) in self.gates.iter().enumerate() {
            let signal = if cone[self.first + gate] {
                gates.push(pair.map(|signal| here(&signals, signal)));
                2 * (self.first + gates.len() - 1) as u32
            } else {
                FALSE
            };
            signals.push(signal);
        }
        let outputs = outputs.iter().map(|&signal| here(&signals, signal)).collect();
        Program { inputs: self.first - 1, gates, outputs }
    }
}

/// Translates a signal of another graph, given the signal in this graph of each node of the other.
#[must_use]
pub fn here(signals: &[u32], signal: u32) -> u32 {
    signals[node(signal)] ^ (signal & 1)
}

/// A fast hasher of pairs of signals, without protection against chosen keys.
#[derive(Clone, Copy, Debug, Default)]
struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    fn write_u64(&mut self, number: u64) {
        // The golden ratio, as in Fibonacci hashing (Knuth); the upper half is the better one.
        self.0 = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32);
    }
}
