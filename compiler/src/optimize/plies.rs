//! Plies: the net of each step of a game that is so small that all its states can be visited.
//!
//! A game that is over after a few moves has a net for each number of moves made, as it has for
//! each phase of a cycle. It need only be right in the states that play reaches by
//! that number of moves, and all of these are known. A gate that has the same value in all of them
//! is a constant, gates that never differ are one, and an operand that changes nothing is left out.
//! Nothing has to be proved. So early plies have no gates for the winner, and at most of them the
//! number of legal moves is known.
//!
//! There are at most [`LONGEST`] plies and [`WORK`] values of gates in all their states and steps:
//! no more joint moves are written down than that leaves, from the initial state on.

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

/// The most values of gates in states and steps that are looked at.
const WORK: usize = 1 << 23;

/// Bytes of a row in addition to its words: its places in a list and in tables.
const ROW: usize = 160;

/// The average length that games must reach, as a percentage of the longest: games that are played
/// together wait for each other.
const BUSY: f64 = 75.0;

/// A game ply by ply.
#[derive(Clone, Debug)]
pub struct Plies {
    /// The net for each number of moves made; after the last number all games are over.
    pub nets: Vec<Net>,
    /// For each number of moves but the last, by role, how many moves are legal, if there are as
    /// many wherever the game goes on.
    pub counts: Vec<Vec<Option<usize>>>,
}

/// The plies of a game. Returns `None` if games may be longer than sixteen moves or are usually
/// much shorter than the longest, there are too many states, a role may have no legal move, or the
/// meter runs out. O(states x gates), and both are few.
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

/// True if random games are all over before long.
fn is_short(net: &Net, meter: &mut Meter) -> Option<bool> {
    let mut simulation = Simulation::new(net, meter)?;
    let mut over = 0;
    for _ in 0..=LONGEST {
        over |= !simulation.going_on();
        simulation.step(meter)?;
    }
    Some(over == u64::MAX)
}

/// The net that is right in some states and steps.
fn narrow(net: &Net, samples: &Samples, meter: &mut Meter) -> Option<Net> {
    open(net, meter)?;
    let (live, depends) = (live(net), depends_on_does(net));
    let [states, steps] = samples.sizes().map(all);
    let words = states.len() + steps.len();
    // Each row is looked up, complemented or not, and what is new is kept.
    meter.take(net.len() * (3 * size_of::<u64>() * words + ROW))?;
    // What is known by its values: in all states, and, of what need only be right where moves are
    // made, in all steps.
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
                // Each operand is left out once, and the others are taken together.
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

/// A row, complemented if that is so for its first sample: then gates that are complements of each
/// other are alike.
fn normal((row, all): (&Row, &Row)) -> (Row, bool) {
    if row.first().is_some_and(|word| word & 1 == 1) {
        let mut complement = all.clone();
        restrict(&mut complement, row, true);
        return (complement, true);
    }
    (row.clone(), false)
}

/// The operands of a conjunction without those that change nothing.
fn essential(operands: &[Signal], result: &Row, rows: &[Row], all: &Row) -> Vec<Signal> {
    let mut left = operands.to_vec();
    // Gates before inputs.
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
