//! Vectors: bits in registers of any width, and planes as registers hold them.
//!
//! On a machine with registers of 128 bits, a word of 512 bits takes four of them, so few words fit
//! into registers. Straight-line code does not need whole words. A [`Line`] runs on the first part
//! of all planes, as wide as a register, then on the next part. Its code is also short.

use super::{Chunk, Plane, Slots, Word};
use std::marker::PhantomData;

/// Bits in one register or several. Functions work on each bit separately, unless stated otherwise.
pub trait Vector: Copy {
    /// Reads the vector from memory.
    ///
    /// # Safety
    /// There must be as many bytes as a vector has, aligned to the size of the vector.
    #[must_use]
    unsafe fn read(from: *const u64) -> Self;
    /// Writes the vector to memory.
    ///
    /// # Safety
    /// As for `read`, and nothing else may refer to these bytes.
    unsafe fn write(self, to: *mut u64);

    /// Creates a vector whose bits are all equal to `bit`.
    #[must_use]
    fn splat(bit: bool) -> Self;
    /// The bits set in both.
    #[must_use]
    fn and(self, other: Self) -> Self;
    /// The bits set in at least one of the two.
    #[must_use]
    fn or(self, other: Self) -> Self;
    /// The bits that differ.
    #[must_use]
    fn xor(self, other: Self) -> Self;
    /// The bits set in `self` and not in `other`.
    #[must_use]
    fn and_not(self, other: Self) -> Self;

    /// Computes any function of three operands: bit 4a + 2b + c of `TABLE`, which has 8 bits.
    #[must_use]
    #[inline(always)]
    fn ternary<const TABLE: i32>(a: Self, b: Self, c: Self) -> Self {
        // Shannon expansion: the function where `a` is clear, and the change that `a` makes.
        if const { TABLE % 16 == TABLE / 16 } {
            binary!(TABLE, b, c)
        } else if const { TABLE % 16 == 0 } {
            a.and(binary!(TABLE >> 4, b, c))
        } else if const { TABLE < 16 } {
            binary!(TABLE, b, c).and_not(a)
        } else if const { (TABLE % 16) ^ (TABLE / 16) == 15 } {
            binary!(TABLE, b, c).xor(a)
        } else if const { TABLE / 16 == 15 } {
            a.or(binary!(TABLE, b, c))
        } else if const { TABLE % 16 == 15 } {
            Self::splat(true).and_not(a.and_not(binary!(TABLE >> 4, b, c)))
        } else if !Self::PICKS {
            binary!(TABLE, b, c).xor(a.and(binary!(TABLE ^ TABLE >> 4, b, c)))
        } else if TABLE == 0xe8 {
            a.xor(b).pick(c, b)
        } else if TABLE == 0x8e {
            a.xor(b).pick(b, c)
        } else {
            a.pick(binary!(TABLE >> 4, b, c), binary!(TABLE, b, c))
        }
    }

    /// True if `pick` is one instruction.
    const PICKS: bool = false;

    /// Returns true if some bit is set.
    fn any(self) -> bool;

    /// The number of set bits in each word of 64.
    #[must_use]
    fn counts(self) -> Self;
    /// The sums of words of 64 bits.
    #[must_use]
    fn add(self, other: Self) -> Self;
    /// One round of AES encryption of each 128 bits (FIPS 197: `ShiftRows`, `SubBytes`,
    /// `MixColumns`, `AddRoundKey`).
    #[must_use]
    fn aes_round(self, key: Self) -> Self;
    /// The complement.
    #[must_use]
    #[inline(always)]
    fn not(self) -> Self {
        Self::ternary::<0x0f>(self, self, self)
    }

    /// Returns `a` where `self` is set, otherwise `b`.
    #[must_use]
    #[inline(always)]
    fn pick(self, a: Self, b: Self) -> Self {
        Self::ternary::<0xca>(self, a, b)
    }

    /// Returns `self | (a & b)`.
    #[must_use]
    #[inline(always)]
    fn or_both(self, a: Self, b: Self) -> Self {
        Self::ternary::<0xf8>(self, a, b)
    }

    /// The low digit of a sum of three bits.
    #[must_use]
    #[inline(always)]
    fn sum(a: Self, b: Self, c: Self) -> Self {
        Self::ternary::<0x96>(a, b, c)
    }

    /// The high digit of a sum of three bits: their majority.
    #[must_use]
    #[inline(always)]
    fn carry(a: Self, b: Self, c: Self) -> Self {
        Self::ternary::<0xe8>(a, b, c)
    }

    /// Decodes three digits, the lowest first: vector k is set where they encode k.
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

    /// The borrow to the next digit when `b` and `c` are subtracted from `a`.
    #[must_use]
    #[inline(always)]
    fn borrow(a: Self, b: Self, c: Self) -> Self {
        Self::ternary::<0x8e>(a, b, c)
    }
}

/// Computes any function of `b` and `c`: bit 2b + c of the table. The match is on a constant, so
/// LLVM never sees the other arms, which would take long to inline and remove.
macro_rules! binary {
    ($table:expr, $b:expr, $c:expr) => {
        match const { $table & 15 } {
            0 => Self::splat(false),
            1 => Self::splat(true).and_not($b.or($c)),
            2 => $c.and_not($b),
            3 => Self::splat(true).and_not($b),
            4 => $b.and_not($c),
            5 => Self::splat(true).and_not($c),
            6 => $b.xor($c),
            7 => Self::splat(true).and_not($b.and($c)),
            8 => $b.and($c),
            9 => Self::splat(true).and_not($b.xor($c)),
            10 => $c,
            11 => Self::splat(true).and_not($b.and_not($c)),
            12 => $b,
            13 => Self::splat(true).and_not($c.and_not($b)),
            14 => $b.or($c),
            _ => Self::splat(true),
        }
    };
}
pub(super) use binary;

/// A vector of two halves, the lower lanes first.
#[derive(Clone, Copy)]
pub(super) struct Pair<V>(pub(super) V, pub(super) V);

impl<V: Vector> Vector for Pair<V> {
    #[inline(always)]
    unsafe fn read(from: *const u64) -> Self {
        // SAFETY: there are twice as many bytes as one half takes, see the function.
        unsafe { Self(V::read(from), V::read(from.byte_add(size_of::<V>()))) }
    }

    #[inline(always)]
    unsafe fn write(self, to: *mut u64) {
        // SAFETY: as for `read`.
        unsafe {
            self.0.write(to);
            self.1.write(to.byte_add(size_of::<V>()));
        }
    }

    #[inline(always)]
    fn splat(bit: bool) -> Self {
        Self(V::splat(bit), V::splat(bit))
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self(self.0.and(other.0), self.1.and(other.1))
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self(self.0.or(other.0), self.1.or(other.1))
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(self.0.xor(other.0), self.1.xor(other.1))
    }

    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        Self(self.0.and_not(other.0), self.1.and_not(other.1))
    }

    #[inline(always)]
    fn ternary<const TABLE: i32>(a: Self, b: Self, c: Self) -> Self {
        Self(V::ternary::<TABLE>(a.0, b.0, c.0), V::ternary::<TABLE>(a.1, b.1, c.1))
    }

    #[inline(always)]
    fn any(self) -> bool {
        self.0.or(self.1).any()
    }

    #[inline(always)]
    fn counts(self) -> Self {
        Self(self.0.counts(), self.1.counts())
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0.add(other.0), self.1.add(other.1))
    }

    #[inline(always)]
    fn aes_round(self, key: Self) -> Self {
        Self(self.0.aes_round(key.0), self.1.aes_round(key.1))
    }
}

/// Loads a plane as a word.
#[inline(always)]
pub(super) fn load<W: Vector>(plane: &Plane) -> W {
    const { assert!(size_of::<W>() == size_of::<Plane>(), "a word has the size of a plane") };
    // SAFETY: a plane is 64 bytes, aligned to 64.
    unsafe { W::read(plane.0.as_ptr()) }
}

/// Stores a word to a plane.
#[inline(always)]
pub(super) fn store<W: Vector>(word: W, plane: &mut Plane) {
    const { assert!(size_of::<W>() == size_of::<Plane>(), "a word has the size of a plane") };
    // SAFETY: as for `load`, and nothing else refers to the plane.
    unsafe { word.write(plane.0.as_mut_ptr()) }
}

/// Straight-line code on `SLOTS` slots.
pub trait Line<const SLOTS: usize>: Copy {
    /// Runs the code on some lanes of all slots.
    fn run<V: Vector>(self, slots: &mut View<'_, V, SLOTS>);
}

/// A view of the lanes of a vector in `SLOTS` slots.
#[allow(missing_debug_implementations, reason = "it comes and goes")]
pub struct View<'s, V, const SLOTS: usize> {
    first: *mut u64,
    slots: PhantomData<(&'s mut [Plane; SLOTS], V)>,
}

impl<V: Vector, const SLOTS: usize> View<'_, V, SLOTS> {
    /// Reads a slot.
    ///
    /// # Panics
    /// Panics if there is no such slot.
    #[must_use]
    #[inline(always)]
    pub fn load(&self, slot: usize) -> V {
        assert!(slot < SLOTS, "there are as many slots as the code uses");
        // SAFETY: the slot is there, and a view only refers to the same lanes of each, see `run`.
        unsafe { V::read(self.first.byte_add(size_of::<Plane>() * slot)) }
    }

    /// Writes a slot.
    ///
    /// # Panics
    /// Panics if there is no such slot.
    #[inline(always)]
    pub fn store(&mut self, slot: usize, value: V) {
        assert!(slot < SLOTS, "there are as many slots as the code uses");
        // SAFETY: as for `load`, and nothing else refers to the slots.
        unsafe { value.write(self.first.byte_add(size_of::<Plane>() * slot)) }
    }
}

/// Runs straight-line code on all lanes.
///
/// # Panics
/// Panics if there are fewer than `SLOTS` slots.
#[inline(always)]
pub fn run<W: Word, const SLOTS: usize>(line: impl Line<SLOTS>, slots: &mut Slots) {
    let planes: &mut [Plane; SLOTS] = super::first(slots);
    let first = planes.as_mut_ptr().cast::<u64>();
    for part in 0..size_of::<Plane>() / size_of::<W::Part>() {
        // SAFETY: the part is in the first plane, and so it is in others as many planes after it.
        let first = unsafe { first.byte_add(size_of::<W::Part>() * part) };
        line.run::<W::Part>(&mut View { first, slots: PhantomData });
    }
}

/// Straight-line code as a separate function; see [`Word::call`].
#[allow(missing_debug_implementations, reason = "it is only called")]
pub struct Apart<L, const SLOTS: usize>(pub L);

impl<L: Line<SLOTS>, const SLOTS: usize> Chunk for Apart<L, SLOTS> {
    #[inline(always)]
    fn run<W: Word>(self, slots: &mut Slots) {
        run::<W, SLOTS>(self.0, slots);
    }
}
