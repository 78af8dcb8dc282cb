//! Copies the live part of a net, gate by gate.
//!
//! A copy visits each gate and operand once. New gates are paid for when they are made.

use crate::meter::Meter;
use crate::propnet::{Gate, Net, Signal};

/// Returns, for each gate, true if an output depends on it.
pub(super) fn live(net: &Net) -> Vec<bool> {
    net.cone(net.outputs.iter())
}

/// Counts, for each gate, the live gates that have it as an operand. An output counts as two, since
/// its gate must stay.
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

/// Pays for a copy of a net without its gates: steps for the gates and operands, and bytes for the
/// lists of inputs and outputs and for three values for each gate. These are its signal in the
/// copy, its liveness and the number of its uses.
pub(super) fn open(net: &Net, meter: &mut Meter) -> Option<()> {
    meter.spend((net.len() + net.literals()) as u64)?;
    meter.take(3 * size_of::<Signal>() * net.len() + net.list_bytes())
}

/// Copies `net`. `make` makes each live AND gate from its operands, which are signals of the copy.
/// `inputs` has the signals in the copy of the net's inputs, by gate.
pub(super) fn rebuild(
    net: &Net,
    inputs: Vec<Signal>,
    meter: &mut Meter,
    mut make: impl FnMut(&mut Net, Vec<Signal>, &mut Meter) -> Option<Signal>,
) -> Option<Net> {
    open(net, meter)?;
    let live = live(net);
    let mut copy = net.without_gates();
    let mut signals = inputs;
    for gate in net.inputs()..net.len() {
        let signal = match net.gate(gate as u32) {
            Gate::And(operands) if live[gate] => {
                let operands =
                    operands.iter().map(|s| signals[s.gate() as usize].negate_if(s.is_negated())).collect();
                let signal = make(&mut copy, operands, meter)?;
                copy.pay(meter)?;
                signal
            }
            _ => Signal::FALSE,
        };
        signals.push(signal);
    }
    Some(close(net, copy, &signals))
}

/// Returns a copy of the net without dead gates.
pub(super) fn same(net: &Net, meter: &mut Meter) -> Option<Net> {
    meter.take(net.bytes())?;
    let mut same = net.clone();
    same.sweep();
    Some(same)
}

/// Copies `net` with other signals in the places of its inputs.
pub(super) fn substitute(net: &Net, inputs: Vec<Signal>, meter: &mut Meter) -> Option<Net> {
    rebuild(net, inputs, meter, |copy, operands, _| Some(copy.and(operands)))
}

/// Completes a copy: sets its outputs to those of the net and sweeps dead gates. `signals` has the
/// signals of the net's gates in the copy. Drops mutex groups with a fluent that another signal
/// replaces, so that no later pass reads the fluent through a group.
pub(super) fn close(net: &Net, mut copy: Net, signals: &[Signal]) -> Net {
    let own = |&fluent: &u32| signals[1 + fluent as usize] == net.fluent(fluent as usize);
    copy.mutex_groups.retain(|group| group.members.iter().all(own));
    copy.outputs = net.outputs.map(|s| signals[s.gate() as usize].negate_if(s.is_negated()));
    copy.sweep();
    copy
}

/// The input signals of a net, by gate, starting with the constant.
pub(super) fn inputs(net: &Net) -> Vec<Signal> {
    (0..net.inputs() as u32).map(|gate| Signal::new(gate, false)).collect()
}
