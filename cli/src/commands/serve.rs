//! `gdl serve`: a board to click, in a browser.

use crate::args::ServeArgs;
use gdl_tools::error::Result;

/// Serves until the process ends.
///
/// # Errors
/// If the game cannot be opened, or nobody may listen at the port.
pub(crate) fn run(args: &ServeArgs) -> Result {
    gdl_serve::run(args.game.as_ref(), args.port)
}
