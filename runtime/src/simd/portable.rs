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
use super::{Chunk, Plane, Slots, Word, aes, vector::Pair};
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
                let round = aes::round(*block);
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
            Self(super::aes::round(self.0)).xor(key)
        }
    }
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
}
