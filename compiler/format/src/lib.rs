//! The contract of compiler and runtime: what both agree on about a game, each in one place.
//!
//! - [`shape`]: the sizes of a game, and where the bits of states, views and percepts stand.
//! - [`aig`]: two-input gates, the and-inverter graph in which a net is written down.
//! - [`lanes`]: the programs that play 512 games at once: slots, operations, choices and counted
//!   items.
//! - [`table`]: a whole game as one string of bytes, written and read here.
//! - [`term`]: the parts of a name in KIF.
//!
//! The crate depends on nothing. A change of the format touches its files and [`table::VERSION`],
//! and nothing else but what makes or uses the new data.

pub mod aig;
pub mod lanes;
mod reader;
pub mod shape;
pub mod table;
pub mod term;
mod writer;
