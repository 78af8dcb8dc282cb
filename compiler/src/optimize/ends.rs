//! Drops terminal conditions that the last move cannot have caused: where players take turns, only
//! the player who just moved can have made a line.
//!
//! Steps start in states that are not terminal, so a signal that implies the end was false in the
//! previous state. If no step from one phase of the turn cycle to the next can make it true, it is
//! false at the next phase. The values known at the earlier phase limit the changes of a step. A
//! fluent whose next value is a conjunction with the fluent itself does not become true. If the
//! next value is a disjunction with the fluent, it does not become false. A gate changes only with
//! one of its operands. Each use of a signal that is false at a phase becomes a conjunction with
//! "the state is at another phase". The nets of phases, and circuits specialised by the role to
//! move, fold this conjunction to false.
//!
//! The values at each phase are computed as for [`phases`](super::phases). In addition, each phase
//! visits each operand a constant number of times. It also visits the operands of the gates that a
//! next value passes through. The pass is skipped if few operations serve only the end.

use super::{
    constants::{Known, known, value},
    phase::turn_cycle,
    rebuild::{inputs, open, same},
};
use crate::meter::Meter;
use crate::propnet::{Gate, Net, Signal};
use gdl_format::lanes::Cycle;

/// A set of phases of the cycle, one in each bit.
type Set = u8;

/// The pass runs if at least one in this number of operations serves only the end.
const SHARE: usize = 256;

/// Two values for each gate: one for its signal, one for the complement.
struct OfSignals<T>(Vec<[T; 2]>);

impl<T: Copy + Default> OfSignals<T> {
    fn new(net: &Net) -> Self {
        Self(vec![[T::default(); 2]; net.len()])
    }

    fn get(&self, signal: Signal) -> T {
        self.0[signal.gate() as usize][usize::from(signal.is_negated())]
    }

    fn set(&mut self, signal: Signal, value: T) {
        self.0[signal.gate() as usize][usize::from(signal.is_negated())] = value;
    }
}

/// Restricts signals that imply the end to the phases at which they can hold. O(literals x length
/// of the cycle).
pub fn drop_impossible_ends(net: &Net, meter: &mut Meter) -> Option<Net> {
    open(net, meter)?;
    // The flags and sets of phases take a byte each.
    meter.take(16 * net.len())?;
    let look = (net.len() + net.literals()) as u64;
    meter.spend(3 * look)?;
    let ends = ends(net);
    if SHARE * alone(net, &ends) < net.operations() {
        return same(net, meter);
    }
    let cycle = turn_cycle(net, meter)?;
    if cycle.values.len() == 1 {
        return same(net, meter);
    }
    meter.spend((4 + 2 * cycle.values.len()) as u64 * look)?;
    let elsewhere = Elsewhere::new(net, &cycle);
    let known = known(net, &cycle, meter)?;
    let never = never(net, &ends, &cycle, &known, meter)?;
    let matters = matters(net, &never, &elsewhere);
    let mut copy = net.without_gates();
    let mut signals = inputs(net);
    signals.resize(net.len(), Signal::FALSE);
    let of = |signals: &[Signal], s: Signal| signals[s.gate() as usize].negate_if(s.is_negated());
    for gate in net.inputs()..net.len() {
        let Gate::And(operands) = net.gate(gate as u32) else { continue };
        if matters[gate] == 0 {
            continue;
        }
        let mut made = Vec::with_capacity(operands.len());
        let mut spared: Vec<(Set, Signal)> = Vec::new();
        for &s in operands {
            match elsewhere.best(never.get(!s) & matters[gate]) {
                0 => made.push(of(&signals, s)),
                phases => spared.push((phases, of(&signals, s))),
            }
        }
        spared.sort_unstable();
        for group in spared.chunk_by(|left, right| left.0 == right.0) {
            let all = copy.and(group.iter().map(|&(_, s)| s).collect());
            made.push(!elsewhere.and(&mut copy, group[0].0, !all));
        }
        signals[gate] = copy.and(made);
        copy.pay(meter)?;
    }
    let outputs =
        net.outputs.map(|s| elsewhere.and(&mut copy, elsewhere.best(never.get(s)), of(&signals, s)));
    copy.outputs = outputs;
    copy.pay(meter)?;
    copy.sweep();
    Some(copy)
}

/// The literals that exclude phases, by set of phases.
struct Elsewhere {
    all: Set,
    /// By set: the result of [`Elsewhere::best`].
    best: Vec<Set>,
    /// By set: the literal that is false at these phases and true at all others, if there is one.
    literal: Vec<Option<Signal>>,
}

impl Elsewhere {
    fn new(net: &Net, cycle: &Cycle) -> Self {
        let sets = 1 << cycle.values.len();
        let all = (sets - 1) as Set;
        let mut literal = vec![None; sets];
        literal[0] = Some(Signal::TRUE);
        literal[usize::from(all)] = Some(Signal::FALSE);
        for (at, &fluent) in cycle.fluents.iter().enumerate() {
            let signal = net.fluent(fluent as usize);
            let holds = (0..cycle.values.len()).filter(|&phase| cycle.values[phase][at]);
            let holds: usize = holds.map(|phase| 1 << phase).sum();
            literal[holds].get_or_insert(!signal);
            literal[usize::from(all) - holds].get_or_insert(signal);
        }
        let inside = |phases: usize| (0..sets).filter(move |set| set & !phases == 0);
        let best = |phases: usize| {
            let known = inside(phases).filter(|&set| literal[set].is_some());
            known.max_by_key(|set| set.count_ones()).unwrap_or(0) as Set
        };
        Self { all, best: (0..sets).map(best).collect(), literal }
    }

    /// Returns the largest subset of `phases` that one literal excludes.
    fn best(&self, phases: Set) -> Set {
        self.best[usize::from(phases)]
    }

    /// Returns the conjunction of `signal`, which never holds at `phases`, and "the state is at
    /// none of these phases".
    fn and(&self, net: &mut Net, phases: Set, signal: Signal) -> Signal {
        match self.literal[usize::from(phases)] {
            Some(elsewhere) => net.and(vec![elsewhere, signal]),
            None => signal,
        }
    }
}

/// Computes for each signal the phases at which it holds in no reachable state.
fn never(
    net: &Net,
    ends: &OfSignals<bool>,
    cycle: &Cycle,
    known: &[Known],
    meter: &mut Meter,
) -> Option<OfSignals<Set>> {
    let initial: Known = [false].iter().chain(&net.initial).map(|&value| Some(value)).collect();
    let initial = values(net, &[initial, vec![None; net.does().len()]].concat());
    let mut never = OfSignals::<Set>::new(net);
    let length = known.len();
    for phase in 0..length {
        let before = (phase + length - 1) % length;
        let rises = rises(net, cycle, [before, phase], &known[before], meter)?;
        for gate in net.inputs()..net.len() {
            for s in [Signal::new(gate as u32, false), Signal::new(gate as u32, true)] {
                let starts = phase == 0 && value(&initial, s) != Some(false);
                if ends.get(s) && !rises.get(s) && !starts {
                    never.set(s, never.get(s) | 1 << phase);
                }
            }
        }
    }
    // A conjunction is false where one of its operands is.
    for gate in net.inputs()..net.len() {
        if let Gate::And(operands) = net.gate(gate as u32) {
            let s = Signal::new(gate as u32, false);
            let some = operands.iter().fold(0, |phases, &s| phases | never.get(s));
            let every = operands.iter().fold(Set::MAX, |phases, &s| phases & never.get(!s));
            never.set(s, never.get(s) | some);
            never.set(!s, never.get(!s) | every);
        }
    }
    Some(never)
}

/// Computes for each gate the phases at which its value matters. At the other phases, its uses do
/// not depend on it.
fn matters(net: &Net, never: &OfSignals<Set>, elsewhere: &Elsewhere) -> Vec<Set> {
    let mut matters = vec![0; net.len()];
    for s in net.outputs.iter() {
        matters[s.gate() as usize] |= elsewhere.all & !elsewhere.best(never.get(s));
    }
    for gate in (net.inputs()..net.len()).rev() {
        if let Gate::And(operands) = net.gate(gate as u32) {
            let phases: Set = matters[gate];
            for &s in operands {
                matters[s.gate() as usize] |= phases & !elsewhere.best(never.get(!s) & phases);
            }
        }
    }
    matters
}

/// Returns the signals that imply the end: the end itself and, if it is a disjunction, its parts.
fn ends(net: &Net) -> OfSignals<bool> {
    let mut ends = OfSignals::new(net);
    ends.set(net.outputs.terminal, true);
    for gate in (net.inputs() as u32..net.len() as u32).rev() {
        // Each part of a disjunction that implies the end implies it too.
        if let (true, Gate::And(operands)) = (ends.get(Signal::new(gate, true)), net.gate(gate)) {
            operands.iter().for_each(|&s| ends.set(!s, true));
        }
    }
    ends
}

/// Computes the signals that may become true in a step from the phase `before`, with its known
/// values, to the phase `after`.
fn rises(
    net: &Net,
    cycle: &Cycle,
    [before, after]: [usize; 2],
    known: &Known,
    meter: &mut Meter,
) -> Option<OfSignals<bool>> {
    let values = values(net, known);
    // Moves are unknown and change from step to step.
    let mut rises = OfSignals(vec![[true; 2]; net.len()]);
    rises.0[0] = [false; 2];
    for (fluent, &next) in net.outputs.next.iter().enumerate() {
        let fluent = net.fluent(fluent);
        rises.set(fluent, !implies(net, &values, next, fluent, meter)?);
        rises.set(!fluent, !implies(net, &values, !next, !fluent, meter)?);
    }
    for (at, &fluent) in cycle.fluents.iter().enumerate() {
        let (held, holds) = (cycle.values[before][at], cycle.values[after][at]);
        let fluent = net.fluent(fluent as usize);
        rises.set(fluent, holds && !held);
        rises.set(!fluent, held && !holds);
    }
    for gate in net.inputs()..net.len() {
        if let Gate::And(operands) = net.gate(gate as u32) {
            let s = Signal::new(gate as u32, false);
            rises.set(s, operands.iter().any(|&s| rises.get(s)));
            rises.set(!s, operands.iter().any(|&s| rises.get(!s)));
        }
    }
    Some(rises)
}

/// Returns true if the structure shows that one signal implies another. Inspects the signal's gate,
/// and continues through gates whose value is that of a single operand.
fn implies(
    net: &Net,
    values: &[Option<bool>],
    mut signal: Signal,
    other: Signal,
    meter: &mut Meter,
) -> Option<bool> {
    loop {
        if signal == other {
            return Some(true);
        }
        let Gate::And(operands) = net.gate(signal.gate()) else { return Some(false) };
        meter.spend(operands.len() as u64)?;
        if value(values, signal).is_some() {
            return Some(false);
        }
        if !signal.is_negated() && operands.binary_search(&other).is_ok() {
            return Some(true);
        }
        let mut open = operands.iter().filter(|&&s| value(values, s).is_none());
        let (Some(&only), None) = (open.next(), open.next()) else { return Some(false) };
        signal = only.negate_if(signal.is_negated());
    }
}

/// Computes the known values of all gates from those of the inputs.
fn values(net: &Net, known: &[Option<bool>]) -> Known {
    let mut values = known.to_vec();
    for gate in net.inputs()..net.len() {
        if let Gate::And(operands) = net.gate(gate as u32) {
            let known = operands.iter().map(|&s| value(&values, s));
            // The order is false, unknown, true.
            let least = known.min_by_key(|value| value.map_or(1, |value| 2 * u8::from(value)));
            values.push(least.unwrap_or_default());
        }
    }
    values
}

/// Counts the operations that serve only signals that imply the end.
fn alone(net: &Net, ends: &OfSignals<bool>) -> usize {
    let is_end = |gate: u32| [false, true].iter().any(|&negated| ends.get(Signal::new(gate, negated)));
    let mut needed = vec![false; net.len()];
    net.outputs.iter().filter(|s| !is_end(s.gate())).for_each(|s| needed[s.gate() as usize] = true);
    let mut alone = 0;
    for gate in (net.inputs() as u32..net.len() as u32).rev() {
        let Gate::And(operands) = net.gate(gate) else { continue };
        if needed[gate as usize] {
            operands.iter().filter(|s| !is_end(s.gate())).for_each(|s| needed[s.gate() as usize] = true);
        } else {
            alone += operands.len() - 1;
        }
    }
    alone
}
