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

use super::{phases, proof::Prover, share};
use crate::propnet::{Gate, Net, Signal};
use crate::{Diagnostics, Options, meter::Meter, observer::Phase};

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

/// The game that ends early. None if [`Options::early_end`] does not ask for it, if all states in which goals are known to
/// be decided are terminal, or if it takes more meter than there is or the caller calls it off. O(literals + values of goals
/// squared).
#[must_use]
pub fn early(net: &Net, options: &Options) -> Option<Early> {
    if !options.early_end {
        return None;
    }
    let mut meter = Meter::new(options, Phase::Optimize);
    let net = share(&end(net, &mut meter)?, &mut meter)?;
    let phases = phases(&net, options, &mut Diagnostics::default())?;
    Some(Early { net, phases })
}

/// The net in which states with decided goals are terminal too; none if there are no such states, or they all are
/// terminal anyway, as far as propagation shows.
fn end(net: &Net, meter: &mut Meter) -> Option<Net> {
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
    let mut prover = Prover::of(&end, false);
    let mut is_over = |&value: &Signal| prover.refutes(&[value, decided, !terminal]);
    let gains = !values.iter().any(|values| values.iter().all(&mut is_over));
    meter.spend(prover.work())?;
    if !gains {
        return None;
    }
    end.outputs.terminal = end.or(vec![terminal, decided]);
    end.sweep();
    Some(end)
}

/// Adds the rails of the gates that goals depend on. Those of other gates are open.
fn rails(net: &mut Net, meter: &mut Meter) -> Option<Vec<Rails>> {
    let cone = net.cone(net.outputs.goal.iter().flatten().map(|&(_, s)| s));
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
