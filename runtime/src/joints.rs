//! Joint moves of a state one by one: all combinations of the roles' legal moves, read off a view.
//!
//! The next one takes a constant number of steps on average, as in counting, and at most one for
//! each role; memory is for one move of each role and all legal moves of a state.

use crate::game::{Game, GameExt};

/// Enumerates the joint moves of a state, the last role's move changing fastest. Keeps its memory
/// from state to state.
pub(crate) struct Joints<G: Game> {
    /// The legal moves of all roles, one role after the other.
    moves: Vec<G::Move>,
    /// For each role: where its moves start, the one chosen, and where they end.
    roles: Vec<[usize; 3]>,
    joint: Vec<G::Move>,
    /// True if the joint move at hand has not been given out yet.
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

    /// Starts with the first joint move of a state seen. There is none in a terminal state.
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

    /// Leaves only those in which the role makes this move, from the first of them on. False if
    /// there is none.
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

    /// Leaves none.
    pub(crate) fn stop(&mut self) {
        self.over = true;
    }

    /// The number of joint moves.
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
