//! `gdl playouts`: plays random games and prints their statistics.

use crate::gpu::{GpuResult, GpuRun};
use clap::Args;
use gdl_games::PlayoutSettings;
use gdl_runtime::{
    Stats,
    playouts::{Report, Tally},
    vocabulary::Texts,
};
use gdl_tools::{
    engine::{EngineChoice, Isa},
    error::{Error, Result},
    game::GameArg,
    load::Way,
    output::{self, BOLD, DIM},
    parse::{count, seconds, threads, written},
    progress::Progress,
};
use serde_json::{Map, Value, json};
use std::{io::Write, time::Duration};

/// Arguments of `gdl playouts`.
#[derive(Debug, Args)]
#[command(after_help = "\
The same engine, count and seed give the same games on any machine and any number of threads. ± is one
standard error of the mean; `gdl match` and `gdl analyze` print 95 % intervals.

Examples:
  gdl playouts tictactoe
  gdl playouts connect_four --count 100_000 --seed 7
  gdl playouts mygame.kif --seconds 5 --threads 1 --json
  gdl playouts connect_four --engine gpu --count 1_000_000_000")]
pub(crate) struct PlayoutsArgs {
    #[command(flatten)]
    pub game: GameArg,
    /// Games to play [default: a million]
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
    /// The engine for games [default: lanes; without lanes, or where a trial says that they take
    /// longer, table, events or lifted, as the trial says or, if the rules take too much to be
    /// grounded, lifted]
    #[arg(long, value_enum)]
    pub engine: Option<EngineChoice>,
    /// The instruction set of lanes; results do not depend on it [default: the best one of this
    /// machine]
    #[arg(long, value_enum)]
    pub isa: Option<Isa>,
    /// The graphics card of the engine `gpu`: a part of its name, or `emulate` for an
    /// emulation on the processor [default: the fastest one]
    #[arg(long, value_name = "NAME")]
    pub device: Option<String>,
    /// Print one JSON object on stdout
    #[arg(long)]
    pub json: bool,
}

/// The default number of playouts, which takes some seconds for small games.
const DEFAULT_COUNT: u64 = 1_000_000;

/// Plays and prints the report.
///
/// # Errors
/// Returns an error if the rulesheet has errors, the engine cannot play it, or writing to stdout
/// fails.
pub(crate) fn run(args: &PlayoutsArgs) -> Result {
    args.isa.map_or(Ok(()), |isa| isa.check(args.engine))?;
    if args.engine == Some(EngineChoice::Gpu) {
        return run_on_card(args);
    }
    if args.device.is_some() {
        return Err(Error::Usage("`--device` selects a graphics card: add `--engine gpu`".to_owned()));
    }
    let way = args.engine.map_or(Ok(None), |engine| engine.way(&args.game))?;
    let (single, stats) = play(args, way)?;
    let engine = match args.engine {
        _ if stats.engine == gdl_runtime::playouts::PlayoutMode::Lanes => written(&EngineChoice::Lanes),
        _ if stats.engine == gdl_runtime::playouts::PlayoutMode::TableLanes => {
            written(&EngineChoice::TableLanes)
        }
        Some(EngineChoice::Lanes | EngineChoice::TableLanes) | None => single.to_owned(),
        Some(engine) => written(&engine),
    };
    let wants_lanes = args.engine.is_some_and(EngineChoice::is_lanes);
    if wants_lanes && stats.engine == gdl_runtime::playouts::PlayoutMode::Single {
        output::remark(format_args!("the game cannot be played in lanes: the engine is {engine}"));
    }
    let isa = stats.isa.name();
    let name = args.game.name();
    if args.json {
        return output::json(&to_json(&name, &engine, isa, &stats));
    }
    let mut out = output::stdout();
    writeln!(out, "{BOLD}{name}{BOLD:#} {DIM}{engine}, {isa}{DIM:#}")?;
    writeln!(out, "{stats}")?;
    out.flush()?;
    Ok(())
}

/// Plays on a graphics card and prints the report.
fn run_on_card(args: &PlayoutsArgs) -> Result {
    if args.threads.is_some() {
        return Err(Error::Usage("a graphics card uses its own threads: leave `--threads` out".to_owned()));
    }
    let (count, progress) = match (args.count, args.seconds) {
        (None, Some(seconds)) => (u64::MAX, Progress::timed("playouts", seconds)),
        (count, _) => {
            let count = count.unwrap_or(DEFAULT_COUNT);
            (count, Progress::counted("playouts", count))
        }
    };
    let run = GpuRun {
        device: args.device.as_deref(),
        seed: args.seed,
        count,
        time: args.seconds.map(Duration::from_secs_f64),
        progress: Some(&progress),
    };
    let played = args.game.with_dynamic(None, |game| run.play(game))?;
    drop(progress);
    let GpuResult { device, tally, roles, chance, prepare_seconds, seconds } = played?;
    let name = args.game.name();
    if args.json {
        let rate = |number: u64| if seconds > 0.0 { number as f64 / seconds } else { 0.0 };
        let mut report = json!({
            "game": name,
            "engine": "gpu",
            "device": device,
            "seed": args.seed,
            "playouts": tally.playouts,
            "states": tally.states,
            "prepare_seconds": prepare_seconds,
            "seconds": seconds,
            "playouts_per_second": rate(tally.playouts),
            "states_per_second": rate(tally.states),
        });
        if let (Value::Object(report), Value::Object(mut ends)) = (&mut report, ends(&tally, &roles, chance))
        {
            report.append(&mut ends);
        }
        return output::json(&report);
    }
    let mut out = output::stdout();
    writeln!(out, "{BOLD}{name}{BOLD:#} {DIM}gpu, {device}{DIM:#}")?;
    let how = format_args!("after {prepare_seconds:.3} s until the first, seed {}", args.seed);
    writeln!(out, "{}", Report { tally: &tally, roles: &roles, chance, seconds, how })?;
    out.flush()?;
    Ok(())
}

/// Plays on the processor. Returns the name of the engine for single states, and the statistics.
fn play(args: &PlayoutsArgs, way: Option<Way>) -> Result<(&'static str, Stats)> {
    let time = args.seconds.map(Duration::from_secs_f64);
    let count = args.count.or(time.is_none().then_some(DEFAULT_COUNT));
    let progress = match (count, args.seconds) {
        (Some(count), _) => Progress::counted("playouts", count),
        (None, seconds) => Progress::timed("playouts", seconds.unwrap_or_default()),
    };
    let settings = PlayoutSettings {
        seed: args.seed,
        count,
        blocks: None,
        time,
        threads: args.threads.unwrap_or(0),
        engine: args.engine.map(EngineChoice::of_playouts),
        isa: args.isa.map(Into::into),
        progress: progress
            .is_shown()
            .then(|| -> Box<dyn FnMut(u64)> { Box::new(|done| progress.tell(done)) }),
    };
    args.game.playouts(way, settings)
}

/// Returns the JSON report of playouts on the processor.
fn to_json(name: &str, engine: &str, isa: &str, stats: &Stats) -> Value {
    let tally = &stats.tally;
    let mut report = json!({
        "game": name,
        "engine": engine,
        "isa": isa,
        "seed": stats.seed,
        "threads": stats.threads,
        "playouts": tally.playouts,
        "states": tally.states,
        "seconds": stats.seconds,
        "cpu_seconds": stats.cpu_seconds,
        "playouts_per_second": stats.playouts_per_second(),
        "states_per_second": stats.states_per_second(),
    });
    if let (Value::Object(report), Value::Object(mut ends)) =
        (&mut report, ends(tally, &stats.roles, stats.chance))
    {
        report.append(&mut ends);
    }
    report
}

/// Returns the part of the report about the ends of games. In `goals`, a role without a goal in any
/// game has null.
fn ends(tally: &Tally, roles: &Texts, chance: Option<usize>) -> Value {
    let per_role = |value: &dyn Fn(usize) -> Value| -> Map<String, Value> {
        roles.iter().enumerate().map(|(i, role)| (role.to_owned(), value(i))).collect()
    };
    json!({
        "mean_length": tally.mean_length(),
        "goals": per_role(&|role| json!(tally.has_goals(role, chance).then(|| tally.mean_goal(role)))),
        "wins": per_role(&|role| json!(tally.roles[role].wins)),
        "draws": per_role(&|role| json!(tally.roles[role].draws)),
        "losses": per_role(&|role| json!(tally.roles[role].losses)),
    })
}
