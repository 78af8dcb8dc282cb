//! Planes in the vectors of `AArch64` machines, which all have NEON.
//!
//! Machines with instructions for AES and for functions of three operands (FEAT_SHA3) form a
//! separate instruction set. Its type is private, as those of `x86` are.

use super::{Chunk, Kernel, Plane, Slots, Vector, Word, vector::Pair};
use std::arch::{aarch64::*, is_aarch64_feature_detected};

pub(super) fn has_neon() -> bool {
    is_aarch64_feature_detected!("aes") && is_aarch64_feature_detected!("sha3")
}

/// # Panics
/// Panics if the machine lacks AES or SHA3.
pub(super) fn run_neon<K: Kernel>(kernel: K) -> K::Output {
    #[target_feature(enable = "aes,sha3")]
    fn run<K: Kernel>(kernel: K) -> K::Output {
        kernel.run::<Pair<Pair<Neon<true>>>>()
    }
    assert!(has_neon(), "the machine has AES and SHA3");
    // SAFETY: the machine was just checked for these features.
    unsafe { run(kernel) }
}

/// Encrypts every plane by three rounds of AES, with one key for each round. Returns false if the
/// machine has no AES instructions.
pub(super) fn encrypt(planes: &mut [Plane], keys: &[Plane; 3]) -> bool {
    #[target_feature(enable = "aes")]
    fn encrypt(planes: &mut [Plane], keys: &[Plane; 3]) {
        for block in 0..4 {
            // SAFETY: a plane is 64 bytes, aligned to 64: four blocks of 16.
            let load =
                |plane: &Plane| unsafe { vld1q_u8(std::ptr::from_ref(plane).cast::<u8>().add(16 * block)) };
            let [first, second, third] = keys.each_ref().map(load);
            for plane in &mut *planes {
                // The instruction adds its key at the start rather than at the end.
                let state = vaesmcq_u8(vaeseq_u8(load(plane), vdupq_n_u8(0)));
                let state = vaesmcq_u8(vaeseq_u8(state, first));
                let state = veorq_u8(vaesmcq_u8(vaeseq_u8(state, second)), third);
                // SAFETY: as for `load`.
                unsafe { vst1q_u8(std::ptr::from_mut(plane).cast::<u8>().add(16 * block), state) }
            }
        }
    }
    let is_there = is_aarch64_feature_detected!("aes");
    if is_there {
        // SAFETY: the machine was just checked for these instructions.
        unsafe { encrypt(planes, keys) }
    }
    is_there
}

/// 128 bits on any `AArch64` machine.
pub(super) type Quarter = Neon<false>;

/// 128 bits. The type with AES and SHA3 is only created and used inside [`run_neon`]. There LLVM
/// selects the instructions of three operands.
#[derive(Clone, Copy)]
pub(super) struct Neon<const AES: bool>(uint64x2_t);

impl<const AES: bool> Vector for Neon<AES> {
    const PICKS: bool = true;

    #[inline(always)]
    unsafe fn read(from: *const u64) -> Self {
        // SAFETY: there are 16 bytes, see the function.
        Self(unsafe { vld1q_u64(from) })
    }

    #[inline(always)]
    unsafe fn write(self, to: *mut u64) {
        // SAFETY: as for `read`.
        unsafe { vst1q_u64(to, self.0) }
    }

    #[inline(always)]
    fn splat(bit: bool) -> Self {
        // SAFETY: every machine has NEON.
        Self(unsafe { vdupq_n_u64(0_u64.wrapping_sub(bit.into())) })
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: every machine has NEON.
        Self(unsafe { vandq_u64(self.0, other.0) })
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: every machine has NEON.
        Self(unsafe { vorrq_u64(self.0, other.0) })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: every machine has NEON.
        Self(unsafe { veorq_u64(self.0, other.0) })
    }

    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        // SAFETY: every machine has NEON.
        Self(unsafe { vbicq_u64(self.0, other.0) })
    }

    #[inline(always)]
    fn pick(self, a: Self, b: Self) -> Self {
        // SAFETY: every machine has NEON.
        Self(unsafe { vbslq_u64(self.0, a.0, b.0) })
    }

    #[inline(always)]
    fn any(self) -> bool {
        // SAFETY: every machine has NEON.
        unsafe { vmaxvq_u32(vreinterpretq_u32_u64(self.0)) != 0 }
    }

    #[inline(always)]
    fn counts(self) -> Self {
        // SAFETY: every machine has NEON.
        Self(unsafe { vpaddlq_u32(vpaddlq_u16(vpaddlq_u8(vcntq_u8(vreinterpretq_u8_u64(self.0))))) })
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: every machine has NEON.
        Self(unsafe { vaddq_u64(self.0, other.0) })
    }

    #[inline(always)]
    fn aes_round(self, key: Self) -> Self {
        if AES {
            // SAFETY: the machine has AES, see the type.
            return Self(unsafe { aes_round(self.0) }).xor(key);
        }
        let mut block = [0; 2];
        // SAFETY: there are 16 bytes.
        unsafe { vst1q_u64(block.as_mut_ptr(), self.0) };
        let block = super::aes::round(block);
        // SAFETY: there are 16 bytes.
        Self(unsafe { vld1q_u64(block.as_ptr()) }).xor(key)
    }
}

impl Word for Pair<Pair<Neon<true>>> {
    type Part = Neon<true>;

    #[inline(always)]
    fn call<C: Chunk>(chunk: C, slots: &mut Slots) {
        #[inline(never)]
        #[target_feature(enable = "aes,sha3")]
        fn call<C: Chunk>(chunk: C, slots: &mut Slots) {
            chunk.run::<Pair<Pair<Neon<true>>>>(slots);
        }
        // SAFETY: the machine has these features, see the type.
        unsafe { call(chunk, slots) }
    }

    #[inline(always)]
    fn take(lanes: u64, low: Self, high: Self, places: Self) -> Self {
        let (Pair(a, b), Pair(c, d)) = (low.0, low.1);
        let (Pair(e, f), Pair(g, h)) = (high.0, high.1);
        let low = uint8x16x4_t(a.bytes(), b.bytes(), c.bytes(), d.bytes());
        let high = uint8x16x4_t(e.bytes(), f.bytes(), g.bytes(), h.bytes());
        let of = |places: Neon<true>| {
            // SAFETY: every machine has NEON. Places beyond the first table give zero, and those
            // beyond the second leave the byte unchanged.
            unsafe {
                let places = places.bytes();
                let taken = vqtbl4q_u8(low, places);
                let taken = vqtbx4q_u8(taken, high, vsubq_u8(places, vdupq_n_u8(64)));
                Neon(vreinterpretq_u64_u8(taken))
            }
        };
        let (Pair(a, b), Pair(c, d)) = (places.0, places.1);
        Pair(Pair(of(a), of(b)), Pair(of(c), of(d))).and(Self::spread(lanes))
    }

    #[inline(always)]
    fn spread(bits: u64) -> Self {
        let of = |bits: u16| {
            let [low, high] = bits.to_le_bytes();
            // SAFETY: every machine has NEON.
            unsafe {
                let bytes = vcombine_u8(vdup_n_u8(low), vdup_n_u8(high));
                Neon(vreinterpretq_u64_u8(vtstq_u8(bytes, vreinterpretq_u8_u64(vdupq_n_u64(EACH_BIT)))))
            }
        };
        Pair(
            Pair(of(bits as u16), of((bits >> 16) as u16)),
            Pair(of((bits >> 32) as u16), of((bits >> 48) as u16)),
        )
    }

    #[inline(always)]
    fn collect(self) -> u64 {
        let of = |part: Neon<true>| {
            // SAFETY: every machine has NEON.
            unsafe {
                let tops = vreinterpretq_u8_s8(vshrq_n_s8::<7>(vreinterpretq_s8_u64(part.0)));
                let bits = vandq_u8(tops, vreinterpretq_u8_u64(vdupq_n_u64(EACH_BIT)));
                u64::from(vaddv_u8(vget_low_u8(bits))) | u64::from(vaddv_u8(vget_high_u8(bits))) << 8
            }
        };
        let (Pair(a, b), Pair(c, d)) = (self.0, self.1);
        of(a) | of(b) << 16 | of(c) << 32 | of(d) << 48
    }
}

/// A round of AES without its key.
#[inline]
#[target_feature(enable = "aes")]
fn aes_round(block: uint64x2_t) -> uint64x2_t {
    vreinterpretq_u64_u8(vaesmcq_u8(vaeseq_u8(vreinterpretq_u8_u64(block), vdupq_n_u8(0))))
}

/// A constant with bit i set in byte i.
const EACH_BIT: u64 = 0x8040_2010_0804_0201;

impl Neon<true> {
    #[inline(always)]
    fn bytes(self) -> uint8x16_t {
        // SAFETY: every machine has NEON.
        unsafe { vreinterpretq_u8_u64(self.0) }
    }
}
