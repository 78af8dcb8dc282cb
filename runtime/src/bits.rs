//! Rows of bits in 64-bit words, and their set bits: the number, the places, and selection by rank.
//!
//! Bit i of a row is bit `i % 64` of word `i / 64`. [`Bits`] has a number of words fixed by the
//! type, as compiled games use. [`BitBox`] has its words on the heap, for games whose size is known
//! at run time. The functions below work on the words of either.
//!
//! All functions are portable and have few branches. In a single word, [`choose`] counts and
//! selects by the same sums of bytes, since not every machine has the `popcnt` instruction. So both
//! together cost little more than one of them.

use std::fmt;

/// A row of `N` words, a `Copy` value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bits<const N: usize>([u64; N]);

impl<const N: usize> Bits<N> {
    /// The row without set bits.
    pub const EMPTY: Self = Self([0; N]);

    /// Creates a row from its words, lowest bit first.
    #[must_use]
    pub const fn new(words: [u64; N]) -> Self {
        Self(words)
    }

    /// The words, lowest bit first.
    #[must_use]
    pub const fn words(&self) -> &[u64; N] {
        &self.0
    }

    /// The words, lowest bit first, for changes.
    pub const fn words_mut(&mut self) -> &mut [u64; N] {
        &mut self.0
    }
}

impl<const N: usize> Default for Bits<N> {
    #[inline]
    fn default() -> Self {
        Self::EMPTY
    }
}

impl<const N: usize> AsRef<[u64]> for Bits<N> {
    #[inline]
    fn as_ref(&self) -> &[u64] {
        &self.0
    }
}

impl<const N: usize> AsMut<[u64]> for Bits<N> {
    #[inline]
    fn as_mut(&mut self) -> &mut [u64] {
        &mut self.0
    }
}

impl<const N: usize> fmt::Debug for Bits<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(ones(&self.0)).finish()
    }
}

/// A row of bits on the heap.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct BitBox(Box<[u64]>);

impl BitBox {
    /// Creates a row of `words` words without set bits.
    #[must_use]
    pub fn new(words: usize) -> Self {
        Self(vec![0; words].into_boxed_slice())
    }
}

impl From<Vec<u64>> for BitBox {
    fn from(words: Vec<u64>) -> Self {
        Self(words.into_boxed_slice())
    }
}

impl AsRef<[u64]> for BitBox {
    #[inline]
    fn as_ref(&self) -> &[u64] {
        &self.0
    }
}

impl AsMut<[u64]> for BitBox {
    #[inline]
    fn as_mut(&mut self) -> &mut [u64] {
        &mut self.0
    }
}

impl fmt::Debug for BitBox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(ones(&self.0)).finish()
    }
}

/// Returns true if the bit is set; false for a bit beyond the row.
#[inline]
#[must_use]
pub fn test(words: &[u64], bit: usize) -> bool {
    words.get(bit / 64).is_some_and(|word| word >> (bit % 64) & 1 == 1)
}

/// Sets a bit.
///
/// # Panics
/// Panics if the row has no such bit.
#[inline]
pub fn set(words: &mut [u64], bit: usize) {
    words[bit / 64] |= 1 << (bit % 64);
}

/// The number of set bits.
#[inline]
#[must_use]
pub fn count(words: &[u64]) -> usize {
    words.iter().map(|word| word.count_ones() as usize).sum()
}

/// Returns an iterator over the set bits, ascending.
#[inline]
#[must_use]
pub fn ones(words: &[u64]) -> Ones<'_> {
    Ones { words, base: 0, rest: words.first().copied().unwrap_or(0) }
}

/// An iterator over the set bits of a row; see [`ones`].
#[derive(Clone, Debug)]
pub struct Ones<'w> {
    /// The word being read and those after it.
    words: &'w [u64],
    /// The index of the first bit of the word being read.
    base: usize,
    /// The set bits of the word that are still to come.
    rest: u64,
}

impl Iterator for Ones<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.rest == 0 {
            self.words = self.words.get(1..)?;
            self.rest = *self.words.first()?;
            self.base += 64;
        }
        let bit = self.rest.trailing_zeros() as usize;
        self.rest &= self.rest - 1;
        Some(self.base + bit)
    }
}

const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Returns in each byte the number of set bits in that byte of `word` and the bytes below it. The
/// top byte has the count of the whole word.
#[inline]
fn sums(word: u64) -> u64 {
    let pairs = word - (word >> 1 & 0x5555_5555_5555_5555);
    let nibbles = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
    let bytes = (nibbles + (nibbles >> 4)) & 0x0f0f_0f0f_0f0f_0f0f;
    bytes.wrapping_mul(LOW)
}

/// The place of the set bit with this rank, from 0, in a word with the given [`sums`]. Returns some
/// number below 64 if there are fewer set bits.
#[inline]
fn select_in(word: u64, sums: u64, rank: u32) -> u32 {
    // Vigna, "Broadword implementation of rank/select queries", 2008. A byte's top bit stays set if
    // its sum is at most the rank: these bytes lie below the bit.
    let below = (((u64::from(rank) * LOW) | HIGH) - sums) & HIGH;
    let place = ((below >> 7).wrapping_mul(LOW) >> 56) as u32 * 8;
    // The place exceeds the last byte only if there are too few set bits.
    let place = place & 63;
    let before = (sums << 8) >> place & 0xff;
    let byte = word >> place & 0xff;
    let rank = rank.wrapping_sub(before as u32) & 7;
    place + u32::from(SELECT[rank as usize][byte as usize])
}

/// `SELECT[r][b]` is the place of the set bit with rank `r` of the byte `b`, or 0 if there is none.
static SELECT: [[u8; 256]; 8] = {
    let mut table = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut rank = 0;
        let mut bit = 0;
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                table[rank][byte] = bit;
                rank += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// The place of the set bit with this rank, from 0. Returns `None` if there are fewer set bits.
#[inline]
#[must_use]
pub fn select(words: &[u64], mut rank: usize) -> Option<usize> {
    for (i, &word) in words.iter().enumerate() {
        let sums = sums(word);
        let count = (sums >> 56) as usize;
        if rank < count {
            return Some(i * 64 + select_in(word, sums, rank as u32) as usize);
        }
        rank -= count;
    }
    None
}

/// Returns the index of a chosen set bit. `draw` gets the number of set bits, and returns the rank
/// of the chosen one, which must be less. It is called only if at least two bits are set. Returns
/// `None` if no bit is set.
#[inline]
pub fn choose(words: &[u64], draw: impl FnOnce(u64) -> u64) -> Option<usize> {
    if let [word] = *words {
        return choose_in(word, draw);
    }
    choose_among(words, draw)
}

#[inline]
fn choose_in(word: u64, draw: impl FnOnce(u64) -> u64) -> Option<usize> {
    if word & word.wrapping_sub(1) == 0 {
        return (word != 0).then(|| word.trailing_zeros() as usize);
    }
    let sums = sums(word);
    let rank = draw(sums >> 56);
    Some(select_in(word, sums, rank as u32) as usize)
}

#[inline]
fn choose_among(words: &[u64], draw: impl FnOnce(u64) -> u64) -> Option<usize> {
    let count = count(words);
    let rank = match count {
        0 => return None,
        1 => 0,
        _ => draw(count as u64),
    };
    select(words, rank as usize)
}

#[cfg(feature = "serde")]
mod data {
    //! Rows as serde data: a sequence of words.

    use super::{BitBox, Bits};
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    impl<const N: usize> Serialize for Bits<N> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_seq(self.0)
        }
    }

    impl<'de, const N: usize> Deserialize<'de> for Bits<N> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let words = Vec::<u64>::deserialize(deserializer)?;
            let found = words.len();
            let words = words
                .try_into()
                .map_err(|_| D::Error::invalid_length(found, &format!("{N} words").as_str()))?;
            Ok(Self(words))
        }
    }

    impl Serialize for BitBox {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_seq(self.0.iter())
        }
    }

    impl<'de> Deserialize<'de> for BitBox {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            Vec::<u64>::deserialize(deserializer).map(Self::from)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words of different densities, from a fixed sequence.
    fn words() -> Vec<u64> {
        let mut x = 0x9e37_79b9_7f4a_7c15_u64;
        let mut words = vec![0, 1, u64::MAX, 1 << 63, HIGH, LOW, u64::MAX >> 1, 6];
        for i in 0..1000 {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            words.push(match i % 3 {
                0 => x,
                1 => x & x.rotate_left(21) & x.rotate_left(43),
                _ => x | x.rotate_left(11),
            });
        }
        words
    }

    #[test]
    fn select_finds_every_set_bit() {
        for word in words() {
            let list: Vec<usize> = (0..64).filter(|bit| word >> bit & 1 == 1).collect();
            assert_eq!(ones(&[word]).collect::<Vec<_>>(), list);
            assert_eq!(count(&[word]), list.len());
            for (rank, &bit) in list.iter().enumerate() {
                assert_eq!(select(&[word], rank), Some(bit), "{word:x} {rank}");
                assert_eq!(select(&[0, word], rank), Some(bit + 64));
                if list.len() > 1 {
                    assert_eq!(choose(&[word], |_| rank as u64), Some(bit));
                    assert_eq!(choose(&[0, 0, word], |_| rank as u64), Some(bit + 128));
                }
            }
            assert_eq!(select(&[word], list.len()), None);
        }
    }

    #[test]
    fn a_single_bit_needs_no_draw() {
        for bit in [0, 5, 63, 64, 130, 191] {
            let mut words = [0; 3];
            set(&mut words, bit);
            assert_eq!(choose(&words, |_| panic!("drawn")), Some(bit));
            assert!(test(&words, bit) && !test(&words, bit + 1) && !test(&words, 10_000));
        }
        assert_eq!(choose(&[0, 0], |_| panic!("drawn")), None);
        assert_eq!(choose(&[], |_| panic!("drawn")), None);
        assert_eq!(choose(&[8], |_| panic!("drawn")), Some(3));
    }

    #[test]
    fn ones_cross_words() {
        let list: Vec<usize> = vec![0, 63, 64, 127, 192];
        let mut row = Bits::<4>::default();
        for &bit in &list {
            set(row.as_mut(), bit);
        }
        assert_eq!(ones(row.as_ref()).collect::<Vec<_>>(), list);
        assert_eq!(format!("{row:?}"), "[0, 63, 64, 127, 192]");
        assert_eq!(ones(&[]).count(), 0);
    }
}
