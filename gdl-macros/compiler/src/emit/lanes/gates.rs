//! A circuit under construction: inputs and ANDs with complements on the edges, equal gates shared.
//!
//! A signal is twice a node plus one if complemented, as in tables; node 0 is false, the inputs follow.

use crate::emit::lower::Program;
use rustc_hash::FxHashMap;

/// The signal that is never set; its complement is always set.
pub(super) const FALSE: u32 = 0;
pub(super) const TRUE: u32 = 1;

#[derive(Clone, Debug)]
pub(super) struct Gates {
    /// Nodes before the first gate: false and the inputs.
    pub(super) inputs: usize,
    /// The operands of each gate, which are signals of earlier nodes.
    pub(super) list: Vec<[u32; 2]>,
    known: FxHashMap<[u32; 2], u32>,
}

impl Gates {
    /// A circuit of inputs 1 to `inputs`.
    pub(super) fn new(inputs: usize) -> Self {
        Self { inputs: 1 + inputs, list: Vec::new(), known: FxHashMap::default() }
    }

    /// The number of nodes.
    pub(super) fn len(&self) -> usize {
        self.inputs + self.list.len()
    }

    /// The operands of a gate.
    fn operands(&self, signal: u32) -> Option<[u32; 2]> {
        self.list.get((signal as usize / 2).checked_sub(self.inputs)?).copied()
    }

    pub(super) fn and(&mut self, a: u32, b: u32) -> u32 {
        let pair = [a.min(b), a.max(b)];
        match pair {
            [FALSE, _] => FALSE,
            [TRUE, other] => other,
            [a, b] if a == b => a,
            [a, b] if a ^ 1 == b => FALSE,
            // The later one asks for the other already.
            [a, b] if b % 2 == 0 && self.operands(b).is_some_and(|both| both.contains(&a)) => b,
            _ => *self.known.entry(pair).or_insert_with(|| {
                self.list.push(pair);
                2 * (self.inputs + self.list.len() - 1) as u32
            }),
        }
    }

    pub(super) fn or(&mut self, a: u32, b: u32) -> u32 {
        self.and(a ^ 1, b ^ 1) ^ 1
    }

    pub(super) fn and_not(&mut self, a: u32, b: u32) -> u32 {
        self.and(a, b ^ 1)
    }

    /// The nodes that some signals depend on, themselves included. O(nodes).
    pub(super) fn cone(&self, signals: impl IntoIterator<Item = u32>) -> Vec<bool> {
        let mut cone = vec![false; self.len()];
        signals.into_iter().for_each(|signal| cone[signal as usize / 2] = true);
        for (gate, operands) in self.list.iter().enumerate().rev() {
            if cone[self.inputs + gate] {
                operands.iter().for_each(|&operand| cone[operand as usize / 2] = true);
            }
        }
        cone
    }

    /// `signal`, or `value` where `other` is set.
    pub(super) fn or_value(&mut self, signal: u32, other: u32, value: bool) -> u32 {
        if value { self.or(signal, other) } else { self.and_not(signal, other) }
    }

    /// Adds a program whose first nodes are these signals here. Its outputs as signals here.
    pub(super) fn add(&mut self, program: &Program, first: &[u32]) -> Vec<u32> {
        let mut signals = first.to_vec();
        let here = |signals: &[u32], signal: u32| signals[signal as usize / 2] ^ (signal & 1);
        for &[a, b] in &program.gates {
            let gate = self.and(here(&signals, a), here(&signals, b));
            signals.push(gate);
        }
        program.outputs.iter().map(|&signal| here(&signals, signal)).collect()
    }
}
