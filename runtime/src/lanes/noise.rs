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
const STRIDE: Plane = {
    let [a, b] = STRIDES;
    Plane([a, b, a, b, a, b, a, b])
};

/// The planes that are made at a time where AES takes a call.
const AHEAD: usize = 8;

/// The noise of a block, and where it has come to.
#[derive(Clone, Debug)]
pub(super) struct Noise {
    /// The value of the last plane made.
    counter: Plane,
    keys: [Plane; 3],
    /// Planes that are made already: the first `left` of them, the next one last.
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

    /// Makes planes ahead, when none is left.
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

    /// The same where no plane is made ahead.
    #[cfg(test)]
    pub(super) fn settle(&mut self) {
        for (counter, i) in self.counter.0.iter_mut().zip(0..) {
            *counter = counter.wrapping_sub(STRIDES[i % 2].wrapping_mul(self.left as u64));
        }
        (self.ahead, self.left) = ([Plane::ZERO; AHEAD], 0);
    }
}

/// Noise in registers.
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

    /// Notes where the noise has come to.
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
