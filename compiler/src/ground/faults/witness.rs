//! Random games that show that some of the possible atoms do hold.
//!
//! Grounding excludes only some of the atoms that never hold, so a possible atom may never hold
//! either. An atom that holds in a random game is possible for certain. The games are the same each
//! time. Each state takes two passes over all literals and atoms, with one step for each literal
//! and atom. At least one state is visited.

use crate::{
    ground::{GroundRules, Meaning, terms::AtomId},
    meter::Meter,
};

/// The fluents, moves and atoms that occurred in the games.
pub(super) struct Seen {
    /// For each fluent, whether it held.
    fluents: Vec<bool>,
    /// For each entry of [`GroundRules::does`], whether the move was legal.
    moves: Vec<bool>,
    does: Vec<(u32, u32)>,
    /// For each atom, whether it held in a terminal state.
    at_end: Vec<bool>,
}

impl Seen {
    /// Plays random games until the steps are spent.
    pub(super) fn play(ground: &GroundRules, meter: &mut Meter) -> Self {
        let does = ground.does.clone();
        let (moves, at_end) = (vec![false; does.len()], vec![false; ground.meaning.len()]);
        let mut seen = Self { fluents: ground.initial.clone(), moves, does, at_end };
        let look = 1 + ground.meaning.len() + ground.literals.len();
        let mut numbers = Numbers(0);
        let mut state = ground.initial.clone();
        loop {
            match seen.step(ground, &state, &mut numbers) {
                Some(next) => state = next,
                None if state == ground.initial => break,
                None => state.clone_from(&ground.initial),
            }
            seen.fluents.iter_mut().zip(&state).for_each(|(seen, &holds)| *seen |= holds);
            if meter.spend(2 * look as u64).is_none() {
                break;
            }
        }
        seen
    }

    /// Returns whether the fluent held or the move was legal.
    pub(super) fn contains(&self, meaning: Meaning) -> bool {
        match meaning {
            Meaning::Fluent(fluent) => self.fluents[fluent as usize],
            Meaning::Does(role, action) => self.position(role, action).is_some_and(|i| self.moves[i]),
            Meaning::Derived => false,
        }
    }

    /// True if the atom held in a terminal state that play reached.
    pub(super) fn ends_with(&self, atom: AtomId) -> bool {
        self.at_end[atom.index()]
    }

    fn position(&self, role: u32, action: u32) -> Option<usize> {
        self.does.binary_search(&(role, action)).ok()
    }

    /// Records the legal moves and makes random ones. Returns `None` at the end of a game, or if a
    /// role has no legal move.
    fn step(&mut self, ground: &GroundRules, state: &[bool], numbers: &mut Numbers) -> Option<Vec<bool>> {
        let holds = |fluent: u32| state[fluent as usize];
        let truths = ground.truths(&holds);
        let mut made = Vec::new();
        for (role, list) in (0u32..).zip(&ground.legal) {
            let legal = list.iter().filter(|(_, atom)| truths[atom.index()]);
            let legal: Vec<u32> = legal.map(|&(action, _)| action).collect();
            for &action in &legal {
                if let Some(position) = self.position(role, action) {
                    self.moves[position] = true;
                }
            }
            made.extend(numbers.choose(&legal));
        }
        if ground.terminal.is_some_and(|atom| truths[atom.index()]) {
            self.at_end.iter_mut().zip(&truths).for_each(|(seen, &holds)| *seen |= holds);
            return None;
        }
        if made.len() < ground.legal.len() {
            return None;
        }
        let truths = ground.truths_of_step(&holds, &made);
        Some(ground.next.iter().map(|next| next.is_some_and(|atom| truths[atom.index()])).collect())
    }
}

/// A random number generator (Steele, Lea and Flood 2014, the mixing step). Its small bias does not
/// matter here.
struct Numbers(u64);

impl Numbers {
    fn choose(&mut self, list: &[u32]) -> Option<u32> {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        list.get((mixed ^ mixed >> 31) as usize % list.len().max(1)).copied()
    }
}
