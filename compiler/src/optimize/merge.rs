//! Merges gates that have the same value in every reachable state, though not the same operands.
//!
//! Random play proposes gates that may be equal or complements of each other. A pair is merged if
//! propagation refutes both ways in which they could differ (SAT sweeping, Kuehlmann 2004, with a
//! weaker and cheaper proof).
//!
//! A gate is compared with at most [`RIVALS`] others, and the [`Budget`] bounds the proofs.

use super::{
    budget::Budget,
    imply::depends_on_does,
    proof::Prover,
    rebuild::{close, inputs, live, open},
    simulate::{Simulation, steps},
};
use crate::meter::Meter;
use crate::propnet::{Gate, Net, Signal};
use rustc_hash::FxHashMap;

/// The most gates with equal simulated values that a gate is compared with.
const RIVALS: usize = 4;

/// The bytes of a class of gates with equal simulated values.
const CLASS: usize = 128;

/// Merges equal gates. O(literals), with a large factor.
pub fn merge_equal(net: &Net, meter: &mut Meter) -> Option<Net> {
    open(net, meter)?;
    meter.take((16 + CLASS) * net.len())?;
    let (live, depends) = (live(net), depends_on_does(net));
    let looks = looks(net, meter)?;
    let mut provers = [
        (Prover::of(net, false, meter)?, Budget::new(net)),
        (Prover::of(net, true, meter)?, Budget::new(net)),
    ];
    // By hash of simulated values: the gates with these values that are not proved equal to each
    // other.
    let mut classes: FxHashMap<u64, Class> = FxHashMap::default();
    let mut copy = net.without_gates();
    let mut signals = inputs(net);
    for gate in 0..net.len() {
        let (look, negated) = looks[gate];
        let itself = Signal::new(gate as u32, negated);
        let operands = match net.gate(gate as u32) {
            Gate::And(operands) if live[gate] => operands,
            Gate::And(_) => {
                signals.push(Signal::FALSE);
                continue;
            }
            _ => {
                classes.entry(look).or_default().add(itself, depends[gate]);
                continue;
            }
        };
        let class = classes.entry(look).or_default();
        let (prover, budget) = &mut provers[usize::from(depends[gate])];
        // A gate that does not depend on moves is compared only with other such gates, since the
        // two must also be equal in states without moves.
        let mut rivals_here = if depends[gate] { class.all.iter() } else { class.still.iter() };
        let equal = rivals_here.find(|&&rival| {
            budget.lasts(prover) && prover.refutes(&[itself, !rival]) && prover.refutes(&[!itself, rival])
        });
        budget.pay(prover, meter)?;
        let made = if let Some(rival) = equal {
            budget.reward();
            signals[rival.gate() as usize].negate_if(rival.is_negated() != negated)
        } else {
            class.add(itself, depends[gate]);
            let operands = operands.iter().map(|s| signals[s.gate() as usize].negate_if(s.is_negated()));
            let made = copy.and(operands.collect());
            copy.pay(meter)?;
            made
        };
        signals.push(made);
    }
    Some(close(net, copy, &signals))
}

/// The first gates with the same simulated values. Later gates with these values are compared with
/// them.
#[derive(Default)]
struct Class {
    all: Vec<Signal>,
    /// The signals that do not depend on moves.
    still: Vec<Signal>,
}

impl Class {
    fn add(&mut self, signal: Signal, depends: bool) {
        if self.all.len() < RIVALS {
            self.all.push(signal);
        }
        if !depends && self.still.len() < RIVALS {
            self.still.push(signal);
        }
    }
}

/// Computes for each gate a hash of its values in random play, and true if the hash is that of the
/// complemented values. Gates that are complements of each other have equal hashes.
fn looks(net: &Net, meter: &mut Meter) -> Option<Vec<(u64, bool)>> {
    let mut simulation = Simulation::new(net, meter)?;
    let value = |simulation: &Simulation<'_>, gate: usize| simulation.value(Signal::new(gate as u32, false));
    let mut looks: Vec<(u64, bool)> =
        (0..net.len()).map(|gate| (0, value(&simulation, gate) & 1 == 1)).collect();
    for _ in 0..steps(net) {
        meter.spend(net.len() as u64)?;
        for (gate, (look, negated)) in looks.iter_mut().enumerate() {
            let value = value(&simulation, gate) ^ if *negated { u64::MAX } else { 0 };
            *look = (look.rotate_left(5) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
        simulation.step(meter)?;
    }
    Some(looks)
}
