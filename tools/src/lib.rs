//! What the command `gdl` and its server do with games, without the command line and without the server.
//!
//! Texts that people write are read by [`parse`], a game is found ([`game`], [`load`]) and run as asked for ([`engine`]), and
//! [`players`] are known by name. [`analyze`], [`simulate`] and [`verify`] say what a game is like, what only play shows of it,
//! and whether it agrees with a reference, [`judge`] whether it is any good, [`why`] why something holds in it, [`plays`] whether it
//! means what its author expects, [`equal`] whether two are one game; a [`verdict`] what is wrong with a text while it is written, [`fix`] makes the edits of diagnostics; [`play`] is what a person at a game is shown in a terminal, a [`scene`] what a page draws. A [`contest`] is matches between players, a
//! [`shard`] a part of work that many machines share; rulesheets are told apart by their [`fingerprint`]. Results go out by [`output`],
//! diagnostics by [`report`], [`progress`] is shown meanwhile, and what went wrong is an [`error`]. What is measured apart runs
//! in a process of its own ([`child`]); [`statistics`] sums up.

pub mod analyze;
pub mod child;
pub mod contest;
pub mod engine;
pub mod equal;
pub mod error;
pub mod fingerprint;
pub mod fix;
pub mod game;
pub mod judge;
pub mod load;
pub mod output;
pub mod parse;
pub mod play;
pub mod players;
pub mod plays;
pub mod progress;
pub mod report;
pub mod scene;
pub mod shard;
pub mod simulate;
pub mod statistics;
pub mod verdict;
pub mod verify;
pub mod why;
