//! Copies the live part of a net, gate by gate.
//!
//! A copy takes a look at each gate and its operands, and a few numbers for each; what is made of
//! the operands is paid for as it is made.

use crate::meter::Meter;
use crate::propnet::{Gate, Net, Signal};

/// For each gate, whether an output depends on it.
pub(super) fn live(net: &Net) -> Vec<bool> {
    net.cone(net.outputs.iter())
}

/// For each gate, how many live gates have it as an operand; an output counts as two, since it
/// keeps its gate.
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

/// Pays for the cost of a copy of a net besides its gates: looks at the gates and operands, the
/// lists of inputs and outputs, and three values for each gate. These are its signal in the copy,
/// whether it is live and the number of its uses.
pub(super) fn open(net: &Net, meter: &mut Meter) -> Option<()> {
    meter.spend((net.len() + net.literals()) as u64)?;
    meter.take(3 * size_of::<Signal>() * net.len() + net.list_bytes())
}

/// Copies `net`, making each live AND gate by `make` from its operands, which are signals of the
/// copy. `inputs` gives the signals of the copy's inputs, by gate.
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

/// The net as it is, without dead gates.
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

/// Ends a copy: its outputs are those of the net, and gates that none depends on are gone.
/// `signals` has the signals of the net's gates in the copy. Mutex groups with a fluent that
/// another signal stands for are forgotten: what is proved of a net speaks of its inputs, and no
/// pass may read them through a group again.
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
