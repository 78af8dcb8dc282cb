//! Handwritten baselines: playout loops of one game at a time, with which compiled rulesheets are
//! compared.
//!
//! Each file plays one game to its end with uniformly random legal moves, in safe and portable
//! scalar code. No list of legal moves is built: a move is a random bit of a bitboard, or a random
//! candidate that is drawn again if it is illegal. Where the number of moves does not depend on
//! earlier moves, a move is a digit of one random number. The loops run in the process of the
//! compiled rulesheets, with the same generator, so that both are measured under the same
//! conditions.
//!
//! All choices are exactly uniform, given uniform 64-bit words: [`below`] and [`below_each`] reject
//! the rare words that would favour some numbers.

pub mod breakthrough;
pub mod connect_four;
pub mod lights_out;
pub mod nim;
pub mod reversi;
pub mod rock_paper_scissors;
pub mod tictactoe;

/// The length and the goal of one playout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The number of moves played; simultaneous moves count once.
    pub length: u32,
    /// The goal value of the first player: 100, 50 or 0.
    pub goal: u8,
}

impl Outcome {
    /// The outcome of a game of alternating moves, won by the player who made the last one.
    #[inline]
    fn won_at(length: u32) -> Self {
        let goal = if length % 2 == 1 { 100 } else { 0 };
        Self { length, goal }
    }

    /// The outcome of a game won by the player with the larger number.
    #[inline]
    fn compared(length: u32, first: u32, second: u32) -> Self {
        // Computed without a branch, since the winner is unpredictable.
        let goal = 50 * (1 + u8::from(first > second) - u8::from(first < second));
        Self { length, goal }
    }
}

/// A small, fast generator of 64-bit words: `xoshiro256++` by Blackman and Vigna.
#[derive(Clone, Debug)]
pub struct Generator {
    state: [u64; 4],
}

impl Generator {
    /// Makes a generator whose state is the first four words of `splitmix64` started from `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut counter = seed;
        let state = std::array::from_fn(|_| {
            counter = counter.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let word = (counter ^ (counter >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            word ^ (word >> 31)
        });
        Self { state }
    }

    /// Draws the next word.
    #[inline]
    pub fn draw(&mut self) -> u64 {
        let [a, b, c, d] = self.state;
        let word = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
        let (c, d) = (c ^ a, d ^ b);
        self.state = [a ^ d, b ^ c, c ^ (b << 17), d.rotate_left(45)];
        word
    }
}

/// Draws a uniform number below `n`, which must not be zero.
///
/// The high half of `word * n` is the number (Lemire, "Fast random integer generation in an
/// interval", 2019). A word whose low half falls below `2^64 mod n` is drawn again; the division is
/// only made in the rare case that it could matter.
#[inline]
pub fn below(rng: &mut impl FnMut() -> u64, n: u64) -> u64 {
    let (mut high, mut low) = multiply(rng(), n);
    if low < n {
        let surplus = n.wrapping_neg() % n;
        while low < surplus {
            (high, low) = multiply(rng(), n);
        }
    }
    high
}

/// Draws one number below each bound, independently, from a single word.
///
/// The product of the bounds must fit in 64 bits and not be zero. The numbers are the digits, in
/// mixed radix, of one number below the product. Each low half determines the remaining digits. The
/// last low half decides whether to draw again, as in [`below`].
#[inline]
pub fn below_each<const N: usize>(rng: &mut impl FnMut() -> u64, bounds: [u64; N]) -> [u64; N] {
    let product: u64 = bounds.iter().product();
    loop {
        let mut low = rng();
        let digits = bounds.map(|bound| {
            let high;
            (high, low) = multiply(low, bound);
            high
        });
        if low >= product || low >= product.wrapping_neg() % product {
            return digits;
        }
    }
}

/// Draws a uniform set bit of `set`, which must not be zero, and returns its index.
///
/// One multiplication computes the running totals of the bytes' bit counts; the top byte is the
/// number of set bits. The drawn bit lies in the first byte whose running total exceeds the drawn
/// rank. Counting and selecting share the totals, so they are one function.
#[inline]
pub fn pick(rng: &mut impl FnMut() -> u64, set: u64) -> u32 {
    let pairs = set - ((set >> 1) & 0x5555_5555_5555_5555);
    let nibbles = (pairs & 0x3333_3333_3333_3333) + ((pairs >> 2) & 0x3333_3333_3333_3333);
    let bytes = (nibbles + (nibbles >> 4)) & 0x0f0f_0f0f_0f0f_0f0f;
    let totals = bytes.wrapping_mul(EACH_BYTE);
    let rank = below(rng, totals >> 56);
    let start = find_first_above(totals, rank);
    let rank_in_byte = rank - (((totals << 8) >> start) & 0xff);
    let byte = (set >> start) & 0xff;
    start + u32::from(SELECT[byte as usize][rank_in_byte as usize & 7])
}

/// Returns the lowest bit of the first byte of `totals` that exceeds `rank`.
///
/// Neither the bytes nor `rank` may exceed 127, so that no byte borrows from the next.
#[inline]
fn find_first_above(totals: u64, rank: u64) -> u32 {
    const TOPS: u64 = EACH_BYTE << 7;
    let not_above = ((rank * EACH_BYTE) | TOPS) - totals;
    (!not_above & TOPS).trailing_zeros() - 7
}

/// The high and the low half of a product.
#[inline]
fn multiply(a: u64, b: u64) -> (u64, u64) {
    let product = u128::from(a) * u128::from(b);
    ((product >> 64) as u64, product as u64)
}

/// The lowest bit of each byte.
const EACH_BYTE: u64 = 0x0101_0101_0101_0101;

/// The index of the bit of each rank in each byte.
static SELECT: [[u8; 8]; 256] = {
    let mut select = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut index, mut rank) = (0, 0);
        while index < 8 {
            if (byte >> index) & 1 == 1 {
                select[byte][rank] = index;
                rank += 1;
            }
            index += 1;
        }
        byte += 1;
    }
    select
};

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays many games and asserts that the mean length and goal are within five standard errors
    /// of the expected ones.
    pub(super) fn check_means(
        playout: impl Fn(&mut dyn FnMut() -> u64) -> Outcome,
        expected_length: f64,
        expected_goal: f64,
    ) {
        const GAMES: u32 = 20_000;
        let mut generator = Generator::new(1);
        let mut rng = || generator.draw();
        let (mut lengths, mut goals) = (Sample::default(), Sample::default());
        for _ in 0..GAMES {
            let outcome = playout(&mut rng);
            lengths.add(f64::from(outcome.length));
            goals.add(f64::from(outcome.goal));
        }
        lengths.check("length", expected_length);
        goals.check("goal", expected_goal);
    }

    #[derive(Default)]
    struct Sample {
        size: f64,
        sum: f64,
        squares: f64,
    }

    impl Sample {
        fn add(&mut self, value: f64) {
            self.size += 1.0;
            self.sum += value;
            self.squares += value * value;
        }

        fn check(&self, what: &str, expected: f64) {
            let mean = self.sum / self.size;
            let variance = self.squares / self.size - mean * mean;
            let error = (variance.max(0.0) / self.size).sqrt();
            assert!(
                (mean - expected).abs() <= 5.0 * error + 1e-9,
                "mean {what} {mean} instead of {expected}, standard error {error}"
            );
        }
    }

    #[test]
    fn generator_matches_the_published_algorithm() {
        // The words after the state 1, 2, 3, 4 in the authors' reference implementation.
        let mut generator = Generator { state: [1, 2, 3, 4] };
        let words: [u64; 4] = std::array::from_fn(|_| generator.draw());
        assert_eq!(words, [41_943_041, 58_720_359, 3_588_806_011_781_223, 3_591_011_842_654_386]);
        // The first word of `splitmix64` from the seed zero.
        assert_eq!(Generator::new(0).state[0], 0xe220_a839_7b1d_cdaf);
    }

    #[test]
    fn digits_are_those_of_one_number() {
        let bounds = [9, 8, 7, 6, 5, 4, 3, 2, 1];
        let mut generator = Generator::new(2);
        for _ in 0..1000 {
            let word = generator.draw();
            let mut number = multiply(word, bounds.iter().product()).0;
            let digits = below_each(&mut || word, bounds);
            for (digit, bound) in digits.into_iter().zip(bounds).rev() {
                assert_eq!(digit, number % bound);
                number /= bound;
            }
        }
    }

    #[test]
    fn surplus_words_are_drawn_again() {
        // Each product divides 2^64 - 1, so one word is surplus: zero.
        let mut words = [0, 1 << 63].into_iter();
        assert_eq!(below(&mut || words.next().unwrap(), 3), 1);
        let mut words = [0, 1 << 63].into_iter();
        assert_eq!(below_each(&mut || words.next().unwrap(), [3, 5]), [1, 2]);
    }

    #[test]
    fn every_bit_is_picked_as_often() {
        let mut generator = Generator::new(3);
        for set in [1, 1 << 63, 0x8000_0000_0001_0180, 0xffff, u64::MAX] {
            let mut picked = [0u32; 64];
            for _ in 0..64_000 {
                picked[pick(&mut || generator.draw(), set) as usize] += 1;
            }
            let share = 1.0 / f64::from(set.count_ones());
            let error = (64_000.0 * share * (1.0 - share)).sqrt();
            for (index, &count) in picked.iter().enumerate() {
                if (set >> index) & 1 == 1 {
                    assert!((f64::from(count) - 64_000.0 * share).abs() <= 5.0 * error);
                } else {
                    assert_eq!(count, 0);
                }
            }
        }
    }
}
