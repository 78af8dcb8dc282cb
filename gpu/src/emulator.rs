//! The emulator: runs a thread of a kernel in plain Rust. Its results equal those of a shader, bit
//! for bit.

use crate::{
    builder::{BlockStep, Build, Counter, Register},
    kernel::Kernel,
    random::Words,
};

/// The parameters of a block of games.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block<'a> {
    pub(crate) key: [u32; 2],
    pub(crate) number: u64,
    pub(crate) games: u32,
    pub(crate) phase: u32,
    /// The words of the given state.
    pub(crate) state: &'a [u32],
}

/// A callback for each step: it receives the registers after the step, and the step.
pub(crate) type Notice<'a> = dyn FnMut(&[u32], &BlockStep<u32>) + 'a;

/// The state of a thread.
struct Thread<'a> {
    registers: Vec<u32>,
    counters: Vec<u32>,
    words: Words,
    left: u32,
    phase: u32,
    state: &'a [u32],
    notice: &'a mut Notice<'a>,
}

/// Plays a block. Returns its counters.
pub(crate) fn play<'a>(kernel: &Kernel, block: &Block<'a>, notice: &'a mut Notice<'a>) -> Vec<u32> {
    let mut thread = Thread {
        registers: vec![0; kernel.length()],
        counters: vec![0; kernel.counters()],
        words: Words::new(block.key, block.number),
        left: block.games,
        phase: block.phase,
        state: block.state,
        notice,
    };
    kernel.play(&mut thread);
    thread.counters
}

impl Build for Thread<'_> {
    type Value = u32;

    #[inline]
    fn constant(&mut self, bit: bool) -> u32 {
        if bit { u32::MAX } else { 0 }
    }

    #[inline]
    fn lut(&mut self, table: u8, [a, b, c]: [u32; 3]) -> u32 {
        let row = |row: u8| 0_u32.wrapping_sub(u32::from(table >> row & 1));
        let pick = |which: u32, yes: u32, no: u32| no ^ which & (yes ^ no);
        let pair = |low: u8| pick(c, row(low + 1), row(low));
        pick(a, pick(b, pair(6), pair(4)), pick(b, pair(2), pair(0)))
    }

    fn get(&mut self, register: Register) -> u32 {
        self.registers[register.0]
    }

    fn set(&mut self, register: Register, value: u32) {
        self.registers[register.0] = value;
    }

    fn noise(&mut self) -> u32 {
        self.words.draw()
    }

    fn given(&mut self, fluent: usize) -> u32 {
        0_u32.wrapping_sub(self.state[fluent / 32] >> (fluent % 32) & 1)
    }

    fn count(&mut self, counter: Counter, games: u32) {
        self.counters[counter.0] += games.count_ones();
    }

    fn start(&mut self, free: u32) -> u32 {
        let mut started = free;
        while started.count_ones() > self.left {
            started &= started - 1;
        }
        self.left -= started.count_ones();
        started
    }

    fn left(&mut self) -> u32 {
        if self.left > 0 { u32::MAX } else { 0 }
    }

    fn when(&mut self, any: u32, then: impl FnOnce(&mut Self)) {
        if any != 0 {
            then(self);
        }
    }

    fn when_due(&mut self, waiting: u32, most: u32, going: u32, then: impl FnOnce(&mut Self)) {
        if waiting.count_ones() >= most || waiting != 0 && going == 0 {
            then(self);
        }
    }

    fn when_at(&mut self, phase: usize, next: usize, then: impl FnOnce(&mut Self)) {
        if self.phase == phase as u32 {
            self.phase = next as u32;
            then(self);
        }
    }

    fn repeat(&mut self, mut body: impl FnMut(&mut Self) -> u32) {
        while body(self) != 0 {}
    }

    fn note(&mut self, step: &BlockStep<u32>) {
        (self.notice)(&self.registers, step);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wgsl::expressions;

    /// Truth tables, expressions of shaders and the emulator agree on all functions of three
    /// operands.
    #[test]
    fn tables_are_what_they_say() {
        let [a, b, c] = gdl_format::lanes::COLUMNS.map(u32::from);
        let mut nothing = |_: &[u32], _: &BlockStep<u32>| {};
        let mut thread = Thread {
            registers: Vec::new(),
            counters: Vec::new(),
            words: Words::new([0; 2], 0),
            left: 0,
            phase: 0,
            state: &[],
            notice: &mut nothing,
        };
        let written = expressions();
        for table in 0..=255_u8 {
            assert_eq!(thread.lut(table, [a, b, c]) & 0xff, u32::from(table));
            assert_eq!(evaluate(&written[usize::from(table)]), table);
        }
    }

    /// Evaluates an expression to its truth table.
    fn evaluate(text: &str) -> u8 {
        /// Reads an operand and the operations after it.
        fn read(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) -> u8 {
            let mut value = operand(rest);
            while let Some(&sign) = rest.peek() {
                if sign == ')' {
                    break;
                }
                rest.next();
                if sign == ' ' {
                    continue;
                }
                while rest.next_if_eq(&' ').is_some() {}
                let other = operand(rest);
                value = match sign {
                    '&' => value & other,
                    '|' => value | other,
                    '^' => value ^ other,
                    _ => panic!("{sign}"),
                };
            }
            value
        }
        fn operand(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) -> u8 {
            match rest.next() {
                Some('A') => 0xf0,
                Some('B') => 0xcc,
                Some('C') => 0xaa,
                Some('0') => 0,
                Some('1') => 0xff,
                Some('~') => !operand(rest),
                Some('(') => {
                    let value = read(rest);
                    assert_eq!(rest.next(), Some(')'));
                    value
                }
                other => panic!("{other:?}"),
            }
        }
        read(&mut text.chars().peekable())
    }
}
