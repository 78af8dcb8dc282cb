//! Uniform choice where the number of legal moves is known and the same in all lanes that matter:
//! from planes of the legal moves to planes of the moves made, each exactly as likely.
//!
//! Nothing has to be counted, and numbers are drawn from a range that is the same for all lanes.
//! The powers of two in its length are digits as they come. Only the odd part is drawn by
//! rejection, from enough digits that rejection is rare: two numbers below eight make one below
//! nine (the first one, unless the second is seven; eight then, unless both are).

use super::noise::Source;
use crate::simd::{Plane, Word};
use gdl_format::lanes::MOST_COUNTED;

/// Digits of a rank.
const DIGITS: usize = 4;

/// Replaces the `count` legal moves by the one that is made. Where all moves are legal, the planes
/// need not say so. In lanes with another number of legal moves some are made, or none.
///
/// # Panics
/// Panics if there are more than fifteen moves, or fewer than `count`, or that is 0.
#[inline(always)]
pub fn choose_counted<W: Word>(moves: &mut [Plane], count: usize, noise: &mut Source<'_, W>) {
    assert!((1..=moves.len()).contains(&count) && moves.len() <= MOST_COUNTED, "the count is in range");
    let mut rank = [W::splat(false); DIGITS];
    draw(&mut rank, count, noise);
    let [a, b, c, _] = rank;
    match count {
        1 => {
            // Where it is the only one, no gate says that it is legal.
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

/// Makes the move of this rank.
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
        // Below zero the rank is 2^D - 1 again, which is more than the legal moves that are left.
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

/// Draws a number below `count`.
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
    // That all 512 lanes are content is unlikely for a while, and a look that turns out differently
    // now and then costs more than another draw.
    for _ in 1..blind(odd) {
        todo = try_draw(high, odd, todo, noise);
    }
    while todo.any() {
        todo = try_draw(high, odd, todo, noise);
    }
}

/// Draws after which, of 512 lanes, in six of seven times none is left.
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

/// Draws a number below an odd one in some lanes. Returns the lanes in which that must be done
/// again.
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
        // Two numbers below four or eight.
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
