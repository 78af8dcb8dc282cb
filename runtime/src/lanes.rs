//! Bit-parallel play: successors of up to 512 states in one pass ([`Expansion`]), and rollouts from
//! states of a search ([`Leaves`]). Each state is one bit, a lane, of every word.
//! [`Playouts`](crate::Playouts) use the same lanes.
//!
//! Every signal of the game's net is a word of 512 bits, a plane, so one evaluation of the net
//! serves 512 states. The programs come with the game's table (`gdl_compiler::emit::lanes` makes
//! them), one for each phase of the turn cycle. Games start at the first phase. There, lanes whose
//! game has ended get the initial state and its legal moves in the same step.
//!
//! Signals are in slots of 64 bytes. Each thread has the slots that the programs of all phases use.
//! Programs take a small multiple of their bytes in the table. The time of a step is the number of
//! operations in the programs of its phase.

mod batch;
pub(crate) mod choice;
pub(crate) mod code;
pub(crate) mod counted;
pub(crate) mod cycle;
pub(crate) mod expand;
pub(crate) mod games;
pub(crate) mod leaves;
pub(crate) mod lockstep;
pub(crate) mod noise;
pub(crate) mod play;
pub(crate) mod program;
mod starts;

pub use crate::simd::Isa;
pub use batch::{Batch, Expansion, Leaves};

pub(crate) use {
    expand::{RowBatch, RowExpansion},
    leaves::RowLeaves,
    play::{Player, Straight},
};

use cycle::Cycle;
use gdl_format::{
    lanes::{self, Choice, ENDED, FLUENTS, FRESH, IDLE, Item, SCORED, SLOT_BYTES, TERMINAL},
    shape::Shape,
};
use program::LaneProgram;
use std::ops::Range;

/// The number of operations of a step from which on a lane plays one game in a block. If a step has
/// fewer, a lane may play several.
const BLOCK_WORK: usize = 100_000;

/// The maximum number of games that a lane plays in a block.
const MOST_GAMES: usize = 64;

/// A game that can be played in lanes.
#[derive(Clone, Debug)]
pub struct Lanes {
    shape: Shape,
    /// The phases of the cycle, the initial state's first. If the table has programs for each ply,
    /// their phases follow, one for each number of moves made.
    phases: Box<[CyclePhase]>,
    /// The fluents that identify the phases of the cycle.
    cycle: Cycle,
    /// The bits of the initial state.
    initial: Box<[u64]>,
    /// The greatest number of moves of a choice.
    moves: usize,
    /// The number of slots of all programs and straight-line code.
    slots: usize,
    /// The role that stands for chance.
    chance: Option<usize>,
    /// The number of games in a block.
    pub(crate) block: u64,
    /// Straight-line code for the same programs.
    straight: Option<Straight>,
}

/// A phase of the cycle.
#[derive(Clone, Debug)]
struct CyclePhase {
    observe: LaneProgram,
    /// Saves the states of ended games for `score`; empty if `observe` computes the scores.
    keep: LaneProgram,
    score: LaneProgram,
    advance: LaneProgram,
    roles: Box<[Choice]>,
    /// The slots of counted outputs, ascending and distinct.
    counted: Box<[u32]>,
    /// The outputs that are counted or only observed, each with its slot.
    items: Box<[(Item, u32)]>,
}

impl Lanes {
    /// Creates the lanes of a game from its table. O(operations).
    pub(crate) fn new(lanes: lanes::Lanes, shape: Shape, initial: &[u64], chance: Option<usize>) -> Self {
        let cycle = Cycle::new(&lanes.cycle);
        let phases: Box<[CyclePhase]> =
            lanes.phases.into_iter().chain(lanes.plies).map(CyclePhase::new).collect();
        let choices = phases.iter().flat_map(|phase| &phase.roles);
        let mut lanes = Self {
            shape,
            initial: initial.into(),
            moves: choices.map(|role| role.moves.len()).max().unwrap_or(0),
            slots: phases.iter().map(CyclePhase::slots).fold(FLUENTS as usize + shape.fluents, usize::max),
            chance,
            block: 0,
            phases,
            cycle,
            straight: None,
        };
        let played = &lanes.phases[lanes.game_phases()];
        let operations: usize = played.iter().map(|phase| phase.observe.len() + phase.advance.len()).sum();
        let games = BLOCK_WORK / (operations / played.len()).max(1);
        lanes.block = (crate::simd::LANES * games.clamp(1, MOST_GAMES)) as u64;
        lanes
    }

    /// The bytes of a thread's slots.
    pub(crate) fn bytes(&self) -> usize {
        self.slots * SLOT_BYTES
    }

    /// The phases that games from the initial state cycle through.
    fn game_phases(&self) -> Range<usize> {
        let cycle = self.cycle.len();
        if self.phases.len() > cycle { cycle..self.phases.len() } else { 0..cycle }
    }

    /// The number of phases of the turn cycle; 1 if there is none.
    #[must_use]
    pub fn cycle_phases(&self) -> usize {
        self.cycle.len()
    }

    /// The phase of a state on the cycle. Returns `None` if the state is at no phase; play never
    /// reaches such a state. O(words of a state).
    #[must_use]
    #[inline]
    pub fn find(&self, state: &[u64]) -> Option<usize> {
        self.cycle.find(state)
    }

    /// Sets straight-line code for the same programs.
    pub(crate) fn set_straight(&mut self, code: Straight) {
        self.slots = self.slots.max(code.slots);
        self.straight = Some(code);
    }

    /// Returns true if there is straight-line code for the instruction set.
    pub(crate) fn is_straight(&self, isa: Isa) -> bool {
        self.straight.is_some() && isa.is_straight()
    }
}

impl CyclePhase {
    fn new(phase: lanes::Phase) -> Self {
        let counted = phase.items.iter().filter(|item| item.0.is_counted());
        let mut counted: Vec<u32> = counted.map(|item| item.1).collect();
        counted.sort_unstable();
        counted.dedup();
        Self {
            observe: LaneProgram::new(phase.observe),
            keep: LaneProgram::new(phase.keep),
            score: LaneProgram::new(phase.score),
            advance: LaneProgram::new(phase.advance),
            roles: phase.roles.into(),
            counted: counted.into(),
            items: phase.items.into(),
        }
    }

    /// The number of slots that the programs, moves and outputs of the phase need.
    fn slots(&self) -> usize {
        let programs = [&self.observe, &self.keep, &self.score, &self.advance].map(LaneProgram::slots);
        let moves = self.roles.iter().map(|role| role.slots().end);
        let items = self.items.iter().map(|item| item.1 as usize + 1);
        moves.chain(items).chain(programs).max().unwrap_or(0)
    }
}
