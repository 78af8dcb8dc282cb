//! Playouts: seeded random games over all threads, summed up as [`Stats`].
//!
//! Each role picks uniformly among its legal moves, independently of the others, until the state is
//! terminal. Games are played in blocks. Threads take blocks from a counter, each block has its own
//! random numbers, and its tally is whole numbers. So the same engine, seed and number of playouts
//! give the same tally whatever the number of threads.

use crate::{
    bits,
    cancel::Cancel,
    cpu,
    game::{Game, Id, legal_words},
    lanes::{self, Lanes, RowLeaves},
    random::Stream,
    simd::Isa,
    stats::Scorer,
    table::Table,
    vocabulary::Vocabulary,
};
use std::{
    fmt,
    ops::Range,
    sync::{
        atomic::{AtomicU64, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

pub use crate::stats::{Report, RoleTally, Stats, Tally, thousands};

/// Games in a block of single games: enough to make handing them out cheap, few enough to stop in
/// time.
const BLOCK: u64 = 16;

/// Playouts that are made unless the caller says how many.
const DEFAULT_COUNT: u64 = 10_000;

/// The interval at which progress is reported.
const TELL: Duration = Duration::from_millis(250);

/// More threads than this are no help.
const MAX_THREADS: usize = 1024;

/// The most bytes that the slots of all threads take.
const MOST_BYTES: usize = 1 << 30;

/// The engine that plays games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum PlayoutMode {
    /// One after the other, whichever way the game runs its rules.
    Single,
    /// 512 at once, by straight-line code if the game has it for the instruction set (release
    /// builds of games that [`gdl!`](crate::gdl) compiled within its budget), otherwise from the
    /// game's table.
    Lanes,
    /// 512 at once, from the game's table.
    TableLanes,
}

/// A run of random games, to be set up and started:
/// `Playouts::new(&game).seed(7).count(1_000_000).run()`.
#[must_use = "nothing is played before `run`"]
pub struct Playouts<'g, G: Game> {
    game: &'g G,
    start: Option<&'g G::State>,
    plan: Plan<'g>,
}

/// The plan of a run, whatever the game.
struct Plan<'g> {
    seed: u64,
    count: Option<u64>,
    time: Option<Duration>,
    cancel: Cancel,
    threads: usize,
    max_length: u64,
    engine: Option<PlayoutMode>,
    isa: Option<Isa>,
    blocks: Option<Range<u64>>,
    progress: Option<Box<dyn FnMut(u64) + 'g>>,
}

/// The means of play: lanes and their instruction set if games are played so, at which phase of the
/// cycle that lanes go round games start if that is not the initial state, and if lanes run
/// straight-line code.
#[derive(Clone, Copy)]
struct Means<'g> {
    lanes: Option<(&'g Lanes, Isa)>,
    middle: Option<usize>,
    straight: bool,
}

/// A game as its playouts need it. Everything that depends on its types is a function: a run takes
/// rustc longer than a small game does, and is compiled once for all games so.
#[derive(Clone, Copy)]
struct Subject<'g> {
    table: Option<&'g Table>,
    vocabulary: &'g Vocabulary,
    initial: &'g [u64],
    /// The state from which games start.
    first: &'g [u64],
    /// Plays blocks of games one after the other.
    one_by_one: &'g (dyn Fn(&Pool<'_>) -> Tally + Sync),
}

impl<G: Game> fmt::Debug for Playouts<'_, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Plan { seed, count, time, threads, max_length, engine, isa, blocks, .. } = &self.plan;
        f.debug_struct("Playouts")
            .field("start", &self.start)
            .field("seed", seed)
            .field("count", count)
            .field("time", time)
            .field("threads", threads)
            .field("max_length", max_length)
            .field("engine", engine)
            .field("isa", isa)
            .field("blocks", blocks)
            .finish_non_exhaustive()
    }
}

impl<'g, G: Game> Playouts<'g, G> {
    /// The number of playouts if neither [`Playouts::count`] nor [`Playouts::within`] sets it.
    pub const DEFAULT_COUNT: u64 = DEFAULT_COUNT;

    /// Moves of a playout after which it is abandoned, unless [`Playouts::max_length`] sets another
    /// number.
    pub const DEFAULT_MAX_LENGTH: u64 = 10_000;

    /// A run from the game's initial state, with seed 0 and one thread per processor.
    pub fn new(game: &'g G) -> Self {
        Self {
            game,
            start: None,
            plan: Plan {
                seed: 0,
                count: None,
                time: None,
                cancel: Cancel::default(),
                threads: 0,
                max_length: Self::DEFAULT_MAX_LENGTH,
                engine: None,
                isa: None,
                blocks: None,
                progress: None,
            },
        }
    }

    /// The state where games start, if it is not the initial one. If it is terminal, games are over
    /// at once.
    ///
    /// ```
    /// # use gdl_runtime::{Game, GameExt, gdl, Playouts};
    /// gdl!(name = walk, rules = r"
    ///     (role robot) (init (at 0)) (succ 0 1) (succ 1 2)
    ///     (<= (legal robot go) (true (at ?x)) (succ ?x ?y))
    ///     (<= (next (at ?y)) (does robot go) (true (at ?x)) (succ ?x ?y))
    ///     (<= terminal (true (at 2))) (goal robot 100)
    /// ");
    /// let game = walk::game();
    /// let state = game.parse_state("((at 1))").unwrap();
    /// let stats = Playouts::new(&game).start(&state).count(1000).run();
    /// assert_eq!(stats.mean_length(), 1.0);
    /// ```
    pub fn start(mut self, state: &'g G::State) -> Self {
        self.start = Some(state);
        self
    }

    /// The seed. Equal engines, seeds and counts give equal tallies.
    pub fn seed(mut self, seed: u64) -> Self {
        self.plan.seed = seed;
        self
    }

    /// The number of playouts.
    pub fn count(mut self, count: u64) -> Self {
        self.plan.count = Some(count);
        self
    }

    /// Starts no new block once that much time has passed since [`Playouts::run`], so a run takes a
    /// little longer. The tally is that of a run with [`Playouts::count`] playouts, as many as it
    /// says. With a count too, what comes first ends the run.
    pub fn within(mut self, time: Duration) -> Self {
        self.plan.time = Some(time);
        self
    }

    /// Starts no new block once another thread has pulled `cancel`; as with [`Playouts::within`],
    /// the tally is that of a run with as many playouts as it says.
    pub fn cancelled_by(mut self, cancel: &Cancel) -> Self {
        self.plan.cancel = cancel.clone();
        self
    }

    /// The number of threads; 0, as at first, means one per processor. There are fewer if lanes of
    /// a vast game would take more than a gigabyte.
    pub fn threads(mut self, threads: usize) -> Self {
        self.plan.threads = threads;
        self
    }

    /// The most moves of a playout: one that is not over then is abandoned and counted as too long.
    pub fn max_length(mut self, moves: u64) -> Self {
        self.plan.max_length = moves;
        self
    }

    /// Selects the engine. The default is [`PlayoutMode::Lanes`], whose results are those of
    /// [`PlayoutMode::TableLanes`], for a game that can be played in lanes. Such a game was
    /// compiled from rules, its signals fit the limits of the compiler, and it is not over before
    /// it starts; also, play can reach the state where games are to start. Any other game is played
    /// by [`PlayoutMode::Single`], whatever is requested; [`Stats::engine`] has the engine used.
    /// For a loaded rulesheet the default is [`PlayoutMode::Single`] if a trial estimates that as
    /// faster.
    pub fn engine(mut self, engine: PlayoutMode) -> Self {
        self.plan.engine = Some(engine);
        self
    }

    /// The instruction set of [`PlayoutMode::Lanes`], which is the best one of the machine unless
    /// another is asked for that the machine has. Results do not depend on it.
    pub fn isa(mut self, isa: Isa) -> Self {
        self.plan.isa = Some(isa);
        self
    }

    /// Plays only these of the blocks of a run with [`Playouts::count`] playouts. Each has
    /// [`Playouts::block_games`] games, except that the last has the rest. Tallies of ranges that
    /// make up all blocks add up to the tally of the whole run, wherever each is played.
    ///
    /// ```
    /// # use gdl_runtime::{gdl, Playouts};
    /// gdl!(name = walk, rules = r"
    ///     (role robot) (init (at 0)) (succ 0 1) (succ 1 2)
    ///     (<= (legal robot go) (true (at ?x)) (succ ?x ?y))
    ///     (<= (legal robot stay) (true (at ?x)) (succ ?x ?y))
    ///     (<= (next (at ?y)) (does robot go) (true (at ?x)) (succ ?x ?y))
    ///     (<= (next (at ?x)) (does robot stay) (true (at ?x)))
    ///     (<= terminal (true (at 2))) (goal robot 100)
    /// ");
    /// let game = walk::game();
    /// let run = || Playouts::new(&game).seed(3).count(100_000);
    /// let mut tally = run().blocks(0..1).run().tally;
    /// tally.merge(&run().blocks(1..100_000).run().tally);
    /// assert_eq!(tally, run().run().tally);
    /// ```
    pub fn blocks(mut self, blocks: Range<u64>) -> Self {
        self.plan.blocks = Some(blocks);
        self
    }

    /// The engine that will play.
    #[must_use]
    pub fn runs(&self) -> PlayoutMode {
        self.plan.means(self.game.table(), self.game.initial().as_ref(), self.first().as_ref()).engine()
    }

    /// Games in a block: the unit that threads take, and [`Playouts::blocks`] counts. It depends on
    /// the game and the engine.
    #[must_use]
    pub fn block_games(&self) -> u64 {
        self.plan.means(self.game.table(), self.game.initial().as_ref(), self.first().as_ref()).block_games()
    }

    fn first(&self) -> G::State {
        self.start.map_or_else(|| self.game.initial(), Clone::clone)
    }

    /// A callback for progress: the number of playouts made so far, a few times a second, on the
    /// thread that called [`Playouts::run`].
    pub fn progress(mut self, tell: impl FnMut(u64) + 'g) -> Self {
        self.plan.progress = Some(Box::new(tell));
        self
    }

    /// Plays. Memory is independent of the number of playouts (lanes take 64 bytes for each signal
    /// of the net and a little for each thread), and a step allocates nothing.
    ///
    /// # Panics
    /// Panics if the game does.
    #[must_use]
    pub fn run(self) -> Stats {
        let Self { game, start, plan } = self;
        let table = game.table();
        let initial = game.initial();
        let first = start.unwrap_or(&initial);
        let (seed, max_length) = (plan.seed, plan.max_length);
        let one_by_one = |pool: &Pool<'_>| {
            let mut player = Player::new(game, first, max_length);
            pool.blocks(&mut |block, games| {
                let mut stream = Stream::new(seed, block);
                (0..games).for_each(|_| player.play(&mut stream));
            });
            player.tally
        };
        plan.run(Subject {
            table,
            vocabulary: game.vocabulary(),
            initial: initial.as_ref(),
            first: first.as_ref(),
            one_by_one: &one_by_one,
        })
    }
}

impl Plan<'_> {
    fn run(mut self, subject: Subject<'_>) -> Stats {
        let start = Instant::now();
        let count = match (self.count, self.time) {
            (Some(count), _) => count,
            (None, Some(_)) => u64::MAX,
            (None, None) => DEFAULT_COUNT,
        };
        let means = self.means(subject.table, subject.initial, subject.first);
        let blocks = self.blocks.clone().unwrap_or(0..u64::MAX);
        let pool = Pool {
            subject,
            means,
            seed: self.seed,
            count,
            max_length: self.max_length,
            deadline: self.time.and_then(|time| start.checked_add(time)),
            cancel: &self.cancel,
            block: AtomicU64::new(blocks.start),
            blocks,
            done: AtomicU64::new(0),
        };
        let threads = match self.threads {
            0 => thread::available_parallelism().map_or(1, usize::from),
            threads => threads.min(MAX_THREADS),
        };
        let Range { start: first, end } = pool.blocks;
        let blocks = count.div_ceil(means.block_games()).min(end).saturating_sub(first);
        let threads = threads.min(usize::try_from(blocks).unwrap_or(usize::MAX));
        let threads = threads.min(means.most_threads()).max(1);
        let (tally, cpu_seconds, threads) = pool.run(threads, self.progress.as_deref_mut());
        Stats {
            tally,
            roles: subject.vocabulary.roles().clone(),
            chance: subject.vocabulary.chance(),
            seed: self.seed,
            engine: means.engine(),
            isa: means.lanes.map_or(Isa::Portable, |(_, isa)| isa),
            threads,
            seconds: start.elapsed().as_secs_f64(),
            cpu_seconds,
        }
    }

    /// The means to play games that start at `first`.
    fn means<'t>(&self, table: Option<&'t Table>, initial: &[u64], first: &[u64]) -> Means<'t> {
        let mut lanes = match self.engine {
            Some(PlayoutMode::Single) => None,
            // There games are a move long at least.
            _ if self.max_length == 0 => None,
            Some(PlayoutMode::Lanes | PlayoutMode::TableLanes) => table.and_then(Table::lanes),
            None => table.and_then(Table::preferred_lanes),
        };
        let mut middle = None;
        if first != initial {
            middle = lanes.and_then(|lanes| lanes.find(first));
            lanes = lanes.filter(|_| middle.is_some());
        }
        let isa = self.isa.filter(|isa| isa.is_available()).unwrap_or_else(Isa::best);
        let straight = self.engine != Some(PlayoutMode::TableLanes) && lanes.is_some_and(Lanes::is_straight);
        Means { lanes: lanes.map(|lanes| (lanes, isa)), middle, straight }
    }
}

impl Means<'_> {
    /// The number of threads whose slots fit into memory.
    fn most_threads(&self) -> usize {
        self.lanes.map_or(usize::MAX, |(lanes, _)| MOST_BYTES / lanes.bytes())
    }

    fn engine(&self) -> PlayoutMode {
        match self.lanes {
            Some(_) if self.straight => PlayoutMode::Lanes,
            Some(_) => PlayoutMode::TableLanes,
            None => PlayoutMode::Single,
        }
    }

    /// Games in a block.
    fn block_games(&self) -> u64 {
        match self.lanes {
            Some(_) if self.middle.is_some() => RowLeaves::LANES as u64,
            Some((lanes, _)) => lanes.block,
            None => BLOCK,
        }
    }
}

/// The state that the threads of a run share.
struct Pool<'g> {
    subject: Subject<'g>,
    means: Means<'g>,
    seed: u64,
    count: u64,
    max_length: u64,
    deadline: Option<Instant>,
    cancel: &'g Cancel,
    /// The next block to be played.
    block: AtomicU64,
    /// The blocks to be played.
    blocks: Range<u64>,
    /// Playouts made.
    done: AtomicU64,
}

impl Pool<'_> {
    /// Plays all blocks. The tally, the processor time and the number of threads that could be had.
    fn run(&self, threads: usize, progress: Option<&mut (dyn FnMut(u64) + '_)>) -> (Tally, f64, usize) {
        // A thread that waits to tell the progress does not play.
        let spawned = if progress.is_some() { threads } else { threads - 1 };
        thread::scope(|scope| {
            let (alive, all_done) = mpsc::channel::<()>();
            let mut workers = Vec::new();
            for _ in 0..spawned {
                let alive = alive.clone();
                let work = move || {
                    let result = self.work();
                    drop(alive);
                    result
                };
                // The system may be out of threads: then fewer play.
                workers.extend(thread::Builder::new().spawn_scoped(scope, work));
            }
            drop(alive);
            let mut tally = Tally::new(self.subject.vocabulary.roles().len());
            let (mut cpu_seconds, mut threads) = (0.0, 0);
            let mut add = |(part, seconds): (Tally, f64)| {
                tally.merge(&part);
                cpu_seconds += seconds;
                threads += 1;
            };
            match progress {
                Some(tell) if !workers.is_empty() => {
                    while all_done.recv_timeout(TELL) == Err(RecvTimeoutError::Timeout) {
                        tell(self.done.load(Ordering::Relaxed));
                    }
                }
                _ => add(self.work()),
            }
            for worker in workers {
                add(worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
            (tally, cpu_seconds, threads)
        })
    }

    /// Plays blocks until there are no more or the time is up: one thread's share of the tally, and
    /// its processor time.
    fn work(&self) -> (Tally, f64) {
        let start = Instant::now();
        let cpu_start = cpu::thread_seconds();
        let Means { lanes, middle, straight } = self.means;
        let tally = if let Some((lanes, isa)) = lanes {
            if let Some(phase) = middle {
                let mut leaves = RowLeaves::with(lanes, isa, straight, self.max_length);
                self.blocks(&mut |block, games| {
                    leaves.play_some(phase, self.subject.first, self.seed, block, games);
                });
                leaves.into_tally()
            } else {
                let mut player = lanes::Player::new(lanes, isa, straight, self.seed, self.max_length);
                self.blocks(&mut |block, games| player.play(block, games));
                player.tally
            }
        } else {
            (self.subject.one_by_one)(self)
        };
        // What the kernel counts comes late: what it tells may be of the time before, or not yet of
        // this.
        let elapsed = start.elapsed().as_secs_f64();
        let seconds = match (cpu_start, cpu::thread_seconds()) {
            (Some(before), Some(after)) if after > before => (after - before).min(elapsed),
            _ => elapsed,
        };
        (tally, seconds)
    }

    fn is_over(&self) -> bool {
        self.cancel.is_cancelled() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Takes the number of a block and of its games to `play` until there are no more or the time
    /// is up.
    fn blocks(&self, play: &mut dyn FnMut(u64, u64)) {
        let block = self.means.block_games();
        loop {
            let number = self.block.fetch_add(1, Ordering::Relaxed);
            if number >= self.blocks.end {
                break;
            }
            let Some(left) = number.checked_mul(block).and_then(|before| self.count.checked_sub(before))
            else {
                break;
            };
            // The first block is always played, so that there is something to tell.
            if left == 0 || (number > self.blocks.start && self.is_over()) {
                break;
            }
            let games = left.min(block);
            play(number, games);
            self.done.fetch_add(games, Ordering::Relaxed);
        }
    }
}

/// Plays one game after the other and counts.
struct Player<'g, G: Game> {
    game: &'g G,
    max_length: u64,
    first: &'g G::State,
    state: G::State,
    view: G::View,
    joint: Vec<G::Move>,
    scorer: Scorer,
    tally: Tally,
}

impl<'g, G: Game> Player<'g, G> {
    fn new(game: &'g G, first: &'g G::State, max_length: u64) -> Self {
        let shape = game.shape();
        Self {
            game,
            max_length,
            first,
            state: first.clone(),
            view: game.new_view(),
            joint: vec![G::Move::from_index(0); shape.roles],
            scorer: Scorer::new(shape, game.vocabulary()),
            tally: Tally::new(shape.roles),
        }
    }

    /// Plays a game.
    #[inline]
    fn play(&mut self, stream: &mut Stream) {
        let shape = self.game.shape();
        let game = self.game;
        let mut length = 0;
        self.state.clone_from(self.first);
        self.tally.playouts += 1;
        loop {
            game.observe_without_goals(&self.state, &mut self.view);
            let seen = self.view.as_ref();
            if bits::test(seen, shape.terminal_bit()) {
                self.scorer.score(seen, &mut self.tally);
                break;
            }
            if length == self.max_length {
                self.tally.too_long += 1;
                break;
            }
            let mut stuck = false;
            for (role, action) in self.joint.iter_mut().enumerate() {
                match bits::choose(legal_words(seen, shape, role), |n| stream.below(n)) {
                    Some(index) => *action = G::Move::from_index(index),
                    None => stuck = true,
                }
            }
            if stuck {
                self.tally.stuck += 1;
                break;
            }
            game.advance(&mut self.state, &self.joint);
            length += 1;
        }
        self.tally.states += length;
    }
}
