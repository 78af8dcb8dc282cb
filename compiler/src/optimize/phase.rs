//! Phases: fluents that follow a fixed cycle no matter which moves are made, and the net at each
//! phase.
//!
//! In most games the players take turns, so half of the net is idle in any state. A fluent belongs
//! to a cycle if its next value depends only on fluents of the cycle, and on no move. Simulation
//! from the initial state finds the cycle, and the number of steps from there gives the phase of a
//! state. At each phase these fluents are constants, and so are other inputs ([`known`]), such as
//! the moves of roles without a choice. If there is no such fluent, [`alternation`] searches for
//! fluents that follow a cycle for all legal moves.
//!
//! Finding the cycle takes [`LONGEST`] steps of simulation, and each step visits every gate. There
//! are at most [`LONGEST`] phases, and each runs passes on its net.

use super::{
    alternation, complement,
    constants::{fold, known},
    factor,
    rebuild::open,
    share,
    users::Users,
};
use crate::meter::Meter;
use crate::propnet::{Gate, Net, Signal};
use gdl_format::lanes::Cycle;

/// The longest cycle considered. Each phase has a net, and games that are played together wait for
/// the start of the cycle.
const LONGEST: usize = 4;

/// The nets of a cycle, and the fluents that distinguish its phases.
#[derive(Clone, Debug)]
pub struct Phases {
    /// The net at each phase, starting with that of the initial state. There are at least two.
    pub nets: Vec<Net>,
    /// The fluents that distinguish the phases. They stay in the vocabulary, but no gate of the
    /// nets reads them.
    pub cycle: Cycle,
}

/// Makes the net at each phase of the cycle. Returns `None` if there is no cycle or the meter runs
/// out. O(literals x length).
pub fn phases(net: &Net, meter: &mut Meter) -> Option<Phases> {
    let cycle = turn_cycle(net, meter)?;
    if cycle.values.len() == 1 {
        return None;
    }
    let mut phases = fold_phases(net, &cycle, meter)?;
    for net in &mut phases.nets {
        *net = share(&factor(&complement(net, meter)?, meter)?, meter)?;
    }
    Some(phases)
}

/// Makes the net at each phase of a cycle by folding the inputs known there, without other passes.
/// Returns `None` if the meter runs out. O(literals x length).
pub fn fold_phases(net: &Net, cycle: &Cycle, meter: &mut Meter) -> Option<Phases> {
    let known = known(net, cycle, meter)?;
    let nets = known.iter().map(|known| fold(net, known, meter)).collect::<Option<_>>()?;
    Some(Phases { nets, cycle: cycle.clone() })
}

/// Finds the cycle that the largest number of fluents follows; a single phase if there is none.
pub(super) fn turn_cycle(net: &Net, meter: &mut Meter) -> Option<Cycle> {
    open(net, meter)?;
    // Each step finds the dependents of gates and computes all values.
    meter.spend(LONGEST as u64 * (2 * net.len() + 3 * net.literals()) as u64)?;
    let looks = 40 * net.len() + size_of::<Signal>() * net.literals();
    meter.take(looks)?;
    let mut phases = cycle(net);
    meter.give(looks);
    if phases.len() == 1 {
        phases = alternation::cycle(net, LONGEST, meter)?;
    }
    if phases.len() == 1 {
        // Constant fluents are folded already.
        return Some(Cycle::still());
    }
    let goes_round = |&fluent: &u32| {
        let values = || phases.iter().map(|phase| phase[fluent as usize]);
        values().all(|value| value.is_some()) && values().any(|value| value != phases[0][fluent as usize])
    };
    let fluents: Vec<u32> = (0..net.initial.len() as u32).filter(goes_round).collect();
    let of = |phase: &Vec<Option<bool>>| fluents.iter().map(|&f| phase[f as usize] == Some(true)).collect();
    Some(Cycle { values: phases.iter().map(of).collect(), fluents })
}

/// Returns the values of the fluents at the phases of the cycle that the largest number of fluents
/// follows. Fluents that do not follow the cycle have no value.
fn cycle(net: &Net) -> Vec<Vec<Option<bool>>> {
    let dependents = Dependents::new(net);
    let moves = 1 + net.initial.len()..net.inputs();
    let free = dependents.reached(moves.map(|gate| gate as u32).collect());
    let mut values: Vec<bool> = net.initial.clone();
    let mut phases: Vec<Vec<bool>> = Vec::new();
    let mut best: (usize, Vec<bool>) = (1, vec![true; net.len()]);
    let mut most = 0;
    for length in 1..=LONGEST {
        phases.push(values.clone());
        values = step(net, &free, &values);
        // Fluents that do not have their initial values again after the cycle, and the dependents
        // of these fluents, do not follow the cycle.
        let differs = |&fluent: &usize| values[fluent] != net.initial[fluent];
        let mut astray: Vec<u32> =
            (0..values.len()).filter(differs).map(|fluent| 1 + fluent as u32).collect();
        astray.extend((0..net.len() as u32).filter(|&gate| free[gate as usize]));
        let astray = dependents.reached(astray);
        let count = astray[1..=values.len()].iter().filter(|&&astray| !astray).count();
        if count > most {
            (most, best) = (count, (length, astray));
        }
    }
    let (length, astray) = best;
    let known = |(fluent, &value): (usize, &bool)| (!astray[1 + fluent]).then_some(value);
    phases.iter().take(length).map(|phase| phase.iter().enumerate().map(known).collect()).collect()
}

/// The dependents of each gate: other gates in the same state, and fluents of the next state.
struct Dependents {
    users: Users,
    followers: Vec<Vec<u32>>,
}

impl Dependents {
    fn new(net: &Net) -> Self {
        let mut followers = vec![Vec::new(); net.len()];
        for (fluent, next) in (1u32..).zip(&net.outputs.next) {
            followers[next.gate() as usize].push(fluent);
        }
        Self { users: Users::new(net), followers }
    }

    /// Returns the gates that depend on some of `gates`, in the same state or a later one.
    fn reached(&self, mut gates: Vec<u32>) -> Vec<bool> {
        let mut reached = vec![false; self.followers.len()];
        while let Some(gate) = gates.pop() {
            if !std::mem::replace(&mut reached[gate as usize], true) {
                gates.extend(self.users.of(gate).iter().map(|user| user.gate()));
                gates.extend_from_slice(&self.followers[gate as usize]);
            }
        }
        reached
    }
}

/// Computes the next values of the fluents. Gates that are `free`, which depend on moves, count as
/// false.
fn step(net: &Net, free: &[bool], fluents: &[bool]) -> Vec<bool> {
    let mut values = vec![false; net.len()];
    for gate in 0..net.len() {
        values[gate] = match net.gate(gate as u32) {
            Gate::Fluent(fluent) => fluents[fluent as usize],
            Gate::And(operands) if !free[gate] => {
                operands.iter().all(|s| values[s.gate() as usize] != s.is_negated())
            }
            _ => false,
        };
    }
    let next = net.outputs.next.iter();
    next.map(|s| values[s.gate() as usize] != s.is_negated()).collect()
}
