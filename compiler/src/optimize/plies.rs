//! Plies: a net for each ply of a game that is small enough to visit all its states.
//!
//! The net of a ply need only be correct in the states that play reaches after that number of
//! moves. All of these states are enumerated. Gates that have one value in all of them become
//! constants, gates that never differ are merged, and redundant operands are dropped. No proofs are
//! needed. So early plies have no gates for the winner, and at most plies the number of legal moves
//! is constant.
//!
//! The game may have at most [`LONGEST`] plies, and at most [`WORK`] values of gates in all states
//! and steps. The values that remain bound the steps of each ply.

mod samples;

use super::{
    complement, factor,
    imply::depends_on_does,
    rebuild::{close, inputs, live, open},
    share,
    simulate::Simulation,
};
use crate::meter::Meter;
use crate::propnet::{Gate, Net, Signal};
use rustc_hash::FxHashMap;
use samples::{Row, Samples, all, restrict};

/// The most moves of a game.
const LONGEST: usize = 16;

/// The most values of gates that are computed, over all states and steps.
const WORK: usize = 1 << 23;

/// The bytes of a row without its words: its entries in a list and in tables.
const ROW: usize = 160;

/// The least average length of games, as a percentage of the longest. Games that are played
/// together wait for the longest one.
const BUSY: f64 = 75.0;

/// The nets of a game, ply by ply.
#[derive(Clone, Debug)]
pub struct Plies {
    /// The net for each number of moves made. After the last, all games are over.
    pub nets: Vec<Net>,
    /// The number of legal moves for each ply except the last and each role, if it is constant in
    /// the states that are not terminal.
    pub counts: Vec<Vec<Option<usize>>>,
}

/// Computes the plies of a game. O(states x gates).
///
/// Returns `None` if
/// - games may be longer than sixteen moves,
/// - average games are much shorter than the longest,
/// - there are too many states,
/// - a role may have no legal move, or
/// - the meter runs out.
pub fn plies(net: &Net, meter: &mut Meter) -> Option<Plies> {
    if !is_short(net, meter)? {
        return None;
    }
    let (mut left, mut busy) = (WORK / net.len(), 0.0);
    let mut samples = Samples::initial(net, left, meter)?;
    let mut plies = Plies { nets: Vec::new(), counts: Vec::new() };
    loop {
        let [states, steps] = samples.sizes();
        left = left.checked_sub(states + steps)?;
        plies.nets.push(narrow(net, &samples, meter)?);
        if steps == 0 {
            break;
        }
        if plies.counts.len() == LONGEST {
            return None;
        }
        busy += samples.going_on();
        plies.counts.push(samples.counts(net));
        samples = samples.next(net, left, meter)?;
    }
    let longest = plies.counts.len() as f64;
    (longest > 0.0 && 100.0 * busy >= BUSY * longest).then_some(plies)
}

/// Returns true if all random games end after at most `LONGEST` moves.
fn is_short(net: &Net, meter: &mut Meter) -> Option<bool> {
    let mut simulation = Simulation::new(net, meter)?;
    let mut over = 0;
    for _ in 0..=LONGEST {
        over |= !simulation.going_on();
        simulation.step(meter)?;
    }
    Some(over == u64::MAX)
}

/// Returns a net that equals another in the sampled states and steps.
fn narrow(net: &Net, samples: &Samples, meter: &mut Meter) -> Option<Net> {
    open(net, meter)?;
    let (live, depends) = (live(net), depends_on_does(net));
    let [states, steps] = samples.sizes().map(all);
    let words = states.len() + steps.len();
    // Each row is normalised and looked up, and a new one is stored.
    meter.take(net.len() * (3 * size_of::<u64>() * words + ROW))?;
    // The signals by their values: those of gates that do not depend on moves, in all states, and
    // those of all gates, in all steps.
    let mut known: [FxHashMap<Row, Signal>; 2] = Default::default();
    let mut copy = net.without_gates();
    let mut signals = inputs(net);
    for gate in 0..net.len() {
        let is_input = gate < net.inputs();
        if !is_input {
            signals.push(Signal::FALSE);
            if !live[gate] {
                continue;
            }
        }
        meter.spend(2 * (1 + words) as u64)?;
        let [seen, made] = [(&samples.seen[gate], &states), (&samples.made[gate], &steps)].map(normal);
        let (row, negated) = if depends[gate] { &made } else { &seen };
        let known_here = known[usize::from(depends[gate])].get(row).map(|s| s.negate_if(*negated));
        let signal = match (known_here, net.gate(gate as u32)) {
            (Some(signal), _) => signal,
            (None, Gate::And(operands)) => {
                // For each operand, the conjunction of the others is computed.
                meter.spend((operands.len() * operands.len() * (1 + words)) as u64 / 2)?;
                let rows = if depends[gate] { (&samples.made, &steps) } else { (&samples.seen, &states) };
                let operands = essential(operands, &rows.0[gate], rows.0, rows.1);
                let operands = operands.iter().map(|s| signals[s.gate() as usize].negate_if(s.is_negated()));
                let signal = copy.and(operands.collect());
                copy.pay(meter)?;
                signal
            }
            (None, _) => signals[gate],
        };
        signals[gate] = signal;
        if !depends[gate] {
            known[0].entry(seen.0).or_insert(signal.negate_if(seen.1));
        }
        known[1].entry(made.0).or_insert(signal.negate_if(made.1));
    }
    let copy = close(net, copy, &signals);
    share(&factor(&complement(&copy, meter)?, meter)?, meter)
}

/// Normalises a row: complements it if its first bit is set, and returns whether it did. Gates that
/// are complements of each other then have equal rows.
fn normal((row, all): (&Row, &Row)) -> (Row, bool) {
    if row.first().is_some_and(|word| word & 1 == 1) {
        let mut complement = all.clone();
        restrict(&mut complement, row, true);
        return (complement, true);
    }
    (row.clone(), false)
}

/// Returns the operands of a conjunction without redundant ones.
fn essential(operands: &[Signal], result: &Row, rows: &[Row], all: &Row) -> Vec<Signal> {
    let mut left = operands.to_vec();
    // Gates are tried before inputs.
    for place in (0..left.len()).rev() {
        let mut row = all.clone();
        let others = left.iter().enumerate().filter(|&(other, _)| other != place);
        others.for_each(|(_, s)| restrict(&mut row, &rows[s.gate() as usize], s.is_negated()));
        if row == *result {
            left.remove(place);
        }
    }
    left
}
