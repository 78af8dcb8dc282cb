//! Games that a caller plays, 512 at once. A [`Stepper`] receives the numbers of moves and writes
//! rows of observations; between the steps, [`Games`] stay in planes.
//!
//! [`RowExpansion`](super::RowExpansion) takes and returns states, so each pass transposes them
//! twice. Here a step changes only planes. An AND with the legal moves checks the moves. A mask
//! selects the lanes of ended games that get the initial state. Only the rows that the caller reads
//! are transposed.
//!
//! If players take turns, games that started at different times are at different phases of the
//! cycle. A step runs the programs of each phase that some game is at, on all lanes, and keeps the
//! result in the lanes of that phase.
//!
//! Where chance has a choice, each game draws from its own stream, as if it were played alone.
//!
//! A step takes O(phases met * operations + planes), and reading takes O(lanes * words of a row). A
//! [`Stepper`] has its own programs. It takes 64 bytes for each slot, and 4 KiB for each word that
//! is read at a time. [`Games`] take 64 bytes for each fluent and each goal value, and twice that
//! for each move of each role. If chance plays, they take 32 bytes for each game.

mod read;
mod step;

pub use read::{CLEAR, Part, To};
pub use step::{ONLY, Renewal};

use super::{CyclePhase, Item, Lanes};
use crate::{
    bits,
    game::{Shape, legal_words},
    random::Stream,
    simd::{Isa, LANES, Plane, Rows, Store, Word},
    table::Table,
};
use read::Weave;
use std::{fmt, ops::Range};

/// The maximum number of words of a row: a read takes at most 32 MiB.
const MOST_WORDS: usize = 1 << 13;

/// A stepper of games in planes.
pub struct Stepper {
    lanes: Box<Lanes>,
    isa: Isa,
    plans: Box<[PhasePlan]>,
    seats: Box<[Seat]>,
    asks_all: bool,
    /// The initial state and its legal moves, as planes that are equal in all lanes.
    initial: [Box<[Plane]>; 2],
    /// The role and the value of each goal bit.
    goals: Box<[(usize, u8)]>,
    /// The range of goal bits of each role.
    goals_of: Box<[Range<usize>]>,
    weave: Weave,
    slots: Store,
    scratch: Box<[Rows; 3]>,
    rows: Vec<Rows>,
    /// A plane for each phase or each role; a buffer.
    few: Vec<Plane>,
}

/// A seat: one entry of a step's moves, for a role or for the role to move.
struct Seat {
    /// The range from the first to the last move that may be legal for the seat.
    moves: Range<usize>,
    /// The planes of these moves.
    planes: Range<usize>,
}

/// The moves of each role at a phase.
struct PhasePlan {
    roles: Box<[Choices]>,
    /// The role to move, if one role chooses at each step.
    speaker: usize,
    /// The slot of each goal bit; 0 if it is never set.
    goals: Box<[u32]>,
}

/// The moves of a role at a phase.
struct Choices {
    /// The plane of each move; empty for a role that does not choose.
    planes: Box<[u32]>,
    /// The slot of the first move, if there is more than one.
    first: Option<usize>,
    /// The slots of the legal moves; empty if all moves are always legal.
    seen: Range<usize>,
}

/// Up to 512 games.
#[derive(Clone)]
pub struct Games {
    length: usize,
    fluents: Box<[Plane]>,
    /// For each phase the games that are at it and have not ended.
    at: Box<[Plane]>,
    /// The legal moves, as planes of seats; clear in games that have ended.
    legal: Box<[Plane]>,
    /// The chosen moves.
    chosen: Box<[Plane]>,
    /// The games that have ended, and the games that the last step ended.
    over: Plane,
    ended: Plane,
    /// The games that the last step brought to a terminal state, rather than to a state where a
    /// role has no legal move.
    terminal: Plane,
    goals: Box<[Plane]>,
    /// The stream of random numbers of each game, if chance plays.
    streams: Box<[Stream]>,
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
    /// The maximum number of games.
    pub const MOST: usize = LANES;

    /// The number of games.
    #[must_use]
    pub fn len(&self) -> usize {
        self.length
    }

    /// Returns true if there are no games.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Returns true if the game has ended.
    #[must_use]
    pub fn is_over(&self, game: usize) -> bool {
        self.over.lane(game)
    }

    /// Returns true if the last step ended the game.
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

    /// Sets the stream that chance draws from in a game, if chance plays.
    pub fn seed(&mut self, game: usize, stream: Stream) {
        if let Some(old) = self.streams.get_mut(game) {
            *old = stream;
        }
    }
}

impl Stepper {
    /// Creates the stepper of a table's games.
    ///
    /// One role chooses at each step if chance does not play, `all` is false, and provably no two
    /// roles ever have a choice at once. Otherwise every role chooses. If the machine lacks the
    /// instruction set, [`Isa::Portable`] is used. O(gates).
    ///
    /// Returns `None` if
    /// - the table cannot be played in lanes (see [`Playouts::engine`](crate::Playouts::engine)),
    /// - no fluents identify the phases of its cycle,
    /// - a state, or the legal moves of all roles, have more than 8,192 words, or
    /// - a role has no legal move in the initial state.
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
        let has_choice = |phase: &CyclePhase| phase.roles.iter().filter(|role| role.moves.len() > 1).count();
        let asks_all = all || lanes.chance.is_some() || phases.iter().any(|phase| has_choice(phase) > 1);
        let speaker =
            |phase: &CyclePhase| phase.roles.iter().position(|role| role.moves.len() > 1).unwrap_or(0);

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
        let goals_of = (0..shape.roles).map(|role| {
            goals.partition_point(|goal| goal.0 < role)..goals.partition_point(|goal| goal.0 <= role)
        });
        let goals_of = goals_of.collect();
        let seat_of = |phase: &CyclePhase, role: usize| {
            if asks_all { Some(&seats[role]) } else { (role == speaker(phase)).then_some(&seats[0]) }
        };
        let plans = phases
            .iter()
            .map(|phase| {
                let roles = phase.roles.iter().enumerate().map(|(role, choice)| {
                    let first = choice.first as usize;
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
                PhasePlan {
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
            goals_of,
            weave: Weave::new(shape.roles),
            slots: Store::new(lanes.slots),
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

    /// Returns true if [`Stepper::choose`] takes a move of each role, false if it takes one of the
    /// role to move.
    #[must_use]
    pub fn asks_all(&self) -> bool {
        self.asks_all
    }

    /// The role to move in a state, if one role chooses at each step; the first role if none has a
    /// choice. Returns `None` if the state is at no phase; play never reaches such a state. O(words
    /// of a state).
    #[must_use]
    pub fn speaker(&self, state: &[u64]) -> Option<usize> {
        self.lanes.find(state).map(|phase| self.plans[phase].speaker)
    }

    /// Like [`Stepper::speaker`], in a game; returns the first role if the game has ended.
    /// O(phases).
    #[must_use]
    pub fn speaker_of(&self, games: &Games, game: usize) -> usize {
        let phase = games.at.iter().position(|at| at.lane(game));
        phase.map_or(0, |phase| self.plans[phase].speaker)
    }

    /// The legal moves of a role that chooses in a game; empty if the game has ended. O(moves).
    #[must_use]
    pub fn legal(&self, games: &Games, game: usize, role: usize) -> Vec<usize> {
        let Seat { moves, planes } = &self.seats[if self.asks_all { role } else { 0 }];
        let legal = moves.clone().zip(&games.legal[planes.clone()]);
        legal.filter(|(_, plane)| plane.lane(game)).map(|(action, _)| action).collect()
    }

    /// The approximate number of operations on planes in a step that reads all rows.
    #[must_use]
    pub fn operations(&self) -> usize {
        let phases = &self.lanes.phases[..self.plans.len()];
        let programs =
            phases.iter().map(|phase| phase.advance.len() + phase.observe.len() + phase.score.len());
        let rows = self.lanes.shape.state_words() + self.seats.len() * self.lanes.shape.legal_words();
        programs.sum::<usize>() + 4 * self.initial[1].len() + 500 * rows
    }
}

/// The lanes in which at least one plane is set, and those in which at least two are.
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
