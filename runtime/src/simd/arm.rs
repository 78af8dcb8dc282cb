//! Instructions of `AArch64` machines that not all of them have.

use super::Plane;
use std::arch::{aarch64::*, is_aarch64_feature_detected};

/// Three rounds of AES for the four blocks of a plane, if the machine has instructions for them.
pub(super) fn aes_rounds(plane: &Plane, keys: [&Plane; 3]) -> Option<Plane> {
    #[target_feature(enable = "aes")]
    fn rounds(plane: &Plane, keys: [&Plane; 3]) -> Plane {
        let mut after = Plane::ZERO;
        for block in 0..4 {
            // SAFETY: a plane is 64 bytes, aligned to 64: four blocks of 16.
            let load =
                |plane: &Plane| unsafe { vld1q_u8(std::ptr::from_ref(plane).cast::<u8>().add(16 * block)) };
            // The instruction adds its key first, not last.
            let [first, second, third] = keys.map(load);
            let state = vaesmcq_u8(vaeseq_u8(load(plane), vdupq_n_u8(0)));
            let state = vaesmcq_u8(vaeseq_u8(state, first));
            let state = veorq_u8(vaesmcq_u8(vaeseq_u8(state, second)), third);
            // SAFETY: as for `load`.
            unsafe { vst1q_u8(std::ptr::from_mut(&mut after).cast::<u8>().add(16 * block), state) }
        }
        after
    }
    // SAFETY: the machine has just said that it has these instructions.
    is_aarch64_feature_detected!("aes").then(|| unsafe { rounds(plane, keys) })
}
