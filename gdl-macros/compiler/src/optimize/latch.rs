//! Latches: fluents that once true stay true, or once false stay false, such as what is taken or what is over.
//!
//! Random play tells which fluents may be latches; a latch is one if propagation proves that no step takes it out
//! of its value (an induction over steps, as for exclusive fluents, which help). A latch that starts with its value
//! is constant, and no gate reads it afterwards: this finds constants that ternary simulation does not, since it
//! knows which fluents exclude each other.
//!
//! There are two candidates for each fluent; simulation looks at each once in a step, and a proof is one assumption.

use super::{
    budget::Budget,
    proof::Prover,
    rebuild::{inputs, substitute},
    simulate::{Simulation, steps},
};
use crate::meter::Meter;
use crate::propnet::{Latch, Net, Signal};

/// Finds latches, notes them in the net and folds those that are constant. O(literals), with a large factor.
pub fn fold_latches(net: &Net, meter: &mut Meter) -> Option<Net> {
    let mut latches = prove(net, candidates(net, meter)?, meter)?;
    let starts = |latch: &&Latch| net.initial[latch.fluent as usize] == latch.value;
    let constant: Vec<u32> = latches.iter().filter(starts).map(|latch| latch.fluent).collect();
    // A constant never has its other value.
    latches.retain(|latch| starts(&latch) || constant.binary_search(&latch.fluent).is_err());
    let constants = || latches.iter().filter(starts);
    let mut signals = inputs(net);
    for latch in constants() {
        signals[1 + latch.fluent as usize] = Signal::FALSE.negate_if(latch.value);
    }
    let mut folded = substitute(net, signals, meter)?;
    for latch in constants() {
        folded.outputs.next[latch.fluent as usize] = Signal::FALSE.negate_if(latch.value);
    }
    folded.sweep();
    folded.latches = latches;
    Some(folded)
}

/// Fluents and values that they did not leave in random play.
fn candidates(net: &Net, meter: &mut Meter) -> Option<Vec<Latch>> {
    let fluents = 0..net.initial.len() as u32;
    let both = fluents.flat_map(|fluent| [false, true].map(|value| Latch { fluent, value }));
    meter.take(2 * size_of::<Latch>() * net.initial.len())?;
    let mut latches: Vec<Latch> = both.collect();
    let mut simulation = Simulation::new(net, meter)?;
    for _ in 0..steps(net) {
        meter.spend(latches.len() as u64)?;
        let going_on = simulation.going_on();
        let leaves = |latch: &Latch| {
            let before = simulation.value(net.fluent(latch.fluent as usize).negate_if(!latch.value));
            let after = simulation.value(net.outputs.next[latch.fluent as usize].negate_if(!latch.value));
            before & !after & going_on
        };
        latches.retain(|latch| leaves(latch) == 0);
        simulation.step(meter)?;
    }
    Some(latches)
}

/// Those that no step takes out of their value.
fn prove(net: &Net, candidates: Vec<Latch>, meter: &mut Meter) -> Option<Vec<Latch>> {
    let mut prover = Prover::of(net, true, meter)?;
    let mut budget = Budget::new(net);
    let mut latches = Vec::new();
    for latch in candidates {
        if !budget.lasts(&prover) {
            break;
        }
        let fluent = net.fluent(latch.fluent as usize).negate_if(!latch.value);
        let next = net.outputs.next[latch.fluent as usize].negate_if(!latch.value);
        if prover.refutes(&[fluent, !next]) {
            latches.push(latch);
            budget.reward();
        }
        budget.pay(&prover, meter)?;
    }
    Some(latches)
}
