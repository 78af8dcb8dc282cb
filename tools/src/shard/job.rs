//! Jobs: the task ([`Request`]), with defaults left out; and the [`Job`] of a document, with
//! everything that its numbers depend on.

use super::sums::Count;
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
        /// The engine, if one is asked for.
        engine: Option<BlockMode>,
    },
    /// Sequences of joint moves.
    Perft {
        /// Their greatest length.
        depth: u32,
        /// The length of the sequences whose states divide the work into blocks, if given.
        prefix: Option<u32>,
    },
    /// Matches between players.
    Matches {
        /// Their names, one for each role but chance.
        players: Vec<String>,
        /// The number of matches.
        #[serde(default = "matches")]
        count: u64,
        /// The nodes that a move may cost.
        #[serde(default = "nodes")]
        nodes: u64,
    },
    /// The analysis of each of many rulesheets.
    Analysis {
        /// The number of random games of each that are followed.
        #[serde(default = "followed")]
        count: u64,
    },
}

/// Playouts that are made unless it is said how many.
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

/// The job, with everything that numbers depend on except game and seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Job {
    /// Random games.
    Playouts {
        /// The number of all playouts.
        count: u64,
        /// The engine.
        engine: BlockMode,
        /// Games in a block; the last has the rest.
        block: u64,
    },
    /// Sequences of joint moves.
    Perft {
        /// Their greatest length.
        depth: u32,
        /// The length of those that lead to the states of the blocks.
        prefix: u32,
        /// The numbers of sequences of length 1, 2, .. `prefix`.
        counts: Vec<Count>,
    },
    /// Matches.
    Matches {
        /// The players.
        players: Vec<String>,
        /// The number of all matches.
        count: u64,
        /// The nodes that a move may cost.
        nodes: u64,
    },
    /// Figures of rulesheets.
    Analysis {
        /// The number of random games of each that are followed.
        count: u64,
    },
}

/// More playouts than that might not be counted in 64 bits.
const MOST_PLAYOUTS: u64 = 1_000_000_000_000_000;

/// More matches, and more joint moves of a match, than there ever will be; their product is counted
/// in 64 bits.
pub(super) const MANY: u64 = 1_000_000_000;

/// Joint moves of a playout.
pub(super) const LONGEST: u64 = Playouts::<Dynamic>::DEFAULT_MAX_LENGTH;

impl Job {
    /// Tests what a document or a caller says.
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
            Self::Analysis { count } => ("games to follow", *count, MANY),
        };
        if (1..=most).contains(&count) {
            Ok(())
        } else {
            Err(format!("{what}: {count} is not in 1..={most}"))
        }
    }

    /// The number of blocks, where the job says it.
    pub(super) fn blocks(&self) -> Option<u64> {
        match self {
            Self::Playouts { count, block, .. } => Some(count.div_ceil(*block)),
            Self::Matches { count, .. } => Some(*count),
            Self::Perft { .. } | Self::Analysis { .. } => None,
        }
    }

    /// The number of games in a range of its blocks.
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
