//! Play games written in the Game Description Language.
//!
//! A rulesheet becomes a [`Game`]: at compile time by [`gdl!`], or while the program runs by
//! `load` (feature `dynamic`). A game answers what is legal, what follows, whether it is over
//! and who won; [`Playouts`] plays at random and [`perft`] counts move sequences.
//!
//! ```
//! use gdl_runtime::{Game, Playouts, gdl, perft};
//!
//! // Usually `gdl!("nim.kif");`, with the rulesheet in a file of its own.
//! gdl!(name = nim, rules = r"
//!     ;; Three sticks; whoever takes the last one wins.
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
//!     let legal: Vec<String> = game.legal(&start, Role::Left).map(|m| m.to_string()).collect();
//!     assert_eq!(legal, ["(take 1)", "(take 2)"]);
//!
//!     let take = Move::take(2).ok_or("no such move")?;
//!     let state = game.next(&start, &[take, Move::NOOP])?;
//!     assert_eq!(game.state_text(&state), "((control right) (sticks 1))");
//!     // Now it is the turn of right: the same move again is an error that lists the legal ones.
//!     assert!(game.next(&state, &[take, Move::NOOP]).is_err());
//!
//!     let state = game.next(&state, &[Move::NOOP, "(take 1)".parse()?])?;
//!     assert!(game.terminal(&state));
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
//! Whoever writes for [`Game`] writes for all games. A state is a row of bits, one for each fluent;
//! roles, moves, fluents and percepts are dense numbers whose names are in the game's [`Vocabulary`], and
//! every name is KIF text in its normal spelling. What is seen of a state (legal moves, goals, whether the
//! game is over) is a row of bits too, a view: one [`Game::observe`] serves all the functions that end
//! in `_in`.
//!
//! Rulesheets with chance and hidden information (GDL-II) work too: see [`information`] for what players
//! are given, and [`Game::chance`] for how likely the moves of the role `random` are.
//!
//! [`History`] keeps where a game has been, with undo, redo and branches.
//!
//! Features: `dynamic` compiles rulesheets at run time, `serde` makes states, transcripts and match records serde data.

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
pub mod bits;
pub mod board;
mod chance;
mod circuit;
mod cpu;
mod dynamic;
mod error;
mod game;
pub mod history;
pub mod information;
mod joints;
pub use gdl_format::term as kif;
#[allow(
    clippy::inline_always,
    reason = "what is not inlined into a kernel is not compiled for its instructions"
)]
mod lanes;
#[cfg(feature = "dynamic")]
pub mod lifted;
#[cfg(feature = "dynamic")]
pub mod load;
#[cfg(feature = "dynamic")]
mod loader;
mod perft;
pub mod player;
mod playouts;
mod random;
pub mod record;
pub mod referee;
pub mod search;
#[allow(clippy::inline_always, reason = "as for lanes")]
mod simd;
mod stats;
mod table;
mod vocabulary;

pub use bits::{BitBox, Bits};
pub use board::Board;
pub use chance::Probability;
pub use dynamic::{Dynamic, FluentId, MoveId, PerceptId, RoleId};
pub use error::{Kind, StepError, TextError};
pub use game::{Game, Id, Legal, NoPercept, Row, Shape};
#[doc(inline)]
pub use gdl_macros::gdl;
pub use history::{History, Place, Transcript, TranscriptError};
pub use information::{Information, InformationError, InformationSet, Perception};
pub use lanes::{Batch, Expansion, Leaves, Lockstep};
#[cfg(feature = "dynamic")]
pub use load::{LoadError, load, load_named};
#[cfg(feature = "dynamic")]
pub use loader::Loader;
pub use perft::{Perft, divide, perft};
pub use player::{Belief, Budget, Cancel, Detached, First, Player, Random, Report};
pub use playouts::{Engine, Playouts};
pub use random::Stream;
pub use record::{Record, RecordError};
pub use referee::{Match, Referee, RefereeError};
pub use search::{
    AlphaBeta, Evaluation, FlatMonteCarlo, Found, Linear, MaxN, Mcts, Perfect, Solution, SolveError, Solved,
};
pub use simd::Isa;
pub use stats::{RoleTally, Stats, Tally};
pub use table::{Table, TableError};
pub use vocabulary::{Texts, Vocabulary};
