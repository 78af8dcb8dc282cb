//! Games that a caller plays, 512 at once: a [`Stepper`] is given numbers of moves and writes rows of what is seen, and between
//! the steps [`Games`] stay in planes.
//!
//! [`RowExpansion`](super::RowExpansion) is given states and gives states, so each pass transposes them twice. Here a step
//! changes planes alone: moves are checked by an AND with the legal ones, lanes whose game is over get the initial state by a
//! mask, and only what the caller wants to read is transposed. Where players take turns, games that started at different times
//! are at different phases of the cycle: a step runs the programs of each phase at which some game is, on all lanes, and takes of
//! each its own.
//!
//! Chance moves by itself: where it has a choice, each game draws from a stream of its own, as it would if it were played alone.
//!
//! A step takes O(phases met * operations + planes) steps, to read O(lanes * words of a row). A [`Stepper`] has programs of its
//! own, takes 4 MiB and what is read at a time, 4 KiB for each word; [`Games`] take 64 bytes for each fluent, each goal value
//! and, twice, each move of each role, and 32 bytes a game where chance plays.

use super::{ENDED, FLUENTS, FRESH, IDLE, Item, Lanes, Phase, TERMINAL, expand::tell_apart};
use crate::{
    bits,
    game::{Shape, legal_words},
    random::Stream,
    simd::{Isa, Kernel, LANES, Plane, Rows, Store, Word, gather, of_lane, square, to_rows, word},
    table::Table,
};
use gdl_format::lanes::SLOTS;
use std::{array, fmt, ops::Range};

/// The most words of a row: what is read at a time takes at most 32 MiB.
const MOST_WORDS: usize = 1 << 13;

/// So many moves are told apart by a byte, whose last value is none of them.
const FEW: usize = u8::MAX as usize;

/// The move of a role that has only one: it may be left to the game.
pub const ONLY: i32 = -1;

/// The place in a row of fluents that is always clear.
pub const CLEAR: u32 = u32::MAX;

/// Steps games that lie in planes.
pub struct Stepper {
    lanes: Box<Lanes>,
    isa: Isa,
    plans: Box<[Plan]>,
    seats: Box<[Seat]>,
    asks_all: bool,
    /// The initial state, and what is legal in it, as planes of games that are all there.
    initial: [Box<[Plane]>; 2],
    /// For each goal bit its role and value.
    goals: Box<[(usize, u8)]>,
    weave: Weave,
    slots: Store<SLOTS>,
    scratch: Box<[Rows; 3]>,
    rows: Vec<Rows>,
    /// A plane for each phase or each role.
    few: Vec<Plane>,
}

/// What a number of a step's moves is for: a role, or the one that is asked.
struct Seat {
    /// The moves that may be legal for it, and those between them.
    moves: Range<usize>,
    /// Their planes.
    planes: Range<usize>,
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
    /// For each move its plane; none of a role that is not asked.
    planes: Box<[u32]>,
    /// The slot of the first move, if there is more than one.
    first: Option<usize>,
    /// The slots where it is seen what is legal; none if all moves are always.
    seen: Range<usize>,
}

/// How bytes of roles, 64 games each, become bytes of games, all roles of a game side by side: as many words as there are roles.
struct Weave {
    /// For each word, which game's byte comes where: of the second of two roles as one of 64 games behind.
    games: Box<[Plane]>,
    /// For each word and each two roles, where their bytes come.
    pairs: Box<[u64]>,
}

/// Up to 512 games.
#[derive(Clone)]
pub struct Games {
    length: usize,
    fluents: Box<[Plane]>,
    /// For each phase the games that are there and go on.
    at: Box<[Plane]>,
    /// What is legal, as planes of seats; clear in games that are over.
    legal: Box<[Plane]>,
    /// What was chosen.
    chosen: Box<[Plane]>,
    /// Games that are over, and those of them that the last step ended.
    over: Plane,
    ended: Plane,
    /// Of those the ones that ended in a terminal state, and not because a role had no legal move.
    terminal: Plane,
    goals: Box<[Plane]>,
    /// For each game what chance draws from, if it plays.
    streams: Box<[Stream]>,
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

/// What can be read of games, as rows of bits for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part<'a> {
    /// The fluents that hold.
    State,
    /// Those of these fluents that hold, in this order; [`CLEAR`] holds nowhere.
    Fluents(&'a [u32]),
    /// The legal moves: a row of the role that is asked, or one for each; none in games that are over, nor of chance.
    Legal,
}

/// Where to write what is read.
#[derive(Debug)]
pub enum To<'a> {
    /// A byte for each bit, 1 if it is set and else 0.
    Bytes(&'a mut [u8]),
    /// Bit i of a row in word i / 64.
    Words(&'a mut [u64]),
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

    /// Writes the words of a game's state. O(fluents).
    pub fn state(&self, game: usize, state: &mut [u64]) {
        state.fill(0);
        let holds = self.fluents.iter().enumerate().filter(|(_, plane)| plane.lane(game));
        holds.for_each(|(fluent, _)| bits::set(state, fluent));
    }

    /// From here on chance draws from this stream in a game, if it plays.
    pub fn seed(&mut self, game: usize, stream: Stream) {
        if let Some(old) = self.streams.get_mut(game) {
            *old = stream;
        }
    }
}

impl Stepper {
    /// What steps games of a table. At each step one role is asked for its move, if it is proved that there are never two with a
    /// choice at the same time, chance does not play and `all` is false; else each. None if the table cannot be played in lanes
    /// (see [`Playouts::engine`](crate::Playouts::engine)), or no fluents tell the phases of its cycle apart, or a state or the
    /// legal moves of all roles have more than 8,192 words, or a role has no legal move in the initial state. O(gates), usually
    /// some times over. If the machine does not have the instruction set, that is [`Isa::Portable`].
    #[must_use]
    pub fn new(table: &Table, isa: Isa, all: bool) -> Option<Self> {
        let lanes = table.lanes()?;
        let shape = lanes.shape;
        let vocabulary = table.vocabulary();
        if shape.state_words().max(shape.roles * shape.legal_words()) > MOST_WORDS
            || lanes.find(&lanes.initial) != Some(0)
        {
            return None;
        }
        let mut view = vec![0; shape.view_words()];
        table.observe_without_goals(table.initial(), &mut view);
        if (0..shape.roles).any(|role| bits::count(legal_words(&view, shape, role)) == 0) {
            return None;
        }
        let phases = &lanes.phases[..lanes.cycle.len()];
        let has_choice = |phase: &Phase| phase.roles.iter().filter(|role| role.moves.len() > 1).count();
        let asks_all = all || lanes.chance.is_some() || phases.iter().any(|phase| has_choice(phase) > 1);
        let speaker = |phase: &Phase| phase.roles.iter().position(|role| role.moves.len() > 1).unwrap_or(0);

        let mut seats: Vec<Seat> = Vec::new();
        for seat in 0..if asks_all { shape.roles } else { 1 } {
            let moves = phases.iter().flat_map(|phase| {
                let role = if asks_all { seat } else { speaker(phase) };
                phase.roles[role].moves.iter().map(|&action| action as usize)
            });
            let (first, last) =
                moves.fold((usize::MAX, 0), |(first, last), action| (first.min(action), last.max(action)));
            let start = seats.last().map_or(0, |seat| seat.planes.end);
            seats.push(Seat { moves: first..last + 1, planes: start..start + last + 1 - first });
        }
        let goals: Box<[(usize, u8)]> = (0..shape.roles)
            .flat_map(|role| vocabulary.goals_of(role).iter().map(move |&value| (role, value)))
            .collect();
        let seat_of = |phase: &Phase, role: usize| {
            if asks_all { Some(&seats[role]) } else { (role == speaker(phase)).then_some(&seats[0]) }
        };
        let plans = phases
            .iter()
            .map(|phase| {
                let roles = phase.roles.iter().enumerate().map(|(role, choice)| {
                    let first = usize::from(choice.first);
                    let plane = |seat: &Seat, action: u32| {
                        (seat.planes.start + action as usize - seat.moves.start) as u32
                    };
                    let planes = seat_of(phase, role).map_or_else(Box::default, |seat| {
                        choice.moves.iter().map(|&action| plane(seat, action)).collect()
                    });
                    let is_seen = first > 0 && usize::from(choice.count) < choice.moves.len();
                    Choices {
                        planes,
                        first: (choice.moves.len() > 1).then_some(first),
                        seen: if is_seen { first..first + choice.moves.len() } else { 0..0 },
                    }
                });
                let slot = |&(role, value): &(usize, u8)| {
                    let item = phase.items.iter().find(|(item, _)| *item == Item::Goal { role, value });
                    item.map_or(0, |item| item.1)
                };
                Plan {
                    roles: roles.collect(),
                    speaker: speaker(phase),
                    goals: goals.iter().map(slot).collect(),
                }
            })
            .collect();
        let speaker = speaker(&phases[0]);
        let legal = seats.iter().enumerate().flat_map(|(seat, Seat { moves, .. })| {
            let legal = legal_words(&view, shape, if asks_all { seat } else { speaker });
            moves.clone().map(|action| Plane::splat(bits::test(legal, action)))
        });
        let fluents = (0..shape.fluents).map(|fluent| Plane::splat(bits::test(&lanes.initial, fluent)));
        Some(Self {
            initial: [fluents.collect(), legal.collect()],
            lanes: Box::new(lanes.clone()),
            isa,
            plans,
            seats: seats.into(),
            asks_all,
            goals,
            weave: Weave::new(shape.roles),
            slots: Store::new(),
            scratch: Box::new([[Plane::ZERO; 64]; 3]),
            rows: Vec::new(),
            few: Vec::new(),
        })
    }

    /// The shape of the game.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.lanes.shape
    }

    /// True if [`Stepper::choose`] wants a move of each role, and false if of the one that is asked.
    #[must_use]
    pub fn asks_all(&self) -> bool {
        self.asks_all
    }

    /// The role that is asked in a state where one alone is, the first one if none has a choice; none if play never comes to the
    /// state. O(words of a state).
    #[must_use]
    pub fn speaker(&self, state: &[u64]) -> Option<usize> {
        self.lanes.find(state).map(|phase| self.plans[phase].speaker)
    }

    /// The same in a game; the first role if it is over. O(phases).
    #[must_use]
    pub fn speaker_of(&self, games: &Games, game: usize) -> usize {
        let phase = games.at.iter().position(|at| at.lane(game));
        phase.map_or(0, |phase| self.plans[phase].speaker)
    }

    /// The legal moves of a role in a game where it is asked; none if that is over. O(moves).
    #[must_use]
    pub fn legal(&self, games: &Games, game: usize, role: usize) -> Vec<usize> {
        let Seat { moves, planes } = &self.seats[if self.asks_all { role } else { 0 }];
        let legal = moves.clone().zip(&games.legal[planes.clone()]);
        legal.filter(|(_, plane)| plane.lane(game)).map(|(action, _)| action).collect()
    }

    /// About the operations on planes of a step in which all is read.
    #[must_use]
    pub fn operations(&self) -> usize {
        let phases = &self.lanes.phases[..self.plans.len()];
        let programs =
            phases.iter().map(|phase| phase.advance.len() + phase.observe.len() + phase.score.len());
        let rows = self.lanes.shape.state_words() + self.seats.len() * self.lanes.shape.legal_words();
        programs.sum::<usize>() + 4 * self.initial[1].len() + 500 * rows
    }

    /// So many games, at most 512, in the initial state; chance, if it plays, draws from the stream that is given for each.
    ///
    /// # Panics
    /// If there are more.
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

    /// Starts some of the games again. O(games + planes).
    pub fn reset(&self, games: &mut Games, which: impl Fn(usize) -> bool) {
        let mut fresh = Plane::ZERO;
        (0..games.length).filter(|&game| which(game)).for_each(|game| fresh.0[game / 64] |= 1 << (game % 64));
        for (to, fresh) in games.ended.0.iter_mut().zip(fresh.0) {
            *to &= !fresh;
        }
        self.isa.run(Renew { stepper: self, games, fresh });
    }

    /// Notes what each role does, by numbers of moves: one for each game, or one for each role of each game if it [asks
    /// all](Stepper::asks_all). A role with one legal move may leave it at [`ONLY`]. Those of games that are over do not matter,
    /// nor do those of chance.
    ///
    /// # Errors
    /// The first game with a move that is not legal. What was noted before is lost.
    ///
    /// # Panics
    /// If there are fewer numbers.
    pub fn choose(&mut self, games: &mut Games, actions: &[i32]) -> Result<(), usize> {
        let actions = &actions[..games.length * self.seats.len()];
        let wrong = self.isa.run(Choose { stepper: self, games, actions });
        bits::ones(&wrong.0).next().map_or(Ok(()), Err)
    }

    /// Makes the moves noted last, and those of chance. O(phases met * operations + planes).
    pub fn step(&mut self, games: &mut Games, renewal: Renewal) {
        let isa = self.isa;
        if let Some(chance) = self.lanes.chance {
            isa.run(Draw { stepper: self, games, chance });
        }
        isa.run(Step { stepper: self, games, renewal });
    }

    /// Writes a part of all games, the row or rows of one game behind those of the other. O(games * bits of a row).
    ///
    /// # Panics
    /// If there are not as many words or bytes as the rows take.
    pub fn read(&mut self, games: &Games, part: Part<'_>, to: To<'_>) {
        self.isa.run(Read { stepper: self, games, part, to });
    }

    /// Writes which games the last step ended.
    ///
    /// # Panics
    /// If there is not a value for each game.
    pub fn ended(&self, games: &Games, to: &mut [bool]) {
        assert_eq!(to.len(), games.length, "a value for each game");
        self.isa.run(Tell { lanes: &games.ended, to });
    }

    /// Writes the role that is asked in each game, if one alone is: the one whose move [`Stepper::choose`] wants; or, if that is
    /// one of each, the only one with several legal moves. -1 where there is none, and in games that are over.
    ///
    /// # Panics
    /// If there is not a number for each game, or a role's number does not fit.
    pub fn asked(&mut self, games: &Games, to: &mut [i8]) {
        assert_eq!(to.len(), games.length, "a number for each game");
        assert!(self.lanes.shape.roles <= 1 + i8::MAX as usize, "numbers of roles fit");
        self.isa.run(Number { stepper: self, games, to });
    }

    /// Writes what its goal is worth to each role of each game that the last step ended in a terminal state where every role has
    /// exactly one goal value, and 0 elsewhere and to chance, which has no need of one. `worth` is given a goal value. O(games *
    /// roles).
    ///
    /// # Panics
    /// If there is not a number for each role of each game.
    pub fn worth(&self, games: &Games, worth: impl Fn(u8) -> f32, to: &mut [f32]) {
        assert_eq!(to.len(), games.length * self.lanes.shape.roles, "a number for each role of each game");
        if games.ended.0.iter().zip(games.terminal.0).all(|(ended, terminal)| ended & terminal == 0) {
            to.fill(0.0);
            return;
        }
        // What is worth nothing needs no number.
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
    fn new(roles: usize) -> Self {
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

/// Where at least one is set, and at least two are.
#[inline(always)]
fn several<W: Word>(planes: &[Plane]) -> (W, W) {
    let (mut one, mut two) = (W::splat(false), W::splat(false));
    for plane in planes {
        let plane = W::load(plane);
        two = two.or_both(one, plane);
        one = one.or(plane);
    }
    (one, two)
}

/// The games that go on.
#[inline(always)]
fn live<W: Word>(at: &[Plane]) -> W {
    let mut live = W::splat(false);
    for at in at {
        live = live.or(W::load(at));
    }
    live
}

/// The work of [`Stepper::choose`]: games with a move that is not legal.
struct Choose<'a> {
    stepper: &'a Stepper,
    games: &'a mut Games,
    actions: &'a [i32],
}

impl Kernel for Choose<'_> {
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

/// The moves of a seat in all games.
#[derive(Clone, Copy)]
struct Column<'a> {
    actions: &'a [i32],
    first: usize,
    stride: usize,
}

impl Column<'_> {
    /// A byte for each game. Written so that a loop of a known length is made of it, for the instructions of the machine.
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

/// The moves of chance.
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

/// The work of [`Stepper::step`], but for the moves of chance.
struct Step<'a> {
    stepper: &'a mut Stepper,
    games: &'a mut Games,
    renewal: Renewal,
}

impl Kernel for Step<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Word>(self) {
        let Self { stepper, games, renewal } = self;
        let over = W::load(&games.over);
        let Stepper { lanes, plans, slots, few: here, .. } = &mut *stepper;
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
            // The games at this phase have their states, whatever phases before it have made of others.
            for (slot, fluent) in slots[usize::from(FLUENTS)..].iter_mut().zip(&*fluents) {
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
            slots[usize::from(IDLE)] = Plane::ZERO;
            slots[usize::from(FRESH)] = Plane::ZERO;
            slots[usize::from(ENDED)] = Plane::ONES;
            let next = (place + 1) % plans.len();
            let Phase { observe, keep, score, .. } = &lanes.phases[next];
            lanes.phases[place].advance.run::<W>(slots);
            // Lanes whose game is over keep their state too.
            for (fluent, next) in fluents.iter_mut().zip(&slots[usize::from(FLUENTS)..]) {
                live.pick(W::load(next), W::load(fluent)).store(fluent);
            }
            observe.run::<W>(slots);
            let end = W::load(&slots[usize::from(TERMINAL)]).and(live);
            if end.any() {
                keep.run::<W>(slots);
                score.run::<W>(slots);
                for (goal, &slot) in goals.iter_mut().zip(&plans[next].goals) {
                    let value = W::load(&slots[usize::from(slot)]);
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

/// Transposes a part of games to rows, and writes them.
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
                // Few words need not be kept before they are written.
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

/// Writes up to eight words.
#[inline(always)]
fn put_words<W: Word>(word: W, to: &mut [u64]) {
    let mut plane = Plane::ZERO;
    word.store(&mut plane);
    match to.first_chunk_mut() {
        Some(to) => *to = plane.0,
        None => to.copy_from_slice(&plane.0[..to.len()]),
    }
}

/// The planes that are read: rows of so many bits each.
struct Source<'a> {
    games: &'a Games,
    seats: &'a [Seat],
    chance: Option<usize>,
    part: Part<'a>,
    bits: usize,
}

impl Source<'_> {
    /// The planes of a word, those that follow being clear; they are put together in a buffer if they do not lie so.
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

    /// The rows of all words.
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

/// Writes a byte for each bit of rows, of which a game has some of so many bits, one behind the other.
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

/// Writes the first bits as bytes, and others behind them as long as there is room: what is too much is written over by what
/// comes next. Short rows are written by short stores, since one that meets two cache lines takes twice as long.
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
            let bools = bytes.map(|byte| byte != 0);
            match to.first_chunk_mut() {
                Some(to) => *to = bools,
                None => to.copy_from_slice(&bools[..to.len()]),
            }
        }
    }
}

/// Writes the numbers of roles.
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
            // No role has a choice where two have one.
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

/// The work of [`Stepper::worth`], once goal values have numbers and these what they are worth.
struct Worth<'a> {
    stepper: &'a Stepper,
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
        let Self { stepper: Stepper { lanes, goals, weave, .. }, games, of_value, values, count, to } = self;
        let roles = lanes.shape.roles;
        let mut scored = W::load(&games.ended).and(W::load(&games.terminal));
        let mut start = 0;
        for role in 0..roles {
            let end = start + goals[start..].iter().take_while(|&&(other, _)| other == role).count();
            let (one, two) = several::<W>(&games.goals[start..end]);
            if lanes.chance != Some(role) {
                scored = scored.and(one).and_not(two);
            }
            start = end;
        }
        let mut lanes_scored = Plane::ZERO;
        scored.store(&mut lanes_scored);
        let mut bytes = vec![Plane::ZERO; roles];
        for (block, to) in to.chunks_mut(64 * roles).enumerate() {
            let scored = lanes_scored.0[block];
            if scored == 0 {
                to.fill(0.0);
                continue;
            }
            bytes.fill(Plane::ZERO);
            for (&(role, value), plane) in goals.iter().zip(&games.goals) {
                let number = of_value[usize::from(value)];
                if number != 0 && lanes.chance != Some(role) {
                    let number = W::load(&Plane([u64::from_ne_bytes([number; 8]); 8]));
                    let old = W::load(&bytes[role]);
                    old.or_both(W::spread(scored & plane.0[block]), number).store(&mut bytes[role]);
                }
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
