//! The runtime's public interface: states, tables, loading, boards, histories, playouts, perft and
//! matches.
//!
//! These tests are in a package of their own, since tests inside the runtime's package would be
//! optimised like it. The tests of `Best` are in the package of the players, which is optimised
//! too, since they run longer than their compilation takes.

mod board;
mod common;
mod history;
mod load;
mod perft;
mod playouts;
mod referee;
mod serde;
mod table;
