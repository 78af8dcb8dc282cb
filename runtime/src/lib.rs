//! Play games written in the Game Description Language.
//!
//! A rulesheet becomes a [`Game`]: at compile time by `gdl!`, or while the program runs by
//! `load` (feature `dynamic`). A game answers what is legal, what follows, whether it is over
//! and who won; [`Playouts`] plays at random and [`perft`] counts move sequences.
//!
//! Whoever writes for [`Game`] writes for all games. A state is a row of bits, one for each fluent;
//! roles, moves and fluents are dense numbers whose names are in the game's [`Vocabulary`], and every
//! name is KIF text in its normal spelling. What is seen of a state (legal moves, goals, whether the
//! game is over) is a row of bits too, a view: one [`Game::observe`] serves all the functions that end
//! in `_in`.
//!
//! Features: `dynamic` compiles rulesheets at run time, `serde` makes states serde data.

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
pub mod bits;
mod circuit;
mod cpu;
mod dynamic;
mod error;
mod game;
pub mod kif;
#[cfg(feature = "dynamic")]
pub mod load;
mod perft;
mod playouts;
mod random;
mod stats;
mod table;
mod vocabulary;

pub use bits::{BitBox, Bits};
pub use dynamic::{Dynamic, FluentId, MoveId, RoleId};
pub use error::{Kind, StepError, TextError};
pub use game::{Game, Id, Legal, Row, Shape};
pub use gdl_macros::gdl;
#[cfg(feature = "dynamic")]
pub use load::{LoadError, load, load_named};
pub use perft::{Perft, divide, perft};
pub use playouts::Playouts;
pub use random::Stream;
pub use stats::{RoleTally, Stats, Tally};
pub use table::{Table, TableError};
pub use vocabulary::{Texts, Vocabulary};
