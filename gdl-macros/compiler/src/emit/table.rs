//! The net as one string of bytes, which a macro can emit as a single literal and the runtime's table
//! engine reads.
//!
//! All numbers are LEB128 (seven bits a byte, lowest first, the top bit set on all but the last
//! byte); a text is its length in bytes and its bytes; a list is its length and its items.
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
//! lanes    = list(point) list(point)     empty if the game cannot be played in lanes
//! point    = schedule schedule schedule schedule choice* items:list(item)
//! schedule = list(table:byte steps:list(a b c result))
//! choice   = per role: list(number) slot count   the moves it may make at the point, as distances; the first one's
//!                                        slot; how many are legal, if that is known, else 0
//! item     = kind:byte role value:byte slot
//! ```
//!
//! A signal is twice a node plus one if complemented. Node 0 is false; nodes 1.. are the fluents; in
//! `advance` and `perceive` the `does` inputs follow, role by role in the order of `moves*`; then come
//! the gates, each the AND of two earlier signals. The outputs of `observe` are, role by role, the
//! legality of each move of `moves*`; then role by role each goal value of `goals*`; then terminal. The
//! outputs of `advance` are the next value of each fluent, those of `perceive` are, role by role, each
//! percept of `percepts*`.
//!
//! `lanes` has, for each point of the cycle of fluents that go round whatever the moves, the initial state's first, and
//! then for each number of moves made in games from the initial state, if these are played so,
//! the schedules that observe 512 games at once, keep the states in which games end (empty if scores are observed
//! too), score those that are kept, and advance. Each step of a run sets the slot `result` to bit
//! 4a + 2b + c of `table`, of the words in the slots a, b, c. See [`lanes`](super::lanes) for the first slots. A choice
//! has slot 0 if there is only one move, which is always legal. Items say what is counted where a game ends:
//! kind 0, a role has a goal value; 1, it wins; 2, it shares the greatest goal; 3, both of two players do.

use super::{
    lanes::{Item, Lanes, Point, Schedule},
    lower::{self, Program},
};
use crate::{
    Diagnostic, Limits,
    diagnostic::codes,
    meter::{Meter, Stop},
    propnet::Net,
};

/// The version of the format, checked by whoever reads it.
pub const VERSION: u8 = 7;

/// Steps to write an operation, and its bytes, which are counted again where the string moves to a larger place.
const WRITTEN: u64 = 4;
const BYTES: usize = 8;

/// Writes the table of a net and of what plays it in lanes. None if that takes more than the meter has. O(operations).
pub fn table(net: &Net, lanes: Option<&Lanes>, meter: &mut Meter) -> Option<Vec<u8>> {
    let operations = 3 * net.operations() + lanes.map_or(0, Lanes::operations);
    let vocabulary = &net.vocabulary;
    let names = [&vocabulary.roles, &vocabulary.fluents, &vocabulary.moves, &vocabulary.percepts];
    let names: usize = names.into_iter().flatten().map(|name| name.len() + 8).sum();
    lower::pay(net, meter)?;
    meter.spend(WRITTEN * operations as u64 + names as u64)?;
    meter.take(BYTES * operations + 2 * (names + net.list_bytes()))?;
    let mut writer = Writer { bytes: b"GDLT".to_vec() };
    writer.bytes.push(VERSION);
    for texts in [&vocabulary.roles, &vocabulary.fluents, &vocabulary.moves] {
        writer.texts(texts);
    }
    for role in 0..vocabulary.roles.len() as u32 {
        let moves = net.does().iter().filter(|(r, _)| *r == role).map(|&(_, action)| action as usize);
        writer.distances(&moves.collect::<Vec<_>>());
    }
    for goal in &net.outputs.goal {
        writer.number(goal.len());
        writer.bytes.extend(goal.iter().map(|&(value, _)| value));
    }
    writer.number(vocabulary.chance.map_or(0, |role| role as usize + 1));
    let initial: Vec<usize> = (0..net.initial.len()).filter(|&f| net.initial[f]).collect();
    writer.distances(&initial);
    writer.program(&lower::observe(net));
    writer.program(&lower::advance(net));
    match lower::perceive(net) {
        None => writer.bytes.push(0),
        Some(perceive) => {
            writer.bytes.push(1);
            writer.texts(&vocabulary.percepts);
            for percepts in net.percepts() {
                writer.distances(&percepts.iter().map(|&(p, _)| p as usize).collect::<Vec<_>>());
            }
            writer.program(&perceive);
        }
    }
    writer.lanes(lanes);
    Some(writer.bytes)
}

/// What is said where there is too little for a table.
#[must_use]
pub fn excess(meter: &Meter, limits: &Limits) -> Diagnostic {
    let (code, message) = if meter.stop() == Some(Stop::Bytes) {
        let message = format!("writing the table takes more than {} bytes (`max_bytes`)", limits.max_bytes);
        (&codes::TOO_MANY_INSTANCES, message)
    } else {
        (
            &codes::OUT_OF_FUEL,
            format!("writing the table takes more than {} steps (half of `fuel`)", limits.fuel / 2),
        )
    };
    Diagnostic::new(code, None, message)
        .help("let fewer variables of each rule vary together, or raise the limit")
}

struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    fn number(&mut self, mut number: usize) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    fn texts(&mut self, texts: &[String]) {
        self.number(texts.len());
        for text in texts {
            self.number(text.len());
            self.bytes.extend_from_slice(text.as_bytes());
        }
    }

    /// Ascending numbers as their distances.
    fn distances(&mut self, numbers: &[usize]) {
        self.number(numbers.len());
        let mut before = 0;
        for &number in numbers {
            self.number(number - before);
            before = number;
        }
    }

    fn program(&mut self, program: &Program) {
        self.number(program.gates.len());
        for &signal in program.gates.iter().flatten() {
            self.number(signal as usize);
        }
        self.number(program.outputs.len());
        for &signal in &program.outputs {
            self.number(signal as usize);
        }
    }

    fn lanes(&mut self, lanes: Option<&Lanes>) {
        for points in lanes.map_or([&[][..]; 2], |lanes| [&lanes.points, &lanes.plies]) {
            self.number(points.len());
            points.iter().for_each(|point| self.point(point));
        }
    }

    fn point(&mut self, point: &Point) {
        point.parts().iter().for_each(|part| self.schedule(&part.schedule));
        for choice in &point.roles {
            self.distances(&choice.moves.iter().map(|&action| action as usize).collect::<Vec<_>>());
            self.number(choice.first.into());
            self.number(choice.count.into());
        }
        self.number(point.items.len());
        for &(item, slot) in &point.items {
            self.item(item);
            self.number(slot.into());
        }
    }

    fn schedule(&mut self, schedule: &Schedule) {
        let runs = schedule.steps.chunk_by(|a, b| a.table == b.table);
        self.number(runs.clone().count());
        for run in runs {
            self.bytes.push(run[0].table);
            self.number(run.len());
            for step in run {
                step.operands.iter().chain([&step.result]).for_each(|&slot| self.number(slot.into()));
            }
        }
    }

    fn item(&mut self, item: Item) {
        let (kind, role, value) = match item {
            Item::Goal { role, value } => (0, role, value),
            Item::Win { role } => (1, role, 0),
            Item::Draw { role } => (2, role, 0),
            Item::BothDraw => (3, 0, 0),
        };
        self.bytes.push(kind);
        self.number(role);
        self.bytes.push(value);
    }
}
