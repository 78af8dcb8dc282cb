//! The programs that play 512 games at once, one bit each: slots, operations, choices, and what is
//! counted.
//!
//! Every signal is a word of 512 bits, one bit for each game (a lane), and has a slot. The first
//! slots have a fixed meaning, and the fluents follow them. Where fluents go round a cycle, such as
//! whose turn it is, there are programs for each phase of the cycle; short games may have programs
//! for each number of moves made too.

use std::collections::BTreeMap;

/// There are fewer slots than this: a gigabyte of them, whose places in bytes have 32 bits.
pub const MOST_SLOTS: usize = 1 << 24;

/// Bytes of a slot.
pub const SLOT_BYTES: usize = 64;

// The first slots. Slot 0 is never set.
/// Lanes that play no game before the step.
pub const IDLE: u32 = 1;
/// The lanes that may start a game: lanes without a game, and lanes whose game has ended.
pub const FRESH: u32 = 2;
/// Lanes whose state is terminal.
pub const TERMINAL: u32 = 3;
/// Lanes where each player has one goal value.
pub const SCORED: u32 = 4;
/// Lanes whose state is to be kept.
pub const ENDED: u32 = 5;
/// The first fluent.
pub const FLUENTS: u32 = 6;

/// The most moves among which one is chosen faster if it is known how many are legal.
pub const MOST_COUNTED: usize = 15;

/// The programs that play a game in lanes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lanes {
    /// The programs at each phase of the cycle, the initial state's first.
    pub phases: Vec<Phase>,
    /// The fluents that tell the phases apart.
    pub cycle: Cycle,
    /// The programs for each number of moves made, if games from the initial state are played so.
    /// Those go round these.
    pub plies: Vec<Phase>,
}

/// The fluents that go round whatever the moves, and their values at each phase of the cycle. No
/// two phases have the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cycle {
    /// The fluents, ascending.
    pub fluents: Vec<u32>,
    /// For each phase, the value of each of the fluents.
    pub values: Vec<Vec<bool>>,
}

impl Cycle {
    /// The cycle of one phase, at which every state is.
    #[must_use]
    pub fn still() -> Self {
        Self { fluents: Vec::new(), values: vec![Vec::new()] }
    }

    /// The words and bits of a state that identify a phase, and the values of these bits.
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
    /// The operations that score the states that are kept.
    pub score: Schedule,
    /// The operations that advance the states.
    pub advance: Schedule,
    /// The choice of each role.
    pub roles: Vec<Choice>,
    /// The items that are counted, or only seen, each with its slot.
    pub items: Vec<(Item, u32)>,
}

/// Consecutive operations: runs of the same operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// The table of each run and the number of its operations: bit 4a + 2b + c of the table for
    /// operands a, b and c.
    pub runs: Vec<(u8, u32)>,
    /// The slots of each operation.
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

    /// Each operation with its table.
    pub fn operations(&self) -> impl Iterator<Item = (u8, Step)> {
        let tables = self.runs.iter().flat_map(|&(table, count)| (0..count).map(move |_| table));
        tables.zip(self.steps.iter().copied())
    }
}

/// An operation on slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The slots of the operands.
    pub operands: [u32; 3],
    /// The slot of the result, which is not 0.
    pub result: u32,
}

/// The choice of a role at a phase, among the moves that it may make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The moves that can be legal, ascending.
    pub moves: Vec<u32>,
    /// The slot of the first; 0 if there is only one, which is always legal and has no slot.
    pub first: u32,
    /// The number of those that are legal wherever a game goes on; 0 if that is not known, or of no
    /// use.
    pub count: u8,
}

impl Choice {
    /// The slots of the moves.
    #[must_use]
    pub fn slots(&self) -> std::ops::Range<usize> {
        let length = if self.first == 0 { 0 } else { self.moves.len() };
        self.first as usize..self.first as usize + length
    }

    /// True if there is only one move, which is always legal and has no slot.
    #[must_use]
    pub fn is_forced(&self) -> bool {
        self.first == 0 && self.moves.len() == 1
    }
}

/// Something a tally counts in the lanes whose game ended and is scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// A role has this goal value. Zero is not counted, since it adds nothing, but seen.
    Goal {
        /// The role.
        role: usize,
        /// The value.
        value: u8,
    },
    /// A role's goal is above all others; of a role that has no others, it is 100.
    Win {
        /// The role.
        role: usize,
    },
    /// A role shares the greatest goal.
    Draw {
        /// The role.
        role: usize,
    },
    /// Both of two players do.
    BothDraw,
}

impl Item {
    /// True if tallies have it.
    #[must_use]
    pub fn is_counted(self) -> bool {
        !matches!(self, Self::Goal { value: 0, .. })
    }
}

/// The columns of the operands in an operation's table.
pub const COLUMNS: [u8; 3] = [0xf0, 0xcc, 0xaa];

/// The table where two operands, the lower one first, have changed places.
#[must_use]
pub const fn swap(table: u8, i: usize, j: usize) -> u8 {
    // The rows where the first of them alone is set, and how far it is to those of the second.
    let (rows, distance) = match (i, j) {
        (0, 1) => (0x30, 2),
        (0, 2) => (0x50, 3),
        (1, 2) => (0x44, 1),
        _ => return table,
    };
    let others = !(rows | rows >> distance);
    table & others | (table & rows) >> distance | (table << distance) & rows
}

/// The least table that some order of the operands gives, and that order: few kinds of operations
/// make long runs of one kind.
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
