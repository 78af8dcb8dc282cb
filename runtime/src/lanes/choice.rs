//! Random choice for 512 lanes at once: in come planes that tell which moves are legal in each lane, out go
//! planes that tell which one of them is made, each exactly as likely.
//!
//! Numbers are spread over planes, one for each binary digit. Legal moves are counted in groups of seven, and
//! the counts summed. A lane's rank is drawn by rejection: as many random digits as its own greatest rank has,
//! again where they are too great, until no lane is left. Then the counts of the groups are taken from the rank
//! until it would fall below zero, which it does in the group of the move chosen; the words of that group, which
//! may be another in each lane, are gathered, and the rank is counted down to zero among them.
//!
//! How much noise that takes depends on what is drawn, but not on the instruction set.

use super::noise::Source;
use crate::simd::{Plane, Word};

/// Moves in a group: as many as three digits count.
const GROUP: usize = 7;

/// Draws that are made without a look whether any lane still needs them, once one does: a branch that cannot
/// be foreseen costs more.
const BLIND: usize = 2;

/// Memory for [`choose`]: of each group the digits of its count, and which lanes chose in it.
#[derive(Clone, Debug, Default)]
pub struct Groups(Vec<[Plane; 4]>);

impl Groups {
    /// Enough for so many moves.
    pub(super) fn new(moves: usize) -> Self {
        Self(vec![[Plane::ZERO; 4]; moves.div_ceil(GROUP)])
    }
}

/// Replaces the legal moves by the one that is made. The lanes that have none, and make none.
///
/// # Panics
/// If there are fewer groups than the moves need, or more than 65,535 moves.
#[inline(always)]
pub fn choose<W: Word>(moves: &mut [Plane], noise: &mut Source<W>, groups: &mut Groups) -> W {
    macro_rules! by_digits {
        ($($digits:literal)*) => {
            match usize::BITS - moves.len().leading_zeros() {
                0 => W::splat(true),
                // The only one: it is made if it is legal.
                1 => W::load(&moves[0]).not(),
                2 | 3 => few::<W>(moves, noise),
                $(..=$digits => many::<W, $digits>(moves, noise, &mut groups.0),)*
                _ => panic!("too many moves"),
            }
        };
    }
    // Code for every number of digits would be no faster, and take long to compile.
    by_digits!(4 5 6 7 8 9 10 12 14 16)
}

/// The choice among at most seven moves.
#[inline(always)]
fn few<W: Word>(moves: &mut [Plane], noise: &mut Source<W>) -> W {
    let words = load(moves);
    let total = count(words);
    let (rank, none) = draw(total, noise);
    for (word, plane) in pick(words, rank).into_iter().zip(moves) {
        word.store(plane);
    }
    none
}

/// The choice among at most 2^B - 1 moves.
#[inline(always)]
fn many<W: Word, const B: usize>(moves: &mut [Plane], noise: &mut Source<W>, groups: &mut [[Plane; 4]]) -> W {
    let groups = &mut groups[..moves.len().div_ceil(GROUP)];
    let mut total = [W::splat(false); B];
    for (planes, group) in moves.chunks(GROUP).zip(groups.iter_mut()) {
        let count = count(load::<W>(planes));
        let mut carry = W::splat(false);
        for (i, digit) in total.iter_mut().enumerate() {
            if let Some(&other) = count.get(i) {
                other.store(&mut group[i]);
                (*digit, carry) = (W::sum(*digit, other, carry), W::carry(*digit, other, carry));
            } else {
                (*digit, carry) = (digit.xor(carry), digit.and(carry));
            }
        }
    }
    let (mut rank, none) = draw(total, noise);
    let mut words = [W::splat(false); GROUP];
    let mut inner = [W::splat(false); 3];
    for (planes, group) in moves.chunks(GROUP).zip(groups.iter_mut()) {
        // Once below zero, the rank does not come there again: the counts of the other groups are too small.
        let before = rank;
        let mut borrow = W::splat(false);
        for (i, digit) in rank.iter_mut().enumerate() {
            if i < 3 {
                let other = W::load(&group[i]);
                (*digit, borrow) = (W::sum(*digit, other, borrow), W::borrow(*digit, other, borrow));
            } else {
                (*digit, borrow) = (digit.xor(borrow), borrow.and_not(*digit));
            }
        }
        borrow.store(&mut group[3]);
        for (digit, before) in inner.iter_mut().zip(before) {
            *digit = digit.or_both(borrow, before);
        }
        for (word, plane) in words.iter_mut().zip(planes) {
            *word = word.or_both(borrow, W::load(plane));
        }
    }
    let words = pick(words, inner);
    for (planes, group) in moves.chunks_mut(GROUP).zip(groups) {
        let here = W::load(&group[3]);
        for (plane, word) in planes.iter_mut().zip(words) {
            here.and(word).store(plane);
        }
    }
    none
}

#[inline(always)]
fn load<W: Word>(planes: &[Plane]) -> [W; GROUP] {
    let mut words = [W::splat(false); GROUP];
    for (word, plane) in words.iter_mut().zip(planes) {
        *word = W::load(plane);
    }
    words
}

/// How many of the words are set.
#[inline(always)]
fn count<W: Word>(words: [W; GROUP]) -> [W; 3] {
    let [first, second, third, fourth, fifth, sixth, last] = words;
    let (low, high) = (W::sum(first, second, third), W::carry(first, second, third));
    let (other_low, other_high) = (W::sum(fourth, fifth, sixth), W::carry(fourth, fifth, sixth));
    let last_high = W::carry(low, other_low, last);
    [W::sum(low, other_low, last), W::sum(high, other_high, last_high), W::carry(high, other_high, last_high)]
}

/// The set word of that rank.
#[inline(always)]
fn pick<W: Word>(words: [W; GROUP], [mut low, mut middle, mut high]: [W; 3]) -> [W; GROUP] {
    // Below zero the rank is 7 again, and there are not enough words to bring that down to zero.
    let mut picked = words;
    for (picked, word) in picked.iter_mut().zip(words) {
        *picked = word.and_not(W::ternary::<0xfe>(low, middle, high));
        let borrow = word.and_not(low);
        let next = borrow.and_not(middle);
        (low, middle, high) = (low.xor(word), middle.xor(borrow), high.xor(next));
    }
    picked
}

/// A random number below each lane's `count`, 0 where that is 0; and where it is.
#[inline(always)]
fn draw<W: Word, const B: usize>(count: [W; B], noise: &mut Source<W>) -> ([W; B], W) {
    let zero = W::splat(false);
    // The greatest rank, 0 where there is none.
    let mut greatest = count;
    let mut borrow = W::splat(true);
    for digit in &mut greatest {
        (*digit, borrow) = (digit.xor(borrow), borrow.and_not(*digit));
    }
    let none = borrow;
    let mut mask = zero;
    let mut digits = 0;
    let mut ranges = [(zero, zero); B];
    for i in (0..B).rev() {
        greatest[i] = greatest[i].and_not(none);
        mask = mask.or(greatest[i]);
        ranges[i] = (greatest[i], mask);
        if digits == 0 && mask.any() {
            digits = i + 1;
        }
    }
    let mut rank = [zero; B];
    let ranges = &ranges[..digits];
    // The first draw is often the last one: a look after it is foreseen. If not, the next one is taken late.
    let (mut todo, mut blind) = (W::splat(true), 0);
    loop {
        todo = try_draw(&mut rank, ranges, todo, noise);
        if blind > 1 {
            blind -= 1;
        } else if !todo.any() {
            break;
        } else if blind == 0 {
            blind = BLIND;
        }
    }
    (rank, none)
}

/// Draws ranks where they are to be drawn, given the digits of the greatest one and those that may be set. Where
/// that must be done again.
#[inline(always)]
fn try_draw<W: Word>(rank: &mut [W], ranges: &[(W, W)], todo: W, noise: &mut Source<W>) -> W {
    let mut above = W::splat(false);
    for (digit, &(greatest, mask)) in rank.iter_mut().zip(ranges) {
        let drawn = noise.plane().and(mask);
        above = W::borrow(greatest, drawn, above);
        *digit = todo.pick(drawn, *digit);
    }
    todo.and(above)
}

#[cfg(test)]
mod tests;
