//! The commands of `gdl` as a library, which the command line and the servers share.
//!
//! - Input: [`parse`] parses values of the command line, [`game`] and [`load`] find and load games,
//!   and [`engine`] selects an engine. [`players`] builds players by their names. [`fingerprint`]
//!   identifies rulesheets.
//! - Measures and checks: [`analyze`] measures a game and [`judge`] rates it. [`simulate`] finds
//!   faults by play. [`verify`] compares a game with a reference, [`plays`] tests it against
//!   recorded plays, and [`equal`] compares two games. [`contest`] plays matches between players.
//!   [`review`] finds the mistakes of a play, which [`saved`] reads. [`shard`] divides work among
//!   machines.
//! - Rulesheets: [`verdict`] diagnoses a text while it is written, [`fix`] applies the edits of
//!   diagnostics, and [`why`] explains atoms.
//! - Views: [`scene`] draws a state for the page and [`play`] shows a game to a person. [`levels`]
//!   exports the net to other programs.
//! - Output: [`output`] writes results, [`report`] and [`annotations`] write diagnostics,
//!   [`progress`] shows progress, and an [`error`] ends a command.
//! - Helpers: [`child`] runs another process for measurements, and [`statistics`] summarises them.

pub mod analyze;
pub mod annotations;
pub mod child;
pub mod contest;
pub mod engine;
pub mod equal;
pub mod error;
pub mod fingerprint;
pub mod fix;
pub mod game;
pub mod judge;
pub mod levels;
pub mod load;
pub mod output;
pub mod parse;
pub mod play;
pub mod players;
pub mod plays;
pub mod progress;
pub mod report;
pub mod review;
pub mod saved;
pub mod scene;
pub mod shard;
pub mod verdict;
pub mod verify;
pub mod why;

pub use gdl_exploration::{simulate, statistics};
