//! The player that rolls dice.

use super::{Belief, Budget, InformationOf, Player};
use crate::{game::Game, random::Stream};

/// Makes any legal move, each as likely as the others.
#[derive(Debug)]
pub struct Random<G: Game> {
    belief: Belief<G>,
    stream: Stream,
}

impl<G: Game> Random<G> {
    /// The player with a seed. Its moves depend on the seed and on what it was asked before.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { belief: Belief::new(seed), stream: Stream::new(seed, 0) }
    }
}

impl<G: Game> Player<G> for Random<G> {
    fn name(&self) -> &'static str {
        "random"
    }

    fn choose(&mut self, game: &G, information: &InformationOf<G>, _: &Budget) -> Option<G::Move> {
        self.belief.follow(game, information);
        let mut view = game.blank();
        game.glance(self.belief.draw()?, &mut view);
        game.draw_in(&view, information.role(), &mut self.stream)
    }
}
