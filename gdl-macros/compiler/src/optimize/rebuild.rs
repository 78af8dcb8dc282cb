//! Copies the live part of a net, gate by gate.

use crate::limits::Fuel;
use crate::propnet::{Gate, Net, Signal};

/// For each gate, whether an output depends on it.
pub(super) fn live(net: &Net) -> Vec<bool> {
    cone(net, net.outputs.iter())
}

/// For each gate, whether one of `signals` depends on it.
pub(super) fn cone(net: &Net, signals: impl Iterator<Item = Signal>) -> Vec<bool> {
    let mut inside = vec![false; net.len()];
    signals.for_each(|s| inside[s.gate() as usize] = true);
    for gate in (net.inputs()..net.len()).rev() {
        if let (true, Gate::And(operands)) = (inside[gate], net.gate(gate as u32)) {
            operands.iter().for_each(|s| inside[s.gate() as usize] = true);
        }
    }
    inside
}

/// Copies `net`, making each live AND gate by `make` from its operands, which are signals of the copy.
/// `inputs` gives the signals of the copy's inputs, by gate.
pub(super) fn rebuild(
    net: &Net,
    inputs: Vec<Signal>,
    fuel: &mut Fuel,
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
                copy.pay(fuel)?;
                signal
            }
            _ => Signal::FALSE,
        };
        signals.push(signal);
    }
    copy.outputs = net.outputs.map(|s| signals[s.gate() as usize].negate_if(s.is_negated()));
    sweep_if_needed(copy, fuel)
}

/// The input signals of a net, by gate, starting with the constant.
pub(super) fn inputs(net: &Net) -> Vec<Signal> {
    (0..net.inputs() as u32).map(|gate| Signal::new(gate, false)).collect()
}

/// Removes dead gates if `make` left some behind.
fn sweep_if_needed(net: Net, fuel: &mut Fuel) -> Option<Net> {
    let live = live(&net);
    if live[net.inputs()..].iter().all(|&l| l) {
        return Some(net);
    }
    let inputs = inputs(&net);
    rebuild(&net, inputs, fuel, Net::and)
}
