//! The player that makes uniformly random legal moves.

use super::{Belief, Budget, Information, Player};
use gdl_runtime::{Game, GameExt, chance::Stream};

/// A player that makes a random legal move, each with equal probability.
#[derive(Debug)]
pub struct Random<G: Game> {
    belief: Belief<G>,
    stream: Stream,
}

impl<G: Game> Random<G> {
    /// Creates the player with seed 0. Its moves depend on the seed and its earlier choices.
    #[must_use]
    pub fn new() -> Self {
        Self { belief: Belief::new(0), stream: Stream::new(0, 0) }
    }

    /// Sets the seed of all random choices; 0 by default.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { belief: Belief::new(seed), stream: Stream::new(seed, 0) }
    }
}

impl<G: Game> Default for Random<G> {
    fn default() -> Self {
        Self::new()
    }
}

impl<G: Game> Player<G> for Random<G> {
    fn name(&self) -> &'static str {
        "random"
    }

    fn choose(&mut self, game: &G, information: &Information<G>, _: &Budget) -> Option<G::Move> {
        self.belief.follow(game, information);
        let mut view = game.new_view();
        game.observe_without_goals(self.belief.draw()?, &mut view);
        game.random_move_in(&view, information.role(), &mut self.stream)
    }
}
