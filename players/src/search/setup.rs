//! Settings of a depth-limited search: depth, bytes, seed and evaluation. Learning an evaluation
//! takes a share of the budget, and a meter counts the rest.

use super::{Evaluation, Linear, meter::Meter};
use crate::player::Budget;
use gdl_runtime::Game;

/// The settings of a search with iterative deepening, an evaluation and a transposition table.
pub(crate) struct Setup<G: Game> {
    depth: Option<u32>,
    seed: u64,
    bytes: usize,
    evaluation: Option<Box<dyn Evaluation<G>>>,
}

impl<G: Game> Setup<G> {
    /// The greatest depth; a search recurses once for each joint move.
    pub(crate) const MAX_DEPTH: u32 = 200;

    /// The default bytes of the transposition table.
    pub(crate) const BYTES: usize = 64 << 20;

    /// The number of nodes of a search without limits of depth or budget.
    pub(crate) const NODES: u64 = 1 << 20;

    /// The shares of a search's budget, and of the start clock, that are spent on learning.
    const LEARNING: f64 = 0.2;
    const LEARNING_AT_START: f64 = 0.8;

    pub(crate) fn new() -> Self {
        Self { depth: None, seed: 0, bytes: Self::BYTES, evaluation: None }
    }

    pub(crate) fn set_depth(&mut self, depth: u32) {
        self.depth = Some(depth.clamp(1, Self::MAX_DEPTH));
    }

    pub(crate) fn set_seed(&mut self, seed: u64) {
        self.seed = seed;
    }

    pub(crate) fn set_bytes(&mut self, bytes: usize) {
        self.bytes = bytes;
    }

    pub(crate) fn set_evaluation(&mut self, evaluation: impl Evaluation<G> + 'static) {
        self.evaluation = Some(Box::new(evaluation));
    }

    /// Returns the maximum number of bytes of the transposition table.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the depth limit; [`Self::MAX_DEPTH`] if none was set.
    pub(crate) fn depth(&self) -> u32 {
        self.depth.unwrap_or(Self::MAX_DEPTH)
    }

    /// Learns an evaluation before a match, unless there is one or the budget is spent. Returns the
    /// rest of the budget.
    pub(crate) fn prepare(&mut self, game: &G, budget: &Budget) -> Budget {
        if self.evaluation.is_some() || budget.is_spent() {
            return budget.clone();
        }
        let learning = budget.share(Self::LEARNING_AT_START, 0);
        let (linear, learnt) = Linear::learn_counted(game, self.seed, &learning);
        self.evaluation = Some(Box::new(linear));
        budget.share(1.0, learnt)
    }

    /// Learns an evaluation now, unless there is one. Returns it with a meter for the rest of the
    /// budget.
    pub(crate) fn begin(&mut self, game: &G, budget: &Budget) -> (&dyn Evaluation<G>, Meter) {
        let mut learnt = 0;
        let evaluation = self.evaluation.get_or_insert_with(|| {
            let linear;
            (linear, learnt) = Linear::learn_counted(game, self.seed, &budget.share(Self::LEARNING, 0));
            Box::new(linear)
        });
        let without_end = if self.depth.is_some() { u64::MAX } else { Self::NODES };
        (&**evaluation, Meter::new(&budget.share(1.0, learnt), without_end))
    }
}
