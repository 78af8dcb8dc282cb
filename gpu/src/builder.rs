//! Builders of kernels: a [`Build`] receives the operations of a thread on words of 32 games. It
//! either writes them as a shader or runs them at once.
//!
//! A value is a computed word that is valid until the closure that computed it returns. Registers
//! store what is needed later, or changes from round to round.

/// A variable of one word, visible to all later operations; zero at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Register(pub(crate) usize);

/// A number to which a thread adds lanes; zero at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counter(pub(crate) usize);

/// A step of 32 games, for tests.
pub(crate) struct BlockStep<V> {
    pub(crate) phase: usize,
    /// The lanes in which a game started.
    pub(crate) started: V,
    /// The lanes in which a move was made.
    pub(crate) moved: V,
    /// For each role, a word for each possible move: the lanes in which the role chose it. Empty
    /// for a role without a choice.
    pub(crate) made: Vec<Vec<V>>,
}

/// The operations of kernels.
pub(crate) trait Build: Sized {
    /// A word of 32 games, a bit for each.
    type Value: Copy;

    /// Returns a word with the same bit for all games.
    fn constant(&mut self, bit: bool) -> Self::Value;

    /// Applies a truth table: the result in each game is bit `4a + 2b + c` of `table`.
    fn lut(&mut self, table: u8, operands: [Self::Value; 3]) -> Self::Value;

    fn get(&mut self, register: Register) -> Self::Value;

    fn set(&mut self, register: Register, value: Self::Value);

    /// Draws the next random word of the thread.
    fn noise(&mut self) -> Self::Value;

    /// Returns a fluent of the state given to the thread.
    fn given(&mut self, fluent: usize) -> Self::Value;

    /// Adds the number of set bits of `games` to a counter.
    fn count(&mut self, counter: Counter, games: Self::Value);

    /// Starts games in lanes of `free`, at most as many as remain, the highest lanes first. Returns
    /// the lanes in which a game started.
    fn start(&mut self, free: Self::Value) -> Self::Value;

    /// Returns all lanes if games remain to be started, otherwise none.
    fn left(&mut self) -> Self::Value;

    /// Runs `then` if `any` has a lane.
    fn when(&mut self, any: Self::Value, then: impl FnOnce(&mut Self));

    /// Runs `then` if at least `most` lanes wait, or if some wait and none is `going`.
    fn when_due(&mut self, waiting: Self::Value, most: u32, going: Self::Value, then: impl FnOnce(&mut Self));

    /// Runs `then` if the thread is at `phase`, and sets its phase to `next`.
    fn when_at(&mut self, phase: usize, next: usize, then: impl FnOnce(&mut Self));

    /// Runs `body` repeatedly, until it returns no lane.
    fn repeat(&mut self, body: impl FnMut(&mut Self) -> Self::Value);

    /// Reports a step; only tests use it.
    fn note(&mut self, _: &BlockStep<Self::Value>) {}

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

    /// Returns `yes` in lanes of `which`, and `no` in the others.
    fn pick(&mut self, which: Self::Value, yes: Self::Value, no: Self::Value) -> Self::Value {
        self.lut(0xca, [which, yes, no])
    }

    /// Returns the digit of a sum with carry: the parity of three bits.
    fn sum(&mut self, a: Self::Value, b: Self::Value, c: Self::Value) -> Self::Value {
        self.lut(0x96, [a, b, c])
    }

    /// Returns the carry to the next digit of a sum: the majority of three bits.
    fn carry(&mut self, a: Self::Value, b: Self::Value, c: Self::Value) -> Self::Value {
        self.lut(0xe8, [a, b, c])
    }

    /// Returns the borrow from the next digit of `a - b - borrow`.
    fn borrow(&mut self, a: Self::Value, b: Self::Value, borrow: Self::Value) -> Self::Value {
        self.lut(0x8e, [a, b, borrow])
    }
}
