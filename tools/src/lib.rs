//! The work of the command `gdl` and its server on games, without the command line and without the
//! server.
//!
//! [`parse`] reads texts that people write, a game is found ([`game`], [`load`]) and run by an
//! engine ([`engine`]), and [`players`] are known by name. [`levels`] are its net for programs
//! elsewhere. [`analyze`] measures a game, [`simulate`] finds faults that only play shows, and
//! [`verify`] compares it with a reference. [`judge`] rates it, [`why`] explains atoms, [`plays`]
//! tests it against recorded plays, and [`equal`] compares two games. A [`verdict`] says what is
//! wrong with a text while it is written, a [`scene`] how a state is drawn. [`fix`] makes the edits
//! of diagnostics; [`play`] has the views for a person at a game. A [`contest`] is matches between
//! players, a [`shard`] a part of work that many machines share; rulesheets are identified by their
//! [`fingerprint`]. Results go out by [`output`], diagnostics by [`report`], [`progress`] is shown
//! meanwhile, and an [`error`] ends a command. Separate measurements run in a process of its own
//! ([`child`]); [`statistics`] sums up.

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
pub mod scene;
pub mod shard;
pub mod simulate;
pub mod statistics;
pub mod verdict;
pub mod verify;
pub mod why;
