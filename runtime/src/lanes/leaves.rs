//! Batched rollouts from the states of a caller: a tally for each of a few states, of dozens or
//! hundreds of games that go on from it.
//!
//! A search that reaches a leaf needs the mean of random play from it. Lanes play one game for each
//! of their bits for about the price of one game, so a leaf gets them all, or a few leaves share
//! them (leaf parallelisation; Cazenave and Jouandeau, "On the parallelization of UCT", 2007).
//!
//! A pass takes at most as many steps of the lanes as the greatest length says, and the memory of
//! its slots.

use super::{Lanes, Player};
use crate::{
    bits,
    simd::{Isa, LANES, Plane},
    stats::Tally,
    table::Table,
};
use std::{fmt, ops::Range};

/// Words of lanes, which sums are kept for.
const WORDS: usize = LANES / 64;

/// Batched rollouts from given states, 512 at once: 512 from one state, 256 from each of two, at
/// least 64 from each of eight.
///
/// States of one pass must be at the same phase of the cycle that games go round where players take
/// turns, as are the successors of a state.
///
/// The same states, seed and number of a block give the same tallies, whatever the instruction set,
/// and whether the game has straight-line code. Memory: 64 bytes a slot, however many games are
/// played.
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

    /// The most states of a pass.
    pub const MOST: usize = WORDS;

    /// Lanes for games of at most `max_length` moves from the states that are given; those that are
    /// not over then are abandoned and counted as too long. If the machine does not have the
    /// instruction set, that is [`Isa::Portable`].
    ///
    /// Returns `None` if the table cannot be played in lanes (see
    /// [`Playouts::engine`](crate::Playouts::engine)), or games may have no move at all.
    #[must_use]
    pub fn new(table: &'t Table, isa: Isa, max_length: u64) -> Option<Self> {
        let isa = if isa.is_available() { isa } else { Isa::Portable };
        let lanes = table.lanes().filter(|_| max_length > 0)?;
        Some(Self::with(lanes, isa, true, max_length))
    }

    /// Lanes that go round this cycle, with straight-line code if that is wanted and there is some.
    pub(crate) fn with(lanes: &'t Lanes, isa: Isa, straight: bool, max_length: u64) -> Self {
        Self { player: Player::new(lanes, isa, straight, 0, max_length) }
    }

    /// The phase of a state on the cycle; `None` if no play from the initial state comes to it.
    /// O(words of a state).
    #[must_use]
    pub fn phase(&self, state: &[u64]) -> Option<usize> {
        self.player.lanes.cycle.find(state)
    }

    /// Plays games from states at this phase, as many from each as [`RowLeaves::games`] says. A
    /// tally for each state, in their order. Games that are over where they start count for what
    /// they are.
    ///
    /// Of states at another phase, tallies mean nothing.
    ///
    /// # Panics
    /// Panics if there are more states than [`RowLeaves::MOST`], or the phase is none of the cycle.
    pub fn play(&mut self, phase: usize, states: &[&[u64]], seed: u64, block: u64) -> Vec<Tally> {
        let mut tallies = vec![Tally::new(self.player.lanes.shape.roles); states.len()];
        self.play_into(phase, states, seed, block, &mut tallies);
        tallies
    }

    /// [`RowLeaves::play`], which adds the games to tallies there are. It allocates little.
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

    /// Plays games from one state, at most one in each lane, and counts them.
    pub(crate) fn play_some(&mut self, phase: usize, state: &[u64], seed: u64, block: u64, games: u64) {
        self.run(phase, &[state], Plane::ONES.first(games), seed, block);
        self.player.count(games);
    }

    /// The counted games.
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

/// The words of lanes of one of some states.
fn share(states: usize, place: usize) -> Range<usize> {
    place * WORDS / states..(place + 1) * WORDS / states
}
