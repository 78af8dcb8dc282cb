//! Devices, and games prepared for them: a [`Gpu`] prepares a game, and a [`Prepared`] plays blocks
//! of games until a number of playouts is reached.
//!
//! The number of blocks of a dispatch is adapted after each dispatch, so that the next one takes
//! about 50 ms. So no task waits long for the card, and no driver resets it. A dispatch that does
//! not fill the card may take longer, up to 500 ms, since twice as many blocks take no longer. The
//! division into dispatches does not affect results.

#[cfg(feature = "device")]
use crate::device::{Card, Pipeline};
use crate::{
    error::Error,
    job::BlockJob,
    kernel::{Kernel, Start, WIDTH},
    random,
    wgsl::shader,
};
use gdl_runtime::{
    Cancel, Game,
    engine::{Programs, Table},
    playouts::Tally,
};
#[cfg(feature = "device")]
use std::cell::OnceCell;
use std::{
    fmt,
    time::{Duration, Instant},
};

/// The most operations of a kernel on a card: drivers take minutes to compile more, and registers
/// do not suffice.
#[cfg(feature = "device")]
const MOST_OPERATIONS: usize = 10_000;

/// The intended duration of a dispatch.
const DISPATCH: Duration = Duration::from_millis(50);

/// The maximum duration of a dispatch whose blocks do not fill the card. Drivers reset a card after
/// two seconds or more.
const LONGEST: Duration = Duration::from_millis(500);

/// The most blocks of a dispatch.
const MOST_BLOCKS: u32 = 1 << 18;

/// The most result words of a dispatch: 64 MiB.
const MOST_WORDS: usize = 1 << 24;

/// The default maximum number of moves of a playout, as in [`gdl_runtime::Playouts`].
const MAX_LENGTH: u64 = 10_000;

/// A device that plays games: a graphics card or the emulator.
#[derive(Debug)]
pub struct Gpu {
    device: Device,
}

#[derive(Debug)]
enum Device {
    Emulator,
    #[cfg(feature = "device")]
    Card(Box<Card>),
}

impl Gpu {
    /// Opens the fastest card that the system reports. Software implementations rank last.
    ///
    /// # Errors
    /// Returns an error if the system reports no card, the card cannot be opened, or the feature
    /// `device` is missing.
    pub fn open() -> Result<Self, Error> {
        Self::find(None)
    }

    /// Opens the first card whose name contains `name`, ignoring case.
    ///
    /// # Errors
    /// Returns the errors of [`Gpu::open`].
    pub fn open_named(name: &str) -> Result<Self, Error> {
        Self::find(Some(name))
    }

    #[cfg(feature = "device")]
    fn find(name: Option<&str>) -> Result<Self, Error> {
        Ok(Self { device: Device::Card(Box::new(Card::open(name)?)) })
    }

    #[cfg(not(feature = "device"))]
    fn find(_: Option<&str>) -> Result<Self, Error> {
        Err(Error::NotBuilt)
    }

    /// Creates the emulator: the processor runs the kernels, word by word and slowly.
    #[must_use]
    pub fn emulator() -> Self {
        Self { device: Device::Emulator }
    }

    /// Returns the name of the device, and for a card its graphics interface.
    #[must_use]
    pub fn name(&self) -> String {
        match &self.device {
            Device::Emulator => "emulator".to_owned(),
            #[cfg(feature = "device")]
            Device::Card(card) => card.name(),
        }
    }

    /// Prepares a game. Playouts of more than 10,000 moves are abandoned, as in
    /// [`gdl_runtime::Playouts`].
    ///
    /// # Errors
    /// Returns an error if the game cannot be played in lanes, or is too large for a card.
    pub fn prepare<'a, G: Game>(&'a self, game: &'a G) -> Result<Prepared<'a>, Error> {
        self.prepare_for(game, MAX_LENGTH)
    }

    /// Prepares a game as [`Gpu::prepare`] does, with another limit on the moves of a playout.
    ///
    /// # Errors
    /// Returns the errors of [`Gpu::prepare`], and an error if `max_length` is not from 1 to
    /// 1,048,576.
    pub fn prepare_for<'a, G: Game>(&'a self, game: &'a G, max_length: u64) -> Result<Prepared<'a>, Error> {
        let programs = game.table().and_then(Table::programs).ok_or(Error::NoLanes)?;
        let ready = |start| Kernel::new(programs, start, max_length).map(Ready::new);
        let (playouts, leaves) = (ready(Start::Initial)?, ready(Start::Given)?);
        self.check(&playouts)?;
        Ok(Prepared { gpu: self, programs, playouts, leaves })
    }

    /// Checks that the device can run a kernel.
    fn check(&self, ready: &Ready) -> Result<(), Error> {
        let (operations, limit) = (ready.kernel.operations(), self.limit());
        if operations > limit { Err(Error::TooLarge { operations, limit }) } else { Ok(()) }
    }

    /// Returns the maximum number of operations of a kernel; the emulator has no limit.
    fn limit(&self) -> usize {
        match self.device {
            Device::Emulator => usize::MAX,
            #[cfg(feature = "device")]
            Device::Card(_) => MOST_OPERATIONS,
        }
    }

    /// Returns the number of blocks of the first dispatch: one for the emulator, which is slow for
    /// large games.
    fn first_blocks(&self) -> u32 {
        match &self.device {
            Device::Emulator => 1,
            #[cfg(feature = "device")]
            Device::Card(card) => card.first_blocks(),
        }
    }

    /// Runs a job. Returns a row for each counter, with its value for each block.
    #[cfg_attr(
        not(feature = "device"),
        expect(clippy::unnecessary_wraps, reason = "the emulator alone never fails")
    )]
    fn run(&self, ready: &Ready, job: &BlockJob<'_>) -> Result<Vec<u32>, Error> {
        match &self.device {
            Device::Emulator => Ok(job.emulate(&ready.kernel)),
            #[cfg(feature = "device")]
            Device::Card(card) => {
                let pipeline = if let Some(pipeline) = ready.pipeline.get() {
                    pipeline
                } else {
                    let made = card.prepare(&shader(&ready.kernel))?;
                    ready.pipeline.get_or_init(|| made)
                };
                card.run(pipeline, job, ready.kernel.counters())
            }
        }
    }
}

/// A kernel, and the pipeline that a card compiles when it first runs it.
struct Ready {
    kernel: Kernel,
    #[cfg(feature = "device")]
    pipeline: OnceCell<Pipeline>,
}

impl Ready {
    fn new(kernel: Kernel) -> Self {
        Self {
            kernel,
            #[cfg(feature = "device")]
            pipeline: OnceCell::new(),
        }
    }

    /// Returns the maximum number of blocks of a dispatch, which bounds the size of its results.
    fn most_blocks(&self) -> u32 {
        MOST_BLOCKS.min((MOST_WORDS / self.kernel.counters()) as u32)
    }
}

/// The control of a run: its limits and its progress callback.
#[derive(Default)]
#[allow(missing_debug_implementations, reason = "it has a function")]
pub struct Control<'a> {
    /// The handle that cancels the run; no further dispatch starts once it is triggered.
    pub cancel: Cancel,
    /// The deadline, after which no further dispatch starts.
    pub deadline: Option<Instant>,
    /// The callback that receives the number of playouts so far, after each dispatch.
    pub progress: Option<&'a mut dyn FnMut(u64)>,
}

impl Control<'_> {
    fn is_over(&self) -> bool {
        self.cancel.is_cancelled() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn tell(&mut self, done: u64) {
        if let Some(progress) = &mut self.progress {
            progress(done);
        }
    }
}

/// The number of blocks of a dispatch, adapted to the measured times.
///
/// A single block may take longer than [`DISPATCH`] in a large game, but a card plays thousands of
/// blocks in the same time.
struct Pace {
    blocks: u32,
    most: u32,
    /// The number of blocks and the duration of the last dispatch, if the next one has twice as
    /// many blocks.
    half: Option<(u32, Duration)>,
    /// The number of blocks that fill the card, known once twice as many took longer.
    full: Option<u32>,
}

impl Pace {
    fn new(first: u32, most: u32) -> Self {
        Self { blocks: first.min(most), most, half: None, full: None }
    }

    /// Adapts the number of blocks to the duration of the last dispatch.
    fn note(&mut self, time: Duration) {
        let half = self.half.take().filter(|&(_, half)| time > half * 3 / 2);
        self.full = self.full.or(half.map(|(blocks, _)| blocks));
        if time < DISPATCH / 2 || (self.full.is_none() && time < LONGEST / 2) {
            self.half = Some((self.blocks, time));
            self.blocks = self.blocks.saturating_mul(2).min(self.most);
        } else if time > LONGEST || (time > DISPATCH * 2 && self.full.is_some_and(|full| self.blocks > full))
        {
            self.blocks = (self.blocks / 2).max(1);
        }
    }
}

/// A game that is prepared for a device.
pub struct Prepared<'a> {
    gpu: &'a Gpu,
    programs: Programs<'a>,
    playouts: Ready,
    leaves: Ready,
}

impl fmt::Debug for Prepared<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prepared")
            .field("gpu", self.gpu)
            .field("operations", &self.operations())
            .finish_non_exhaustive()
    }
}

impl Prepared<'_> {
    /// Returns the number of operations of the programs, each on 32 games at once.
    #[must_use]
    pub fn operations(&self) -> usize {
        self.playouts.kernel.operations()
    }

    /// Returns the shader of [`Prepared::playouts`], in the WebGPU Shading Language.
    #[must_use]
    pub fn shader(&self) -> String {
        shader(&self.playouts.kernel)
    }

    /// Returns the shader of [`Prepared::leaves`], in the WebGPU Shading Language.
    #[must_use]
    pub fn leaf_shader(&self) -> String {
        shader(&self.leaves.kernel)
    }

    /// Plays `count` games from the initial state.
    ///
    /// # Errors
    /// Returns an error if the device fails.
    pub fn playouts(&self, seed: u64, count: u64) -> Result<Tally, Error> {
        self.playouts_with(seed, count, &mut Control::default())
    }

    /// Plays like [`Prepared::playouts`], unless `control` stops it early. The tally is then that
    /// of a run with the reported number of playouts.
    ///
    /// # Errors
    /// Returns an error if the device fails.
    pub fn playouts_with(&self, seed: u64, count: u64, control: &mut Control<'_>) -> Result<Tally, Error> {
        let kernel = &self.playouts.kernel;
        let mut tally = Tally::new(kernel.roles());
        let mut pace = Pace::new(self.gpu.first_blocks(), self.playouts.most_blocks());
        let games = kernel.block();
        let mut first = 0;
        // The first blocks are always played, so that the tally is not empty.
        while tally.playouts < count && (first == 0 || !control.is_over()) {
            let start = Instant::now();
            let left = count - tally.playouts;
            let blocks = left.div_ceil(games.into()).min(pace.blocks.into()) as u32;
            let played = left.min(u64::from(blocks) * u64::from(games));
            let job = BlockJob {
                key: random::key(seed),
                first,
                blocks,
                games,
                last: (played - u64::from(blocks - 1) * u64::from(games)) as u32,
                each: blocks,
                phase: 0,
                words: 0,
                states: &[],
            };
            let numbers = self.gpu.run(&self.playouts, &job)?;
            let sums: Vec<u64> =
                numbers.chunks(blocks as usize).map(|row| row.iter().copied().map(u64::from).sum()).collect();
            kernel.tally(played, &sums, &mut tally);
            first += u64::from(blocks);
            pace.note(start.elapsed());
            control.tell(tally.playouts);
        }
        Ok(tally)
    }

    /// Plays `count` games from each of some states, given as their words. Returns a tally for each
    /// state, in the order of `states`. Games from a terminal state end at once.
    ///
    /// # Errors
    /// Returns an error if play does not reach one of the states, there are too many games, or the
    /// device fails.
    pub fn leaves(&self, states: &[&[u64]], seed: u64, count: u32) -> Result<Vec<Tally>, Error> {
        self.gpu.check(&self.leaves)?;
        let kernel = &self.leaves.kernel;
        let mut tallies = vec![Tally::new(kernel.roles()); states.len()];
        if count == 0 {
            return Ok(tallies);
        }
        let each = count.div_ceil(WIDTH);
        let most = self.leaves.most_blocks();
        if each > most
            || u32::try_from(states.len()).ok().and_then(|states| states.checked_mul(each)).is_none()
        {
            return Err(Error::TooManyLeaves);
        }
        let phases = self.programs.cycle().len();
        let mut places: Vec<Vec<usize>> = vec![Vec::new(); phases];
        for (place, state) in states.iter().enumerate() {
            places[self.programs.find(state).ok_or(Error::Unreachable(place))?].push(place);
        }
        let mut pace = Pace::new(self.gpu.first_blocks(), most);
        let words = 1 + kernel.fluents().div_ceil(32);
        for (phase, places) in places.iter().enumerate() {
            let mut rest = &places[..];
            while !rest.is_empty() {
                let start = Instant::now();
                let fit = (pace.blocks / each).max(1).min((MOST_WORDS / words) as u32).min(rest.len() as u32);
                let (places, others) = rest.split_at(fit as usize);
                rest = others;
                let mut given = Vec::with_capacity(words * places.len());
                for &place in places {
                    given.push(place as u32);
                    let halves = |word: &u64| random::halves(*word);
                    given.extend(states[place].iter().flat_map(halves).take(words - 1));
                    given.resize(given.len().next_multiple_of(words), 0);
                }
                let job = BlockJob {
                    key: random::key(seed),
                    first: 0,
                    blocks: fit * each,
                    games: WIDTH,
                    last: count - (each - 1) * WIDTH,
                    each,
                    phase: phase as u32,
                    words: words as u32,
                    states: &given,
                };
                let numbers = self.gpu.run(&self.leaves, &job)?;
                for (group, &place) in places.iter().enumerate() {
                    let blocks = group * each as usize..(group + 1) * each as usize;
                    let sum = |row: &[u32]| row[blocks.clone()].iter().copied().map(u64::from).sum();
                    let sums: Vec<u64> = numbers.chunks(job.blocks as usize).map(sum).collect();
                    kernel.tally(count.into(), &sums, &mut tallies[place]);
                }
                // The last dispatch of a phase may have fewer blocks, so its time is ignored.
                if !rest.is_empty() {
                    pace.note(start.elapsed());
                }
            }
        }
        Ok(tallies)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Simulates a card that plays `at_once` blocks in parallel in `each` milliseconds, and
    /// compiles before the first dispatch. Returns the blocks of each dispatch, and the time of the
    /// last one.
    fn paced(first: u32, at_once: u32, each: u64, compiles: u64) -> (Vec<u32>, Duration) {
        let mut pace = Pace::new(first, MOST_BLOCKS);
        let mut played = Vec::new();
        let mut last = Duration::ZERO;
        for dispatch in 0..30 {
            let rounds = u64::from(pace.blocks.div_ceil(at_once));
            last = Duration::from_millis(rounds * each);
            assert!(dispatch < 8 || last <= LONGEST || pace.blocks == 1, "{last:?}");
            played.push(pace.blocks);
            pace.note(last + if dispatch == 0 { Duration::from_millis(compiles) } else { Duration::ZERO });
        }
        (played, last)
    }

    #[test]
    fn blocks_that_take_long_fill_the_card() {
        for compiles in [0, 20_000] {
            let (played, _) = paced(1024, 1 << 15, 140, compiles);
            assert_eq!(played[29], 1 << 15, "{played:?}");
            assert!(played[8] >= 1 << 15, "{played:?}");
        }
        // The card is never filled more than measured, however long a block takes.
        for each in [60, 100, 240] {
            assert_eq!(paced(1024, 5_000, each, 0).0[29], 4096);
        }
        assert_eq!(paced(1024, 5_000, 400, 0).0[29], 1024);
    }

    #[test]
    fn small_games_take_as_long_as_is_meant() {
        let (played, last) = paced(1024, 1024, 1, 0);
        assert!((DISPATCH / 2..=DISPATCH * 2).contains(&last), "{last:?} {played:?}");
        let (played, _) = paced(1024, 1 << 17, 1, 0);
        assert_eq!(played[29], MOST_BLOCKS);
    }

    #[test]
    fn what_plays_block_by_block_is_given_few() {
        for (each, most) in [(1, 128), (20, 16), (200, 2), (2_000, 1)] {
            let (played, _) = paced(64, 1, each, 0);
            assert!(played[29] <= most, "{played:?}");
        }
    }
}
