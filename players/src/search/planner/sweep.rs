//! A sweep through the states of a puzzle that stores each state with its parent: breadth first,
//! breadth first by novelty, or best first.
//!
//! Each state is expanded once. States and queues take no more bytes than given; a sweep without
//! room ends.

use super::{Goal, Problem, novelty::Novelty, steps::Steps};
use crate::search::{meter::Meter, states::States};
use gdl_runtime::{Game, game::Id};
use std::{cmp::Reverse, collections::BinaryHeap};

/// The number that stands for no state.
const NONE: u32 = u32::MAX;

/// The order in which a sweep expands states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Breadth first: the first goal found is the nearest, and the sweep visits all states.
    Breadth,
    /// Breadth first, without states that have no new fluent.
    Fluents,
    /// Breadth first, without states that have no new pair of fluents.
    Pairs,
    /// Best first: first states with a fluent that is new at their distance from the goal, then the
    /// nearest states (Lipovetzky and Geffner, "Best-first width search: exploration and
    /// exploitation in classical planning", 2017).
    Best,
}

/// The reason why a turn of a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The nodes of the turn are spent, or the goal is reached.
    Paused,
    /// All states that the order allows were expanded.
    Done,
    /// The bytes are spent.
    Full,
}

/// The number of distances for which novelty is computed; greater distances have none.
const MOST_DISTANCES: usize = 256;

/// The number of states expanded together. It is smaller for best-first order, where each expansion
/// may change the next best states.
const BLOCK: usize = 128;
const BEST_BLOCK: usize = 16;

pub(super) struct Sweep {
    order: Order,
    states: States,
    parents: Vec<u32>,
    actions: Vec<u32>,
    /// The next state to expand, if the order is breadth first.
    next: usize,
    /// The queue of best-first order: for each state, true if nothing is new, the distance, and the
    /// index of the state.
    heap: BinaryHeap<Reverse<(bool, u16, u32)>>,
    novelty: Option<Novelty>,
    /// The novelty of each distance.
    near: Vec<Option<Novelty>>,
    bytes: usize,
    /// The number of states that were found to be lost, and the number of tested ones.
    lost: (u64, u64),
    is_full: bool,
}

impl Sweep {
    /// Creates a sweep from `root`. Returns `None` if its novelty takes more than half of `bytes`.
    pub(super) fn new(problem: &Problem, root: &[u64], order: Order, bytes: usize) -> Option<Self> {
        let fluents = problem.shape.fluents;
        let novelty = match order {
            Order::Breadth | Order::Best => None,
            Order::Fluents => Some(Novelty::new(fluents, false, bytes / 2)?),
            Order::Pairs => Some(Novelty::new(fluents, true, bytes / 2)?),
        };
        let mut sweep = Self {
            order,
            states: States::new(root.len()),
            parents: Vec::new(),
            actions: Vec::new(),
            next: 0,
            heap: BinaryHeap::new(),
            novelty,
            near: (0..MOST_DISTANCES).map(|_| None).collect(),
            bytes,
            lost: (0, 0),
            is_full: false,
        };
        let none = vec![0; root.len()];
        sweep.novelty.iter_mut().for_each(|novelty| {
            novelty.meet(root, &none);
        });
        sweep.add(root, NONE, NONE, (true, 0));
        Some(sweep)
    }

    fn add(&mut self, row: &[u64], parent: u32, action: u32, (is_old, distance): (bool, u16)) {
        let number = self.states.insert(row);
        self.parents.push(parent);
        self.actions.push(action);
        if self.order == Order::Best {
            self.heap.push(Reverse((is_old, distance, number)));
        }
    }

    /// Returns the bytes in use.
    pub(super) fn bytes(&self) -> usize {
        let near: usize = self.near.iter().flatten().map(Novelty::bytes).sum();
        self.states.bytes()
            + 4 * (self.parents.capacity() + self.actions.capacity())
            + 8 * self.heap.capacity()
            + self.novelty.as_ref().map_or(0, Novelty::bytes)
            + near
    }

    /// Expands states until the meter has counted `nodes` further nodes. Goals are recorded in the
    /// problem.
    pub(super) fn go_on<G: Game>(
        &mut self,
        problem: &mut Problem,
        steps: &mut Steps<'_, G>,
        meter: &mut Meter,
        nodes: u64,
    ) -> End {
        let end = meter.nodes() + nodes;
        let mut chosen: Vec<u32> = Vec::new();
        let mut rows: Vec<u64> = Vec::new();
        while meter.nodes() < end && !meter.is_over() {
            // A list may double when it grows, so half of the bytes is the limit.
            self.is_full |= self.bytes() > self.bytes / 2 || self.states.len() >= NONE as usize / 2;
            if self.is_full {
                return End::Full;
            }
            chosen.clear();
            rows.clear();
            if self.order == Order::Best {
                while let (true, Some(Reverse((_, _, number)))) =
                    (chosen.len() < BEST_BLOCK.min(steps.most()), self.heap.pop())
                {
                    chosen.push(number);
                    rows.extend(self.states.row(number));
                }
            } else {
                let last = self.states.len().min(self.next + BLOCK.min(steps.most()));
                chosen.extend(self.next as u32..last as u32);
                rows.extend(self.states.rows(self.next, last));
            }
            if chosen.is_empty() {
                return End::Done;
            }
            let mut done = 0;
            while done < chosen.len() {
                let looked = steps.look(&rows[done * steps.words()..], steps.most());
                for place in 0..looked {
                    let number = chosen[done + place];
                    if let Some(value) = self.take(problem, steps, place, number, meter)
                        && problem.tell(Goal { value, plan: self.plan(number) })
                    {
                        return End::Paused;
                    }
                }
                done += looked;
                if meter.is_over() {
                    // Chosen states that were not expanded return to the queue.
                    for &number in &chosen[done..] {
                        if self.order == Order::Best {
                            self.heap.push(Reverse((false, 0, number)));
                        }
                    }
                    break;
                }
            }
            self.next += done;
        }
        End::Paused
    }

    /// Expands a state of the block. Returns its goal if it is terminal.
    fn take<G: Game>(
        &mut self,
        problem: &mut Problem,
        steps: &Steps<'_, G>,
        place: usize,
        number: u32,
        meter: &mut Meter,
    ) -> Option<u8> {
        if let Some(goal) = steps.goal(place) {
            meter.spend(1);
            return Some(goal);
        }
        let (moves, rows) = steps.of(place);
        let words = steps.words();
        meter.spend(1 + moves.len() as u64);
        let mut fresh: Vec<(u32, usize)> = Vec::with_capacity(moves.len());
        let before = self.states.row(number).to_vec();
        for (step, (action, row)) in moves.iter().zip(rows.chunks(words)).enumerate() {
            let is_new = self.states.find(row).is_none()
                && self.novelty.as_mut().is_none_or(|novelty| novelty.meet(row, &before));
            if is_new {
                fresh.push((action.index() as u32, step));
            }
        }
        if self.order != Order::Best {
            for (action, step) in fresh {
                let row = &rows[step * words..][..words];
                if self.states.find(row).is_none() {
                    self.add(row, number, action, (false, 0));
                }
            }
            return None;
        }
        self.drop_lost(problem, rows, words, &mut fresh);
        let wanted: Vec<u64> =
            fresh.iter().flat_map(|&(_, step)| &rows[step * words..][..words]).copied().collect();
        let distances = problem.distances(&wanted, words);
        for (((action, _), row), distance) in fresh.into_iter().zip(wanted.chunks(words)).zip(distances) {
            if self.states.find(row).is_some() {
                continue;
            }
            let mut is_old = true;
            if let Some(near) = self.near.get_mut(usize::from(distance)) {
                if near.is_none() {
                    *near = Novelty::new(problem.shape.fluents, false, self.bytes / MOST_DISTANCES);
                }
                is_old = !near.as_mut().is_some_and(|near| near.meet(row, &before));
            }
            self.add(row, number, action, (is_old, distance));
        }
        None
    }

    /// Drops steps to lost states. Stops testing if more than 4096 states were tested and fewer
    /// than one in 64 was lost.
    fn drop_lost(
        &mut self,
        problem: &mut Problem,
        rows: &[u64],
        words: usize,
        fresh: &mut Vec<(u32, usize)>,
    ) {
        let (lost, of) = self.lost;
        if (of > 4096 && lost * 64 < of) || fresh.is_empty() {
            return;
        }
        let open = problem.open(fresh.iter().map(|&(_, step)| &rows[step * words..][..words]));
        let mut place = 0;
        let before = fresh.len();
        fresh.retain(|_| {
            place += 1;
            open[place - 1]
        });
        self.lost = (lost + (before - fresh.len()) as u64, of + before as u64);
    }

    /// Returns the moves from the root to a state.
    fn plan(&self, number: u32) -> Vec<u32> {
        let mut plan = Vec::new();
        let mut at = number;
        while self.parents[at as usize] != NONE {
            plan.push(self.actions[at as usize]);
            at = self.parents[at as usize];
        }
        plan.reverse();
        plan
    }
}
