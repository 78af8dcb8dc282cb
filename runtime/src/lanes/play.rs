//! Blocks of games in lanes: [`Lanes`], a seed and the number of a block give a tally.
//!
//! A block has a given number of games. A lane whose game has ended starts the next one, as long as
//! games are left. Every game that started is played to its end and counted, so long games count as
//! often as short ones. Alternatively games start from given states, at most one in each lane.

use super::{
    ENDED, FLUENTS, IDLE, Lanes, SCORED, TERMINAL,
    choice::Groups,
    code::{Code, Once, StepPart, add},
    noise::{Noise, Source},
    starts::Starts,
};
use crate::{
    bits,
    simd::{Isa, Kernel, LANES, Plane, Slots, Store, Word},
    stats::{Counts, Tally},
};
use std::{fmt, ops::Range};

/// The range of all words of a plane.
const ALL: Range<usize> = 0..LANES / 64;

/// A player of one block after the other, with the tally and the memory for all slots.
pub(crate) struct Player<'l> {
    pub(super) lanes: &'l Lanes,
    pub(super) isa: Isa,
    straight: Option<Straight>,
    seed: u64,
    max_length: u64,
    pub(super) slots: Store,
    groups: Groups,
    noise: Noise,
    /// The lanes with a game in which the last step made a move.
    pub(super) playing: Plane,
    /// The times at which games started.
    pub(super) starts: Starts,
    /// The phases that games cycle through, and the current one.
    pub(super) phases: Range<usize>,
    pub(super) phase: usize,
    /// The number of steps since the block began.
    time: u64,
    /// The earliest time at which a game can reach the greatest length.
    due: u64,
    /// The number of games still to start, plus those of `since`, which have started.
    left: u64,
    since: Since,
    /// The lanes of each phase with a state that was saved there and is still to be scored.
    kept: Box<[Plane]>,
    sums: Sums,
    pub(crate) tally: Tally,
}

/// The sums of a block; a plane has one sum for each word of lanes.
#[derive(Clone, Debug)]
struct Sums {
    moves: Plane,
    scored: Plane,
    /// For each phase, the sum of each counted slot.
    items: Vec<Vec<Plane>>,
    too_long: Plane,
    stuck: Plane,
}

/// Games that have started but are not yet subtracted from [`Player::left`]. Adding planes is
/// faster than counting lanes, so lanes are counted only when the number is needed.
#[derive(Clone, Copy, Debug)]
struct Since {
    /// The numbers of started games, one for each word of lanes.
    started: Plane,
    /// The number of steps in which all lanes could start a game without running out of games.
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
    /// Creates a player of games of at most `max_length` moves; `max_length` must be at least 1. It
    /// runs straight-line code if `straight` is true and there is some.
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

    /// Plays the first `games` games of a block and adds them to the tally.
    pub(crate) fn play(&mut self, block: u64, games: u64) {
        self.start(block, games);
        self.go_on(u64::MAX);
        self.count(games);
    }

    /// Makes `steps` steps, or fewer if all games of the block end.
    pub(super) fn go_on(&mut self, steps: u64) {
        if !self.straight.is_some_and(|straight| straight.go_on(self.isa, self, steps)) {
            self.isa.run(Steps { code: &*self.lanes.phases, player: self, limit: steps });
        }
    }

    /// Prepares a block.
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

    /// Prepares games in the given lanes from the states in the slots, which are at this phase.
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

    /// Adds the games of each group of words of lanes to its tally. Each of these lanes must have
    /// played one game.
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

    /// Returns true if all games of the block have ended.
    pub(super) fn is_over(&self) -> bool {
        self.left == 0 && self.playing == Plane::ZERO
    }

    /// Makes one step in all lanes.
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

    /// Saves the states of ended games. Scores the saved states first if a lane would have two of
    /// them.
    #[inline(always)]
    fn keep<W: Word, C: Code + ?Sized>(&mut self, code: &C, ended: W) {
        let phase = self.phase;
        if W::load(&self.kept[phase]).and(ended).any() {
            self.score(phase);
        }
        ended.store(&mut self.slots[ENDED as usize]);
        code.keep::<W>(phase, &mut self.slots);
        let kept = &mut self.kept[phase];
        W::load(kept).or(ended).store(kept);
    }

    /// Counts the scores of the saved states. This is rare, so the table always does it:
    /// straight-line code for the scores of reversi would be more than half of all its code.
    #[inline(never)]
    fn score(&mut self, phase: usize) {
        self.isa.run(Scores { player: self, phase });
    }

    /// Counts the scores of ended games.
    #[inline(always)]
    fn count_scores<W: Word, C: Code + ?Sized>(&mut self, code: &C, phase: usize, ended: W) {
        let scored = ended.and(W::load(&self.slots[SCORED as usize]));
        add(&mut self.sums.scored, scored);
        code.count(phase, &self.slots, scored, &mut self.sums.items[phase]);
    }

    /// Starts games in free lanes, as long as games are left. Returns the lanes of the started
    /// games.
    #[inline(always)]
    fn start_games<W: Word>(&mut self, free: W) -> W {
        if self.since.sure > 0 {
            self.since.sure -= 1;
            add(&mut self.since.started, free);
            return free;
        }
        W::load(&self.start_some(plane(free)))
    }

    /// Like [`Self::start_games`], if the games left may not suffice.
    #[inline(never)]
    fn start_some(&mut self, free: Plane) -> Plane {
        self.left -= total(&self.since.started);
        let fresh = free.first(self.left);
        self.left -= fresh.count();
        self.since = Since { started: Plane::ZERO, sure: self.left / LANES as u64 };
        fresh
    }

    /// Returns the lanes whose game has reached the greatest length, and updates `due`.
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

/// Stores a word in memory.
#[inline(always)]
fn plane<W: Word>(word: W) -> Plane {
    let mut plane = Plane::ZERO;
    word.store(&mut plane);
    plane
}

/// Adds up the sums of all words of lanes.
fn total(sums: &Plane) -> u64 {
    sums.0.iter().sum()
}

/// A kernel that counts the scores of the states that were saved at a phase.
struct Scores<'p, 'l> {
    player: &'p mut Player<'l>,
    phase: usize,
}

impl Kernel for Scores<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Word>(self) {
        let Self { player, phase } = self;
        let code = &*player.lanes.phases;
        code.score::<W>(phase, &mut player.slots);
        let kept = std::mem::replace(&mut player.kept[phase], Plane::ZERO);
        player.count_scores(code, phase, W::load(&kept));
    }
}

/// A kernel that makes at most `limit` steps.
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
                    player.score(phase);
                }
            }
        }
    }
}

/// Straight-line code as a trait object.
#[derive(Clone, Copy)]
pub(crate) struct Straight {
    code: &'static dyn Run,
    /// The number of slots that the code uses.
    pub(super) slots: usize,
}

impl Straight {
    pub(crate) const fn new<C: Code + Sync>(code: &'static C) -> Self {
        Self { code, slots: C::SLOTS }
    }

    /// Makes at most `steps` steps. Returns false and does nothing if there is no code for the
    /// instruction set.
    fn go_on(self, isa: Isa, player: &mut Player<'_>, steps: u64) -> bool {
        self.code.go_on(isa, player, steps)
    }

    /// Runs a part on the slots of a caller. Returns false and does nothing if the instruction set
    /// is not [`Isa::Avx512`] or has no code. For narrower words the gain is not worth compiling
    /// the code once more.
    pub(super) fn run(self, isa: Isa, part: StepPart, slots: &mut Slots) -> bool {
        isa == Isa::Avx512 && self.code.run(isa, part, slots)
    }
}

impl fmt::Debug for Straight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Straight")
    }
}

trait Run: Sync {
    fn go_on(&self, isa: Isa, player: &mut Player<'_>, steps: u64) -> bool;
    fn run(&self, isa: Isa, part: StepPart, slots: &mut Slots) -> bool;
}

impl<C: Code + Sync> Run for C {
    fn go_on(&self, isa: Isa, player: &mut Player<'_>, steps: u64) -> bool {
        isa.run_straight(Steps { code: self, player, limit: steps }).is_ok()
    }

    fn run(&self, isa: Isa, part: StepPart, slots: &mut Slots) -> bool {
        isa.run_widest(Once { code: self, part, slots }).is_ok()
    }
}

#[cfg(all(test, feature = "load"))]
mod tests {
    use crate::{Playouts, lanes::Isa, playouts::PlayoutMode};

    /// Results do not depend on the machine, so the test can pin them.
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
