//! Runs: random games from the initial state, cut into dispatches to a device.
//!
//! The number of blocks of a dispatch is adapted after each dispatch, so that the next one takes
//! about 50 ms. So no task waits long for the card, and no driver resets it. A dispatch that does
//! not fill the card may take longer, up to 500 ms, since twice as many blocks take no longer. The
//! division into dispatches does not affect results.

use crate::{
    error::Error,
    job::BlockJob,
    kernel::{Kernel, Start},
    random,
    wgsl::{GROUP, shader},
};
use gdl_runtime::{
    Game,
    engine::{Programs, Table},
    playouts::Tally,
};
use std::{fmt, sync::Arc, time::Duration};

/// The most operations of a kernel on a card: drivers take minutes to compile more, and registers
/// do not suffice.
pub(crate) const MOST_OPERATIONS: usize = 10_000;

/// The default maximum number of moves of a playout, as in [`gdl_runtime::Playouts`].
pub(crate) const MAX_LENGTH: u64 = 10_000;

/// The intended duration of a dispatch.
const DISPATCH: Duration = Duration::from_millis(50);

/// The maximum duration of a dispatch whose blocks do not fill the card. Drivers reset a card after
/// two seconds or more.
const LONGEST: Duration = Duration::from_millis(500);

/// The most blocks of a dispatch.
const MOST_BLOCKS: u32 = 1 << 18;

/// The most result words of a dispatch: 64 MiB.
pub(crate) const MOST_WORDS: usize = 1 << 24;

/// Random games on a card that the caller drives, such as the card of a browser.
///
/// The shader has two storage buffers in group 0: the words of a dispatch in binding 0, which it
/// reads, and a row for each counter in binding 1, which it writes.
///
/// ```
/// use gdl_gpu::Run;
///
/// let game = gdl_games::dynamic("tictactoe").unwrap();
/// let run = Run::new(&game, 7, 10_000)?;
/// assert!(run.shader().contains("fn main"));
/// let dispatch = run.dispatch().unwrap();
/// assert_eq!(dispatch.blocks, dispatch.words[4]);
/// # Ok::<(), gdl_gpu::Error>(())
/// ```
pub struct Run {
    kernel: Arc<Kernel>,
    seed: u64,
    count: u64,
    pace: Pace,
    /// The index of the next block.
    first: u64,
    tally: Tally,
}

/// A dispatch of a [`Run`].
#[derive(Clone, Copy, Debug)]
pub struct Dispatch {
    /// The contents of binding 0.
    pub words: [u32; 10],
    /// The number of workgroups.
    pub groups: u32,
    /// The number of rows in binding 1.
    pub rows: usize,
    /// The number of words in a row: one for each block.
    pub blocks: u32,
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").field("count", &self.count).field("tally", &self.tally).finish_non_exhaustive()
    }
}

impl Run {
    /// Starts a run of `count` games on a card. Playouts of more than 10,000 moves are abandoned.
    ///
    /// # Errors
    /// Returns an error if the game cannot be played in lanes, or is too large for a card.
    pub fn new<G: Game>(game: &G, seed: u64, count: u64) -> Result<Self, Error> {
        let kernel = Kernel::new(programs(game)?, Start::Initial, MAX_LENGTH)?;
        kernel.check(MOST_OPERATIONS)?;
        // A workgroup, since it is unknown how many of them a card plays at once.
        Ok(Self::of(Arc::new(kernel), GROUP, seed, count))
    }

    /// Starts a run with `blocks` blocks in the first dispatch.
    pub(crate) fn of(kernel: Arc<Kernel>, blocks: u32, seed: u64, count: u64) -> Self {
        Self {
            seed,
            count,
            pace: Pace::new(blocks, most_blocks(&kernel)),
            first: 0,
            tally: Tally::new(kernel.roles()),
            kernel,
        }
    }

    /// Returns the shader, in the WebGPU Shading Language.
    #[must_use]
    pub fn shader(&self) -> String {
        shader(&self.kernel)
    }

    /// Returns the next dispatch, or `None` if all games have been played.
    #[must_use]
    pub fn dispatch(&self) -> Option<Dispatch> {
        let job = self.job()?;
        Some(Dispatch {
            words: job.written(),
            groups: job.blocks.div_ceil(GROUP),
            rows: self.kernel.counters(),
            blocks: job.blocks,
        })
    }

    /// Counts the games of the next dispatch, given the sum of each row and the elapsed time.
    ///
    /// # Panics
    /// Panics if `sums` does not have a number for each row.
    pub fn count(&mut self, sums: &[u64], time: Duration) {
        let Some(job) = self.job() else { return };
        self.kernel.tally(self.played(job.blocks), sums, &mut self.tally);
        self.first += u64::from(job.blocks);
        self.pace.note(time);
    }

    /// Returns the seed of the random moves.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Returns the tally of the games played.
    #[must_use]
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Returns the job of the next dispatch, or `None` if all games have been played.
    pub(crate) fn job(&self) -> Option<BlockJob<'static>> {
        let games = self.kernel.block();
        let left = self.count - self.tally.playouts;
        let blocks = left.div_ceil(games.into()).min(self.pace.blocks.into()) as u32;
        (blocks > 0).then(|| BlockJob {
            key: random::key(self.seed),
            first: self.first,
            blocks,
            games,
            last: (self.played(blocks) - u64::from(blocks - 1) * u64::from(games)) as u32,
            each: blocks,
            phase: 0,
            words: 0,
            states: &[],
        })
    }

    /// Returns the number of games of the next `blocks` blocks.
    fn played(&self, blocks: u32) -> u64 {
        let left = self.count - self.tally.playouts;
        left.min(u64::from(blocks) * u64::from(self.kernel.block()))
    }
}

/// Returns the lane programs of a game.
pub(crate) fn programs<G: Game>(game: &G) -> Result<Programs<'_>, Error> {
    game.table().and_then(Table::programs).ok_or(Error::NoLanes)
}

/// Returns the maximum number of blocks of a dispatch, which bounds the size of its results.
pub(crate) fn most_blocks(kernel: &Kernel) -> u32 {
    MOST_BLOCKS.min((MOST_WORDS / kernel.counters()) as u32)
}

/// The number of blocks of a dispatch, adapted to the measured times.
///
/// A single block may take longer than [`DISPATCH`] in a large game, but a card plays thousands of
/// blocks in the same time.
pub(crate) struct Pace {
    pub(crate) blocks: u32,
    most: u32,
    /// The number of blocks and the duration of the last dispatch, if the next one has twice as
    /// many blocks.
    half: Option<(u32, Duration)>,
    /// The number of blocks that fill the card, known once twice as many took longer.
    full: Option<u32>,
}

impl Pace {
    pub(crate) fn new(first: u32, most: u32) -> Self {
        Self { blocks: first.min(most), most, half: None, full: None }
    }

    /// Adapts the number of blocks to the duration of the last dispatch.
    pub(crate) fn note(&mut self, time: Duration) {
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
