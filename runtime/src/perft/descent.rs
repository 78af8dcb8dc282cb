//! Depth-first counting in lanes: from states and the number of ways that lead to each, the numbers
//! of sequences from them.
//!
//! Each level keeps one batch of at most 512 states, and a mark of how far its joint moves have
//! been made. Successors that fill a pass go one level down, whatever their parents are; the last
//! level is only counted. Steps are as many as there are sequences, 512 at a time; memory is a
//! batch for each level.

use crate::{
    cancel::Cancel,
    game::Row,
    lanes::{RowBatch, RowExpansion},
    simd::Isa,
    table::Table,
};

/// States of a level and the work that remains in them.
#[derive(Debug)]
struct Node {
    batch: RowBatch,
    ways: Ways,
    /// The next lane, and how many of its joint moves have been made.
    lane: usize,
    skip: u64,
}

/// The number of paths to the states in lanes: to those before each end, from the end before.
#[derive(Clone, Debug, Default)]
struct Ways(Vec<(u128, usize)>);

impl Ways {
    /// Lanes up to an end.
    fn add(&mut self, ways: u128, end: usize) {
        match self.0.last_mut() {
            Some(last) if last.0 == ways => last.1 = end,
            _ => self.0.push((ways, end)),
        }
    }

    /// The number of paths to a lane, which must be there.
    fn of(&self, lane: usize) -> u128 {
        let place = self.0.partition_point(|&(_, end)| end <= lane);
        self.0[place].0
    }
}

/// Goes through states depth first.
#[derive(Debug)]
pub(super) struct Descent<'t> {
    expansion: RowExpansion<'t>,
    nodes: Vec<Node>,
    /// The ways of what is in the expansion.
    ways: Ways,
    state: Vec<u64>,
    legal: Vec<u64>,
    counts: Box<[u64; RowExpansion::LANES]>,
    states: u64,
    cancel: Cancel,
}

impl<'t> Descent<'t> {
    /// Returns `None` if play never reaches the state, or the table's states cannot be stepped
    /// in lanes.
    pub(super) fn new(table: &'t Table, isa: Isa, state: &[u64], cancel: &Cancel) -> Option<Self> {
        let expansion = RowExpansion::new(table, isa)?;
        expansion.phase(state)?;
        let shape = table.shape();
        Some(Self {
            expansion,
            nodes: Vec::new(),
            ways: Ways::default(),
            state: vec![0; shape.state_words()],
            legal: vec![0; shape.roles * shape.legal_words()],
            counts: Box::new([0; RowExpansion::LANES]),
            states: 0,
            cancel: cancel.clone(),
        })
    }

    /// The number of states whose moves were the last ones counted.
    pub(super) fn states(&self) -> u64 {
        self.states
    }

    /// The number of sequences of this length, at least one, from states after equally many moves;
    /// some number if it is cancelled.
    pub(super) fn count<S: Row>(&mut self, level: &[(S, u128)], length: usize) -> u128 {
        self.states = 0;
        let mut sum: u128 = 0;
        for states in level.chunks(RowExpansion::LANES) {
            let phase = self.load(states);
            if length == 1 {
                self.expansion.count(&mut self.counts);
                sum = sum.saturating_add(self.sum());
                continue;
            }
            self.open(0);
            let mut depth = 0;
            loop {
                if self.cancel.is_cancelled() {
                    return sum;
                }
                if !self.fill(depth, phase + depth) {
                    match depth.checked_sub(1) {
                        Some(above) => depth = above,
                        None => break,
                    }
                } else if depth + 2 == length {
                    self.expansion.count_after(&mut self.counts);
                    sum = sum.saturating_add(self.sum());
                } else {
                    depth += 1;
                    self.descend(depth);
                }
            }
        }
        sum
    }

    /// Shows all successors of states after equally many moves, each with the ways to its parent,
    /// as long as `see` says so. True if it did to the end.
    pub(super) fn successors<S: Row>(
        &mut self,
        level: &[(S, u128)],
        mut see: impl FnMut(&RowBatch, usize, u128) -> bool,
    ) -> bool {
        for states in level.chunks(RowExpansion::LANES) {
            let phase = self.load(states);
            self.open(0);
            while self.fill(0, phase) {
                self.make(1);
                let Node { batch, .. } = &mut self.nodes[1];
                self.expansion.advance_only(batch);
                for lane in 0..batch.len() {
                    if !see(batch, lane, self.ways.of(lane)) {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Fills the expansion with states whose moves are not made. Their phase.
    fn load<S: Row>(&mut self, states: &[(S, u128)]) -> usize {
        let phase = states.first().and_then(|(state, _)| self.expansion.phase(state.as_ref())).unwrap_or(0);
        self.expansion.start(phase);
        self.ways.0.clear();
        for (state, ways) in states {
            self.expansion.push_state(state.as_ref());
            self.ways.add(*ways, self.expansion.len());
        }
        phase
    }

    /// Makes a node of what is loaded.
    fn open(&mut self, depth: usize) {
        self.make(depth);
        let node = &mut self.nodes[depth];
        self.expansion.observe(&mut node.batch);
        node.begin(&mut self.ways);
    }

    /// Makes the moves in the expansion, and a node of their successors.
    fn descend(&mut self, depth: usize) {
        self.make(depth);
        let node = &mut self.nodes[depth];
        self.expansion.advance_legal(&mut node.batch);
        node.begin(&mut self.ways);
    }

    /// Memory for a node.
    fn make(&mut self, depth: usize) {
        if self.nodes.len() == depth {
            let batch = RowBatch::new(self.expansion.shape());
            self.nodes.push(Node { batch, ways: Ways::default(), lane: 0, skip: 0 });
        }
    }

    /// Fills the expansion with joint moves of a node's states. False if there are no more.
    fn fill(&mut self, depth: usize, phase: usize) -> bool {
        let Self { expansion, nodes, ways, state, legal, .. } = self;
        let node = &mut nodes[depth];
        expansion.start(phase);
        ways.0.clear();
        while node.lane < node.batch.len() && !expansion.is_full() {
            node.batch.state(node.lane, state);
            node.batch.legal(node.lane, legal);
            let before = expansion.len();
            let left = expansion.push_legal(state, legal, node.skip);
            let after = expansion.len();
            if after > before {
                ways.add(node.ways.of(node.lane), after);
            }
            node.skip += (after - before) as u64;
            if left == 0 {
                (node.lane, node.skip) = (node.lane + 1, 0);
            }
        }
        !expansion.is_empty()
    }

    /// The numbers counted, each times the ways to where it was counted.
    fn sum(&mut self) -> u128 {
        self.states += self.expansion.len() as u64;
        let mut start = 0;
        let sums = self.ways.0.iter().map(|&(ways, end)| {
            let count: u64 = self.counts[std::mem::replace(&mut start, end)..end].iter().sum();
            ways.saturating_mul(u128::from(count))
        });
        sums.fold(0, u128::saturating_add)
    }
}

impl Node {
    /// Starts with the first of its states, to which these ways lead.
    fn begin(&mut self, ways: &mut Ways) {
        std::mem::swap(&mut self.ways, ways);
        (self.lane, self.skip) = (0, 0);
    }
}
