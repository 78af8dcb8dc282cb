//! The `gdl` command: [`run`] parses arguments, runs one command and returns an exit code. [`main`]
//! calls it with the arguments of the process. The Python package calls it with its own.
//!
//! Each command is a file of `commands`; arguments that several commands share are in `args`. The
//! work on games is in `gdl_tools`. Each server is a crate of its own, behind a feature.
//!
//! This is a library so that its tests can require all features while the program is built with
//! few: see `Cargo.toml`.

mod args;
mod commands;
mod gpu;

use clap::{
    CommandFactory, FromArgMatches, Parser,
    builder::styling::{AnsiColor, Styles},
    error::{ContextKind, ContextValue},
};
use commands::Command;
use gdl_runtime::lanes::Isa;
use gdl_tools::{
    error::Error,
    output::{self, BAD},
    report,
};
use std::{
    env,
    ffi::OsString,
    io::{self, Write},
    process::ExitCode,
    sync::{LazyLock, OnceLock},
};

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

const AFTER_HELP: &str = "\
A GAME is a built-in name (see `gdl list`), or a rulesheet if it contains `/` or ends in `.kif`.
With --json a command prints one JSON object on stdout; messages go to stderr.
Exit codes: 0 done, 1 the input has errors, 2 wrong usage.

Examples:
  gdl playouts tictactoe             a million random games of tic-tac-toe
  gdl check mygame.kif               what is wrong with a rulesheet, and where
  gdl perft connect_four --depth 6   the number of ways to make six moves";

/// The end of the help of a build that lacks commands.
const ALL_COMMANDS: &str = "

This program lacks some commands, such as `gdl serve`, and compiled code of some built-in games:
`cargo install --path cli --features full` has all.";

/// The text after the options of `gdl --help`.
fn after_help() -> String {
    if MISSING.is_empty() { AFTER_HELP.to_owned() } else { format!("{AFTER_HELP}{ALL_COMMANDS}") }
}

/// The text of `gdl --version`: the version, the features of this build, and the instruction sets
/// of this machine. `-V` prints only the version.
static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    let (best, all) = (Isa::best(), Isa::ALL.iter().filter(|isa| isa.is_available()));
    let found: Vec<&str> = all.map(|isa| isa.name()).collect();
    let missing =
        if MISSING.is_empty() { "all".to_owned() } else { format!("all but {}", MISSING.join(", ")) };
    format!(
        "{}\n\ninstruction set: {} (found: {})\nsystem: {}-{}\ncommands: {missing}\n\
         graphics cards: {}\ncompiled games: {} of {}",
        env!("CARGO_PKG_VERSION"),
        best.name(),
        found.join(", "),
        env::consts::ARCH,
        env::consts::OS,
        if cfg!(feature = "gpu") { "yes" } else { "no" },
        gdl_games::compiled().count(),
        gdl_games::LIST.len(),
    )
});

/// The commands of `gdl --help`, grouped by purpose. A build may lack some of them.
const GROUPS: [(&str, &[&str]); 4] = [
    (
        "Rulesheets",
        &["new", "check", "explain", "fmt", "convert", "test", "why", "equal", "scramble", "verify"],
    ),
    ("Play", &["list", "play", "serve", "match", "review", "train", "manage", "player"]),
    ("Figures", &["playouts", "perft", "analyze", "judge", "bench", "net", "shard"]),
    ("Editors, agents, shells", &["lsp", "mcp", "completions", "help"]),
];

/// Builds the command line. Its help lists the commands by [`GROUPS`].
fn command_line() -> clap::Command {
    let mut line = Cli::command();
    line.build();
    let (header, literal) = (STYLES.get_header(), STYLES.get_literal());
    let line_of = |name: &&str| {
        let command = line.find_subcommand(name)?;
        let about = command.get_about().cloned().unwrap_or_default();
        Some(format!("  {literal}{name:<11}{literal:#}  {about}\n"))
    };
    let section = |(group, names): (&str, &[&str])| {
        let lines: String = names.iter().filter_map(line_of).collect();
        format!("{header}{group}:{header:#}\n{lines}\n")
    };
    let commands: String = GROUPS.into_iter().map(section).collect();
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{commands}\
         {header}Options:{header:#}\n{{options}}{{after-help}}"
    );
    Cli::command().help_template(template).mut_subcommands(unwrap)
}

/// Joins the lines of each paragraph in the texts after the options, so that clap wraps them to the
/// terminal's width. Indented lines are rows and stay as they are.
fn unwrap(command: clap::Command) -> clap::Command {
    let Some(text) = command.get_after_help().map(ToString::to_string) else {
        return command.mut_subcommands(unwrap);
    };
    let is_prose = |line: &str| !line.is_empty() && !line.starts_with(' ');
    let (mut joined, mut before) = (String::new(), "");
    for line in text.lines() {
        joined += if is_prose(before) && is_prose(line) { " " } else { "\n" };
        joined += line;
        before = line;
    }
    command.after_help(joined.trim_start().to_owned()).mut_subcommands(unwrap)
}

/// Check, compile, play and verify games written in the Game Description Language.
#[derive(Debug, Parser)]
#[command(name = "gdl", version, long_version = LONG_VERSION.as_str(), styles = STYLES, after_help = after_help(), max_term_width = 100)]
pub(crate) struct Cli {
    /// The subcommand.
    #[command(subcommand)]
    pub command: Command,
}

/// The names of the commands that this build lacks because their features are off.
const MISSING: &[&str] = &[
    #[cfg(not(feature = "lsp"))]
    "lsp",
    #[cfg(not(feature = "manage"))]
    "manage",
    #[cfg(not(feature = "mcp"))]
    "mcp",
    #[cfg(not(feature = "network"))]
    "player",
    #[cfg(not(feature = "network"))]
    "scramble",
    #[cfg(not(feature = "serve"))]
    "serve",
];

/// Returns the message for a command of [`MISSING`]; `None` if the error has another cause.
fn missing(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidSubcommand) else { return None };
    MISSING.contains(&name.as_str()).then(|| {
        format!(
            "this program was built without `gdl {name}`\n\nhelp: `cargo install --path cli --features full` \
             installs all commands"
        )
    })
}

/// The words of a command line that starts this program again, for commands that run child
/// processes.
static LAUNCHER: OnceLock<Vec<OsString>> = OnceLock::new();

/// Runs the command that the arguments of this process name.
#[must_use]
pub fn main() -> ExitCode {
    let launcher = env::current_exe().map(|path| vec![path.into()]).unwrap_or_default();
    ExitCode::from(run(launcher, env::args_os()))
}

/// Runs the command that the arguments name and returns the exit code. The first argument is the
/// program. `launcher` starts this program again: its path, or an interpreter with its arguments.
#[must_use]
pub fn run(launcher: Vec<OsString>, args: impl IntoIterator<Item = OsString>) -> u8 {
    LAUNCHER.get_or_init(|| launcher);
    let parsed =
        command_line().try_get_matches_from(args).and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => {
            if let Some(message) = missing(&error) {
                return fail(&Error::Usage(message));
            }
            // Clap prints help on stdout and usage errors on stderr. If help cannot be written,
            // that is an error.
            let printed = error.print().and_then(|()| io::stdout().flush());
            if error.use_stderr() {
                return 2;
            }
            return printed.map_or_else(|error| fail(&Error::Output(error)), |()| 0);
        }
    };
    match cli.command.run(Cli::command) {
        Ok(()) => 0,
        Err(error) => {
            if let Some(faults) = report::failure(&error).filter(|_| cli.command.wants_json()) {
                // A reader that closed the pipe needs no more output.
                let _ = output::json(&faults);
            }
            fail(&error)
        }
    }
}

/// Prints the message of a failed command, unless it was printed already. Returns the exit code.
fn fail(error: &Error) -> u8 {
    if let Some(message) = error.message() {
        output::remark(format_args!("{BAD}error{BAD:#}: {message}"));
    }
    error.exit_code()
}
