//! Payoffs: the goals that a terminal state gives to the roles.

use gdl_runtime::{Game, bits};

/// A reader of the goals in a view. It does not allocate.
#[derive(Clone, Debug)]
pub(crate) struct Payoff {
    /// For each role, the bit of its first goal value in a view, and its goal values, ascending.
    roles: Vec<(usize, Box<[u8]>)>,
}

impl Payoff {
    pub(crate) fn new<G: Game>(game: &G) -> Self {
        let mut bit = game.shape().goal_bit();
        let roles = (0..game.shape().roles).map(|role| {
            let values: Box<[u8]> = game.vocabulary().goals_of(role).into();
            let first = bit;
            bit += values.len();
            (first, values)
        });
        Self { roles: roles.collect() }
    }

    /// Returns the goal of a role: 0 if there is none, and the least if there are several. Both are
    /// errors of a rulesheet.
    #[inline]
    pub(crate) fn goal(&self, view: &[u64], role: usize) -> u8 {
        let (first, values) = &self.roles[role];
        let holding = values.iter().enumerate().find(|(place, _)| bits::test(view, first + place));
        holding.map_or(0, |(_, &value)| value)
    }

    /// Returns the least and the greatest goal that a role can have.
    pub(crate) fn range(&self, role: usize) -> (u8, u8) {
        let values = &self.roles[role].1;
        (values.first().copied().unwrap_or(0), values.last().copied().unwrap_or(0))
    }
}
