//! `gdl shard`: does a part of a job that many machines share, and writes it as a document. The
//! subcommand `merge` merges documents.

mod merge;

use clap::{Args, Subcommand};
use gdl_runtime::Cancel;
use gdl_tools::{
    contest::{DEFAULT_COUNT, DEFAULT_NODES},
    error::Result,
    fingerprint::fingerprint,
    game::{GameArg, ReadingArgs},
    load, output,
    parse::{count, threads, whole},
    players::Spec,
    progress::Progress,
    shard::{BlockMode, Document, Plan, Request, Rulesheet, Subject},
};
use std::{io::Write, num::NonZero, ops::Range, path::PathBuf};

/// Arguments of `gdl shard`.
#[derive(Debug, Args)]
#[command(after_help = "\
The work of a job is divided into blocks, numbered from 0; a shard is a range of blocks. The same
shard has the same bytes on every machine and in every run. `--range 0..0` does no work, and the
document has the number of `blocks`.

Examples:
  gdl shard playouts tictactoe --count 1_000_000_000 --part 3/100 --out 3.json
  gdl shard perft connect_four --depth 10 --range 0..500 --threads 1 > a.json
  gdl shard merge *.json")]
pub(crate) struct ShardArgs {
    #[command(subcommand)]
    job: ShardJob,
}

impl ShardArgs {
    /// Returns whether the command prints one JSON object on stdout, also if it fails.
    pub(crate) fn wants_json(&self) -> bool {
        // A failed shard writes no document.
        matches!(&self.job, ShardJob::Merge(args) if args.json)
    }
}

/// The jobs.
#[derive(Debug, Subcommand)]
enum ShardJob {
    /// Random games, as `gdl playouts` plays them
    Playouts {
        #[command(flatten)]
        game: GameArg,
        /// Games to play in all
        #[arg(long, short = 'n', value_name = "N", default_value_t = 1_000_000, value_parser = count)]
        count: u64,
        /// The engine for games [default: lanes if the rules can be grounded]
        #[arg(long, value_enum)]
        engine: Option<BlockMode>,
        #[command(flatten)]
        seed: SeedArgs,
        #[command(flatten)]
        piece: PieceArgs,
    },
    /// Sequences of joint moves, as `gdl perft` counts them; a block is a state that the first ones
    /// lead to
    Perft {
        #[command(flatten)]
        game: GameArg,
        /// Joint moves to count
        #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
        depth: u32,
        /// Joint moves after which the work is divided [default: enough to reach 256 states]
        #[arg(long, value_name = "N")]
        prefix: Option<u32>,
        #[command(flatten)]
        piece: PieceArgs,
    },
    /// Matches, as `gdl match` plays them; each is a block
    Matches {
        #[command(flatten)]
        game: GameArg,
        /// One player for each role other than chance
        #[arg(value_name = "PLAYER", required = true)]
        players: Vec<Spec>,
        /// Matches to play in all
        #[arg(long, short = 'n', value_name = "N", default_value_t = DEFAULT_COUNT, value_parser = count)]
        count: u64,
        /// Nodes that players may visit for a move
        #[arg(long, value_name = "N", default_value_t = DEFAULT_NODES, value_parser = count)]
        nodes: u64,
        #[command(flatten)]
        seed: SeedArgs,
        #[command(flatten)]
        piece: PieceArgs,
    },
    /// The figures of `gdl analyze` for each rulesheet of a folder; each is a block
    Analysis {
        /// A folder: its files whose names end in `.kif`
        folder: PathBuf,
        /// Random games of each to follow
        #[arg(long, short = 'n', value_name = "N", default_value_t = 1_000, value_parser = count)]
        count: u64,
        #[command(flatten)]
        reading: ReadingArgs,
        #[command(flatten)]
        seed: SeedArgs,
        #[command(flatten)]
        piece: PieceArgs,
    },
    /// Merge shard results
    Merge(merge::MergeArgs),
}

/// The seed of random choices.
#[derive(Clone, Copy, Debug, Args)]
struct SeedArgs {
    /// Seed of the random choices
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    seed: u64,
}

/// The blocks, and the document.
#[derive(Debug, Args)]
struct PieceArgs {
    /// The blocks to compute, from A up to but not including B [default: all]
    #[arg(long, value_name = "A..B", conflicts_with = "part", value_parser = range)]
    range: Option<Range<u64>>,
    /// Do part I of N about equal parts instead; the first is 1
    #[arg(long, value_name = "I/N", value_parser = part)]
    part: Option<[NonZero<u64>; 2]>,
    /// Threads that work; the document is the same [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = threads)]
    threads: Option<usize>,
    /// Write the document to a file, complete or not at all [default: stdout]
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
}

fn range(text: &str) -> std::result::Result<Range<u64>, String> {
    let (start, end) = text.split_once("..").ok_or("write it as `0..100`, which excludes 100")?;
    let (start, end) = (whole(start)?, whole(end)?);
    if start > end { Err(format!("{start} is above {end}")) } else { Ok(start..end) }
}

fn part(text: &str) -> std::result::Result<[NonZero<u64>; 2], String> {
    let (part, parts) = text.split_once('/').ok_or("write it as `3/100`, which is the third of a hundred")?;
    match (NonZero::new(whole(part)?), NonZero::new(whole(parts)?)) {
        (Some(part), Some(parts)) if part <= parts => Ok([part, parts]),
        _ => Err(format!("not in 1..={parts}")),
    }
}

/// Runs the blocks of a shard and writes the document, or merges documents.
///
/// # Errors
/// Returns an error if a rulesheet has errors, the blocks do not exist, the job depends on the
/// machine, or the document cannot be written.
pub(crate) fn run(args: &ShardArgs) -> Result {
    let (document, piece) = match &args.job {
        ShardJob::Playouts { game, count, engine, seed, piece } => {
            let request = Request::Playouts { count: *count, engine: *engine };
            (on_game(game, &request, seed.seed, piece), piece)
        }
        ShardJob::Perft { game, depth, prefix, piece } => {
            (on_game(game, &Request::Perft { depth: *depth, prefix: *prefix }, 0, piece), piece)
        }
        ShardJob::Matches { game, players, count, nodes, seed, piece } => {
            let players = players.iter().map(ToString::to_string).collect();
            let request = Request::Matches { players, count: *count, nodes: *nodes };
            (on_game(game, &request, seed.seed, piece), piece)
        }
        ShardJob::Analysis { folder, count, reading, seed, piece } => {
            let rulesheets = Rulesheet::all_in(folder)?;
            let request = Request::Analysis { count: *count, lenient: reading.lenient };
            (make(Subject::Rulesheets(&rulesheets), &request, seed.seed, piece), piece)
        }
        ShardJob::Merge(args) => return merge::run(args),
    };
    let text = document?.text();
    if let Some(path) = &piece.out {
        return output::file(path, &text);
    }
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

fn on_game(game: &GameArg, request: &Request, seed: u64, piece: &PieceArgs) -> Result<Document> {
    let (source, options) = game.source()?;
    let fingerprint = fingerprint(source.text(), options.case_sensitive);
    let game = match game {
        GameArg::BuiltIn(_) => game.tabled(None)?,
        GameArg::File { .. } => load::play(source, &options, None)?,
    };
    make(Subject::Game(&game, &fingerprint), request, seed, piece)
}

fn make(subject: Subject<'_>, request: &Request, seed: u64, piece: &PieceArgs) -> Result<Document> {
    let plan = Plan::new(subject, request, seed)?;
    let blocks = match (&piece.range, piece.part) {
        (Some(range), _) => range.clone(),
        (None, Some([part, parts])) => plan.part(part, parts),
        (None, None) => 0..plan.blocks(),
    };
    let progress = Progress::counted("blocks", blocks.end - blocks.start);
    plan.run(blocks, piece.threads.unwrap_or(0), &Cancel::default(), &|done| progress.tell(done))
}
