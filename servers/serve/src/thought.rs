//! Thoughts: the tasks that a session has its machines think about, and the tasks and results of a
//! search for advice.

use crate::seats::{Machine, Mind};
use gdl_players::player::MoveStats;
use gdl_runtime::{Cancel, Dynamic, Information, dynamic::RoleId};
use std::time::Duration;

/// A player that is to choose a move, and all it needs for that.
pub(crate) struct Thought {
    /// For whom.
    pub role: RoleId,
    /// The machine that thinks.
    pub mind: Mind,
    /// True if it has not thought in this play yet.
    pub is_fresh: bool,
    /// The machine with its bounds.
    pub machine: Machine,
    /// The time it may think.
    pub time: Duration,
    /// The information of its role.
    pub information: Information<Dynamic>,
    /// The game.
    pub game: Dynamic,
    /// True if the server knows the game.
    pub is_known: bool,
    /// The epoch of the session that it belongs to.
    pub epoch: u64,
    /// The handle to cancel it.
    pub cancel: Cancel,
    /// True if machines alone play, so that people want to see it.
    pub is_shown: bool,
}

/// The work of a search that goes on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Effort {
    /// Random games so far.
    pub playouts: u64,
    /// States visited so far.
    pub nodes: u64,
    /// The time in seconds.
    pub seconds: f64,
}

/// A search's statistics of a role's moves.
#[derive(Clone, Debug)]
pub(crate) struct Advice {
    /// The role.
    pub role: RoleId,
    /// The epoch of the session that it belongs to.
    pub epoch: u64,
    /// The work so far.
    pub effort: Effort,
    /// The moves as far as they are known, the best first.
    pub moves: Vec<MoveStats>,
    /// True if no more is to come.
    pub is_done: bool,
}

/// A question for advice, and all that is needed to answer it.
pub(crate) struct Question {
    /// The information of the role.
    pub information: Information<Dynamic>,
    /// The game.
    pub game: Dynamic,
    /// True if the server knows the game.
    pub is_known: bool,
    /// The epoch of the session that it belongs to.
    pub epoch: u64,
    /// Pulled when it is not wanted any more.
    pub cancel: Cancel,
    /// The seed of the search.
    pub seed: u64,
}
