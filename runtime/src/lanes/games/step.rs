//! Steps of games in planes. Moves are stored and checked against the legal ones, chance draws its
//! moves, and the programs of the current phases compute the successors.
//!
//! An illegal move is reported before anything changes. After a step each game is at the next
//! phase, has ended or has restarted, and its legal moves are known.

use super::{Games, Seat, Stepper, several};
use crate::{
    bits,
    lanes::{
        ENDED, FLUENTS, FRESH, IDLE, Lanes, TERMINAL,
        code::{Once, StepPart},
        expand::tell_apart,
    },
    random::Stream,
    simd::{Isa, Kernel, LANES, Plane, Slots, Word, of_lane, to_rows, word},
};

/// The number of moves that a byte can number; the last value of the byte means none of them.
const FEW: usize = u8::MAX as usize;

/// The placeholder for the move of a role that has only one legal move.
pub const ONLY: i32 = -1;

/// The treatment of games that have ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renewal {
    /// Games start again in the step that ended them.
    SameStep,
    /// Games restart in the next step, which ignores their moves.
    NextStep,
    /// Games stay as they are until they are reset.
    Never,
}

impl Stepper {
    /// Starts `length` games, at most 512, in the initial state. If chance plays, it draws from the
    /// stream that `stream` returns for each game.
    ///
    /// # Panics
    /// Panics if `length` exceeds 512.
    #[must_use]
    pub fn start(&self, length: usize, stream: impl FnMut(usize) -> Stream) -> Games {
        assert!(length <= LANES, "at most {LANES} games");
        let planes = |count: usize| vec![Plane::ZERO; count].into_boxed_slice();
        let mut games = Games {
            length,
            fluents: planes(self.lanes.shape.fluents),
            at: planes(self.plans.len()),
            legal: planes(self.initial[1].len()),
            chosen: planes(self.initial[1].len()),
            over: Plane::ZERO,
            ended: Plane::ZERO,
            terminal: Plane::ZERO,
            goals: planes(self.goals.len()),
            streams: if self.lanes.chance.is_some() {
                (0..length).map(stream).collect()
            } else {
                Box::default()
            },
        };
        self.reset(&mut games, |_| true);
        games
    }

    /// Restarts the games for which `which` returns true. O(games + planes).
    pub fn reset(&self, games: &mut Games, which: impl Fn(usize) -> bool) {
        let mut fresh = Plane::ZERO;
        (0..games.length).filter(|&game| which(game)).for_each(|game| fresh.0[game / 64] |= 1 << (game % 64));
        for (to, fresh) in games.ended.0.iter_mut().zip(fresh.0) {
            *to &= !fresh;
        }
        self.isa.run(Renew { stepper: self, games, fresh });
    }

    /// Stores the moves of each game by number: one for the role to move, or one for each role if
    /// [`Self::asks_all`] is true. A role with one legal move may pass [`ONLY`]. Moves of ended
    /// games and of chance are ignored.
    ///
    /// # Errors
    /// Returns the first game with a move that is not legal. The moves stored before are lost.
    ///
    /// # Panics
    /// Panics if there are too few numbers.
    pub fn choose(&mut self, games: &mut Games, actions: &[i32]) -> Result<(), usize> {
        let actions = &actions[..games.length * self.seats.len()];
        let wrong = self.isa.run(ChooseWork { stepper: self, games, actions });
        bits::ones(&wrong.0).next().map_or(Ok(()), Err)
    }

    /// Makes the stored moves, and draws those of chance. O(phases met * operations + planes).
    pub fn step(&mut self, games: &mut Games, renewal: Renewal) {
        let isa = self.isa;
        if let Some(chance) = self.lanes.chance {
            isa.run(Draw { stepper: self, games, chance });
        }
        isa.run(StepWork { stepper: self, games, renewal });
    }
}

/// Returns the games that have not ended.
#[inline(always)]
fn live<W: Word>(at: &[Plane]) -> W {
    let mut live = W::splat(false);
    for at in at {
        live = live.or(W::load(at));
    }
    live
}

/// The work of [`Stepper::choose`]; the output is the games with a move that is not legal.
struct ChooseWork<'a> {
    stepper: &'a Stepper,
    games: &'a mut Games,
    actions: &'a [i32],
}

impl Kernel for ChooseWork<'_> {
    type Output = Plane;

    #[inline(always)]
    fn run<W: Word>(self) -> Plane {
        let Self { stepper: Stepper { seats, lanes, .. }, games: Games { at, legal, chosen, .. }, actions } =
            self;
        let live = live::<W>(at);
        let mut wrong = W::splat(false);
        for (number, Seat { moves, planes }) in seats.iter().enumerate() {
            if lanes.chance == Some(number) {
                continue;
            }
            let (legal, chosen) = (&legal[planes.clone()], &mut chosen[planes.clone()]);
            let actions = Column { actions, first: number, stride: seats.len() };
            for (start, chosen) in moves.clone().step_by(FEW).zip(chosen.chunks_mut(FEW)) {
                let mut numbers = [u8::MAX; LANES];
                actions.bytes(&mut numbers, |action| {
                    action.wrapping_sub(start as i32).cast_unsigned().min(FEW as u32) as u8
                });
                tell_apart::<W>(&numbers, chosen);
            }
            let mut fits = W::splat(false);
            for (legal, chosen) in legal.iter().zip(&*chosen) {
                fits = fits.or_both(W::load(legal), W::load(chosen));
            }
            let mut unfit = live.and_not(fits);
            if unfit.any() {
                let mut left = [0; LANES];
                actions.bytes(&mut left, |action| if action == ONLY { u8::MAX } else { 0 });
                let mut plane = Plane::ZERO;
                plane
                    .0
                    .iter_mut()
                    .zip(left.as_chunks().0)
                    .for_each(|(to, left)| *to = word::<W>(left).collect());
                let (one, two) = several::<W>(legal);
                let only = unfit.and(one).and_not(two).and(W::load(&plane));
                for (legal, chosen) in legal.iter().zip(chosen) {
                    W::load(chosen).or_both(only, W::load(legal)).store(chosen);
                }
                unfit = unfit.and_not(only);
            }
            wrong = wrong.or(unfit);
        }
        let mut plane = Plane::ZERO;
        wrong.store(&mut plane);
        plane
    }
}

/// The moves of one seat in all games.
#[derive(Clone, Copy)]
struct Column<'a> {
    actions: &'a [i32],
    first: usize,
    stride: usize,
}

impl Column<'_> {
    /// Writes a byte for each game. Loops have a constant length, so that rustc vectorises them.
    #[inline(always)]
    fn bytes(self, to: &mut [u8; LANES], of: impl Fn(i32) -> u8) {
        let Self { actions, first, stride } = self;
        if stride == 1 {
            let (whole, rest) = actions.as_chunks::<64>();
            let (blocks, _) = to.as_chunks_mut::<64>();
            for (to, actions) in blocks.iter_mut().zip(whole) {
                to.iter_mut().zip(actions).for_each(|(to, &action)| *to = of(action));
            }
            if let Some(to) = blocks.get_mut(whole.len()) {
                to.iter_mut().zip(rest).for_each(|(to, &action)| *to = of(action));
            }
        } else {
            let actions = actions[first.min(actions.len())..].iter().step_by(stride);
            to.iter_mut().zip(actions).for_each(|(to, &action)| *to = of(action));
        }
    }
}

/// A kernel that draws the moves of chance.
struct Draw<'a> {
    stepper: &'a mut Stepper,
    games: &'a mut Games,
    chance: usize,
}

impl Kernel for Draw<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Word>(self) {
        let Self { stepper: Stepper { seats, scratch, rows, .. }, games, chance } = self;
        let Games { length, legal, chosen, streams, .. } = games;
        let planes = seats[chance].planes.clone();
        let (legal, chosen) = (&legal[planes.clone()], &mut chosen[planes]);
        let (_, two) = several::<W>(legal);
        for (legal, chosen) in legal.iter().zip(&mut *chosen) {
            W::load(legal).and_not(two).store(chosen);
        }
        if !two.any() {
            return;
        }
        let mut drawn = Plane::ZERO;
        two.store(&mut drawn);
        rows.resize(legal.len().div_ceil(64), [Plane::ZERO; 64]);
        for (rows, legal) in rows.iter_mut().zip(legal.chunks(64)) {
            to_rows::<W>(legal, rows, length.div_ceil(64), &mut scratch[0]);
        }
        let mut row = vec![0; rows.len()];
        for lane in bits::ones(&drawn.0) {
            row.iter_mut().zip(&*rows).for_each(|(to, rows)| *to = of_lane(rows, lane));
            if let Some(place) = bits::choose(&row, |count| streams[lane].below(count)) {
                chosen[place].0[lane / 64] |= 1 << (lane % 64);
            }
        }
    }
}

/// The work of [`Stepper::step`], except for the moves of chance.
struct StepWork<'a> {
    stepper: &'a mut Stepper,
    games: &'a mut Games,
    renewal: Renewal,
}

impl Kernel for StepWork<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Word>(self) {
        let Self { stepper, games, renewal } = self;
        let over = W::load(&games.over);
        let Stepper { lanes, isa, plans, slots, few: here, .. } = &mut *stepper;
        let slots = &mut **slots;
        let Games { fluents, at, legal, chosen, ended, terminal, goals, .. } = &mut *games;
        here.clear();
        here.extend_from_slice(at);
        at.fill(Plane::ZERO);
        legal.fill(Plane::ZERO);
        let (mut all_ended, mut all_terminal) = (W::splat(false), W::splat(false));
        for (place, plan) in plans.iter().enumerate() {
            let live = W::load(&here[place]);
            if !live.any() {
                continue;
            }
            // Each phase loads the states anew, since the phases before it changed the slots of all
            // lanes.
            for (slot, fluent) in slots[FLUENTS as usize..].iter_mut().zip(&*fluents) {
                *slot = *fluent;
            }
            for role in &plan.roles {
                if let Some(first) = role.first {
                    for (slot, &plane) in slots[first..].iter_mut().zip(&role.planes) {
                        *slot = chosen[plane as usize];
                    }
                }
            }
            slots[0] = Plane::ZERO;
            slots[IDLE as usize] = Plane::ZERO;
            slots[FRESH as usize] = Plane::ZERO;
            slots[ENDED as usize] = Plane::ONES;
            let next = (place + 1) % plans.len();
            run::<W>(lanes, *isa, StepPart::Advance { phase: place, next }, slots);
            // Lanes of ended games and of other phases keep their states.
            for (fluent, next) in fluents.iter_mut().zip(&slots[FLUENTS as usize..]) {
                live.pick(W::load(next), W::load(fluent)).store(fluent);
            }
            let end = W::load(&slots[TERMINAL as usize]).and(live);
            if end.any() {
                run::<W>(lanes, *isa, StepPart::Score { phase: next }, slots);
                for (goal, &slot) in goals.iter_mut().zip(&plans[next].goals) {
                    let value = W::load(&slots[slot as usize]);
                    end.pick(value, W::load(goal)).store(goal);
                }
            }
            let mut goes_on = live.and_not(end);
            for role in plans[next].roles.iter().filter(|role| !role.seen.is_empty()) {
                let mut able = W::splat(false);
                for seen in &slots[role.seen.clone()] {
                    able = able.or(W::load(seen));
                }
                goes_on = goes_on.and(able);
            }
            for role in &plans[next].roles {
                if role.seen.is_empty() {
                    for &plane in &role.planes {
                        let plane = &mut legal[plane as usize];
                        W::load(plane).or(goes_on).store(plane);
                    }
                } else {
                    for (&plane, seen) in role.planes.iter().zip(&slots[role.seen.clone()]) {
                        let plane = &mut legal[plane as usize];
                        W::load(plane).or_both(goes_on, W::load(seen)).store(plane);
                    }
                }
            }
            goes_on.store(&mut at[next]);
            all_ended = all_ended.or(live.and_not(goes_on));
            all_terminal = all_terminal.or(end);
        }
        all_ended.store(ended);
        all_terminal.store(terminal);
        over.or(all_ended).store(&mut games.over);
        match renewal {
            Renewal::SameStep => renew(stepper, games, all_ended),
            Renewal::NextStep => renew(stepper, games, over),
            Renewal::Never => {}
        }
    }
}

/// Runs straight-line code if there is some, otherwise the table.
#[inline(always)]
fn run<W: Word>(lanes: &Lanes, isa: Isa, part: StepPart, slots: &mut Slots) {
    if !lanes.straight.is_some_and(|straight| straight.run(isa, part, slots)) {
        Once { code: &*lanes.phases, part, slots }.run::<W>();
    }
}

/// A kernel that restarts games in the given lanes.
struct Renew<'a> {
    stepper: &'a Stepper,
    games: &'a mut Games,
    fresh: Plane,
}

impl Kernel for Renew<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Word>(self) {
        renew(self.stepper, self.games, W::load(&self.fresh));
    }
}

#[inline(always)]
fn renew<W: Word>(Stepper { initial, .. }: &Stepper, games: &mut Games, fresh: W) {
    if !fresh.any() {
        return;
    }
    for (planes, initial) in [&mut games.fluents, &mut games.legal].into_iter().zip(initial) {
        for (plane, initial) in planes.iter_mut().zip(initial) {
            fresh.pick(W::load(initial), W::load(plane)).store(plane);
        }
    }
    for (place, at) in games.at.iter_mut().enumerate() {
        let others = W::load(at);
        if place == 0 { others.or(fresh) } else { others.and_not(fresh) }.store(at);
    }
    W::load(&games.over).and_not(fresh).store(&mut games.over);
}
