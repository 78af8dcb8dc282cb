//! Repeatable streams of random numbers, which depend only on a seed and the number of a block.
//!
//! Playouts are played in blocks, and each block draws from its own [`Stream`]. The thread and the
//! time at which a block is played do not matter. So equal seeds and numbers of playouts give equal
//! results for any number of threads.
//!
//! The `single` engine plays the games of a block one after the other. Lanes play many games at
//! once, and draw numbers in another order. Each game that started is played to its end, so that
//! short games are not favoured. The random bits of all 512 lanes are drawn together, rejected ones
//! included. So results do not depend on the number of threads, the width of words or the
//! instruction set.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A stream of uniform random numbers (xoshiro256++), not suitable for cryptography.
#[derive(Clone, Debug)]
pub struct Stream(Xoshiro256PlusPlus);

impl Stream {
    /// Creates the stream of a block. Different pairs of seed and block have different streams.
    #[must_use]
    pub fn new(seed: u64, block: u64) -> Self {
        // The map is injective: `x` and `y` determine seed and block, and the first and third word
        // determine `y` and `x`.
        let x = mix(seed);
        let y = mix(x ^ block);
        let words = [mix(y), mix(y.wrapping_add(x.rotate_left(32))), mix(x ^ y.rotate_left(17)), mix(!y)];
        let mut bytes = [0; 32];
        for (chunk, word) in bytes.chunks_exact_mut(8).zip(words) {
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        Self(Xoshiro256PlusPlus::from_seed(bytes))
    }

    /// Draws 64 random bits.
    #[inline]
    #[must_use]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Draws a number from 0 to `n` - 1 uniformly; returns 0 if `n` is 0.
    #[inline]
    #[must_use]
    pub fn below(&mut self, n: u64) -> u64 {
        // Lemire, "Fast random integer generation in an interval", 2019.
        let mut product = u128::from(self.bits()) * u128::from(n);
        if (product as u64) < n {
            // 2^64 mod n of the 2^64 numbers are surplus and must be rejected.
            let surplus = n.wrapping_neg() % n;
            while (product as u64) < surplus {
                product = u128::from(self.bits()) * u128::from(n);
            }
        }
        (product >> 64) as u64
    }

    /// Draws a number from 0 to `n` - 1 uniformly by rejection; returns 0 if `n` is 0. At worst
    /// about one draw in two is rejected.
    pub fn below_wide(&mut self, n: u128) -> u128 {
        let Some(greatest) = n.checked_sub(1).filter(|&greatest| greatest > 0) else { return 0 };
        let mask = u128::MAX >> greatest.leading_zeros();
        loop {
            let number = (u128::from(self.bits()) << 64 | u128::from(self.bits())) & mask;
            if number < n {
                return number;
            }
        }
    }
}

/// Returns the output of `SplitMix64` for `seed`: a bijection that scatters consecutive seeds.
fn mix(seed: u64) -> u64 {
    let x = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_uniform() {
        for n in [2, 3, 7, 10, 64, 100] {
            let mut stream = Stream::new(1, n);
            let draws = 200_000;
            let mut counts = vec![0_u32; n as usize];
            for _ in 0..draws {
                counts[stream.below(n) as usize] += 1;
            }
            let expected = f64::from(draws) / n as f64;
            let chi: f64 = counts.iter().map(|&c| (f64::from(c) - expected).powi(2) / expected).sum();
            // Wilson and Hilferty: about normal with these mean and deviation.
            let degrees = n as f64 - 1.0;
            let z = ((chi / degrees).cbrt() - (1.0 - 2.0 / (9.0 * degrees))) / (2.0 / (9.0 * degrees)).sqrt();
            assert!(z.abs() < 3.5, "{n}: z = {z}");
        }
    }

    /// With n just above half the range, nearly every second number must be rejected.
    #[test]
    fn rejection_leaves_no_bias() {
        let n = (1 << 63) + 1;
        let mut stream = Stream::new(3, 4);
        let low = (0..100_000).filter(|_| stream.below(n) < n / 2).count();
        assert!((49_400..50_600).contains(&low), "{low}");
    }

    #[test]
    fn the_ends_of_the_range() {
        let mut stream = Stream::new(0, 0);
        assert_eq!(stream.below(0), 0);
        assert_eq!(stream.below(1), 0);
        assert!(stream.below(u64::MAX) < u64::MAX);
        assert_eq!([stream.below_wide(0), stream.below_wide(1)], [0, 0]);
        let wide: Vec<u128> = (0..100).map(|_| stream.below_wide((1 << 100) + 1)).collect();
        assert!(wide.iter().all(|&n| n <= 1 << 100) && wide.iter().any(|&n| n > 1 << 99));
    }

    #[test]
    fn streams_differ_and_repeat() {
        let mut firsts: Vec<u64> =
            (0..64).flat_map(|seed| (0..64).map(move |block| Stream::new(seed, block).bits())).collect();
        firsts.sort_unstable();
        firsts.dedup();
        assert_eq!(firsts.len(), 64 * 64);
        assert_eq!(Stream::new(7, 1).bits(), Stream::new(7, 1).bits());
    }
}
