//! The `gdl` command: arguments in ([`args`]), a command does its work ([`commands`]), an exit code comes out.
//!
//! What commands do with games is in `gdl_tools`, the server of `gdl serve` in `gdl_serve`.

mod args;
mod commands;
mod gpu;

use clap::{
    CommandFactory, Parser,
    builder::styling::{AnsiColor, Styles},
};
use commands::Command;
use gdl_tools::{
    error::Error,
    output::{self, BAD},
    report,
};
use std::{
    io::{self, Write},
    process::ExitCode,
};

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

const AFTER_HELP: &str = "\
A GAME is a built-in name (see `gdl list`), or a rulesheet if it contains `/` or ends in `.kif`.
With --json a command prints one JSON object on stdout; messages go to stderr.
Exit codes: 0 done, 1 the input is at fault, 2 wrong usage.

Examples:
  gdl playouts tictactoe             a million random games of tic-tac-toe
  gdl check mygame.kif               what is wrong with a rulesheet, and where
  gdl perft connect_four --depth 6   how many ways there are to make six moves";

/// Check, compile, play and verify games written in the Game Description Language.
#[derive(Debug, Parser)]
#[command(name = "gdl", version, styles = STYLES, after_help = AFTER_HELP, max_term_width = 100)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help goes to stdout, faults to stderr. Who asked for help and cannot be given it had better know.
            let printed = error.print().and_then(|()| io::stdout().flush());
            if error.use_stderr() {
                return ExitCode::from(2);
            }
            return printed.map_or_else(|error| fail(&Error::Output(error)), |()| ExitCode::SUCCESS);
        }
    };
    match cli.command.run(Cli::command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if let Some(faults) = report::failure(&error).filter(|_| cli.command.wants_json()) {
                // A reader that closed the pipe has seen enough.
                let _ = output::json(&faults);
            }
            fail(&error)
        }
    }
}

/// Says what is left to be said of a command that did not succeed.
fn fail(error: &Error) -> ExitCode {
    if let Some(message) = error.message() {
        output::remark(format_args!("{BAD}error{BAD:#}: {message}"));
    }
    error.exit_code()
}
