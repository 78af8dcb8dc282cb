//! Random words of a block: xoshiro128++ (Blackman, Vigna, "Scrambled linear pseudorandom number
//! generators", 2021), whose 128 bits at the start no two pairs of a seed and a block share.
//!
//! Shaders have no numbers of 64 bits, so a pair of words is mixed by four rounds of a Feistel
//! network. That is a bijection whatever its function is; here it is a mixer of 32 bits. A seed is
//! mixed here and is the key of all its blocks; a block is mixed where it is played: [`WGSL`] is
//! the same function as [`start`].

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro128PlusPlus;

/// The constants added in each round: the first digits of the golden ratio, of the roots of 2 and
/// 3, and of pi.
const ROUNDS: [u32; 4] = [0x9e37_79b9, 0x6a09_e667, 0xbb67_ae85, 0x243f_6a88];

/// The words of a block, one after the other.
pub(crate) struct Words(Xoshiro128PlusPlus);

impl Words {
    pub(crate) fn new(key: [u32; 2], block: u64) -> Self {
        let mut bytes = [0; 16];
        for (chunk, word) in bytes.chunks_exact_mut(4).zip(start(key, block)) {
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        Self(Xoshiro128PlusPlus::from_seed(bytes))
    }

    pub(crate) fn draw(&mut self) -> u32 {
        self.0.next_u32()
    }
}

/// The key of a seed.
pub(crate) fn key(seed: u64) -> [u32; 2] {
    mix(halves(seed))
}

/// The lower and the upper half.
pub(crate) fn halves(number: u64) -> [u32; 2] {
    [number as u32, (number >> 32) as u32]
}

/// The first state of a block's generator: the first two words determine `y`, with which the others
/// determine the key, and so the block.
fn start(key: [u32; 2], block: u64) -> [u32; 4] {
    let [low, high] = halves(block);
    let y = mix([key[0] ^ low, key[1] ^ high]);
    let ([first, second], [third, fourth]) = (mix(y), mix([y[0] ^ key[1], y[1] ^ key[0]]));
    [first, second, third, fourth]
}

/// A bijection of 64 bits.
fn mix([mut left, mut right]: [u32; 2]) -> [u32; 2] {
    for round in ROUNDS {
        (left, right) = (right, left ^ scatter(right.wrapping_add(round)));
    }
    [left, right]
}

/// A function of 32 bits; each bit of its argument changes half of the result's.
fn scatter(x: u32) -> u32 {
    let x = (x ^ x >> 16).wrapping_mul(0x7feb_352d);
    let x = (x ^ x >> 15).wrapping_mul(0x846c_a68b);
    x ^ x >> 16
}

/// [`mix`] and [`start`] as a shader has them, and the next word.
pub(crate) const WGSL: &str = "\
var<private> random: vec4<u32>;
fn scatter(a: u32) -> u32 {
var x = a; x = (x ^ (x >> 16u)) * 0x7feb352du; x = (x ^ (x >> 15u)) * 0x846ca68bu; return x ^ (x >> 16u);
}
fn mix(a: vec2<u32>) -> vec2<u32> {
var x = a;
x = vec2<u32>(x.y, x.x ^ scatter(x.y + 0x9e3779b9u));
x = vec2<u32>(x.y, x.x ^ scatter(x.y + 0x6a09e667u));
x = vec2<u32>(x.y, x.x ^ scatter(x.y + 0xbb67ae85u));
x = vec2<u32>(x.y, x.x ^ scatter(x.y + 0x243f6a88u));
return x;
}
fn begin(key: vec2<u32>, block: vec2<u32>) {
let y = mix(key ^ block);
random = vec4<u32>(mix(y), mix(y ^ key.yx));
}
fn noise() -> u32 {
var s = random;
let sum = s.x + s.w;
let word = ((sum << 7u) | (sum >> 25u)) + s.x;
let t = s.y << 9u;
s.z ^= s.x; s.w ^= s.y; s.y ^= s.z; s.x ^= s.w; s.z ^= t;
s.w = (s.w << 11u) | (s.w >> 21u);
random = s;
return word;
}
";

#[cfg(test)]
mod tests {
    use super::*;

    fn scatter_back(x: u32) -> u32 {
        let x = x ^ x >> 16;
        let x = x.wrapping_mul(0x4302_1123);
        let x = x ^ x >> 15 ^ x >> 30;
        let x = x.wrapping_mul(0x1d69_e2a5);
        x ^ x >> 16
    }

    fn mix_back([mut left, mut right]: [u32; 2]) -> [u32; 2] {
        for round in ROUNDS.into_iter().rev() {
            (left, right) = (right ^ scatter(left.wrapping_add(round)), left);
        }
        [left, right]
    }

    /// Seed and block are found again in the first state.
    #[test]
    fn starts_tell_seed_and_block() {
        for (seed, block) in [(0, 0), (1, 0), (0, 1), (u64::MAX, 7), (0x0123_4567_89ab_cdef, u64::MAX - 5)] {
            let words = start(key(seed), block);
            let y = mix_back([words[0], words[1]]);
            let other = mix_back([words[2], words[3]]);
            let key = [other[1] ^ y[1], other[0] ^ y[0]];
            let join = |[low, high]: [u32; 2]| u64::from(high) << 32 | u64::from(low);
            assert_eq!(join(mix_back(key)), seed);
            let [low, high] = mix_back(y);
            assert_eq!(join([low ^ key[0], high ^ key[1]]), block);
        }
        assert_eq!(scatter_back(scatter(0x1234_5678)), 0x1234_5678);
    }

    /// One bit of the seed or of the block changes about half of all that is drawn.
    #[test]
    fn neighbours_have_other_words() {
        let words = |seed, block| {
            let mut words = Words::new(key(seed), block);
            std::array::from_fn::<u32, 8, _>(|_| words.draw())
        };
        for (seed, block) in [(0, 0), (5, 9), (1 << 40, 1 << 33)] {
            let here = words(seed, block);
            for bit in 0..64 {
                for other in [words(seed ^ 1 << bit, block), words(seed, block ^ 1 << bit)] {
                    let changed: u32 = here.iter().zip(other).map(|(a, b)| (a ^ b).count_ones()).sum();
                    // Of 256 bits; eight is the deviation.
                    assert!((80..176).contains(&changed), "{seed} {block} {bit}: {changed}");
                }
            }
        }
    }
}
