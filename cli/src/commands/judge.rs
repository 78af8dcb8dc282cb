//! `gdl judge`: scores games for playability, alone or in a ranking.

use crate::args::{
    rules::{Bounds, Case},
    way::WayArgs,
};
use clap::Args;
use gdl_compiler::{Options, Source};
use gdl_runtime::Cancel;
use gdl_tools::{
    error::{Error, Result},
    game::{GameArg, ReadingArgs},
    judge::{self, GameVerdict, Judgement, Settings, page, text},
    load, output,
    parse::{threads, whole},
    progress::Progress,
    report,
};
use std::{
    collections::BTreeMap,
    io::{self, Write},
    path::PathBuf,
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
};

/// Arguments of `gdl judge`.
#[derive(Debug, Args)]
#[command(after_help = "\
A rulesheet is checked, played at random, and played by searches of different strength. This measures
length, branching, outcome, balance, depth of skill, variety, drama, dead rules and moves. A rulesheet
that has errors, rarely ends, is always drawn or won by the same role, or leaves no choice is rejected
early, with the reason. docs/how-to/judging.md explains each number and its source.

No number depends on a clock: the same rulesheet, seed and options give the same numbers.

Examples:
  gdl judge connect_four
  gdl judge mygame.kif --html mygame.html
  gdl judge candidates/ --quick --json > candidates.jsonl")]
pub(crate) struct JudgeArgs {
    /// Built-in games, rulesheets, and folders with rulesheets that end in `.kif`
    #[arg(value_name = "GAME", required = true)]
    pub games: Vec<String>,
    /// Play less: tens of milliseconds for each game instead of seconds
    #[arg(long)]
    pub quick: bool,
    /// Measure rejected games too
    #[arg(long)]
    pub full: bool,
    /// Games to show in the ranking
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = whole)]
    pub top: u64,
    /// Seed of the random choices
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    pub seed: u64,
    #[command(flatten)]
    pub engine: WayArgs,
    /// Threads that play [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = threads)]
    pub threads: Option<usize>,
    /// The case of symbols: whether `Cell` and `cell` are the same
    #[arg(long, value_enum, default_value_t)]
    pub case: Case,
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// Limits of a rulesheet
    #[arg(long, value_enum, default_value_t = Bounds::Network)]
    pub limits: Bounds,
    /// Write a page with a ranking and charts to a file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Print a JSON object on stdout for each rulesheet, one a line, as soon as it is judged
    #[arg(long)]
    pub json: bool,
}

/// A rulesheet to be judged.
struct Candidate {
    name: String,
    game: GameArg,
}

/// Judges the rulesheets, prints the results and writes the HTML page.
///
/// # Errors
/// Returns an error if a folder cannot be read, a file or stdout cannot be written, or no rulesheet
/// could be played.
pub(crate) fn run(args: &JudgeArgs) -> Result {
    let candidates = candidates(&args.games)?;
    let mut out = output::stdout();
    let alone = candidates.len() == 1;
    let progress = Progress::counted("rulesheets", candidates.len() as u64);
    let mut judgements = Vec::with_capacity(candidates.len());
    judge_all(args, &candidates, &mut |judgement| {
        if args.json {
            progress.aside(|| {
                serde_json::to_writer(&mut out, &judgement.to_json()).map_err(io::Error::from)?;
                writeln!(out)?;
                out.flush()
            })?;
        } else if alone {
            progress.aside(|| text::print(&judgement, &mut out))?;
        } else if judgement.verdict != GameVerdict::Judged {
            progress.aside(|| text::given_up(&judgement, &mut out))?;
        }
        judgements.push(judgement);
        progress.tell(judgements.len() as u64);
        Ok(())
    })?;
    drop(progress);
    if let Some(path) = &args.html {
        output::file(path, &page::page(&judgements))?;
    }
    if !args.json && !alone {
        let mut ranked: Vec<&Judgement> = judgements.iter().collect();
        ranked.sort_by(|a, b| text::order(a, b));
        text::ranking(&ranked, usize::try_from(args.top).unwrap_or(usize::MAX), &mut out)?;
    }
    out.flush()?;
    // Each game that cannot be played has its own report; the command fails only if none can be
    // played.
    let played = judgements.iter().any(|judgement| judgement.played.is_some());
    if played { Ok(()) } else { Err(Error::Reported) }
}

/// Returns the named rulesheets. A folder stands for its rulesheets, sorted by name.
fn candidates(names: &[String]) -> Result<Vec<Candidate>> {
    let mut candidates = Vec::new();
    for name in names {
        if PathBuf::from(name).is_dir() {
            for path in load::rulesheets(&[name.into()])? {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                candidates.push(Candidate { name, game: GameArg::File { path, lenient: false } });
            }
        } else {
            let game: GameArg = name.parse().map_err(Error::Usage)?;
            candidates.push(Candidate { name: game.name(), game });
        }
    }
    Ok(candidates)
}

/// Judges candidates, several at once, and calls `keep` with each judgement in the order of the
/// candidates.
fn judge_all(
    args: &JudgeArgs,
    candidates: &[Candidate],
    keep: &mut dyn FnMut(Judgement) -> io::Result<()>,
) -> Result {
    let threads = args.threads.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from));
    let workers = threads.min(candidates.len());
    let cancel = Cancel::default();
    let settings = Settings {
        seed: args.seed,
        full: args.full,
        way: args.engine.way,
        // If there are fewer games than threads, each game gets several threads.
        threads: threads.div_ceil(workers),
        cancel: cancel.clone(),
        ..if args.quick { Settings::quick() } else { Settings::thorough() }
    };
    let options = Options {
        case_sensitive: args.case == Case::Sensitive,
        lenient: args.reading.lenient,
        limits: args.limits.limits(),
        ..Options::default()
    };
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    let work = |sender: mpsc::Sender<(usize, Judgement)>| {
        while !cancel.is_cancelled() {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(candidate) = candidates.get(place) else { break };
            let Some(judgement) = judge_one(candidate, &options, &settings) else { break };
            if sender.send((place, judgement)).is_err() {
                break;
            }
        }
    };
    let result = thread::scope(|scope| {
        for number in 0..workers {
            let sender = sender.clone();
            // If the system has no more threads, the threads that started do the work. At least one
            // must start.
            if let (Err(error), 0) = (thread::Builder::new().spawn_scoped(scope, || work(sender)), number) {
                return Err(error);
            }
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut place = 0;
        for (number, judgement) in receiver {
            waiting.insert(number, judgement);
            while let Some(judgement) = waiting.remove(&place) {
                if let Err(error) = keep(judgement) {
                    cancel.cancel();
                    return Err(error);
                }
                place += 1;
            }
        }
        Ok(())
    });
    result.map_err(Error::from)
}

fn judge_one(candidate: &Candidate, options: &Options, settings: &Settings) -> Option<Judgement> {
    let source = match &candidate.game {
        GameArg::BuiltIn(entry) => load::text_of(entry),
        GameArg::File { path, .. } => match load::read(path, options) {
            Ok(source) => source,
            Err(fault) => {
                let reason = report::line(&fault.1, &fault.0);
                return Some(Judgement::refused(&candidate.name, reason));
            }
        },
    };
    let source: &Source = &source;
    judge::judge(&candidate.name, source, options, settings)
}
