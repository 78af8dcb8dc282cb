//! Rows of 512 bits and the instructions that work on them. A [`Kernel`] is written once for any
//! [`Word`], and run with the instructions of an [`Isa`].
//!
//! This is the only module of the crate with `unsafe`. `x86`, `arm` and `wasm` call instructions of
//! a machine. `store` reads planes that lie in words, `vector` reads parts of planes, and
//! `operations` reads planes at places that were checked before. The types that stand for
//! instructions are private, so a kernel meets them only inside [`Isa::run`], which has checked the
//! machine. Libraries with the same purpose (`pulp`, `fearless_simd`) have neither functions of
//! three operands nor AES rounds.

mod aes;
#[cfg(target_arch = "aarch64")]
#[allow(unsafe_code, reason = "instructions that not every machine has")]
mod arm;
mod bytes;
#[allow(unsafe_code, reason = "places that were looked at before")]
mod operations;
mod portable;
#[allow(unsafe_code, reason = "planes that lie in words")]
mod store;
mod transpose;
#[allow(unsafe_code, reason = "parts of planes")]
mod vector;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[allow(unsafe_code, reason = "places of planes")]
mod wasm;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "instructions that not every machine has")]
mod x86;

pub(crate) use bytes::word;
pub(crate) use operations::Operations;
pub(crate) use store::Store;
pub(crate) use transpose::{Rows, digits, gather, of_lane, square, to_planes, to_rows};
pub use vector::{Apart, Line, Vector, View, run};

/// A plane: 512 bits, with lane l at bit l % 64 of word l / 64.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Plane(pub(crate) [u64; 8]);

/// The number of bits of a [`Plane`].
pub(crate) const LANES: usize = 512;

impl Plane {
    pub(crate) const ZERO: Self = Self([0; 8]);
    pub(crate) const ONES: Self = Self([u64::MAX; 8]);

    /// Creates a plane whose lanes are all equal to `bit`.
    pub(crate) const fn splat(bit: bool) -> Self {
        if bit { Self::ONES } else { Self::ZERO }
    }

    /// The bit of a lane.
    pub(crate) fn lane(&self, lane: usize) -> bool {
        self.0[lane / 64] >> (lane % 64) & 1 == 1
    }

    /// The number of set bits.
    pub(crate) fn count(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Returns the first `limit` set bits.
    pub(crate) fn first(mut self, mut limit: u64) -> Self {
        for word in &mut self.0 {
            if limit == 0 {
                *word = 0;
            }
            while u64::from(word.count_ones()) > limit {
                *word &= !(1 << word.ilog2());
            }
            limit -= u64::from(word.count_ones());
        }
        self
    }
}

/// A plane in registers.
pub trait Word: Vector {
    /// The lanes that fit into one register, on which straight-line code runs.
    type Part: Vector;

    /// Loads a plane from memory.
    #[must_use]
    #[inline(always)]
    fn load(plane: &Plane) -> Self {
        vector::load(plane)
    }

    /// Stores the word to memory.
    #[inline(always)]
    fn store(self, plane: &mut Plane) {
        vector::store(self, plane);
    }

    /// Runs a part of a program as a separate function, so that superlinear compile times grow with
    /// the part rather than with the program.
    fn call<C: Chunk>(chunk: C, slots: &mut Slots);

    /// True if AES rounds are a function call, so that encrypting many planes at a time is faster.
    const CALLS_AES: bool = false;

    /// Encrypts every plane by three rounds of AES, with one key for each round.
    #[inline(always)]
    fn encrypt(planes: &mut [Plane], keys: &[Plane; 3]) {
        for plane in planes {
            let mut word = Self::load(plane);
            for key in keys {
                word = word.aes_round(Self::load(key));
            }
            word.store(plane);
        }
    }

    /// Selects the bytes at `places`, each below 128, of the 128 bytes of `low` and `high`. Bytes
    /// whose bit of `lanes` is clear are zero.
    #[must_use]
    #[inline(always)]
    fn take(lanes: u64, low: Self, high: Self, places: Self) -> Self {
        bytes::take(lanes, low, high, places)
    }

    /// Expands each bit to a byte: all ones if the bit is set, otherwise zero.
    #[must_use]
    #[inline(always)]
    fn spread(bits: u64) -> Self {
        bytes::spread(bits)
    }

    /// Writes the first 16, 32 or 64 bytes.
    #[inline(always)]
    fn put<const BYTES: usize>(self, to: &mut [u8; BYTES]) {
        to.copy_from_slice(&bytes::bytes(self)[..BYTES]);
    }

    /// Looks up the value of each byte, which is an index below `count`.
    #[inline(always)]
    fn look_up(self, count: usize, values: &[f32; 128], to: &mut [f32; 64]) {
        bytes::look_up(self, count, values, to);
    }

    /// Collects the top bits of the bytes.
    #[must_use]
    #[inline(always)]
    fn collect(self) -> u64 {
        bytes::collect(self)
    }

    /// Transposes 8 x 8 words of 64 bits: word j of `words[i]` becomes word i of `words[j]`.
    #[inline(always)]
    fn exchange(words: [Self; 8]) -> [Self; 8] {
        transpose::apply(words, transpose::Exchange)
    }

    /// Transposes 64 consecutive words of 64 bits: bit j of word i becomes bit i of word j.
    #[inline(always)]
    fn transpose(words: [Self; 8]) -> [Self; 8] {
        transpose::apply(words, transpose::Transpose)
    }

    /// Computes [`Word::transpose`] of `few`, at most four words, followed by zeros. Only the first
    /// `8 * few.len()` bits of each 64-bit word of the result can be set.
    #[inline(always)]
    fn widen(few: &[Self]) -> [Self; 8] {
        transpose::widen(few)
    }

    /// Computes the first words of [`Word::transpose`], at most three.
    #[inline(always)]
    fn narrow(words: [Self; 8], few: &mut [Self]) {
        transpose::narrow(words, few);
    }

    /// Interleaves the 64-bit words of this word and the other.
    #[must_use]
    #[inline(always)]
    fn interleave(self, other: Self) -> [Self; 2] {
        transpose::interleave(self, other)
    }

    /// Gathers word `word` of each of eight states. The states are consecutive, and so are the
    /// words of a state; there are as many planes as a state has words.
    #[must_use]
    #[inline(always)]
    fn column(states: &[Plane], word: usize) -> Self {
        transpose::column(states, word)
    }

    /// Transposes bits of bytes: bit k of byte l becomes bit l of the 64-bit word k.
    #[must_use]
    #[inline(always)]
    fn digits(self) -> Self {
        transpose::digits_of_bytes(self)
    }
}

/// A computation that can use the instructions of any machine.
///
/// The instructions reach only code that is inlined into [`Isa::run`]. So `run` and all that it
/// calls with a [`Word`] must be `#[inline(always)]`, and closures must not handle words.
pub(crate) trait Kernel {
    type Output;

    fn run<W: Word>(self) -> Self::Output;
}

/// Work in plain Rust that benefits from wide vectors. [`Isa::work`] compiles it for each
/// instruction set; its result is the same with all of them.
///
/// The instructions reach only inlined code: `run` and all that it calls must be
/// `#[inline(always)]`.
pub trait Work {
    /// The result.
    type Output;

    /// Does the work.
    fn run(self) -> Self::Output;
}

/// An adapter that makes plain work a kernel.
struct Plain<T>(T);

impl<T: Work> Kernel for Plain<T> {
    type Output = T::Output;

    #[inline(always)]
    fn run<W: Word>(self) -> Self::Output {
        self.0.run()
    }
}

/// The memory of a kernel: a plane for each slot.
pub type Slots = [Plane];

/// Returns the first `COUNT` slots.
///
/// # Panics
/// Panics if there are fewer.
#[inline(always)]
pub(crate) fn first<const COUNT: usize>(slots: &mut Slots) -> &mut [Plane; COUNT] {
    slots.first_chunk_mut().expect("there are as many slots as the code uses")
}

/// A part of a program that is compiled separately; see [`Word::call`].
pub trait Chunk {
    /// Runs the part.
    fn run<W: Word>(self, slots: &mut Slots);
}

/// An instruction set for engines that play many games at once. Results do not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Isa {
    /// Instructions that every machine has.
    Portable,
    /// `AArch64` with AES and SHA3: words of 128 bits, and functions of three operands.
    Neon,
    /// x86-64 with AVX2 and AES: words of 256 bits.
    Avx2,
    /// x86-64 with AVX-512 (F, BW, VBMI, VPOPCNTDQ), VAES and GFNI: words of 512 bits.
    Avx512,
}

impl Isa {
    /// All instruction sets, in ascending order.
    pub const ALL: &[Self] = &[Self::Portable, Self::Neon, Self::Avx2, Self::Avx512];

    /// Returns the best instruction set of this machine.
    #[must_use]
    pub fn best() -> Self {
        Self::ALL.iter().copied().rev().find(|isa| isa.is_available()).unwrap_or(Self::Portable)
    }

    /// The name on the command line, for example `avx512`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Neon => "neon",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// Returns true if this machine has the instruction set. The result is cached.
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            Self::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => x86::has_avx2(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => x86::has_avx512(),
            #[cfg(target_arch = "aarch64")]
            Self::Neon => arm::has_neon(),
            #[allow(unreachable_patterns, reason = "no machine has all")]
            _ => false,
        }
    }

    /// Runs plain work with these instructions, or portably if the machine lacks them.
    #[inline]
    pub fn work<T: Work>(self, work: T) -> T::Output {
        self.run(Plain(work))
    }

    /// Runs a kernel with these instructions, or portably if the machine lacks them.
    pub(crate) fn run<K: Kernel>(self, kernel: K) -> K::Output {
        self.run_straight(kernel).unwrap_or_else(K::run::<portable::Portable>)
    }

    /// Returns true if straight-line code is compiled for these instructions. x86-64 machines
    /// without AVX2 are rare and use the table instead.
    pub(crate) fn is_straight(self) -> bool {
        !cfg!(target_arch = "x86_64") || matches!(self, Self::Avx2 | Self::Avx512)
    }

    /// Runs the kernel of straight-line code with these instructions.
    ///
    /// # Errors
    /// Returns the kernel if no such code is compiled for them, or the machine lacks them.
    pub(crate) fn run_straight<K: Kernel>(self, kernel: K) -> Result<K::Output, K> {
        match self {
            #[cfg(target_arch = "aarch64")]
            Self::Neon if self.is_available() => Ok(arm::run_neon(kernel)),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 if self.is_available() => Ok(x86::run_avx2(kernel)),
            #[cfg(target_arch = "x86_64")]
            _ => self.run_widest(kernel),
            #[cfg(not(target_arch = "x86_64"))]
            _ => Ok(kernel.run::<portable::Portable>()),
        }
    }

    /// Runs the kernel with these instructions if they are the widest.
    ///
    /// # Errors
    /// Returns the kernel if they are not the widest, or the machine lacks them.
    pub(crate) fn run_widest<K: Kernel>(self, kernel: K) -> Result<K::Output, K> {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 if self.is_available() => Ok(x86::run_avx512(kernel)),
            _ => Err(kernel),
        }
    }
}

#[cfg(test)]
mod tests;
