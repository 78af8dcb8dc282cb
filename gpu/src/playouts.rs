//! Devices, and games prepared for them: a [`Gpu`] prepares a game, and a [`Prepared`] plays blocks
//! of games until a number of playouts is reached.

#[cfg(feature = "device")]
use crate::device::{Card, Pipeline};
use crate::{
    error::Error,
    job::BlockJob,
    kernel::{Kernel, Start, WIDTH},
    random,
    run::{MAX_LENGTH, MOST_WORDS, Pace, Run, most_blocks, programs},
    wgsl::shader,
};
use gdl_runtime::{Cancel, Game, engine::Programs, playouts::Tally};
#[cfg(feature = "device")]
use std::cell::OnceCell;
use std::{fmt, sync::Arc, time::Instant};

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
        let programs = programs(game)?;
        let ready = |start| Kernel::new(programs, start, max_length).map(Ready::new);
        let (playouts, leaves) = (ready(Start::Initial)?, ready(Start::Given)?);
        playouts.kernel.check(self.limit())?;
        Ok(Prepared { gpu: self, programs, playouts, leaves })
    }

    /// Returns the maximum number of operations of a kernel; the emulator has no limit.
    fn limit(&self) -> usize {
        match self.device {
            Device::Emulator => usize::MAX,
            #[cfg(feature = "device")]
            Device::Card(_) => crate::run::MOST_OPERATIONS,
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
    kernel: Arc<Kernel>,
    #[cfg(feature = "device")]
    pipeline: OnceCell<Pipeline>,
}

impl Ready {
    fn new(kernel: Kernel) -> Self {
        Self {
            kernel: Arc::new(kernel),
            #[cfg(feature = "device")]
            pipeline: OnceCell::new(),
        }
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
        let kernel = Arc::clone(&self.playouts.kernel);
        let mut run = Run::of(kernel, self.gpu.first_blocks(), seed, count);
        while let Some(job) = run.job() {
            // The first blocks are always played, so that the tally is not empty.
            if job.first > 0 && control.is_over() {
                break;
            }
            let start = Instant::now();
            let numbers = self.gpu.run(&self.playouts, &job)?;
            let rows = numbers.chunks(job.blocks as usize);
            let sums: Vec<u64> = rows.map(|row| row.iter().copied().map(u64::from).sum()).collect();
            run.count(&sums, start.elapsed());
            control.tell(run.tally().playouts);
        }
        Ok(run.tally().clone())
    }

    /// Plays `count` games from each of some states, given as their words. Returns a tally for each
    /// state, in the order of `states`. Games from a terminal state end at once.
    ///
    /// # Errors
    /// Returns an error if play does not reach one of the states, there are too many games, or the
    /// device fails.
    pub fn leaves(&self, states: &[&[u64]], seed: u64, count: u32) -> Result<Vec<Tally>, Error> {
        let kernel = &self.leaves.kernel;
        kernel.check(self.gpu.limit())?;
        let mut tallies = vec![Tally::new(kernel.roles()); states.len()];
        if count == 0 {
            return Ok(tallies);
        }
        let each = count.div_ceil(WIDTH);
        let most = most_blocks(kernel);
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
