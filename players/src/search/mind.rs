//! The memory of a player during a match: its belief, and the report of its last search.

use super::{SearchResult, vote::vote};
use crate::player::{Belief, Budget, Report};
use gdl_runtime::{Game, Information};

/// The states that are consistent with a role's information, and the report of its last search.
#[derive(Debug)]
pub(crate) struct MatchMemory<G: Game> {
    belief: Belief<G>,
    report: Option<Report>,
}

impl<G: Game> MatchMemory<G> {
    /// Creates an empty memory; the seed is for samples of hidden states.
    pub(crate) fn new(seed: u64) -> Self {
        Self { belief: Belief::new(seed), report: None }
    }

    /// Searches the states that are consistent with the information, and returns the move with the
    /// most votes. `mind` returns the memory inside `player`.
    pub(crate) fn decide<P>(
        player: &mut P,
        mind: impl Fn(&mut P) -> &mut Self,
        mut search: impl FnMut(&mut P, &G, &G::State, G::Role, &Budget) -> SearchResult<G>,
        game: &G,
        information: &Information<G>,
        budget: &Budget,
    ) -> Option<G::Move> {
        // The search borrows the player mutably, so its memory is moved out.
        let mut own = std::mem::replace(mind(player), Self::new(0));
        let role = information.role();
        let search = |state: &G::State, budget: &Budget| search(player, game, state, role, budget);
        let found = vote(game, &mut own.belief, information, budget, search);
        own.report = Some(found.describe(game));
        *mind(player) = own;
        found.action
    }

    /// Sets the report of a search that [`Self::decide`] did not run.
    pub(crate) fn set_report(&mut self, report: Report) {
        self.report = Some(report);
    }

    /// Returns the report of the last search.
    pub(crate) fn report(&self) -> Option<Report> {
        self.report.clone()
    }
}
