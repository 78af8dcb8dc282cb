//! Blocks of games in lanes: in come [`Lanes`], a seed and the number of a block, out goes a tally.
//!
//! A block is a number of games. A lane whose game is over starts the next one as long as there is one, and every
//! game that started is played to its end and counted, so long games count as often as short ones.

use super::{
    FLUENTS, IDLE, Lanes, Point, SCORED, TERMINAL,
    choice::{Groups, choose},
    noise::{Noise, Source},
    program::{SLOTS, Slots},
    score::Item,
};
use crate::{
    bits,
    simd::{Isa, Kernel, LANES, Plane, Word},
    stats::Tally,
};

/// All lanes clear, and all lanes set.
static BITS: [Plane; 2] = [Plane::ZERO, Plane::ONES];

/// Plays blocks, one after the other, and counts. It has memory for all slots: 4 MiB.
pub(crate) struct Player<'l> {
    pub(super) lanes: &'l Lanes,
    pub(super) isa: Isa,
    seed: u64,
    max_length: u64,
    pub(super) slots: Box<Slots>,
    groups: Groups,
    noise: Noise,
    /// Lanes with a game in which the last step made a move.
    pub(super) playing: Plane,
    /// Lanes where the last step was a game's first.
    pub(super) fresh: Plane,
    /// The digits of the time when each lane's game started, as many as the greatest length has.
    started: Vec<Plane>,
    /// Steps since the block began.
    pub(super) time: u64,
    /// No game reaches the greatest length before this time.
    due: u64,
    /// Games still to start.
    left: u64,
    sums: Sums,
    pub(crate) tally: Tally,
}

/// What is counted in a block; planes are sums for each word of lanes.
#[derive(Clone, Debug)]
struct Sums {
    moves: Plane,
    scored: Plane,
    /// For each point of the cycle and each of its items but goals of zero, which come last.
    items: Vec<Vec<Plane>>,
    too_long: u64,
    stuck: u64,
}

impl Sums {
    fn new(lanes: &Lanes) -> Self {
        let is_counted = |item: &&(Item, u16)| !matches!(item.0, Item::Goal { value: 0, .. });
        let count = |point: &Point| point.items.iter().filter(is_counted).count();
        let items = lanes.points.iter().map(|point| vec![Plane::ZERO; count(point)]).collect();
        Self { moves: Plane::ZERO, scored: Plane::ZERO, items, too_long: 0, stuck: 0 }
    }
}

impl<'l> Player<'l> {
    /// A player of games of at most `max_length` moves, which must be at least one.
    pub(crate) fn new(lanes: &'l Lanes, isa: Isa, seed: u64, max_length: u64) -> Self {
        let slots = vec![Plane::ZERO; SLOTS].into_boxed_slice();
        let digits = u64::BITS - max_length.leading_zeros();
        Self {
            lanes,
            isa,
            seed,
            max_length,
            slots: slots.try_into().unwrap_or_else(|_| unreachable!("as many as there are")),
            groups: Groups::new(lanes.moves),
            noise: Noise::new(seed, 0),
            playing: Plane::ZERO,
            fresh: Plane::ZERO,
            started: vec![Plane::ZERO; digits as usize],
            time: 0,
            due: 0,
            left: 0,
            sums: Sums::new(lanes),
            tally: Tally::new(lanes.shape.roles),
        }
    }

    /// Plays a block, or the first `games` games of it.
    pub(crate) fn play(&mut self, block: u64, games: u64) {
        self.start(block, games);
        self.go_on(u64::MAX);
        self.count(games);
    }

    /// Makes some steps, or those until all games of the block have come to their end.
    pub(super) fn go_on(&mut self, steps: u64) {
        self.isa.run(Steps(self, steps));
    }

    /// Sets a block up.
    pub(super) fn start(&mut self, block: u64, games: u64) {
        self.noise = Noise::new(self.seed, block);
        self.playing = Plane::ZERO;
        (self.time, self.due, self.left) = (0, self.max_length, games);
        let fluents = &mut self.slots[usize::from(FLUENTS)..][..self.lanes.shape.fluents];
        for (fluent, plane) in fluents.iter_mut().enumerate() {
            *plane = Plane::splat(bits::test(&self.lanes.initial, fluent));
        }
    }

    /// Adds the block's games to the tally.
    pub(super) fn count(&mut self, games: u64) {
        let sums = std::mem::replace(&mut self.sums, Sums::new(self.lanes));
        let total = |plane: &Plane| plane.0.iter().sum::<u64>();
        let scored = total(&sums.scored);
        let tally = &mut self.tally;
        tally.playouts += games;
        tally.states += total(&sums.moves);
        tally.too_long += sums.too_long;
        tally.stuck += sums.stuck;
        tally.unscored += games - sums.too_long - sums.stuck - scored;
        let players = (0..tally.roles.len()).filter(|&role| self.lanes.chance != Some(role));
        players.clone().for_each(|role| tally.roles[role].losses += scored);
        for (point, sums) in self.lanes.points.iter().zip(&sums.items) {
            for (&(item, _), sum) in point.items.iter().zip(sums) {
                let number = total(sum);
                match item {
                    Item::Goal { role, value } => {
                        let value = u64::from(value);
                        tally.roles[role].goals += number * value;
                        tally.roles[role].squares += number * value * value;
                    }
                    Item::Win { role } => {
                        tally.roles[role].wins += number;
                        tally.roles[role].losses -= number;
                    }
                    Item::Draw { role } => {
                        tally.roles[role].draws += number;
                        tally.roles[role].losses -= number;
                    }
                    Item::BothDraw => {
                        for role in players.clone() {
                            tally.roles[role].draws += number;
                            tally.roles[role].losses -= number;
                        }
                    }
                }
            }
        }
    }

    /// True if all games of the block have come to their end.
    pub(super) fn is_over(&self) -> bool {
        self.left == 0 && self.playing == Plane::ZERO
    }

    /// One step in all lanes.
    #[inline(always)]
    fn step<W: Word>(&mut self) {
        let place = (self.time % self.lanes.points.len() as u64) as usize;
        let point = &self.lanes.points[place];
        let old = if self.time < self.due { Plane::ZERO } else { self.find_old() };
        let slots = &mut *self.slots;
        let (playing, old) = (W::load(&self.playing), W::load(&old));
        playing.and_not(old).not().store(&mut slots[usize::from(IDLE)]);
        point.observe.run::<W>(slots);

        let terminal = W::load(&slots[usize::from(TERMINAL)]);
        let scored = playing.and(terminal).and(W::load(&slots[usize::from(SCORED)]));
        if scored.any() {
            add(&mut self.sums.scored, scored);
            for (sum, &(_, slot)) in self.sums.items[place].iter_mut().zip(&point.items) {
                add(sum, scored.and(W::load(&slots[usize::from(slot)])));
            }
        }
        let too_long = playing.and(old).and_not(terminal);
        if too_long.any() {
            self.sums.too_long += plane(too_long).count();
        }
        let mut playing = playing.and_not(terminal).and_not(old);
        self.fresh = Plane::ZERO;
        if place == 0 && self.left > 0 {
            playing = self.start_games(playing);
        }

        let slots = &mut *self.slots;
        let mut noise = Source::<W>::open(&self.noise);
        let mut stuck = W::splat(false);
        for role in point.roles.iter().filter(|role| !role.is_sure) {
            let range = role.slots();
            let moves = &mut slots[usize::from(range.start)..usize::from(range.end)];
            stuck = stuck.or(choose(moves, &mut noise, &mut self.groups));
        }
        noise.close(&mut self.noise);
        stuck = stuck.and(playing);
        if stuck.any() {
            self.sums.stuck += plane(stuck).count();
            playing = playing.and_not(stuck);
        }
        add(&mut self.sums.moves, playing);
        playing.store(&mut self.playing);
        point.advance.run::<W>(slots);
        self.time += 1;
    }

    /// Starts as many games as there are, in lanes without one. The lanes with a game.
    #[inline(always)]
    fn start_games<W: Word>(&mut self, playing: W) -> W {
        let mut fresh = plane(playing.not());
        let mut count = fresh.count();
        if count > self.left {
            fresh = fresh.first(self.left);
            count = self.left;
        }
        if count == 0 {
            return playing;
        }
        self.left -= count;
        self.fresh = fresh;
        let fresh = W::load(&fresh);
        let mut time = self.time;
        for digit in &mut self.started {
            // Loaded, since a branch on the digits of the time could not be foreseen.
            let new = W::load(&BITS[(time & 1) as usize]);
            time >>= 1;
            fresh.pick(new, W::load(digit)).store(digit);
        }
        playing.or(fresh)
    }

    /// The lanes whose game has reached the greatest length; and notes when the next one may.
    #[cold]
    fn find_old(&mut self) -> Plane {
        let mut old = Plane::ZERO;
        self.due = self.time.saturating_add(self.max_length);
        for lane in (0..LANES).filter(|&lane| self.playing.lane(lane)) {
            let digits = self.started.iter().enumerate();
            let started = digits.fold(0, |sum, (i, plane)| sum | u64::from(plane.lane(lane)) << i);
            let all = u64::MAX >> (u64::BITS as usize - self.started.len());
            let length = self.time.wrapping_sub(started) & all;
            if length == self.max_length {
                old.0[lane / 64] |= 1 << (lane % 64);
            } else {
                self.due = self.due.min(self.time.saturating_add(self.max_length - length));
            }
        }
        old
    }
}

/// A word in memory.
#[inline(always)]
fn plane<W: Word>(word: W) -> Plane {
    let mut plane = Plane::ZERO;
    word.store(&mut plane);
    plane
}

/// Adds the number of set bits to a sum.
#[inline(always)]
fn add<W: Word>(sum: &mut Plane, word: W) {
    W::load(sum).add(word.counts()).store(sum);
}

/// At most so many steps.
struct Steps<'p, 'l>(&'p mut Player<'l>, u64);

impl Kernel for Steps<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Word>(self) {
        let Self(player, mut steps) = self;
        while steps > 0 && !player.is_over() {
            player.step::<W>();
            steps -= 1;
        }
    }
}
