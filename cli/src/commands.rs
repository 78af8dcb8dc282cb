//! One file per command: arguments in, a report on stdout out.

pub(crate) mod analyze;
pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod explain;
pub(crate) mod fmt;
pub(crate) mod list;
pub(crate) mod matches;
pub(crate) mod net;
pub(crate) mod perft;
pub(crate) mod play;
pub(crate) mod playouts;
#[cfg(feature = "serve")]
pub(crate) mod serve;
pub(crate) mod verify;
