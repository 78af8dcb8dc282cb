//! The player that searches with a learned value.

use super::{LearnedValue, Net};
use crate::{
    player::{Budget, Player, Report},
    search::{AlphaBeta, Best},
};
use gdl_runtime::{Game, Information};
use std::{fmt, sync::Arc};

/// A player with a trained [`Net`]: [`AlphaBeta`] with a [`LearnedValue`]. If the net belongs to
/// another game, [`Best`] plays, and [`Report::note`] has the reason.
pub struct Learned<G: Game> {
    net: Arc<Net>,
    seed: u64,
    bytes: Option<usize>,
    depth: Option<u32>,
    threads: usize,
    mind: Option<Mind<G>>,
}

/// The player for the current game.
enum Mind<G: Game> {
    Own(Box<AlphaBeta<G>>),
    Foreign(Box<Best<G>>, String),
}

impl<G: Game> fmt::Debug for Learned<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Learned").field("samples", &self.net.samples()).finish_non_exhaustive()
    }
}

impl<G: Game> Learned<G> {
    /// Creates the player.
    #[must_use]
    pub fn new(net: Arc<Net>) -> Self {
        Self { net, seed: 0, bytes: None, depth: None, threads: 1, mind: None }
    }

    /// Sets the seed of random choices; 0 by default.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets the maximum number of bytes of the search.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.bytes = Some(bytes);
        self
    }

    /// Sets the depth limit, in joint moves.
    #[must_use]
    pub fn depth(mut self, depth: u32) -> Self {
        self.depth = Some(depth);
        self
    }

    /// Sets the number of threads of [`Best`], if it plays.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    fn mind(&mut self, game: &G) -> &mut Mind<G> {
        let (seed, bytes, depth, threads) = (self.seed, self.bytes, self.depth, self.threads);
        let net = &self.net;
        self.mind.get_or_insert_with(|| match LearnedValue::new(game, net.clone()) {
            Ok(value) => {
                let search = AlphaBeta::new().seed(seed).evaluation(value);
                let search = depth.into_iter().fold(search, AlphaBeta::depth);
                Mind::Own(Box::new(bytes.into_iter().fold(search, AlphaBeta::memory)))
            }
            Err(error) => {
                let best = Best::new().seed(seed).threads(threads);
                Mind::Foreign(Box::new(bytes.into_iter().fold(best, Best::memory)), error.to_string())
            }
        })
    }
}

impl<G: Game> Player<G> for Learned<G> {
    fn name(&self) -> &'static str {
        "learned"
    }

    fn start(&mut self, game: &G, role: G::Role, budget: &Budget) {
        // The next match may be of another game.
        self.mind = None;
        match self.mind(game) {
            Mind::Own(search) => Player::start(&mut **search, game, role, budget),
            Mind::Foreign(best, _) => best.start(game, role, budget),
        }
    }

    fn choose(&mut self, game: &G, information: &Information<G>, budget: &Budget) -> Option<G::Move> {
        match self.mind(game) {
            Mind::Own(search) => search.choose(game, information, budget),
            Mind::Foreign(best, _) => best.choose(game, information, budget),
        }
    }

    fn stop(&mut self, game: &G, information: &Information<G>) {
        if let Some(Mind::Foreign(best, _)) = &mut self.mind {
            best.stop(game, information);
        }
    }

    fn abort(&mut self) {
        if let Some(Mind::Foreign(best, _)) = &mut self.mind {
            best.abort();
        }
    }

    fn report(&self) -> Option<Report> {
        match self.mind.as_ref()? {
            Mind::Own(search) => search.report().map(|report| Report {
                note: Some(format!("alpha-beta with a value learned from {} states", self.net.samples())),
                ..report
            }),
            Mind::Foreign(best, reason) => best.report().map(|report| {
                let note = report.note.as_deref().unwrap_or("best");
                Report { note: Some(format!("the net was not used, since {reason}; {note}")), ..report }
            }),
        }
    }
}
