//! The terms of matches: the budget of a move, and the seed.

use clap::Args;
use gdl_players::Referee;
use gdl_runtime::Game;
use gdl_tools::{
    parse::{count, seconds},
    players::{self, Spec},
};
use std::time::Duration;

/// The cost of moves, and the seed.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct TermsArgs {
    /// Seconds that players may take for a move
    #[arg(long, value_name = "S", value_parser = seconds, allow_negative_numbers = true)]
    pub clock: Option<f64>,
    /// Nodes that players may visit for a move
    #[arg(long, value_name = "N", value_parser = count)]
    pub nodes: Option<u64>,
    /// Seed of chance and of the players
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    pub seed: u64,
}

impl TermsArgs {
    /// Returns the time for a move; `None` if no clock was given.
    #[must_use]
    pub(crate) fn clock(&self) -> Option<Duration> {
        self.clock.map(Duration::from_secs_f64)
    }

    /// Returns the number of nodes for a move; `otherwise` if neither nodes nor a clock were given.
    /// Returns `None` if only a clock was given.
    #[must_use]
    pub(crate) fn nodes(&self, otherwise: u64) -> Option<u64> {
        self.nodes.or(self.clock.is_none().then_some(otherwise))
    }

    /// Returns the clocks of a match of these players: before the first move, and for each move.
    pub(crate) fn clocks(&self, players: &[Spec]) -> Option<[Duration; 2]> {
        self.clock().map(|clock| players::clocks(players, clock))
    }

    /// Sets the clocks and the nodes of the referee of a match of these players. `otherwise` is the
    /// default number of nodes.
    pub(crate) fn hold<'g, G: Game>(
        &self,
        referee: Referee<'g, G>,
        players: &[Spec],
        otherwise: u64,
    ) -> Referee<'g, G> {
        let clocks = self.clocks(players);
        let referee = clocks.into_iter().fold(referee, |referee, [start, play]| referee.clocks(start, play));
        self.nodes(otherwise).into_iter().fold(referee, Referee::nodes)
    }
}
