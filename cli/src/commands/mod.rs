//! One file per command: arguments in, a report on stdout out.

pub mod analyze;
pub mod bench;
pub mod check;
pub mod completions;
pub mod explain;
pub mod fmt;
pub mod list;
pub mod matches;
pub mod net;
pub mod perft;
pub mod play;
pub mod playouts;
pub mod serve;
pub mod verify;
