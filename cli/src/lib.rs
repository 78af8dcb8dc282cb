//! The `gdl` command as a library, so that tests can reach its parts.
//!
//! Arguments come in ([`args`]), a game is found ([`game`], [`load`]), a command does its work
//! ([`commands`], [`analyze`], [`play`], [`serve`], [`simulate`], [`verify`]) and says what came of it ([`output`],
//! [`report`]); what went wrong ends as an exit code ([`error`]). [`players`] are known by name. What is measured apart runs in
//! a process of its own ([`child`]); [`statistics`] sums up.

pub mod analyze;
pub mod args;
pub mod child;
pub mod commands;
pub mod error;
pub mod game;
pub mod load;
pub mod output;
pub mod play;
pub mod players;
pub mod progress;
pub mod report;
pub mod serve;
pub mod simulate;
pub mod statistics;
pub mod verify;

use args::{Cli, Command};
use clap::Parser;
use error::Error;
use output::BAD;
use std::{
    ffi::OsString,
    io::{self, Write},
    process::ExitCode,
};

/// Runs the command that `args` ask for, the program's name first.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(args) {
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
    let result = match &cli.command {
        Command::List(args) => commands::list::run(args),
        Command::Check(args) => commands::check::run(args),
        Command::Explain(args) => commands::explain::run(args),
        Command::Fmt(args) => commands::fmt::run(args),
        Command::Net(args) => commands::net::run(args),
        Command::Perft(args) => commands::perft::run(args),
        Command::Playouts(args) => commands::playouts::run(args),
        Command::Analyze(args) => commands::analyze::run(args),
        Command::Match(args) => commands::matches::run(args),
        Command::Play(args) => commands::play::run(args),
        Command::Serve(args) => commands::serve::run(args),
        Command::Verify(args) => commands::verify::run(args),
        Command::Bench(args) => commands::bench::run(args),
        Command::Completions(args) => commands::completions::run(args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if let Some(faults) = error.to_json().filter(|_| cli.command.wants_json()) {
                // Whoever reads no more has seen enough.
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
