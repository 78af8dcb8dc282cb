//! `gdl playouts`: random games, and what they add up to.

use crate::{
    args::{self, Engine, PlayoutsArgs},
    error::{Error, Result},
    game::{GameArg, Task, Way},
    load,
    output::{self, BOLD, DIM},
    progress::Progress,
};
use clap::ValueEnum;
use gdl_runtime::{Game, Isa, Playouts, Stats};
use serde_json::{Map, Value, json};
use std::io::Write;

/// Playouts that are made if nobody says how many or how long: some seconds of small games.
const DEFAULT_COUNT: u64 = 1_000_000;

/// Plays and prints the report.
///
/// # Errors
/// If the rulesheet is at fault, the engine does not fit it, or stdout takes no more.
pub fn run(args: &PlayoutsArgs) -> Result {
    check_isa(args.engine, args.isa)?;
    let straight = is_straight(&args.game)?;
    let (ran, stats) = args.game.with(way(&args.game, args.engine)?, Play(args))?;
    let single = || ran.unwrap_or(if straight { "straight" } else { "table" }).to_owned();
    let engine = match args.engine {
        _ if stats.engine == gdl_runtime::Engine::Lanes => text(&Engine::Lanes),
        _ if stats.engine == gdl_runtime::Engine::TableLanes => text(&Engine::TableLanes),
        Some(Engine::Lanes | Engine::TableLanes) | None => single(),
        Some(engine) => text(&engine),
    };
    let wants_lanes = matches!(args.engine, Some(Engine::Lanes | Engine::TableLanes));
    if wants_lanes && stats.engine == gdl_runtime::Engine::Single {
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

/// True if the game has straight-line code for single states.
fn is_straight(game: &GameArg) -> Result<bool> {
    match game {
        GameArg::BuiltIn(entry) => Ok(load::built_in(entry)?.is_straight()),
        GameArg::File(_) => Ok(false),
    }
}

/// How the game is to be run for an engine.
///
/// # Errors
/// If that is straight-line code and there is none.
pub(super) fn way(game: &GameArg, engine: Option<Engine>) -> Result<Option<Way>> {
    match engine {
        Some(Engine::Straight) if !is_straight(game)? => {
            let reason = match game {
                GameArg::BuiltIn(entry) => format!("{} is too large for straight-line code", entry.name),
                GameArg::File(_) => "only built-in games have straight-line code".to_owned(),
            };
            Err(Error::Usage(format!("{reason}: it runs as a table")))
        }
        Some(Engine::Table) => Ok(Some(Way::Table)),
        Some(Engine::Lifted) => Ok(Some(Way::Lifted)),
        None | Some(Engine::Lanes | Engine::TableLanes | Engine::Straight | Engine::Single) => Ok(None),
    }
}

/// Tests if this machine has the instruction set that is asked for, and the engine a use for it.
///
/// # Errors
/// If not.
pub(super) fn check_isa(engine: Option<Engine>, isa: Option<args::Isa>) -> Result {
    let Some(isa) = isa.map(Isa::from) else { return Ok(()) };
    if !isa.is_available() {
        let reason = format!("this machine does not have the instruction set {}", isa.name());
        return Err(Error::Usage(format!("{reason}: the best one it has is {}", Isa::best().name())));
    }
    if isa != Isa::Portable && !matches!(engine, None | Some(Engine::Lanes | Engine::TableLanes)) {
        return Err(Error::Usage(format!("only lanes use {}: leave `--engine` out", isa.name())));
    }
    Ok(())
}

/// A value as it is written on the command line.
pub(super) fn text(value: &impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// Plays as the arguments ask for.
struct Play<'a>(&'a PlayoutsArgs);

impl Task for Play<'_> {
    type Output = Stats;

    fn run<G: Game>(self, game: &G) -> Stats {
        let Self(args) = self;
        let mut playouts = Playouts::new(game).seed(args.seed).threads(args.threads.unwrap_or(0));
        let progress = if let Some(seconds) = args.seconds {
            playouts = playouts.seconds(seconds);
            Progress::timed("playouts", seconds)
        } else {
            let count = args.count.unwrap_or(DEFAULT_COUNT);
            playouts = playouts.count(count);
            Progress::counted("playouts", count)
        };
        playouts = match args.engine {
            None => playouts,
            Some(Engine::Lanes) => playouts.engine(gdl_runtime::Engine::Lanes),
            Some(Engine::TableLanes) => playouts.engine(gdl_runtime::Engine::TableLanes),
            Some(_) => playouts.engine(gdl_runtime::Engine::Single),
        };
        if let Some(isa) = args.isa {
            playouts = playouts.isa(isa.into());
        }
        if progress.is_shown() {
            playouts = playouts.progress(move |done| progress.tell(done));
        }
        playouts.run()
    }
}

/// The report: `goals` has null for a role that no game gave a goal.
fn to_json(name: &str, engine: &str, isa: &str, stats: &Stats) -> Value {
    let tally = &stats.tally;
    let per_role = |value: &dyn Fn(usize) -> Value| -> Map<String, Value> {
        stats.roles.iter().enumerate().map(|(i, role)| (role.to_owned(), value(i))).collect()
    };
    json!({
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
        "mean_length": stats.mean_length(),
        "goals": per_role(&|role| json!(stats.has_goals(role).then(|| stats.mean_goal(role)))),
        "wins": per_role(&|role| json!(tally.roles[role].wins)),
        "draws": per_role(&|role| json!(tally.roles[role].draws)),
        "losses": per_role(&|role| json!(tally.roles[role].losses)),
    })
}
