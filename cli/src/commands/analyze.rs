//! `gdl analyze`: measures a game by random play.

use crate::args::way::WayArgs;
use clap::Args;
use gdl_runtime::{Cancel, Dynamic};
use gdl_tools::{
    analyze::{self, Figures, Settings, page, text},
    error::{Error, Result},
    game::GameArg,
    output,
    parse::{count, seconds, threads},
    progress::Progress,
};
use std::{fs, io::Write, path::PathBuf};

/// Arguments of `gdl analyze`.
#[derive(Debug, Args)]
#[command(after_help = "\
Random games are followed move by move for lengths, moves and states. A hundred times that number are
played in lanes for the outcome, and ten times that number after each first move. The number of states
is a lower bound (Chao's estimator), the size of the game tree an estimate (Knuth's). The same count
and seed give the same figures.

Examples:
  gdl analyze connect_four
  gdl analyze breakthrough --count 10_000 --html breakthrough.html
  gdl analyze mygame.kif --seconds 20 --json")]
pub(crate) struct AnalyzeArgs {
    #[command(flatten)]
    pub game: GameArg,
    /// Random games to follow [default: 1,000]
    #[arg(long, short = 'n', value_name = "N", conflicts_with = "seconds", value_parser = count)]
    pub count: Option<u64>,
    /// Seconds to play instead of a number of games
    #[arg(long, value_name = "S", value_parser = seconds, allow_negative_numbers = true)]
    pub seconds: Option<f64>,
    /// Seed of the random choices
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    pub seed: u64,
    /// Threads that play [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = threads)]
    pub threads: Option<usize>,
    /// The engine that makes moves.
    #[command(flatten)]
    pub engine: WayArgs,
    /// Write a page with charts to a file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Print one JSON object on stdout
    #[arg(long)]
    pub json: bool,
}

/// Plays, prints the figures and writes the HTML page.
///
/// # Errors
/// Returns an error if the rulesheet has errors, or the page or stdout cannot be written.
pub(crate) fn run(args: &AnalyzeArgs) -> Result {
    let figures = args.game.with_dynamic(args.engine.way, |game| analyze(args, game))?;
    if let Some(path) = &args.html {
        fs::write(path, page::page(&figures))
            .map_err(|error| Error::Input(format!("cannot write {}: {error}", path.display())))?;
    }
    if args.json {
        return output::json(&figures.to_json());
    }
    let mut out = output::stdout();
    text::print(&figures, &mut out)?;
    out.flush()?;
    Ok(())
}

fn analyze(args: &AnalyzeArgs, game: &Dynamic) -> Figures {
    let settings = Settings {
        seed: args.seed,
        count: args.count.unwrap_or(Settings::DEFAULT_COUNT),
        seconds: args.seconds,
        threads: args.threads.unwrap_or(0),
        cancel: Cancel::default(),
    };
    let progress = match settings.seconds {
        Some(seconds) => Progress::timed("games", seconds),
        None => Progress::counted("games", settings.count),
    };
    let figures = analyze::analyze(&args.game.name(), game, &settings, &|done| progress.tell(done));
    figures.expect("nothing cancels it")
}
