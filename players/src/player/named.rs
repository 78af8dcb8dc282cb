//! Players of loaded games, made by name.
//!
//! The searches are generic and large. This module instantiates them once, for [`Dynamic`], so that
//! crates that offer a choice of players need not compile them again.

use super::{Budget, First, Player, Random};
use crate::search::{
    AlphaBeta, Best, Equilibrium, FlatMonteCarlo, Ismcts, Learned, Mcts, Net, Perfect, Planner, Training,
};
use gdl_runtime::Dynamic;
use std::{path::PathBuf, sync::Arc};

/// The names that [`named`] accepts. `learned` needs a net.
pub const NAMES: [&str; 13] = [
    "best",
    "first",
    "random",
    "greedy",
    "flat",
    "mcts",
    "ismcts",
    "equilibrium",
    "planner",
    "alphabeta",
    "paranoid",
    "perfect",
    "learned",
];

/// Settings of a player made by [`named`]. A player ignores settings that do not apply to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The seed of random choices.
    pub seed: u64,
    /// The number of threads of `best`, `mcts` and, if its net is of another game, `learned`.
    pub threads: usize,
    /// The depth limit of `alphabeta`, `paranoid` and `learned`, in joint moves.
    pub depth: Option<u32>,
    /// The memory limit, in bytes; the player's own limit if `None`.
    pub memory: Option<usize>,
    /// The net of `learned`.
    pub net: Option<Arc<Net>>,
    /// The nets of `best`, which uses each in its own game.
    pub nets: Vec<Arc<Net>>,
    /// The folder in which `best` keeps what it learns; see [`Best::keep`].
    pub keep: Option<PathBuf>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { seed: 0, threads: 1, depth: None, memory: None, net: None, nets: Vec::new(), keep: None }
    }
}

/// Makes the player called `name`. Returns `None` if no player has this name, or if it needs a net
/// and the settings have none.
///
/// ```
/// use gdl_players::player::{NAMES, Settings, named};
///
/// let settings = Settings { seed: 7, memory: Some(64 << 20), ..Settings::default() };
/// assert_eq!(named("mcts", &settings).unwrap().name(), "mcts");
/// assert!(NAMES.iter().all(|&name| name == "learned" || named(name, &settings).is_some()));
/// assert!(named("deep_thought", &settings).is_none());
/// ```
#[must_use]
pub fn named(name: &str, settings: &Settings) -> Option<Box<dyn Player<Dynamic>>> {
    let &Settings { seed, threads, depth, memory, ref net, ref nets, ref keep } = settings;
    let alphabeta = |player: AlphaBeta<Dynamic>| {
        let player = depth.into_iter().fold(player.seed(seed), AlphaBeta::depth);
        Box::new(memory.into_iter().fold(player, AlphaBeta::memory))
    };
    let player: Box<dyn Player<Dynamic>> = match name {
        "best" => {
            let player = Best::new().seed(seed).threads(threads).nets(nets.clone());
            let player = keep.iter().fold(player, Best::keep);
            Box::new(memory.into_iter().fold(player, Best::memory))
        }
        "first" => Box::new(First::new()),
        "random" => Box::new(Random::new().seed(seed)),
        "greedy" => Box::new(AlphaBeta::greedy().seed(seed)),
        "flat" => Box::new(FlatMonteCarlo::new().seed(seed)),
        "mcts" => Box::new(memory.into_iter().fold(Mcts::new().seed(seed).threads(threads), Mcts::memory)),
        "ismcts" => Box::new(memory.into_iter().fold(Ismcts::new().seed(seed), Ismcts::memory)),
        "equilibrium" => {
            Box::new(memory.into_iter().fold(Equilibrium::new().seed(seed), Equilibrium::memory))
        }
        "planner" => Box::new(memory.into_iter().fold(Planner::new().seed(seed), Planner::memory)),
        "alphabeta" => alphabeta(AlphaBeta::new()),
        "paranoid" => alphabeta(AlphaBeta::paranoid()),
        "perfect" => Box::new(memory.into_iter().fold(Perfect::new().seed(seed), Perfect::memory)),
        "learned" => {
            let player = Learned::new(net.clone()?).seed(seed).threads(threads);
            let player = depth.into_iter().fold(player, Learned::depth);
            Box::new(memory.into_iter().fold(player, Learned::memory))
        }
        _ => return None,
    };
    Some(player)
}

/// Trains for one round by [`Training::advance`], instantiated here for [`Dynamic`].
pub fn train(training: &mut Training, game: &Dynamic, part: f64, threads: usize, budget: &Budget) -> bool {
    training.advance(game, part, threads, budget)
}
