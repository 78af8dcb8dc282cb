//! The argument for the engine that makes moves: one that a trial chooses, or a given one.

use clap::Args;
use gdl_tools::load::Way;

/// The argument for the engine that makes moves.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct WayArgs {
    /// The engine for moves [default: table, events or lifted where a trial says that they take
    /// less, or, if the rules take too much to be grounded, lifted]
    #[arg(long = "engine", value_name = "ENGINE", value_enum)]
    pub way: Option<Way>,
}
