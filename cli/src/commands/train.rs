//! `gdl train`: trains a net that evaluates the states of a game, from the rules alone.

use clap::Args;
use gdl_players::{
    Budget, player,
    search::{Net, Training},
};
use gdl_runtime::{Cancel, Dynamic};
use gdl_tools::{
    contest::{Contest, DEFAULT_LONGEST, score},
    error::{Error, Result},
    game::GameArg,
    load,
    output::{self, BOLD, DIM, counted, duration, thousands},
    parse::{count, period, threads},
    players::{self, Spec},
    progress::Progress,
    statistics::wilson,
};
use serde_json::json;
use std::{
    io::Write,
    path::PathBuf,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

/// The most bytes of a file that a training is resumed from.
const MOST_BYTES: usize = 1 << 28;

/// The interval at which files are written.
const SAVING: Duration = Duration::from_secs(20);
/// The interval of matches on a terminal.
const SHOWING: Duration = Duration::from_secs(60);

/// The time for a move in matches.
const CLOCK: Duration = Duration::from_millis(20);

/// Arguments of `gdl train`.
#[derive(Debug, Args)]
#[command(after_help = "\
The net plays against itself and learns from that; nothing but the rules is needed. The file is
written at intervals and at the end, each time as a whole, so a training that is stopped leaves a
net that plays. `learned:FILE` is the player for matches.

With --samples the same seed gives the same file, on any machine and any number of threads. With
--resume a stopped training continues, and its file is the same as without the stop.

A net cannot learn games with hidden information or simultaneous moves.

Examples:
  gdl train connect_four --time 10m -o four.net
  gdl train mygame.kif --samples 5_000_000 -o my.net --resume my.training
  gdl match connect_four learned:four.net best -n 20 --clock 0.1")]
pub(crate) struct TrainArgs {
    #[command(flatten)]
    pub game: GameArg,
    /// Total time of training: `90s`, `10m` or `2h`; with --resume the time before a stop counts
    #[arg(long, value_name = "TIME", value_parser = period, default_value = "10m", allow_negative_numbers = true)]
    pub time: f64,
    /// Number of states to train on, in place of a time
    #[arg(long, value_name = "N", conflicts_with = "time", value_parser = count)]
    pub samples: Option<u64>,
    /// The file of the net
    #[arg(long, short, value_name = "FILE")]
    pub out: PathBuf,
    /// File to resume from if it exists, and to keep up to date: some megabytes
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Seed of the random choices [default: 0, or that of the file of --resume]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Threads that play and learn [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = threads)]
    pub threads: Option<usize>,
    /// Matches against `best` at the end, 20 ms a move
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(0..=1000))]
    pub matches: u64,
    /// Print one JSON object on stdout
    #[arg(long)]
    pub json: bool,
}

/// Trains and prints the report.
///
/// # Errors
/// Returns an error if the rulesheet has errors, the game cannot be learnt, or a file cannot be
/// read or written.
pub(crate) fn run(args: &TrainArgs) -> Result {
    args.game.with_dynamic(None, |game| train(args, game))?
}

fn train(args: &TrainArgs, game: &Dynamic) -> Result {
    let mut training = begin(args, game)?;
    let threads = args.threads.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from));
    let progress = match args.samples {
        Some(samples) => Progress::counted("states", samples),
        None => Progress::timed("states", args.time),
    };
    // The first round is written at once, so that a file that cannot be written is reported early.
    let (mut saved, mut shown) = (None::<Instant>, Instant::now());
    loop {
        let start = Instant::now();
        let (part, budget) = if let Some(samples) = args.samples {
            (training.samples() as f64 / samples as f64, Budget::unlimited())
        } else {
            let left = (args.time - training.seconds()).max(0.0);
            (1.0 - left / args.time, Budget::within(Duration::from_secs_f64(left)))
        };
        if part >= 1.0 {
            break;
        }
        player::train(&mut training, game, part, threads, &budget);
        if args.samples.is_none() {
            training.count_seconds(start.elapsed().as_secs_f64());
        }
        progress.tell(training.samples());
        if saved.is_none_or(|saved| saved.elapsed() >= SAVING) {
            save(args, &training)?;
            saved = Some(Instant::now());
        }
        if progress.is_shown() && shown.elapsed() >= SHOWING {
            let line = line(&training, strength(args, game, training.net())?);
            progress.aside(|| output::remark(line));
            shown = Instant::now();
        }
    }
    drop(progress);
    let bytes = save(args, &training)?;
    let strength = strength(args, game, training.net())?;
    if args.json {
        return output::json(&json!({
            "game": args.game.name(),
            "file": args.out.display().to_string(),
            "bytes": bytes,
            "seed": training.seed(),
            "samples": training.samples(),
            "games": training.games(),
            "loss": training.loss(),
            "against_best": strength.map(|Strength { matches, score, interval: [low, high] }| {
                json!({ "matches": matches, "score": score, "low": low, "high": high })
            }),
        }));
    }
    let mut out = output::stdout();
    writeln!(out, "{BOLD}{}{BOLD:#} {DIM}{}{DIM:#}", args.out.display(), counted(bytes, "byte"))?;
    writeln!(out, "{}", line(&training, strength))?;
    if args.samples.is_none() {
        writeln!(out, "{DIM}trained for {}{DIM:#}", duration(training.seconds()))?;
    }
    Ok(out.flush()?)
}

/// Creates a training, or resumes it from a file.
fn begin(args: &TrainArgs, game: &Dynamic) -> Result<Training> {
    let failed = |error: gdl_players::search::NetError| Error::Input(error.to_string());
    let Some(path) = args.resume.as_ref().filter(|path| path.exists()) else {
        return Training::new(game, args.seed.unwrap_or(0)).map_err(failed);
    };
    let training = Training::resume(game, &load::bytes(path, MOST_BYTES)?)
        .map_err(|error| Error::Input(format!("cannot resume {}: {error}", path.display())))?;
    match args.seed {
        Some(seed) if seed != training.seed() => Err(Error::Usage(format!(
            "the training of {} has the seed {}: leave `--seed` out",
            path.display(),
            training.seed()
        ))),
        _ => Ok(training),
    }
}

/// Writes the files of the net and of the training. Returns the size of the net in bytes.
fn save(args: &TrainArgs, training: &Training) -> Result<usize> {
    let net = training.net().to_bytes();
    output::file(&args.out, &net)?;
    args.resume.iter().try_for_each(|path| output::file(path, &training.state()))?;
    Ok(net.len())
}

/// The result of matches against `best`.
struct Strength {
    matches: u64,
    score: f64,
    interval: [f64; 2],
}

/// Plays matches of [`CLOCK`] a move against `best`. Returns `None` if no matches are wanted, or
/// the game is not for two players.
fn strength(args: &TrainArgs, game: &Dynamic, net: Net) -> Result<Option<Strength>> {
    let best: Spec = players::DEFAULT.parse().map_err(Error::Usage)?;
    let players = [Spec::of_net(Arc::new(net)), best];
    let contest = Contest {
        name: "strength",
        players: &players,
        seed: 1,
        clock: Some(CLOCK),
        nodes: None,
        longest: DEFAULT_LONGEST,
    };
    if args.matches == 0 || contest.seats(game).is_err() {
        return Ok(None);
    }
    let total = contest.play(game, 0..args.matches, 1, &Cancel::default(), &|_| {}, &|_, _| Ok(()))?;
    let all = total.players[0].all();
    let score = score(&all);
    Ok(Some(Strength { matches: all.games(), score, interval: wilson(score, all.games()) }))
}

/// Returns a line such as
/// `1,204,224 states of 61,440 games, loss 0.0731; against best 75 % of 10 matches (41 to 93)`.
fn line(training: &Training, strength: Option<Strength>) -> String {
    let [samples, games] = [training.samples(), training.games()].map(thousands);
    let text = format!("{samples} states of {games} games, loss {:.4}", training.loss());
    strength.map_or(text.clone(), |Strength { matches, score, interval: [low, high] }| {
        let [score, low, high] = [score, low, high].map(|share| 100.0 * share);
        format!("{text}; against best {score:.0} % of {matches} matches ({low:.0} to {high:.0})")
    })
}
