//! Rows of 512 bits and the instructions that work on them: a [`Kernel`] is written once for any
//! [`Word`], and run with the instructions of an [`Isa`].
//!
//! This is the one module of the crate with `unsafe` in it. In `x86` and `arm` it calls
//! instructions that not every machine has, in `store` it reads planes that lie in words, and in
//! `operations` planes at places that were checked before. The types that stand for instructions
//! are private here, so a kernel only meets them inside [`Isa::run`], which has checked the machine
//! first. Libraries that do the same (`pulp`, `fearless_simd`) have neither functions of three
//! operands nor AES rounds.

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
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "instructions that not every machine has")]
mod x86;

pub(crate) use bytes::word;
pub(crate) use operations::Operations;
pub(crate) use store::Store;
pub(crate) use transpose::{Rows, digits, gather, of_lane, square, to_planes, to_rows};

/// 512 bits, lane l at bit l % 64 of word l / 64.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Plane(pub(crate) [u64; 8]);

/// The number of bits of a [`Plane`].
pub(crate) const LANES: usize = 512;

impl Plane {
    pub(crate) const ZERO: Self = Self([0; 8]);
    pub(crate) const ONES: Self = Self([u64::MAX; 8]);

    /// All lanes alike.
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

    /// The first `limit` set bits.
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

/// A plane in registers, and functions of each of its bits, unless they say otherwise.
pub trait Word: Copy {
    /// From memory.
    #[must_use]
    fn load(plane: &Plane) -> Self;
    /// To memory.
    fn store(self, plane: &mut Plane);

    /// The bits set in both.
    #[must_use]
    fn and(self, other: Self) -> Self;
    /// The bits set in at least one of them.
    #[must_use]
    fn or(self, other: Self) -> Self;
    /// The bits in which they differ.
    #[must_use]
    fn xor(self, other: Self) -> Self;
    /// The bits set in `self` and not in `other`.
    #[must_use]
    fn and_not(self, other: Self) -> Self;

    /// Any function of three operands: bit 4a + 2b + c of `TABLE`, which has 8 bits.
    #[must_use]
    #[inline(always)]
    fn ternary<const TABLE: i32>(a: Self, b: Self, c: Self) -> Self {
        // Any function of `b` and `c`: bit 2b + c of the table. What is matched is constant, so
        // other arms are not even handed to LLVM, which would take long to inline and to drop them.
        macro_rules! binary {
            ($table:expr) => {
                match const { $table & 15 } {
                    0 => Self::splat(false),
                    1 => Self::splat(true).and_not(b.or(c)),
                    2 => c.and_not(b),
                    3 => Self::splat(true).and_not(b),
                    4 => b.and_not(c),
                    5 => Self::splat(true).and_not(c),
                    6 => b.xor(c),
                    7 => Self::splat(true).and_not(b.and(c)),
                    8 => b.and(c),
                    9 => Self::splat(true).and_not(b.xor(c)),
                    10 => c,
                    11 => Self::splat(true).and_not(b.and_not(c)),
                    12 => b,
                    13 => Self::splat(true).and_not(c.and_not(b)),
                    14 => b.or(c),
                    _ => Self::splat(true),
                }
            };
        }
        // What it is where `a` is clear, and what `a` changes of that.
        if const { TABLE % 16 == TABLE / 16 } {
            binary!(TABLE)
        } else if const { TABLE % 16 == 0 } {
            a.and(binary!(TABLE >> 4))
        } else if const { TABLE < 16 } {
            binary!(TABLE).and_not(a)
        } else if const { (TABLE % 16) ^ (TABLE / 16) == 15 } {
            binary!(TABLE).xor(a)
        } else {
            binary!(TABLE).xor(a.and(binary!(TABLE ^ TABLE >> 4)))
        }
    }

    /// Runs a part of a program as a function of its own, so that what takes the compiler more than
    /// its share grows with the part and not with the program.
    #[inline(never)]
    fn call<C: Chunk>(chunk: C, slots: &mut Slots) {
        chunk.run::<Self>(slots);
    }

    /// True if some bit is set.
    fn any(self) -> bool;

    /// The number of bits set in each word of 64.
    #[must_use]
    fn counts(self) -> Self;
    /// Sums of words of 64 bits.
    #[must_use]
    fn add(self, other: Self) -> Self;
    /// One round of AES encryption of each 128 bits (FIPS 197: `ShiftRows`, `SubBytes`,
    /// `MixColumns`, `AddRoundKey`).
    #[must_use]
    fn aes_round(self, key: Self) -> Self;
    /// Three such rounds.
    #[must_use]
    #[inline(always)]
    fn aes_rounds(self, keys: [Self; 3]) -> Self {
        keys.into_iter().fold(self, Self::aes_round)
    }

    /// The bytes at `places`, each below 128, of the 128 bytes of `low` and `high`, where `lanes`
    /// has a bit for the byte; zero elsewhere.
    #[must_use]
    #[inline(always)]
    fn take(lanes: u64, low: Self, high: Self, places: Self) -> Self {
        bytes::take(lanes, low, high, places)
    }

    /// Bytes that are all ones where the word has a bit, otherwise zero.
    #[must_use]
    #[inline(always)]
    fn spread(bits: u64) -> Self {
        bytes::spread(bits)
    }

    /// Its first bytes: 16, 32 or 64.
    #[inline(always)]
    fn put<const BYTES: usize>(self, to: &mut [u8; BYTES]) {
        to.copy_from_slice(&bytes::bytes(self)[..BYTES]);
    }

    /// For each byte, which is below `count`, what stands at its place among the values.
    #[inline(always)]
    fn look_up(self, count: usize, values: &[f32; 128], to: &mut [f32; 64]) {
        bytes::look_up(self, count, values, to);
    }

    /// The top bits of the bytes.
    #[must_use]
    #[inline(always)]
    fn collect(self) -> u64 {
        bytes::collect(self)
    }

    /// Word j of 64 bits of the i-th becomes word i of the j-th.
    #[inline(always)]
    fn exchange(words: [Self; 8]) -> [Self; 8] {
        transpose::apply(words, transpose::Exchange)
    }

    /// Transposes 64 consecutive words of 64 bits: bit j of word i becomes bit i of word j.
    #[inline(always)]
    fn transpose(words: [Self; 8]) -> [Self; 8] {
        transpose::apply(words, transpose::Transpose)
    }

    /// The first eight words of 64 bits that [`Word::transpose`] makes of these and words of zeros
    /// after them: the bits of up to four words of eight planes, in each of 64 words.
    #[inline(always)]
    fn widen(few: &[Self]) -> [Self; 8] {
        transpose::widen(few)
    }

    /// The first words that [`Word::transpose`] makes, up to three.
    #[inline(always)]
    fn narrow(words: [Self; 8], few: &mut [Self]) {
        transpose::narrow(words, few);
    }

    /// Words of 64 bits of this one and the other in turn.
    #[must_use]
    #[inline(always)]
    fn interleave(self, other: Self) -> [Self; 2] {
        transpose::interleave(self, other)
    }

    /// Word `word` of 64 bits of each of eight states, whose words are consecutive: as many planes
    /// as a state has words.
    #[must_use]
    #[inline(always)]
    fn column(states: &[Plane], word: usize) -> Self {
        transpose::column(states, word)
    }

    /// Bit k of byte l becomes bit l of word k of 64 bits.
    #[must_use]
    #[inline(always)]
    fn digits(self) -> Self {
        transpose::digits_of_bytes(self)
    }

    /// All lanes alike.
    #[must_use]
    #[inline(always)]
    fn splat(bit: bool) -> Self {
        Self::load(&Plane::splat(bit))
    }

    /// The complement.
    #[must_use]
    #[inline(always)]
    fn not(self) -> Self {
        Self::ternary::<0x0f>(self, self, self)
    }

    /// `a` where `self` is set, otherwise `b`.
    #[must_use]
    #[inline(always)]
    fn pick(self, a: Self, b: Self) -> Self {
        Self::ternary::<0xca>(self, a, b)
    }

    /// `self`, or both `a` and `b`.
    #[must_use]
    #[inline(always)]
    fn or_both(self, a: Self, b: Self) -> Self {
        Self::ternary::<0xf8>(self, a, b)
    }

    /// The lower digit of a sum of three bits.
    #[must_use]
    #[inline(always)]
    fn sum(a: Self, b: Self, c: Self) -> Self {
        Self::ternary::<0x96>(a, b, c)
    }

    /// The upper digit of a sum of three bits: the value of most of them.
    #[must_use]
    #[inline(always)]
    fn carry(a: Self, b: Self, c: Self) -> Self {
        Self::ternary::<0xe8>(a, b, c)
    }

    /// For each number below eight where it is that of the three digits, the lowest one first.
    #[must_use]
    #[inline(always)]
    fn one_of_eight([a, b, c]: [Self; 3]) -> [Self; 8] {
        [
            Self::ternary::<0x01>(c, b, a),
            Self::ternary::<0x02>(c, b, a),
            Self::ternary::<0x04>(c, b, a),
            Self::ternary::<0x08>(c, b, a),
            Self::ternary::<0x10>(c, b, a),
            Self::ternary::<0x20>(c, b, a),
            Self::ternary::<0x40>(c, b, a),
            Self::ternary::<0x80>(c, b, a),
        ]
    }

    /// The borrow from the next digit to take `b` and `c` from `a`.
    #[must_use]
    #[inline(always)]
    fn borrow(a: Self, b: Self, c: Self) -> Self {
        Self::ternary::<0x8e>(a, b, c)
    }
}

/// Work that can be done with the instructions of any machine.
///
/// Only what is inlined into [`Isa::run`] is compiled for them: `run` and all it calls with a
/// [`Word`] must be marked so, and words must not be handled by closures, which cannot be.
pub(crate) trait Kernel {
    type Output;

    fn run<W: Word>(self) -> Self::Output;
}

/// Work in plain Rust that gains by wide vectors: [`Isa::work`] compiles it for each instruction
/// set, and its result is the same with all of them.
///
/// Only inlined code is compiled so: `run` and all that it calls must be `#[inline(always)]`.
pub trait Work {
    /// The result.
    type Output;

    /// Does the work.
    fn run(self) -> Self::Output;
}

/// Plain work as a kernel.
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

/// The first `COUNT` slots, which must exist.
///
/// # Panics
/// Panics if there are fewer.
#[inline(always)]
pub fn first<const COUNT: usize>(slots: &mut Slots) -> &mut [Plane; COUNT] {
    slots.first_chunk_mut().expect("there are as many slots as the code uses")
}

/// Part of a program, compiled by itself; see [`Word::call`].
pub trait Chunk {
    /// Runs it.
    fn run<W: Word>(self, slots: &mut Slots);
}

/// An instruction set for engines that play many games at once. Results do not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Isa {
    /// Instructions that every machine has.
    Portable,
    /// x86-64 with AVX2 and AES: words of 256 bits.
    Avx2,
    /// x86-64 with AVX-512 (F, BW, VBMI, VPOPCNTDQ), VAES and GFNI: words of 512 bits.
    Avx512,
}

impl Isa {
    /// All instruction sets, the least first.
    pub const ALL: &[Self] = &[Self::Portable, Self::Avx2, Self::Avx512];

    /// The best one that this machine has.
    #[must_use]
    pub fn best() -> Self {
        Self::ALL.iter().copied().rev().find(|isa| isa.is_available()).unwrap_or(Self::Portable)
    }

    /// The name on the command line, for example `avx512`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// True if this machine has it. The machine is asked once.
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            Self::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => x86::has_avx2(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => x86::has_avx512(),
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512 => false,
        }
    }

    /// Does plain work with these instructions, or portably if the machine does not have them.
    #[inline]
    pub fn work<T: Work>(self, work: T) -> T::Output {
        self.run(Plain(work))
    }

    /// Does the work with these instructions, or portably if the machine does not have them.
    pub(crate) fn run<K: Kernel>(self, kernel: K) -> K::Output {
        self.run_wide(kernel).unwrap_or_else(K::run::<portable::Portable>)
    }

    /// Does the work with these instructions.
    ///
    /// # Errors
    /// The work, if they are portable ones, or the machine does not have them.
    pub(crate) fn run_wide<K: Kernel>(self, kernel: K) -> Result<K::Output, K> {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 if self.is_available() => Ok(x86::run_avx2(kernel)),
            _ => self.run_widest(kernel),
        }
    }

    /// Does the work with these instructions.
    ///
    /// # Errors
    /// The work, if they are not the widest there are, or the machine does not have them.
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
