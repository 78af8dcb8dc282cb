//! What was found, each fault once with the shortest play that shows it.

use gdl_runtime::MoveId;
use std::collections::BTreeMap;

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
    /// False for what goes without saying in a game without an end: nobody may move where it should be
    /// over, goals are not meant for the states that play goes on to, and it goes round.
    pub(super) fn stands_without_end(self) -> bool {
        matches!(self, Self::NoGoal { .. } | Self::TwoGoals { terminal: true, .. } | Self::Falling { .. })
    }
}

/// Joint moves from the initial state.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    /// A move of each role in role order, then of each role the next one.
    pub(super) moves: Vec<MoveId>,
    /// If the last state was met before: after how many joint moves.
    pub(super) repeats: Option<usize>,
}

/// The faults found so far.
#[derive(Debug, Default)]
pub(super) struct Findings(BTreeMap<Fault, Line>);

impl Findings {
    /// Keeps a play of `length` moves in all, all roles', unless one as short is known.
    pub(super) fn offer(&mut self, fault: Fault, length: usize, line: impl FnOnce() -> Line) {
        if self.0.get(&fault).is_none_or(|known| length < known.moves.len()) {
            self.0.insert(fault, line());
        }
    }

    pub(super) fn any(&self, test: impl Fn(Fault) -> bool) -> bool {
        self.0.keys().any(|&fault| test(fault))
    }

    pub(super) fn retain(&mut self, keep: impl Fn(Fault) -> bool) {
        self.0.retain(|&fault, _| keep(fault));
    }

    /// All faults but those that another one makes uninteresting.
    pub(super) fn into_lines(mut self) -> impl Iterator<Item = (Fault, Line)> {
        let endless = self.0.contains_key(&Fault::Loop);
        let known: Vec<Fault> = self.0.keys().copied().collect();
        self.retain(|fault| match fault {
            Fault::TooLong => !endless,
            Fault::TwoGoals { role, terminal: false } => {
                !known.contains(&Fault::TwoGoals { role, terminal: true })
            }
            _ => true,
        });
        self.0.into_iter()
    }
}
