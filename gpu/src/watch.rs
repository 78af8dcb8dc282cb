//! Steps of the emulator, for tests that compare them with the rules.

use crate::{
    emulator::{self, Block},
    error::Error,
    kernel::{Kernel, Start, WIDTH},
    random,
};
use gdl_runtime::{Game, bits, engine::Table, playouts::Tally};

/// A step of 32 games in the emulator.
#[allow(missing_debug_implementations, reason = "for tests")]
pub struct Watched<'a> {
    kernel: &'a Kernel,
    registers: &'a [u32],
    step: &'a crate::builder::BlockStep<u32>,
}

impl Watched<'_> {
    /// The number of games of a step.
    pub const LANES: usize = WIDTH as usize;

    /// Returns whether a game started in the lane.
    #[must_use]
    pub fn has_started(&self, lane: usize) -> bool {
        self.step.started >> lane & 1 == 1
    }

    /// Returns whether the lane's game made a move.
    #[must_use]
    pub fn has_moved(&self, lane: usize) -> bool {
        self.step.moved >> lane & 1 == 1
    }

    /// Returns the indices of the roles' moves in a lane. Returns `None` if some role made no move
    /// or several.
    #[must_use]
    pub fn joint(&self, lane: usize) -> Option<Vec<usize>> {
        let choices = self.kernel.choices(self.step.phase).iter().zip(&self.step.made);
        choices
            .map(|(choice, made)| {
                let mut moves = choice.moves.iter().zip(made).filter(|(_, made)| *made >> lane & 1 == 1);
                let made = if choice.is_forced() {
                    choice.moves.first()
                } else {
                    moves.next().map(|(action, _)| action)
                };
                made.filter(|_| moves.next().is_none()).map(|&action| action as usize)
            })
            .collect()
    }

    /// Writes the state of a lane after its move.
    pub fn state(&self, lane: usize, state: &mut [u64]) {
        state.fill(0);
        for fluent in (0..self.kernel.fluents()).filter(|&fluent| self.registers[fluent] >> lane & 1 == 1) {
            bits::set(state, fluent);
        }
    }
}

/// Plays a block of games in the emulator, from the initial state. Calls `look` after each step.
///
/// # Errors
/// Returns an error if the game cannot be played in lanes.
pub fn watch<G: Game>(
    game: &G,
    seed: u64,
    block: u64,
    games: u32,
    max_length: u64,
    look: &mut dyn FnMut(&Watched<'_>),
) -> Result<Tally, Error> {
    let programs = game.table().and_then(Table::programs).ok_or(Error::NoLanes)?;
    let kernel = Kernel::new(programs, Start::Initial, max_length)?;
    let block = Block { key: random::key(seed), number: block, games, phase: 0, state: &[] };
    let counters = emulator::play(&kernel, &block, &mut |registers, step| {
        look(&Watched { kernel: &kernel, registers, step });
    });
    let mut tally = Tally::new(kernel.roles());
    kernel.tally(games.into(), &counters.into_iter().map(u64::from).collect::<Vec<_>>(), &mut tally);
    Ok(tally)
}
