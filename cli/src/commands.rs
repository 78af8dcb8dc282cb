//! One file per command: its arguments and its work, which prints a report on stdout.
//!
//! Arguments are checked while they are parsed, except by checks that need a file. After an invalid
//! argument the program exits with code 2 before any work is done, and the message suggests the
//! nearest valid word.

mod analyze;
mod bench;
mod check;
mod completions;
mod convert;
mod equal;
mod explain;
mod fmt;
mod judge;
mod list;
#[cfg(feature = "lsp")]
mod lsp;
#[cfg(feature = "manage")]
mod manage;
mod matches;
#[cfg(feature = "mcp")]
mod mcp;
mod net;
mod new;
mod perft;
mod play;
#[cfg(feature = "network")]
mod player;
mod playouts;
mod review;
#[cfg(feature = "network")]
mod scramble;
#[cfg(feature = "serve")]
mod serve;
mod shard;
mod test;
mod train;
mod verify;
mod why;

use clap::Subcommand;
use gdl_tools::error::Result;

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the built-in games
    List(list::ListArgs),
    /// Create a new rulesheet, with a crate that uses it
    New(new::NewArgs),
    /// Check rulesheets for errors
    Check(check::CheckArgs),
    /// Explain the code of a diagnostic
    Explain(explain::ExplainArgs),
    /// Format rulesheets
    Fmt(fmt::FmtArgs),
    /// Write a rulesheet in another syntax: KIF or infix
    Convert(convert::ConvertArgs),
    /// Compare two rulesheets: are they the same game?
    Equal(equal::EqualArgs),
    /// Obfuscate the names of a rulesheet
    #[cfg(feature = "network")]
    Scramble(scramble::ScrambleArgs),
    /// Show the propositional net a game compiles to
    Net(net::NetArgs),
    /// Count the sequences of joint moves, depth by depth
    Perft(perft::PerftArgs),
    /// Play random games and measure
    Playouts(playouts::PlayoutsArgs),
    /// Measure how wide, long, large and fair a game is
    Analyze(analyze::AnalyzeArgs),
    /// Score games for playability, one or thousands
    Judge(judge::JudgeArgs),
    /// Play matches between players, and count the results
    Match(matches::MatchArgs),
    /// Find the mistakes of a recorded match
    Review(review::ReviewArgs),
    /// Train a net that judges the states of a game, for the player `learned`
    Train(train::TrainArgs),
    /// Do one machine's part of a large job
    Shard(shard::ShardArgs),
    /// Play against a player, or watch one play itself
    Play(play::PlayArgs),
    /// Play for match managers, over the network
    #[cfg(feature = "network")]
    Player(player::PlayerArgs),
    /// Manage matches: schedules, players anywhere, results, standings
    #[cfg(feature = "manage")]
    Manage(manage::ManageArgs),
    /// Play in the browser, against people or players
    #[cfg(feature = "serve")]
    Serve(serve::ServeArgs),
    /// Run the tests of a rulesheet: plays with expectations
    Test(test::TestArgs),
    /// Serve an editor, by the Language Server Protocol
    #[cfg(feature = "lsp")]
    Lsp(lsp::LspArgs),
    /// Serve an agent, by the Model Context Protocol
    #[cfg(feature = "mcp")]
    Mcp(mcp::McpArgs),
    /// Explain why something holds at a position of a game, or why not
    Why(why::WhyArgs),
    /// Compare a rulesheet with recorded traces of a reference reasoner
    Verify(verify::VerifyArgs),
    /// Measure how soon rulesheets load, how fast they play and what memory they take
    Bench(bench::BenchArgs),
    /// Print a completion script for a shell
    Completions(completions::CompletionsArgs),
}

impl Command {
    /// Returns whether the command prints one JSON object on stdout.
    #[must_use]
    pub(crate) fn wants_json(&self) -> bool {
        match self {
            Self::List(args) => args.json,
            Self::Check(args) => args.format() == check::Format::Json,
            Self::Equal(args) => args.json,
            Self::Net(args) => args.json,
            Self::Perft(args) => args.json,
            Self::Playouts(args) => args.json,
            Self::Analyze(args) => args.json,
            // `gdl judge` prints an object for each rulesheet, also for one with errors.
            Self::Judge(_) => false,
            Self::Match(args) => args.json,
            Self::Review(args) => args.json,
            Self::Train(args) => args.json,
            Self::Test(args) => args.json,
            Self::Why(args) => args.json,
            Self::Verify(args) => args.json,
            Self::Bench(args) => args.json,
            Self::Explain(args) => args.json,
            Self::Shard(args) => args.wants_json(),
            #[cfg(feature = "network")]
            Self::Player(_) | Self::Scramble(_) => false,
            #[cfg(feature = "manage")]
            Self::Manage(args) => args.wants_json(),
            #[cfg(feature = "serve")]
            Self::Serve(_) => false,
            #[cfg(feature = "lsp")]
            Self::Lsp(_) => false,
            #[cfg(feature = "mcp")]
            Self::Mcp(_) => false,
            Self::New(_) | Self::Fmt(_) | Self::Convert(_) | Self::Play(_) | Self::Completions(_) => false,
        }
    }

    /// Runs the command. `whole` builds the whole command line, for completion scripts.
    ///
    /// # Errors
    /// Returns the error of the command.
    pub(crate) fn run(&self, whole: fn() -> clap::Command) -> Result {
        match self {
            Self::List(args) => list::run(args),
            Self::New(args) => new::run(args),
            Self::Check(args) => check::run(args),
            Self::Explain(args) => explain::run(args),
            Self::Fmt(args) => fmt::run(args),
            Self::Convert(args) => convert::run(args),
            Self::Equal(args) => equal::run(args),
            #[cfg(feature = "network")]
            Self::Scramble(args) => scramble::run(args),
            Self::Net(args) => net::run(args),
            Self::Perft(args) => perft::run(args),
            Self::Playouts(args) => playouts::run(args),
            Self::Analyze(args) => analyze::run(args),
            Self::Judge(args) => judge::run(args),
            Self::Match(args) => matches::run(args),
            Self::Review(args) => review::run(args),
            Self::Train(args) => train::run(args),
            Self::Shard(args) => shard::run(args),
            Self::Play(args) => play::run(args),
            #[cfg(feature = "network")]
            Self::Player(args) => player::run(args),
            #[cfg(feature = "manage")]
            Self::Manage(args) => manage::run(args),
            #[cfg(feature = "serve")]
            Self::Serve(args) => serve::run(args),
            Self::Test(args) => test::run(args),
            #[cfg(feature = "lsp")]
            Self::Lsp(_) => lsp::run(),
            #[cfg(feature = "mcp")]
            Self::Mcp(args) => mcp::run(args),
            Self::Why(args) => why::run(args),
            Self::Verify(args) => verify::run(args),
            Self::Bench(args) => bench::run(args),
            Self::Completions(args) => completions::run(args, whole),
        }
    }
}
