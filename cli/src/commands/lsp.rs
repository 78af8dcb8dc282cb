//! `gdl lsp`: the server that editors ask about rulesheets.

use clap::Args;
use gdl_tools::error::{Error, Result};
use std::io;

/// Arguments of `gdl lsp`.
#[derive(Debug, Args)]
#[command(after_help = "\
An editor starts this command and speaks to it over stdin and stdout; how an editor is told to is in
docs/how-to/editors.md of the source.

It shows what `gdl check` says while one types, lints as hints, and what is meant by help lines as
quick fixes. It says what a name is, finds where it is given and used, renames, completes and formats.
The limits are those for text from a network: what takes more is checked without being grounded.")]
pub(crate) struct LspArgs {
    /// Stdin and stdout are used in any case; some editors say so
    #[arg(long)]
    pub stdio: bool,
}

/// Serves until the editor says `exit`.
///
/// # Errors
/// [`Error::Reported`] if it left without saying `shutdown` first, [`Error::Output`] if it takes no
/// more.
pub(crate) fn run() -> Result {
    if gdl_language_server::serve(io::stdin(), io::stdout().lock())? { Ok(()) } else { Err(Error::Reported) }
}
