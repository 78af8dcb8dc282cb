//! Uniform choice among a known number of legal moves, equal in all lanes that matter: from planes
//! of the legal moves to planes of the chosen moves.
//!
//! Nothing is counted, and all lanes draw numbers from the same range. The largest power of two
//! that divides the length of the range takes random digits directly. Only the odd factor is drawn
//! by rejection, from enough digits to make rejection rare. For example, two numbers below eight
//! make one below nine: the first one, or eight if the second is seven. The draw is rejected if
//! both are seven.

use super::noise::Source;
use crate::simd::{Plane, Word};
use gdl_format::lanes::MOST_COUNTED;

/// The digits of a rank.
const DIGITS: usize = 4;

/// Replaces the `count` legal moves by the chosen one. If all moves are legal, their planes need
/// not be set. Lanes with another number of legal moves make several moves or none.
///
/// # Panics
/// Panics if there are more than fifteen moves, fewer than `count`, or `count` is 0.
#[inline(always)]
pub fn choose_counted<W: Word>(moves: &mut [Plane], count: usize, noise: &mut Source<'_, W>) {
    assert!((1..=moves.len()).contains(&count) && moves.len() <= MOST_COUNTED, "the count is in range");
    let mut rank = [W::splat(false); DIGITS];
    draw(&mut rank, count, noise);
    let [a, b, c, _] = rank;
    match count {
        1 => {
            // If it is the only move, no gate sets its plane.
            if let [only] = moves {
                W::splat(true).store(only);
            }
        }
        2 => make(moves, count, [a]),
        3 | 4 => make(moves, count, [a, b]),
        5..=8 => make(moves, count, [a, b, c]),
        _ => make(moves, count, rank),
    }
}

/// Makes the legal move with this rank.
#[inline(always)]
fn make<W: Word, const D: usize>(moves: &mut [Plane], count: usize, mut rank: [W; D]) {
    if count == moves.len() {
        for (number, plane) in moves.iter_mut().enumerate() {
            equal(&rank, number).store(plane);
        }
        return;
    }
    for plane in moves {
        let legal = W::load(plane);
        legal.and(equal(&rank, 0)).store(plane);
        // Below zero the rank wraps to 2^D - 1, which is at least the number of legal moves that
        // remain.
        let mut borrow = legal;
        for digit in &mut rank {
            (*digit, borrow) = (digit.xor(borrow), borrow.and_not(*digit));
        }
    }
}

/// The lanes in which a number of at most four digits equals `number`.
#[inline(always)]
fn equal<W: Word, const D: usize>(digits: &[W; D], number: usize) -> W {
    let mut equal = W::splat(true);
    for (i, &digit) in digits.iter().enumerate() {
        equal = if number >> i & 1 == 1 { equal.and(digit) } else { equal.and_not(digit) };
    }
    equal
}

/// Draws a number below `count` in each lane.
#[inline(always)]
fn draw<W: Word>(rank: &mut [W; DIGITS], count: usize, noise: &mut Source<'_, W>) {
    let even = count.trailing_zeros() as usize;
    let (low, high) = rank.split_at_mut(even);
    for digit in low {
        *digit = noise.plane();
    }
    let odd = count >> even;
    if odd == 1 {
        return;
    }
    let mut todo = try_draw(high, odd, W::splat(true), noise);
    // All 512 lanes are unlikely to be done for a while, and a mispredicted check costs more than
    // another draw.
    for _ in 1..blind(odd) {
        todo = try_draw(high, odd, todo, noise);
    }
    while todo.any() {
        todo = try_draw(high, odd, todo, noise);
    }
}

/// The number of draws after which, with a probability of at least six in seven, no lane of 512
/// must draw again.
const fn blind(odd: usize) -> usize {
    match odd {
        9 => 2,
        5 | 15 => 3,
        7 => 4,
        13 => 5,
        3 => 6,
        _ => 7,
    }
}

/// Draws a number below `odd` in the lanes of `todo`. Returns the lanes that must draw again.
#[inline(always)]
fn try_draw<W: Word>(rank: &mut [W], odd: usize, todo: W, noise: &mut Source<'_, W>) -> W {
    let zero = W::splat(false);
    let mut drawn = [zero; DIGITS];
    let above = match odd {
        3 => {
            drawn[0] = noise.plane();
            drawn[1] = noise.plane();
            drawn[0].and(drawn[1])
        }
        // Two numbers below four or eight are combined.
        5 | 9 => {
            let digits = if odd == 5 { 2 } else { 3 };
            let (mut last, mut first) = (W::splat(true), W::splat(true));
            for _ in 0..digits {
                last = last.and(noise.plane());
            }
            for digit in &mut drawn[..digits] {
                let plane = noise.plane();
                first = first.and(plane);
                *digit = plane.and_not(last);
            }
            drawn[digits] = last;
            first.and(last)
        }
        _ => {
            let digits = if odd == 7 { 3 } else { 4 };
            for digit in &mut drawn[..digits] {
                *digit = noise.plane();
            }
            let [a, b, c, d] = drawn;
            match odd {
                7 => a.and(b).and(c),
                11 => d.and(c.or(b.and(a))),
                13 => d.and(c).and(b.or(a)),
                _ => a.and(b).and(c).and(d),
            }
        }
    };
    for (digit, drawn) in rank.iter_mut().zip(drawn) {
        *digit = todo.pick(drawn, *digit);
    }
    todo.and(above)
}

#[cfg(test)]
mod tests;
