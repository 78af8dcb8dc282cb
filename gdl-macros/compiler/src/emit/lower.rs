//! Net to programs of two-input gates.
//!
//! A wide AND is split along the bits of its operands' numbers, like a binary trie: equal parts of
//! different gates become the same gate, and the depth stays logarithmic. One program observes a
//! state, another advances it, a third says what the roles perceive of that; each holds the gates its
//! outputs need, in topological order: no more than one gate for each operand of the net.

use crate::meter::Meter;
use crate::propnet::{Gate, Net, Signal};
use rustc_hash::FxHashMap;

/// Two-input AND gates. Node 0 is false, nodes 1 to `inputs` are given, gates follow; a signal is twice a
/// node plus one if complemented.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// How many nodes are given besides node 0.
    pub inputs: usize,
    /// The operands of each gate.
    pub gates: Vec<[u32; 2]>,
    /// What is computed.
    pub outputs: Vec<u32>,
}

impl Program {
    /// The longest path from an input to an output, in gates.
    #[must_use]
    pub fn depth(&self) -> usize {
        let mut depths = vec![0; 1 + self.inputs];
        for gate in &self.gates {
            let deepest = gate.iter().map(|s| depths[(s >> 1) as usize]).max().unwrap_or(0);
            depths.push(deepest + 1);
        }
        self.outputs.iter().map(|s| depths[(s >> 1) as usize]).max().unwrap_or(0)
    }

    /// The values of the outputs, given those of the nodes after node 0. O(gates).
    pub(super) fn run(&self, inputs: &[bool]) -> Vec<bool> {
        let mut nodes = vec![false];
        nodes.extend(inputs);
        let value = |nodes: &[bool], signal: u32| nodes[(signal >> 1) as usize] != (signal & 1 == 1);
        for &[a, b] in &self.gates {
            nodes.push(value(&nodes, a) && value(&nodes, b));
        }
        self.outputs.iter().map(|&signal| value(&nodes, signal)).collect()
    }
}

/// Steps and bytes that each program of a net takes, for each gate and each operand.
const STEPS: u64 = 4;
const BYTES: (usize, usize) = (16, 32);

/// Pays for a program of a net, before it is made.
pub fn pay(net: &Net, meter: &mut Meter) -> Option<()> {
    meter.spend(STEPS * (net.len() + net.literals()) as u64)?;
    meter.take(BYTES.0 * net.len() + BYTES.1 * net.literals())
}

/// The program that shows a state: from the fluents to the legality of each role's moves, each goal value,
/// and terminal. O(literals).
#[must_use]
pub fn observe(net: &Net) -> Program {
    let outputs = &net.outputs;
    let legal = outputs.legal.iter().flatten().map(|&(_, s)| s);
    let goal = outputs.goal.iter().flatten().map(|&(_, s)| s);
    lower(net, 1 + net.initial.len(), legal.chain(goal).chain([outputs.terminal]).collect())
}

/// The program that steps: from the fluents and the moves made to the next value of each fluent.
#[must_use]
pub fn advance(net: &Net) -> Program {
    lower(net, net.inputs(), net.outputs.next.clone())
}

/// The program of percepts: from the fluents and the moves made to each percept of each role. None if the
/// rules say nothing of percepts.
#[must_use]
pub fn perceive(net: &Net) -> Option<Program> {
    let sees = net.outputs.sees.as_ref()?;
    Some(lower(net, net.inputs(), sees.iter().flatten().map(|&(_, s)| s).collect()))
}

/// Lowers the cone of `outputs`; the nodes below `given` are inputs and keep their numbers.
fn lower(net: &Net, given: usize, outputs: Vec<Signal>) -> Program {
    let mut needed = vec![false; net.len()];
    outputs.iter().for_each(|s| needed[s.gate() as usize] = true);
    for gate in (net.inputs()..net.len()).rev() {
        if let (true, Gate::And(operands)) = (needed[gate], net.gate(gate as u32)) {
            operands.iter().for_each(|s| needed[s.gate() as usize] = true);
        }
    }
    let mut lowering = Lowering {
        program: Program { inputs: given - 1, ..Program::default() },
        table: FxHashMap::default(),
    };
    let mut codes: Vec<u32> = (0..net.inputs() as u32).map(|gate| gate << 1).collect();
    for gate in net.inputs()..net.len() {
        let code = match net.gate(gate as u32) {
            Gate::And(operands) if needed[gate] => {
                let mut operands: Vec<u32> = operands.iter().map(|&s| code(&codes, s)).collect();
                operands.sort_unstable();
                operands.dedup();
                lowering.conjoin(&operands)
            }
            _ => 0,
        };
        codes.push(code);
    }
    let mut program = lowering.program;
    program.outputs = outputs.into_iter().map(|s| code(&codes, s)).collect();
    program
}

fn code(codes: &[u32], signal: Signal) -> u32 {
    codes[signal.gate() as usize] ^ u32::from(signal.is_negated())
}

struct Lowering {
    program: Program,
    table: FxHashMap<[u32; 2], u32>,
}

impl Lowering {
    /// The conjunction of sorted codes. Recurses at most 32 deep: each level splits at a lower bit.
    fn conjoin(&mut self, operands: &[u32]) -> u32 {
        let (&first, &last) = (operands.first().expect("not empty"), operands.last().expect("not empty"));
        if operands.len() == 1 {
            return first;
        }
        let bit = (first ^ last).ilog2();
        let middle = operands.partition_point(|code| code >> bit & 1 == 0);
        let pair = [self.conjoin(&operands[..middle]), self.conjoin(&operands[middle..])];
        self.and(pair)
    }

    fn and(&mut self, mut pair: [u32; 2]) -> u32 {
        pair.sort_unstable();
        match pair {
            [0, _] => 0,
            [1, other] => other,
            [a, b] if a == b => a,
            [a, b] if a ^ 1 == b => 0,
            _ => *self.table.entry(pair).or_insert_with(|| {
                self.program.gates.push(pair);
                ((self.program.inputs + self.program.gates.len()) << 1) as u32
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::propnet::{Outputs, Vocabulary};

    #[test]
    fn wide_gates_share_parts() {
        let vocabulary = Vocabulary { fluents: vec![String::new(); 8], ..Vocabulary::default() };
        let mut net = Net::new(vocabulary, vec![false; 8], Vec::new());
        let fluents: Vec<Signal> = (0..8).map(|f| net.fluent(f)).collect();
        let low = net.and(fluents[..6].to_vec());
        let high = net.and(fluents[..7].to_vec());
        net.outputs = Outputs { next: vec![low, !high], ..Outputs::default() };
        let program = advance(&net);
        assert!(program.gates.len() < 11, "{program:?}");
        for state in 0..256u32 {
            let mut values = vec![false];
            values.extend((0..8).map(|f| state >> f & 1 == 1));
            for &[a, b] in &program.gates {
                let of = |s: u32| values[(s >> 1) as usize] != (s & 1 == 1);
                let value = of(a) && of(b);
                values.push(value);
            }
            let of = |s: u32| values[(s >> 1) as usize] != (s & 1 == 1);
            assert_eq!(of(program.outputs[0]), state & 0x3f == 0x3f);
            assert_eq!(of(program.outputs[1]), state & 0x7f != 0x7f);
        }
    }
}
