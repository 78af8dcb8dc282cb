//! Transposition between lanes and states: up to 64 planes become a 64-bit word for each of 512
//! lanes. Bit p of that word is the lane's bit of plane p. The reverse also takes states of several
//! words.
//!
//! A block of 64 lanes is a square of 64 x 64 bits. Instructions transpose it in registers.
//! Exchanges of 8 x 8 words gather squares from planes, or scatter them over planes. With few
//! planes, most of a square is not computed.

use super::{Chunk, LANES, Plane, Slots, Word, bytes, first};

/// A word of 64 bits for each lane: lane l's is word l % 8 of plane l / 8.
pub(crate) type Rows = [Plane; 64];

/// The word of a lane.
#[inline]
pub(crate) fn of_lane(rows: &Rows, lane: usize) -> u64 {
    rows[lane / 8].0[lane % 8]
}

/// The number of groups of eight planes up to which computing a part of a square is faster than
/// computing all of it.
const FEW: usize = 3;

/// Like [`FEW`], for the direction from planes to rows.
const FEW_ROWS: usize = 4;

/// Transposes planes to rows, for the first `blocks` blocks of 64 lanes, at most 8. Bits without a
/// plane are clear; `scratch` may have any content. O(blocks), about 100 word operations for each.
///
/// # Panics
/// Panics if there are more than 64 planes.
#[inline(always)]
pub(crate) fn to_rows<W: Word>(planes: &[Plane], rows: &mut Rows, blocks: usize, scratch: &mut Rows) {
    let groups = gather::<W>(planes, scratch);
    for (block, rows) in rows.chunks_exact_mut(8).take(blocks).enumerate() {
        for (word, row) in square::<W>(scratch, block, groups).into_iter().zip(rows) {
            word.store(row);
        }
    }
}

/// Gathers the words of each block of 64 lanes from groups of eight planes. Returns the number of
/// groups.
#[inline(always)]
pub(crate) fn gather<W: Word>(planes: &[Plane], scratch: &mut Rows) -> usize {
    let groups = planes.chunks(8);
    let count = groups.len();
    for (group, planes) in groups.enumerate() {
        // Each plane is loaded separately, since the last ones of a group may be missing. So no
        // word goes through memory.
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

/// Computes the rows of a block, eight in each word, from the result of [`gather`].
#[inline(always)]
pub(crate) fn square<W: Word>(scratch: &Rows, block: usize, groups: usize) -> [W; 8] {
    // Each number of groups has separate code, so that words stay in registers.
    match groups {
        0 => [W::splat(false); 8],
        1 => W::widen(&load::<W, 1>(scratch, block)),
        2 => W::widen(&load::<W, 2>(scratch, block)),
        3 => W::widen(&load::<W, 3>(scratch, block)),
        FEW_ROWS => W::widen(&load::<W, FEW_ROWS>(scratch, block)),
        _ => {
            let mut words = load::<W, 8>(scratch, block);
            // The memory of missing groups has unspecified content.
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

/// Transposes states to the planes of one of their words. States are consecutive, and so are the
/// words of a state. Only the first `blocks` blocks of 64 states are transposed; in other lanes the
/// planes have unspecified bits. `scratch` may have any content. O(blocks), as for [`to_rows`].
///
/// # Panics
/// Panics if there are more than 64 planes. With more than 8 blocks, or not exactly 512 states,
/// panics or leaves the planes with unspecified bits.
#[inline(always)]
pub(crate) fn to_planes<W: Word>(
    states: &[Plane],
    word: usize,
    planes: &mut [Plane],
    blocks: usize,
    scratch: &mut Rows,
) {
    let groups = planes.len().div_ceil(8);
    // Eight states take as many planes as a state has words.
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

/// Transposes a byte for each lane to eight planes: plane k has bit k of each lane's byte.
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
        // The 8 x 8 bits are transposed as in [`Transpose`].
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

/// Applies a chunk to eight words by [`Word::call`], since the chunk is long and kernels use it in
/// many places.
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

/// See [`Word::transpose`]. Halves of the square are exchanged, then quarters, and so on (Warren,
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

/// Exchanges the bits of `low` in `mask << distance` with the bits of `high` in `mask`.
#[inline(always)]
fn swap(low: u64, high: u64, distance: u32, mask: u64) -> (u64, u64) {
    let change = (low >> distance ^ high) & mask;
    (low ^ change << distance, high ^ change)
}
