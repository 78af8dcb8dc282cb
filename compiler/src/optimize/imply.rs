//! Drops operands of a conjunction that its other operands imply in every reachable state.
//!
//! The operands are assumed one after the other, and those that propagation concludes are dropped.
//! For example, a piece on a cell implies that no other piece is there, and a move implies the
//! conditions of its legality. A contradictory conjunction is false. Each gate is visited once,
//! while the [`Budget`] of proofs lasts.

use super::{
    budget::Budget,
    proof::Prover,
    rebuild::{close, inputs, live, open},
};
use crate::meter::Meter;
use crate::propnet::{Gate, Net, Signal};

/// Drops implied operands. O(literals), with a large factor.
pub fn drop_implied(net: &Net, meter: &mut Meter) -> Option<Net> {
    open(net, meter)?;
    let live = live(net);
    let depends = depends_on_does(net);
    // Legality has a budget of its own, since the large winning conditions of some nets would use
    // up a common one.
    let legality = net.cone(net.outputs.legal.iter().flatten().map(|&(_, signal)| signal));
    let mut provers = [
        (Prover::of(net, false, meter)?, Vec::new(), Budget::new(net)),
        (Prover::of(net, true, meter)?, Vec::new(), Budget::new(net)),
        (Prover::of(net, false, meter)?, Vec::new(), Budget::new(net)),
    ];
    let mut copy = net.without_gates();
    let mut signals = inputs(net);
    for gate in net.inputs()..net.len() {
        signals.push(Signal::FALSE);
        let Gate::And(operands) = net.gate(gate as u32) else { continue };
        if !live[gate] {
            continue;
        }
        let which = if legality[gate] { 2 } else { usize::from(depends[gate]) };
        let (prover, assumed, budget) = &mut provers[which];
        let mut operands = operands.to_vec();
        if budget.lasts(prover) {
            let before = operands.len();
            // Fluents and moves that hold imply most, and are the cheapest to compute.
            operands.sort_by_key(|s| (s.is_negated(), s.gate()));
            operands = essential(prover, assumed, &operands);
            if operands.len() < before {
                budget.reward();
            }
            budget.pay(prover, meter)?;
        }
        let operands = operands.into_iter().map(|s| signals[s.gate() as usize].negate_if(s.is_negated()));
        signals[gate] = copy.and(operands.collect());
        copy.pay(meter)?;
    }
    Some(close(net, copy, &signals))
}

/// Returns, for each gate, true if it depends on moves. Its value then matters only in steps with
/// legal moves.
pub(super) fn depends_on_does(net: &Net) -> Vec<bool> {
    let mut depends = vec![false; net.len()];
    for gate in 0..net.len() {
        depends[gate] = match net.gate(gate as u32) {
            Gate::Does { .. } => true,
            Gate::And(operands) => operands.iter().any(|s| depends[s.gate() as usize]),
            _ => false,
        };
    }
    depends
}

/// An assumed operand, the mark before it, and true if the operands before it imply it.
type Assumed = (Signal, usize, bool);

/// Returns each operand that the operands before it do not imply, or [`Signal::FALSE`] alone if the
/// operands contradict each other. Assumptions for the previous gate are kept as far as its first
/// operands are the same.
fn essential(prover: &mut Prover<'_>, assumed: &mut Vec<Assumed>, operands: &[Signal]) -> Vec<Signal> {
    let common = assumed.iter().zip(operands).take_while(|((old, ..), new)| old == *new).count();
    if let Some(&(_, mark, _)) = assumed.get(common) {
        prover.undo(mark);
        assumed.truncate(common);
    }
    for &operand in &operands[common..] {
        let mark = prover.mark();
        let follows = prover.value(operand) == Some(true);
        if !prover.assume(operand) {
            prover.undo(mark);
            return vec![Signal::FALSE];
        }
        assumed.push((operand, mark, follows));
    }
    assumed.iter().filter(|(.., follows)| !follows).map(|&(operand, ..)| operand).collect()
}
