//! Advantages of moves: how much better than its state a move turned out, on average over the whole
//! tree. An untried move is expected to have the same advantage, so that not every move has to be
//! tried in every state.
//!
//! Statistics are kept for each move of a role, and for each pair with the previous move, since the
//! value of a reply depends on it. For a rare pair, the move's own statistics count. Pairs share a
//! table by their hashes; a collision only weakens the estimate.

use gdl_runtime::game::Shape;
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// The maximum number of entries of the table of pairs.
const PAIRS: usize = 1 << 16;

/// The weights of the priors, in samples. The prior of a move is no advantage, and the prior of a
/// pair is the move's advantage.
const MOVES_DOUBT: f32 = 4.0;
const PAIRS_DOUBT: f32 = 10.0;

/// The sum and the number of the advantages of a move or a pair.
#[derive(Clone, Copy, Debug, Default)]
struct Advantage {
    sum: f32,
    count: f32,
}

impl Advantage {
    fn learn(&mut self, value: f32) {
        self.sum += value;
        self.count += 1.0;
    }

    /// Returns the mean with a prior: `expected` counts as `doubt` samples.
    fn mean(self, expected: f32, doubt: f32) -> f32 {
        (self.sum + doubt * expected) / (self.count + doubt)
    }
}

/// A move of a role, and the previous move, each by its index.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reply {
    pub(super) role: usize,
    pub(super) action: u32,
    /// The previous move; `None` at the root and after simultaneous moves.
    pub(super) to: Option<u32>,
}

/// The advantage statistics of all moves, alone and by previous move.
#[derive(Clone, Debug)]
pub(super) struct Advantages {
    moves: usize,
    alone: Vec<Advantage>,
    /// The statistics of pairs by their hash; the length is a power of two.
    pairs: Vec<Advantage>,
}

impl Advantages {
    /// Creates empty statistics in at most a sixteenth of `bytes`. If that does not suffice, only
    /// pairs have statistics.
    pub(super) fn new(shape: Shape, bytes: usize) -> Self {
        let most = bytes / 16 / size_of::<Advantage>();
        let alone = Some(shape.roles * shape.moves).filter(|&alone| alone <= most).unwrap_or(0);
        let pairs = (most - alone).clamp(1, PAIRS);
        Self {
            moves: shape.moves,
            alone: vec![Advantage::default(); alone],
            pairs: vec![Advantage::default(); 1 << pairs.ilog2()],
        }
    }

    pub(super) fn bytes(&self) -> usize {
        (self.alone.len() + self.pairs.len()) * size_of::<Advantage>()
    }

    /// Adds a sample: the value of a move minus that of its state.
    pub(super) fn learn(&mut self, reply: Reply, value: f32) {
        let (place, pair) = (self.place(reply), self.pair(reply));
        if let Some(alone) = self.alone.get_mut(place) {
            alone.learn(value);
        }
        self.pairs[pair].learn(value);
    }

    /// Returns the expected advantage of a move over its state.
    pub(super) fn expected(&self, reply: Reply) -> f32 {
        let alone = self.alone.get(self.place(reply)).copied().unwrap_or_default();
        self.pairs[self.pair(reply)].mean(alone.mean(0.0, MOVES_DOUBT), PAIRS_DOUBT)
    }

    /// Halves the weight of all statistics after a move of the match.
    pub(super) fn fade(&mut self) {
        for known in self.alone.iter_mut().chain(&mut self.pairs) {
            known.sum /= 2.0;
            known.count /= 2.0;
        }
    }

    fn place(&self, reply: Reply) -> usize {
        reply.role * self.moves + reply.action as usize
    }

    fn pair(&self, reply: Reply) -> usize {
        let mut hasher = FxHasher::default();
        hasher.write_usize(self.place(reply));
        hasher.write_u64(reply.to.map_or(0, |to| 1 + u64::from(to)));
        hasher.finish() as usize & (self.pairs.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape() -> Shape {
        Shape { roles: 2, moves: 5, fluents: 3, ..Shape::default() }
    }

    #[test]
    fn moves_are_known_by_what_they_answer_to() {
        let mut known = Advantages::new(shape(), 1 << 20);
        let reply = |role, action, to| Reply { role, action, to };
        (0..100).for_each(|_| known.learn(reply(0, 3, Some(1)), 20.0));
        assert!(known.expected(reply(0, 3, Some(1))) > 18.0);
        // The move's own statistics apply after another previous move.
        assert!(known.expected(reply(0, 3, Some(2))) > 18.0);
        (0..100).for_each(|_| known.learn(reply(0, 3, Some(2)), -20.0));
        assert!(known.expected(reply(0, 3, Some(1))) > 15.0);
        assert!(known.expected(reply(0, 3, Some(2))) < -15.0);
        assert!(known.expected(reply(0, 3, None)).abs() < 1.0);
        assert!(known.expected(reply(1, 3, Some(1))).abs() < 1e-6);
        assert!(known.expected(reply(0, 4, Some(1))).abs() < 1e-6);
    }

    #[test]
    fn what_was_met_once_is_doubted_and_fades() {
        let mut known = Advantages::new(shape(), 1 << 20);
        let reply = Reply { role: 1, action: 0, to: None };
        known.learn(reply, 55.0);
        let once = known.expected(reply);
        assert!(once > 0.0 && once < 55.0 / 2.0, "{once}");
        known.fade();
        let faded = known.expected(reply);
        assert!(faded > 0.0 && faded < once, "{faded}");
    }

    #[test]
    fn bytes_are_bounded() {
        for bytes in [0, 1, 1000, 1 << 16, 1 << 28] {
            let known = Advantages::new(shape(), bytes);
            assert!(known.bytes() <= (bytes / 16).max(8), "{bytes}");
            assert!(known.pairs.len() <= PAIRS);
        }
    }
}
