//! The sizes of a game, and the positions of bits in its rows.
//!
//! A state has a bit for each fluent. A view has, for each role, a bit for each move, which is set
//! if the move is legal. The bits of each role start at a fresh word. From another fresh word on, a
//! bit follows for each goal value of each role. The next bit is set in a terminal state. A row of
//! percepts has, for each role, a bit for each percept, and the bits of each role start at a fresh
//! word.

/// The sizes of a game, which fix the layout of its rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Number of roles.
    pub roles: usize,
    /// Number of fluents: the bits of a state.
    pub fluents: usize,
    /// Number of moves, the union over all roles.
    pub moves: usize,
    /// Number of goal values, summed over the roles.
    pub goals: usize,
    /// Number of percepts, the union over all roles.
    pub percepts: usize,
}

impl Shape {
    /// Words of a state: bit f stands for fluent f.
    #[must_use]
    pub const fn state_words(self) -> usize {
        self.fluents.div_ceil(64)
    }

    /// Words of one role's legal moves in a view: bit m stands for move m.
    #[must_use]
    pub const fn legal_words(self) -> usize {
        self.moves.div_ceil(64)
    }

    /// Words of a view, laid out as in the module's documentation.
    #[must_use]
    pub const fn view_words(self) -> usize {
        self.roles * self.legal_words() + (self.goals + 1).div_ceil(64)
    }

    /// Words of one role's percepts in a row of percepts: bit p stands for percept p.
    #[must_use]
    pub const fn percept_words(self) -> usize {
        self.percepts.div_ceil(64)
    }

    /// The position in a view of the bit for a role's legal move.
    #[must_use]
    pub const fn legal_bit(self, role: usize, action: usize) -> usize {
        role * self.legal_words() * 64 + action
    }

    /// The position in a view of the first goal value.
    #[must_use]
    pub const fn goal_bit(self) -> usize {
        self.roles * self.legal_words() * 64
    }

    /// The position in a view of the bit that is set in a terminal state.
    #[must_use]
    pub const fn terminal_bit(self) -> usize {
        self.goal_bit() + self.goals
    }

    /// The position in a row of percepts of the bit for a role's percept.
    #[must_use]
    pub const fn percept_bit(self, role: usize, percept: usize) -> usize {
        role * self.percept_words() * 64 + percept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_start_at_fresh_words() {
        let shape = Shape { roles: 2, fluents: 65, moves: 64, goals: 64, percepts: 1 };
        assert_eq!((shape.state_words(), shape.legal_words(), shape.view_words()), (2, 1, 4));
        assert_eq!((shape.legal_bit(1, 3), shape.goal_bit(), shape.terminal_bit()), (67, 128, 192));
        assert_eq!((shape.percept_words(), shape.percept_bit(1, 0)), (1, 64));
    }
}
