//! The player that makes the first legal move, without a search.

use super::{Belief, Budget, Information, Player};
use gdl_runtime::{Game, GameExt};

/// A player that makes the first legal move, in move order.
#[derive(Debug)]
pub struct First<G: Game> {
    belief: Belief<G>,
}

impl<G: Game> First<G> {
    /// Creates the player.
    #[must_use]
    pub fn new() -> Self {
        Self { belief: Belief::new(0) }
    }
}

impl<G: Game> Default for First<G> {
    fn default() -> Self {
        Self::new()
    }
}

impl<G: Game> Player<G> for First<G> {
    fn name(&self) -> &'static str {
        "first"
    }

    fn choose(&mut self, game: &G, information: &Information<G>, _: &Budget) -> Option<G::Move> {
        self.belief.follow(game, information);
        game.legal_moves(self.belief.draw()?, information.role()).next()
    }
}
