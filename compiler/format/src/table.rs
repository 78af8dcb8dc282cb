//! The encoding of a game as bytes, which a macro emits as one literal and the runtime reads.
//!
//! All numbers are LEB128: seven bits a byte, lowest first, the top bit set on all but the last
//! byte. A text is its length in bytes and its bytes; a list is its length and its items.
//!
//! ```text
//! table    = "GDLT" version:byte vocabulary moves* goals* chance initial observe advance sees lanes
//! vocabulary = roles:list(text) fluents:list(text) moves:list(text)
//! moves*   = per role: list(number)      the moves the role may ever make, ascending, each as its
//!                                        distance from the one before (the first from zero)
//! goals*   = per role: list(byte)        the goal values it may ever have, ascending
//! chance   = number                      the role that stands for chance, plus one; zero if none does
//! initial  = list(number)                the fluents that hold at the start, as distances too
//! observe, advance, perceive = gates:list(signal signal) outputs:list(signal)
//! sees     = 0:byte                      each role perceives the joint move
//!          | 1:byte percepts:list(text) percepts* perceive
//! percepts* = per role: list(number)     the percepts the role may ever have, as distances too
//! lanes    = 0:byte                      the game cannot be played in lanes
//!          | phases:list(phase) cycle plies:list(phase)
//! phase    = schedule schedule schedule schedule choice* items:list(item)
//! cycle    = fluents:list(number) per phase: per fluent: value:byte
//! schedule = list(table:byte steps:list(a b c result))
//! choice   = per role: list(number) slot count:byte
//!                                        the moves it may make at the phase, as distances; the first one's slot; how
//!                                        many are legal, if that is known, else 0
//! item     = kind:byte role value:byte slot
//! ```
//!
//! A signal is twice a node, plus one if complemented. Node 0 is false, and nodes 1.. are the
//! fluents. In `advance` and `perceive` the `does` inputs follow, role by role in the order of
//! `moves*`. Then come the gates, each the AND of two earlier signals. The outputs of `observe`
//! are, role by role, the legality of each move of `moves*`; then, role by role, each goal value of
//! `goals*`; then terminal. The outputs of `advance` are the next value of each fluent. Those of
//! `perceive` are, role by role, each percept of `percepts*`.
//!
//! `lanes` has four schedules for each phase of the cycle, the initial state's phase first. They
//! observe 512 games at once, keep the states in which games end (empty if scores are observed),
//! score these states, and advance. The `plies` follow, with the same schedules for each ply of
//! games from the initial state. Each step of a run sets the slot `result` to bit 4a + 2b + c of
//! `table`, for the words in the slots a, b, c. See [`lanes`] for the first slots. A choice has
//! slot 0 if there is only one move, which is always legal. Items are counted where a game ends:
//! kind 0, a role has a goal value; 1, it wins; 2, it shares the greatest goal; 3, both of two
//! players share it.

use crate::{
    aig::Program,
    lanes::{self, Choice, Cycle, Item, Lanes, MOST_COUNTED, Phase, Schedule, Step},
    reader::{Fault, Reader},
    shape::Shape,
    writer::Writer,
};
use std::{collections::BTreeSet, fmt};

/// The version of the format, the byte after the signature.
pub const VERSION: u8 = 9;

/// The signature at the start of a table, before the version.
const MAGIC: &[u8; 4] = b"GDLT";

/// Returns true if the bytes begin with the signature and version of this format.
#[must_use]
pub const fn has_this_version(bytes: &[u8]) -> bool {
    matches!(bytes, [b'G', b'D', b'L', b'T', VERSION, ..])
}

/// The most words that a view or a row of percepts may have: 32 MiB, more than any playable game
/// needs.
pub const MAX_VIEW_WORDS: usize = 1 << 22;

/// A game: its names, which are borrowed, and its programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table<'t> {
    /// The names of the roles, all different.
    pub roles: Vec<&'t str>,
    /// The names of the fluents, strictly ascending.
    pub fluents: Vec<&'t str>,
    /// The names of the moves of all roles, strictly ascending.
    pub moves: Vec<&'t str>,
    /// For each role, the moves that can be legal in some state, ascending.
    pub role_moves: Vec<Vec<u32>>,
    /// For each role, its possible goal values, ascending.
    pub role_goals: Vec<Vec<u8>>,
    /// The role that stands for chance, if there is one.
    pub chance: Option<usize>,
    /// The fluents that hold in the initial state, ascending.
    pub initial: Vec<u32>,
    /// The program that observes: from the fluents to the view of a state.
    pub observe: Program,
    /// The program that advances: from the fluents and the moves made to the next state.
    pub advance: Program,
    /// The percepts of the roles; `None` if each perceives the joint move.
    pub sees: Option<Sees<'t>>,
    /// The programs that play 512 games at once, if the game can be played so.
    pub lanes: Option<Lanes>,
}

/// The percepts of the roles in a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sees<'t> {
    /// The names of the percepts of all roles, strictly ascending.
    pub percepts: Vec<&'t str>,
    /// For each role, its possible percepts, ascending.
    pub role_percepts: Vec<Vec<u32>>,
    /// The program that perceives: from the fluents and the moves made to each percept of each
    /// role.
    pub perceive: Program,
}

/// The reason why bytes are not a table.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TableError {
    /// The bytes do not begin with the signature of a table.
    Magic,
    /// The version of the format is not supported.
    Version {
        /// The version found.
        found: u8,
    },
    /// A value is invalid or missing.
    Malformed {
        /// The offset of the fault, in bytes.
        offset: usize,
        /// The error, for example "a signal out of order".
        what: &'static str,
    },
    /// The views or rows of percepts would have more words than the limit.
    TooLarge {
        /// The number of words that they would have.
        words: usize,
    },
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Magic => f.write_str("this is not a game table"),
            Self::Version { found } => {
                write!(f, "the game table has version {found}, but this program reads version {VERSION}")
            }
            Self::Malformed { offset, what } => {
                write!(f, "the game table is damaged at byte {offset}: {what}")
            }
            Self::TooLarge { words } => {
                write!(f, "the view of a state or step takes {words} words, the limit is {MAX_VIEW_WORDS}")
            }
        }
    }
}

impl std::error::Error for TableError {}

impl From<Fault> for TableError {
    fn from(Fault { offset, what }: Fault) -> Self {
        Self::Malformed { offset, what }
    }
}

impl<'t> Table<'t> {
    /// The sizes of the game, which determine the layout of its rows.
    #[must_use]
    pub fn shape(&self) -> Shape {
        Shape {
            roles: self.roles.len(),
            fluents: self.fluents.len(),
            moves: self.moves.len(),
            goals: self.role_goals.iter().map(Vec::len).sum(),
            percepts: self.sees.as_ref().map_or(0, |sees| sees.percepts.len()),
        }
    }

    /// Encodes the table. O(bytes).
    ///
    /// # Panics
    /// Panics if a list that must be ascending is not.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer { bytes: MAGIC.to_vec() };
        writer.byte(VERSION);
        [&self.roles, &self.fluents, &self.moves].into_iter().for_each(|texts| writer.texts(texts));
        self.role_moves.iter().for_each(|moves| writer.ascending(moves));
        self.role_goals.iter().for_each(|goals| writer.goals(goals));
        writer.number(self.chance.map_or(0, |role| role + 1));
        writer.ascending(&self.initial);
        writer.program(&self.observe);
        writer.program(&self.advance);
        writer.byte(self.sees.is_some().into());
        if let Some(sees) = &self.sees {
            writer.texts(&sees.percepts);
            sees.role_percepts.iter().for_each(|percepts| writer.ascending(percepts));
            writer.program(&sees.perceive);
        }
        match &self.lanes {
            Some(lanes) => write_lanes(&mut writer, lanes),
            None => writer.number(0),
        }
        writer.bytes
    }

    /// Reads a table. O(bytes), in time and memory.
    ///
    /// # Errors
    /// Returns the first fault of the bytes, which may be untrusted. A decoded table needs no
    /// further checks: all numbers, signals and slots are in range.
    pub fn decode(bytes: &'t [u8]) -> Result<Self, TableError> {
        let mut reader = Reader::new(bytes);
        if reader.take(4)? != MAGIC {
            return Err(TableError::Magic);
        }
        let found = reader.byte()?;
        if found != VERSION {
            return Err(TableError::Version { found });
        }
        let (roles, fluents, moves) = (reader.texts()?, reader.sorted_texts()?, reader.sorted_texts()?);
        if roles.is_empty() {
            return Err(reader.fault("no roles").into());
        }
        if roles.iter().collect::<BTreeSet<_>>().len() < roles.len() {
            return Err(reader.fault("a role twice").into());
        }
        let role_moves =
            roles.iter().map(|_| reader.ascending(moves.len())).collect::<Result<Vec<_>, _>>()?;
        let role_goals = roles.iter().map(|_| reader.goals()).collect::<Result<Vec<_>, _>>()?;
        let chance = (reader.number()? as usize).checked_sub(1);
        if chance.is_some_and(|role| role >= roles.len()) {
            return Err(reader.fault("chance is not a role").into());
        }
        let goals = role_goals.iter().map(Vec::len).sum();
        let mut shape =
            Shape { roles: roles.len(), fluents: fluents.len(), moves: moves.len(), goals, percepts: 0 };
        let words = shape.roles.saturating_mul(shape.legal_words()).saturating_add(shape.goals / 64 + 1);
        if words > MAX_VIEW_WORDS {
            return Err(TableError::TooLarge { words });
        }
        let initial = reader.ascending(shape.fluents)?;
        let own: usize = role_moves.iter().map(Vec::len).sum();
        let observe = reader.program(shape.fluents, own + shape.goals + 1)?;
        let advance = reader.program(shape.fluents + own, shape.fluents)?;
        let sees = match reader.byte()? {
            0 => None,
            1 => {
                let percepts = reader.sorted_texts()?;
                shape.percepts = percepts.len();
                let lists = (0..shape.roles).map(|_| reader.ascending(shape.percepts));
                let role_percepts = lists.collect::<Result<Vec<_>, _>>()?;
                let words = shape.roles.saturating_mul(shape.percept_words());
                if words > MAX_VIEW_WORDS {
                    return Err(TableError::TooLarge { words });
                }
                let outputs = role_percepts.iter().map(Vec::len).sum();
                let perceive = reader.program(shape.fluents + own, outputs)?;
                Some(Sees { percepts, role_percepts, perceive })
            }
            _ => return Err(reader.fault("neither percepts nor none").into()),
        };
        let lanes = read_lanes(&mut reader, shape)?;
        if !reader.is_at_end() {
            return Err(reader.fault("something after the end").into());
        }
        Ok(Self {
            roles,
            fluents,
            moves,
            role_moves,
            role_goals,
            chance,
            initial,
            observe,
            advance,
            sees,
            lanes,
        })
    }
}

fn write_lanes(writer: &mut Writer, lanes: &Lanes) {
    writer.number(lanes.phases.len());
    lanes.phases.iter().for_each(|phase| write_phase(writer, phase));
    writer.ascending(&lanes.cycle.fluents);
    lanes.cycle.values.iter().flatten().for_each(|&value| writer.byte(value.into()));
    writer.number(lanes.plies.len());
    lanes.plies.iter().for_each(|phase| write_phase(writer, phase));
}

fn read_lanes(reader: &mut Reader<'_>, shape: Shape) -> Result<Option<Lanes>, Fault> {
    /// The smallest encoding of a phase, in bytes.
    const PHASE: usize = 5;
    let length = reader.length(PHASE)?;
    if length == 0 {
        return Ok(None);
    }
    if !reader.has_slot(lanes::FLUENTS as usize + shape.fluents) {
        return Err(reader.fault("more fluents than slots"));
    }
    let phases = (0..length).map(|_| read_phase(reader, shape)).collect::<Result<Vec<_>, _>>()?;
    let fluents = reader.ascending(shape.fluents)?;
    let mut values = Vec::with_capacity(phases.len());
    for _ in &phases {
        let bytes = reader.take(fluents.len())?;
        if bytes.iter().any(|&byte| byte > 1) {
            return Err(reader.fault("a value that is not a bit"));
        }
        values.push(bytes.iter().map(|&byte| byte == 1).collect::<Vec<bool>>());
    }
    if values.iter().collect::<BTreeSet<_>>().len() < values.len() {
        return Err(reader.fault("phases of a cycle that no fluent distinguishes"));
    }
    let length = reader.length(PHASE)?;
    let plies = (0..length).map(|_| read_phase(reader, shape)).collect::<Result<Vec<_>, _>>()?;
    Ok(Some(Lanes { phases, cycle: Cycle { fluents, values }, plies }))
}

fn write_phase(writer: &mut Writer, phase: &Phase) {
    let schedules = [&phase.observe, &phase.keep, &phase.score, &phase.advance];
    schedules.into_iter().for_each(|schedule| write_schedule(writer, schedule));
    for choice in &phase.roles {
        writer.ascending(&choice.moves);
        writer.number(choice.first as usize);
        writer.byte(choice.count);
    }
    writer.number(phase.items.len());
    for &(item, slot) in &phase.items {
        let (kind, role, value) = match item {
            Item::Goal { role, value } => (0, role, value),
            Item::Win { role } => (1, role, 0),
            Item::Draw { role } => (2, role, 0),
            Item::BothDraw => (3, 0, 0),
        };
        writer.byte(kind);
        writer.number(role);
        writer.byte(value);
        writer.number(slot as usize);
    }
}

fn read_phase(reader: &mut Reader<'_>, shape: Shape) -> Result<Phase, Fault> {
    let (observe, keep) = (read_schedule(reader)?, read_schedule(reader)?);
    let (score, advance) = (read_schedule(reader)?, read_schedule(reader)?);
    let roles = (0..shape.roles).map(|_| read_choice(reader, shape)).collect::<Result<_, _>>()?;
    let items = reader.length(4)?;
    let items = (0..items).map(|_| Ok((read_item(reader, shape)?, reader.slot()?)));
    let items = items.collect::<Result<_, _>>()?;
    Ok(Phase { observe, keep, score, advance, roles, items })
}

fn write_schedule(writer: &mut Writer, schedule: &Schedule) {
    writer.number(schedule.runs.len());
    let mut rest = &schedule.steps[..];
    for &(table, count) in &schedule.runs {
        let (steps, behind) = rest.split_at(count as usize);
        rest = behind;
        writer.byte(table);
        writer.number(steps.len());
        for step in steps {
            step.operands.iter().chain([&step.result]).for_each(|&slot| writer.number(slot as usize));
        }
    }
}

fn read_schedule(reader: &mut Reader<'_>) -> Result<Schedule, Fault> {
    let count = reader.length(6)?;
    let mut schedule = Schedule { runs: Vec::with_capacity(count), steps: Vec::new() };
    for _ in 0..count {
        let table = reader.byte()?;
        if lanes::least(table).0 != table {
            return Err(reader.fault("an operation that is another with its operands in another order"));
        }
        let length = reader.length(4)?;
        schedule.runs.push((table, length as u32));
        schedule.steps.reserve(length);
        for _ in 0..length {
            let operands = [reader.slot()?, reader.slot()?, reader.slot()?];
            let result = reader.slot()?;
            if result == 0 {
                return Err(reader.fault("an operation that sets the slot of the constant"));
            }
            schedule.steps.push(Step { operands, result });
        }
    }
    Ok(schedule)
}

fn read_choice(reader: &mut Reader<'_>, shape: Shape) -> Result<Choice, Fault> {
    let moves = reader.ascending(shape.moves)?;
    let first = reader.slot()?;
    if !reader.has_slot(first as usize + moves.len()) || (first == 0 && moves.len() > 1) {
        return Err(reader.fault("a choice without slots"));
    }
    let count = reader.byte()?;
    if usize::from(count) > moves.len() || (count > 0 && moves.len() > MOST_COUNTED) {
        return Err(reader.fault("a choice among too many moves"));
    }
    Ok(Choice { moves, first, count })
}

fn read_item(reader: &mut Reader<'_>, shape: Shape) -> Result<Item, Fault> {
    let (kind, role, value) = (reader.byte()?, reader.number()? as usize, reader.byte()?);
    if role >= shape.roles {
        return Err(reader.fault("an item of no role"));
    }
    match kind {
        0 => Ok(Item::Goal { role, value }),
        1 => Ok(Item::Win { role }),
        2 => Ok(Item::Draw { role }),
        3 => Ok(Item::BothDraw),
        _ => Err(reader.fault("an item of no kind")),
    }
}
