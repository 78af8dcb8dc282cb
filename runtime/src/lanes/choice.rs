//! Uniform choice of a legal move in 512 lanes at once: from planes of the legal moves to planes of
//! the chosen moves.
//!
//! Numbers are bit-sliced: one plane for each binary digit. Legal moves are counted in groups of at
//! most seven, and the counts summed. A lane's rank is drawn by rejection. It has as many random
//! digits as the lane's greatest rank, and lanes with too great a rank draw again until no lane
//! remains.
//!
//! Then the counts of the groups are subtracted from the rank. The rank falls below zero in the
//! group of the chosen move, which may differ between lanes. The words of that group are gathered,
//! and the rank is counted down to zero among them. With 1,024 moves or more, nine groups are
//! counted together as a crowd. The long digits of the rank are subtracted once for each crowd, and
//! the groups of a crowd only if some lane chooses there.
//!
//! Without optimisation each number of moves has a separate function. If all were inlined into one,
//! its stack frame would have two megabytes.
//!
//! The amount of noise used depends on the drawn numbers, but not on the instruction set. Closures
//! are avoided: a closure that handles a [`Word`] is compiled without the instructions of that
//! word.

use super::noise::Source;
use crate::simd::{Plane, Word};
use gdl_format::lanes::MOST_SLOTS;

/// The number of moves in a group: three digits count up to seven.
const GROUP: usize = 7;

/// The number of groups in a crowd, and the number of its moves: six digits count up to 63.
const GROUPS: usize = 9;
const CROWD: usize = GROUPS * GROUP;

/// The number of moves from which on crowds are used.
const VAST: usize = 1 << 10;

/// The number of digits of the greatest possible rank.
const DIGITS: usize = MOST_SLOTS.ilog2() as usize;

/// Ranks of at most this number of digits are drawn without checking how many digits are needed.
const SHORT: usize = 4;

/// Buffers for [`choose`].
#[derive(Clone, Debug, Default)]
pub struct Groups {
    /// For each group of moves, the three binary digits of its count of legal moves, and the lanes
    /// whose chosen move is in the group.
    groups: Vec<[Plane; 4]>,
    crowds: Vec<Crowd>,
}

/// A crowd: the digits of its count, the lanes that chose in it, and the lanes that chose in each
/// of its groups.
#[derive(Clone, Debug, Default)]
struct Crowd {
    count: [Plane; 6],
    here: Plane,
    groups: [Plane; GROUPS],
}

impl Groups {
    /// Allocates buffers for `moves` moves.
    pub(super) fn new(moves: usize) -> Self {
        Self {
            groups: vec![[Plane::ZERO; 4]; moves.min(VAST).div_ceil(GROUP)],
            crowds: vec![Crowd::default(); moves.div_ceil(CROWD)],
        }
    }
}

/// Replaces the legal moves by the chosen one. Returns the lanes that have no legal move. There
/// must be fewer than 2^24 moves.
///
/// # Panics
/// Panics if `groups` is too small for the moves.
#[inline(always)]
pub fn choose<W: Word>(moves: &mut [Plane], noise: &mut Source<'_, W>, groups: &mut Groups) -> W {
    macro_rules! by_digits {
        ($($digits:literal)*) => {
            match usize::BITS - moves.len().leading_zeros() {
                $(..=$digits => many::<W, $digits>(moves, noise, groups),)*
                _ => unreachable!("fewer moves than are counted in crowds"),
            }
        };
    }
    match moves.len() {
        0 => W::splat(true),
        // The only move is made if it is legal.
        1 => W::load(&moves[0]).not(),
        2 => few::<W, 2, 1>(moves, noise),
        3 => few::<W, 3, 2>(moves, noise),
        4 => few::<W, 4, 2>(moves, noise),
        5 => few::<W, 5, 3>(moves, noise),
        6 => few::<W, 6, 3>(moves, noise),
        7 => few::<W, 7, 3>(moves, noise),
        8 => some::<W, 4, 2, 3, 2>(moves, noise),
        9 => some::<W, 3, 3, 4, 2>(moves, noise),
        10 => some::<W, 5, 2, 4, 3>(moves, noise),
        11 | 12 => some::<W, 4, 3, 4, 2>(moves, noise),
        13..=15 => some::<W, 5, 3, 4, 3>(moves, noise),
        VAST.. => vast(moves, noise, groups),
        // Code for every number of digits would be no faster, and would take long to compile.
        _ => by_digits!(5 6 7 8 9 10),
    }
}

/// Chooses among `N` moves, at most seven; ranks have `E` digits.
#[cfg_attr(not(unoptimized), inline(always))]
fn few<W: Word, const N: usize, const E: usize>(moves: &mut [Plane], noise: &mut Source<'_, W>) -> W {
    let words: [W; N] = load(moves);
    let (rank, none) = draw::<W, 3, E>(count(words), noise);
    for (word, plane) in pick(words, rank).into_iter().zip(moves) {
        word.store(plane);
    }
    none
}

/// Chooses among at most fifteen moves, in `K` groups of at most `G`, all in registers. Ranks have
/// `E` digits, and `I` digits inside a group.
#[cfg_attr(not(unoptimized), inline(always))]
fn some<W: Word, const G: usize, const K: usize, const E: usize, const I: usize>(
    moves: &mut [Plane],
    noise: &mut Source<'_, W>,
) -> W {
    let zero = W::splat(false);
    let mut groups = [[zero; G]; K];
    for (group, planes) in groups.iter_mut().zip(moves.chunks(G)) {
        *group = load(planes);
    }
    let mut counts = [[zero; 3]; K];
    let mut total = [zero; 4];
    for (i, &group) in groups.iter().enumerate() {
        counts[i] = count(group);
        let [low, middle, high] = counts[i];
        total = if i == 0 { [low, middle, high, zero] } else { add(total, own::<W, G>(&counts[i])) };
    }
    let (mut rank, none) = draw::<W, 4, E>(total, noise);
    let mut here = [zero; K];
    let (mut words, mut inner) = ([zero; G], [zero; I]);
    for i in 0..K {
        let before = rank;
        here[i] = subtract(&mut rank, own::<W, G>(&counts[i]));
        for (digit, before) in inner.iter_mut().zip(before) {
            *digit = gather(i == 0, *digit, here[i], before);
        }
        for (word, other) in words.iter_mut().zip(groups[i]) {
            *word = gather(i == 0, *word, here[i], other);
        }
    }
    let words = pick(words, inner);
    for (planes, here) in moves.chunks_mut(G).zip(here) {
        for (plane, word) in planes.iter_mut().zip(words) {
            here.and(word).store(plane);
        }
    }
    none
}

/// Chooses among fewer than 2^B moves, in groups of seven.
#[cfg_attr(not(unoptimized), inline(always))]
fn many<W: Word, const B: usize>(moves: &mut [Plane], noise: &mut Source<'_, W>, groups: &mut Groups) -> W {
    let groups = &mut groups.groups[..moves.len().div_ceil(GROUP)];
    let mut total = [W::splat(false); B];
    for (planes, group) in moves.chunks(GROUP).zip(groups.iter_mut()) {
        let count = count::<W, GROUP>(load(planes));
        for (digit, plane) in count.iter().zip(group) {
            digit.store(plane);
        }
        total = add(total, &count);
    }
    let (mut rank, none) = draw::<W, B, B>(total, noise);
    let mut words = [W::splat(false); GROUP];
    let mut inner = [W::splat(false); 3];
    for (planes, group) in moves.chunks(GROUP).zip(groups.iter_mut()) {
        // The rank falls below zero only once: it then wraps to a number above the sum of the
        // remaining counts.
        let before = rank;
        let here = subtract(&mut rank, &[W::load(&group[0]), W::load(&group[1]), W::load(&group[2])]);
        here.store(&mut group[3]);
        for (digit, before) in inner.iter_mut().zip(before) {
            *digit = gather(false, *digit, here, before);
        }
        for (word, plane) in words.iter_mut().zip(planes) {
            *word = gather(false, *word, here, W::load(plane));
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

/// Chooses among any number of moves, in crowds. The result is the same as in groups alone.
#[cfg_attr(not(unoptimized), inline(always))]
fn vast<W: Word>(moves: &mut [Plane], noise: &mut Source<'_, W>, groups: &mut Groups) -> W {
    let crowds = &mut groups.crowds[..moves.len().div_ceil(CROWD)];
    let mut total = [W::splat(false); DIGITS];
    for (planes, crowd) in moves.chunks(CROWD).zip(crowds.iter_mut()) {
        let mut all = [W::splat(false); 6];
        for group in planes.chunks(GROUP) {
            all = add(all, &count::<W, GROUP>(load(group)));
        }
        for (digit, plane) in all.iter().zip(&mut crowd.count) {
            digit.store(plane);
        }
        total = add(total, &all);
    }
    let (mut rank, none) = draw::<W, DIGITS, DIGITS>(total, noise);
    let mut words = [W::splat(false); GROUP];
    let mut inner = [W::splat(false); 3];
    for (planes, crowd) in moves.chunks(CROWD).zip(crowds.iter_mut()) {
        // Where the rank falls below zero here, it has no more digits than the count.
        let mut rest = [W::splat(false); 6];
        rest.copy_from_slice(&rank[..6]);
        let here = subtract(&mut rank, &load::<W, 6>(&crowd.count));
        here.store(&mut crowd.here);
        if !here.any() {
            continue;
        }
        for (planes, place) in planes.chunks(GROUP).zip(&mut crowd.groups) {
            let before = rest;
            let own = load(planes);
            // In the lanes of `here`, `rest` falls below zero only once, too.
            let here = here.and(subtract(&mut rest, &count::<W, GROUP>(own)));
            here.store(place);
            for (digit, before) in inner.iter_mut().zip(before) {
                *digit = gather(false, *digit, here, before);
            }
            for (word, other) in words.iter_mut().zip(own) {
                *word = gather(false, *word, here, other);
            }
        }
    }
    let words = pick(words, inner);
    for (planes, crowd) in moves.chunks_mut(CROWD).zip(crowds) {
        if !W::load(&crowd.here).any() {
            planes.fill(Plane::ZERO);
            continue;
        }
        for (planes, here) in planes.chunks_mut(GROUP).zip(&crowd.groups) {
            let here = W::load(here);
            for (plane, word) in planes.iter_mut().zip(words) {
                here.and(word).store(plane);
            }
        }
    }
    none
}

/// Loads words from memory; missing ones are clear.
#[inline(always)]
fn load<W: Word, const N: usize>(planes: &[Plane]) -> [W; N] {
    let mut words = [W::splat(false); N];
    for (word, plane) in words.iter_mut().zip(planes) {
        *word = W::load(plane);
    }
    words
}

/// Returns `sum | (here & other)`, without `sum` in the first call.
#[inline(always)]
fn gather<W: Word>(is_first: bool, sum: W, here: W, other: W) -> W {
    // Compilers do not simplify an operation on three words if one of them is clear.
    if is_first { here.and(other) } else { sum.or_both(here, other) }
}

/// Counts the set words, at most seven, in each lane.
#[inline(always)]
#[allow(clippy::many_single_char_names, reason = "seven words")]
fn count<W: Word, const N: usize>(words: [W; N]) -> [W; 3] {
    let zero = W::splat(false);
    let mut all = [zero; GROUP];
    for (place, word) in all.iter_mut().zip(words) {
        *place = word;
    }
    let [a, b, c, d, e, f, g] = all;
    if N == 2 {
        return [a.xor(b), a.and(b), zero];
    }
    let (low, high) = (W::sum(a, b, c), W::carry(a, b, c));
    match N {
        3 => [low, high, zero],
        4 => {
            let both = low.and(d);
            [low.xor(d), high.xor(both), high.and(both)]
        }
        5 => {
            let other = W::carry(low, d, e);
            [W::sum(low, d, e), high.xor(other), high.and(other)]
        }
        _ => {
            let (other_low, other_high) = (W::sum(d, e, f), W::carry(d, e, f));
            let (sum, last) = if N == 6 {
                (low.xor(other_low), low.and(other_low))
            } else {
                (W::sum(low, other_low, g), W::carry(low, other_low, g))
            };
            [sum, W::sum(high, other_high, last), W::carry(high, other_high, last)]
        }
    }
}

/// The digits that the count of `N` words can have.
#[inline(always)]
fn own<W: Word, const N: usize>(count: &[W; 3]) -> &[W] {
    if N < 4 { &count[..2] } else { count }
}

/// Adds two numbers; the second may have fewer digits.
#[inline(always)]
fn add<W: Word, const B: usize>(mut sum: [W; B], other: &[W]) -> [W; B] {
    let mut carry = W::splat(false);
    for (i, digit) in sum.iter_mut().enumerate() {
        (*digit, carry) = match other.get(i) {
            Some(&other) if i == 0 => (digit.xor(other), digit.and(other)),
            Some(&other) => (W::sum(*digit, other, carry), W::carry(*digit, other, carry)),
            None => (digit.xor(carry), digit.and(carry)),
        };
    }
    sum
}

/// Subtracts a number. Returns the lanes where the result falls below zero.
#[inline(always)]
fn subtract<W: Word, const B: usize>(rank: &mut [W; B], other: &[W]) -> W {
    let mut borrow = W::splat(false);
    for (i, digit) in rank.iter_mut().enumerate() {
        (*digit, borrow) = match other.get(i) {
            Some(&other) if i == 0 => (digit.xor(other), other.and_not(*digit)),
            Some(&other) => (W::sum(*digit, other, borrow), W::borrow(*digit, other, borrow)),
            None => (digit.xor(borrow), borrow.and_not(*digit)),
        };
    }
    borrow
}

/// Selects the set word with this rank.
#[inline(always)]
fn pick<W: Word, const N: usize, const I: usize>(words: [W; N], mut rank: [W; I]) -> [W; N] {
    // Below zero the rank wraps to 2^I - 1, which is at least the number of words that remain.
    let mut picked = words;
    for (picked, word) in picked.iter_mut().zip(words) {
        *picked = match rank[..] {
            [low] => word.and_not(low),
            [low, high] => W::ternary::<0x10>(word, low, high),
            [low, middle, high] => word.and_not(W::ternary::<0xfe>(low, middle, high)),
            _ => unreachable!("a group has at most seven words"),
        };
        let mut borrow = word;
        for digit in &mut rank {
            (*digit, borrow) = (digit.xor(borrow), borrow.and_not(*digit));
        }
    }
    picked
}

/// Draws a number below each lane's `count`. Also returns the lanes where `count` is 0, whose
/// number is unspecified. `E` digits must suffice.
#[inline(always)]
fn draw<W: Word, const B: usize, const E: usize>(count: [W; B], noise: &mut Source<'_, W>) -> ([W; E], W) {
    let zero = W::splat(false);
    // The greatest number is `count` - 1.
    let mut greatest = [zero; E];
    let mut none = W::splat(true);
    for (i, digit) in count.into_iter().enumerate() {
        if i < E {
            greatest[i] = digit.xor(none);
        }
        none = none.and_not(digit);
    }
    // For each digit, its value in the greatest number and the lanes where it may be set. `digits`
    // is the most that any lane needs.
    let mut ranges = [(zero, zero); E];
    let (mut mask, mut digits) = (zero, 0);
    for i in (0..E).rev() {
        if E > SHORT {
            greatest[i] = greatest[i].and_not(none);
        }
        mask = mask.or(greatest[i]);
        ranges[i] = (greatest[i], mask);
        if digits == 0 && (E <= SHORT || mask.any()) {
            digits = i + 1;
        }
    }
    let ranges = &ranges[..digits];
    let mut rank = [zero; E];
    let mut todo = W::splat(true);
    todo = try_draw(&mut rank, ranges, todo, noise);
    // A number of one digit is never too great. The first draw is often the last, so that check is
    // well predicted. Otherwise several more draws are needed, and checks between them would cost
    // more than they save.
    if E > 1 && todo.any() {
        for _ in 0..blind(E) {
            todo = try_draw(&mut rank, ranges, todo, noise);
        }
        while todo.any() {
            todo = try_draw(&mut rank, ranges, todo, noise);
        }
    }
    (rank, none)
}

/// The number of draws of `digits` digits that are made without checking if any of 512 lanes still
/// needs them.
const fn blind(digits: usize) -> usize {
    match digits {
        0..4 => 4,
        SHORT => 6,
        _ => 5,
    }
}

/// Draws numbers in the lanes of `todo`. `ranges` has, for each digit, its value in the greatest
/// number and the lanes where it may be set. Returns the lanes that must draw again.
#[inline(always)]
fn try_draw<W: Word>(rank: &mut [W], ranges: &[(W, W)], todo: W, noise: &mut Source<'_, W>) -> W {
    let mut above = W::splat(false);
    for (i, (digit, &(greatest, mask))) in rank.iter_mut().zip(ranges).enumerate() {
        let drawn = noise.plane().and(mask);
        above = if i == 0 { drawn.and_not(greatest) } else { W::borrow(greatest, drawn, above) };
        *digit = todo.pick(drawn, *digit);
    }
    todo.and(above)
}

#[cfg(test)]
mod tests;
