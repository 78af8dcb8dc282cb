//! The runtime's public interface: states, tables, loading, boards, histories, playouts, perft, players and matches.
//!
//! These tests are here and not in the runtime's package, where all of them would be optimised as it is.

mod best;
mod board;
mod common;
mod history;
mod load;
mod perft;
mod playouts;
mod referee;
mod serde;
mod table;
