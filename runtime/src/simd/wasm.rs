//! Planes in the vectors of WebAssembly, for targets with the feature `simd128`.

use super::{Plane, Vector};
use std::arch::wasm32::*;

/// Returns false, since there are no instructions for AES.
pub(super) fn encrypt(_: &mut [Plane], _: &[Plane; 3]) -> bool {
    false
}

/// 128 bits.
#[derive(Clone, Copy)]
pub(super) struct Quarter(v128);

impl Vector for Quarter {
    const PICKS: bool = true;

    #[inline(always)]
    unsafe fn read(from: *const u64) -> Self {
        // SAFETY: there are 16 bytes, see the function.
        Self(unsafe { v128_load(from.cast()) })
    }

    #[inline(always)]
    unsafe fn write(self, to: *mut u64) {
        // SAFETY: as for `read`.
        unsafe { v128_store(to.cast(), self.0) }
    }

    #[inline(always)]
    fn splat(bit: bool) -> Self {
        Self(i64x2_splat(-i64::from(bit)))
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self(v128_and(self.0, other.0))
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self(v128_or(self.0, other.0))
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(v128_xor(self.0, other.0))
    }

    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        Self(v128_andnot(self.0, other.0))
    }

    #[inline(always)]
    fn pick(self, a: Self, b: Self) -> Self {
        Self(v128_bitselect(a.0, b.0, self.0))
    }

    #[inline(always)]
    fn any(self) -> bool {
        v128_any_true(self.0)
    }

    #[inline(always)]
    fn counts(self) -> Self {
        let fours = u32x4_extadd_pairwise_u16x8(u16x8_extadd_pairwise_u8x16(u8x16_popcnt(self.0)));
        Self(u64x2_add(u64x2_shr(fours, 32), v128_and(fours, u64x2_splat(u32::MAX.into()))))
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(i64x2_add(self.0, other.0))
    }

    #[inline(always)]
    fn aes_round(self, key: Self) -> Self {
        let block = [u64x2_extract_lane::<0>(self.0), u64x2_extract_lane::<1>(self.0)];
        let [low, high] = super::aes::round(block);
        Self(u64x2(low, high)).xor(key)
    }
}
