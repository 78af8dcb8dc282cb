//! `gdl bench`: measures the load time, speed of play and memory of rulesheets.
//!
//! Each rulesheet is measured in a child process, so that its peak memory can be read and a slow
//! one can be stopped. The parent process collects the reports.

use crate::{
    LAUNCHER,
    args::rules::{Bounds, Case},
    gpu::GpuRun,
};
use clap::Args;
#[cfg(any(unix, windows))]
use cpu_time::ProcessTime;
use gdl_compiler::{Diagnostics, Observer, Options, Severity, Source};
use gdl_games::PlayoutSettings;
use gdl_runtime::{
    Dynamic, Stats,
    engine::{EngineKind, compile_as},
};
use gdl_tools::{
    child::{self, peak_memory},
    engine::EngineChoice,
    error::{Error, Result},
    game::{ReadingArgs, playouts},
    load,
    output::{self, BAD, BOLD, DIM, duration, scaled, thousands},
    parse::{seconds, written},
    progress::Progress,
    report,
    statistics::{geometric_mean, median},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::{
    io::{self, Write},
    ops::ControlFlow,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};
// On other systems elapsed time stands in for processor time.
#[cfg(not(any(unix, windows)))]
use std::time::Instant as ProcessTime;

/// Arguments of `gdl bench`.
#[derive(Debug, Args)]
#[command(after_help = "\
Each rulesheet runs in a process of its own, on one thread, for the given time. Warnings are not
shown. If a rulesheet does not load or takes too long, its line says so, and the others are measured.

`load` is the time from the text to the end of a first random game. Times and rates are in processor
time, on a graphics card in elapsed time. `memory` is the peak of the process.

Examples:
  gdl bench rulesheets
  gdl bench rulesheets --seconds 0.2 --json > bench.json
  gdl bench mygame.kif yours.kif --engine table")]
pub(crate) struct BenchArgs {
    /// Rulesheets, and folders with rulesheets that end in `.kif`
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,
    /// Seconds that each rulesheet is played
    #[arg(long, value_name = "S", default_value_t = 1.0, value_parser = seconds)]
    pub seconds: f64,
    /// Seconds that the compilation of each may take
    #[arg(long, value_name = "S", default_value_t = 10.0, value_parser = seconds)]
    pub deadline: f64,
    /// The engine for games [default: lanes; without lanes, or where a trial says that they take
    /// longer, table, events or lifted, as the trial says or, if the rules take too much to be
    /// grounded, lifted]
    #[arg(long, value_enum)]
    pub engine: Option<EngineChoice>,
    /// The graphics card of the engine `gpu`: a part of its name, or `emulate` [default: the
    /// fastest one]
    #[arg(long, value_name = "NAME")]
    pub device: Option<String>,
    /// The case of symbols: whether `Cell` and `cell` are the same
    #[arg(long, value_enum, default_value_t)]
    pub case: Case,
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// Limits of a rulesheet
    #[arg(long, value_enum, default_value_t)]
    pub limits: Bounds,
    /// Print one JSON object on stdout
    #[arg(long)]
    pub json: bool,
    /// Measure one rulesheet here, and print the result for the process that started this one
    #[arg(long, hide = true)]
    pub alone: bool,
}

/// The seconds that a child process may take beyond the given ones: for the first game, and for
/// games that have not ended when the time is up.
const GRACE: f64 = 30.0;

/// The width of the longest engine name, `table-lanes`.
const ENGINE: usize = 11;

/// The measurements of a rulesheet, in the order of `--json`.
#[derive(Debug, Serialize, Deserialize)]
struct Figures {
    engine: String,
    isa: String,
    /// The time from the text to the end of the first random game, played one state at a time.
    load_seconds: f64,
    load_cpu_seconds: f64,
    /// The time after loading to play a first game in lanes, including the allocation of the lanes'
    /// memory. On a graphics card, the elapsed time to prepare the game.
    lanes_cpu_seconds: Option<f64>,
    playouts: u64,
    states: u64,
    seconds: f64,
    cpu_seconds: f64,
    playouts_per_cpu_second: f64,
    states_per_cpu_second: f64,
    /// The peak memory of the process; `None` if the system does not report it.
    bytes: Option<u64>,
}

/// The result of a rulesheet: figures, or the reason for having none.
type Outcome = std::result::Result<Figures, String>;

/// Measures each rulesheet and prints a line for it.
///
/// # Errors
/// Returns an error if there is no rulesheet, or none can be played.
pub(crate) fn run(args: &BenchArgs) -> Result {
    if args.engine == Some(EngineChoice::Straight) {
        return Err(Error::Usage(
            "only built-in games have straight-line code: a rulesheet has none".to_owned(),
        ));
    }
    if args.device.is_some() && args.engine != Some(EngineChoice::Gpu) {
        return Err(Error::Usage("`--device` selects a graphics card: add `--engine gpu`".to_owned()));
    }
    if args.alone {
        let outcome = args.paths.first().map(|path| measure(path, args));
        return output::json(&json!(outcome));
    }
    let files = load::rulesheets(&args.paths)?;
    let width = files.iter().map(|file| name(file).chars().count()).max().unwrap_or(0);
    let progress = Progress::counted("rulesheets", files.len() as u64);
    let mut out = output::stdout();
    if !args.json {
        let titles =
            ["load", "playouts/s", "states/s", "memory"].map(|title| format!("{title:>11}")).concat();
        writeln!(out, "{DIM}{:<width$}  {:<ENGINE$}{titles}{DIM:#}", "", "engine")?;
    }
    let mut rows = Vec::new();
    for file in files {
        let outcome = apart(&file, args);
        if !args.json {
            progress.aside(|| print(&mut out, &format!("{:<width$}", name(&file)), &outcome))?;
        }
        rows.push((file, outcome));
        progress.tell(rows.len() as u64);
    }
    drop(progress);
    let whole = Whole::of(&rows);
    if args.json {
        output::json(&json!({
            "rulesheets": rows.iter().map(|(file, outcome)| to_json(file, outcome)).collect::<Vec<_>>(),
            "totals": whole,
        }))?;
    } else {
        writeln!(
            out,
            "{BOLD}{} of {}{BOLD:#} played; half of them loaded within {}; {} states/s in the geometric mean",
            thousands(whole.played as u128),
            output::counted(rows.len(), "rulesheet"),
            whole.median_load_cpu_seconds.map_or_else(|| "-".to_owned(), duration),
            whole.mean_states_per_cpu_second.map_or_else(|| "-".to_owned(), scaled),
        )?;
        out.flush()?;
    }
    if whole.played > 0 { Ok(()) } else { Err(Error::Reported) }
}

/// Returns the name of a rulesheet in the report: the file name without its ending.
fn name(file: &Path) -> String {
    file.file_stem().unwrap_or(file.as_os_str()).to_string_lossy().into_owned()
}

/// Measures a rulesheet in a child process.
fn apart(file: &Path, args: &BenchArgs) -> Outcome {
    let launcher = LAUNCHER.get().and_then(|words| words.split_first());
    let (program, words) = launcher.ok_or("this program has no path")?;
    let mut command = Command::new(program);
    command.args(words);
    command.args(["bench", "--alone", "--case", &written(&args.case), "--limits", &written(&args.limits)]);
    command.args(["--seconds", &args.seconds.to_string(), "--deadline", &args.deadline.to_string()]);
    if args.reading.lenient {
        command.arg("--lenient");
    }
    if let Some(engine) = args.engine {
        command.args(["--engine", &written(&engine)]);
    }
    if let Some(device) = &args.device {
        command.args(["--device", device]);
    }
    command.arg("--").arg(file);
    let cap = args.deadline + args.seconds + GRACE;
    let report = child::run(command, "", Duration::from_secs_f64(cap))
        .map_err(|error| format!("cannot run its process: {error}"))?;
    if report.stopped {
        return Err(format!("stopped after {}", duration(cap)));
    }
    serde_json::from_str(&report.output).unwrap_or_else(|_| Err("its process broke down".to_owned()))
}

/// Measures a rulesheet in this process.
fn measure(file: &Path, args: &BenchArgs) -> Outcome {
    let mut options = Options {
        case_sensitive: args.case == Case::Sensitive,
        lenient: args.reading.lenient,
        limits: args.limits.limits(),
        ..load::quiet()
    };
    let source = load::read(file, &options).map_err(|fault| report::line(&fault.1, &fault.0))?;
    let (start, clock) = (Instant::now(), ProcessTime::now());
    let limit = Duration::from_secs_f64(args.deadline);
    options.observer = Observer::new(move |_| {
        if start.elapsed() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    let way = match args.engine {
        Some(EngineChoice::Table) => Some(EngineKind::Table),
        Some(EngineChoice::Events) => Some(EngineKind::Events),
        Some(EngineChoice::Lifted) => Some(EngineKind::Lifted),
        None
        | Some(
            EngineChoice::Lanes
            | EngineChoice::TableLanes
            | EngineChoice::Straight
            | EngineChoice::Single
            | EngineChoice::Gpu,
        ) => None,
    };
    let game = compile_as(&source, &options, way).map_err(|diagnostics| explain(&diagnostics, &source))?;
    let one = |engine| PlayoutSettings { engine, count: Some(1), threads: 1, ..PlayoutSettings::default() };
    let _ = playouts(&game, one(Some(gdl_runtime::playouts::PlayoutMode::Single)));
    let load_seconds = start.elapsed().as_secs_f64();
    let load_cpu_seconds = clock.elapsed().as_secs_f64();

    if args.engine == Some(EngineChoice::Gpu) {
        return measure_on_card(&game, args, load_seconds, load_cpu_seconds);
    }
    let engine = args.engine.map(|engine| match engine {
        EngineChoice::Lanes | EngineChoice::TableLanes => gdl_runtime::playouts::PlayoutMode::TableLanes,
        _ => gdl_runtime::playouts::PlayoutMode::Single,
    });
    let clock = ProcessTime::now();
    let first = playouts(&game, one(engine));
    let lanes_cpu_seconds = clock.elapsed().as_secs_f64();
    let has_lanes = first.engine == gdl_runtime::playouts::PlayoutMode::TableLanes;
    let time = Some(Duration::from_secs_f64(args.seconds));
    let stats = playouts(&game, PlayoutSettings { time, count: None, ..one(engine) });
    if let Some((count, excess)) = game.failed_evaluations() {
        return Err(format!("{count} evaluations abandoned: the first {excess}"));
    }
    let Stats { tally, seconds, cpu_seconds, .. } = &stats;
    let rate = |count: u64| if *cpu_seconds > 0.0 { count as f64 / cpu_seconds } else { 0.0 };
    Ok(Figures {
        engine: if has_lanes { written(&EngineChoice::TableLanes) } else { game.engine().to_owned() },
        isa: stats.isa.name().to_owned(),
        load_seconds,
        load_cpu_seconds,
        lanes_cpu_seconds: has_lanes.then_some(lanes_cpu_seconds),
        playouts: tally.playouts,
        states: tally.states,
        seconds: *seconds,
        cpu_seconds: *cpu_seconds,
        playouts_per_cpu_second: rate(tally.playouts),
        states_per_cpu_second: rate(tally.states),
        bytes: peak_memory(),
    })
}

/// Measures a game on a graphics card. Rates are per second of elapsed time, because a card has no
/// processor time.
fn measure_on_card(game: &Dynamic, args: &BenchArgs, load_seconds: f64, load_cpu_seconds: f64) -> Outcome {
    let time = Some(Duration::from_secs_f64(args.seconds));
    let run = GpuRun { device: args.device.as_deref(), seed: 0, count: u64::MAX, time, progress: None };
    let played = run.play(game).map_err(|error| error.to_string())?;
    let rate = |count: u64| if played.seconds > 0.0 { count as f64 / played.seconds } else { 0.0 };
    Ok(Figures {
        engine: written(&EngineChoice::Gpu),
        isa: played.device,
        load_seconds,
        load_cpu_seconds,
        lanes_cpu_seconds: Some(played.prepare_seconds),
        playouts: played.tally.playouts,
        states: played.tally.states,
        seconds: played.seconds,
        cpu_seconds: played.seconds,
        playouts_per_cpu_second: rate(played.tally.playouts),
        states_per_cpu_second: rate(played.tally.states),
        bytes: peak_memory(),
    })
}

/// Returns the first error of a rulesheet that does not load, on one line.
fn explain(diagnostics: &Diagnostics, source: &Source) -> String {
    let fault = diagnostics.iter().find(|fault| fault.severity == Severity::Error);
    fault.map_or_else(|| diagnostics.render(source), |fault| report::line(fault, source))
}

fn print(out: &mut impl Write, name: &str, outcome: &Outcome) -> io::Result<()> {
    match outcome {
        Ok(figures) => {
            let cells = [
                duration(figures.load_cpu_seconds),
                scaled(figures.playouts_per_cpu_second),
                scaled(figures.states_per_cpu_second),
                figures
                    .bytes
                    .map_or_else(|| "-".to_owned(), |bytes| format!("{} MB", thousands(bytes / 1_000_000))),
            ];
            let cells = cells.map(|cell| format!("{cell:>11}")).concat();
            writeln!(out, "{BOLD}{name}{BOLD:#}  {:<ENGINE$}{cells}", figures.engine)?;
        }
        Err(reason) => writeln!(out, "{BOLD}{name}{BOLD:#}  {BAD}error{BAD:#}: {reason}")?,
    }
    // Each line appears as soon as its rulesheet is done.
    out.flush()
}

fn to_json(file: &Path, outcome: &Outcome) -> Value {
    let mut row = json!({ "file": file.display().to_string(), "game": name(file) });
    let rest = match outcome {
        Ok(figures) => json!(figures),
        Err(reason) => json!({ "error": reason }),
    };
    if let (Some(row), Value::Object(mut rest)) = (row.as_object_mut(), rest) {
        row.append(&mut rest);
    }
    row
}

/// The totals of all rulesheets.
#[derive(Serialize)]
struct Whole {
    played: usize,
    failed: usize,
    median_load_cpu_seconds: Option<f64>,
    /// The geometric mean of the positive rates.
    mean_states_per_cpu_second: Option<f64>,
}

impl Whole {
    fn of(rows: &[(PathBuf, Outcome)]) -> Self {
        let figures = || rows.iter().filter_map(|(_, outcome)| outcome.as_ref().ok());
        let played = figures().count();
        let some = |value: f64| Some(value).filter(|value| value.is_finite());
        Self {
            played,
            failed: rows.len() - played,
            median_load_cpu_seconds: some(median(figures().map(|figures| figures.load_cpu_seconds))),
            mean_states_per_cpu_second: some(geometric_mean(
                figures().map(|figures| figures.states_per_cpu_second).filter(|&rate| rate > 0.0),
            )),
        }
    }
}
