//! Depth-first counting of sequences in lanes, from states with the number of paths to each.
//!
//! Each level keeps one batch of at most 512 states, with the position of the next joint move. A
//! pass makes joint moves of several parents together, and their successors go one level down; the
//! last level is only counted. The number of steps is the number of sequences, 512 at a time.
//! Memory is a batch for each level.

use crate::{
    cancel::Cancel,
    game::Row,
    lanes::{RowBatch, RowExpansion},
    simd::Isa,
    table::Table,
};

/// A batch of states and the position of the next joint move in it.
#[derive(Debug)]
struct BatchNode {
    batch: RowBatch,
    ways: Ways,
    /// The next lane, and the number of its joint moves that were made.
    lane: usize,
    skip: u64,
}

/// The numbers of paths to the states in lanes, run-length encoded: each number with the lane after
/// its last one.
#[derive(Clone, Debug, Default)]
struct Ways(Vec<(u128, usize)>);

impl Ways {
    /// Appends lanes up to an end, all with the same number of paths.
    fn add(&mut self, ways: u128, end: usize) {
        match self.0.last_mut() {
            Some(last) if last.0 == ways => last.1 = end,
            _ => self.0.push((ways, end)),
        }
    }

    /// The number of paths to a lane, which must be below the last end.
    fn of(&self, lane: usize) -> u128 {
        let place = self.0.partition_point(|&(_, end)| end <= lane);
        self.0[place].0
    }
}

/// A depth-first counter in lanes.
#[derive(Debug)]
pub(super) struct Descent<'t> {
    expansion: RowExpansion<'t>,
    nodes: Vec<BatchNode>,
    /// The numbers of paths to the states in the expansion.
    ways: Ways,
    state: Vec<u64>,
    legal: Vec<u64>,
    counts: Box<[u64; RowExpansion::LANES]>,
    states: u64,
    cancel: Cancel,
}

impl<'t> Descent<'t> {
    /// Creates a counter. Returns `None` if the state is at no phase of the cycle, or the table's
    /// states cannot be stepped in lanes.
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

    /// The number of states whose joint moves were counted last.
    pub(super) fn states(&self) -> u64 {
        self.states
    }

    /// The number of sequences of this length, at least one, from states after the same number of
    /// moves. The result is meaningless after cancellation.
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

    /// Calls `see` with each successor of some states and the number of paths to its parent, until
    /// `see` returns false. Returns true if it never did. All states must be after the same number
    /// of moves.
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
                let BatchNode { batch, .. } = &mut self.nodes[1];
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

    /// Fills the expansion with states without moves. Returns their phase.
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

    /// Makes a node of the states in the expansion.
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

    /// Allocates the node of a level if needed.
    fn make(&mut self, depth: usize) {
        if self.nodes.len() == depth {
            let batch = RowBatch::new(self.expansion.shape());
            self.nodes.push(BatchNode { batch, ways: Ways::default(), lane: 0, skip: 0 });
        }
    }

    /// Fills the expansion with joint moves of a node's states. Returns false if none are left.
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

    /// The sum of the counts in lanes, each times the number of paths to its state.
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

impl BatchNode {
    /// Restarts at the first state, with new numbers of paths.
    fn begin(&mut self, ways: &mut Ways) {
        std::mem::swap(&mut self.ways, ways);
        (self.lane, self.skip) = (0, 0);
    }
}
