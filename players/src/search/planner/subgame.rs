//! A subgame: all states that one group of a puzzle's fluents can come to, and how many steps each is from what is aimed at.
//!
//! States are visited breadth first from one state on; then distances go back from the states where an aim is reached. A step is
//! what some move does to the group, where the move is legal as far as the group can tell, so each state that the puzzle comes to is
//! among these, and no distance is greater than in the puzzle itself.

use super::{
    factors::{Factors, Group},
    gates::{Gate, LANES, Lanes, NONE, and, needed, not, or, run},
    sweep::End,
};
use crate::search::{meter::Meter, states::States};
use gdl_runtime::bits;
use std::collections::VecDeque;

/// A condition on a group: where all of some signals are set, or any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) group: u32,
    pub(super) is_all: bool,
    pub(super) signals: Vec<u32>,
}

/// Steps between two looks at the clock, about.
const MOST_STEPS: usize = 1 << 13;

/// No way leads to a target.
pub(super) const NEVER: u16 = u16::MAX;

/// The states of a group.
pub(super) struct Subgame {
    group: u32,
    targets: Vec<Target>,
    gates: Vec<Gate>,
    /// The bits of the group's fluents and clocks.
    mask: Vec<u64>,
    states: States,
    /// States from here on were not looked at.
    next: usize,
    /// For each step from one state to another the two.
    edges: Vec<[u32; 2]>,
    /// For each target, while states are visited, those where it is reached; afterwards the distances of all.
    reached: Vec<Vec<u32>>,
    distances: Vec<Vec<u16>>,
}

impl Subgame {
    /// The group's part of a state, and nothing looked at.
    pub(super) fn new(factors: &Factors, group: u32, targets: Vec<Target>, root: &[u64]) -> Self {
        let Group { fluents, clocks, steps, ends } = &factors.groups[group as usize];
        let mut mask = vec![0; root.len()];
        let clock_fluents = clocks.iter().map(|(fluent, _)| fluent);
        fluents.iter().chain(clock_fluents).for_each(|&fluent| bits::set(&mut mask, fluent as usize));
        let signals = steps.iter().flat_map(|step| step.conditions.iter().chain(&step.next));
        let signals = signals.chain(ends).chain(clocks.iter().map(|(_, next)| next));
        let signals = signals.chain(targets.iter().flat_map(|target| &target.signals)).copied();
        let gates = factors.graph.gates();
        let gates = needed(factors.graph.first(), gates.len(), |gate| gates[gate], signals);
        let mut states = States::new(root.len());
        states.insert(&masked(root, &mask));
        let reached = vec![Vec::new(); targets.len()];
        let (edges, distances) = (Vec::new(), Vec::new());
        Self { group, targets, gates, mask, states, next: 0, edges, reached, distances }
    }

    /// Looks at more states, until all were looked at, the meter is over or has counted so many nodes in all, or there is no room for
    /// them in so many bytes.
    pub(super) fn go_on(
        &mut self,
        factors: &Factors,
        may: &mut [Lanes],
        meter: &mut Meter,
        end: u64,
        bytes: usize,
    ) -> End {
        while self.next < self.states.len() {
            // Lists grow by doubling.
            if self.bytes() > bytes / 2 {
                return End::Full;
            }
            if meter.nodes() >= end || meter.is_over() {
                return End::Paused;
            }
            self.look(factors, may, meter);
        }
        if self.distances.is_empty() {
            self.measure();
        }
        End::Done
    }

    /// How many states are known.
    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    /// Looks at as many states as there are lanes, fewer where they have many steps.
    fn look(&mut self, factors: &Factors, may: &mut [Lanes], meter: &mut Meter) {
        let Group { fluents, clocks, steps, ends } = &factors.groups[self.group as usize];
        let most = (MOST_STEPS / steps.len().max(1)).clamp(1, LANES);
        let last = self.states.len().min(self.next + most);
        let mut used = NONE;
        (0..last - self.next).for_each(|lane| used[lane / 64] |= 1 << (lane % 64));
        (may[0], may[1]) = (NONE, used);
        // Of fluents of other groups, and clocks that only a target asks for, nothing is known.
        for fluent in 0..factors.fluents() {
            may[2 * (1 + fluent)] = if bits::test(&self.mask, fluent) { NONE } else { used };
            may[2 * (1 + fluent) + 1] = used;
        }
        let words = self.mask.len();
        for (lane, row) in self.states.rows(self.next, last).chunks(words).enumerate() {
            for fluent in bits::ones(row) {
                may[2 * (1 + fluent)][lane / 64] |= 1 << (lane % 64);
            }
        }
        for fluent in bits::ones(&self.mask) {
            may[2 * (1 + fluent) + 1] = and(used, not(may[2 * (1 + fluent)]));
        }
        run(may, &self.gates);
        let set = |signal: &u32| may[*signal as usize];
        for (target, reached) in self.targets.iter().zip(&mut self.reached) {
            let signals = target.signals.iter().map(set);
            let lanes = if target.is_all { signals.fold(used, and) } else { signals.fold(NONE, or) };
            reached.extend(bits::ones(&lanes).map(|lane| (self.next + lane) as u32));
        }
        let over = ends.iter().map(set).fold(NONE, or);
        let open = and(used, not(over));
        let mut row = vec![0; words];
        for step in steps {
            let lanes = step.conditions.iter().map(set).fold(open, and);
            meter.spend(bits::count(&lanes) as u64);
            for lane in bits::ones(&lanes) {
                row.fill(0);
                let next = fluents.iter().zip(&step.next);
                for (&fluent, signal) in next.chain(clocks.iter().map(|(fluent, next)| (fluent, next))) {
                    if may[*signal as usize][lane / 64] >> (lane % 64) & 1 == 1 {
                        bits::set(&mut row, fluent as usize);
                    }
                }
                let (from, to) = ((self.next + lane) as u32, self.states.insert(&row));
                if from != to {
                    self.edges.push([from, to]);
                }
            }
        }
        self.next = last;
    }

    /// Finds the distances of all states from each target.
    fn measure(&mut self) {
        let count = self.states.len();
        // The steps to each state.
        let mut starts = vec![0_u32; count + 1];
        for &[_, to] in &self.edges {
            starts[to as usize + 1] += 1;
        }
        for place in 0..count {
            starts[place + 1] += starts[place];
        }
        let mut sources = vec![0; self.edges.len()];
        let mut places = starts.clone();
        for [from, to] in std::mem::take(&mut self.edges) {
            sources[places[to as usize] as usize] = from;
            places[to as usize] += 1;
        }
        for reached in std::mem::take(&mut self.reached) {
            let mut distances = vec![NEVER; count];
            reached.iter().for_each(|&state| distances[state as usize] = 0);
            let mut pending = VecDeque::from(reached);
            while let Some(state) = pending.pop_front() {
                let distance = (distances[state as usize] + 1).min(NEVER - 1);
                let range = starts[state as usize] as usize..starts[state as usize + 1] as usize;
                for &source in &sources[range] {
                    if distances[source as usize] == NEVER {
                        distances[source as usize] = distance;
                        pending.push_back(source);
                    }
                }
            }
            self.distances.push(distances);
        }
    }

    /// For each target how many steps a state is from it at least.
    pub(super) fn distances(&self, row: &[u64]) -> impl Iterator<Item = u16> {
        let number = self.states.find(&masked(row, &self.mask));
        // A state that was not visited is one of which nothing is known.
        self.distances.iter().map(move |distances| number.map_or(0, |number| distances[number as usize]))
    }

    /// Bytes in use, or about to be.
    pub(super) fn bytes(&self) -> usize {
        let states = self.states.len();
        self.states.bytes() + 12 * self.edges.capacity() + states * (8 + 6 * self.targets.len())
    }
}

fn masked(row: &[u64], mask: &[u64]) -> Vec<u64> {
    row.iter().zip(mask).map(|(word, mask)| word & mask).collect()
}
