//! Lowers a net to programs of two-input gates.
//!
//! A wide AND is split along the bits of its operands' numbers, like a binary trie. Equal parts of
//! different gates become one gate, and the depth stays logarithmic. One program observes a state,
//! another advances it, and a third computes the percepts of a step. Each program has the gates
//! that its outputs need, in topological order, with at most one gate for each operand of the net.

use crate::meter::Meter;
use crate::propnet::{Gate, Net, Signal};
use gdl_format::aig::{Aig, FALSE, Program};

/// The cost of making a program: the steps for each gate or operand of the net, the bytes for each
/// gate, and the bytes for each operand.
const STEPS: u64 = 4;
const BYTES: (usize, usize) = (16, 32);

/// Pays for a program of a net, before it is made.
pub fn pay(net: &Net, meter: &mut Meter) -> Option<()> {
    meter.spend(STEPS * (net.len() + net.literals()) as u64)?;
    meter.take(BYTES.0 * net.len() + BYTES.1 * net.literals())
}

/// Makes the program that observes a state. It computes the legality of each role's moves, each
/// goal value and the end of the game from the fluents. O(literals).
#[must_use]
pub fn observe(net: &Net) -> Program {
    let outputs = &net.outputs;
    let legal = outputs.legal.iter().flatten().map(|&(_, s)| s);
    let goal = outputs.goal.iter().flatten().map(|&(_, s)| s);
    lower(net, 1 + net.initial.len(), legal.chain(goal).chain([outputs.terminal]).collect())
}

/// Makes the program that advances a state. It computes the next value of each fluent from the
/// fluents and the moves made. O(literals).
#[must_use]
pub fn advance(net: &Net) -> Program {
    lower(net, net.inputs(), net.outputs.next.clone())
}

/// Makes the program of percepts. It computes each percept of each role from the fluents and the
/// moves made. Returns `None` if the rules do not define percepts.
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
    let mut aig = Aig::new(given - 1);
    let mut signals: Vec<u32> = (0..net.inputs() as u32).map(|gate| gate << 1).collect();
    for gate in net.inputs()..net.len() {
        let signal = match net.gate(gate as u32) {
            Gate::And(operands) if needed[gate] => {
                let mut operands: Vec<u32> = operands.iter().map(|&s| lowered(&signals, s)).collect();
                operands.sort_unstable();
                operands.dedup();
                conjoin(&mut aig, &operands)
            }
            _ => FALSE,
        };
        signals.push(signal);
    }
    let outputs: Vec<u32> = outputs.into_iter().map(|s| lowered(&signals, s)).collect();
    aig.program(&outputs)
}

fn lowered(signals: &[u32], signal: Signal) -> u32 {
    signals[signal.gate() as usize] ^ u32::from(signal.is_negated())
}

/// Makes the conjunction of sorted signals. Recurses at most 32 deep, since each level splits at a
/// lower bit.
fn conjoin(aig: &mut Aig, operands: &[u32]) -> u32 {
    let (&first, &last) = (operands.first().expect("not empty"), operands.last().expect("not empty"));
    if operands.len() == 1 {
        return first;
    }
    let bit = (first ^ last).ilog2();
    let middle = operands.partition_point(|signal| signal >> bit & 1 == 0);
    let low = conjoin(aig, &operands[..middle]);
    let high = conjoin(aig, &operands[middle..]);
    aig.and(low, high)
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
