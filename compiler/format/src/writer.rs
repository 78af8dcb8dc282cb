//! Writes the numbers, texts and lists of a table, which [`reader`](super::reader) reads.

use crate::aig::Program;

/// The bytes of a table, which grow as values are written.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    pub(crate) bytes: Vec<u8>,
}

impl Writer {
    pub(crate) fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    pub(crate) fn number(&mut self, mut number: usize) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    pub(crate) fn texts(&mut self, texts: &[&str]) {
        self.number(texts.len());
        for text in texts {
            self.number(text.len());
            self.bytes.extend_from_slice(text.as_bytes());
        }
    }

    /// Writes a list of ascending numbers as distances.
    pub(crate) fn ascending(&mut self, numbers: &[u32]) {
        self.number(numbers.len());
        let mut before = 0;
        for &number in numbers {
            self.number((number - before) as usize);
            before = number;
        }
    }

    pub(crate) fn goals(&mut self, goals: &[u8]) {
        self.number(goals.len());
        self.bytes.extend_from_slice(goals);
    }

    pub(crate) fn program(&mut self, program: &Program) {
        self.number(program.gates.len());
        program.gates.iter().flatten().for_each(|&signal| self.number(signal as usize));
        self.number(program.outputs.len());
        program.outputs.iter().for_each(|&signal| self.number(signal as usize));
    }
}
