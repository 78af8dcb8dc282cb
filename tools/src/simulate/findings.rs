//! The findings, each fault once with the shortest play that shows it.
//!
//! At most [`MOST`] plays are kept. Other faults are known to exist, and are reported once these
//! are fixed.

use gdl_runtime::dynamic::MoveId;
use std::collections::{BTreeMap, BTreeSet};

/// Faults that are reported: a game of many roles may have a few of each.
const MOST: usize = 32;

/// Something that is wrong with a game. The order is that of the codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fault {
    /// A role has no legal move in a state that is not terminal.
    Stuck { role: usize },
    /// A role has several goal values in one state.
    TwoGoals { role: usize, terminal: bool },
    /// A role has no goal value in a terminal state.
    NoGoal { role: usize },
    /// A role's goal value fell with the last move.
    Falling { role: usize },
    /// A state comes again, so play can go round for ever.
    Loop,
    /// A game did not end, though no state came again.
    TooLong,
}

impl Fault {
    /// False for what goes without saying in a game without an end: no role may move where it
    /// should be over, goals are not meant for the states that play goes on to, and it goes round.
    fn stands_without_end(self) -> bool {
        matches!(self, Self::NoGoal { .. } | Self::TwoGoals { terminal: true, .. } | Self::Falling { .. })
    }
}

/// Joint moves from the initial state.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    /// A move of each role in role order, then of each role the next one.
    pub(super) moves: Vec<MoveId>,
    /// The number of joint moves after which the last state was met before, if it was.
    pub(super) repeats: Option<usize>,
}

/// The faults found so far.
#[derive(Debug, Default)]
pub(super) struct Findings {
    told: BTreeMap<Fault, Line>,
    untold: BTreeSet<Fault>,
}

impl Findings {
    /// Keeps a play of `length` moves in all, all roles', unless one as short is known or there are
    /// plays enough.
    pub(super) fn offer(&mut self, fault: Fault, length: usize, line: impl FnOnce() -> Line) {
        let known = self.told.get(&fault);
        if known.is_none() && self.told.len() >= MOST {
            self.untold.insert(fault);
        } else if known.is_none_or(|known| length < known.moves.len()) {
            self.told.insert(fault, line());
        }
    }

    pub(super) fn any(&self, test: impl Fn(Fault) -> bool) -> bool {
        self.told.keys().chain(&self.untold).any(|&fault| test(fault))
    }

    /// Selects the findings of a game of `roles` roles that does not end. A role without a legal
    /// move before each role can have had its turn is no game that should be over: it may be why
    /// there is no end.
    pub(super) fn leave_without_end(&mut self, roles: usize) {
        let is_early = |line: &Line| line.moves.len() < roles * roles;
        self.told.retain(|fault, line| {
            fault.stands_without_end() || (matches!(fault, Fault::Stuck { .. }) && is_early(line))
        });
        self.untold.retain(|fault| fault.stands_without_end());
    }

    fn retain(&mut self, keep: impl Fn(Fault) -> bool) {
        self.told.retain(|&fault, _| keep(fault));
        self.untold.retain(|&fault| keep(fault));
    }

    /// All faults but those that another one makes uninteresting.
    pub(super) fn into_lines(mut self) -> impl Iterator<Item = (Fault, Line)> {
        let endless = self.told.contains_key(&Fault::Loop);
        let known: Vec<Fault> = self.told.keys().copied().collect();
        self.retain(|fault| match fault {
            Fault::TooLong => !endless,
            Fault::TwoGoals { role, terminal: false } => {
                !known.contains(&Fault::TwoGoals { role, terminal: true })
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
                findings.offer(Fault::Falling { role }, length, || {
                    made += 1;
                    Line { moves: vec![gdl_runtime::game::Id::from_index(0); length], repeats: None }
                });
            }
        }
        // Shorter ones replace longer ones; faults that are not reported are known.
        assert_eq!(made, 2 * MOST);
        assert!(findings.any(|fault| fault == Fault::Falling { role: 999 }));
        let lines: Vec<(Fault, Line)> = findings.into_lines().collect();
        assert!(lines.len() == MOST && lines.iter().all(|(_, line)| line.moves.len() == 5));
    }
}
