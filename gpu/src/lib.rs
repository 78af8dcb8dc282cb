//! Random games of the Game Description Language on a graphics card, thousands at once.
//!
//! The lane programs of a game's table, which also play 512 games at once on the processor, are
//! compiled to a kernel. Each thread plays a block of games, 32 at once. Rulesheets loaded at run
//! time and compiled-in games are treated the same.
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
//! The same game, seed and number of playouts give the same tally on every card, on software
//! implementations, and in the emulator. Lanes use other random numbers, so their tallies differ.
//! Kernels use integers only, each block has its own random numbers, and threads do not
//! communicate.
//!
//! The feature `device` adds cards by Vulkan, Metal or DirectX, which are found at run time.
//! Without it there is only the emulator. A program with a card of its own drives it by a [`Run`].

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
mod run;
mod watch;
mod wgsl;

pub use error::Error;
pub use playouts::{Control, Gpu, Prepared};
pub use run::{Dispatch, Run};
#[doc(hidden)]
pub use watch::{Watched, watch};
