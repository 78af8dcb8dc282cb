//! The joint moves of a state, numbered so that the last role's move changes fastest.

use gdl_runtime::{Dynamic, Game, GameExt, chance::Stream, dynamic::MoveId};

/// The legal moves of each role in a state.
pub(super) struct Choices {
    /// The moves of all roles, role by role.
    moves: Vec<MoveId>,
    /// The end of each role's moves in `moves`.
    ends: Vec<usize>,
}

impl Choices {
    pub(super) fn new(game: &Dynamic, view: &<Dynamic as Game>::View) -> Self {
        let (mut moves, mut ends) = (Vec::new(), Vec::new());
        for role in game.roles() {
            moves.extend(game.legal_moves_in(view, role));
            ends.push(moves.len());
        }
        Self { moves, ends }
    }

    pub(super) fn roles(&self) -> usize {
        self.ends.len()
    }

    /// Returns a role's legal moves.
    pub(super) fn of(&self, role: usize) -> &[MoveId] {
        let start = if role == 0 { 0 } else { self.ends[role - 1] };
        &self.moves[start..self.ends[role]]
    }

    /// Returns the number of joint moves, saturating; 0 if some role has no legal move.
    pub(super) fn count(&self) -> u64 {
        (0..self.roles()).fold(1, |count, role| count.saturating_mul(self.of(role).len() as u64))
    }

    /// Writes the joint move with this number, which must be below the count.
    pub(super) fn write(&self, mut number: u64, joint: &mut [MoveId]) {
        for role in (0..self.roles()).rev() {
            let moves = self.of(role);
            joint[role] = moves[(number % moves.len() as u64) as usize];
            number /= moves.len() as u64;
        }
    }

    /// Writes a uniformly random joint move.
    pub(super) fn draw(&self, stream: &mut Stream, joint: &mut [MoveId]) {
        for role in 0..self.roles() {
            let moves = self.of(role);
            joint[role] = moves[stream.below(moves.len() as u64) as usize];
        }
    }
}
