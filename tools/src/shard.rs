//! Shards: work that is divided among any number of machines, and whose results are merged.
//!
//! A [`Plan`] consists of a game or a folder of rulesheets ([`Subject`]), a job ([`Request`]) and a
//! seed. Its work is divided into blocks, numbered from 0. A range of blocks becomes a [`Document`]
//! with the same bytes on every machine. A document is independent of clock and threads, and the
//! integers of two documents add up. [`merge`] makes one document of many. The document of all
//! blocks does not depend on their division. Means and intervals are computed when merging.
//!
//! | job | a block | the sums |
//! |---|---|---|
//! | playouts | random games that share random numbers ([`Playouts::block_games`]) | the outcomes |
//! | perft | a state after the first joint moves | joint move sequences of each length |
//! | matches | a match | the results of each player |
//! | analysis | a rulesheet of the folder | none: figures are listed |

mod count;
mod document;
mod folder;
mod job;
mod merge;
mod summary;
mod sums;

pub use count::Count;
pub use document::{Document, FORMAT, MAX_BYTES, Part, VERSION};
pub use folder::Rulesheet;
pub use job::{BlockMode, Job, Request};
pub use merge::merge;
pub use sums::{Entry, Sums};

use crate::{
    analyze::{self, Settings},
    contest::{Contest, DEFAULT_LONGEST},
    error::{Error, Result},
    fingerprint,
    output::thousands,
    players::Spec,
};
use gdl_runtime::{
    Cancel, Dynamic, Game, Loader, Playouts,
    perft::{self, Perft},
    playouts,
};
use std::{num::NonZero, ops::Range, thread};

/// The subject of a job.
#[derive(Clone, Copy, Debug)]
pub enum Subject<'g> {
    /// A game, and the fingerprint of its rulesheet.
    Game(&'g Dynamic, &'g str),
    /// Rulesheets to be analyzed, in order.
    Rulesheets(&'g [Rulesheet]),
}

/// The distinct states after a number of joint moves, each with the number of joint move sequences
/// that lead to it.
type Level = Vec<(<Dynamic as Game>::State, u128)>;

/// Work that is divided into blocks.
#[derive(Debug)]
pub struct Plan<'g> {
    subject: Subject<'g>,
    /// The header that all documents of the plan share: a document without parts.
    header: Document,
    players: Vec<Spec>,
    /// The states from which perft counts: one block for each.
    level: Level,
}

/// The most states that perft is divided into.
const MOST_STATES: usize = 1 << 18;

/// The default prefix of perft is the shortest one with at least this number of states.
const MANY_STATES: usize = 256;

impl<'g> Plan<'g> {
    /// Divides work into blocks. For perft, expands the game up to the states from which perft
    /// counts.
    ///
    /// # Errors
    /// Returns an error if the subject does not suit the job, or its result would depend on a clock
    /// or on threads.
    pub fn new(subject: Subject<'g>, request: &Request, seed: u64) -> Result<Self> {
        let mut plan = Self {
            subject,
            header: Document::new(&subject, Job::Analysis { count: 0, lenient: false }, seed),
            players: Vec::new(),
            level: Vec::new(),
        };
        let (job, blocks) = match (request, subject) {
            (Request::Analysis { count, lenient }, Subject::Rulesheets(rulesheets)) => {
                if rulesheets.is_empty() {
                    return Err(Error::Input("there is no rulesheet to analyze".to_owned()));
                }
                (Job::Analysis { count: *count, lenient: *lenient }, rulesheets.len() as u64)
            }
            (Request::Analysis { .. }, Subject::Game(..)) => {
                return Err(Error::Usage("an analysis in shards is one of many rulesheets".to_owned()));
            }
            (_, Subject::Rulesheets(_)) => {
                return Err(Error::Usage("several rulesheets can only be analyzed".to_owned()));
            }
            (Request::Playouts { count, engine }, Subject::Game(game, _)) => {
                let run = playouts(game, *engine, seed, *count);
                let (runs, block) = (BlockMode::of(run.runs()), run.block_games());
                if engine.is_some_and(|engine| engine != runs) {
                    return Err(Error::Usage("the game cannot be played in lanes".to_owned()));
                }
                (Job::Playouts { count: *count, engine: runs, block }, count.div_ceil(block))
            }
            (Request::Perft { depth, prefix }, Subject::Game(game, _)) => {
                let (level, counts) = plan_perft(game, *depth, *prefix)?;
                plan.level = level;
                let prefix = counts.len() as u32;
                (Job::Perft { depth: *depth, prefix, counts }, plan.level.len() as u64)
            }
            (Request::Matches { players, count, nodes }, Subject::Game(game, _)) => {
                plan.players = players.iter().map(|name| player(name)).collect::<Result<_>>()?;
                let job = Job::Matches { players: players.clone(), count: *count, nodes: *nodes };
                contest(&plan.players, *nodes, seed).seats(game)?;
                (job, *count)
            }
        };
        job.check().map_err(Error::Usage)?;
        plan.header.job = job;
        plan.header.blocks = blocks;
        Ok(plan)
    }

    /// Returns the number of blocks.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        self.header.blocks
    }

    /// Returns the blocks of part number `part`, if all blocks are divided into `parts` parts of
    /// about equal size. Numbers begin with 1. With more parts than blocks, some parts are empty.
    #[must_use]
    pub fn part(&self, part: NonZero<u64>, parts: NonZero<u64>) -> Range<u64> {
        let end = |part: u64| {
            let place = u128::from(self.blocks()) * u128::from(part) / u128::from(parts.get());
            // The place is at most the number of blocks, so it fits into 64 bits.
            place.min(u128::from(self.blocks())) as u64
        };
        end(part.get() - 1)..end(part.get())
    }

    /// Runs a range of blocks on `threads` threads, or one for each processor if 0. Calls `tell`
    /// with the number of finished blocks.
    ///
    /// # Errors
    /// Returns an error if the range exceeds the blocks, the run was cancelled, or evaluations of
    /// the game were abandoned.
    pub fn run(
        &self,
        blocks: Range<u64>,
        threads: usize,
        cancel: &Cancel,
        tell: &(dyn Fn(u64) + Sync),
    ) -> Result<Document> {
        let all = self.blocks();
        if blocks.start > blocks.end || blocks.end > all {
            let Range { start, end } = blocks;
            return Err(Error::Usage(format!("there are no blocks {start}..{end}: the job has 0..{all}")));
        }
        let mut document = self.header.clone();
        if blocks.is_empty() {
            return Ok(document);
        }
        let given_up = |subject| match subject {
            Subject::Game(game, _) => game.failed_evaluations(),
            Subject::Rulesheets(_) => None,
        };
        let before = given_up(self.subject).map_or(0, |(count, _)| count);
        let threads = match threads {
            0 => thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        let sums = self.sum(blocks.clone(), threads, cancel, tell)?;
        if cancel.is_cancelled() {
            return Err(Error::Input("the shard was cancelled".to_owned()));
        }
        if let Some((count, excess)) = given_up(self.subject).filter(|&(count, _)| count > before) {
            let count = thousands(count - before);
            return Err(Error::Input(format!("{count} evaluations were abandoned: the first {excess}")));
        }
        document.parts.push(Part { blocks: [blocks.start, blocks.end], sums });
        Ok(document)
    }

    fn sum(
        &self,
        blocks: Range<u64>,
        threads: usize,
        cancel: &Cancel,
        tell: &(dyn Fn(u64) + Sync),
    ) -> Result<Sums> {
        let seed = self.header.seed;
        let places = blocks.start as usize..blocks.end as usize;
        match (&self.header.job, self.subject) {
            (Job::Playouts { count, engine, block }, Subject::Game(game, _)) => {
                let run = playouts(game, Some(*engine), seed, *count).blocks(blocks);
                let run = run.threads(threads).cancelled_by(cancel).progress(|games| tell(games / block));
                Ok(Sums::Tally(run.run().tally))
            }
            (Job::Perft { depth, prefix, .. }, Subject::Game(game, _)) => {
                let lengths = (depth - prefix) as usize;
                Ok(Sums::Counts(count(game, &self.level[places], lengths, threads, cancel)))
            }
            (Job::Matches { nodes, .. }, Subject::Game(game, _)) => {
                let contest = contest(&self.players, *nodes, seed);
                contest.play(game, blocks, threads, cancel, tell, &|_, _| Ok(())).map(Sums::Matches)
            }
            (Job::Analysis { count, lenient }, Subject::Rulesheets(rulesheets)) => {
                let settings =
                    Settings { seed, count: *count, seconds: None, threads, cancel: cancel.clone() };
                let entries = rulesheets[places].iter().zip(1..).map(|(rulesheet, done)| {
                    let entry = analyze_one(rulesheet, *lenient, &settings);
                    tell(done);
                    entry
                });
                Ok(Sums::Rulesheets(entries.collect()))
            }
            _ => Err(Error::Usage("the job does not fit this subject".to_owned())),
        }
    }
}

/// Returns the playouts of a whole run, whose blocks are divided among shards.
fn playouts(game: &Dynamic, engine: Option<BlockMode>, seed: u64, count: u64) -> Playouts<'_, Dynamic> {
    let run = Playouts::new(game).seed(seed).count(count);
    match engine {
        Some(BlockMode::Single) => run.engine(playouts::PlayoutMode::Single),
        Some(BlockMode::Lanes) => run.engine(playouts::PlayoutMode::Lanes),
        None => run,
    }
}

/// Returns the states from which perft counts, and the numbers of sequences of each length up to
/// them. The default prefix is the shortest one with at least `MANY_STATES` states or, if there is
/// none, the longest possible one.
fn plan_perft(game: &Dynamic, depth: u32, prefix: Option<u32>) -> Result<(Level, Vec<Count>)> {
    if depth == 0 || depth > 1_000 {
        return Err(Error::Usage("the depth is not in 1..=1000".to_owned()));
    }
    if let Some(prefix) = prefix.filter(|&prefix| prefix >= depth) {
        return Err(Error::Usage(format!("the prefix is {prefix}, which is not below the depth, {depth}")));
    }
    let mut level = vec![(game.initial(), 1)];
    let mut counts = Vec::new();
    for _ in 0..prefix.unwrap_or(depth - 1) {
        if prefix.is_none() && level.len() >= MANY_STATES {
            break;
        }
        let next = match perft::next_level(game, &level, MOST_STATES) {
            Some(next) if prefix.is_some() || !next.is_empty() => next,
            None if prefix.is_some() => {
                return Err(Error::Usage(format!(
                    "more than {} states after {} moves\n\nhelp: a shorter prefix has fewer",
                    thousands(MOST_STATES as u64),
                    counts.len() + 1
                )));
            }
            _ => break,
        };
        level = next;
        counts.push(Count(level.iter().fold(0, |sum, &(_, ways)| sum.saturating_add(ways))));
    }
    Ok((level, counts))
}

/// Counts sequences of 1, 2, .. `lengths` joint moves from states, which are divided among threads.
fn count(
    game: &Dynamic,
    level: &[(<Dynamic as Game>::State, u128)],
    lengths: usize,
    threads: usize,
    cancel: &Cancel,
) -> Vec<Count> {
    let work = |states: &[_]| -> Vec<u128> {
        Perft::from_level(game, states.to_vec()).cancelled_by(cancel).take(lengths).collect()
    };
    let mut sums = vec![Count(0); lengths];
    let mut add = |counts: Vec<u128>| {
        sums.iter_mut().zip(counts).for_each(|(sum, count)| sum.0 = sum.0.saturating_add(count));
    };
    let (first, rest) = level.split_at(level.len().div_ceil(threads));
    thread::scope(|scope| {
        let mut workers = Vec::new();
        for states in rest.chunks(first.len()) {
            match thread::Builder::new().spawn_scoped(scope, move || work(states)) {
                Ok(worker) => workers.push(worker),
                // If no thread can be started, this thread does the work.
                Err(_) => add(work(states)),
            }
        }
        add(work(first));
        for worker in workers {
            add(worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
    });
    sums
}

/// Parses a player whose moves depend on the seed and node budget alone.
fn player(name: &str) -> Result<Spec> {
    let spec: Spec = name.parse().map_err(Error::Usage)?;
    if spec.is_human() {
        return Err(Error::Usage("`human` plays in `gdl play` only".to_owned()));
    }
    if spec.is_remote() {
        return Err(Error::Usage(format!(
            "`{name}` is a remote player: it may differ from machine to machine"
        )));
    }
    if spec.seconds().is_some() || spec.threads().is_some_and(|threads| threads > 1) {
        let help = "help: give `nodes` instead of seconds, and one thread to each player";
        return Err(Error::Usage(format!("the moves of `{name}` depend on the machine\n\n{help}")));
    }
    spec.with_net()
}

fn contest(players: &[Spec], nodes: u64, seed: u64) -> Contest<'_> {
    Contest { name: "the game", players, seed, clock: None, nodes: Some(nodes), longest: DEFAULT_LONGEST }
}

/// Analyzes a rulesheet. The entry has its figures, or the reason why there are none.
fn analyze_one(rulesheet: &Rulesheet, lenient: bool, settings: &Settings) -> Entry {
    let loader = Loader::new().name(&rulesheet.name);
    let loader = if lenient { loader.lenient() } else { loader };
    let figures = loader.load(&rulesheet.text).map_err(|error| error.to_string());
    let figures = figures.and_then(|game| {
        let figures = analyze::analyze(&rulesheet.name, &game, settings, &|_| ());
        match game.failed_evaluations() {
            Some((_, excess)) => Err(format!("evaluations were abandoned: the first {excess}")),
            None => figures.ok_or_else(|| "called off".to_owned()),
        }
    });
    let (figures, error) = match figures {
        Ok(figures) => (Some(figures.to_json()), None),
        Err(error) => (None, Some(error)),
    };
    Entry { name: rulesheet.name.clone(), fingerprint: rulesheet.fingerprint.clone(), figures, error }
}

/// Returns the fingerprint of a subject.
fn fingerprint_of(subject: &Subject<'_>) -> String {
    match subject {
        Subject::Game(_, fingerprint) => (*fingerprint).to_owned(),
        Subject::Rulesheets(list) => {
            fingerprint::of_all(list.iter().map(|sheet| (&*sheet.name, &*sheet.fingerprint)))
        }
    }
}
