//! The runtime's public interface: states, tables, loading, boards, histories, playouts, perft and
//! matches.
//!
//! These tests are here and not in the package of the runtime, where they would be optimised as it
//! is. Those of `Best`, which are longer than that takes, are there.

mod board;
mod common;
mod history;
mod load;
mod perft;
mod playouts;
mod referee;
mod serde;
mod table;
