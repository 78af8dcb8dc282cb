//! Fluents that no play reaches, though rules make them of others: a general beyond its palace, the pawns of a row that none goes back to.
//!
//! Reached are the fluents of the initial state and of random play, and each of which the next value may be true where a move is made
//! in a state in which none but reached ones hold, and no two of a mutex group. "May be true" is tried by cases: the operands of a
//! conjunction hold with it, a move with its legality and alone of its role; of a disjunction one operand may hold with all that is
//! assumed so far. That forgets what disjunctions say together, so a fluent may be reached that never holds, and none that
//! holds is missed, by induction over the steps of a play. (Relaxed reachability is what planners begin with, Hoffmann and Nebel
//! 2001; mutexes make it sharper.)
//!
//! The input is a net, the output one without the fluents that are not reached, if these are many enough. What each move makes of the next state is
//! asked of its [`effects`](super::effects), and these prove the mutex groups, which come in [`families`](super::families).
//!
//! What does not hold waits for the fluents that it was found to want, and is tried again only if one of them is reached. A trial
//! may take [`EACH`] steps, after which its fluent is reached, and all trials [`STEPS`] for each literal of the net, after which nothing
//! is dropped.

use super::{
    effects::{Effects, effects},
    families::{candidates, kept, largest},
    rebuild::{inputs, open, same, substitute},
    simulate::{Simulation, steps},
};
use crate::meter::Meter;
use crate::propnet::{Gate, MutexGroup, Net, Signal};

/// Literals from which on a net is looked at: what is smaller plays fast in any case, and few games have such fluents.
const LARGE: usize = 200_000;

/// One fluent in so many has to go for the net to be made again.
const WORTH: usize = 16;

/// Steps of all trials for each gate and literal of the net, and of how many of these at most; xiangqi takes 4.
const STEPS: (u64, u64) = (6, 1 << 19);

/// Steps of one trial, after which it may hold.
const EACH: u64 = 1_000;

/// Disjunctions inside each other that are looked into; those below may hold.
const DEPTH: usize = 4;

/// [`drop_unreached`] for large nets; others stay as they are.
pub fn drop_unreached_of_large(net: &Net, meter: &mut Meter) -> Option<Net> {
    if net.literals() >= LARGE {
        return drop_unreached(net, meter);
    }
    open(net, meter)?;
    same(net, meter)
}

/// The net without the fluents that no play reaches, if these are many. O(literals), with a large factor.
pub fn drop_unreached(net: &Net, meter: &mut Meter) -> Option<Net> {
    open(net, meter)?;
    let reached = reached(net, meter)?;
    if !are_many_missing(net, &reached) {
        return same(net, meter);
    }
    let mut signals = inputs(net);
    for (signal, _) in signals[1..].iter_mut().zip(&reached).filter(|(_, reached)| !**reached) {
        *signal = Signal::FALSE;
    }
    let mut smaller = substitute(net, signals, meter)?;
    for (next, _) in smaller.outputs.next.iter_mut().zip(&reached).filter(|(_, reached)| !**reached) {
        *next = Signal::FALSE;
    }
    smaller.sweep();
    Some(smaller)
}

/// By fluent, if a play may reach it; all are reached if it takes too much to tell.
fn reached(net: &Net, meter: &mut Meter) -> Option<Vec<bool>> {
    let all = vec![true; net.initial.len()];
    let (seen, mut groups) = observe(net, meter)?;
    if !are_many_missing(net, &seen) {
        return Some(all);
    }
    let effects = effects(net, &groups, meter)?;
    if !effects.is_complete {
        return Some(all);
    }
    let kept = kept(net, &effects, &groups, meter)?;
    if !effects.premises.iter().all(|&group| kept[group]) {
        return Some(all);
    }
    let mut kept = kept.into_iter();
    groups.retain(|_| kept.next() == Some(true));
    let mut reach = Reach::new(net, &groups, seen, meter)?;
    let is_finished = reach.spread(&effects, meter)?;
    Some(if is_finished { reach.reached } else { all })
}

/// The fluents that hold in random play, and the groups that it does not break.
fn observe(net: &Net, meter: &mut Meter) -> Option<(Vec<bool>, Vec<MutexGroup>)> {
    let mut groups = candidates(net, meter)?;
    let mut seen = net.initial.clone();
    let mut simulation = Simulation::new(net, meter)?;
    for _ in 0..steps(net) {
        let members: usize = groups.iter().map(|group| group.members.len()).sum();
        meter.spend((net.initial.len() + members) as u64)?;
        for (fluent, seen) in seen.iter_mut().enumerate() {
            *seen |= simulation.value(net.fluent(fluent)) != 0;
        }
        groups.retain(|group| simulation.holders(&group.members).1 == 0);
        simulation.step(meter)?;
    }
    Some((seen, largest(net, groups, meter)?))
}

/// True if enough fluents are not reached, but for those that no rule makes.
fn are_many_missing(net: &Net, reached: &[bool]) -> bool {
    let made = |fluent: &usize| net.outputs.next[*fluent] != Signal::FALSE;
    let missing = (0..reached.len()).filter(|&fluent| !reached[fluent]).filter(made).count();
    missing > 0 && missing >= reached.len() / WORTH
}

/// A fluent, the input of a move, and what is left of the next value of the fluent where that is made.
type Cause = (u32, Signal, Signal);

/// What is reached so far, and what is assumed of a state and the moves made in it.
struct Reach<'n> {
    net: &'n Net,
    reached: Vec<bool>,
    /// By fluent: what is to be tried again when it is reached.
    waiting: Vec<Vec<Cause>>,
    /// By fluent: if the game is over where it holds.
    ends: Vec<bool>,
    /// By `does` input: its legality.
    legal: Vec<Signal>,
    /// By fluent: its mutex groups. By group: if one of its members is assumed to hold. By role: if it is assumed to make a move.
    groups_of: Vec<Vec<u32>>,
    is_held: Vec<bool>,
    has_moved: Vec<bool>,
    /// By gate, if it is assumed to be true, and those that are.
    assumed: Vec<bool>,
    trail: Vec<u32>,
    /// The fluents that would have helped the rule that is tried.
    wanted: Vec<u32>,
    work: u64,
    allowed: u64,
    /// Steps after which what is tried may hold.
    end: u64,
}

impl<'n> Reach<'n> {
    fn new(net: &'n Net, groups: &[MutexGroup], reached: Vec<bool>, meter: &mut Meter) -> Option<Self> {
        let fluents = net.initial.len();
        let members: usize = groups.iter().map(|group| group.members.len()).sum();
        meter.spend((net.len() + members + fluents) as u64)?;
        meter.take(net.len() + 64 * fluents + 8 * members + 16 * groups.len() + 4 * net.does().len())?;
        let mut groups_of = vec![Vec::new(); fluents];
        for (number, group) in (0u32..).zip(groups) {
            group.members.iter().for_each(|&fluent| groups_of[fluent as usize].push(number));
        }
        let mut ends = vec![false; fluents];
        for s in net.conjuncts(!net.outputs.terminal) {
            if let (true, Gate::Fluent(fluent)) = (s.is_negated(), net.gate(s.gate())) {
                ends[fluent as usize] = true;
            }
        }
        Some(Self {
            net,
            reached,
            waiting: vec![Vec::new(); fluents],
            ends,
            legal: net.legality(),
            groups_of,
            is_held: vec![false; groups.len()],
            has_moved: vec![false; net.vocabulary.roles.len()],
            assumed: vec![false; net.len()],
            trail: Vec::new(),
            wanted: Vec::new(),
            work: 0,
            allowed: STEPS.0 * ((net.literals() + net.len()) as u64).min(STEPS.1),
            end: 0,
        })
    }

    /// Finds all that is reached; false if that takes more steps than it may.
    fn spread(&mut self, effects: &Effects, meter: &mut Meter) -> Option<bool> {
        for case in &effects.cases {
            for (fluent, &left) in (0u32..).zip(&case.still) {
                self.follow((fluent, Signal::TRUE, left), meter)?;
            }
            for (input, changes) in &case.moves {
                for &(fluent, left) in changes {
                    self.follow((fluent, *input, left), meter)?;
                }
            }
        }
        Some(self.work <= self.allowed)
    }

    /// Tries a cause, and those that wait for its fluent.
    fn follow(&mut self, cause: Cause, meter: &mut Meter) -> Option<()> {
        let mut due = vec![cause];
        while let Some((fluent, input, left)) = due.pop() {
            let before = self.work;
            self.work += 1;
            if self.reached[fluent as usize] || self.work > self.allowed {
                meter.spend(1)?;
                continue;
            }
            self.wanted.clear();
            self.end = self.work + EACH;
            // What is left is looked at first: mostly it is a fluent that is not reached.
            if self.may_hold(&[input, left], DEPTH) {
                self.reached[fluent as usize] = true;
                due.append(&mut self.waiting[fluent as usize]);
            } else {
                self.wanted.sort_unstable();
                self.wanted.dedup();
                meter.take(size_of::<Cause>() * self.wanted.len())?;
                for &other in self.wanted.iter().filter(|&&other| other != fluent) {
                    self.waiting[other as usize].push((fluent, input, left));
                }
            }
            meter.spend(self.work - before)?;
        }
        Some(())
    }

    /// True if signals may hold with what is assumed, or the steps of the trial are used up. Assumes nothing afterwards. Recurses `depth` times at
    /// most.
    fn may_hold(&mut self, signals: &[Signal], depth: usize) -> bool {
        let mark = self.trail.len();
        let mut complements = Vec::new();
        let possible = self.assume(signals, &mut complements)
            && complements.iter().all(|&complement| self.may_be_false(complement, depth));
        for gate in self.trail.drain(mark..) {
            self.assumed[gate as usize] = false;
            match self.net.gate(gate) {
                Gate::Fluent(fluent) => {
                    self.groups_of[fluent as usize]
                        .iter()
                        .for_each(|&group| self.is_held[group as usize] = false);
                }
                Gate::Does { role, .. } => self.has_moved[role as usize] = false,
                _ => {}
            }
        }
        possible
    }

    /// True if a gate may be false with what is assumed.
    fn may_be_false(&mut self, gate: u32, depth: usize) -> bool {
        self.work += 1;
        match self.net.gate(gate) {
            _ if self.assumed[gate as usize] => false,
            Gate::And(operands) if depth > 0 => operands.iter().any(|&s| self.may_hold(&[!s], depth - 1)),
            _ => true,
        }
    }

    /// Assumes signals and what follows from them: the operands of conjunctions, the legality of moves. The gates that have to be
    /// false are added to `complements`. False if that is impossible.
    fn assume(&mut self, signals: &[Signal], complements: &mut Vec<u32>) -> bool {
        let mut due = signals.to_vec();
        while let Some(signal) = due.pop() {
            self.work += 1;
            let gate = signal.gate();
            if signal == Signal::FALSE {
                return false;
            }
            if signal.is_negated() {
                complements.push(gate);
                continue;
            }
            if self.work > self.end || self.assumed[gate as usize] {
                continue;
            }
            match self.net.gate(gate) {
                Gate::Fluent(fluent) if !self.may_hold_too(fluent) => return false,
                Gate::Does { role, .. } => {
                    if std::mem::replace(&mut self.has_moved[role as usize], true) {
                        return false;
                    }
                    due.push(self.legal[gate as usize - 1 - self.net.initial.len()]);
                }
                Gate::And(operands) => due.extend(operands),
                _ => {}
            }
            self.assumed[gate as usize] = true;
            self.trail.push(gate);
        }
        true
    }

    /// Notes that a fluent holds in its groups; false if it is not reached, ends the game, or another one of a group holds.
    fn may_hold_too(&mut self, fluent: u32) -> bool {
        if !self.reached[fluent as usize] {
            self.wanted.push(fluent);
            return false;
        }
        let groups = &self.groups_of[fluent as usize];
        self.work += groups.len() as u64;
        if self.ends[fluent as usize] || groups.iter().any(|&group| self.is_held[group as usize]) {
            return false;
        }
        groups.iter().for_each(|&group| self.is_held[group as usize] = true);
        true
    }
}
