//! Random games of the Game Description Language on a graphics card, many thousands at once.
//!
//! A game is prepared for a device: the lane programs of its table, the same that play 512 games at
//! once on the processor, become a kernel, in which each thread plays a block of games, 32 at once.
//! Rulesheets that are loaded at run time go the same way as those that are compiled in.
//!
//! ```
//! use gdl_gpu::Gpu;
//!
//! let game = gdl_games::dynamic("tictactoe").unwrap();
//! // `Gpu::open()?` for a card.
//! let tally = Gpu::emulator().prepare(&game)?.playouts(7, 10_000)?;
//! assert_eq!(tally.playouts, 10_000);
//! # Ok::<(), gdl_gpu::Error>(())
//! ```
//!
//! The same game, seed and number of playouts give the same tally on every card, on software that
//! stands for one, and in the emulator; it is not that of lanes, which draw other random numbers.
//! Everything is whole numbers, a block draws its own, and no thread asks another.
//!
//! The feature `device` is that of cards: by Vulkan, Metal or DirectX, which are found while the
//! program runs. Without it there is the emulator.

mod builder;
mod choice;
#[cfg(feature = "device")]
mod device;
mod emulator;
mod error;
mod job;
mod kernel;
mod playouts;
mod random;
mod watch;
mod wgsl;

pub use error::Error;
pub use playouts::{Control, Gpu, Prepared};
#[doc(hidden)]
pub use watch::{Watched, watch};
