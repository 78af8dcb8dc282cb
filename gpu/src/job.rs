//! Jobs: consecutive blocks of a kernel, played by one dispatch or by the emulator.

use crate::{
    emulator::{self, Block},
    kernel::Kernel,
    random::halves,
};
use std::{
    sync::atomic::{AtomicU32, Ordering},
    thread,
};

/// A range of blocks with their parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockJob<'a> {
    pub(crate) key: [u32; 2],
    /// The index of the first block, for blocks from the initial state.
    pub(crate) first: u64,
    pub(crate) blocks: u32,
    /// The number of games of a block.
    pub(crate) games: u32,
    /// The number of games of the last block of each group.
    pub(crate) last: u32,
    /// The number of blocks of a group: all of the job, or those of one given state.
    pub(crate) each: u32,
    /// The phase of the given states.
    pub(crate) phase: u32,
    /// The number of words of each given state, including the word of its index.
    pub(crate) words: u32,
    /// The given states, each after its index.
    pub(crate) states: &'a [u32],
}

impl BlockJob<'_> {
    /// Returns the parameters in the order of the shader.
    pub(crate) fn written(&self) -> [u32; 10] {
        let ([a, b], [low, high]) = (self.key, halves(self.first));
        [a, b, low, high, self.blocks, self.games, self.last, self.each, self.phase, self.words]
    }

    /// Returns the block at a place of the job.
    fn block(&self, place: u32) -> Block<'_> {
        let (group, rest) = (place / self.each, place % self.each);
        let given = self.states.chunks(self.words.max(1) as usize).nth(group as usize);
        let (number, state) = match given.and_then(<[u32]>::split_first) {
            Some((&number, state)) => (u64::from(number * self.each + rest), state),
            None => (self.first.wrapping_add(place.into()), &[][..]),
        };
        let games = if rest + 1 == self.each { self.last } else { self.games };
        Block { key: self.key, number, games, phase: self.phase, state }
    }

    /// Plays the job in the emulator, on all processors. Returns a row for each counter, with its
    /// value for each block.
    pub(crate) fn emulate(&self, kernel: &Kernel) -> Vec<u32> {
        let next = AtomicU32::new(0);
        let work = || {
            let mut played = Vec::new();
            loop {
                let place = next.fetch_add(1, Ordering::Relaxed);
                if place >= self.blocks {
                    return played;
                }
                played.push((place, emulator::play(kernel, &self.block(place), &mut |_, _| {})));
            }
        };
        let mut counters = vec![0; self.blocks as usize * kernel.counters()];
        let mut write = |played: Vec<(u32, Vec<u32>)>| {
            for (place, numbers) in played {
                for (counter, number) in numbers.into_iter().enumerate() {
                    counters[counter * self.blocks as usize + place as usize] = number;
                }
            }
        };
        let threads = thread::available_parallelism().map_or(1, usize::from).min(self.blocks as usize);
        thread::scope(|scope| {
            // If the system is out of threads, fewer threads play.
            let workers: Vec<_> =
                (1..threads).filter_map(|_| thread::Builder::new().spawn_scoped(scope, work).ok()).collect();
            write(work());
            for worker in workers {
                write(worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
        });
        counters
    }
}
