//! `gdl perft`: how many sequences of joint moves there are, depth by depth.

use clap::Args;
use gdl_runtime::{Game, GameExt, perft::Perft};
use gdl_tools::{
    engine::{Engine, Isa},
    error::{Error, Result},
    game::{GameArg, Task},
    output::{self, BOLD, DIM, duration, thousands},
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
    /// A built-in game or a rulesheet
    pub game: GameArg,
    /// How moves are made [default: lanes; without lanes table, events or lifted, as a trial says or, if the rules take too much to be
    /// grounded, lifted]
    #[arg(long, value_enum)]
    pub engine: Option<Engine>,
    /// The instruction set of lanes; results do not depend on it [default: the best one of this machine]
    #[arg(long, value_enum)]
    pub isa: Option<Isa>,
    /// How many joint moves deep to count
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub depth: u32,
    /// List the count of the last depth for each first joint move
    #[arg(long)]
    pub divide: bool,
    /// Print one JSON object on stdout
    #[arg(long)]
    pub json: bool,
}

/// Counts and prints.
///
/// # Errors
/// If the rulesheet is at fault, the engine does not fit it, or stdout takes no more.
pub(crate) fn run(args: &PerftArgs) -> Result {
    if args.engine == Some(Engine::Gpu) {
        let reason = "a graphics card plays random games only: leave `--engine` out";
        return Err(Error::Usage(reason.to_owned()));
    }
    args.isa.map_or(Ok(()), |isa| isa.check(args.engine))?;
    let way = args.engine.map_or(Ok(None), |engine| engine.way(&args.game))?;
    args.game.with(way, Counting(args))?
}

struct Counting<'a>(&'a PerftArgs);

impl Task for Counting<'_> {
    type Output = Result;

    fn run<G: Game>(self, game: &G, single: &'static str) -> Result {
        let Self(args) = self;
        let in_lanes = perft(args, game).runs() == gdl_runtime::playouts::Engine::Lanes;
        if args.engine.is_some_and(Engine::is_lanes) && !in_lanes {
            output::remark("the game cannot be played in lanes: it is counted one state at a time");
        }
        let engine = if in_lanes { "lanes" } else { single };
        if args.json { to_json(args, game, engine) } else { print(args, game, engine) }
    }
}

/// Counts as the arguments ask for.
fn perft<'g, G: Game>(args: &PerftArgs, game: &'g G) -> Perft<'g, G> {
    let perft = match args.engine {
        None | Some(Engine::Lanes | Engine::TableLanes) => Perft::new(game),
        Some(_) => Perft::new(game).engine(gdl_runtime::playouts::Engine::Single),
    };
    match args.isa {
        Some(isa) => perft.isa(isa.into()),
        None => perft,
    }
}

fn to_json<G: Game>(args: &PerftArgs, game: &G, engine: &str) -> Result {
    let progress = Progress::counted("depths", u64::from(args.depth));
    let counts: Vec<Value> = (1..=u64::from(args.depth))
        .zip(perft(args, game))
        .map(|(depth, count)| {
            progress.tell(depth);
            json!(Count(count))
        })
        .collect();
    drop(progress);
    let mut report = json!({ "game": args.game.name(), "engine": engine, "counts": counts });
    if args.divide {
        let moves: Vec<Value> = perft(args, game)
            .divide(args.depth as usize)
            .into_iter()
            .map(|(joint, count)| json!({ "moves": texts(game, &joint), "count": Count(count) }))
            .collect();
        report["divide"] = json!(moves);
    }
    output::json(&report)
}

fn texts<'g, G: Game>(game: &'g G, joint: &[G::Move]) -> Vec<&'g str> {
    joint.iter().map(|&action| game.move_text(action)).collect()
}

fn print<G: Game>(args: &PerftArgs, game: &G, engine: &str) -> Result {
    let mut out = output::stdout();
    writeln!(out, "{BOLD}{}{BOLD:#} {DIM}{engine}{DIM:#}", args.game.name())?;
    if args.divide {
        let list = perft(args, game).divide(args.depth as usize);
        let total = list.iter().fold(0_u128, |sum, &(_, count)| sum.saturating_add(count));
        let width = thousands(total).len();
        for (joint, count) in list {
            writeln!(out, "{:>width$}  {}", thousands(count), texts(game, &joint).join(" "))?;
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
    // Line by line, since each level takes longer than the one before; so the widths are fixed.
    writeln!(out, "{DIM}{:>5}  {:>26}  {:>14}  {:>8}{DIM:#}", "depth", "sequences", "states", "time")?;
    let mut perft = perft(args, game);
    for depth in 1..=args.depth {
        let start = Instant::now();
        let count = perft.next().unwrap_or(0);
        let time = duration(start.elapsed().as_secs_f64());
        let states = thousands(u128::from(perft.states()));
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
