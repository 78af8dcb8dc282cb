//! Planes as four vectors of 128 bits, which nearly all machines have.
//!
//! Without AES instructions, AES rounds are most of the work of random games. Nearly all machines
//! have the instructions. Because some lack them, they are detected at run time, and one call runs
//! three rounds.

#[cfg(target_arch = "aarch64")]
use super::arm as machine;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use super::wasm as machine;
#[cfg(target_arch = "x86_64")]
use super::x86 as machine;
use super::{Chunk, Plane, Slots, Word, vector::Pair};
use machine::Quarter;

/// A plane on any machine.
pub(super) type Portable = Pair<Pair<Quarter>>;

impl Word for Portable {
    type Part = Quarter;

    #[inline(never)]
    fn call<C: Chunk>(chunk: C, slots: &mut Slots) {
        chunk.run::<Self>(slots);
    }

    const CALLS_AES: bool = true;

    fn encrypt(planes: &mut [Plane], keys: &[Plane; 3]) {
        if !machine::encrypt(planes, keys) {
            encrypt(planes, keys);
        }
    }
}

/// See [`Word::encrypt`].
fn encrypt(planes: &mut [Plane], keys: &[Plane; 3]) {
    for plane in planes {
        for key in keys {
            for (block, key) in plane.0.as_chunks_mut().0.iter_mut().zip(key.0.as_chunks::<2>().0) {
                let round = aes_round(*block);
                *block = [round[0] ^ key[0], round[1] ^ key[1]];
            }
        }
    }
}

/// A fallback for machines whose vectors are not supported here.
#[cfg(not(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    all(target_arch = "wasm32", target_feature = "simd128")
)))]
mod machine {
    use crate::simd::{Plane, Vector};

    pub(super) fn encrypt(_: &mut [Plane], _: &[Plane; 3]) -> bool {
        false
    }

    /// 128 bits as two words.
    #[derive(Clone, Copy)]
    pub(in crate::simd) struct Quarter([u64; 2]);

    impl Vector for Quarter {
        #[inline(always)]
        #[allow(unsafe_code, reason = "parts of planes")]
        unsafe fn read(from: *const u64) -> Self {
            // SAFETY: there are 16 bytes, aligned, see the function.
            Self(unsafe { *from.cast() })
        }

        #[inline(always)]
        #[allow(unsafe_code, reason = "parts of planes")]
        unsafe fn write(self, to: *mut u64) {
            // SAFETY: as for `read`.
            unsafe { *to.cast() = self.0 }
        }

        #[inline(always)]
        fn splat(bit: bool) -> Self {
            Self([0_u64.wrapping_sub(bit.into()); 2])
        }

        #[inline(always)]
        fn and(self, other: Self) -> Self {
            Self([self.0[0] & other.0[0], self.0[1] & other.0[1]])
        }

        #[inline(always)]
        fn or(self, other: Self) -> Self {
            Self([self.0[0] | other.0[0], self.0[1] | other.0[1]])
        }

        #[inline(always)]
        fn xor(self, other: Self) -> Self {
            Self([self.0[0] ^ other.0[0], self.0[1] ^ other.0[1]])
        }

        #[inline(always)]
        fn and_not(self, other: Self) -> Self {
            Self([self.0[0] & !other.0[0], self.0[1] & !other.0[1]])
        }

        #[inline(always)]
        fn any(self) -> bool {
            self.0 != [0; 2]
        }

        #[inline(always)]
        fn counts(self) -> Self {
            Self(self.0.map(|word| u64::from(word.count_ones())))
        }

        #[inline(always)]
        fn add(self, other: Self) -> Self {
            Self([self.0[0].wrapping_add(other.0[0]), self.0[1].wrapping_add(other.0[1])])
        }

        #[inline(always)]
        fn aes_round(self, key: Self) -> Self {
            Self(super::aes_round(self.0)).xor(key)
        }
    }
}

/// A round of AES without its key.
pub(super) fn aes_round(block: [u64; 2]) -> [u64; 2] {
    // Byte i is in row i % 4 of column i / 4; `ShiftRows` brings row r of column c + r to column c.
    let byte = |row: usize, column: usize| {
        let place = row + 4 * ((column + row) % 4);
        (block[place / 8] >> (8 * (place % 8)) & 0xff) as usize
    };
    let column = |c: usize| (0..4).fold(0, |sum, row| sum ^ MIXED[byte(row, c)].rotate_left(8 * row as u32));
    let pair = |c: usize| u64::from(column(c)) | u64::from(column(c + 1)) << 32;
    [pair(0), pair(2)]
}

/// For each byte, the column that `SubBytes` and `MixColumns` make from it in row 0.
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

/// Multiplies in the field of 256 elements modulo x^8 + x^4 + x^3 + x + 1.
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
    use crate::random::Stream;

    /// Machines without AES instructions have the same noise.
    #[test]
    fn rounds_by_tables_are_those_of_the_machine() {
        let mut stream = Stream::new(6, 1);
        let mut plane = || Plane(std::array::from_fn(|_| stream.bits()));
        let keys = [plane(), plane(), plane()];
        let mut planes = [plane(), plane()];
        let mut others = planes;
        encrypt(&mut planes, &keys);
        Portable::encrypt(&mut others, &keys);
        assert_eq!(planes, others);
    }

    #[test]
    fn the_s_box_is_the_standard_s() {
        // FIPS 197, figure 7.
        assert_eq!([0x00, 0x01, 0x10, 0x53, 0xff].map(substitute), [0x63, 0x7c, 0xca, 0xed, 0x16]);
    }
}
