//! Uniform choice of a legal move in 32 games at once: a builder computes words of chosen moves
//! from words of legal moves.
//!
//! A number is spread over words, one for each binary digit, lowest first. Legal moves are counted
//! in groups of at most seven, and the counts are added. A rank is drawn by rejection sampling,
//! with as many digits in each game as its own greatest rank has. Subtracting the counts locates
//! the group of the rank, and then its move. If the number of legal moves is known, nothing is
//! counted.

use crate::builder::{Build, Register};

/// The moves of a group, which three digits can count.
const GROUP: usize = 7;

/// The number of digits that are drawn without checking whether any game needs them.
const PLAIN: usize = 4;

/// The registers for drawing a move.
#[derive(Clone, Copy)]
pub(crate) struct Scratch {
    pub(crate) todo: Register,
    pub(crate) above: Register,
    /// The first register of a rank's digits; `length` is the number of these registers.
    pub(crate) digits: Register,
    pub(crate) length: usize,
}

impl Scratch {
    fn digit(self, place: usize) -> Register {
        assert!(place < self.length, "there is a register for each digit");
        Register(self.digits.0 + place)
    }
}

/// Chooses a legal move in each game that has one. Returns the words of chosen moves, and the games
/// without a legal move. The choice is uniform only in games of `todo`.
pub(crate) fn choose<B: Build>(
    b: &mut B,
    scratch: Scratch,
    moves: &[B::Value],
    todo: B::Value,
) -> (Vec<B::Value>, B::Value) {
    match moves {
        [] => return (Vec::new(), b.constant(true)),
        // A single move is chosen if it is legal.
        [only] => return (vec![*only], b.not(*only)),
        _ => {}
    }
    let counts: Vec<Vec<B::Value>> = moves.chunks(GROUP).map(|group| count(b, group)).collect();
    let mut total = counts[0].clone();
    for (place, other) in counts.iter().enumerate().skip(1) {
        total = add(b, &total, other);
        total.truncate(digits(moves.len().min((place + 1) * GROUP)));
    }
    let (greatest, none) = decrement(b, &total, digits(moves.len() - 1));
    let rank = draw(b, scratch, &greatest, todo);
    (make(b, moves, &counts, rank), none)
}

/// Chooses a move if each game of `todo` has exactly `known` legal moves. If all moves are legal,
/// their words are not read.
pub(crate) fn choose_known<B: Build>(
    b: &mut B,
    scratch: Scratch,
    moves: &[B::Value],
    known: usize,
    todo: B::Value,
) -> Vec<B::Value> {
    if known == 1 {
        let only = b.constant(true);
        return if moves.len() == 1 { vec![only] } else { moves.to_vec() };
    }
    // A factor that is a power of two takes plain random digits; only the odd factor needs
    // rejection.
    let even = known.trailing_zeros() as usize;
    let mut rank: Vec<B::Value> = (0..even).map(|_| b.noise()).collect();
    let most = (known >> even) - 1;
    if most > 0 {
        let greatest: Vec<B::Value> =
            (0..digits(most)).map(|digit| b.constant(most >> digit & 1 == 1)).collect();
        rank.extend(draw(b, scratch, &greatest, todo));
    }
    if known < moves.len() {
        return pick(b, moves, rank);
    }
    (0..known).map(|number| equal(b, &rank, number)).collect()
}

/// Returns the number of binary digits of a number.
pub(crate) fn digits(number: usize) -> usize {
    (usize::BITS - number.leading_zeros()) as usize
}

/// Counts the set bits of at most seven words in each lane.
fn count<B: Build>(b: &mut B, words: &[B::Value]) -> Vec<B::Value> {
    let mut columns = vec![words.to_vec()];
    let mut place = 0;
    while place < columns.len() {
        while columns[place].len() > 1 {
            let rest = columns[place].len().saturating_sub(3);
            let (sum, carry) = match columns[place].split_off(rest)[..] {
                [x, y, z] => (b.sum(x, y, z), b.carry(x, y, z)),
                [x, y] => (b.xor(x, y), b.and(x, y)),
                _ => break,
            };
            columns[place].push(sum);
            if columns.len() == place + 1 {
                columns.push(Vec::new());
            }
            columns[place + 1].push(carry);
        }
        place += 1;
    }
    columns.into_iter().flatten().collect()
}

/// Adds two numbers; the sum is one digit longer than the longer of the two.
fn add<B: Build>(b: &mut B, one: &[B::Value], other: &[B::Value]) -> Vec<B::Value> {
    let zero = b.constant(false);
    let mut carry = zero;
    let mut sum = Vec::with_capacity(one.len().max(other.len()) + 1);
    for place in 0..one.len().max(other.len()) {
        let [x, y] = [one, other].map(|digits| digits.get(place).copied().unwrap_or(zero));
        sum.push(b.sum(x, y, carry));
        carry = b.carry(x, y, carry);
    }
    sum.push(carry);
    sum
}

/// Subtracts one from a number, to `length` digits. Also returns the lanes in which the number was
/// zero; there it stays zero.
fn decrement<B: Build>(b: &mut B, number: &[B::Value], length: usize) -> (Vec<B::Value>, B::Value) {
    let mut none = b.constant(true);
    let mut less = Vec::with_capacity(number.len());
    for &digit in number {
        less.push(b.xor(digit, none));
        none = b.and_not(none, digit);
    }
    less.truncate(length);
    (less.into_iter().map(|digit| b.and_not(digit, none)).collect(), none)
}

/// Draws a random number from 0 to `greatest` in the games of `todo`; the others have any number.
fn draw<B: Build>(b: &mut B, scratch: Scratch, greatest: &[B::Value], todo: B::Value) -> Vec<B::Value> {
    // The digits that may be set: those up to the highest set digit of `greatest`.
    let mut masks = greatest.to_vec();
    for place in (1..masks.len()).rev() {
        masks[place - 1] = b.or(masks[place - 1], masks[place]);
    }
    let zero = b.constant(false);
    (0..greatest.len()).for_each(|place| b.set(scratch.digit(place), zero));
    b.set(scratch.todo, todo);
    b.repeat(|b| {
        b.set(scratch.above, zero);
        let todo = b.get(scratch.todo);
        for (place, (&greatest, &mask)) in greatest.iter().zip(&masks).enumerate() {
            let digit = scratch.digit(place);
            let try_digit = |b: &mut B| {
                let noise = b.noise();
                let drawn = b.and(noise, mask);
                let above = b.get(scratch.above);
                let above = b.borrow(greatest, drawn, above);
                b.set(scratch.above, above);
                let old = b.get(digit);
                let new = b.pick(todo, drawn, old);
                b.set(digit, new);
            };
            if place < PLAIN {
                try_digit(b);
            } else {
                b.when(mask, try_digit);
            }
        }
        let above = b.get(scratch.above);
        let again = b.and(todo, above);
        b.set(scratch.todo, again);
        again
    });
    (0..greatest.len()).map(|place| b.get(scratch.digit(place))).collect()
}

/// Builds, for each lane, the legal move with a rank. `counts` has the number of legal moves of
/// each group, in binary digits.
fn make<B: Build>(
    b: &mut B,
    moves: &[B::Value],
    counts: &[Vec<B::Value>],
    mut rank: Vec<B::Value>,
) -> Vec<B::Value> {
    if counts.len() == 1 {
        return pick(b, moves, rank);
    }
    let zero = b.constant(false);
    let mut words = vec![zero; GROUP];
    let mut inner = vec![zero; rank.len().min(digits(GROUP))];
    let mut heres = Vec::with_capacity(counts.len());
    for (group, count) in moves.chunks(GROUP).zip(counts) {
        // Once negative, the rank wraps around, and the counts of the remaining groups are too
        // small to make it negative again.
        let before = rank.clone();
        let mut here = zero;
        for (place, digit) in rank.iter_mut().enumerate() {
            let old = *digit;
            let less = count.get(place).copied().unwrap_or(zero);
            *digit = b.sum(old, less, here);
            here = b.borrow(old, less, here);
        }
        // The rank in the chosen group, and the group's moves, in games that choose there.
        for (digit, before) in inner.iter_mut().zip(before) {
            *digit = b.lut(0xf8, [*digit, here, before]);
        }
        for (word, &legal) in words.iter_mut().zip(group) {
            *word = b.lut(0xf8, [*word, here, legal]);
        }
        heres.push(here);
    }
    let picked = pick(b, &words, inner);
    let mut made = Vec::with_capacity(moves.len());
    for (group, here) in moves.chunks(GROUP).zip(heres) {
        for &word in &picked[..group.len()] {
            made.push(b.and(here, word));
        }
    }
    made
}

/// Builds words with one set bit in each lane: in the word that has the given rank among those set
/// there.
fn pick<B: Build>(b: &mut B, words: &[B::Value], mut rank: Vec<B::Value>) -> Vec<B::Value> {
    let mut picked = Vec::with_capacity(words.len());
    for &word in words {
        let here = equal(b, &rank, 0);
        picked.push(b.and(word, here));
        // Below zero, the rank wraps around and exceeds the number of remaining words.
        let mut borrow = word;
        for digit in &mut rank {
            let old = *digit;
            *digit = b.xor(old, borrow);
            borrow = b.and_not(borrow, old);
        }
    }
    picked
}

/// Returns the lanes in which a number equals `value`.
fn equal<B: Build>(b: &mut B, number: &[B::Value], value: usize) -> B::Value {
    let mut equal = b.constant(true);
    for (place, &digit) in number.iter().enumerate() {
        equal = if value >> place & 1 == 1 { b.and(equal, digit) } else { b.and_not(equal, digit) };
    }
    equal
}
