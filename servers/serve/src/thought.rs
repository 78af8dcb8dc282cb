//! Tasks of a session, to choose moves for its players and to search for advice, and their results.

use crate::seats::{MachinePlayer, Mind};
use gdl_players::player::MoveStats;
use gdl_runtime::{Cancel, Dynamic, Information, dynamic::RoleId};
use std::time::Duration;

/// A task to choose a move for a role, with all its inputs.
pub(crate) struct Thought {
    /// The role that chooses.
    pub role: RoleId,
    /// The player, with its memory.
    pub mind: Mind,
    /// True if the player has just been created.
    pub is_fresh: bool,
    /// The specification of the player.
    pub machine: MachinePlayer,
    /// The longest thinking time.
    pub time: Duration,
    /// The information of the role.
    pub information: Information<Dynamic>,
    /// The game.
    pub game: Dynamic,
    /// True for a known game, whose tasks have turns of their own.
    pub is_known: bool,
    /// The epoch of the session; results for an earlier epoch are dropped.
    pub epoch: u64,
    /// The handle that cancels the search.
    pub cancel: Cancel,
    /// True if only machines play, so that steps are slowed down for people to see.
    pub is_shown: bool,
}

/// The work of a search so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Effort {
    /// The number of random games.
    pub playouts: u64,
    /// The number of visited states.
    pub nodes: u64,
    /// The time in seconds.
    pub seconds: f64,
}

/// The statistics of the moves of a role.
#[derive(Clone, Debug)]
pub(crate) struct Advice {
    /// The role.
    pub role: RoleId,
    /// The epoch of the session; results for an earlier epoch are dropped.
    pub epoch: u64,
    /// The work of the search so far.
    pub effort: Effort,
    /// The moves tried so far, the best first.
    pub moves: Vec<MoveStats>,
    /// True if the advice is final.
    pub is_done: bool,
}

/// A task to search for advice, with all its inputs.
pub(crate) struct AdviceQuestion {
    /// The information of the role.
    pub information: Information<Dynamic>,
    /// The game.
    pub game: Dynamic,
    /// True for a known game, whose tasks have turns of their own.
    pub is_known: bool,
    /// The epoch of the session; results for an earlier epoch are dropped.
    pub epoch: u64,
    /// The handle that cancels the search.
    pub cancel: Cancel,
    /// The seed of the search.
    pub seed: u64,
}
