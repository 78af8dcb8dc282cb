//! Public rulesheets compared with their published speeds: every ratio in one table.
//!
//!     cargo bench -p gdl-benches --bench published -- [--seconds S] [--deadline S] [--write PAGE] [FOLDER|FILE..]
//!
//! Each rulesheet has a child process, which is stopped at the deadline. The child loads the
//! rulesheet with the engines that the loader chooses. It plays random games on one thread, in
//! single mode and in the default mode. All times are processor time. A ratio divides the rate of
//! states by that of the fastest published engine for the rulesheet. Below 1, another engine is
//! faster.
//!
//! Rulesheets and published speeds are in a folder `shared` next to the checkout; without it the
//! benchmark is skipped. A file `base__amazons__v1.kif` is a version of `BASE/amazons/DIGEST`
//! there. The published version is unknown, so the table has both lengths of random games.

use clap::Parser;
use cpu_time::ProcessTime;
use gdl_benches::page;
use gdl_compiler::{Options, diagnostic::Severity};
use gdl_runtime::{Dynamic, Playouts, Stats, engine::compile_in_stages, playouts::PlayoutMode};
use gdl_test_support::shared;
use gdl_tools::{
    child::{self, peak_memory},
    load,
    output::{duration, scaled},
    statistics::{geometric_mean, median},
};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    env,
    error::Error,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

/// The subjects, the duration, and the page to write.
#[derive(Debug, Parser)]
struct Args {
    /// Rulesheets, and folders with rulesheets [default: the public ones]
    paths: Vec<PathBuf>,
    /// Seconds of random games in each mode, after a warm-up of the same duration
    #[arg(long, default_value_t = 0.3)]
    seconds: f64,
    /// Wall-clock seconds after which a rulesheet is abandoned
    #[arg(long, default_value_t = 120.0)]
    deadline: f64,
    /// The table of published speeds
    #[arg(long)]
    published: Option<PathBuf>,
    /// The page that the table is written to
    #[arg(long)]
    write: Option<PathBuf>,
    /// Measure one rulesheet here, for the process that started this one
    #[arg(long, hide = true)]
    alone: bool,
    /// What cargo adds to the arguments of a benchmark
    #[arg(long, hide = true)]
    bench: bool,
}

/// The ratio between measured and published lengths of random games from which the versions count
/// as different.
const LIKE: f64 = 1.25;

/// The speed of a mode of playouts.
#[derive(Debug, Serialize, Deserialize)]
struct Rate {
    engine: String,
    states: f64,
    playouts: f64,
}

/// The measurements of a rulesheet.
#[derive(Debug, Serialize, Deserialize)]
struct Figures {
    /// The seconds from the text to the end of a random game in single mode, with the first engine
    /// that is ready.
    ready_seconds: f64,
    /// The same with the last engine, without the game of the first one.
    load_seconds: f64,
    single: Rate,
    playouts: Rate,
    bytes: Option<u64>,
}

type Outcome = Result<Figures, String>;

/// The speed of the fastest published engine for a rulesheet.
#[derive(Clone, Copy, Debug)]
struct Published {
    states: f64,
    playouts: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    if args.alone {
        let path = args.paths.first().ok_or("no rulesheet")?;
        println!("{}", serde_json::to_string(&measure(path, &args))?);
        return Ok(());
    }
    let list = args.published.clone().or_else(|| shared("design/gdlperf_published.tsv"));
    let Some(list) = list else { return Ok(()) };
    let mut paths = args.paths.clone();
    if paths.is_empty() {
        let Some(folder) = shared("rulesheets/games") else { return Ok(()) };
        paths.push(folder);
    }
    let published = read(&fs::read_to_string(list)?);
    let files = load::rulesheets(&paths);
    let mut rows = Vec::new();
    for file in files.map_err(|error| error.to_string())? {
        let outcome = apart(&file, &args)?;
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let row = Row { published: published.get(&key(&name)).copied(), name, outcome };
        eprint!("{}", row.line());
        rows.push(row);
    }
    page::write(args.write.as_deref(), "ratios", &table(&mut rows))
}

/// The published speeds by rulesheet; of several versions, the fastest.
fn read(text: &str) -> BTreeMap<String, Published> {
    let mut all = BTreeMap::new();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let (Some(name), [.., states, playouts]) = (cells[0].rsplit_once('/'), &cells[..]) else { continue };
        let (Ok(states), Ok(playouts)) = (states.parse(), playouts.parse()) else { continue };
        let fastest = all.entry(name.0.to_lowercase()).or_insert(Published { states, playouts });
        if states > fastest.states {
            *fastest = Published { states, playouts };
        }
    }
    all
}

/// The key of a file's published speeds: its collection and game, without the version.
fn key(name: &str) -> String {
    let mut parts = name.split("__");
    format!("{}/{}", parts.next().unwrap_or_default(), parts.next().unwrap_or_default()).to_lowercase()
}

/// Measures a rulesheet in a child process.
fn apart(file: &Path, args: &Args) -> Result<Outcome, Box<dyn Error>> {
    let mut command = Command::new(env::current_exe()?);
    command.args(["--alone", "--seconds", &args.seconds.to_string()]).arg("--").arg(file);
    let report = child::run(command, "", Duration::from_secs_f64(args.deadline))?;
    if report.stopped {
        return Ok(Err(format!("stopped after {}", duration(args.deadline))));
    }
    Ok(serde_json::from_str(&report.output).unwrap_or_else(|_| Err("its process broke down".to_owned())))
}

/// Measures a rulesheet in this process.
fn measure(path: &Path, args: &Args) -> Outcome {
    let options = Options { case_sensitive: true, ..load::quiet() };
    let source = load::read(path, &options).map_err(|_| "unreadable".to_owned())?;
    let clock = ProcessTime::now();
    let (mut ready, mut aside) = (None, Duration::ZERO);
    let begin = |early: Dynamic| {
        let made = clock.elapsed();
        let _ = play(&early, Some(PlayoutMode::Single)).count(1).run();
        let begun = clock.elapsed();
        (ready, aside) = (Some(begun), begun.saturating_sub(made));
    };
    let (game, _) = compile_in_stages(&source, &options, None, Some(begin)).map_err(|diagnostics| {
        let first = diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
        first.map(|error| format!("{}: {}", error.code.id, error.message)).unwrap_or_default()
    })?;
    let _ = play(&game, Some(PlayoutMode::Single)).count(1).run();
    let load = clock.elapsed().saturating_sub(aside);
    let [load_seconds, ready_seconds] = [load, ready.unwrap_or(load)].map(|time| time.as_secs_f64());
    let rate = |engine| {
        let time = Duration::from_secs_f64(args.seconds);
        let _ = play(&game, engine).within(time).run();
        let Stats { tally, cpu_seconds, engine, .. } = play(&game, engine).within(time).run();
        let engine = match engine {
            PlayoutMode::Single => game.engine(),
            _ => "lanes",
        };
        let [states, playouts] = [tally.states, tally.playouts].map(|count| count as f64 / cpu_seconds);
        Rate { engine: engine.to_owned(), states, playouts }
    };
    let (single, playouts) = (rate(Some(PlayoutMode::Single)), rate(None));
    if let Some((count, excess)) = game.failed_evaluations() {
        return Err(format!("{count} evaluations abandoned: the first {excess}"));
    }
    Ok(Figures { ready_seconds, load_seconds, single, playouts, bytes: peak_memory() })
}

fn play(game: &Dynamic, engine: Option<PlayoutMode>) -> Playouts<'_, Dynamic> {
    let playouts = Playouts::new(game).threads(1);
    match engine {
        Some(engine) => playouts.engine(engine),
        None => playouts,
    }
}

/// A rulesheet with its published and measured speeds.
struct Row {
    name: String,
    published: Option<Published>,
    outcome: Outcome,
}

impl Row {
    /// The rates of states as multiples of the published rate, in single mode and in playouts.
    fn ratios(&self) -> Option<[f64; 2]> {
        let (Some(published), Ok(figures)) = (self.published, &self.outcome) else { return None };
        Some([&figures.single, &figures.playouts].map(|rate| rate.states / published.states))
    }

    /// Returns whether random games are about as long as the published ones, so that speeds are
    /// comparable.
    fn is_like(&self) -> bool {
        let (Some(published), Ok(figures)) = (self.published, &self.outcome) else { return false };
        let factor = figures.single.states / figures.single.playouts * published.playouts / published.states;
        (1.0 / LIKE..LIKE).contains(&factor)
    }

    fn line(&self) -> String {
        let cell = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
        let published = self.published.map(|published| scaled(published.states));
        let figures = match &self.outcome {
            Ok(figures) => figures,
            Err(reason) => return format!("| {} | {} | {reason} ||||||||||\n", self.name, cell(published)),
        };
        let mut line = format!("| {} | {} ", self.name, cell(published));
        let ratios = self.ratios();
        for (rate, which) in [(&figures.single, 0), (&figures.playouts, 1)] {
            let ratio = ratios.map(|ratios| figure(ratios[which]));
            let _ = write!(line, "| {} | {} | {} ", rate.engine, scaled(rate.states), cell(ratio));
        }
        let length = |states: f64, playouts: f64| figure(states / playouts);
        let theirs = self.published.map(|published| length(published.states, published.playouts));
        let ours = length(figures.single.states, figures.single.playouts);
        let memory = figures.bytes.map(|bytes| format!("{} MB", bytes / 1_000_000));
        let _ = writeln!(
            line,
            "| {ours}{} | {} | {} | {} | {} |",
            if self.published.is_some() && !self.is_like() { " *" } else { "" },
            cell(theirs),
            duration(figures.ready_seconds),
            duration(figures.load_seconds),
            cell(memory)
        );
        line
    }
}

/// A number with two decimals below 10, otherwise without decimals.
fn figure(number: f64) -> String {
    if number < 10.0 { format!("{number:.2}") } else { format!("{number:.0}") }
}

/// The median, the ninth decile and the maximum of some numbers.
fn spread(numbers: &mut [f64]) -> [f64; 3] {
    numbers.sort_by(f64::total_cmp);
    let at = |place: usize| numbers.get(place).copied().unwrap_or(f64::NAN);
    [median(numbers.iter().copied()), at(numbers.len() * 9 / 10), at(numbers.len().saturating_sub(1))]
}

/// The table with its summary. Rows are sorted by their least ratio to the published speed.
fn table(rows: &mut [Row]) -> String {
    let least = |row: &Row| match &row.outcome {
        Err(_) => f64::NEG_INFINITY,
        Ok(_) => row.ratios().map_or(f64::INFINITY, |[single, playouts]| single.min(playouts)),
    };
    rows.sort_by(|a, b| least(a).total_cmp(&least(b)).then_with(|| a.name.cmp(&b.name)));
    let loaded: Vec<&Figures> = rows.iter().filter_map(|row| row.outcome.as_ref().ok()).collect();
    let ratios: Vec<[f64; 2]> = rows.iter().filter_map(Row::ratios).collect();
    let of = |which: usize| ratios.iter().map(move |ratios| ratios[which]);
    let mut text = format!(
        "{} rulesheets, of which {} load. Of {} speeds were published.\n\n",
        rows.len(),
        loaded.len(),
        ratios.len()
    );
    text += "| until a random game was played by the | half | nine of ten | all |\n|---|---:|---:|---:|\n";
    let ready: Vec<f64> = loaded.iter().map(|figures| figures.ready_seconds).collect();
    let whole: Vec<f64> = loaded.iter().map(|figures| figures.load_seconds).collect();
    for (name, mut seconds) in [("first engine", ready), ("last engine", whole)] {
        let _ = writeln!(text, "| {name} | {} |", spread(&mut seconds).map(duration).join(" | "));
    }
    text += "\n";
    text += "| states/s over published | geometric mean | least | under 1 |\n|---|---:|---:|---:|\n";
    for (name, which) in [("one at a time", 0), ("playouts", 1)] {
        let _ = writeln!(
            text,
            "| {name} | {} | {} | {} |",
            figure(geometric_mean(of(which))),
            figure(of(which).fold(f64::INFINITY, f64::min)),
            of(which).filter(|&ratio| ratio < 1.0).count(),
        );
    }
    text += "\n| rulesheet | published | single states by | states/s | ratio | playouts by | states/s | ratio | moves | published | ready | load | memory |\n";
    text += "|---|---:|---|---:|---:|---|---:|---:|---:|---:|---:|---:|---:|\n";
    rows.iter().for_each(|row| text += &row.line());
    text
}
