//! A runtime for games written in the Game Description Language.
//!
//! A rulesheet becomes a [`Game`]: at compile time by [`gdl!`], or at run time by `load` (feature
//! `load`). A game gives the legal moves, the successor states, the end and the goals. [`Playouts`]
//! plays random games, and [`perft()`] counts move sequences.
//!
//! ```
//! use gdl_runtime::{Game, GameExt, Playouts, gdl, perft};
//!
//! // Usually `gdl!("nim.kif");`, with the rulesheet in a file of its own.
//! gdl!(name = nim, rules = r"
//!     ;; Three sticks; the player who takes the last one wins.
//!     (role left) (role right)
//!     (init (sticks 3)) (init (control left))
//!     (minus 1 1 0) (minus 2 1 1) (minus 2 2 0) (minus 3 1 2) (minus 3 2 1)
//!     (other left right) (other right left)
//!     (<= (legal ?r (take ?n)) (true (control ?r)) (true (sticks ?m)) (minus ?m ?n ?rest))
//!     (<= (legal ?r noop) (true (control ?s)) (other ?r ?s))
//!     (<= (next (sticks ?rest)) (does ?r (take ?n)) (true (sticks ?m)) (minus ?m ?n ?rest))
//!     (<= (next (control ?r)) (true (control ?s)) (other ?r ?s))
//!     (<= terminal (true (sticks 0)))
//!     (<= (goal ?r 0) (true (control ?r)))
//!     (<= (goal ?r 100) (true (control ?s)) (other ?r ?s))
//! ");
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     use nim::{Move, Role};
//!
//!     let game = nim::game();
//!     let start = game.initial();
//!     let legal: Vec<String> = game.legal_moves(&start, Role::Left).map(|m| m.to_string()).collect();
//!     assert_eq!(legal, ["(take 1)", "(take 2)"]);
//!
//!     let take = Move::take(2).ok_or("no such move")?;
//!     // The other role has nothing but `noop`; with a move of each role it is `game.apply(&start, &[take, Move::NOOP])?`.
//!     let state = game.apply_one(&start, take)?;
//!     assert_eq!(game.state_text(&state), "((control right) (sticks 1))");
//!     // Now one stick is left, so the same move again is an error that lists the legal ones.
//!     assert!(game.apply_one(&state, take).is_err());
//!
//!     let state = game.apply_one(&state, "(take 1)".parse()?)?;
//!     assert!(game.is_terminal(&state));
//!     assert_eq!(game.goal(&state, Role::Right), Some(100));
//!
//!     assert_eq!(perft(&game, 3), [2, 3, 1]);
//!     let stats = Playouts::new(&game).seed(7).count(1000).run();
//!     assert_eq!(stats.tally.playouts, 1000);
//!     println!("{stats}");
//!     Ok(())
//! }
//! ```
//!
//! Code that is generic over [`Game`] works with all games. A state is a row of bits, one for each
//! fluent. Roles, moves, fluents and percepts are dense numbers. Their names are in the game's
//! [`vocabulary`], as KIF text in its normal spelling.
//!
//! A *view* is a row of bits too: the legal moves, the goals and the end in a state. One
//! [`Game::observe`] computes it for all functions of [`GameExt`] that end in `_in`.
//!
//! | for | see |
//! |---|---|
//! | states, step by step | [`GameExt`]; in turns [`GameExt::to_play`], [`GameExt::apply_one`] |
//! | undo, redo and branches | [`History`] |
//! | drawings of states | [`board`] |
//! | random games and counts | [`Playouts`], [`perft()`] |
//! | many states at once | [`lanes`]: successors of 512 states in a pass, rollouts from states of a search |
//! | chance and hidden information (GDL-II) | [`GameExt::chance`], [`information`] for what players are given |
//!
//! Players, searches and matches are in the crate `gdl-players`. Long work has a time limit, set by
//! `within` or `until`, and can be cancelled by a [`Cancel`].
//!
//! Features, off by default: `load` compiles rulesheets while the program runs; `serde` makes
//! states, ids, tallies, transcripts, reports and match records serde data.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![warn(missing_debug_implementations)]

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
pub mod bits;
pub mod board;
mod cancel;
pub mod chance;
mod circuit;
#[cfg(feature = "load")]
mod compile;
mod cpu;
pub mod dynamic;
pub mod engine;
#[cfg(feature = "load")]
mod events;
pub mod game;
pub mod history;
pub mod information;
mod joints;
#[doc(inline)]
pub use gdl_format::term as kif;
#[allow(
    clippy::inline_always,
    reason = "what is not inlined into a kernel is not compiled for its instructions"
)]
pub mod lanes;
#[cfg(feature = "load")]
mod lifted;
#[cfg(feature = "load")]
pub mod load;
mod mode;
pub mod perft;
pub mod playouts;
mod random;
#[allow(clippy::inline_always, reason = "as for lanes")]
mod simd;
mod stats;
mod table;
#[cfg(feature = "load")]
mod trial;
pub mod vocabulary;

pub use cancel::Cancel;
pub use dynamic::Dynamic;
pub use game::{Game, GameExt};
#[cfg(feature = "macros")]
#[doc(inline)]
pub use gdl_macros::gdl;
pub use history::History;
pub use information::Information;
#[cfg(feature = "load")]
pub use load::{LoadError, Loader, load};
pub use perft::perft;
pub use playouts::{Playouts, Stats};
