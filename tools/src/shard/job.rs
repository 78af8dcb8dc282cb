//! Jobs: the [`Request`], in which defaults are left out, and the [`Job`] of a document, with
//! everything that determines its numbers.

use super::count::Count;
use crate::{analyze::Settings, contest};
use gdl_runtime::{Dynamic, Playouts, playouts};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The requested job.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Request {
    /// Random games.
    Playouts {
        /// The number of playouts.
        #[serde(default = "playouts")]
        count: u64,
        /// The engine; chosen automatically if `None`.
        engine: Option<BlockMode>,
    },
    /// Perft: the numbers of joint move sequences.
    Perft {
        /// The greatest length of the sequences.
        depth: u32,
        /// The length of the sequences whose final states are the blocks; chosen automatically if
        /// `None`.
        prefix: Option<u32>,
    },
    /// Matches between players.
    Matches {
        /// The names of the players, one for each role except chance.
        players: Vec<String>,
        /// The number of matches.
        #[serde(default = "matches")]
        count: u64,
        /// The node limit of a move.
        #[serde(default = "nodes")]
        nodes: u64,
    },
    /// The analysis of each rulesheet.
    Analysis {
        /// The number of random games that are followed for each rulesheet.
        #[serde(default = "followed")]
        count: u64,
        /// True if rulesheets with errors are read as other systems read them.
        #[serde(default)]
        lenient: bool,
    },
}

/// The default number of playouts.
const DEFAULT_PLAYOUTS: u64 = 1_000_000;

fn playouts() -> u64 {
    DEFAULT_PLAYOUTS
}

fn matches() -> u64 {
    contest::DEFAULT_COUNT
}

fn nodes() -> u64 {
    contest::DEFAULT_NODES
}

fn followed() -> u64 {
    Settings::DEFAULT_COUNT
}

/// The properties of an engine that playouts depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BlockMode {
    /// 512 games at once
    Lanes,
    /// One game at a time
    Single,
}

impl BlockMode {
    pub(super) fn of(engine: playouts::PlayoutMode) -> Self {
        if engine == playouts::PlayoutMode::Single { Self::Single } else { Self::Lanes }
    }
}

/// A job with everything that determines its numbers, except the game and the seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Job {
    /// Random games.
    Playouts {
        /// The total number of playouts.
        count: u64,
        /// The engine.
        engine: BlockMode,
        /// The number of games in a block; the last block has the remaining games.
        block: u64,
    },
    /// Perft: the numbers of joint move sequences.
    Perft {
        /// The greatest length of the sequences.
        depth: u32,
        /// The length of the sequences whose final states are the blocks.
        prefix: u32,
        /// The numbers of sequences of length 1, 2, .. `prefix`.
        counts: Vec<Count>,
    },
    /// Matches between players.
    Matches {
        /// The names of the players.
        players: Vec<String>,
        /// The total number of matches.
        count: u64,
        /// The node limit of a move.
        nodes: u64,
    },
    /// The analysis of each rulesheet.
    Analysis {
        /// The number of random games that are followed for each rulesheet.
        count: u64,
        /// True if rulesheets with errors are read as other systems read them.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        lenient: bool,
    },
}

/// The most playouts. The sums of more might exceed 64 bits.
const MOST_PLAYOUTS: u64 = 1_000_000_000_000_000;

/// The limit on the number of matches, and on the joint moves of a match. The product fits into 64
/// bits.
pub(super) const MANY: u64 = 1_000_000_000;

/// The greatest number of joint moves of a playout.
pub(super) const LONGEST: u64 = Playouts::<Dynamic>::DEFAULT_MAX_LENGTH;

impl Job {
    /// Checks the numbers of a job, which come from a document or a caller.
    pub(super) fn check(&self) -> Result<(), String> {
        let (what, count, most) = match self {
            Self::Playouts { block: 0, .. } => return Err("its blocks are empty".to_owned()),
            Self::Playouts { count, .. } => ("playouts", *count, MOST_PLAYOUTS),
            Self::Perft { depth, prefix, counts } => {
                let fits = (1..=1_000).contains(depth) && prefix < depth && counts.len() == *prefix as usize;
                return if fits { Ok(()) } else { Err("its lengths of sequences do not agree".to_owned()) };
            }
            Self::Matches { nodes: 0, .. } => return Err("players need a node for a move".to_owned()),
            Self::Matches { count, .. } => ("matches", *count, MANY),
            Self::Analysis { count, .. } => ("games to follow", *count, MANY),
        };
        if (1..=most).contains(&count) {
            Ok(())
        } else {
            Err(format!("{what}: {count} is not in 1..={most}"))
        }
    }

    /// Returns the number of blocks, if the job determines it without the game.
    pub(super) fn blocks(&self) -> Option<u64> {
        match self {
            Self::Playouts { count, block, .. } => Some(count.div_ceil(*block)),
            Self::Matches { count, .. } => Some(*count),
            Self::Perft { .. } | Self::Analysis { .. } => None,
        }
    }

    /// Returns the number of games in a range of blocks.
    pub(super) fn games(&self, blocks: Range<u64>) -> u64 {
        match self {
            Self::Playouts { count, block, .. } => {
                let before = |blocks: u64| blocks.saturating_mul(*block).min(*count);
                before(blocks.end) - before(blocks.start)
            }
            _ => blocks.end - blocks.start,
        }
    }
}
