//! One file per command: arguments in, a report on stdout out.

pub mod bench;
pub mod check;
pub mod completions;
pub mod explain;
pub mod fmt;
pub mod list;
pub mod net;
pub mod perft;
pub mod playouts;
pub mod verify;
