//! Players, searches and matches for games of the Game Description Language.
//!
//! A [`Player`] chooses moves, given the [information](gdl_runtime::Information) of its role and a
//! [`Budget`]. [`search`] has players that search, [`Referee`] runs matches between players, and
//! [`record`] writes and replays match records.
//!
//! | for | see |
//! |---|---|
//! | a player by its name | `player::named` (feature `load`) |
//! | one's own player | [`Player`], and the example `own_player` |
//! | the best player for any game | [`search::Best`] |
//! | exact values of small games | [`search::Solution`] |
//! | matches and their faults | [`Referee`], [`record`] |
//!
//! Features, off by default: `load` makes players by name and gives searches decisive moves.
//! `serde` implements serialization for reports and match records.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![warn(missing_debug_implementations)]

#[cfg(feature = "load")]
mod decisive;
mod fault;
pub mod player;
pub mod record;
pub mod referee;
pub mod search;

pub use player::{Budget, Player};
pub use referee::Referee;
