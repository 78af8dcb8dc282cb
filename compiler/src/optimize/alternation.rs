//! Finds cycles that are the same for all moves: their fluents take the same values in every game,
//! though the next values depend on moves. An example is the player to move.
//!
//! Random play proposes fluents that have the same value at each place of a cycle in all games.
//! Induction proves that they follow the cycle: given the values of a place and legal moves,
//! propagation must show the values of the next place. Fluents whose proof fails are dropped, until
//! no proof fails. The induction starts at the initial state, which is the first place.
//!
//! For each length of a cycle, the proofs take at most their [`Budget`].

use super::{budget::Budget, proof::Prover, simulate::Simulation};
use crate::meter::Meter;
use crate::propnet::Net;

/// The values of the fluents at a place of the cycle, if they are known.
type Place = Vec<Option<bool>>;

/// Returns the places of the cycle of at most `longest` steps that the largest number of fluents is
/// proved to follow. If there is none, returns one place without known values.
pub(super) fn cycle(net: &Net, longest: usize, meter: &mut Meter) -> Option<Vec<Place>> {
    let seen = observe(net, 2 * longest, meter)?;
    let mut best = (0, vec![vec![None; net.initial.len()]]);
    for length in 2..seen.len().min(longest + 1) {
        let mut places = seen[..length].to_vec();
        for fluent in 0..net.initial.len() {
            let goes_round = (0..seen.len()).all(|step| {
                seen[step][fluent].is_some() && seen[step][fluent] == places[step % length][fluent]
            });
            if !goes_round || places.iter().all(|place| place[fluent] == places[0][fluent]) {
                places.iter_mut().for_each(|place| place[fluent] = None);
            }
        }
        let count = |places: &[Place]| places[0].iter().flatten().count();
        if count(&places) > best.0 {
            prove(net, &mut places, meter)?;
        }
        let count = count(&places);
        if count > best.0 {
            best = (count, places);
        }
    }
    Some(best.1)
}

/// Simulates steps and returns the state before each: the value of every fluent on which all games
/// that have not ended agree.
fn observe(net: &Net, steps: usize, meter: &mut Meter) -> Option<Vec<Place>> {
    let mut simulation = Simulation::new(net, meter)?;
    let mut going_on = u64::MAX;
    let mut seen = Vec::new();
    while seen.len() <= steps && going_on != 0 {
        meter.spend(net.initial.len() as u64)?;
        meter.take(net.initial.len())?;
        let value = |fluent| match simulation.value(net.fluent(fluent)) & going_on {
            0 => Some(false),
            all if all == going_on => Some(true),
            _ => None,
        };
        seen.push((0..net.initial.len()).map(value).collect());
        going_on &= simulation.going_on();
        simulation.step(meter)?;
    }
    Some(seen)
}

/// Drops the fluents that are not proved to have their values at each place, given the values at
/// the place before.
fn prove(net: &Net, places: &mut [Place], meter: &mut Meter) -> Option<()> {
    let mut prover = Prover::of(net, true, meter)?;
    let mut budget = Budget::new(net);
    loop {
        let known: Vec<usize> = (0..net.initial.len()).filter(|&f| places[0][f].is_some()).collect();
        let mut lost = Vec::new();
        for (at, place) in places.iter().enumerate() {
            let next = &places[(at + 1) % places.len()];
            let mark = prover.mark();
            let holds = |&f: &usize| net.fluent(f).negate_if(place[f] == Some(false));
            if known.iter().map(holds).all(|signal| prover.assume(signal)) {
                let mut follows = |&&f: &&usize| {
                    let signal = net.outputs.next[f].negate_if(next[f] == Some(false));
                    budget.lasts(&prover) && prover.refutes(&[!signal])
                };
                lost.extend(known.iter().filter(|f| !follows(f)).copied());
            }
            prover.undo(mark);
            budget.pay(&prover, meter)?;
        }
        if lost.is_empty() {
            return Some(());
        }
        for place in &mut *places {
            lost.iter().for_each(|&fluent| place[fluent] = None);
        }
    }
}
