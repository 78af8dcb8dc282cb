//! Steps as patches: what follows when nobody does anything, then what each role's move changes in that.
//!
//! What a move does to a fluent is often constant, or follows from a few others, once the move is known and is known to
//! be legal. In comes the circuit that advances any state by any moves; a move that is made often gets what is left
//! of it.

use super::residual::{Habit, Residual};
use crate::{
    bits,
    circuit::{Circuit, Pair},
};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Gates and outputs of all patches of a game: some ten megabytes. Moves beyond that run the circuit.
const BUDGET: usize = 1 << 20;

/// With fewer inputs to be read each is loaded by itself, and not the whole state.
const FEW: usize = 32;

/// The residuals of a game's moves, as far as they are made.
#[derive(Debug)]
pub(super) struct Patches {
    /// What follows when nobody does anything.
    idle: Habit<Residual>,
    /// For each role and each of its moves what it changes.
    moves: Box<[Box<[Habit<Residual>]>]>,
    /// What patches weigh together.
    weight: AtomicUsize,
}

/// What patches are made of.
#[derive(Clone, Copy)]
pub(super) struct Rules<'t> {
    pub(super) fluents: usize,
    pub(super) observe: &'t Circuit,
    pub(super) advance: &'t Circuit,
    /// The node of each role's first move.
    pub(super) does: &'t [u32],
}

impl Patches {
    /// No patches yet, for roles with so many moves.
    pub(super) fn new(moves: impl Iterator<Item = usize>) -> Self {
        let habits = |count| (0..count).map(|_| Habit::default()).collect();
        Self { idle: Habit::default(), moves: moves.map(habits).collect(), weight: AtomicUsize::new(0) }
    }

    /// Steps a state, if there are patches for all moves, which `moves` gives by role and place. Else the state is as
    /// it was.
    #[inline]
    pub(super) fn apply<I: Iterator<Item = (usize, usize)>>(
        &self,
        rules: Rules<'_>,
        scratch: &mut [Pair],
        state: &mut [u64],
        moves: impl Fn() -> I,
    ) -> bool {
        let Some(idle) = self.idle.get(|| self.afford(rules, rules.idle())) else { return false };
        let mut reads = idle.reads();
        for (role, place) in moves() {
            let Some(patch) = self.patch(rules, role, place) else { return false };
            reads += patch.reads();
        }
        let patches = || moves().filter_map(|(role, place)| self.patch(rules, role, place));
        if reads < FEW {
            let value = |node: usize| {
                if node > rules.fluents {
                    moves().any(|(role, place)| rules.does[role] as usize + place == node)
                } else {
                    bits::test(state, node - 1)
                }
            };
            idle.load(scratch, value);
            patches().for_each(|patch| patch.load(scratch, value));
        } else {
            rules.load(rules.advance, scratch, state, moves());
        }
        idle.write(scratch, state);
        patches().for_each(|patch| patch.write(scratch, state));
        true
    }

    /// The patch of a role's move, if it is made already.
    #[inline]
    fn patch(&self, rules: Rules<'_>, role: usize, place: usize) -> Option<&Residual> {
        self.moves[role][place].get(|| self.afford(rules, rules.patch(role, place)))
    }

    /// The patch, if it is worth while and there is room for it.
    fn afford(&self, rules: Rules<'_>, patch: Residual) -> Option<Residual> {
        let weight = patch.weight();
        let pays = 2 * weight < rules.advance.len() + rules.fluents;
        (pays && self.weight.fetch_add(weight, Ordering::Relaxed) < BUDGET).then_some(patch)
    }
}

/// A table's copy makes its own.
impl Clone for Patches {
    fn clone(&self) -> Self {
        Self::new(self.moves.iter().map(|moves| moves.len()))
    }
}

impl Rules<'_> {
    /// Sets all inputs of a circuit that depends on the moves, which are given by role and place.
    #[inline]
    pub(super) fn load(
        self,
        circuit: &Circuit,
        scratch: &mut [Pair],
        state: &[u64],
        moves: impl Iterator<Item = (usize, usize)>,
    ) {
        circuit.load(scratch, state, self.fluents);
        moves.for_each(|(role, place)| scratch[self.does[role] as usize + place] = [1, 0]);
    }

    /// What follows when nobody does anything.
    fn idle(self) -> Residual {
        let outputs: Vec<(u32, u32)> = self.advance.outputs().iter().copied().zip(0..).collect();
        Residual::new(self.advance, |node| (node > self.fluents).then_some(false), &outputs, true)
    }

    /// What a legal move changes, whatever the others do.
    fn patch(self, role: usize, place: usize) -> Residual {
        let first = self.does[role] as usize;
        let end = self.does.get(role + 1).map_or(self.advance.inputs(), |&node| node as usize);
        let made = first + place;
        let touched = self.advance.reached(made);
        let outputs = self.advance.outputs().iter().copied().zip(0..);
        let outputs: Vec<(u32, u32)> = outputs.filter(|&(signal, _)| touched[signal as usize / 2]).collect();
        // The legality of a role's moves comes first among what is seen, role by role as the moves do.
        let legal = made - (1 + self.fluents);
        let literals = self.observe.literals(self.observe.outputs()[legal]);
        let known = |node: usize| {
            if (first..end).contains(&node) {
                return Some(node == made);
            }
            literals.iter().find(|&&signal| signal as usize / 2 == node).map(|signal| signal % 2 == 0)
        };
        Residual::new(self.advance, known, &outputs, false)
    }
}
