//! What a player keeps of a match besides its search: in comes what a role is told, out goes a move, and what was found.

use super::{Found, vote::vote};
use crate::{
    game::Game,
    player::{Belief, Budget, InformationOf, Report},
};

/// The states that a role reckons with, and what its last search did.
#[derive(Debug)]
pub(crate) struct Mind<G: Game> {
    belief: Belief<G>,
    report: Option<Report>,
}

impl<G: Game> Mind<G> {
    /// Nothing is known yet; the seed is for samples of hidden states.
    pub(crate) fn new(seed: u64) -> Self {
        Self { belief: Belief::new(seed), report: None }
    }

    /// Searches the states that fit the information, and gives the move that most of them speak for.
    pub(crate) fn decide(
        &mut self,
        game: &G,
        information: &InformationOf<G>,
        budget: &Budget,
        search: impl FnMut(&G::State, &Budget) -> Found<G>,
    ) -> Option<G::Move> {
        let found = vote(game, &mut self.belief, information, budget, search);
        self.report = Some(found.describe(game));
        found.action
    }

    /// What the last search did.
    pub(crate) fn report(&self) -> Option<Report> {
        self.report.clone()
    }
}
