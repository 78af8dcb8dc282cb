//! The code of a game's phases: its table, or straight-line code that the compiler made from the
//! same operations.
//!
//! Straight-line code is generic over [`Word`], so the game's crate compiles it for each
//! instruction set, without `unsafe` and without `target-cpu`. Only [`Isa`] creates words, after it
//! has checked the machine.

use super::{
    CyclePhase,
    choice::{Groups, choose},
    counted::choose_counted,
    noise::Source,
};
use crate::simd::{Kernel, Plane, Slots, Word};

/// The programs of all phases, addressed by the number of the phase.
pub trait Code {
    /// The number of phases of the cycle; phases after those occur only in playouts.
    const CYCLE: usize;

    /// The number of slots.
    const SLOTS: usize;

    /// Computes the view of the state.
    fn observe<W: Word>(&self, phase: usize, slots: &mut Slots);

    /// Returns true if the scores are computed by `score` from saved states, rather than by
    /// `observe`.
    fn keeps(&self, phase: usize) -> bool;

    /// Saves the states of ended games.
    fn keep<W: Word>(&self, phase: usize, slots: &mut Slots);

    /// Scores the saved states. Playouts score them by the table.
    fn score<W: Word>(&self, phase: usize, slots: &mut Slots);

    /// For each counted slot, in order, adds to its sum the number of `scored` lanes that it
    /// contains.
    fn count<W: Word>(&self, phase: usize, slots: &Slots, scored: W, sums: &mut [Plane]);

    /// Draws each role's move among its legal moves. Returns the lanes where some role has none.
    fn choose<W: Word>(
        &self,
        phase: usize,
        slots: &mut Slots,
        noise: &mut Source<'_, W>,
        groups: &mut Groups,
    ) -> W;

    /// Computes the next state.
    fn advance<W: Word>(&self, phase: usize, slots: &mut Slots);
}

impl Code for [CyclePhase] {
    const CYCLE: usize = usize::MAX;

    // The programs determine the slots themselves.
    const SLOTS: usize = 0;

    #[inline(always)]
    fn observe<W: Word>(&self, phase: usize, slots: &mut Slots) {
        self[phase].observe.run::<W>(slots);
    }

    #[inline(always)]
    fn keeps(&self, phase: usize) -> bool {
        self[phase].keep.len() > 0
    }

    #[inline(always)]
    fn keep<W: Word>(&self, phase: usize, slots: &mut Slots) {
        self[phase].keep.run::<W>(slots);
    }

    #[inline(always)]
    fn score<W: Word>(&self, phase: usize, slots: &mut Slots) {
        self[phase].score.run::<W>(slots);
    }

    #[inline(always)]
    fn count<W: Word>(&self, phase: usize, slots: &Slots, scored: W, sums: &mut [Plane]) {
        for (sum, &slot) in sums.iter_mut().zip(&self[phase].counted) {
            add(sum, scored.and(W::load(&slots[slot as usize])));
        }
    }

    #[inline(always)]
    fn choose<W: Word>(
        &self,
        phase: usize,
        slots: &mut Slots,
        noise: &mut Source<'_, W>,
        groups: &mut Groups,
    ) -> W {
        let mut stuck = W::splat(false);
        for role in self[phase].roles.iter().filter(|role| !role.is_forced()) {
            let moves = &mut slots[role.slots()];
            if role.count > 0 {
                choose_counted(moves, role.count.into(), noise);
            } else {
                stuck = stuck.or(choose(moves, noise, groups));
            }
        }
        stuck
    }

    #[inline(always)]
    fn advance<W: Word>(&self, phase: usize, slots: &mut Slots) {
        self[phase].advance.run::<W>(slots);
    }
}

/// Adds the number of set bits in each 64-bit word of `word` to the sum at the same place.
#[inline(always)]
pub fn add<W: Word>(sum: &mut Plane, word: W) {
    W::load(sum).add(word.counts()).store(sum);
}

/// A part of a step: two programs that run in sequence, at the given phases of the cycle.
#[derive(Clone, Copy)]
pub(super) enum StepPart {
    /// Computes the next states of states at a phase, and their views at the next one.
    Advance { phase: usize, next: usize },
    /// Saves the states of ended games, and scores them.
    Score { phase: usize },
}

/// A part of some code, with the slots to run it on.
pub(super) struct Once<'a, C: ?Sized> {
    pub(super) code: &'a C,
    pub(super) part: StepPart,
    pub(super) slots: &'a mut Slots,
}

impl<C: Code + ?Sized> Kernel for Once<'_, C> {
    type Output = ();

    #[inline(always)]
    fn run<W: Word>(self) {
        let Self { code, part, slots } = self;
        match part {
            StepPart::Advance { phase, next } => {
                // The bound lets rustc drop the code of other phases.
                assert!(phase < C::CYCLE && next < C::CYCLE, "games go round the cycle");
                code.advance::<W>(phase, slots);
                code.observe::<W>(next, slots);
            }
            StepPart::Score { phase } => {
                assert!(phase < C::CYCLE, "games go round the cycle");
                code.keep::<W>(phase, slots);
                code.score::<W>(phase, slots);
            }
        }
    }
}
