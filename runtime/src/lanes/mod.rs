//! 512 random games at once, one bit each: in come the schedules of a table, in which every signal of the net is a
//! word of 512 bits, one bit for each game; out come tallies.
//!
//! [`Lanes`] is what a game's table has, which `gdl_compiler::emit::lanes` makes. `play` runs a block of games on it
//! and `choice` draws moves. Where players take turns there are programs for each point of that cycle, and games
//! start at its first one, where lanes whose game is over get the initial state and its legal moves in the same
//! step.
//!
//! Signals are in slots, of which there are 2^16 of 64 bytes, 4 MiB, for each thread that plays; programs take as many bytes
//! as the table has for them, a few times over. A step takes as many steps as the programs of its point have operations.

mod choice;
mod code;
mod counted;
mod cycle;
mod expand;
mod leaves;
mod lockstep;
mod noise;
mod play;
mod program;
mod starts;

pub use {
    choice::{Groups, choose},
    code::{Chunk, Code},
    counted::choose_counted,
    expand::{Batch, Expansion},
    leaves::Leaves,
    lockstep::Lockstep,
    noise::Source,
    play::add,
    program::Slots,
};
pub(crate) use {code::Straight, cycle::Cycle, play::Player};

use crate::{
    game::Shape,
    reader::Reader,
    simd::Isa,
    table::{Table, TableError},
};
use counted::MOST_COUNTED;
use program::{Program, SLOTS};
use std::ops::Range;

// The first slots. The first one is never written.
/// Lanes that play no game before the step.
const IDLE: u16 = 1;
/// Lanes that may start a game: those, and where a game has come to its end.
const FRESH: u16 = 2;
/// Lanes whose state is terminal.
const TERMINAL: u16 = 3;
/// Lanes where each player has one goal value.
const SCORED: u16 = 4;
/// Lanes whose state is to be kept.
const ENDED: u16 = 5;
/// The first fluent.
const FLUENTS: u16 = 6;

/// Operations in a block of one game for each lane; with fewer, lanes play several.
const BLOCK_WORK: usize = 100_000;

/// The most games a lane plays in a block.
const MOST_GAMES: usize = 64;

/// A game that can be played in lanes.
#[derive(Clone, Debug)]
pub(crate) struct Lanes {
    shape: Shape,
    /// One for each point of the cycle, the initial state's first; then one for each number of moves made, if games from
    /// the initial state are played so. Those go round these.
    points: Box<[Point]>,
    /// How many of them are those of the cycle.
    cycle: usize,
    /// The bits of the initial state.
    initial: Box<[u64]>,
    /// The most moves that are to choose from.
    moves: usize,
    /// The role that stands for chance.
    chance: Option<usize>,
    /// Games in a block.
    pub(crate) block: u64,
    /// Straight-line code for the same programs.
    pub(crate) straight: Option<Straight>,
}

/// A point of the cycle.
#[derive(Clone, Debug)]
struct Point {
    observe: Program,
    /// Keeps states, to be scored later; empty if scores are observed.
    keep: Program,
    score: Program,
    advance: Program,
    roles: Box<[Choice]>,
    /// The slots of what is counted.
    counted: Box<[u16]>,
    /// What is counted, or only seen, and where it is.
    items: Box<[(Item, u16)]>,
}

/// What a role may do.
#[derive(Clone, Debug)]
struct Choice {
    /// The moves that can be legal, ascending.
    moves: Box<[u32]>,
    /// The slot of the first; 0 if there is only one, which is always legal, and has no slot.
    first: u16,
    /// How many are legal wherever a game goes on; 0 if that is not known.
    count: usize,
}

/// Something a tally counts in the lanes whose game ended and is scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Item {
    /// A role has this goal value. Zero is not counted, since it adds nothing, but seen.
    Goal { role: usize, value: u8 },
    /// A role's goal is above all others; of a role that has no others, it is 100.
    Win { role: usize },
    /// A role shares the greatest goal.
    Draw { role: usize },
    /// Both of two players do.
    BothDraw,
}

impl Lanes {
    /// Reads the lanes of a game. None if it has none. O(operations).
    ///
    /// # Errors
    /// What is wrong with the bytes. What was read can be run without further tests.
    pub(crate) fn decode(
        reader: &mut Reader<'_>,
        shape: Shape,
        initial: &[u64],
        chance: Option<usize>,
    ) -> Result<Option<Self>, TableError> {
        let mut points = Vec::new();
        let mut cycle = 0;
        for part in 0..2 {
            let length = reader.length(5)?;
            for _ in 0..length {
                points.push(Point::decode(reader, shape)?);
            }
            if part == 0 {
                cycle = length;
            }
        }
        if cycle == 0 {
            return Ok(None);
        }
        if usize::from(FLUENTS) + shape.fluents > SLOTS {
            return Err(reader.fault("more fluents than slots"));
        }
        let mut lanes = Self {
            shape,
            initial: initial.into(),
            moves: points.iter().flat_map(|p| &p.roles).map(|role| role.moves.len()).max().unwrap_or(0),
            chance,
            block: 0,
            points: points.into(),
            cycle,
            straight: None,
        };
        let course = &lanes.points[lanes.course()];
        let operations: usize = course.iter().map(|point| point.observe.len() + point.advance.len()).sum();
        let games = BLOCK_WORK / (operations / course.len()).max(1);
        lanes.block = (crate::simd::LANES * games.clamp(1, MOST_GAMES)) as u64;
        Ok(Some(lanes))
    }

    /// The points that games from the initial state go round.
    fn course(&self) -> Range<usize> {
        if self.points.len() > self.cycle { self.cycle..self.points.len() } else { 0..self.cycle }
    }

    /// What tells the points of the cycle apart; none if nothing does. O(gates), usually some times over.
    pub(crate) fn cycle(&self, table: &Table) -> Option<Cycle> {
        Cycle::new(table.advance_circuit(), &self.initial, self.shape.fluents, self.cycle)
    }

    /// True if there is straight-line code for the instruction set.
    pub(crate) fn is_straight(&self, isa: Isa) -> bool {
        self.straight.is_some_and(|straight| straight.is_for(isa))
    }
}

impl Point {
    fn decode(reader: &mut Reader<'_>, shape: Shape) -> Result<Self, TableError> {
        let observe = Program::decode(reader)?;
        let (keep, score) = (Program::decode(reader)?, Program::decode(reader)?);
        let advance = Program::decode(reader)?;
        let roles = (0..shape.roles).map(|_| Choice::decode(reader, shape)).collect::<Result<_, _>>()?;
        let items = reader.length(4)?;
        let items = (0..items).map(|_| Ok((Item::decode(reader, shape)?, reader.slot()?)));
        let items: Vec<(Item, u16)> = items.collect::<Result<_, _>>()?;
        let counted = items.iter().filter(|item| item.0.is_counted());
        let mut counted: Vec<u16> = counted.map(|item| item.1).collect();
        counted.sort_unstable();
        counted.dedup();
        Ok(Self { observe, keep, score, advance, roles, counted: counted.into(), items: items.into() })
    }
}

impl Choice {
    fn decode(reader: &mut Reader<'_>, shape: Shape) -> Result<Self, TableError> {
        let moves: Box<[u32]> = reader.ascending(shape.moves)?.into();
        let first = reader.slot()?;
        let end = usize::from(first) + moves.len();
        if end > SLOTS || (first == 0 && moves.len() > 1) {
            return Err(reader.fault("a choice without slots"));
        }
        let count = reader.number()? as usize;
        if count > moves.len() || (count > 0 && moves.len() > MOST_COUNTED) {
            return Err(reader.fault("a choice among too many moves"));
        }
        Ok(Self { moves, first, count })
    }

    /// True if there is only one move, which is always legal, and has no slot.
    fn is_sure(&self) -> bool {
        self.first == 0 && self.moves.len() == 1
    }

    /// The slots of the moves.
    fn slots(&self) -> Range<usize> {
        let length = if self.first == 0 { 0 } else { self.moves.len() };
        usize::from(self.first)..usize::from(self.first) + length
    }
}

impl Item {
    /// True if tallies have it.
    fn is_counted(self) -> bool {
        !matches!(self, Self::Goal { value: 0, .. })
    }

    fn decode(reader: &mut Reader<'_>, shape: Shape) -> Result<Self, TableError> {
        let (kind, role, value) = (reader.byte()?, reader.number()? as usize, reader.byte()?);
        if role >= shape.roles {
            return Err(reader.fault("an item of no role"));
        }
        match kind {
            0 => Ok(Self::Goal { role, value }),
            1 => Ok(Self::Win { role }),
            2 => Ok(Self::Draw { role }),
            3 => Ok(Self::BothDraw),
            _ => Err(reader.fault("an item of no kind")),
        }
    }
}
