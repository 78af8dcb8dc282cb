//! `gdl completions`: a script that teaches a shell the commands.

use clap::Args;
use gdl_tools::error::Result;
use std::io::{self, Write};

/// Arguments of `gdl completions`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  gdl completions bash > ~/.local/share/bash-completion/completions/gdl")]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

/// Prints the script for a command.
///
/// # Errors
/// If stdout takes no more.
pub(crate) fn run(args: &CompletionsArgs, command: fn() -> clap::Command) -> Result {
    // By way of memory, because the generator panics where a write fails.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command(), "gdl", &mut script);
    let mut out = io::stdout().lock();
    out.write_all(&script)?;
    out.flush()?;
    Ok(())
}
