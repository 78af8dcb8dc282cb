//! Random planes: a stream of planes for a seed and the number of a block. Each lane of each plane
//! is a fair coin.
//!
//! Plane n is a keyed bijection of the n-th value of a counter. Three rounds of AES make each bit
//! of a 128-bit part depend on all bits of its counter. That suffices for play but not for
//! cryptography. Counters with AES rounds are from Salmon, Moraes, Dror and Shaw, "Parallel random
//! numbers: as easy as 1, 2, 3", 2011. Each 128-bit part of a plane has its own counter. So the
//! planes of a block are the same on every machine.

use crate::{
    random::Stream,
    simd::{Plane, Word},
};

/// The strides added to the two halves of each counter. They are odd, so a counter has period 2^64.
const STRIDES: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xd1b5_4a32_d192_ed03];
const STRIDE: Plane = {
    let [a, b] = STRIDES;
    Plane([a, b, a, b, a, b, a, b])
};

/// The number of planes made at a time if AES is a function call.
const AHEAD: usize = 8;

/// The noise of a block and its position.
#[derive(Clone, Debug)]
pub(super) struct Noise {
    /// The counter of the last plane made.
    counter: Plane,
    keys: [Plane; 3],
    /// Planes made ahead of use: the first `left` are unused, and are taken from the last down.
    ahead: [Plane; AHEAD],
    left: usize,
}

impl Noise {
    pub(super) fn new(seed: u64, block: u64) -> Self {
        let mut stream = Stream::new(seed, block);
        let mut plane = || Plane(std::array::from_fn(|_| stream.bits()));
        let (counter, keys) = (plane(), std::array::from_fn(|_| plane()));
        Self { counter, keys, ahead: [Plane::ZERO; AHEAD], left: 0 }
    }

    /// Refills the planes ahead; none must be left.
    #[inline(never)]
    fn make<W: Word>(&mut self) {
        let mut counter = W::load(&self.counter);
        for plane in self.ahead.iter_mut().rev() {
            counter = counter.add(W::load(&STRIDE));
            counter.store(plane);
        }
        counter.store(&mut self.counter);
        W::encrypt(&mut self.ahead, &self.keys);
        self.left = AHEAD;
    }

    /// Rewinds the counter to the first unused plane and drops the planes ahead.
    #[cfg(test)]
    pub(super) fn settle(&mut self) {
        for (counter, i) in self.counter.0.iter_mut().zip(0..) {
            *counter = counter.wrapping_sub(STRIDES[i % 2].wrapping_mul(self.left as u64));
        }
        (self.ahead, self.left) = ([Plane::ZERO; AHEAD], 0);
    }
}

/// A source of noise whose state is in registers.
#[allow(missing_debug_implementations, reason = "registers come and go")]
pub struct Source<'n, W> {
    noise: &'n mut Noise,
    counter: W,
    keys: [W; 3],
}

impl<'n, W: Word> Source<'n, W> {
    #[inline(always)]
    pub(super) fn open(noise: &'n mut Noise) -> Self {
        Self {
            counter: W::load(&noise.counter),
            keys: [W::load(&noise.keys[0]), W::load(&noise.keys[1]), W::load(&noise.keys[2])],
            noise,
        }
    }

    /// Stores the position back into the noise.
    #[inline(always)]
    pub(super) fn close(self) {
        if !W::CALLS_AES {
            self.counter.store(&mut self.noise.counter);
        }
    }

    #[inline(always)]
    pub(super) fn plane(&mut self) -> W {
        if W::CALLS_AES {
            if self.noise.left == 0 {
                self.noise.make::<W>();
            }
            self.noise.left -= 1;
            return W::load(&self.noise.ahead[self.noise.left % AHEAD]);
        }
        self.counter = self.counter.add(W::load(&STRIDE));
        let [a, b, c] = self.keys;
        self.counter.aes_round(a).aes_round(b).aes_round(c)
    }
}
