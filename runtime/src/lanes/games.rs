//! Games that a caller plays, 512 at once, and that stay in planes from one step to the next: in come numbers of moves, out go rows of
//! what is seen.
//!
//! [`RowExpansion`](super::RowExpansion) is given states and gives states, so each pass transposes them twice. Here a step changes
//! planes alone: moves are checked by an AND with the legal ones, lanes whose game is over get the initial state by a mask, and only what
//! the caller wants to read is transposed. Where players take turns, games that started at different times are at
//! different phases of the cycle: a step runs the programs of each phase at which some game is, on all lanes, and takes of each its own.
//!
//! A step takes O(phases met * operations) steps, to read O(lanes * words of a row). A [`Stepper`] has programs of its own, takes 4 MiB and
//! what is read at a time, 4 KiB for each word; [`Games`] take 64 bytes for each fluent, each goal value and, twice, each move that may be legal at a phase.

use super::{ENDED, FLUENTS, FRESH, IDLE, Item, Lanes, Phase, TERMINAL, expand::tell_apart};
use crate::{
    bits,
    game::{Shape, legal_words},
    simd::{Isa, Kernel, LANES, Plane, Rows, Store, Word, to_rows, word},
    table::Table,
};
use gdl_format::lanes::SLOTS;
use std::{array, fmt, ops::Range};

/// The most words of a row: what is read at a time takes at most 32 MiB.
const MOST_WORDS: usize = 1 << 13;

/// The most moves of a role that are told apart by a byte, of which one value is none of them.
const FEW: usize = u8::MAX as usize;

/// The move of a role that has only one: it may be left to the game.
pub const ONLY: i32 = -1;

/// Steps games that lie in planes.
pub struct Stepper {
    lanes: Box<Lanes>,
    isa: Isa,
    plans: Box<[Plan]>,
    /// What may be legal in the initial state, as planes of its phase.
    initial: Box<[bool]>,
    /// For each goal bit its role and value.
    goals: Box<[(usize, u8)]>,
    slots: Store<SLOTS>,
    scratch: Box<[Rows; 2]>,
    rows: Vec<Rows>,
    /// The states before a step, where it needs them more than once.
    before: Vec<Plane>,
}

/// The moves of a phase.
struct Plan {
    roles: Box<[Choices]>,
    /// The role that is asked where only one is.
    speaker: usize,
    /// For each goal bit its slot, 0 if it is never set.
    goals: Box<[u16]>,
}

/// What a role may do at a phase.
struct Choices {
    /// Its planes among those of the phase.
    planes: Range<usize>,
    /// For each move of the game its place among them; as many as there are moves at the phase for others.
    places: Box<[u32]>,
    /// The same as bytes for a table in registers, where games have so few moves; all ones for others.
    few: Option<Box<[u8; 128]>>,
    /// The slot of the first, if there is more than one move.
    first: Option<usize>,
    /// Where it is seen what is legal; none if all moves are always.
    seen: Option<usize>,
}

/// Up to 512 games.
#[derive(Clone)]
pub struct Games {
    length: usize,
    fluents: Box<[Plane]>,
    /// For each phase the games that are there and go on.
    at: Box<[Plane]>,
    /// For each phase what is legal, and what was chosen, as its roles' planes; it counts in the games that are there.
    legal: Box<[Box<[Plane]>]>,
    chosen: Box<[Box<[Plane]>]>,
    /// Games that are over, and those of them that the last step ended.
    over: Plane,
    ended: Plane,
    /// Of those the ones that ended in a terminal state, and not because a role had no legal move.
    terminal: Plane,
    goals: Box<[Plane]>,
}

/// What becomes of games that are over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renewal {
    /// They start again in the step that ended them.
    SameStep,
    /// They start again in the next step, whatever moves that has for them.
    NextStep,
    /// They stay as they are until they are reset.
    Never,
}

/// What can be read of games, as a row of bits for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The fluents that hold.
    State,
    /// The legal moves of the role that is asked; none in games that are over.
    Legal,
    /// The legal moves of each role, each from a word of its own.
    LegalOfAll,
}

impl fmt::Debug for Stepper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stepper").field("isa", &self.isa).finish_non_exhaustive()
    }
}

impl fmt::Debug for Games {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Games").field("length", &self.length).finish_non_exhaustive()
    }
}

impl Games {
    /// The most games.
    pub const MOST: usize = LANES;

    /// The number of games.
    #[must_use]
    pub fn len(&self) -> usize {
        self.length
    }

    /// True if there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// True if the game is over.
    #[must_use]
    pub fn is_over(&self, game: usize) -> bool {
        self.over.lane(game)
    }

    /// True if the last step ended the game.
    #[must_use]
    pub fn has_ended(&self, game: usize) -> bool {
        self.ended.lane(game)
    }
}

impl Stepper {
    /// What steps games of a table. None if the table cannot be played in lanes (see
    /// [`Playouts::engine`](crate::Playouts::engine)), or no fluents tell the phases of its cycle apart, or a state or the legal moves of
    /// all roles have more than 8,192 words, or chance plays. O(gates), usually some times over. If the machine does
    /// not have the instruction set, that is [`Isa::Portable`].
    #[must_use]
    pub fn new(table: &Table, isa: Isa) -> Option<Self> {
        let lanes = table.lanes()?;
        let shape = lanes.shape;
        let vocabulary = table.vocabulary();
        if shape.state_words().max(shape.roles * shape.legal_words()) > MOST_WORDS
            || vocabulary.chance().is_some()
            || lanes.find(&lanes.initial) != Some(0)
        {
            return None;
        }
        let goals: Box<[(usize, u8)]> = (0..shape.roles)
            .flat_map(|role| vocabulary.goals_of(role).iter().map(move |&value| (role, value)))
            .collect();
        let plans: Box<[Plan]> =
            lanes.phases[..lanes.cycle.len()].iter().map(|phase| Plan::new(phase, shape, &goals)).collect();
        let mut view = vec![0; shape.view_words()];
        table.observe_without_goals(table.initial(), &mut view);
        let initial = lanes.phases[0].roles.iter().enumerate().flat_map(|(role, choice)| {
            let legal = legal_words(&view, shape, role);
            choice.moves.iter().map(|&action| bits::test(legal, action as usize))
        });
        let initial = initial.collect();
        let scratch = Box::new([[Plane::ZERO; 64]; 2]);
        let lanes = Box::new(lanes.clone());
        Some(Self {
            lanes,
            isa,
            plans,
            initial,
            goals,
            slots: Store::new(),
            scratch,
            rows: Vec::new(),
            before: Vec::new(),
        })
    }

    /// The shape of the game.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.lanes.shape
    }

    /// True if at each phase at most one role has more than one move: so it is proved that there are no choices at the same time.
    #[must_use]
    pub fn is_sequential(&self) -> bool {
        self.plans.iter().all(|plan| plan.roles.iter().filter(|role| role.first.is_some()).count() <= 1)
    }

    /// The role that is asked in a state of a [sequential](Stepper::is_sequential) game, the first one if none has a choice; none if play
    /// never comes to the state. O(words of a state).
    #[must_use]
    pub fn speaker(&self, state: &[u64]) -> Option<usize> {
        self.lanes.find(state).map(|phase| self.plans[phase].speaker)
    }

    /// So many games, at most 512, in the initial state.
    ///
    /// # Panics
    /// If there are more.
    #[must_use]
    pub fn start(&self, length: usize) -> Games {
        assert!(length <= LANES, "at most {LANES} games");
        let planes = |plan: &Plan| vec![Plane::ZERO; plan.moves()].into_boxed_slice();
        let mut games = Games {
            length,
            fluents: vec![Plane::ZERO; self.lanes.shape.fluents].into(),
            at: vec![Plane::ZERO; self.plans.len()].into(),
            legal: self.plans.iter().map(planes).collect(),
            chosen: self.plans.iter().map(planes).collect(),
            over: Plane::ZERO,
            ended: Plane::ZERO,
            terminal: Plane::ZERO,
            goals: vec![Plane::ZERO; self.goals.len()].into(),
        };
        self.reset(&mut games, |_| true);
        games
    }

    /// Starts some of the games again. O(games + planes).
    pub fn reset(&self, games: &mut Games, which: impl Fn(usize) -> bool) {
        let mut fresh = Plane::ZERO;
        (0..games.length).filter(|&game| which(game)).for_each(|game| fresh.0[game / 64] |= 1 << (game % 64));
        for (to, fresh) in games.ended.0.iter_mut().zip(fresh.0) {
            *to &= !fresh;
        }
        self.isa.run(Renew { stepper: self, games, fresh });
    }

    /// Notes what each role does: the numbers of moves, one for each game if the game [is
    /// sequential](Stepper::is_sequential) and `all` is false, that of the role which is asked; else one for each role of each game.
    /// A role with one legal move may leave it at [`ONLY`]. Those of games that are over do not matter.
    ///
    /// # Errors
    /// The first game with a move that is not legal. What was noted before is lost.
    ///
    /// # Panics
    /// If there are fewer numbers.
    pub fn choose(&mut self, games: &mut Games, all: bool, actions: &[i32]) -> Result<(), usize> {
        let isa = self.isa;
        let width = if all { self.lanes.shape.roles } else { 1 };
        let actions = &actions[..games.length * width];
        let wrong = isa.run(Choose { plans: &self.plans, games, all, width, actions });
        bits::ones(&wrong.0).next().map_or(Ok(()), Err)
    }

    /// Makes the moves noted last. O(phases met * operations).
    pub fn step(&mut self, games: &mut Games, renewal: Renewal) {
        let before = if renewal == Renewal::NextStep { games.over } else { Plane::ZERO };
        let isa = self.isa;
        isa.run(Step { stepper: self, games });
        let fresh = if renewal == Renewal::SameStep { games.ended } else { before };
        isa.run(Renew { stepper: self, games, fresh });
    }

    /// Writes a part of all games as words, the words of one game behind those of the other.
    ///
    /// # Panics
    /// If there are not as many words as the rows take.
    pub fn words(&mut self, games: &Games, part: Part, to: &mut [u64]) {
        let isa = self.isa;
        let blocks = self.blocks(part).len();
        assert_eq!(to.len(), games.length * blocks, "a row for each game");
        if to.is_empty() {
            return;
        }
        isa.run(Read { stepper: self, games, part });
        if let [rows] = &self.rows[..] {
            copy(rows, to);
            return;
        }
        for (block, rows) in self.rows.iter().enumerate() {
            let words = rows.iter().flat_map(|plane| plane.0);
            to[block..].iter_mut().step_by(blocks).zip(words).for_each(|(to, word)| *to = word);
        }
    }

    /// Writes a part of all games as bytes, 1 for each bit that is set and else 0: [`Shape::fluents`] or [`Shape::moves`] bytes,
    /// the latter for each role if asked so.
    ///
    /// # Panics
    /// If there are not as many bytes as the rows take.
    pub fn bytes(&mut self, games: &Games, part: Part, to: &mut [u8]) {
        let isa = self.isa;
        isa.run(Read { stepper: self, games, part });
        let blocks = self.blocks(part);
        let width: usize = blocks.iter().sum();
        assert_eq!(to.len(), games.length * width, "a row for each game");
        isa.run(Widen { rows: &self.rows, blocks: &blocks, length: games.length, to });
    }

    /// The bits of each word of a row.
    fn blocks(&self, part: Part) -> Vec<usize> {
        let shape = self.lanes.shape;
        let (bits, times) = match part {
            Part::State => (shape.fluents, 1),
            Part::Legal => (shape.moves, 1),
            Part::LegalOfAll => (shape.moves, shape.roles),
        };
        let row = (0..bits).step_by(64).map(|first| (bits - first).min(64));
        (0..times).flat_map(|_| row.clone()).collect()
    }

    /// Writes which games the last step ended.
    ///
    /// # Panics
    /// If there is not a value for each game.
    pub fn ended(&self, games: &Games, to: &mut [bool]) {
        assert_eq!(to.len(), games.length, "a value for each game");
        self.isa.run(Tell { lanes: &games.ended, to });
    }

    /// Writes the role that is asked in each game, if one alone is: of a [sequential](Stepper::is_sequential) game with `all` false the one
    /// whose move [`Stepper::choose`] wants; else the only one with several legal moves. -1 where there is none.
    ///
    /// # Panics
    /// If there is not a number for each game.
    pub fn asked(&self, games: &Games, all: bool, to: &mut [i8]) {
        assert_eq!(to.len(), games.length, "a number for each game");
        let mut lanes = vec![Plane::ZERO; self.lanes.shape.roles];
        let add =
            |to: &mut Plane, from: Plane| to.0.iter_mut().zip(from.0).for_each(|(to, from)| *to |= from);
        for ((plan, legal), at) in self.plans.iter().zip(&games.legal).zip(&games.at) {
            if *at == Plane::ZERO {
                continue;
            }
            if !all {
                add(&mut lanes[plan.speaker], *at);
                continue;
            }
            let several: Vec<Plane> =
                plan.roles.iter().map(|role| several(&legal[role.planes.clone()]).1).collect();
            let (_, two) = self::several(&several);
            for (lanes, several) in lanes.iter_mut().zip(&several) {
                add(lanes, Plane(array::from_fn(|i| at.0[i] & several.0[i] & !two.0[i])));
            }
        }
        self.isa.run(Number { lanes: &lanes, to });
    }

    /// The goal value of each role in each game that the last step ended in a terminal state where every role has exactly one.
    pub fn scores(&self, games: &Games, mut tell: impl FnMut(usize, usize, u8)) {
        let mut lanes = Plane(array::from_fn(|i| games.ended.0[i] & games.terminal.0[i]));
        if lanes == Plane::ZERO {
            return;
        }
        for role in 0..self.lanes.shape.roles {
            let start = self.goals.partition_point(|&(other, _)| other < role);
            let end = self.goals.partition_point(|&(other, _)| other <= role);
            let (one, two) = several(&games.goals[start..end]);
            lanes = Plane(array::from_fn(|i| lanes.0[i] & one.0[i] & !two.0[i]));
        }
        for (&(role, value), plane) in self.goals.iter().zip(&games.goals) {
            let lanes: [u64; 8] = array::from_fn(|i| lanes.0[i] & plane.0[i]);
            bits::ones(&lanes).for_each(|game| tell(game, role, value));
        }
    }
}

/// Where at least one is set, and at least two are.
fn several(planes: &[Plane]) -> (Plane, Plane) {
    planes.iter().fold((Plane::ZERO, Plane::ZERO), |(one, two), plane| {
        let or = |a: Plane, b: Plane| Plane(array::from_fn(|i| a.0[i] | b.0[i]));
        let and = Plane(array::from_fn(|i| one.0[i] & plane.0[i]));
        (or(one, *plane), or(two, and))
    })
}

/// The word of a lane.
#[inline]
fn of_lane(rows: &Rows, lane: usize) -> u64 {
    rows[lane / 8].0[lane % 8]
}

fn copy(rows: &Rows, to: &mut [u64]) {
    for (to, plane) in to.chunks_mut(8).zip(rows) {
        to.copy_from_slice(&plane.0[..to.len()]);
    }
}

impl Plan {
    fn new(phase: &Phase, shape: Shape, goals: &[(usize, u8)]) -> Self {
        let mut start = 0;
        let roles: Box<[Choices]> = phase
            .roles
            .iter()
            .map(|choice| {
                let planes = start..start + choice.moves.len();
                start = planes.end;
                let mut places = vec![choice.moves.len() as u32; shape.moves];
                (0..).zip(&choice.moves).for_each(|(place, &action)| places[action as usize] = place);
                let first = usize::from(choice.first);
                let is_seen = first > 0 && usize::from(choice.count) < choice.moves.len();
                let few = (shape.moves <= 128 && choice.moves.len() < FEW).then(|| {
                    let place =
                        |action: usize| places.get(action).filter(|&&place| place < planes.len() as u32);
                    Box::new(array::from_fn(|action| place(action).map_or(u8::MAX, |&place| place as u8)))
                });
                Choices {
                    few,
                    planes,
                    places: places.into(),
                    first: (choice.moves.len() > 1).then_some(first),
                    seen: is_seen.then_some(first),
                }
            })
            .collect();
        let slot = |&(role, value): &(usize, u8)| {
            phase.items.iter().find(|(item, _)| *item == Item::Goal { role, value }).map_or(0, |item| item.1)
        };
        let speaker = roles.iter().position(|role| role.first.is_some()).unwrap_or(0);
        Self { roles, speaker, goals: goals.iter().map(slot).collect() }
    }

    /// The planes of moves.
    fn moves(&self) -> usize {
        self.roles.last().map_or(0, |role| role.planes.end)
    }
}

/// The work of [`Stepper::choose`]: games with a move that is not legal.
struct Choose<'a> {
    plans: &'a [Plan],
    games: &'a mut Games,
    all: bool,
    width: usize,
    actions: &'a [i32],
}

impl Kernel for Choose<'_> {
    type Output = Plane;

    #[inline(always)]
    fn run<W: Word>(self) -> Plane {
        let Self { plans, games, all, width, actions } = self;
        let mut wrong = W::splat(false);
        for (place, plan) in plans.iter().enumerate() {
            let live = W::load(&games.at[place]);
            if !live.any() {
                continue;
            }
            for (number, role) in plan.roles.iter().enumerate() {
                if !all && number != plan.speaker {
                    continue;
                }
                let legal = &games.legal[place][role.planes.clone()];
                let chosen = &mut games.chosen[place][role.planes.clone()];
                let actions = &actions[if all { number } else { 0 }..];
                let left = note::<W>(role, actions, width, chosen);
                let mut fits = W::splat(false);
                for (legal, chosen) in legal.iter().zip(&*chosen) {
                    fits = fits.or_both(W::load(legal), W::load(chosen));
                }
                let left = W::load(&left);
                if left.any() {
                    let (mut one, mut two) = (W::splat(false), W::splat(false));
                    for legal in legal {
                        let legal = W::load(legal);
                        two = two.or_both(one, legal);
                        one = one.or(legal);
                    }
                    let only = one.and_not(two).and(left);
                    for (legal, chosen) in legal.iter().zip(chosen) {
                        W::load(chosen).or_both(only, W::load(legal)).store(chosen);
                    }
                    fits = fits.or(only);
                }
                wrong = wrong.or(live.and_not(fits));
            }
        }
        let mut plane = Plane::ZERO;
        wrong.store(&mut plane);
        plane
    }
}

/// Sets the planes of what is chosen. Where it was left to the game.
#[inline(always)]
fn note<W: Word>(role: &Choices, actions: &[i32], width: usize, chosen: &mut [Plane]) -> Plane {
    if chosen.len() < FEW {
        // A place that no plane has tells nothing apart.
        let mut numbers = [u8::MAX; LANES];
        match &role.few {
            Some(few) if width == 1 => look_up::<W>(few, actions, &mut numbers),
            _ => {
                let none = chosen.len() as u32;
                for (number, action) in numbers.iter_mut().zip(actions.iter().step_by(width)) {
                    *number = role.places.get(action.cast_unsigned() as usize).copied().unwrap_or(none) as u8;
                }
            }
        }
        tell_apart::<W>(&numbers, chosen);
    } else {
        chosen.fill(Plane::ZERO);
        for (lane, &action) in actions.iter().step_by(width).enumerate() {
            let place = role.places.get(action.cast_unsigned() as usize).map(|&place| place as usize);
            if let Some(plane) = place.and_then(|place| chosen.get_mut(place)) {
                plane.0[lane / 64] |= 1 << (lane % 64);
            }
        }
    }
    let mut left = Plane::ZERO;
    if actions.contains(&ONLY) {
        for (lane, &action) in actions.iter().step_by(width).enumerate() {
            left.0[lane / 64] |= u64::from(action == ONLY) << (lane % 64);
        }
    }
    left
}

/// The places of moves, all ones for those that have none.
#[inline(always)]
fn look_up<W: Word>(few: &[u8; 128], actions: &[i32], numbers: &mut [u8; LANES]) {
    let halves = few.as_chunks::<64>().0;
    let (low, high) = (word::<W>(&halves[0]), word::<W>(&halves[1]));
    for (numbers, actions) in numbers.as_chunks_mut::<64>().0.iter_mut().zip(actions.chunks(64)) {
        let mut moves = [u8::MAX; 64];
        for (to, &action) in moves.iter_mut().zip(actions) {
            *to = action.cast_unsigned().min(255) as u8;
        }
        let moves = word::<W>(&moves);
        let known = !moves.collect();
        W::take(known, low, high, moves).or(W::spread(!known)).put(numbers);
    }
}

/// The work of [`Stepper::step`], but for games that start again.
struct Step<'a> {
    stepper: &'a mut Stepper,
    games: &'a mut Games,
}

impl Kernel for Step<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Word>(self) {
        let Self { stepper: Stepper { lanes, plans, slots, before, .. }, games } = self;
        let slots = &mut **slots;
        let Games { fluents, at, legal, chosen, over, ended, terminal, goals, .. } = games;
        let here = at.clone();
        at.fill(Plane::ZERO);
        let met = here.iter().filter(|&&at| at != Plane::ZERO).count();
        // With several phases each needs the states as they were.
        before.clear();
        if met > 1 {
            before.extend_from_slice(fluents);
        }
        let (mut all_ended, mut all_terminal) = (W::splat(false), W::splat(false));
        for (place, plan) in plans.iter().enumerate() {
            let live = W::load(&here[place]);
            if !live.any() {
                continue;
            }
            let state = &mut slots[usize::from(FLUENTS)..][..fluents.len()];
            state.copy_from_slice(if met > 1 { before } else { fluents });
            for role in &plan.roles {
                if let Some(first) = role.first {
                    slots[first..][..role.planes.len()].copy_from_slice(&chosen[place][role.planes.clone()]);
                }
            }
            slots[0] = Plane::ZERO;
            slots[usize::from(IDLE)] = Plane::ZERO;
            slots[usize::from(FRESH)] = Plane::ZERO;
            slots[usize::from(ENDED)] = Plane::ONES;
            lanes.phases[place].advance.run::<W>(slots);
            // Lanes whose game is over keep their state too.
            for (fluent, next) in fluents.iter_mut().zip(&slots[usize::from(FLUENTS)..]) {
                live.pick(W::load(next), W::load(fluent)).store(fluent);
            }
            let next = (place + 1) % plans.len();
            let Phase { observe, keep, score, .. } = &lanes.phases[next];
            observe.run::<W>(slots);
            let end = W::load(&slots[usize::from(TERMINAL)]).and(live);
            if end.any() {
                keep.run::<W>(slots);
                score.run::<W>(slots);
                for (goal, &slot) in goals.iter_mut().zip(&plans[next].goals) {
                    let value = W::load(&slots[usize::from(slot)]);
                    let value = if slot == 0 { W::splat(false) } else { value };
                    end.pick(value, W::load(goal)).store(goal);
                }
            }
            let mut able = W::splat(true);
            for role in &plans[next].roles {
                let mut one = W::splat(false);
                for (move_, legal) in legal[next][role.planes.clone()].iter_mut().enumerate() {
                    let seen = match role.seen {
                        Some(first) => W::load(&slots[first + move_]),
                        None => W::splat(true),
                    };
                    one = one.or(seen);
                    seen.store(legal);
                }
                able = able.and(one);
            }
            let goes_on = live.and(able).and_not(end);
            goes_on.store(&mut at[next]);
            all_ended = all_ended.or(live.and_not(goes_on));
            all_terminal = all_terminal.or(end);
        }
        all_ended.store(ended);
        all_terminal.store(terminal);
        W::load(over).or(all_ended).store(over);
    }
}

/// Puts the initial state in some lanes.
struct Renew<'a> {
    stepper: &'a Stepper,
    games: &'a mut Games,
    fresh: Plane,
}

impl Kernel for Renew<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Word>(self) {
        let Self { stepper: Stepper { lanes, initial, .. }, games, fresh } = self;
        let fresh = W::load(&fresh);
        if !fresh.any() {
            return;
        }
        for (fluent, plane) in games.fluents.iter_mut().enumerate() {
            let holds = W::splat(bits::test(&lanes.initial, fluent));
            fresh.pick(holds, W::load(plane)).store(plane);
        }
        for (plane, &legal) in games.legal[0].iter_mut().zip(initial) {
            fresh.pick(W::splat(legal), W::load(plane)).store(plane);
        }
        for (place, at) in games.at.iter_mut().enumerate() {
            let others = W::load(at).and_not(fresh);
            if place == 0 { others.or(fresh) } else { others }.store(at);
        }
        W::load(&games.over).and_not(fresh).store(&mut games.over);
    }
}

/// Transposes a part of games to rows, one for each word.
struct Read<'a> {
    stepper: &'a mut Stepper,
    games: &'a Games,
    part: Part,
}

impl Kernel for Read<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Word>(self) {
        let Self { stepper: Stepper { lanes, plans, scratch, rows, .. }, games, part } = self;
        let [scratch, buffer] = &mut **scratch;
        let blocks = games.length.div_ceil(64);
        let shape = lanes.shape;
        if part == Part::State {
            rows.resize(shape.state_words(), [Plane::ZERO; 64]);
            for (rows, planes) in rows.iter_mut().zip(games.fluents.chunks(64)) {
                to_rows::<W>(planes, rows, blocks, scratch);
            }
            return;
        }
        let roles = if part == Part::Legal { 1 } else { shape.roles };
        rows.resize(roles * shape.legal_words(), [Plane::ZERO; 64]);
        for (number, rows) in rows.iter_mut().enumerate() {
            let (role, first) = (number / shape.legal_words(), number % shape.legal_words() * 64);
            let moves = (shape.moves - first).min(64);
            buffer[..moves].fill(Plane::ZERO);
            for (place, plan) in plans.iter().enumerate() {
                let live = W::load(&games.at[place]);
                if !live.any() {
                    continue;
                }
                let role = &plan.roles[if part == Part::Legal { plan.speaker } else { role }];
                let legal = &games.legal[place][role.planes.clone()];
                for (plane, &place) in buffer[..moves].iter_mut().zip(&role.places[first..]) {
                    if let Some(legal) = legal.get(place as usize) {
                        W::load(plane).or_both(live, W::load(legal)).store(plane);
                    }
                }
            }
            to_rows::<W>(&buffer[..moves], rows, blocks, scratch);
        }
    }
}

/// Writes a byte for each bit of rows.
struct Widen<'a> {
    rows: &'a [Rows],
    blocks: &'a [usize],
    length: usize,
    to: &'a mut [u8],
}

impl Kernel for Widen<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Word>(self) {
        let Self { rows, blocks, length, to } = self;
        let ones = W::load(&Plane([0x0101_0101_0101_0101; 8]));
        let mut start = 0;
        for lane in 0..length {
            for (rows, &bits) in rows.iter().zip(blocks) {
                let values = W::spread(of_lane(rows, lane)).and(ones);
                // All 64, as long as there is room: what is too much is written over by what comes next.
                if let Some(to) = to[start..].first_chunk_mut() {
                    values.put(to);
                } else {
                    let mut bytes = [0; 64];
                    values.put(&mut bytes);
                    to[start..start + bits].copy_from_slice(&bytes[..bits]);
                }
                start += bits;
            }
        }
    }
}

/// Writes which lanes are set.
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
            to.iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte != 0);
        }
    }
}

/// Writes the number of the role whose lanes these are; -1 in others. No two roles have the same.
struct Number<'a> {
    lanes: &'a [Plane],
    to: &'a mut [i8],
}

impl Kernel for Number<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Word>(self) {
        let Self { lanes, to } = self;
        for (block, to) in to.chunks_mut(64).enumerate() {
            let (mut numbers, mut none) = (W::splat(false), !0);
            for (role, lanes) in (0_u8..).zip(lanes) {
                let number = W::load(&Plane([u64::from_ne_bytes([role; 8]); 8]));
                numbers = numbers.or_both(W::spread(lanes.0[block]), number);
                none &= !lanes.0[block];
            }
            let mut bytes = [0; 64];
            numbers.or(W::spread(none)).put(&mut bytes);
            to.iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte.cast_signed());
        }
    }
}
