//! `gdl playouts`: random games, and what they add up to.

use clap::Args;
use gdl_runtime::{Game, Playouts, Stats};
use gdl_tools::{
    engine::{Engine, Isa, is_straight},
    error::Result,
    game::{GameArg, Task},
    output::{self, BOLD, DIM},
    parse::{count, seconds, threads, written},
    progress::Progress,
};
use serde_json::{Map, Value, json};
use std::{io::Write, time::Duration};

/// Arguments of `gdl playouts`.
#[derive(Debug, Args)]
#[command(after_help = "\
The same count and seed give the same games, whatever the number of threads and the machine. Behind ± is
one standard error of the mean; `gdl match` and `gdl analyze` print intervals of 95 %.

Examples:
  gdl playouts tictactoe
  gdl playouts connect_four --count 100_000 --seed 7
  gdl playouts mygame.kif --seconds 5 --threads 1 --json")]
pub(crate) struct PlayoutsArgs {
    /// A built-in game or a rulesheet
    pub game: GameArg,
    /// How many games to play [default: a million]
    #[arg(long, short = 'n', value_name = "N", conflicts_with = "seconds", value_parser = count)]
    pub count: Option<u64>,
    /// Play for so long instead
    #[arg(long, value_name = "S", value_parser = seconds, allow_negative_numbers = true)]
    pub seconds: Option<f64>,
    /// What the random choices follow from
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    pub seed: u64,
    /// How many threads play [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = threads)]
    pub threads: Option<usize>,
    /// How games are played [default: lanes; without lanes table, events where a trial says that they take less, or, if the rules take
    /// too much to be grounded, lifted]
    #[arg(long, value_enum)]
    pub engine: Option<Engine>,
    /// The instruction set of lanes; results do not depend on it [default: the best one of this machine]
    #[arg(long, value_enum)]
    pub isa: Option<Isa>,
    /// Print one JSON object on stdout
    #[arg(long)]
    pub json: bool,
}

/// Playouts that are made unless it is said how many or how long: some seconds of small games.
const DEFAULT_COUNT: u64 = 1_000_000;

/// Plays and prints the report.
///
/// # Errors
/// If the rulesheet is at fault, the engine does not fit it, or stdout takes no more.
pub(crate) fn run(args: &PlayoutsArgs) -> Result {
    args.isa.map_or(Ok(()), |isa| isa.check(args.engine))?;
    let straight = is_straight(&args.game)?;
    let way = args.engine.map_or(Ok(None), |engine| engine.way(&args.game))?;
    let (ran, stats) = args.game.with(way, Play(args))?;
    let single = || ran.unwrap_or(if straight { "straight" } else { "table" }).to_owned();
    let engine = match args.engine {
        _ if stats.engine == gdl_runtime::playouts::Engine::Lanes => written(&Engine::Lanes),
        _ if stats.engine == gdl_runtime::playouts::Engine::TableLanes => written(&Engine::TableLanes),
        Some(Engine::Lanes | Engine::TableLanes) | None => single(),
        Some(engine) => written(&engine),
    };
    let wants_lanes = args.engine.is_some_and(Engine::is_lanes);
    if wants_lanes && stats.engine == gdl_runtime::playouts::Engine::Single {
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

/// Plays as the arguments ask for.
struct Play<'a>(&'a PlayoutsArgs);

impl Task for Play<'_> {
    type Output = Stats;

    fn run<G: Game>(self, game: &G) -> Stats {
        let Self(args) = self;
        let mut playouts = Playouts::new(game).seed(args.seed).threads(args.threads.unwrap_or(0));
        let progress = if let Some(seconds) = args.seconds {
            playouts = playouts.within(Duration::from_secs_f64(seconds));
            Progress::timed("playouts", seconds)
        } else {
            let count = args.count.unwrap_or(DEFAULT_COUNT);
            playouts = playouts.count(count);
            Progress::counted("playouts", count)
        };
        playouts = match args.engine {
            None => playouts,
            Some(Engine::Lanes) => playouts.engine(gdl_runtime::playouts::Engine::Lanes),
            Some(Engine::TableLanes) => playouts.engine(gdl_runtime::playouts::Engine::TableLanes),
            Some(_) => playouts.engine(gdl_runtime::playouts::Engine::Single),
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
