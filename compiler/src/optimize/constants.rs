//! Constant folding: replaces inputs by constants. These are fluents that never change, moves that
//! are never legal, and moves without an alternative.
//!
//! Ternary simulation from the initial state, with every possible move unknown, joins the reached
//! states up to a fixpoint. (Bryant 1987 for the simulation; it also finds constant latches in
//! hardware.) A fluent that is known at the fixpoint keeps its initial value, and a move whose
//! legality is false there is never made. Afterwards no gate mentions such inputs. If the net has a
//! turn cycle, the states of each phase are joined separately.
//!
//! Each value becomes unknown at most once, so each operand is visited at most twice in each phase.

use super::{
    rebuild::{inputs, open, same, substitute},
    users::Users,
};
use crate::meter::Meter;
use crate::propnet::{Gate, Net, Signal};
use gdl_format::lanes::Cycle;

/// Folds constant fluents, impossible moves and moves without an alternative. O(literals).
pub fn fold_constants(net: &Net, meter: &mut Meter) -> Option<Net> {
    fold(net, &known(net, &Cycle::still(), meter)?[0], meter)
}

/// The value of each input, by gate, if it is known.
pub(super) type Known = Vec<Option<bool>>;

/// Replaces the known inputs of a net by constants.
pub(super) fn fold(net: &Net, known: &Known, meter: &mut Meter) -> Option<Net> {
    // Entry 0 is the constant, which is always known.
    if known[1..].iter().all(Option::is_none) {
        return same(net, meter);
    }
    let signal = |(value, signal): (&Option<bool>, Signal)| {
        value.map_or(signal, |value| Signal::FALSE.negate_if(value))
    };
    substitute(net, known.iter().zip(inputs(net)).map(signal).collect(), meter)
}

/// Returns the value of a signal, if it is known, given the known values of gates.
pub(super) fn value(values: &[Option<bool>], signal: Signal) -> Option<bool> {
    values[signal.gate() as usize].map(|value| value != signal.is_negated())
}

/// Computes, for each phase, the value of each input that has the same value in all reachable
/// states of the phase.
pub(super) fn known(net: &Net, cycle: &Cycle, meter: &mut Meter) -> Option<Vec<Known>> {
    open(net, meter)?;
    let phases = cycle.values.len();
    // Each operand is visited once more if its value becomes unknown, and has an entry in the list
    // of users.
    meter.spend(2 * (phases * net.literals()) as u64)?;
    meter.take(size_of::<Signal>() * net.literals() + (48 + 8 * phases) * net.len())?;
    let values = simulate(net, cycle);
    let known = values.chunks(net.len()).map(|values| {
        let mut known = values[..net.inputs()].to_vec();
        let mut first = 1 + net.initial.len();
        for role in net.does().chunk_by(|left, right| left.0 == right.0) {
            let moves = first..first + role.len();
            // A role makes one move in each step. If only one move is possible, the role makes that
            // one.
            let mut possible = moves.clone().filter(|&gate| known[gate].is_none());
            if let (Some(only), None) = (possible.next(), possible.next()) {
                known[only] = Some(true);
            }
            first = moves.end;
        }
        known
    });
    Some(known.collect())
}

/// Computes the value of each gate at each phase, if it is known.
fn simulate(net: &Net, cycle: &Cycle) -> Vec<Option<bool>> {
    let (gates, phases) = (net.len(), cycle.values.len());
    let mut of_cycle = vec![None; net.initial.len()];
    cycle.fluents.iter().enumerate().for_each(|(place, &fluent)| of_cycle[fluent as usize] = Some(place));
    // Values change only from known to unknown, so each gate waits until its last false operand
    // becomes unknown.
    let mut values: Vec<Option<bool>> = Vec::with_capacity(phases * gates);
    let mut falses = vec![0u32; phases * gates];
    for (phase, known) in cycle.values.iter().enumerate() {
        let (before, first) = (values.len().saturating_sub(gates), values.len());
        for gate in 0..gates as u32 {
            values.push(match net.gate(gate) {
                Gate::Fluent(fluent) => match of_cycle[fluent as usize] {
                    Some(place) => Some(known[place]),
                    None if phase == 0 => Some(net.initial[fluent as usize]),
                    // The value after a step without moves, before possible moves are found.
                    None => value(&values[before..], net.outputs.next[fluent as usize]),
                },
                // A move is false until it is found to be possible, and unknown from then on.
                Gate::Constant | Gate::Does { .. } => Some(false),
                Gate::And(operands) => {
                    let is_false = |&&s: &&Signal| value(&values[first..], s) == Some(false);
                    let waiting = operands.iter().filter(is_false).count() as u32;
                    falses[first + gate as usize] = waiting;
                    Some(waiting == 0)
                }
            });
        }
    }
    // By gate: the inputs that become unknown when the gate does. These are fluents of the next
    // phase, and moves whose legality is the gate.
    let users = Users::new(net);
    let mut followers: Vec<Vec<u32>> = vec![Vec::new(); gates];
    let mut news: Vec<usize> = Vec::new();
    let after = |phase: usize| (phase + 1) % phases * gates;
    for (fluent, &next) in
        net.outputs.next.iter().enumerate().filter(|(fluent, _)| of_cycle[*fluent].is_none())
    {
        followers[next.gate() as usize].push(1 + fluent as u32);
        let changes =
            |phase: &usize| value(&values[phase * gates..], next) != values[after(*phase) + 1 + fluent];
        news.extend((0..phases).filter(changes).map(|phase| after(phase) + 1 + fluent));
    }
    for (position, &legal) in net.legality().iter().enumerate() {
        let gate = net.does_at(position).gate();
        followers[legal.gate() as usize].push(gate);
        let may_be = |phase: &usize| value(&values[phase * gates..], legal) != Some(false);
        news.extend((0..phases).filter(may_be).map(|phase| phase * gates + gate as usize));
    }
    while let Some(place) = news.pop() {
        let Some(value) = values[place].take() else { continue };
        let (phase, gate) = (place / gates, place % gates);
        for &follower in &followers[gate] {
            let is_fluent = follower as usize <= net.initial.len();
            news.push(if is_fluent { after(phase) } else { phase * gates } + follower as usize);
        }
        for &user in users.of(gate as u32) {
            let user_place = phase * gates + user.gate() as usize;
            let waiting = &mut falses[user_place];
            *waiting -= u32::from(value == user.is_negated());
            if *waiting == 0 {
                news.push(user_place);
            }
        }
    }
    values
}
