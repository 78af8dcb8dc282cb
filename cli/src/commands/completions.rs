//! `gdl completions`: a script that teaches a shell the commands.

use crate::args::{Cli, CompletionsArgs};
use clap::CommandFactory;
use gdl_tools::error::Result;
use std::io::{self, Write};

/// Prints the script.
///
/// # Errors
/// If stdout takes no more.
pub(crate) fn run(args: &CompletionsArgs) -> Result {
    // By way of memory, because the generator panics where a write fails.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "gdl", &mut script);
    let mut out = io::stdout().lock();
    out.write_all(&script)?;
    out.flush()?;
    Ok(())
}
