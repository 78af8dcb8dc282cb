//! The findings: each fault once, with the shortest play found that shows it.
//!
//! At most [`MOST`] plays are stored. Other faults are recorded without a play, and are reported
//! once the stored ones are fixed.

use gdl_runtime::dynamic::MoveId;
use std::collections::{BTreeMap, BTreeSet};

/// The greatest number of faults to report. Games with many roles may have several of each kind for
/// each role.
const MOST: usize = 32;

/// A fault of a game, ordered by its diagnostic code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum GameFault {
    /// A role has no legal move in a state that is not terminal.
    Stuck { role: usize },
    /// A role has several goal values in one state.
    TwoGoals { role: usize, terminal: bool },
    /// A role has no goal value in a terminal state.
    NoGoal { role: usize },
    /// A role's goal value fell with the last move.
    Falling { role: usize },
    /// A state recurs, so play may never end.
    Loop,
    /// A random game did not end, and no recurring state was found.
    TooLong,
}

impl GameFault {
    /// Returns whether the fault still matters if the game can never end. The other faults are
    /// consequences of an endless game: roles without moves, several goals in other states, and
    /// loops.
    fn stands_without_end(self) -> bool {
        matches!(self, Self::NoGoal { .. } | Self::TwoGoals { terminal: true, .. } | Self::Falling { .. })
    }
}

/// A sequence of joint moves from the initial state.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    /// The moves of the first joint move in role order, then those of the next one.
    pub(super) moves: Vec<MoveId>,
    /// The number of joint moves after which the last state occurred first. `None` if it does not
    /// recur.
    pub(super) repeats: Option<usize>,
}

/// The faults found so far.
#[derive(Debug, Default)]
pub(super) struct Findings {
    told: BTreeMap<GameFault, Line>,
    untold: BTreeSet<GameFault>,
}

impl Findings {
    /// Stores a play for a fault, unless a play of at most this length is known or the limit is
    /// reached. `length` counts the moves of all roles.
    pub(super) fn offer(&mut self, fault: GameFault, length: usize, line: impl FnOnce() -> Line) {
        let known = self.told.get(&fault);
        if known.is_none() && self.told.len() >= MOST {
            self.untold.insert(fault);
        } else if known.is_none_or(|known| length < known.moves.len()) {
            self.told.insert(fault, line());
        }
    }

    pub(super) fn any(&self, test: impl Fn(GameFault) -> bool) -> bool {
        self.told.keys().chain(&self.untold).any(|&fault| test(fault))
    }

    /// Drops the consequences of a game with `roles` roles that can never end. A role without a
    /// legal move after fewer than `roles` joint moves is kept: it may be the cause.
    pub(super) fn leave_without_end(&mut self, roles: usize) {
        let is_early = |line: &Line| line.moves.len() < roles * roles;
        self.told.retain(|fault, line| {
            fault.stands_without_end() || (matches!(fault, GameFault::Stuck { .. }) && is_early(line))
        });
        self.untold.retain(|fault| fault.stands_without_end());
    }

    fn retain(&mut self, keep: impl Fn(GameFault) -> bool) {
        self.told.retain(|&fault, _| keep(fault));
        self.untold.retain(|&fault| keep(fault));
    }

    /// Returns the stored faults, except those that another fault implies.
    pub(super) fn into_lines(mut self) -> impl Iterator<Item = (GameFault, Line)> {
        let endless = self.told.contains_key(&GameFault::Loop);
        let known: Vec<GameFault> = self.told.keys().copied().collect();
        self.retain(|fault| match fault {
            GameFault::TooLong => !endless,
            GameFault::TwoGoals { role, terminal: false } => {
                !known.contains(&GameFault::TwoGoals { role, terminal: true })
            }
            _ => true,
        });
        self.told.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plays_are_bounded_in_number() {
        let mut findings = Findings::default();
        let mut made = 0;
        for length in [9, 5, 7] {
            for role in 0..1_000 {
                findings.offer(GameFault::Falling { role }, length, || {
                    made += 1;
                    Line { moves: vec![gdl_runtime::game::Id::from_index(0); length], repeats: None }
                });
            }
        }
        // Shorter plays replace longer ones. Faults beyond the limit are recorded.
        assert_eq!(made, 2 * MOST);
        assert!(findings.any(|fault| fault == GameFault::Falling { role: 999 }));
        let lines: Vec<(GameFault, Line)> = findings.into_lines().collect();
        assert!(lines.len() == MOST && lines.iter().all(|(_, line)| line.moves.len() == 5));
    }
}
