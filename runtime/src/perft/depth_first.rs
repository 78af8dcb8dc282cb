//! Depth-first counting of sequences from a state, one state at a time.
//!
//! Each level keeps one state and the enumeration of its joint moves; the moves of the last level
//! are counted. Memory is one state with its legal moves for each level. The number of steps is the
//! number of sequences.

use super::joint_moves;
use crate::{
    cancel::Cancel,
    game::{Game, GameExt},
    joints::Joints,
};

/// A state and the joint moves still to make in it.
struct PathNode<G: Game> {
    state: G::State,
    joints: Joints<G>,
}

/// A depth-first counter.
pub(super) struct DepthFirst<'g, G: Game> {
    game: &'g G,
    view: G::View,
    /// The nodes of the current path, one for each level; reused from state to state.
    nodes: Vec<PathNode<G>>,
    states: u64,
    cancel: &'g Cancel,
}

impl<'g, G: Game> DepthFirst<'g, G> {
    pub(super) fn new(game: &'g G, cancel: &'g Cancel) -> Self {
        Self { game, view: game.new_view(), nodes: Vec::new(), states: 0, cancel }
    }

    /// The number of states whose joint moves were counted.
    pub(super) fn states(&self) -> u64 {
        self.states
    }

    /// The number of sequences of this length, at least one, from a state. The number is
    /// meaningless after cancellation.
    pub(super) fn count(&mut self, state: &G::State, length: usize) -> u128 {
        let game = self.game;
        let mut sum: u128 = 0;
        let mut depth = 0;
        sum = sum.saturating_add(self.enter(0, state.clone(), length));
        loop {
            let PathNode { state, joints } = &mut self.nodes[depth];
            if let Some(joint) = joints.next() {
                let successor = game.apply_unchecked(state, joint);
                depth += 1;
                sum = sum.saturating_add(self.enter(depth, successor, length - depth));
            } else if depth == 0 || self.cancel.is_cancelled() {
                return sum;
            } else {
                depth -= 1;
            }
        }
    }

    /// Enters a state at a depth. At the last level, returns the number of its joint moves.
    /// Otherwise starts the enumeration of these and returns 0.
    fn enter(&mut self, depth: usize, state: G::State, length: usize) -> u128 {
        let game = self.game;
        game.observe_without_goals(&state, &mut self.view);
        if self.nodes.len() == depth {
            self.nodes.push(PathNode { state, joints: Joints::new(game) });
        } else {
            self.nodes[depth].state = state;
        }
        let joints = &mut self.nodes[depth].joints;
        if length > 1 {
            joints.start(game, &self.view);
            return 0;
        }
        joints.stop();
        self.states += 1;
        joint_moves(game, &self.view)
    }
}
