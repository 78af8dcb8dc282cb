//! Playouts: seeded random games on all threads, summed up as [`Stats`].
//!
//! Each role draws uniformly from its legal moves, independently of the others, until the state is
//! terminal. Games are played in blocks, which threads take from a counter. Each block has its own
//! random numbers, and its tally consists of whole numbers. So equal engines, seeds and counts give
//! equal tallies for any number of threads.

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

pub use crate::{
    mode::PlayoutMode,
    stats::{Report, RoleTally, Stats, Tally, thousands},
};

/// The number of games in a block of single games: enough to make taking blocks cheap, few enough
/// to stop in time.
const BLOCK: u64 = 16;

/// The default number of playouts.
const DEFAULT_COUNT: u64 = 10_000;

/// The interval between calls of the progress callback.
const TELL: Duration = Duration::from_millis(250);

/// The maximum number of threads.
const MAX_THREADS: usize = 1024;

/// The maximum number of bytes of the slots of all threads.
const MOST_BYTES: usize = 1 << 30;

/// A builder of a run of random games: `Playouts::new(&game).seed(7).count(1_000_000).run()`.
#[must_use = "nothing is played before `run`"]
pub struct Playouts<'g, G: Game> {
    game: &'g G,
    start: Option<&'g G::State>,
    plan: PlayoutPlan<'g>,
}

/// The settings of a run that do not depend on the type of the game.
struct PlayoutPlan<'g> {
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

/// The resolved engine of a run. `lanes` is the program with its instruction set, if games are
/// played in lanes. `middle` is the phase of the cycle at which games start, unless they start at
/// the initial state. `straight` is true if lanes run straight-line code.
#[derive(Clone, Copy)]
struct Means<'g> {
    lanes: Option<(&'g Lanes, Isa)>,
    middle: Option<usize>,
    straight: bool,
}

/// A game without its type, as a run needs it. Code that depends on the type is a callback. So the
/// code of a run is compiled once for all games; rustc takes longer for it than for a small game.
#[derive(Clone, Copy)]
struct Subject<'g> {
    table: Option<&'g Table>,
    vocabulary: &'g Vocabulary,
    initial: &'g [u64],
    /// The state at which games start.
    first: &'g [u64],
    /// Plays blocks of games one after the other.
    one_by_one: &'g (dyn Fn(&Pool<'_>) -> Tally + Sync),
}

impl<G: Game> fmt::Debug for Playouts<'_, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PlayoutPlan { seed, count, time, threads, max_length, engine, isa, blocks, .. } = &self.plan;
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
    /// The number of playouts if neither [`Playouts::count`] nor [`Playouts::within`] sets one.
    pub const DEFAULT_COUNT: u64 = DEFAULT_COUNT;

    /// The default of [`Playouts::max_length`], in joint moves.
    pub const DEFAULT_MAX_LENGTH: u64 = 10_000;

    /// Creates a run from the game's initial state, with seed 0 and one thread per processor.
    pub fn new(game: &'g G) -> Self {
        Self {
            game,
            start: None,
            plan: PlayoutPlan {
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

    /// Sets the state at which games start; the default is the initial state. Games from a terminal
    /// state end at once.
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

    /// Sets the seed. Equal engines, seeds and counts give equal tallies.
    pub fn seed(mut self, seed: u64) -> Self {
        self.plan.seed = seed;
        self
    }

    /// Sets the number of playouts.
    pub fn count(mut self, count: u64) -> Self {
        self.plan.count = Some(count);
        self
    }

    /// Starts no new block once this time has passed since [`Playouts::run`]; blocks in progress
    /// are finished. The tally equals that of a run whose [`Playouts::count`] is
    /// [`Tally::playouts`]. With a count too, the run ends at the first of both limits.
    pub fn within(mut self, time: Duration) -> Self {
        self.plan.time = Some(time);
        self
    }

    /// Starts no new block after another thread cancels. As with [`Playouts::within`], the tally
    /// equals that of a run with [`Tally::playouts`] playouts.
    pub fn cancelled_by(mut self, cancel: &Cancel) -> Self {
        self.plan.cancel = cancel.clone();
        self
    }

    /// Sets the number of threads; 0, the default, means one per processor. Fewer are used if lanes
    /// of a large game would take more than a gibibyte.
    pub fn threads(mut self, threads: usize) -> Self {
        self.plan.threads = threads;
        self
    }

    /// Sets the maximum number of joint moves of a playout. A longer one is abandoned and counted
    /// as too long.
    pub fn max_length(mut self, moves: u64) -> Self {
        self.plan.max_length = moves;
        self
    }

    /// Selects the engine. Games that cannot be played in lanes are always played by
    /// [`PlayoutMode::Single`]; [`Stats::engine`] has the engine used. A game can be played in
    /// lanes if
    ///
    /// - it was compiled from rules,
    /// - its signals fit the limits of the compiler,
    /// - its initial state is not terminal,
    /// - the state at which games start is at a phase of the turn cycle, and
    /// - [`Playouts::max_length`] is not 0.
    ///
    /// The default for such a game is [`PlayoutMode::Lanes`], whose results equal those of
    /// [`PlayoutMode::TableLanes`]. For a loaded rulesheet it is [`PlayoutMode::Single`] if a trial
    /// estimates that as faster.
    pub fn engine(mut self, engine: PlayoutMode) -> Self {
        self.plan.engine = Some(engine);
        self
    }

    /// Sets the instruction set of lanes. The default is the best one of the machine, which also
    /// replaces one that the machine lacks. Results do not depend on the instruction set.
    pub fn isa(mut self, isa: Isa) -> Self {
        self.plan.isa = Some(isa);
        self
    }

    /// Plays only these blocks of a run with [`Playouts::count`] playouts. Each has
    /// [`Playouts::block_games`] games, except that the last has the rest. The tallies of ranges
    /// that partition the blocks add up to that of the whole run.
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

    /// Returns the engine that will play.
    #[must_use]
    pub fn runs(&self) -> PlayoutMode {
        self.plan.means(self.game.table(), self.game.initial().as_ref(), self.first().as_ref()).engine()
    }

    /// The number of games in a block, which depends on the game and the engine. Threads take whole
    /// blocks, and [`Playouts::blocks`] takes a range of them.
    #[must_use]
    pub fn block_games(&self) -> u64 {
        self.plan.means(self.game.table(), self.game.initial().as_ref(), self.first().as_ref()).block_games()
    }

    fn first(&self) -> G::State {
        self.start.map_or_else(|| self.game.initial(), Clone::clone)
    }

    /// Sets a callback for progress. It receives the number of playouts made so far every 250 ms,
    /// on the thread that called [`Playouts::run`].
    pub fn progress(mut self, tell: impl FnMut(u64) + 'g) -> Self {
        self.plan.progress = Some(Box::new(tell));
        self
    }

    /// Plays the games. Memory does not depend on the number of playouts: lanes take 64 bytes for
    /// each signal of the net, in each thread. Steps do not allocate.
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
            let mut player = PlayoutPlayer::new(game, first, max_length);
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

impl PlayoutPlan<'_> {
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

    /// Resolves the engine for games that start at `first`.
    fn means<'t>(&self, table: Option<&'t Table>, initial: &[u64], first: &[u64]) -> Means<'t> {
        let mut lanes = match self.engine {
            Some(PlayoutMode::Single) => None,
            // Lanes make at least one move in each game.
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
        let straight =
            self.engine != Some(PlayoutMode::TableLanes) && lanes.is_some_and(|lanes| lanes.is_straight(isa));
        Means { lanes: lanes.map(|lanes| (lanes, isa)), middle, straight }
    }
}

impl Means<'_> {
    /// The number of threads whose slots fit into [`MOST_BYTES`].
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

    /// The number of games in a block.
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
    /// The number of the next block.
    block: AtomicU64,
    /// The range of blocks to play.
    blocks: Range<u64>,
    /// The number of playouts finished.
    done: AtomicU64,
}

impl Pool<'_> {
    /// Plays all blocks. Returns the tally, the processor time and the number of threads that could
    /// be started.
    fn run(&self, threads: usize, progress: Option<&mut (dyn FnMut(u64) + '_)>) -> (Tally, f64, usize) {
        // The calling thread does not play if it reports progress.
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
                // If the system is out of threads, fewer play.
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

    /// Plays blocks until none remain or the run is over. Returns this thread's tally and processor
    /// time.
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
        // The kernel updates its count with a delay, so it may be too high or too low for a short
        // run.
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

    /// Calls `play` with the number of a block and the number of its games, until no blocks remain
    /// or the run is over.
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
            // The first block is always played, so that there is a result.
            if left == 0 || (number > self.blocks.start && self.is_over()) {
                break;
            }
            let games = left.min(block);
            play(number, games);
            self.done.fetch_add(games, Ordering::Relaxed);
        }
    }
}

/// Plays games one after the other and tallies them.
struct PlayoutPlayer<'g, G: Game> {
    game: &'g G,
    max_length: u64,
    first: &'g G::State,
    state: G::State,
    view: G::View,
    joint: Vec<G::Move>,
    scorer: Scorer,
    tally: Tally,
}

impl<'g, G: Game> PlayoutPlayer<'g, G> {
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

    /// Plays a game and adds it to the tally.
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
