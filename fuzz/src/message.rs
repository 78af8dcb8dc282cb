//! Messages of the network protocol: bytes in, read as whatever they may be.

#[path = "../../cli/network/tests/matches/reading.rs"]
mod reading;

pub use reading::read;
