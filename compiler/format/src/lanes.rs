//! The programs that play 512 games at once, one bit each: slots, operations, choices and counted
//! items.
//!
//! Every signal is a word of 512 bits, one bit for each game (a lane), and has a slot. The first
//! slots have a fixed meaning, and the fluents follow them. If fluents such as `control` go round a
//! cycle, there are programs for each phase of the cycle. Short games may also have programs for
//! each ply.

use std::collections::BTreeMap;

/// The exclusive upper bound of slots: a gigabyte of them, so that offsets in bytes fit in 32 bits.
pub const MOST_SLOTS: usize = 1 << 24;

/// The size of a slot in bytes: 512 bits.
pub const SLOT_BYTES: usize = 64;

// The first slots. Slot 0 is the constant false.
/// Lanes that play no game before the step.
pub const IDLE: u32 = 1;
/// The lanes that may start a game: lanes without a game, and lanes whose game has ended.
pub const FRESH: u32 = 2;
/// Lanes whose state is terminal.
pub const TERMINAL: u32 = 3;
/// Lanes where each player has exactly one goal value.
pub const SCORED: u32 = 4;
/// Lanes whose game ends with this state, which is kept for scoring.
pub const ENDED: u32 = 5;
/// The slot of the first fluent; the others follow.
pub const FLUENTS: u32 = 6;

/// The largest constant number of legal moves that a [`Choice`] records to choose faster.
pub const MOST_COUNTED: usize = 15;

/// The programs that play a game in lanes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lanes {
    /// The programs at each phase of the cycle, the initial state's first.
    pub phases: Vec<Phase>,
    /// The fluents that distinguish the phases.
    pub cycle: Cycle,
    /// The programs for each ply of games from the initial state. If there are any, such games use
    /// them instead of `phases`.
    pub plies: Vec<Phase>,
}

/// The fluents that go round a cycle whatever the moves, and their values at each phase. No two
/// phases have equal values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cycle {
    /// The fluents, ascending.
    pub fluents: Vec<u32>,
    /// For each phase, the value of each of the fluents.
    pub values: Vec<Vec<bool>>,
}

impl Cycle {
    /// Creates the cycle of a single phase, without fluents.
    #[must_use]
    pub fn still() -> Self {
        Self { fluents: Vec::new(), values: vec![Vec::new()] }
    }

    /// Returns the bits of a state that identify a phase: for each word, the mask of the bits and
    /// their values.
    #[must_use]
    pub fn words(&self, phase: usize) -> BTreeMap<usize, (u64, u64)> {
        let mut words: BTreeMap<usize, (u64, u64)> = BTreeMap::new();
        for (&fluent, &value) in self.fluents.iter().zip(&self.values[phase]) {
            let (mask, bits) = words.entry(fluent as usize / 64).or_default();
            *mask |= 1 << (fluent % 64);
            *bits |= u64::from(value) << (fluent % 64);
        }
        words
    }
}

/// The programs of a phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    /// The operations that observe the states.
    pub observe: Schedule,
    /// The operations that save the states of ended games for `score`; empty if `observe` computes
    /// the scores.
    pub keep: Schedule,
    /// The operations that score the saved states.
    pub score: Schedule,
    /// The operations that advance the states.
    pub advance: Schedule,
    /// The choice of each role, in role order.
    pub roles: Vec<Choice>,
    /// The items that are counted, or only observed, each with its slot.
    pub items: Vec<(Item, u32)>,
}

/// Operations in order, grouped into runs with equal truth tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// The truth table of each run and the number of its operations. The result for operands a, b
    /// and c is bit 4a + 2b + c.
    pub runs: Vec<(u8, u32)>,
    /// The slots of each operation, run by run.
    pub steps: Vec<Step>,
}

impl Schedule {
    /// Appends an operation.
    pub fn push(&mut self, table: u8, step: Step) {
        match self.runs.last_mut() {
            Some((last, count)) if *last == table => *count += 1,
            _ => self.runs.push((table, 1)),
        }
        self.steps.push(step);
    }

    /// Iterates over the operations, each with its truth table.
    pub fn operations(&self) -> impl Iterator<Item = (u8, Step)> {
        let tables = self.runs.iter().flat_map(|&(table, count)| (0..count).map(move |_| table));
        tables.zip(self.steps.iter().copied())
    }
}

/// The slots of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The slots of the operands.
    pub operands: [u32; 3],
    /// The slot of the result, which is not 0.
    pub result: u32,
}

/// The choice of a role at a phase among its possible moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The moves that can be legal, ascending.
    pub moves: Vec<u32>,
    /// The slot of the first move; the others follow. 0 if the only move is always legal and has no
    /// slot.
    pub first: u32,
    /// The number of legal moves, if it is constant in the phase's states that are not terminal. 0
    /// if that is unknown or not useful.
    pub count: u8,
}

impl Choice {
    /// The slots of the moves, empty if the only move has no slot.
    #[must_use]
    pub fn slots(&self) -> std::ops::Range<usize> {
        let length = if self.first == 0 { 0 } else { self.moves.len() };
        self.first as usize..self.first as usize + length
    }

    /// Returns true if there is only one move, which is always legal and has no slot.
    #[must_use]
    pub fn is_forced(&self) -> bool {
        self.first == 0 && self.moves.len() == 1
    }
}

/// An item that a tally counts in the lanes whose game ended and is scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// A role has this goal value. Zero is observed but not counted, since it adds nothing to sums.
    Goal {
        /// The index of the role.
        role: usize,
        /// The goal value.
        value: u8,
    },
    /// A role's goal is above those of all others. The only role of a game wins with 100.
    Win {
        /// The index of the role.
        role: usize,
    },
    /// A role shares the greatest goal.
    Draw {
        /// The index of the role.
        role: usize,
    },
    /// Both of two players share the greatest goal.
    BothDraw,
}

impl Item {
    /// Returns true if tallies count the item.
    #[must_use]
    pub fn is_counted(self) -> bool {
        !matches!(self, Self::Goal { value: 0, .. })
    }
}

/// The truth tables of the three operands themselves.
pub const COLUMNS: [u8; 3] = [0xf0, 0xcc, 0xaa];

/// Returns the truth table with operands `i` and `j` swapped, where `i < j`.
#[must_use]
pub const fn swap(table: u8, i: usize, j: usize) -> u8 {
    // The rows where only the first operand is set, and their distance to the rows of the second.
    let (rows, distance) = match (i, j) {
        (0, 1) => (0x30, 2),
        (0, 2) => (0x50, 3),
        (1, 2) => (0x44, 1),
        _ => return table,
    };
    let others = !(rows | rows >> distance);
    table & others | (table & rows) >> distance | (table << distance) & rows
}

/// Returns the least truth table among all orders of the operands, and that order. With fewer kinds
/// of operations, runs of one kind are longer.
#[must_use]
pub fn least(table: u8) -> (u8, [usize; 3]) {
    let one = swap(table, 0, 1);
    let orders = [
        (table, [0, 1, 2]),
        (swap(table, 1, 2), [0, 2, 1]),
        (one, [1, 0, 2]),
        (swap(one, 1, 2), [1, 2, 0]),
        (swap(one, 0, 2), [2, 0, 1]),
        (swap(table, 0, 2), [2, 1, 0]),
    ];
    orders.into_iter().min().unwrap_or(orders[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_tables_are_least() {
        let mut tables: Vec<u8> = (0..=255).map(|table| least(table).0).collect();
        tables.sort_unstable();
        tables.dedup();
        assert_eq!(tables.len(), 80);
        assert!(tables.iter().all(|&table| least(table).0 == table));
    }

    #[test]
    fn words_tell_phases() {
        let cycle = Cycle { fluents: vec![1, 65], values: vec![vec![true, false], vec![false, true]] };
        assert_eq!(cycle.words(0), BTreeMap::from([(0, (2, 2)), (1, (2, 0))]));
        assert_eq!(cycle.words(1), BTreeMap::from([(0, (2, 0)), (1, (2, 2))]));
        assert!(Cycle::still().words(0).is_empty());
    }

    #[test]
    fn equal_operations_are_runs() {
        let step = Step { operands: [1, 2, 3], result: 4 };
        let mut schedule = Schedule::default();
        [0x80, 0x80, 0x01, 0x80].into_iter().for_each(|table| schedule.push(table, step));
        assert_eq!(schedule.runs, [(0x80, 2), (0x01, 1), (0x80, 1)]);
        assert!(schedule.operations().map(|(table, _)| table).eq([0x80, 0x80, 0x01, 0x80]));
    }
}
