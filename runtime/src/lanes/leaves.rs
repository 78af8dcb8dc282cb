//! Batched rollouts from given states: a tally for each of up to eight states, over 64 to 512
//! games.
//!
//! A search needs the mean result of random play from a leaf. Lanes play 512 games for about the
//! price of one, so one leaf gets them all, or up to eight leaves share them. This is leaf
//! parallelisation (Cazenave and Jouandeau, "On the parallelization of UCT", 2007).
//!
//! A pass takes at most `max_length` steps of the lanes, and the memory of its slots.

use super::{Lanes, Player};
use crate::{
    bits,
    simd::{Isa, LANES, Plane},
    stats::Tally,
    table::Table,
};
use std::{fmt, ops::Range};

/// The number of 64-bit words of a plane; sums are kept for each.
const WORDS: usize = LANES / 64;

/// Batched rollouts from given states, 512 at once: 512 from one state, 256 from each of two, at
/// least 64 from each of eight.
///
/// All states of a pass must be at the same phase of the turn cycle, as the successors of one state
/// are.
///
/// Equal states, seeds and blocks give equal tallies, for any instruction set, with and without
/// straight-line code. Memory is 64 bytes for each slot, for any number of games.
pub struct RowLeaves<'t> {
    player: Player<'t>,
}

impl fmt::Debug for RowLeaves<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RowLeaves").field("isa", &self.player.isa).finish_non_exhaustive()
    }
}

impl<'t> RowLeaves<'t> {
    /// The number of games of a pass.
    pub const LANES: usize = LANES;

    /// The maximum number of states of a pass.
    pub const MOST: usize = WORDS;

    /// Creates lanes for games of at most `max_length` moves. Longer games are abandoned and
    /// counted as too long. If the machine lacks the instruction set, [`Isa::Portable`] is used.
    ///
    /// Returns `None` if the table cannot be played in lanes (see
    /// [`Playouts::engine`](crate::Playouts::engine)), or `max_length` is 0.
    #[must_use]
    pub fn new(table: &'t Table, isa: Isa, max_length: u64) -> Option<Self> {
        let isa = if isa.is_available() { isa } else { Isa::Portable };
        let lanes = table.lanes().filter(|_| max_length > 0)?;
        Some(Self::with(lanes, isa, true, max_length))
    }

    /// Creates lanes that follow the cycle, with straight-line code if `straight` is true and there
    /// is some.
    pub(crate) fn with(lanes: &'t Lanes, isa: Isa, straight: bool, max_length: u64) -> Self {
        Self { player: Player::new(lanes, isa, straight, 0, max_length) }
    }

    /// The phase of a state on the cycle. Returns `None` if the state is at no phase; play from the
    /// initial state never reaches such a state. O(words of a state).
    #[must_use]
    pub fn phase(&self, state: &[u64]) -> Option<usize> {
        self.player.lanes.cycle.find(state)
    }

    /// Plays [`RowLeaves::games`] games from each state, all at this phase, and returns their
    /// tallies in order. Games that start in a terminal state end at once.
    ///
    /// Tallies of states at another phase are meaningless.
    ///
    /// # Panics
    /// Panics if there are more states than [`RowLeaves::MOST`], or the cycle has no such phase.
    pub fn play(&mut self, phase: usize, states: &[&[u64]], seed: u64, block: u64) -> Vec<Tally> {
        let mut tallies = vec![Tally::new(self.player.lanes.shape.roles); states.len()];
        self.play_into(phase, states, seed, block, &mut tallies);
        tallies
    }

    /// Like [`RowLeaves::play`], adding the games to existing tallies, with little allocation.
    ///
    /// # Panics
    /// As [`RowLeaves::play`], and if a tally is for fewer roles.
    pub fn play_into(
        &mut self,
        phase: usize,
        states: &[&[u64]],
        seed: u64,
        block: u64,
        tallies: &mut [Tally],
    ) {
        assert!(states.len() <= Self::MOST, "at most {} states share the lanes", Self::MOST);
        if !states.is_empty() {
            self.run(phase, states, Plane::ONES, seed, block);
            self.player.count_each((0..states.len()).map(|place| share(states.len(), place)), tallies);
        }
    }

    /// Plays games from one state, at most one in each lane, and tallies them.
    pub(crate) fn play_some(&mut self, phase: usize, state: &[u64], seed: u64, block: u64, games: u64) {
        self.run(phase, &[state], Plane::ONES.first(games), seed, block);
        self.player.count(games);
    }

    /// Returns the tally of all games.
    pub(crate) fn into_tally(self) -> Tally {
        self.player.tally
    }

    fn run(&mut self, phase: usize, states: &[&[u64]], lanes: Plane, seed: u64, block: u64) {
        assert!(phase < self.player.lanes.cycle.len(), "the cycle has that phase");
        for (fluent, plane) in self.player.fluents().iter_mut().enumerate() {
            for (place, state) in states.iter().enumerate() {
                let word = if bits::test(state, fluent) { u64::MAX } else { 0 };
                plane.0[share(states.len(), place)].fill(word);
            }
        }
        self.player.start_at(phase, lanes, seed, block);
        self.player.go_on(u64::MAX);
    }

    /// The number of games from the state at a place, if `states` states share the lanes.
    #[must_use]
    pub fn games(states: usize, place: usize) -> u64 {
        64 * share(states, place).len() as u64
    }
}

/// The words of lanes of the state at a place, if `states` states share the lanes.
fn share(states: usize, place: usize) -> Range<usize> {
    place * WORDS / states..(place + 1) * WORDS / states
}
