//! Random planes: a stream of planes for a seed and the number of a block, each lane of each a fair
//! coin.
//!
//! Plane n is a keyed bijection of a counter's n-th value: three rounds of AES, after which each
//! bit of a 128-bit part depends on all bits of its counter. That is enough for play and not for
//! secrets (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011, have
//! counters and AES rounds). The parts of a plane have counters of their own. So the planes of a
//! block are the same on every machine.

use crate::{
    random::Stream,
    simd::{Plane, Word},
};

/// The strides added to the two halves of each counter: odd numbers, so a counter comes back after
/// 2^64 planes.
const STRIDES: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xd1b5_4a32_d192_ed03];

/// The noise of a block, and where it has come to.
#[derive(Clone, Debug)]
pub(super) struct Noise {
    counter: Plane,
    keys: [Plane; 3],
}

impl Noise {
    pub(super) fn new(seed: u64, block: u64) -> Self {
        let mut stream = Stream::new(seed, block);
        let mut plane = || Plane(std::array::from_fn(|_| stream.bits()));
        Self { counter: plane(), keys: std::array::from_fn(|_| plane()) }
    }
}

/// Noise in registers.
#[allow(missing_debug_implementations, reason = "registers come and go")]
pub struct Source<W> {
    counter: W,
    stride: W,
    keys: [W; 3],
}

impl<W: Word> Source<W> {
    #[inline(always)]
    pub(super) fn open(noise: &Noise) -> Self {
        let stride = Plane(std::array::from_fn(|i| STRIDES[i % 2]));
        Self {
            counter: W::load(&noise.counter),
            stride: W::load(&stride),
            keys: [W::load(&noise.keys[0]), W::load(&noise.keys[1]), W::load(&noise.keys[2])],
        }
    }

    /// Notes where the noise has come to.
    #[inline(always)]
    pub(super) fn close(self, noise: &mut Noise) {
        self.counter.store(&mut noise.counter);
    }

    #[inline(always)]
    pub(super) fn plane(&mut self) -> W {
        self.counter = self.counter.add(self.stride);
        self.counter.aes_rounds(self.keys)
    }
}
