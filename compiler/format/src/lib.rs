//! The contract of compiler and runtime: the data of a game that both share.
//!
//! - [`shape`]: the sizes of a game, and the positions of bits in states, views and percepts.
//! - [`aig`]: and-inverter graphs, the two-input gates of a stored net.
//! - [`lanes`]: the programs that play 512 games at once: slots, operations, choices and counted
//!   items.
//! - [`table`]: the encoding of a whole game as bytes.
//! - [`term`]: the parts of a name in KIF.
//!
//! The crate has no dependencies. A change of the format touches this crate's files,
//! [`table::VERSION`], and the code that makes or uses the new data.

pub mod aig;
pub mod lanes;
mod reader;
pub mod shape;
pub mod table;
pub mod term;
mod writer;
