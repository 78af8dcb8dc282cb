//! Options of the roles in a state: their legal moves, and their joint moves by index.

use gdl_runtime::{Game, GameExt, engine::legal_words, game::Shape};

/// The legal moves of all roles in a state, and a joint move that can be changed role by role. Its
/// buffers are reused from state to state.
#[derive(Debug)]
pub(crate) struct Options<G: Game> {
    /// The legal moves of all roles, role by role.
    moves: Vec<G::Move>,
    /// The start and the end of each role's moves.
    spans: Vec<(usize, usize)>,
    /// The current joint move.
    joint: Vec<G::Move>,
}

impl<G: Game> Options<G> {
    pub(crate) fn new(game: &G) -> Self {
        let roles = game.shape().roles;
        Self { moves: Vec::new(), spans: Vec::with_capacity(roles), joint: Vec::with_capacity(roles) }
    }

    /// Reads the legal moves in a view, and sets the joint move to the first of each role. Returns
    /// false if some role has none.
    #[inline]
    pub(crate) fn read(&mut self, game: &G, view: &G::View) -> bool {
        self.moves.clear();
        self.spans.clear();
        self.joint.clear();
        for role in game.roles() {
            let start = self.moves.len();
            self.moves.extend(game.legal_moves_in(view, role));
            self.spans.push((start, self.moves.len()));
            match self.moves.get(start) {
                Some(&first) => self.joint.push(first),
                None => return false,
            }
        }
        true
    }

    /// Returns whether every role has a legal move.
    #[inline]
    pub(crate) fn are_there(view: &[u64], shape: Shape) -> bool {
        (0..shape.roles).all(|role| legal_words(view, shape, role).iter().any(|&word| word != 0))
    }

    /// Returns the legal moves of a role.
    #[inline]
    pub(crate) fn of(&self, role: usize) -> &[G::Move] {
        let (start, end) = self.spans[role];
        &self.moves[start..end]
    }

    /// Returns the number of joint moves of some roles.
    #[inline]
    pub(crate) fn ways(&self, roles: &[usize]) -> u64 {
        roles.iter().fold(1, |product: u64, &role| product.saturating_mul(self.of(role).len() as u64))
    }

    /// Sets the move of a role in the joint move.
    #[inline]
    pub(crate) fn set(&mut self, role: usize, action: G::Move) {
        self.joint[role] = action;
    }

    /// Sets the moves of some roles to their joint move with index `way`; the last role's move
    /// changes fastest.
    #[inline]
    pub(crate) fn set_way(&mut self, roles: &[usize], mut way: u64) {
        for &role in roles.iter().rev() {
            let (start, end) = self.spans[role];
            let count = (end - start) as u64;
            self.joint[role] = self.moves[start + (way % count) as usize];
            way /= count;
        }
    }

    /// Returns the number of joint moves of all roles.
    #[inline]
    pub(crate) fn joints(&self) -> u64 {
        self.spans.iter().fold(1, |product: u64, &(start, end)| product.saturating_mul((end - start) as u64))
    }

    /// Returns the index of the current joint move; the last role's move changes fastest.
    #[inline]
    pub(crate) fn number(&self) -> usize {
        let places = self.spans.iter().zip(&self.joint).map(|(&(start, end), action)| {
            let moves = &self.moves[start..end];
            (moves.len(), moves.partition_point(|other| other < action))
        });
        places.fold(0, |number, (moves, place)| number * moves + place)
    }

    /// Returns the current joint move.
    #[inline]
    pub(crate) fn joint(&self) -> &[G::Move] {
        &self.joint
    }
}
