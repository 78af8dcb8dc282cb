//! Where the bits of states and views stand. The runtime's `Shape` has the same layout.

use crate::propnet::Net;

/// The sizes of a game's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Number of roles.
    pub roles: usize,
    /// Number of fluents.
    pub fluents: usize,
    /// Number of moves, the union over the roles.
    pub moves: usize,
    /// Number of goal values, summed over the roles.
    pub goals: usize,
    /// Number of percepts, the union over the roles.
    pub percepts: usize,
}

impl Layout {
    /// The layout of a net's rows.
    #[must_use]
    pub fn of(net: &Net) -> Self {
        Self {
            roles: net.vocabulary.roles.len(),
            fluents: net.vocabulary.fluents.len(),
            moves: net.vocabulary.moves.len(),
            goals: net.goals(),
            percepts: net.vocabulary.percepts.len(),
        }
    }

    /// Words of a state: bit f stands for fluent f.
    #[must_use]
    pub fn state_words(self) -> usize {
        self.fluents.div_ceil(64)
    }

    /// Words of one role's legal moves in a view.
    #[must_use]
    pub fn legal_words(self) -> usize {
        self.moves.div_ceil(64)
    }

    /// Words of a view: the legal moves of each role from a fresh word on, then from a fresh word on a
    /// bit for each goal value and one for terminal.
    #[must_use]
    pub fn view_words(self) -> usize {
        self.roles * self.legal_words() + (self.goals + 1).div_ceil(64)
    }

    /// The bit of a view that says that the role may make the move.
    #[must_use]
    pub fn legal_bit(self, role: usize, action: usize) -> usize {
        role * self.legal_words() * 64 + action
    }

    /// The bit of a view where the goal values start.
    #[must_use]
    pub fn goal_bit(self) -> usize {
        self.roles * self.legal_words() * 64
    }

    /// Words of a row of percepts: those of each role from a fresh word on, bit p for percept p.
    #[must_use]
    pub fn percept_words(self) -> usize {
        self.roles * self.percepts.div_ceil(64)
    }

    /// The bit of a row of percepts that says that the role perceives the percept.
    #[must_use]
    pub fn percept_bit(self, role: usize, percept: usize) -> usize {
        role * self.percepts.div_ceil(64) * 64 + percept
    }

    /// The bit of a view that is set in a terminal state.
    #[must_use]
    pub fn terminal_bit(self) -> usize {
        self.goal_bit() + self.goals
    }
}
