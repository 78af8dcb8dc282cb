//! Transposition between lanes and states: up to 64 planes become a word of 64 bits for each of 512
//! lanes. Bit p of that word is the lane's bit of plane p. The way back also takes states of
//! several words.
//!
//! A block of 64 lanes is a square of 64 x 64 bits. Instructions transpose it in registers; squares
//! are brought together from planes, or spread over them, by exchanges of 8 x 8 words. Where there
//! are few planes most of a square is not needed.

use super::{Chunk, LANES, Plane, Slots, Word, bytes, first};

/// A word of 64 bits for each lane: lane l's is word l % 8 of plane l / 8.
pub(crate) type Rows = [Plane; 64];

/// The word of a lane.
#[inline]
pub(crate) fn of_lane(rows: &Rows, lane: usize) -> u64 {
    rows[lane / 8].0[lane % 8]
}

/// The number of groups of eight planes up to which making a part of a square is faster than making
/// all of it.
const FEW: usize = 3;

/// Like [`FEW`], for the direction from planes to rows.
const FEW_ROWS: usize = 4;

/// The rows of the first `blocks` blocks of 64 lanes; bits without a plane are clear. `scratch` may
/// hold anything. O(blocks), about as long as 100 functions of a word for each.
///
/// # Panics
/// Panics if there are more than 64 planes or more than 8 blocks.
#[inline(always)]
pub(crate) fn to_rows<W: Word>(planes: &[Plane], rows: &mut Rows, blocks: usize, scratch: &mut Rows) {
    let groups = gather::<W>(planes, scratch);
    for (block, rows) in rows.chunks_exact_mut(8).take(blocks).enumerate() {
        for (word, row) in square::<W>(scratch, block, groups).into_iter().zip(rows) {
            word.store(row);
        }
    }
}

/// Brings together what is of the same block of 64 lanes, from groups of eight planes each. How
/// many groups there are.
#[inline(always)]
pub(crate) fn gather<W: Word>(planes: &[Plane], scratch: &mut Rows) -> usize {
    let groups = planes.chunks(8);
    let count = groups.len();
    for (group, planes) in groups.enumerate() {
        // All eight are asked for by themselves, and the last ones of a group may not be there: so
        // none of them goes through memory.
        let mut words = [W::splat(false); 8];
        for place in 0..8 {
            if let Some(plane) = planes.get(place) {
                words[place] = W::load(plane);
            }
        }
        let words = W::exchange(words);
        for block in 0..8 {
            words[block].store(&mut scratch[8 * block + group]);
        }
    }
    count
}

/// The rows of a block, eight in each word, from what [`gather`] has brought together.
#[inline(always)]
pub(crate) fn square<W: Word>(scratch: &Rows, block: usize, groups: usize) -> [W; 8] {
    // There is code for each number of groups, in which words stay in registers.
    match groups {
        0 => [W::splat(false); 8],
        1 => W::widen(&load::<W, 1>(scratch, block)),
        2 => W::widen(&load::<W, 2>(scratch, block)),
        3 => W::widen(&load::<W, 3>(scratch, block)),
        FEW_ROWS => W::widen(&load::<W, FEW_ROWS>(scratch, block)),
        _ => {
            let mut words = load::<W, 8>(scratch, block);
            // What groups that are not there have left in memory is not theirs.
            for group in FEW_ROWS + 1..8 {
                if group >= groups {
                    words[group] = W::splat(false);
                }
            }
            W::transpose(words)
        }
    }
}

/// The first words of a block.
#[inline(always)]
fn load<W: Word, const COUNT: usize>(scratch: &Rows, block: usize) -> [W; COUNT] {
    let mut words = [W::splat(false); COUNT];
    for group in 0..COUNT {
        words[group] = W::load(&scratch[8 * block + group]);
    }
    words
}

/// Transposes states to the planes of one word. The words of a state are consecutive, those of a
/// state after those of the one before. Only the first `blocks` blocks of 64 states count; of other
/// lanes planes get some bit. `scratch` may hold anything. O(blocks), as for [`to_rows`].
///
/// # Panics
/// Panics if there are more than 64 planes, more than 8 blocks or other than 512 states.
#[inline(always)]
pub(crate) fn to_planes<W: Word>(
    states: &[Plane],
    word: usize,
    planes: &mut [Plane],
    blocks: usize,
    scratch: &mut Rows,
) {
    let groups = planes.len().div_ceil(8);
    // Eight states have as many planes as one has words.
    let size = states.len() / 64;
    for block in 0..blocks {
        let mut words = [W::splat(false); 8];
        for (words, eight) in words.iter_mut().zip(states[8 * size * block..].chunks_exact(size)) {
            *words = W::column(eight, word);
        }
        if groups <= FEW {
            let mut few = [W::splat(false); FEW];
            W::narrow(words, &mut few[..groups]);
            for group in 0..groups {
                few[group].store(&mut scratch[8 * group + block]);
            }
        } else {
            let words = W::transpose(words);
            for group in 0..groups {
                words[group].store(&mut scratch[8 * group + block]);
            }
        }
    }
    for (square, planes) in scratch.chunks_exact(8).zip(planes.chunks_mut(8)) {
        let mut words = [W::splat(false); 8];
        for (word, plane) in words.iter_mut().zip(square) {
            *word = W::load(plane);
        }
        let words = W::exchange(words);
        for (word, plane) in words.into_iter().zip(planes) {
            word.store(plane);
        }
    }
}

/// The digits of numbers below 256, one for each lane: bit k of a lane's number is its bit of the
/// k-th.
#[inline(always)]
pub(crate) fn digits<W: Word>(numbers: &[u8; LANES]) -> [W; 8] {
    let mut words = [W::splat(false); 8];
    for (word, bytes) in words.iter_mut().zip(numbers.as_chunks().0) {
        *word = bytes::word::<W>(bytes).digits();
    }
    W::exchange(words)
}

/// See [`Word::interleave`].
#[inline(always)]
pub(super) fn interleave<W: Word>(a: W, b: W) -> [W; 2] {
    let (mut even, mut odd) = (Plane::ZERO, Plane::ZERO);
    a.store(&mut even);
    b.store(&mut odd);
    [0, 4].map(|first| {
        W::load(&Plane(std::array::from_fn(|i| if i % 2 == 0 { even } else { odd }.0[first + i / 2])))
    })
}

/// See [`Word::column`].
#[inline(always)]
pub(super) fn column<W: Word>(states: &[Plane], word: usize) -> W {
    let size = states.len();
    W::load(&Plane(std::array::from_fn(|state| {
        let place = size * state + word;
        states[place / 8].0[place % 8]
    })))
}

/// See [`Word::widen`].
#[inline(always)]
pub(super) fn widen<W: Word>(few: &[W]) -> [W; 8] {
    let mut words = [W::splat(false); 8];
    words[..few.len()].copy_from_slice(few);
    W::transpose(words)
}

/// See [`Word::narrow`].
#[inline(always)]
pub(super) fn narrow<W: Word>(words: [W; 8], few: &mut [W]) {
    few.copy_from_slice(&W::transpose(words)[..few.len()]);
}

/// See [`Word::digits`].
#[inline(always)]
pub(super) fn digits_of_bytes<W: Word>(word: W) -> W {
    let mut plane = Plane::ZERO;
    word.store(&mut plane);
    let mut digits = [0; 8];
    for (i, mut square) in plane.0.into_iter().enumerate() {
        // Bits of 8 x 8, in the same way as below.
        for (distance, mask) in [(7, 0x00aa_00aa_00aa_00aa), (14, 0x0000_cccc_0000_cccc), (28, 0xf0f0_f0f0)] {
            let change = (square >> distance ^ square) & mask;
            square ^= change | change << distance;
        }
        digits.iter_mut().zip(square.to_le_bytes()).for_each(|(digit, byte)| {
            *digit |= u64::from(byte) << (8 * i);
        });
    }
    W::load(&Plane(digits))
}

/// Applies a part of a program to eight words, by [`Word::call`]: it is long, and kernels need it
/// at many places.
#[inline(always)]
pub(super) fn apply<W: Word>(mut words: [W; 8], change: impl Chunk) -> [W; 8] {
    let mut planes = [Plane::ZERO; 8];
    for (word, plane) in words.into_iter().zip(&mut planes) {
        word.store(plane);
    }
    W::call(change, &mut planes);
    for (word, plane) in words.iter_mut().zip(&planes) {
        *word = W::load(plane);
    }
    words
}

/// See [`Word::exchange`].
pub(super) struct Exchange;

impl Chunk for Exchange {
    #[inline(always)]
    fn run<W: Word>(self, slots: &mut Slots) {
        let words = first::<8>(slots);
        let before = *words;
        for i in 0..8 {
            for j in 0..8 {
                words[i].0[j] = before[j].0[i];
            }
        }
    }
}

/// See [`Word::transpose`]: halves of the square change places, then quarters, and so on (Warren,
/// "Hacker's Delight", section 7-3).
pub(super) struct Transpose;

impl Chunk for Transpose {
    #[inline(always)]
    fn run<W: Word>(self, slots: &mut Slots) {
        let words = first::<8>(slots);
        for (distance, mask) in
            [(4, 0x0000_0000_ffff_ffff), (2, 0x0000_ffff_0000_ffff), (1, 0x00ff_00ff_00ff_00ff)]
        {
            for i in (0..8).filter(|i| i & distance == 0) {
                for j in 0..8 {
                    let (low, high) = (words[i].0[j], words[i + distance].0[j]);
                    (words[i].0[j], words[i + distance].0[j]) = swap(low, high, 8 * distance as u32, mask);
                }
            }
        }
        for (distance, mask) in
            [(4, 0x0f0f_0f0f_0f0f_0f0f), (2, 0x3333_3333_3333_3333), (1, 0x5555_5555_5555_5555)]
        {
            for Plane(words) in &mut *words {
                for j in (0..8).filter(|j| j & distance == 0) {
                    let (low, high) = (words[j], words[j + distance]);
                    (words[j], words[j + distance]) = swap(low, high, distance as u32, mask);
                }
            }
        }
    }
}

/// Exchanges the bits above the mask in one word with those in the mask in the other.
#[inline(always)]
fn swap(low: u64, high: u64, distance: u32, mask: u64) -> (u64, u64) {
    let change = (low >> distance ^ high) & mask;
    (low ^ change << distance, high ^ change)
}
