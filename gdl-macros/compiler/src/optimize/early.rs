//! An early end: in comes a net, out goes one of the same game that is over too where all goals are decided, for playouts
//! that are asked for nothing but goals.
//!
//! A goal is decided in a state if it has the same value there and in all states that play can come to from there.
//! What is known of those is what latches say: one that has the value that it keeps has it for ever, and all else may
//! change. So each gate gets two others, its rails: it may be set, now or later, and it may be unset. That is simulation
//! in three values made of gates, as in Bryant, "Boolean analysis of MOS circuits" (1987), where what is known depends on
//! the state. Three values may miss a goal that nothing changes any more: what is found is proved, and not all there is.
//!
//! The goals themselves stay as they are. Where they are decided, the state shows what they will be. In most games that is
//! where they are over, as a line both wins and ends a game: where propagation shows it, no net is made.
//!
//! Each gate gets two others at most, each value of a goal a gate with an operand for each of the values, and one assumption.

use super::{phases, proof::Prover, rebuild::open, share};
use crate::meter::Meter;
use crate::propnet::{Gate, Net, Signal};

/// A game for playouts that end early.
#[derive(Clone, Debug)]
pub struct Early {
    /// The net, in which states with decided goals are terminal. It has the names and inputs of the game's own net.
    pub net: Net,
    /// The net at each point of its cycle, as [`phases`] finds it.
    pub phases: Vec<Net>,
}

/// What may become of a signal, as signals.
#[derive(Clone, Copy)]
struct Rails {
    /// It may be set, now or later.
    set: Signal,
    /// It may be unset, now or later.
    unset: Signal,
}

impl Rails {
    const OPEN: Self = Self { set: Signal::TRUE, unset: Signal::TRUE };

    fn negate_if(self, condition: bool) -> Self {
        if condition { Self { set: self.unset, unset: self.set } } else { self }
    }
}

/// The game that ends early. None if all states in which goals are known to be decided are terminal, or if it takes more than
/// the meter has. O(literals + values of goals squared).
pub fn early(net: &Net, meter: &mut Meter) -> Option<Early> {
    let net = share(&end(net, meter)?, meter)?;
    let phases = meter.attempt("phases of the early end", 2, |meter| phases(&net, meter)).unwrap_or_default();
    Some(Early { net, phases })
}

/// The net in which states with decided goals are terminal too; none if there are no such states, or they all are
/// terminal anyway, as far as propagation shows.
fn end(net: &Net, meter: &mut Meter) -> Option<Net> {
    open(net, meter)?;
    meter.take(net.bytes())?;
    let mut end = net.clone();
    let rails = rails(&mut end, meter)?;
    // What has to hold, and by player, for each value of its goal, that it is the one for good.
    let (mut decided, mut values) = (Vec::new(), Vec::new());
    for (role, goal) in (0u32..).zip(&net.outputs.goal) {
        let goal: Vec<Rails> =
            goal.iter().map(|(_, s)| rails[s.gate() as usize].negate_if(s.is_negated())).collect();
        if net.vocabulary.chance == Some(role) {
            // Chance needs no goal, but what it has counts.
            decided.extend(goal.iter().map(|rails| !end.and(vec![rails.set, rails.unset])));
            continue;
        }
        meter.spend((goal.len() * goal.len()) as u64)?;
        let only = (0..goal.len()).map(|value| {
            let only =
                goal.iter().enumerate().map(|(i, rails)| !if i == value { rails.unset } else { rails.set });
            end.and(only.collect())
        });
        let only: Vec<Signal> = only.collect();
        decided.push(end.or(only.clone()));
        values.push(only);
        end.pay(meter)?;
    }
    let decided = end.and(decided);
    let terminal = net.outputs.terminal;
    let mut prover = Prover::of(&end, false, meter)?;
    let mut paid = 0;
    for values in &values {
        let mut is_over = true;
        for &value in values {
            is_over = is_over && prover.refutes(&[value, decided, !terminal]);
            meter.spend(prover.work() - paid)?;
            paid = prover.work();
        }
        if is_over {
            return None;
        }
    }
    end.outputs.terminal = end.or(vec![terminal, decided]);
    end.sweep();
    Some(end)
}

/// Adds the rails of the gates that goals depend on. Those of other gates are open.
fn rails(net: &mut Net, meter: &mut Meter) -> Option<Vec<Rails>> {
    let cone = net.cone(net.outputs.goal.iter().flatten().map(|&(_, s)| s));
    meter.take(size_of::<Rails>() * net.len())?;
    let mut rails = vec![Rails::OPEN; net.len()];
    rails[0].set = Signal::FALSE;
    for latch in &net.latches {
        let fluent = net.fluent(latch.fluent as usize);
        let rails = &mut rails[fluent.gate() as usize];
        if latch.value {
            rails.unset = !fluent;
        } else {
            rails.set = fluent;
        }
    }
    for gate in (net.inputs()..rails.len()).filter(|&gate| cone[gate]) {
        let Gate::And(operands) = net.gate(gate as u32) else { continue };
        let of = |s: &Signal| rails[s.gate() as usize].negate_if(s.is_negated());
        let (set, unset) = operands.iter().map(of).map(|rails| (rails.set, rails.unset)).unzip();
        rails[gate] = Rails { set: net.and(set), unset: net.or(unset) };
        net.pay(meter)?;
    }
    Some(rails)
}
