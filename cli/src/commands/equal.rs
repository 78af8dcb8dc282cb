//! `gdl equal`: compares two rulesheets: are they the same game?

use clap::Args;
#[cfg(feature = "network")]
use gdl_network::{Names, Sheet};
#[cfg(feature = "network")]
use gdl_tools::report;
use gdl_tools::{
    equal::{Bounds, EqualityVerdict, compare},
    error::{Error, Result},
    game::{GameArg, ReadingArgs, settle},
    output::{self, BAD, GOOD, counted, thousands},
    progress::Progress,
};
use serde_json::{Value, json};
use std::io::Write;

/// Arguments of `gdl equal`.
#[derive(Debug, Args)]
#[command(after_help = "\
Two rulesheets, in any syntax, are equal if they have the same roles and, after every sequence of
moves, the same legal moves, the same end and the same goals. All states that play can reach are
compared; if there are too many, all states to some depth are compared, and random games are played.
The shortest play that shows a difference is printed, and the exit code is 1.

Examples:
  gdl equal tictactoe mine.epilog
  gdl equal mine.kif theirs.kif --renamed")]
pub(crate) struct EqualArgs {
    /// A built-in game or a rulesheet
    #[arg(value_name = "GAME")]
    pub first: GameArg,
    /// The other rulesheet
    #[arg(value_name = "OTHER")]
    pub second: GameArg,
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// Allow other names in the second rulesheet, if its text has the same structure
    #[cfg(feature = "network")]
    #[arg(long)]
    pub renamed: bool,
    /// The most pairs of states to compare
    #[arg(long, value_name = "N", default_value_t = Bounds::default().states)]
    pub states: usize,
    /// Random games to play if there are more states
    #[arg(long, value_name = "N", default_value_t = Bounds::default().playouts)]
    pub playouts: u64,
    /// Seed of the random games
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Print one JSON object on stdout
    #[arg(long)]
    pub json: bool,
}

/// Compares the rulesheets and prints the verdict.
///
/// # Errors
/// Returns an error if a rulesheet has errors, the games differ, or writing to stdout fails.
pub(crate) fn run(args: &EqualArgs) -> Result {
    let load = |game: &GameArg| game.clone().read(args.reading).dynamic(None);
    let (first, second) = (load(&args.first)?, load(&args.second)?);
    let Bounds { states, moves, .. } = Bounds::default();
    // Keeps the default ratio of joint moves to pairs of states.
    let moves = args.states.saturating_mul(moves / states);
    let bounds =
        Bounds { states: args.states, moves, playouts: args.playouts, seed: args.seed, ..Bounds::default() };
    let progress = Progress::counted("pairs of states", bounds.states as u64);
    let verdict =
        compare(&first, &second, renaming(args)?, &bounds, &mut |walked| progress.tell(walked as u64));
    drop(progress);
    settle(&first)?;
    settle(&second)?;
    let mut out = output::stdout();
    if args.json {
        drop(out);
        output::json(&to_json(&verdict))?;
    } else {
        print(&verdict, &mut out)?;
        out.flush()?;
    }
    if matches!(verdict, EqualityVerdict::Different { .. }) { Err(Error::Reported) } else { Ok(()) }
}

/// Returns the function that translates a term of the first rulesheet into the names of the second.
#[cfg(feature = "network")]
fn renaming(args: &EqualArgs) -> Result<impl Fn(&str) -> String + use<>> {
    let names = if args.renamed { Some(names(args)?) } else { None };
    Ok(move |text: &str| names.as_ref().map_or_else(|| text.to_owned(), |names| names.to_received(text)))
}

#[cfg(not(feature = "network"))]
#[allow(clippy::unnecessary_wraps, reason = "as with the names of the network")]
fn renaming(_: &EqualArgs) -> Result<impl Fn(&str) -> String + use<>> {
    Ok(str::to_owned)
}

/// Returns the mapping from the first rulesheet's names to the second's.
#[cfg(feature = "network")]
fn names(args: &EqualArgs) -> Result<Names> {
    sheet(&args.first)?.names_in(&sheet(&args.second)?).ok_or_else(|| {
        Error::Input("the texts differ in more than names, so the names cannot be matched".to_owned())
    })
}

/// Returns the rulesheet of a game in KIF, with its own names. If it cannot be written in KIF,
/// prints its diagnostics on stderr and returns an error.
#[cfg(feature = "network")]
pub(super) fn sheet(game: &GameArg) -> Result<Sheet> {
    let (source, _) = game.source()?;
    Sheet::new(&source).map_err(|faults| {
        report::show(&faults, &source);
        Error::Rules(Box::new((source, *faults)))
    })
}

/// Prints the verdict as text.
pub(super) fn print(verdict: &EqualityVerdict, out: &mut impl Write) -> Result {
    match verdict {
        EqualityVerdict::Proved { states } => {
            writeln!(out, "{GOOD}equal{GOOD:#}: proved in all {}", counted(*states, "state"))?;
        }
        EqualityVerdict::Agreed { depth, states, playouts } => writeln!(
            out,
            "{GOOD}no difference{GOOD:#}: all states to depth {depth} ({} in all) and {} random games agree",
            thousands(*states as u128),
            thousands(u128::from(*playouts))
        )?,
        EqualityVerdict::Different { what, play } => {
            writeln!(out, "{BAD}different{BAD:#}: {what}")?;
            for (i, joint) in play.iter().enumerate() {
                writeln!(out, "{:>5}  {}", i + 1, joint.join("  "))?;
            }
        }
    }
    Ok(())
}

pub(super) fn to_json(verdict: &EqualityVerdict) -> Value {
    match verdict {
        EqualityVerdict::Proved { states } => json!({ "verdict": "proved", "states": states }),
        EqualityVerdict::Agreed { depth, states, playouts } => {
            json!({ "verdict": "agreed", "depth": depth, "states": states, "playouts": playouts })
        }
        EqualityVerdict::Different { what, play } => {
            json!({ "verdict": "different", "what": what, "play": play })
        }
    }
}
