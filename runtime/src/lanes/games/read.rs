//! Reading of games in planes into a caller's arrays: rows of fluents and of legal moves, the role
//! to move, the ended games and their values.
//!
//! Rows are transposed 64 planes at a time. Rows of one or two words go from registers to the
//! array. Reading does not change a game.

use super::{Games, Seat, Stepper, several};
use crate::simd::{Kernel, Plane, Rows, Word, gather, of_lane, square, to_rows};
use std::array;

/// A fluent number that reads as false in every game.
pub const CLEAR: u32 = u32::MAX;

/// The parts of games that can be read, as rows of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part<'a> {
    /// The fluents that hold.
    State,
    /// The fluents of this list, in its order; [`CLEAR`] is false in every game.
    Fluents(&'a [u32]),
    /// The legal moves: one row for the role to move, or one for each role. They are empty in games
    /// that have ended, and for chance.
    Legal,
}

/// The destination of a read.
#[derive(Debug)]
pub enum To<'a> {
    /// One byte for each bit: 1 if it is set, otherwise 0.
    Bytes(&'a mut [u8]),
    /// Bit i of a row in word i / 64.
    Words(&'a mut [u64]),
}

/// The permutation from words of one role, with a byte for each of 64 games, to words in which the
/// bytes of a game are adjacent. There are as many of these words as roles.
pub(super) struct Weave {
    /// For each word, the game whose byte goes to each place. For the second role of a pair, 64 is
    /// added.
    games: Box<[Plane]>,
    /// For each word and each pair of roles, the places of their bytes.
    pairs: Box<[u64]>,
}

impl Stepper {
    /// Writes a part of all games, the rows of one game after those of another. O(games * bits of a
    /// row).
    ///
    /// # Panics
    /// Panics if the number of words or bytes is not the number that the rows have.
    pub fn read(&mut self, games: &Games, part: Part<'_>, to: To<'_>) {
        self.isa.run(Read { stepper: self, games, part, to });
    }

    /// Writes true for the games that the last step ended.
    ///
    /// # Panics
    /// Panics if the length is not the number of games.
    pub fn ended(&self, games: &Games, to: &mut [bool]) {
        assert_eq!(to.len(), games.length, "a value for each game");
        self.isa.run(Tell { lanes: &games.ended, to });
    }

    /// Writes the role to move in each game, whose move [`Stepper::choose`] takes. If
    /// [`Stepper::asks_all`] is true, writes the only role other than chance with several legal
    /// moves. Writes -1 if there is no such role or the game has ended.
    ///
    /// # Panics
    /// Panics if the length is not the number of games, or a role's index does not fit an `i8`.
    pub fn asked(&mut self, games: &Games, to: &mut [i8]) {
        assert_eq!(to.len(), games.length, "a number for each game");
        assert!(self.lanes.shape.roles <= 1 + i8::MAX as usize, "numbers of roles fit");
        self.isa.run(Number { stepper: self, games, to });
    }

    /// Writes the value of each role's goal, by `worth`, in each scored game that the last step
    /// ended. A scored game ends in a terminal state where every role other than chance has exactly
    /// one goal value. Writes 0 elsewhere and for chance. O(games * roles).
    ///
    /// # Panics
    /// Panics if the length is not the number of games times roles.
    pub fn worth(&mut self, games: &Games, worth: impl Fn(u8) -> f32, to: &mut [f32]) {
        assert_eq!(to.len(), games.length * self.lanes.shape.roles, "a number for each role of each game");
        if games.ended.0.iter().zip(games.terminal.0).all(|(ended, terminal)| ended & terminal == 0) {
            to.fill(0.0);
            return;
        }
        // Goals of value 0 need no number.
        let (mut values, mut count) = ([0.0; 128], 1);
        let mut of_value = [0_u8; 256];
        for &(_, goal) in &self.goals {
            let worth = worth(goal);
            if worth != 0.0 && of_value[usize::from(goal)] == 0 {
                of_value[usize::from(goal)] = count as u8;
                values[count] = worth;
                count += 1;
            }
        }
        self.isa.run(Worth { stepper: self, games, of_value: &of_value, values: &values, count, to });
    }
}

impl Weave {
    pub(super) fn new(roles: usize) -> Self {
        // The game and the role of a byte.
        let of = |word: usize, place: usize| ((64 * word + place) / roles, (64 * word + place) % roles);
        let games = (0..roles).map(|word| {
            let bytes: [u8; 64] = array::from_fn(|place| {
                let (game, role) = of(word, place);
                (game + role % 2 * 64) as u8
            });
            let mut plane = Plane::ZERO;
            plane
                .0
                .iter_mut()
                .zip(bytes.as_chunks().0)
                .for_each(|(to, bytes)| *to = u64::from_le_bytes(*bytes));
            plane
        });
        let lanes = |word: usize, pair: usize| {
            (0..64).filter(|&place| of(word, place).1 / 2 == pair).fold(0, |lanes, place| lanes | 1 << place)
        };
        let pairs = (0..roles).flat_map(|word| (0..roles.div_ceil(2)).map(move |pair| (word, pair)));
        Self { games: games.collect(), pairs: pairs.map(|(word, pair)| lanes(word, pair)).collect() }
    }
}

/// A kernel that transposes a part of games to rows, and writes them.
struct Read<'a> {
    stepper: &'a mut Stepper,
    games: &'a Games,
    part: Part<'a>,
    to: To<'a>,
}

impl Kernel for Read<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Word>(self) {
        let Self { stepper: Stepper { lanes, seats, scratch, rows, .. }, games, part, to } = self;
        let [scratch, second, buffer] = &mut **scratch;
        let length = games.length;
        let (times, bits) = match part {
            Part::State => (1, lanes.shape.fluents),
            Part::Fluents(fluents) => (1, fluents.len()),
            Part::Legal => (seats.len(), lanes.shape.moves),
        };
        let words = times * bits.div_ceil(64);
        let source = Source { games, seats, chance: lanes.chance, part, bits };
        match to {
            To::Words(to) => {
                assert_eq!(to.len(), length * words, "words for each game");
                // One or two words are written without a buffer.
                if words == 1 {
                    let groups = gather::<W>(source.planes(0, buffer), scratch);
                    for (block, to) in to.chunks_mut(64).enumerate() {
                        for (word, to) in
                            square::<W>(scratch, block, groups).into_iter().zip(to.chunks_mut(8))
                        {
                            put_words(word, to);
                        }
                    }
                    return;
                }
                if words == 2 {
                    let groups = gather::<W>(source.planes(0, buffer), scratch);
                    let others = gather::<W>(source.planes(1, buffer), second);
                    for (block, to) in to.chunks_mut(128).enumerate() {
                        let words = square::<W>(scratch, block, groups)
                            .into_iter()
                            .zip(square(second, block, others));
                        for ((word, other), to) in words.zip(to.chunks_mut(16)) {
                            for (word, to) in word.interleave(other).into_iter().zip(to.chunks_mut(8)) {
                                put_words(word, to);
                            }
                        }
                    }
                    return;
                }
                source.rows::<W>(words, rows, scratch, buffer);
                for (lane, to) in to.chunks_mut(words.max(1)).enumerate() {
                    to.iter_mut().zip(&*rows).for_each(|(to, rows)| *to = of_lane(rows, lane));
                }
            }
            To::Bytes(to) => {
                assert_eq!(to.len(), length * times * bits, "bytes for each game");
                source.rows::<W>(words, rows, scratch, buffer);
                write_bytes::<W>(rows, bits, length, to);
            }
        }
    }
}

/// Writes up to eight words, as many as fit.
#[inline(always)]
fn put_words<W: Word>(word: W, to: &mut [u64]) {
    let mut plane = Plane::ZERO;
    word.store(&mut plane);
    match to.first_chunk_mut() {
        Some(to) => *to = plane.0,
        None => to.copy_from_slice(&plane.0[..to.len()]),
    }
}

/// The source of a read: rows of `bits` bits each.
struct Source<'a> {
    games: &'a Games,
    seats: &'a [Seat],
    chance: Option<usize>,
    part: Part<'a>,
    bits: usize,
}

impl Source<'_> {
    /// Returns the planes of a word; missing ones are clear. Planes that are not adjacent are
    /// copied to `buffer`.
    #[inline(always)]
    fn planes<'b>(&'b self, number: usize, buffer: &'b mut Rows) -> &'b [Plane] {
        let words = self.bits.div_ceil(64);
        let first = number % words * 64;
        let end = (first + 64).min(self.bits);
        match self.part {
            Part::State => &self.games.fluents[first..end],
            Part::Fluents(fluents) => {
                for (plane, &fluent) in buffer.iter_mut().zip(&fluents[first..end]) {
                    *plane = self.games.fluents.get(fluent as usize).copied().unwrap_or(Plane::ZERO);
                }
                &buffer[..end - first]
            }
            Part::Legal if self.chance == Some(number / words) => &[],
            Part::Legal => {
                let Seat { moves, planes } = &self.seats[number / words];
                let (from, end) = (moves.start.max(first), moves.end.min(end));
                if from >= end {
                    return &[];
                }
                let legal = &self.games.legal[planes.clone()][from - moves.start..end - moves.start];
                if from == first {
                    return legal;
                }
                buffer[..from - first].fill(Plane::ZERO);
                buffer[from - first..end - first].copy_from_slice(legal);
                &buffer[..end - first]
            }
        }
    }

    /// Transposes all words to rows.
    #[inline(always)]
    fn rows<W: Word>(&self, words: usize, rows: &mut Vec<Rows>, scratch: &mut Rows, buffer: &mut Rows) {
        rows.resize(words, [Plane::ZERO; 64]);
        for (number, rows) in rows.iter_mut().enumerate() {
            let planes = self.planes(number, buffer);
            if planes.is_empty() {
                rows.fill(Plane::ZERO);
            } else {
                to_rows::<W>(planes, rows, self.games.length.div_ceil(64), scratch);
            }
        }
    }
}

/// Writes a byte for each bit of rows; the rows of each game are consecutive.
#[inline(always)]
fn write_bytes<W: Word>(rows: &[Rows], bits: usize, length: usize, to: &mut [u8]) {
    let width = if bits == 0 { 0 } else { rows.len() / bits.div_ceil(64) * bits };
    for lane in 0..length {
        let (mut start, mut left) = (lane * width, bits);
        for rows in rows {
            let count = left.min(64);
            write_bits::<W>(of_lane(rows, lane), count, &mut to[start..]);
            start += count;
            left = if left == count { bits } else { left - count };
        }
    }
}

/// Writes the first `bits` bits as bytes, and some more as long as there is room; later writes
/// overwrite these. Short rows use short stores, since a store across two cache lines takes twice
/// as long.
#[inline(always)]
fn write_bits<W: Word>(word: u64, bits: usize, to: &mut [u8]) {
    let values = W::spread(word).and(W::load(&Plane([0x0101_0101_0101_0101; 8])));
    if let (Some(to), ..=16) = (to.first_chunk_mut::<16>(), bits) {
        return values.put(to);
    }
    if let (Some(to), ..=32) = (to.first_chunk_mut::<32>(), bits) {
        return values.put(to);
    }
    if let Some(to) = to.first_chunk_mut::<64>() {
        return values.put(to);
    }
    let mut bytes = [0; 64];
    values.put(&mut bytes);
    to[..bits].copy_from_slice(&bytes[..bits]);
}

/// A kernel that writes the bit of each lane.
struct Tell<'a> {
    lanes: &'a Plane,
    to: &'a mut [bool],
}

impl Kernel for Tell<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Word>(self) {
        for (to, &word) in self.to.chunks_mut(64).zip(&self.lanes.0) {
            let mut bytes = [0; 64];
            W::spread(word).put(&mut bytes);
            let bools = bytes.map(|byte| byte != 0);
            match to.first_chunk_mut() {
                Some(to) => *to = bools,
                None => to.copy_from_slice(&bools[..to.len()]),
            }
        }
    }
}

/// A kernel that writes the numbers of the roles to move.
struct Number<'a> {
    stepper: &'a mut Stepper,
    games: &'a Games,
    to: &'a mut [i8],
}

impl Kernel for Number<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Word>(self) {
        let Self { stepper: Stepper { lanes, plans, seats, asks_all, few, .. }, games, to } = self;
        few.clear();
        if *asks_all {
            // If two roles have a choice, none is written.
            let (mut one, mut two) = (W::splat(false), W::splat(false));
            for (role, seat) in seats.iter().enumerate() {
                let (_, several) = several::<W>(&games.legal[seat.planes.clone()]);
                let several = if lanes.chance == Some(role) { W::splat(false) } else { several };
                two = two.or_both(one, several);
                one = one.or(several);
                few.push(Plane::ZERO);
                several.store(&mut few[role]);
            }
            for plane in &mut *few {
                W::load(plane).and_not(two).store(plane);
            }
        } else {
            few.extend_from_slice(&games.at);
        }
        for (block, to) in to.chunks_mut(64).enumerate() {
            let (mut numbers, mut none) = (W::splat(false), !0);
            for (place, lanes) in few.iter().enumerate() {
                let role = if *asks_all { place } else { plans[place].speaker };
                let number = W::load(&Plane([u64::from_ne_bytes([role as u8; 8]); 8]));
                numbers = numbers.or_both(W::spread(lanes.0[block]), number);
                none &= !lanes.0[block];
            }
            let mut bytes = [0; 64];
            numbers.or(W::spread(none)).put(&mut bytes);
            let numbers = bytes.map(u8::cast_signed);
            match to.first_chunk_mut() {
                Some(to) => *to = numbers,
                None => to.copy_from_slice(&numbers[..to.len()]),
            }
        }
    }
}

/// The work of [`Stepper::worth`], after each goal value has an index into `values`.
struct Worth<'a> {
    stepper: &'a mut Stepper,
    games: &'a Games,
    of_value: &'a [u8; 256],
    values: &'a [f32; 128],
    count: usize,
    to: &'a mut [f32],
}

impl Kernel for Worth<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Word>(self) {
        let Self { stepper, games, of_value, values, count, to } = self;
        let Stepper { lanes, goals, goals_of: of_role, weave, few: bytes, .. } = stepper;
        let roles = lanes.shape.roles;
        let mut scored = W::load(&games.ended).and(W::load(&games.terminal));
        for (role, planes) in of_role.iter().enumerate() {
            let (one, two) = several::<W>(&games.goals[planes.clone()]);
            if lanes.chance != Some(role) {
                scored = scored.and(one).and_not(two);
            }
        }
        let mut lanes_scored = Plane::ZERO;
        scored.store(&mut lanes_scored);
        bytes.resize(roles, Plane::ZERO);
        for (block, to) in to.chunks_mut(64 * roles).enumerate() {
            let scored = lanes_scored.0[block];
            if scored == 0 {
                to.fill(0.0);
                continue;
            }
            for ((role, planes), bytes) in of_role.iter().enumerate().zip(&mut *bytes) {
                let mut numbers = W::splat(false);
                if lanes.chance != Some(role) {
                    for (&(_, value), plane) in goals[planes.clone()].iter().zip(&games.goals[planes.clone()])
                    {
                        let number = of_value[usize::from(value)];
                        if number != 0 {
                            let number = W::load(&Plane([u64::from_ne_bytes([number; 8]); 8]));
                            numbers = numbers.or_both(W::spread(scored & plane.0[block]), number);
                        }
                    }
                }
                numbers.store(bytes);
            }
            for (word, to) in to.chunks_mut(64).enumerate() {
                let places = W::load(&weave.games[word]);
                let mut woven = W::splat(false);
                for (pair, &lanes) in bytes.chunks(2).zip(&weave.pairs[word * roles.div_ceil(2)..]) {
                    let (low, high) = (W::load(&pair[0]), W::load(&pair[pair.len() - 1]));
                    woven = woven.or(W::take(lanes, low, high, places));
                }
                if let Some(to) = to.first_chunk_mut() {
                    woven.look_up(count, values, to);
                } else {
                    let mut all = [0.0; 64];
                    woven.look_up(count, values, &mut all);
                    to.copy_from_slice(&all[..to.len()]);
                }
            }
        }
    }
}
