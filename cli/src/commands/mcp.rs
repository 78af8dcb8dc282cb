//! `gdl mcp`: serves agents over the Model Context Protocol.

use clap::Args;
use gdl_context_server::ServerSettings;
use gdl_tools::{
    error::{Error, Result},
    game::ReadingArgs,
    parse::seconds,
};
use std::{io, path::PathBuf, time::Duration};

/// Arguments of `gdl mcp`.
#[derive(Debug, Args)]
#[command(after_help = "\
A client of the Model Context Protocol, such as an assistant or a program that writes rules, starts
this command and communicates over stdin and stdout. docs/how-to/agents.md in the source has the
settings of clients.

Tools: check, explain, fix, simulate, play, legal_moves, why, best_move, analyze, compare.
Resources: the primer, the rulesheets of the built-in games, the pages of diagnostics.

A rulesheet is a text, the name of a built-in game or, with --folder, a file below that folder. No
file is written, and no other file is read. The limits are those for text from a network.

Examples:
  gdl mcp
  gdl mcp --folder ~/games --seconds 60")]
pub(crate) struct McpArgs {
    /// Let rulesheets below this folder be read
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// Seconds that the work for one question may take
    #[arg(long, value_name = "S", default_value = "30", value_parser = seconds)]
    pub seconds: f64,
}

/// Serves until the client's stream ends.
///
/// # Errors
/// Returns an error if the folder does not exist, or threads cannot be started.
pub(crate) fn run(args: &McpArgs) -> Result {
    if let Some(folder) = args.folder.as_ref().filter(|folder| !folder.is_dir()) {
        return Err(Error::Input(format!("there is no folder {}", folder.display())));
    }
    let settings = ServerSettings {
        folder: args.folder.clone(),
        lenient: args.reading.lenient,
        longest: Duration::from_secs_f64(args.seconds),
    };
    Ok(gdl_context_server::serve(io::stdin(), io::stdout(), &settings)?)
}
