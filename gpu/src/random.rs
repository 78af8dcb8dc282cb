//! Random words of a block: xoshiro128++ (Blackman, Vigna, "Scrambled linear pseudorandom number
//! generators", 2021). Each pair of a seed and a block has its own 128-bit initial state.
//!
//! Shaders have no 64-bit integers, so a pair of words is mixed by four rounds of a Feistel
//! network. It is a bijection for any round function; here that is a 32-bit mixer. The seed is
//! mixed on the host, and is the key of all its blocks. A block is mixed where it is played:
//! [`WGSL`] has the same function as [`start`].

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro128PlusPlus;

/// The constants of the rounds: the first digits of the golden ratio, of the square roots of 2 and
/// 3, and of pi.
const ROUNDS: [u32; 4] = [0x9e37_79b9, 0x6a09_e667, 0xbb67_ae85, 0x243f_6a88];

/// The generator of a block's random words.
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

/// Computes the key of a seed.
pub(crate) fn key(seed: u64) -> [u32; 2] {
    mix(halves(seed))
}

/// Returns the lower and the upper half of a number.
pub(crate) fn halves(number: u64) -> [u32; 2] {
    [number as u32, (number >> 32) as u32]
}

/// Computes the initial state of a block's generator. The first two words determine `y`; with it,
/// the others determine the key, and so the block.
fn start(key: [u32; 2], block: u64) -> [u32; 4] {
    let [low, high] = halves(block);
    let y = mix([key[0] ^ low, key[1] ^ high]);
    let ([first, second], [third, fourth]) = (mix(y), mix([y[0] ^ key[1], y[1] ^ key[0]]));
    [first, second, third, fourth]
}

/// Applies a bijection of 64 bits.
fn mix([mut left, mut right]: [u32; 2]) -> [u32; 2] {
    for round in ROUNDS {
        (left, right) = (right, left ^ scatter(right.wrapping_add(round)));
    }
    [left, right]
}

/// Mixes 32 bits: each bit of the argument changes about half of the bits of the result.
fn scatter(x: u32) -> u32 {
    let x = (x ^ x >> 16).wrapping_mul(0x7feb_352d);
    let x = (x ^ x >> 15).wrapping_mul(0x846c_a68b);
    x ^ x >> 16
}

/// The code of [`mix`], [`start`] and [`Words::draw`] in a shader.
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

    /// Seed and block can be recovered from the initial state.
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

    /// One bit of the seed or of the block changes about half of the random bits.
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
                    // The number of 256 bits that change; its standard deviation is 8.
                    assert!((80..176).contains(&changed), "{seed} {block} {bit}: {changed}");
                }
            }
        }
    }
}
