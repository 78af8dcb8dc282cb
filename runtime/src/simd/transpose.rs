//! Between lanes and states: in come up to 64 planes, out goes a word of 64 bits for each of 512 lanes, bit p of
//! which is the lane's bit of plane p; and back.
//!
//! A block of 64 lanes is a square of 64 x 64 bits. Instructions transpose it in registers; squares are
//! brought together from planes, or spread over them, by exchanges of 8 x 8 words.

use super::{Plane, Word};

/// A word of 64 bits for each lane: lane l's is word l % 8 of plane l / 8.
pub(crate) type Rows = [Plane; 64];

/// The rows of the first `blocks` blocks of 64 lanes; bits without a plane are clear. `scratch` may hold anything.
/// O(blocks), about as long as 100 functions of a word for each.
///
/// # Panics
/// If there are more than 64 planes or more than 8 blocks.
#[inline(always)]
pub(crate) fn to_rows<W: Word>(planes: &[Plane], rows: &mut Rows, blocks: usize, scratch: &mut Rows) {
    let groups = planes.len().div_ceil(8);
    for group in 0..groups {
        let mut words = [W::splat(false); 8];
        for (word, plane) in words.iter_mut().zip(&planes[8 * group..]) {
            *word = W::load(plane);
        }
        let words = W::exchange(words);
        for block in 0..8 {
            words[block].store(&mut scratch[8 * block + group]);
        }
    }
    for (square, rows) in scratch.chunks_exact(8).zip(rows.chunks_exact_mut(8)).take(blocks) {
        let mut words = [W::splat(false); 8];
        for (word, plane) in words.iter_mut().zip(&square[..groups]) {
            *word = W::load(plane);
        }
        let words = W::transpose(words);
        for (word, row) in words.into_iter().zip(rows) {
            word.store(row);
        }
    }
}

/// The planes of rows, of which only the first `blocks` blocks of 64 lanes count; of other lanes planes get some
/// bit. `scratch` may hold anything. O(blocks), as for [`to_rows`].
///
/// # Panics
/// If there are more than 64 planes or more than 8 blocks.
#[inline(always)]
pub(crate) fn to_planes<W: Word>(rows: &Rows, planes: &mut [Plane], blocks: usize, scratch: &mut Rows) {
    for block in 0..blocks {
        let mut words = [W::splat(false); 8];
        for (word, row) in words.iter_mut().zip(&rows[8 * block..]) {
            *word = W::load(row);
        }
        let words = W::transpose(words);
        for group in 0..8 {
            words[group].store(&mut scratch[8 * group + block]);
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

/// What a function makes of the 64 words of eight planes.
#[inline(always)]
pub(super) fn apply<W: Word>(words: [W; 8], change: fn(&mut [[u64; 8]; 8])) -> [W; 8] {
    let mut squares = [[0; 8]; 8];
    for (word, square) in words.into_iter().zip(&mut squares) {
        let mut plane = Plane::ZERO;
        word.store(&mut plane);
        *square = plane.0;
    }
    change(&mut squares);
    let mut words = words;
    for (word, square) in words.iter_mut().zip(squares) {
        *word = W::load(&Plane(square));
    }
    words
}

/// Words of 8 x 8.
#[inline(always)]
pub(super) fn exchange(words: &mut [[u64; 8]; 8]) {
    let before = *words;
    for i in 0..8 {
        for j in 0..8 {
            words[i][j] = before[j][i];
        }
    }
}

/// Bits of 64 x 64: halves of the square change places, then quarters, and so on (Warren, "Hacker's Delight",
/// section 7-3).
#[inline(always)]
pub(super) fn transpose(words: &mut [[u64; 8]; 8]) {
    for (distance, mask) in
        [(4, 0x0000_0000_ffff_ffff), (2, 0x0000_ffff_0000_ffff), (1, 0x00ff_00ff_00ff_00ff)]
    {
        for i in (0..8).filter(|i| i & distance == 0) {
            for j in 0..8 {
                let (low, high) = (words[i][j], words[i + distance][j]);
                (words[i][j], words[i + distance][j]) = swap(low, high, 8 * distance as u32, mask);
            }
        }
    }
    for (distance, mask) in
        [(4, 0x0f0f_0f0f_0f0f_0f0f), (2, 0x3333_3333_3333_3333), (1, 0x5555_5555_5555_5555)]
    {
        for words in &mut *words {
            for j in (0..8).filter(|j| j & distance == 0) {
                let (low, high) = (words[j], words[j + distance]);
                (words[j], words[j + distance]) = swap(low, high, distance as u32, mask);
            }
        }
    }
}

/// What is above the mask in one word changes places with what is in the mask in the other.
#[inline(always)]
fn swap(low: u64, high: u64, distance: u32, mask: u64) -> (u64, u64) {
    let change = (low >> distance ^ high) & mask;
    (low ^ change << distance, high ^ change)
}
