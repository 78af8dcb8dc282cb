//! Copies the live part of a net, gate by gate.

use crate::meter::Meter;
use crate::propnet::{Gate, Net, Signal};

/// For each gate, whether an output depends on it.
pub(super) fn live(net: &Net) -> Vec<bool> {
    net.cone(net.outputs.iter())
}

/// For each gate, how many live gates have it as an operand; an output counts as two, since it keeps its gate.
pub(super) fn uses(net: &Net, live: &[bool]) -> Vec<u32> {
    let mut uses = vec![0; net.len()];
    for gate in net.inputs()..net.len() {
        if let (true, Gate::And(operands)) = (live[gate], net.gate(gate as u32)) {
            operands.iter().for_each(|s| uses[s.gate() as usize] += 1);
        }
    }
    net.outputs.iter().for_each(|s| uses[s.gate() as usize] += 2);
    uses
}

/// Copies `net`, making each live AND gate by `make` from its operands, which are signals of the copy.
/// `inputs` gives the signals of the copy's inputs, by gate.
pub(super) fn rebuild(
    net: &Net,
    inputs: Vec<Signal>,
    meter: &mut Meter,
    mut make: impl FnMut(&mut Net, Vec<Signal>) -> Signal,
) -> Option<Net> {
    let live = live(net);
    let mut copy = net.without_gates();
    let mut signals = inputs;
    for gate in net.inputs()..net.len() {
        let signal = match net.gate(gate as u32) {
            Gate::And(operands) if live[gate] => {
                let operands =
                    operands.iter().map(|s| signals[s.gate() as usize].negate_if(s.is_negated())).collect();
                let signal = make(&mut copy, operands);
                copy.pay(meter)?;
                signal
            }
            _ => Signal::FALSE,
        };
        signals.push(signal);
    }
    copy.outputs = net.outputs.map(|s| signals[s.gate() as usize].negate_if(s.is_negated()));
    copy.sweep();
    Some(copy)
}

/// The input signals of a net, by gate, starting with the constant.
pub(super) fn inputs(net: &Net) -> Vec<Signal> {
    (0..net.inputs() as u32).map(|gate| Signal::new(gate, false)).collect()
}
