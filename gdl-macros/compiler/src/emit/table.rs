//! The net as one string of bytes, which a macro can emit as a single literal and the runtime's table
//! engine reads.
//!
//! All numbers are LEB128 (seven bits a byte, lowest first, the top bit set on all but the last
//! byte); a text is its length in bytes and its bytes; a list is its length and its items.
//!
//! ```text
//! table    = "GDLT" version:byte vocabulary moves* goals* chance initial observe advance sees points
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
//! points   = list(observe advance)       empty if no fluents go round a fixed cycle
//! ```
//!
//! A signal is twice a node plus one if complemented. Node 0 is false; nodes 1.. are the fluents; in
//! `advance` and `perceive` the `does` inputs follow, role by role in the order of `moves*`; then come
//! the gates, each the AND of two earlier signals. The outputs of `observe` are, role by role, the
//! legality of each move of `moves*`; then role by role each goal value of `goals*`; then terminal. The
//! outputs of `advance` are the next value of each fluent, those of `perceive` are, role by role, each
//! percept of `percepts*`. `points` are the same programs for each point of the cycle, the initial state's
//! first, with what is known there left out.

use super::lower::{self, Program};
use crate::propnet::Net;

/// The version of the format, checked by whoever reads it.
pub const VERSION: u8 = 3;

/// Writes the table of a net and of the nets at the points of its cycle, as [`phases`](crate::optimize::phases)
/// finds them.
/// They are left out unless they save a good part of a step.
#[must_use]
pub fn table(net: &Net, phases: &[Net]) -> Vec<u8> {
    let mut writer = Writer { bytes: b"GDLT".to_vec() };
    writer.bytes.push(VERSION);
    let vocabulary = &net.vocabulary;
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
    let points = if pays(net, phases) { phases } else { &[] };
    writer.number(points.len());
    for net in points {
        writer.program(&lower::observe(net));
        writer.program(&lower::advance(net));
    }
    writer.bytes
}

/// The longest cycle whose points get programs. Games that are played together wait for its start.
const LONGEST: usize = 4;

/// True if an average step takes much less than without phases.
fn pays(net: &Net, phases: &[Net]) -> bool {
    let operations: usize = phases.iter().map(Net::operations).sum();
    (2..=LONGEST).contains(&phases.len()) && 10 * operations <= 9 * phases.len() * net.operations()
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
}
