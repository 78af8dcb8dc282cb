//! Assumes that moves are legal: drops operands of a conjunction with `does` that the move's
//! legality implies.
//!
//! If a role makes a move, the move is legal, and all operands of that legality hold. So
//! `does & legal_operand` is `does`, and `does & !legal_operand` is never true. Steps with an
//! illegal move are not preserved; the runtime checks moves before it steps.
//!
//! Each gate is copied once and compared with the legality of each of its moves.

use super::rebuild::{close, inputs, open};
use crate::meter::Meter;
use crate::propnet::{Gate, Net, Signal};

/// Drops operands that legality implies. O(literals x log) for each move of a conjunction.
pub fn assume_legality(net: &Net, meter: &mut Meter) -> Option<Net> {
    open(net, meter)?;
    let mut kept = net.without_gates();
    // The signal of each gate in the copy. Gates outside the cone of legality are false until they
    // are copied.
    let mut place = inputs(net);
    place.resize(net.len(), Signal::FALSE);
    let of = |place: &[Signal], s: Signal| place[s.gate() as usize].negate_if(s.is_negated());

    // Legality does not depend on moves, so its gates are copied first and unchanged.
    let legality = net.outputs.legal.iter().flatten().map(|&(_, signal)| signal);
    let cone = net.cone(legality);
    for gate in net.inputs()..net.len() {
        if let (true, Gate::And(operands)) = (cone[gate], net.gate(gate as u32)) {
            let operands = operands.iter().map(|&s| of(&place, s)).collect();
            place[gate] = kept.and(operands);
            kept.pay(meter)?;
        }
    }
    let mut legal = vec![Signal::TRUE; net.does().len()];
    for (role, list) in net.outputs.legal.iter().enumerate() {
        for &(action, signal) in list {
            if let Ok(position) = net.does().binary_search(&(role as u32, action)) {
                legal[position] = of(&place, signal);
            }
        }
    }

    let first = 1 + net.initial.len();
    for gate in net.inputs()..net.len() {
        if let (false, Gate::And(operands)) = (cone[gate], net.gate(gate as u32)) {
            let operands = operands.iter().map(|&s| of(&place, s)).collect();
            place[gate] = drop_implied(&mut kept, operands, |does| legal[does as usize - first], meter)?;
            kept.pay(meter)?;
        }
    }
    Some(close(net, kept, &place))
}

/// Makes the conjunction of operands without those that the legality of their moves implies.
fn drop_implied(
    net: &mut Net,
    mut operands: Vec<Signal>,
    legal: impl Fn(u32) -> Signal,
    meter: &mut Meter,
) -> Option<Signal> {
    let does: Vec<u32> = operands
        .iter()
        .filter(|s| !s.is_negated() && matches!(net.gate(s.gate()), Gate::Does { .. }))
        .map(|s| s.gate())
        .collect();
    for does in does {
        meter.spend(2 * operands.len() as u64)?;
        let legal = legal(does);
        let parts = match net.gate(legal.gate()) {
            Gate::And(parts) if !legal.is_negated() => parts,
            _ => &[],
        };
        let is_implied = |s: Signal| s == legal || parts.binary_search(&s).is_ok();
        if operands.iter().any(|&s| is_implied(!s)) {
            return Some(Signal::FALSE);
        }
        operands.retain(|&s| !is_implied(s));
    }
    Some(net.and(operands))
}
