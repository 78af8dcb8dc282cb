//! `gdl lsp`: serves editors over the Language Server Protocol.

use clap::Args;
use gdl_tools::error::{Error, Result};
use std::io;

/// Arguments of `gdl lsp`.
#[derive(Debug, Args)]
#[command(after_help = "\
An editor starts this command and communicates over stdin and stdout. docs/how-to/editors.md in the
source has the settings of editors.

It shows the diagnostics of `gdl check` while you type, lints as hints, and edits as quick fixes. It
describes a name, finds its definitions and uses, renames, completes and formats. The limits are those
for text from a network: a rulesheet beyond them is checked without grounding.")]
pub(crate) struct LspArgs {
    /// Accepted because some editors pass it; stdin and stdout are always used
    #[arg(long)]
    pub stdio: bool,
}

/// Serves until the editor sends `exit` or its stream ends.
///
/// # Errors
/// Returns [`Error::Reported`] if the editor did not send `shutdown` before `exit`, and
/// [`Error::Output`] if writing to it fails.
pub(crate) fn run() -> Result {
    if gdl_language_server::serve(io::stdin(), io::stdout().lock())? { Ok(()) } else { Err(Error::Reported) }
}
