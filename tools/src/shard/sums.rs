//! The sums of blocks: integers to be added, or lists to be joined. Sums from a file are checked
//! before they are added, so that no addition overflows.

use super::{
    count::Count,
    job::{Job, LONGEST, MANY},
};
use crate::contest::Total;
use gdl_runtime::playouts::{RoleTally, Tally};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::ops::Range;

/// The sums of a range of blocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sums {
    /// The sums of playouts.
    Tally(Tally),
    /// The sums of perft: the numbers of sequences for each length above the prefix.
    Counts(Vec<Count>),
    /// The sums of matches.
    Matches(Total),
    /// The sums of an analysis.
    Rulesheets(Vec<Entry>),
}

/// The result of analyzing a rulesheet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The name of the file.
    pub name: String,
    /// The fingerprint of the rulesheet.
    pub fingerprint: String,
    /// The JSON of `gdl analyze`.
    pub figures: Option<Value>,
    /// The reason why there are no figures.
    pub error: Option<String>,
}

impl Sums {
    /// Returns the sums of no blocks, for a game with `roles` roles.
    pub(super) fn none(job: &Job, roles: usize) -> Self {
        match job {
            Job::Playouts { .. } => Self::Tally(Tally::new(roles)),
            Job::Perft { depth, prefix, .. } => Self::Counts(vec![Count(0); (depth - prefix) as usize]),
            Job::Matches { players, .. } => Self::Matches(Total::new(players.len(), roles)),
            Job::Analysis { .. } => Self::Rulesheets(Vec::new()),
        }
    }

    /// Adds the sums of the following blocks. Both must be sums of the same job.
    pub(super) fn add(&mut self, next: Self) {
        match (self, next) {
            (Self::Tally(tally), Self::Tally(next)) => tally.merge(&next),
            (Self::Counts(counts), Self::Counts(next)) => {
                counts.iter_mut().zip(next).for_each(|(sum, count)| sum.0 = sum.0.saturating_add(count.0));
            }
            (Self::Matches(total), Self::Matches(next)) => total.merge(&next),
            (Self::Rulesheets(list), Self::Rulesheets(next)) => list.extend(next),
            _ => {}
        }
    }

    /// Returns whether these can be the sums of `blocks`, for a game with `roles` roles.
    pub(super) fn fit(&self, job: &Job, roles: usize, blocks: Range<u64>) -> bool {
        let games = job.games(blocks);
        match (self, job) {
            (Self::Tally(tally), Job::Playouts { .. }) => {
                let Tally { playouts, states, too_long, stuck, unscored, .. } = *tally;
                playouts == games
                    && states <= games * LONGEST
                    && [too_long, stuck, unscored].iter().all(|&some| some <= games)
                    && too_long + stuck + unscored <= games
                    && are_results(&tally.roles, roles, games)
            }
            (Self::Counts(counts), Job::Perft { depth, prefix, .. }) => {
                counts.len() == (depth - prefix) as usize
            }
            (Self::Matches(total), Job::Matches { players, .. }) => {
                let most = games * MANY;
                let fits = |faults: u64| faults <= most;
                total.players.len() == players.len()
                    && total.unscored <= games
                    && fits(total.steps)
                    && total.players.iter().all(|tally| {
                        are_results(&tally.roles, roles, games)
                            && [tally.illegal, tally.late, tally.gone].into_iter().all(fits)
                    })
            }
            (Self::Rulesheets(list), Job::Analysis { .. }) => list.len() as u64 == games,
            _ => false,
        }
    }
}

/// Returns whether these can be the results of `roles` roles in `games` games.
fn are_results(results: &[RoleTally], roles: usize, games: u64) -> bool {
    /// The greatest possible goal value. Few games exceed 100.
    const BEST: u64 = u8::MAX as u64;
    let fits = |role: &RoleTally| {
        let RoleTally { goals, squares, wins, draws, losses, .. } = *role;
        let ends = [wins, draws, losses];
        ends.iter().all(|&some| some <= games)
            && ends.iter().sum::<u64>() <= games
            && goals <= BEST * games
            && squares <= BEST * BEST * games
    };
    results.len() == roles && results.iter().all(fits)
}
