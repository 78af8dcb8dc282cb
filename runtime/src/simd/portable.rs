//! Planes as eight words of 64 bits, which rustc turns into whatever vectors every machine of a
//! kind has.
//!
//! Rounds of AES are most of the work of random games without instructions for them, and nearly all
//! machines have those: they are asked for, three rounds at a time.

#[cfg(target_arch = "aarch64")]
use super::arm as machine;
#[cfg(target_arch = "x86_64")]
use super::x86 as machine;
use super::{Plane, Word};

#[derive(Clone, Copy)]
pub(super) struct Portable(Plane);

impl Portable {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(u64, u64) -> u64) -> Self {
        Self(Plane(std::array::from_fn(|i| f(self.0.0[i], other.0.0[i]))))
    }
}

impl Word for Portable {
    #[inline(always)]
    fn load(plane: &Plane) -> Self {
        Self(*plane)
    }

    #[inline(always)]
    fn store(self, plane: &mut Plane) {
        *plane = self.0;
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self.zip(other, |a, b| a | b)
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self.zip(other, |a, b| a ^ b)
    }

    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        self.zip(other, |a, b| a & !b)
    }

    #[inline(always)]
    fn any(self) -> bool {
        self.0.0.iter().fold(0, |all, word| all | word) != 0
    }

    #[inline(always)]
    fn counts(self) -> Self {
        Self(Plane(self.0.0.map(|word| u64::from(word.count_ones()))))
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, u64::wrapping_add)
    }

    #[inline(always)]
    fn aes_round(self, key: Self) -> Self {
        let mut words = key.0.0;
        for (pair, key) in self.0.0.chunks_exact(2).zip(words.chunks_exact_mut(2)) {
            let [low, high] = aes_round([pair[0], pair[1]]);
            key[0] ^= low;
            key[1] ^= high;
        }
        Self(Plane(words))
    }

    #[inline(always)]
    fn aes_rounds(self, keys: [Self; 3]) -> Self {
        let rounds = machine::aes_rounds(&self.0, keys.each_ref().map(|key| &key.0));
        rounds.map_or_else(|| keys.into_iter().fold(self, Self::aes_round), Self)
    }
}

/// A machine without instructions that are known here.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod machine {
    use super::Plane;

    pub(super) fn aes_rounds(_: &Plane, _: [&Plane; 3]) -> Option<Plane> {
        None
    }
}

/// A round without its key.
fn aes_round(block: [u64; 2]) -> [u64; 2] {
    // Byte i is in row i % 4 of column i / 4; `ShiftRows` brings row r of column c + r to column c.
    let byte = |row: usize, column: usize| {
        let place = row + 4 * ((column + row) % 4);
        (block[place / 8] >> (8 * (place % 8)) & 0xff) as usize
    };
    let column = |c: usize| (0..4).fold(0, |sum, row| sum ^ MIXED[byte(row, c)].rotate_left(8 * row as u32));
    let pair = |c: usize| u64::from(column(c)) | u64::from(column(c + 1)) << 32;
    [pair(0), pair(2)]
}

/// For each byte the column that `SubBytes` and `MixColumns` make of it in row 0.
static MIXED: [u32; 256] = {
    let mut mixed = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let s = substitute(byte as u8);
        mixed[byte] = u32::from_le_bytes([times(s, 2), s, s, times(s, 3)]);
        byte += 1;
    }
    mixed
};

/// A product in the field of 256 elements modulo x^8 + x^4 + x^3 + x + 1.
const fn times(mut a: u8, mut b: u8) -> u8 {
    let mut product = 0;
    while b > 0 {
        if b & 1 == 1 {
            product ^= a;
        }
        a = (a << 1) ^ ((a >> 7) * 0x1b);
        b >>= 1;
    }
    product
}

/// The S-box: the inverse in the field, then an affine map.
const fn substitute(byte: u8) -> u8 {
    // The inverse is the 254th power.
    let (mut inverse, mut square, mut i) = (1, byte, 1);
    while i < 8 {
        square = times(square, square);
        inverse = times(inverse, square);
        i += 1;
    }
    inverse
        ^ inverse.rotate_left(1)
        ^ inverse.rotate_left(2)
        ^ inverse.rotate_left(3)
        ^ inverse.rotate_left(4)
        ^ 0x63
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_s_box_is_the_standard_s() {
        // FIPS 197, figure 7.
        assert_eq!([0x00, 0x01, 0x10, 0x53, 0xff].map(substitute), [0x63, 0x7c, 0xca, 0xed, 0x16]);
    }
}
