//! Random play on the net, 64 games at once, which proposes properties to prove.
//!
//! A step computes every gate once and visits every move a constant number of times. It is paid for
//! before it is taken.

use super::imply::depends_on_does;
use crate::meter::Meter;
use crate::propnet::{Gate, Net, Signal};

/// The bounds of the steps that are simulated: the largest for small nets, fewer for large ones.
const STEPS: std::ops::RangeInclusive<usize> = 8..=16;

/// The number of operands that are read in one step of a meter.
const LOOKS: usize = 4;

/// The number of literals that all steps together read in a net of usual size.
const SIMULATED: usize = 1 << 20;

/// Returns the number of steps to simulate, smaller for nets with more literals.
pub(super) fn steps(net: &Net) -> usize {
    (SIMULATED / net.literals().max(1)).clamp(*STEPS.start(), *STEPS.end())
}

/// The steps of a meter that one step of the games costs.
fn cost(net: &Net) -> u64 {
    ((net.len() + net.literals()) / LOOKS + net.does().len() + net.initial.len()) as u64
}

/// A simulation of 64 games, one in each bit of a word: the values of all gates in their states and
/// moves. A game that is over, or in which a role has no legal move, restarts.
pub(super) struct Simulation<'n> {
    net: &'n Net,
    random: u64,
    /// By gate: true if it depends on moves.
    depends_on_does: Vec<bool>,
    values: Vec<u64>,
}

impl<'n> Simulation<'n> {
    /// Creates a simulation in the initial state and draws moves.
    pub(super) fn new(net: &'n Net, meter: &mut Meter) -> Option<Self> {
        meter.take((1 + size_of::<u64>()) * net.len() + size_of::<u64>() * net.initial.len())?;
        meter.spend(cost(net))?;
        let mut simulation =
            Self { net, random: 0, depends_on_does: depends_on_does(net), values: vec![0; net.len()] };
        for (value, &initial) in simulation.values[1..].iter_mut().zip(&net.initial) {
            *value = if initial { u64::MAX } else { 0 };
        }
        simulation.evaluate();
        Some(simulation)
    }

    /// The values of a signal in the 64 games: bit g is the value in game g.
    pub(super) fn value(&self, signal: Signal) -> u64 {
        self.values[signal.gate() as usize] ^ if signal.is_negated() { u64::MAX } else { 0 }
    }

    /// Returns the games in which at least one of the fluents holds, and those in which at least
    /// two do. O(fluents).
    pub(super) fn holders(&self, fluents: &[u32]) -> (u64, u64) {
        fluents.iter().fold((0, 0), |(once, twice), &fluent| {
            let value = self.value(self.net.fluent(fluent as usize));
            (once | value, twice | once & value)
        })
    }

    /// Makes the drawn moves and draws the next ones. O(literals).
    pub(super) fn step(&mut self, meter: &mut Meter) -> Option<()> {
        meter.spend(cost(self.net))?;
        let over = !self.going_on();
        let next: Vec<u64> = self.net.outputs.next.iter().map(|&s| self.value(s)).collect();
        for ((value, next), &initial) in self.values[1..].iter_mut().zip(next).zip(&self.net.initial) {
            *value = next & !over | if initial { over } else { 0 };
        }
        self.evaluate();
        Some(())
    }

    /// Returns the games that are not over and in which every role makes a move. O(moves).
    pub(super) fn going_on(&self) -> u64 {
        let mut can_move = vec![0; self.net.vocabulary.roles.len()];
        for (position, &(role, _)) in self.net.does().iter().enumerate() {
            can_move[role as usize] |= self.value(self.net.does_at(position));
        }
        can_move.into_iter().fold(!self.value(self.net.outputs.terminal), |all, role| all & role)
    }

    /// Draws moves for the present states, and computes all gates.
    fn evaluate(&mut self) {
        let net = self.net;
        let moves = 1 + net.initial.len()..net.inputs();
        self.values[moves].fill(0);
        self.compute(false);
        for (role, legal) in (0u32..).zip(&net.outputs.legal) {
            // Each game visits the legal moves from a random one on, and takes each with
            // probability 1/8. A game that took none takes the first. This is not uniform, but
            // draws for all games at once.
            let start = self.draw() as usize % legal.len().max(1);
            let mut open = u64::MAX;
            for round in 0..2 {
                for &(action, signal) in legal[start..].iter().chain(&legal[..start]) {
                    let taken = if round == 0 { self.draw() & self.draw() & self.draw() } else { u64::MAX };
                    let chosen = self.value(signal) & open & taken;
                    if chosen != 0 {
                        open &= !chosen;
                        self.values[net.does_input(role, action).gate() as usize] |= chosen;
                    }
                }
            }
        }
        self.compute(true);
    }

    /// Computes the gates that depend on moves, or the others.
    fn compute(&mut self, on_does: bool) {
        for gate in self.net.inputs()..self.net.len() {
            if let Gate::And(operands) = self.net.gate(gate as u32)
                && self.depends_on_does[gate] == on_does
            {
                self.values[gate] = operands.iter().fold(u64::MAX, |all, &s| all & self.value(s));
            }
        }
    }

    /// Returns the next random number of splitmix64 (Steele, Lea and Flood 2014).
    fn draw(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.random)
    }
}

/// Mixes the bits of a number by the last step of splitmix64, a bijection.
pub(super) fn mix(number: u64) -> u64 {
    let mixed = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}
