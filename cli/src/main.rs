//! The `gdl` command: arguments in ([`args`]), a command does its work ([`commands`], [`play`]), an exit code comes out.
//!
//! What commands do with games is in `gdl_tools`, the server of `gdl serve` in `gdl_serve`.

mod args;
mod commands;
mod play;

use args::{Cli, Command};
use clap::Parser;
use gdl_tools::{
    error::Error,
    output::{self, BAD},
    report,
};
use std::{
    io::{self, Write},
    process::ExitCode,
};

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
        #[cfg(feature = "serve")]
        Command::Serve(args) => commands::serve::run(args),
        Command::Verify(args) => commands::verify::run(args),
        Command::Bench(args) => commands::bench::run(args),
        Command::Completions(args) => commands::completions::run(args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if let Some(faults) = report::failure(&error).filter(|_| cli.command.wants_json()) {
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
