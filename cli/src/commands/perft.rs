//! `gdl perft`: counts the sequences of joint moves, depth by depth.

use clap::Args;
use gdl_games::{Counter, PerftSettings};
use gdl_tools::{
    engine::{EngineChoice, Isa},
    error::{Error, Result},
    game::GameArg,
    output::{self, BOLD, DIM, duration, thousands},
    parse::written,
    progress::Progress,
    shard::Count,
};
use serde_json::{Value, json};
use std::{io::Write, time::Instant};

/// Arguments of `gdl perft`.
#[derive(Debug, Args)]
#[command(after_help = "\
The count of depth d is the number of sequences of d joint moves from the start, through states
that are not terminal.

Examples:
  gdl perft tictactoe --depth 9
  gdl perft mygame.kif --depth 3 --divide")]
pub(crate) struct PerftArgs {
    #[command(flatten)]
    pub game: GameArg,
    /// The engine for moves [default: table-lanes; if the game has no lanes, a trial chooses table,
    /// events or lifted; if grounding exceeds its limits, lifted]
    #[arg(long, value_enum)]
    pub engine: Option<EngineChoice>,
    /// The instruction set of lanes; results do not depend on it [default: the best one of this
    /// machine]
    #[arg(long, value_enum)]
    pub isa: Option<Isa>,
    /// Joint moves to count
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub depth: u32,
    /// List the count of the last depth for each first joint move
    #[arg(long)]
    pub divide: bool,
    /// Print one JSON object on stdout
    #[arg(long)]
    pub json: bool,
}

/// Counts the sequences and prints the counts.
///
/// # Errors
/// Returns an error if the rulesheet has errors, the engine cannot play it, or writing to stdout
/// fails.
pub(crate) fn run(args: &PerftArgs) -> Result {
    if args.engine == Some(EngineChoice::Gpu) {
        let reason = "a graphics card plays only random games: leave `--engine` out";
        return Err(Error::Usage(reason.to_owned()));
    }
    args.isa.map_or(Ok(()), |isa| isa.check(args.engine))?;
    let way = args.engine.map_or(Ok(None), |engine| engine.way(&args.game))?;
    let settings =
        PerftSettings { engine: args.engine.map(EngineChoice::of_perft), isa: args.isa.map(Into::into) };
    args.game.perft(way, settings, &mut |counter, single| {
        let in_lanes = counter.engine() == gdl_runtime::playouts::PlayoutMode::Lanes;
        if args.engine.is_some_and(EngineChoice::is_lanes) && !in_lanes {
            output::remark("the game cannot be played in lanes: it is counted one state at a time");
        }
        let engine = if in_lanes { written(&EngineChoice::TableLanes) } else { single.to_owned() };
        if args.json { to_json(args, counter, &engine) } else { print(args, counter, &engine) }
    })
}

fn to_json(args: &PerftArgs, counter: &mut dyn Counter, engine: &str) -> Result {
    let progress = Progress::counted("depths", u64::from(args.depth));
    let counts: Vec<Value> = (1..=u64::from(args.depth))
        .map(|depth| {
            let count = counter.count();
            progress.tell(depth);
            json!(Count(count))
        })
        .collect();
    drop(progress);
    let mut report = json!({ "game": args.game.name(), "engine": engine, "counts": counts });
    if args.divide {
        let list = counter.divide(args.depth as usize).into_iter();
        let moves: Vec<Value> =
            list.map(|(joint, count)| json!({ "moves": joint, "count": Count(count) })).collect();
        report["divide"] = json!(moves);
    }
    output::json(&report)
}

fn print(args: &PerftArgs, counter: &mut dyn Counter, engine: &str) -> Result {
    let mut out = output::stdout();
    writeln!(out, "{BOLD}{}{BOLD:#} {DIM}{engine}{DIM:#}", args.game.name())?;
    if args.divide {
        let list = counter.divide(args.depth as usize);
        let total = list.iter().fold(0_u128, |sum, &(_, count)| sum.saturating_add(count));
        let width = thousands(total).len();
        for (joint, count) in list {
            writeln!(out, "{:>width$}  {}", thousands(count), joint.join(" "))?;
        }
        writeln!(
            out,
            "{BOLD}{:>width$}{BOLD:#}  {DIM}in all, depth {}{DIM:#}",
            thousands(total),
            args.depth
        )?;
        out.flush()?;
        return Ok(());
    }
    // The column widths are fixed, because each line is printed as soon as its depth is counted.
    writeln!(out, "{DIM}{:>5}  {:>26}  {:>14}  {:>8}{DIM:#}", "depth", "sequences", "states", "time")?;
    for depth in 1..=args.depth {
        let start = Instant::now();
        let count = counter.count();
        let time = duration(start.elapsed().as_secs_f64());
        let states = thousands(u128::from(counter.states()));
        writeln!(out, "{depth:>5}  {:>26}  {DIM}{states:>14}  {time:>8}{DIM:#}", thousands(count))?;
        out.flush()?;
        if count == 0 {
            writeln!(
                out,
                "{DIM}no game is longer than {}{DIM:#}",
                output::counted(depth as usize - 1, "move")
            )?;
            break;
        }
    }
    out.flush()?;
    Ok(())
}
