//! The joint moves of a state one by one: all combinations of the roles' legal moves in a view.
//!
//! Finding the next joint move takes constant time on average, as incrementing a counter does, and
//! at most one step for each role. Memory is one move for each role and all legal moves of a state.

use crate::game::{Game, GameExt};

/// Enumerates the joint moves of a state; the last role's move changes fastest. The buffers are
/// reused from state to state.
pub(crate) struct Joints<G: Game> {
    /// The legal moves of all roles, one role after the other.
    moves: Vec<G::Move>,
    /// For each role: the start of its moves, the position of the chosen one, and their end.
    roles: Vec<[usize; 3]>,
    joint: Vec<G::Move>,
    /// True if the current joint move has not been returned yet.
    fresh: bool,
    over: bool,
}

impl<G: Game> Joints<G> {
    pub(crate) fn new(game: &G) -> Self {
        let roles = game.shape().roles;
        Self {
            moves: Vec::new(),
            roles: vec![[0; 3]; roles],
            joint: Vec::with_capacity(roles),
            fresh: false,
            over: true,
        }
    }

    /// Starts at the first joint move of an observed state. A terminal state has none.
    pub(crate) fn start(&mut self, game: &G, view: &G::View) {
        self.moves.clear();
        self.joint.clear();
        self.over = game.is_terminal_in(view);
        self.fresh = true;
        for (role, place) in game.roles().zip(&mut self.roles) {
            let start = self.moves.len();
            self.moves.extend(game.legal_moves_in(view, role));
            *place = [start, start, self.moves.len()];
            match self.moves.get(start) {
                Some(&first) => self.joint.push(first),
                None => self.over = true,
            }
        }
    }

    /// Restricts the joint moves to those with this move of the role, and restarts. Returns false
    /// if there are none.
    pub(crate) fn fix(&mut self, role: usize, action: G::Move) -> bool {
        let [start, _, end] = self.roles[role];
        let place = self.moves[start..end].iter().position(|&m| m == action);
        match place.filter(|_| !self.over) {
            Some(place) => {
                self.roles[role] = [start + place, start + place, start + place + 1];
                self.joint[role] = action;
            }
            None => self.over = true,
        }
        !self.over
    }

    /// Ends the enumeration.
    pub(crate) fn stop(&mut self) {
        self.over = true;
    }

    /// The number of joint moves, saturating.
    pub(crate) fn count(&self) -> u128 {
        if self.over {
            return 0;
        }
        let lengths = self.roles.iter().map(|[start, _, end]| (end - start) as u128);
        lengths.fold(1, u128::saturating_mul)
    }

    pub(crate) fn next(&mut self) -> Option<&[G::Move]> {
        if self.over {
            return None;
        }
        if std::mem::take(&mut self.fresh) {
            return Some(&self.joint);
        }
        for (role, [start, at, end]) in self.roles.iter_mut().enumerate().rev() {
            *at += 1;
            if at < end {
                self.joint[role] = self.moves[*at];
                return Some(&self.joint);
            }
            *at = *start;
            self.joint[role] = self.moves[*at];
        }
        self.over = true;
        None
    }
}
