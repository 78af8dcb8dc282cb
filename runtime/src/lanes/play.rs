//! Blocks of games in lanes: [`Lanes`], a seed and the number of a block give a tally.
//!
//! A block is a number of games. A lane whose game is over starts the next one as long as there is
//! one, and every game that started is played to its end and counted, so long games count as often
//! as short ones. Or games start from states that are given, at most one in each lane.

use super::{
    ENDED, FLUENTS, IDLE, Lanes, SCORED, TERMINAL,
    choice::Groups,
    code::{Code, Straight},
    noise::{Noise, Source},
    starts::Starts,
};
use crate::{
    bits,
    simd::{Isa, Kernel, LANES, Plane, Store, Word},
    stats::{Counts, Tally},
};
use std::ops::Range;

/// All words of lanes.
const ALL: Range<usize> = 0..LANES / 64;

/// A player of blocks, one after the other, which counts. It has memory for all slots.
pub(crate) struct Player<'l> {
    pub(super) lanes: &'l Lanes,
    pub(super) isa: Isa,
    straight: Option<Straight>,
    seed: u64,
    max_length: u64,
    pub(super) slots: Store,
    groups: Groups,
    noise: Noise,
    /// Lanes with a game in which the last step made a move.
    pub(super) playing: Plane,
    /// The times at which games started.
    pub(super) starts: Starts,
    /// The phases that games go round, and the one where they have come to.
    pub(super) phases: Range<usize>,
    pub(super) phase: usize,
    /// Steps since the block began.
    time: u64,
    /// No game reaches the greatest length before this time.
    due: u64,
    /// The number of games still to start, except those started since.
    left: u64,
    since: Since,
    /// For each phase the lanes with a state that was kept there and is still to be scored.
    kept: Box<[Plane]>,
    sums: Sums,
    pub(crate) tally: Tally,
}

/// The sums of a block; planes are sums for each word of lanes.
#[derive(Clone, Debug)]
struct Sums {
    moves: Plane,
    scored: Plane,
    /// For each phase of the cycle and each slot that is counted there.
    items: Vec<Vec<Plane>>,
    too_long: Plane,
    stuck: Plane,
}

/// Games that have started but are not yet subtracted from [`Player::left`]. Adding planes is
/// faster than counting lanes, so lanes are counted only when the number is needed.
#[derive(Clone, Copy, Debug)]
struct Since {
    /// A sum for each word of lanes.
    started: Plane,
    /// The number of times that all lanes could still start without running out of games.
    sure: u64,
}

impl Since {
    const NOW: Self = Self { started: Plane::ZERO, sure: 0 };
}

impl Sums {
    fn new(lanes: &Lanes) -> Self {
        let items = lanes.phases.iter().map(|phase| vec![Plane::ZERO; phase.counted.len()]).collect();
        Self { moves: Plane::ZERO, scored: Plane::ZERO, items, too_long: Plane::ZERO, stuck: Plane::ZERO }
    }

    /// Adds the `games` games in some words of lanes to a tally.
    fn count(&self, lanes: &Lanes, words: Range<usize>, games: u64, tally: &mut Tally) {
        let total = |sums: &Plane| sums.0[words.clone()].iter().sum::<u64>();
        let [moves, scored, too_long, stuck] =
            [&self.moves, &self.scored, &self.too_long, &self.stuck].map(total);
        let items = lanes.phases.iter().zip(&self.items).flat_map(|(phase, sums)| {
            let counted = phase.items.iter().filter(|item| item.0.is_counted());
            counted.map(move |&(item, slot)| {
                (item, total(&sums[phase.counted.partition_point(|&other| other < slot)]))
            })
        });
        tally.count(&Counts { games, moves, scored, too_long, stuck }, items, lanes.chance);
    }
}

impl<'l> Player<'l> {
    /// A player of games of at most `max_length` moves, which must be at least one. It runs
    /// straight-line code where there is some, if that is wanted.
    pub(crate) fn new(lanes: &'l Lanes, isa: Isa, straight: bool, seed: u64, max_length: u64) -> Self {
        Self {
            lanes,
            isa,
            straight: lanes.straight.filter(|_| straight),
            seed,
            max_length,
            slots: Store::new(lanes.slots),
            groups: Groups::new(lanes.moves),
            noise: Noise::new(seed, 0),
            playing: Plane::ZERO,
            starts: Starts::new(),
            phases: lanes.game_phases(),
            phase: 0,
            time: 0,
            due: 0,
            left: 0,
            since: Since::NOW,
            kept: vec![Plane::ZERO; lanes.phases.len()].into(),
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
        if !self.straight.is_some_and(|straight| straight.go_on(self.isa, self, steps)) {
            self.isa.run(Steps { code: &*self.lanes.phases, player: self, limit: steps });
        }
    }

    /// Sets a block up.
    pub(super) fn start(&mut self, block: u64, games: u64) {
        self.noise = Noise::new(self.seed, block);
        self.starts.restart();
        self.phases = self.lanes.game_phases();
        (self.playing, self.phase) = (Plane::ZERO, self.phases.start);
        (self.time, self.due) = (0, self.max_length);
        (self.left, self.since) = (games, Since::NOW);
        let initial = &self.lanes.initial;
        for (fluent, plane) in self.fluents().iter_mut().enumerate() {
            *plane = Plane::splat(bits::test(initial, fluent));
        }
    }

    /// Sets up games from the states in the slots, which are at this phase, in the given lanes.
    pub(super) fn start_at(&mut self, phase: usize, lanes: Plane, seed: u64, block: u64) {
        self.noise = Noise::new(seed, block);
        self.starts.restart();
        self.phases = 0..self.lanes.cycle.len();
        (self.playing, self.phase) = (lanes, phase);
        (self.time, self.due) = (0, self.max_length);
        (self.left, self.since) = (0, Since::NOW);
    }

    /// The planes of the fluents.
    pub(super) fn fluents(&mut self) -> &mut [Plane] {
        &mut self.slots[FLUENTS as usize..][..self.lanes.shape.fluents]
    }

    /// Adds the block's games to the tally.
    pub(super) fn count(&mut self, games: u64) {
        let sums = self.take_sums();
        sums.count(self.lanes, ALL, games, &mut self.tally);
    }

    /// Adds the games of each group of words of lanes to a tally for each; all of these lanes had a
    /// game.
    pub(super) fn count_each(&mut self, groups: impl Iterator<Item = Range<usize>>, tallies: &mut [Tally]) {
        let sums = self.take_sums();
        for (words, tally) in groups.zip(tallies) {
            let games = 64 * words.len() as u64;
            sums.count(self.lanes, words, games, tally);
        }
    }

    fn take_sums(&mut self) -> Sums {
        std::mem::replace(&mut self.sums, Sums::new(self.lanes))
    }

    /// True if all games of the block have come to their end.
    pub(super) fn is_over(&self) -> bool {
        self.left == 0 && self.playing == Plane::ZERO
    }

    /// One step in all lanes.
    #[inline(always)]
    fn step<W: Word, C: Code + ?Sized>(&mut self, code: &C) {
        let phase = self.phase;
        let old = if self.time < self.due { Plane::ZERO } else { self.find_old() };
        let (playing, old) = (W::load(&self.playing), W::load(&old));
        playing.and_not(old).not().store(&mut self.slots[IDLE as usize]);
        code.observe::<W>(phase, &mut self.slots);

        let terminal = W::load(&self.slots[TERMINAL as usize]);
        let ended = playing.and(terminal);
        if ended.any() {
            if code.keeps(phase) {
                self.keep(code, ended);
            } else {
                self.count_scores(code, phase, ended);
            }
        }
        let too_long = playing.and(old).and_not(terminal);
        if too_long.any() {
            add(&mut self.sums.too_long, too_long);
        }
        let mut playing = playing.and_not(terminal).and_not(old);
        let mut fresh = W::splat(false);
        if phase == self.phases.start && self.left > 0 {
            fresh = self.start_games(playing.not());
            playing = playing.or(fresh);
        }

        let slots = &mut *self.slots;
        let mut noise = Source::<W>::open(&mut self.noise);
        let stuck = code.choose(phase, slots, &mut noise, &mut self.groups).and(playing);
        noise.close();
        if stuck.any() {
            add(&mut self.sums.stuck, stuck);
            playing = playing.and_not(stuck);
        }
        add(&mut self.sums.moves, playing);
        playing.store(&mut self.playing);
        code.advance::<W>(phase, slots);
        self.starts.note(&plane(fresh), &self.playing);
        self.time += 1;
        self.phase = if phase + 1 == self.phases.end { self.phases.start } else { phase + 1 };
    }

    /// Keeps states in which games have ended, until a lane has two of them.
    #[inline(always)]
    fn keep<W: Word, C: Code + ?Sized>(&mut self, code: &C, ended: W) {
        let phase = self.phase;
        if W::load(&self.kept[phase]).and(ended).any() {
            self.score::<W, C>(code, phase);
        }
        ended.store(&mut self.slots[ENDED as usize]);
        code.keep::<W>(phase, &mut self.slots);
        let kept = &mut self.kept[phase];
        W::load(kept).or(ended).store(kept);
    }

    /// Counts the scores of the states that were kept.
    #[inline(always)]
    fn score<W: Word, C: Code + ?Sized>(&mut self, code: &C, phase: usize) {
        code.score::<W>(phase, &mut self.slots);
        let kept = std::mem::replace(&mut self.kept[phase], Plane::ZERO);
        self.count_scores(code, phase, W::load(&kept));
    }

    /// Counts the scores of games that have ended.
    #[inline(always)]
    fn count_scores<W: Word, C: Code + ?Sized>(&mut self, code: &C, phase: usize, ended: W) {
        let scored = ended.and(W::load(&self.slots[SCORED as usize]));
        add(&mut self.sums.scored, scored);
        code.count(phase, &self.slots, scored, &mut self.sums.items[phase]);
    }

    /// Starts as many games as there are, in lanes that are free. The lanes where they start.
    #[inline(always)]
    fn start_games<W: Word>(&mut self, free: W) -> W {
        if self.since.sure > 0 {
            self.since.sure -= 1;
            add(&mut self.since.started, free);
            return free;
        }
        W::load(&self.start_some(plane(free)))
    }

    /// The same where it may be that there are not enough.
    #[inline(never)]
    fn start_some(&mut self, free: Plane) -> Plane {
        self.left -= total(&self.since.started);
        let fresh = free.first(self.left);
        self.left -= fresh.count();
        self.since = Since { started: Plane::ZERO, sure: self.left / LANES as u64 };
        fresh
    }

    /// The lanes whose game has reached the greatest length; and notes when the next one may.
    #[cold]
    fn find_old(&mut self) -> Plane {
        let mut old = Plane::ZERO;
        self.due = self.time.saturating_add(self.max_length);
        let starts = self.starts.times(&self.playing);
        for lane in (0..LANES).filter(|&lane| self.playing.lane(lane)) {
            let end = starts[lane].saturating_add(self.max_length);
            if end <= self.time {
                old.0[lane / 64] |= 1 << (lane % 64);
            } else {
                self.due = self.due.min(end);
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

/// A sum over all words.
fn total(sums: &Plane) -> u64 {
    sums.0.iter().sum()
}

/// Adds the number of set bits to a sum.
#[inline(always)]
pub fn add<W: Word>(sum: &mut Plane, word: W) {
    W::load(sum).add(word.counts()).store(sum);
}

/// At most `left` steps.
pub(super) struct Steps<'p, 'l, C: ?Sized> {
    pub(super) code: &'p C,
    pub(super) player: &'p mut Player<'l>,
    pub(super) limit: u64,
}

impl<C: Code + ?Sized> Kernel for Steps<'_, '_, C> {
    type Output = ();

    #[inline(always)]
    fn run<W: Word>(self) {
        let Self { code, player, limit } = self;
        for _ in 0..limit {
            if player.is_over() {
                break;
            }
            player.step::<W, C>(code);
        }
        if player.is_over() {
            for phase in 0..player.kept.len() {
                if code.keeps(phase) && player.kept[phase] != Plane::ZERO {
                    player.score::<W, C>(code, phase);
                }
            }
        }
    }
}

#[cfg(all(test, feature = "load"))]
mod tests {
    use crate::{Playouts, lanes::Isa, playouts::PlayoutMode};

    /// Results do not depend on the machine, so they are known.
    #[test]
    fn games_are_those_of_every_machine() {
        let text = include_str!("../../../games/board/tictactoe.kif");
        let game = crate::load(text).expect("tic-tac-toe loads");
        for &isa in Isa::ALL.iter().filter(|isa| isa.is_available()) {
            let playouts = Playouts::new(&game).engine(PlayoutMode::TableLanes).isa(isa);
            let tally = playouts.threads(1).seed(7).count(2_000).run().tally;
            let goals = [&tally.roles[0], &tally.roles[1]].map(|role| role.goals);
            assert_eq!((tally.playouts, tally.states, goals), (2_000, 15_222, [129_000, 71_000]), "{isa:?}");
        }
    }
}
