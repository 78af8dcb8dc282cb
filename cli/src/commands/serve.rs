//! `gdl serve`: a board to click, in a browser.

use crate::{args::ServeArgs, error::Result, serve};

/// Serves until the process ends.
///
/// # Errors
/// If the game cannot be opened, or nobody may listen at the port.
pub fn run(args: &ServeArgs) -> Result {
    serve::run(args.game.as_ref(), args.port)
}
