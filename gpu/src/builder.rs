//! Builders of kernels: a [`Build`] takes, operation by operation, what a thread does with words of
//! 32 games, and either writes that down as a shader or does it at once.
//!
//! A value is a word that was computed; it is known until the closure that made it returns. What
//! must outlive that, or changes from round to round, is in registers.

/// A word that keeps its value from one operation to later ones, wherever they are; zero at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Register(pub(crate) usize);

/// The lanes in which a thread counts; each counter is a number, zero at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counter(pub(crate) usize);

/// A step that was made: what tests look at.
pub(crate) struct Step<V> {
    pub(crate) phase: usize,
    /// The lanes in which a game started.
    pub(crate) started: V,
    /// The lanes in which a move was made.
    pub(crate) moved: V,
    /// The moves made by each role, in the order of its choice; none if it has only one.
    pub(crate) made: Vec<Vec<V>>,
}

/// The operations of kernels.
pub(crate) trait Build: Sized {
    /// A word of 32 games, a bit for each.
    type Value: Copy;

    /// The same bit for all games.
    fn constant(&mut self, bit: bool) -> Self::Value;

    /// In each game the bit 4a + 2b + c of the table.
    fn lut(&mut self, table: u8, operands: [Self::Value; 3]) -> Self::Value;

    fn get(&mut self, register: Register) -> Self::Value;

    fn set(&mut self, register: Register, value: Self::Value);

    /// The next random word of the thread.
    fn noise(&mut self) -> Self::Value;

    /// A fluent of the state that the thread was given.
    fn given(&mut self, fluent: usize) -> Self::Value;

    /// Adds the number of games.
    fn count(&mut self, counter: Counter, games: Self::Value);

    /// The free games, as many of them as may still start, the last ones first. From then on these
    /// are started.
    fn start(&mut self, free: Self::Value) -> Self::Value;

    /// All games as long as any may still start; none after that.
    fn left(&mut self) -> Self::Value;

    /// Does something if it is to be done for any game.
    fn when(&mut self, any: Self::Value, then: impl FnOnce(&mut Self));

    /// Does something if `most` games wait for it, or some do and no other is `going` on.
    fn when_due(&mut self, waiting: Self::Value, most: u32, going: Self::Value, then: impl FnOnce(&mut Self));

    /// Does something if the thread is at a phase, and goes on to the next.
    fn when_at(&mut self, phase: usize, next: usize, then: impl FnOnce(&mut Self));

    /// Does something, again and again as long as it gives any game.
    fn repeat(&mut self, body: impl FnMut(&mut Self) -> Self::Value);

    /// Takes notice of a step.
    fn note(&mut self, _: &Step<Self::Value>) {}

    fn and(&mut self, a: Self::Value, b: Self::Value) -> Self::Value {
        self.lut(0xc0, [a, b, b])
    }

    fn or(&mut self, a: Self::Value, b: Self::Value) -> Self::Value {
        self.lut(0xfc, [a, b, b])
    }

    fn xor(&mut self, a: Self::Value, b: Self::Value) -> Self::Value {
        self.lut(0x3c, [a, b, b])
    }

    fn and_not(&mut self, a: Self::Value, b: Self::Value) -> Self::Value {
        self.lut(0x30, [a, b, b])
    }

    fn not(&mut self, a: Self::Value) -> Self::Value {
        self.lut(0x0f, [a, a, a])
    }

    /// `yes` where `which` is set, `no` elsewhere.
    fn pick(&mut self, which: Self::Value, yes: Self::Value, no: Self::Value) -> Self::Value {
        self.lut(0xca, [which, yes, no])
    }

    /// The digit of a sum.
    fn sum(&mut self, a: Self::Value, b: Self::Value, c: Self::Value) -> Self::Value {
        self.lut(0x96, [a, b, c])
    }

    /// The carry to the next digit of a sum.
    fn carry(&mut self, a: Self::Value, b: Self::Value, c: Self::Value) -> Self::Value {
        self.lut(0xe8, [a, b, c])
    }

    /// The borrow from the next digit of `a - b`, with a borrow from here.
    fn borrow(&mut self, a: Self::Value, b: Self::Value, borrow: Self::Value) -> Self::Value {
        self.lut(0x8e, [a, b, borrow])
    }
}
