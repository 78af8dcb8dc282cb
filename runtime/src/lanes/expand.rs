//! Batched successor generation, 512 pairs of a state and a joint move in a pass. The output is the
//! successors and their views, as rows of bits.
//!
//! States are consecutive rows of bits; lanes need planes. So a pass transposes words of 512 lanes
//! into planes, runs the programs of a phase on them, and transposes the requested planes back. A
//! joint move is one move for each role that has a choice. Each role's move is stored as an 8-bit
//! number, which a pass decodes. If the role has more than 256 moves, the move is stored as a bit
//! in a plane instead.
//!
//! A pass takes O(operations + words of a state and a view) steps. An expansion takes its slots and
//! 4 KiB for each word of a state. A [`RowBatch`] takes 4 KiB for each word of a state and a view,
//! at most [`MOST_WORDS`]. A view has words for each role, so the memory of a game whose roles have
//! different moves is quadratic in the roles.

use super::{Choice, CyclePhase, ENDED, FLUENTS, FRESH, IDLE, Item, Lanes, TERMINAL};
use crate::{
    bits,
    dynamic::MoveId,
    game::{Id, Shape, legal_words},
    simd::{Isa, Kernel, LANES, Plane, Rows, Slots, Store, Word, digits, of_lane, to_planes, to_rows},
    table::Table,
};
use gdl_format::lanes::MOST_SLOTS;
use std::{fmt, ops::Range};

/// The slot of the idle lanes, which only the programs read. After they have run, it is set in
/// every lane, for moves that are always legal.
const ALWAYS: u32 = IDLE;

/// The bound on the joint moves of a state, so that the sum over 512 states fits 64 bits.
const MOST_JOINTS: u64 = 1 << 54;

/// The maximum number of words of a state and a view: a batch takes at most 32 MiB.
const MOST_WORDS: usize = 1 << 13;

/// The greatest number of moves of a role that a byte can number.
const FEW: usize = 1 << u8::BITS;

/// The maximum number of binary digits of a number of moves.
const DIGITS: usize = MOST_SLOTS.ilog2() as usize;

/// Batched successor generation, 512 (state, joint move) pairs a pass:
/// [`Expansion`](super::Expansion) for rows of any table.
pub struct RowExpansion<'t> {
    lanes: &'t Lanes,
    isa: Isa,
    plans: Box<[TransposePlan]>,
    slots: Store,
    /// The states that were added, one after the other.
    parents: Vec<Plane>,
    /// For each role with at most 256 moves, the 8-bit number of its move in each lane.
    moves: Vec<[u8; LANES]>,
    scratch: Box<[Rows; 2]>,
    phase: usize,
    length: usize,
    /// The encoded legal moves of a role; a buffer.
    legal: Vec<u32>,
}

/// The transposition plan of a phase: the encoding of its moves and the slots of its views.
struct TransposePlan {
    roles: Box<[Role]>,
    /// For each word of a view the slots of its bits, without trailing bits that are never set;
    /// slot 0 is never set.
    views: Box<[Box<[u32]>]>,
}

/// The encoding of a role's move.
enum Role {
    /// No encoding, since there is at most one move.
    Sure,
    /// A number, given for each move.
    Number(Box<[u8]>),
    /// A bit in a plane, whose slot is given for each move. Moves that are never legal share slot
    /// 0, which is cleared.
    Planes(Box<[u32]>),
}

/// Up to 512 states and their views, one in each lane, as [`RowExpansion`] writes them.
#[derive(Clone, Debug)]
pub struct RowBatch {
    shape: Shape,
    length: usize,
    states: Vec<Rows>,
    views: Vec<Rows>,
    /// True for the words of views that are zero in all lanes, such as 64 moves that a role never
    /// has.
    clear: Vec<bool>,
}

impl RowBatch {
    /// Creates an empty batch for games of this shape.
    #[must_use]
    pub fn new(shape: Shape) -> Self {
        let rows = |words| vec![[Plane::ZERO; 64]; words];
        let (states, views) = (rows(shape.state_words()), rows(shape.view_words()));
        Self { shape, length: 0, states, clear: vec![true; views.len()], views }
    }

    /// The number of states; valid lanes are below it.
    #[must_use]
    pub fn len(&self) -> usize {
        self.length
    }

    /// Returns true if there are no states.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Writes the words of a state.
    ///
    /// # Panics
    /// Panics if there is no such lane.
    #[inline]
    pub fn state(&self, lane: usize, state: &mut [u64]) {
        self.write(&self.states, lane, state);
    }

    /// Writes the view of a state as [`Game::observe`](crate::Game::observe) does, except that
    /// terminal states have no legal moves here, whatever the rules are.
    ///
    /// Goal values of chance are written only where chance has exactly one.
    ///
    /// # Panics
    /// Panics if there is no such lane.
    #[inline]
    pub fn view(&self, lane: usize, view: &mut [u64]) {
        self.write(&self.views, lane, view);
    }

    /// Returns true if a state is terminal.
    ///
    /// # Panics
    /// Panics if there is no such lane.
    #[inline]
    #[must_use]
    pub fn is_terminal(&self, lane: usize) -> bool {
        let bit = self.shape.terminal_bit();
        assert!(lane < self.length, "the lane is below the number of states");
        of_lane(&self.views[bit / 64], lane) >> (bit % 64) & 1 == 1
    }

    /// Writes the legal moves of all roles in a state.
    #[inline]
    pub fn legal(&self, lane: usize, legal: &mut [u64]) {
        self.write(&self.views[..self.shape.roles * self.shape.legal_words()], lane, legal);
    }

    #[inline]
    fn write(&self, rows: &[Rows], lane: usize, words: &mut [u64]) {
        assert!(lane < self.length, "the lane is below the number of states");
        for (to, rows) in words.iter_mut().zip(rows) {
            *to = of_lane(rows, lane);
        }
    }
}

impl fmt::Debug for RowExpansion<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { isa, phase, length, .. } = self;
        f.debug_struct("RowExpansion")
            .field("isa", isa)
            .field("phase", phase)
            .field("length", length)
            .finish_non_exhaustive()
    }
}

impl<'t> RowExpansion<'t> {
    /// The number of lanes.
    pub const LANES: usize = LANES;

    /// Creates an empty expansion. If the machine lacks the instruction set, [`Isa::Portable`] is
    /// used. O(gates).
    ///
    /// Returns `None` if
    /// - the table cannot be played in lanes (see [`Playouts::engine`](crate::Playouts::engine)),
    /// - no fluents identify the phases of its cycle,
    /// - states may have 2^54 joint moves or more, or
    /// - a state and a view have more than 8,192 words.
    #[must_use]
    pub fn new(table: &'t Table, isa: Isa) -> Option<Self> {
        let lanes = table.lanes()?;
        let shape = lanes.shape;
        if shape.state_words() + shape.view_words() > MOST_WORDS {
            return None;
        }
        let joints = |phase: &CyclePhase| {
            phase
                .roles
                .iter()
                .try_fold(1_u64, |product, role| product.checked_mul(role.moves.len().max(1) as u64))
        };
        let phases = &lanes.phases[..lanes.cycle.len()];
        if !phases.iter().all(|phase| joints(phase).is_some_and(|count| count < MOST_JOINTS)) {
            return None;
        }
        let goals = |role| table.vocabulary().goals_of(role);
        let plans = phases.iter().map(|phase| TransposePlan::new(phase, shape, goals)).collect();
        Some(Self {
            lanes,
            isa,
            plans,
            slots: Store::new(lanes.slots),
            parents: vec![Plane::ZERO; 64 * shape.state_words()],
            moves: vec![[0; LANES]; shape.roles],
            scratch: Box::new([[Plane::ZERO; 64]; 2]),
            phase: 0,
            length: 0,
            legal: Vec::new(),
        })
    }

    /// The instruction set that passes use.
    #[must_use]
    pub fn isa(&self) -> Isa {
        if self.isa.is_available() { self.isa } else { Isa::Portable }
    }

    /// The shape of the game.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.lanes.shape
    }

    /// The number of phases of the turn cycle; 1 if there is none. Phase 0 is the initial state's.
    #[must_use]
    pub fn phases(&self) -> usize {
        self.lanes.cycle.len()
    }

    /// The phase of a state. Returns `None` if the state is at no phase; play from the initial
    /// state never reaches such a state. O(words of a state).
    #[must_use]
    #[inline]
    pub fn phase(&self, state: &[u64]) -> Option<usize> {
        self.lanes.cycle.find(state)
    }

    /// Removes all pairs. The next states must be at this phase of the cycle, modulo
    /// [`RowExpansion::phases`].
    pub fn start(&mut self, phase: usize) {
        self.phase = phase % self.phases();
        self.length = 0;
        for (role, choice) in self.plans[self.phase].roles.iter().zip(&self.lanes.phases[self.phase].roles) {
            if matches!(role, Role::Planes(_)) {
                slots_of(&mut self.slots, choice).fill(Plane::ZERO);
            }
        }
    }

    /// The number of pairs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.length
    }

    /// Returns true if there are no pairs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Returns true if there is no room for another pair.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.length == LANES
    }

    /// Adds a state and the move of each role, in role order. O(words of the state + roles).
    ///
    /// Nothing is checked, as for [`Game::advance`](crate::Game::advance). If a move is not legal,
    /// or the state is terminal or at another phase, the successor is some state.
    ///
    /// # Panics
    /// Panics if there is no room, or a word of the state is missing.
    #[inline]
    pub fn push<M: Id>(&mut self, state: &[u64], joint: &[M]) {
        let lane = self.length;
        assert!(lane < LANES, "there is room for another pair");
        let words = self.words();
        write(&mut self.parents, words * lane, &state[..words]);
        for ((role, numbers), action) in self.plans[self.phase].roles.iter().zip(&mut self.moves).zip(joint) {
            match role {
                Role::Sure => {}
                Role::Number(all) => numbers[lane] = at(all, action.index()),
                Role::Planes(slots) => set(&mut self.slots, at(slots, action.index()), lane),
            }
        }
        self.length += 1;
    }

    /// Adds a state without moves, for [`RowExpansion::observe`] and [`RowExpansion::count`].
    ///
    /// # Panics
    /// As [`RowExpansion::push`].
    #[inline]
    pub fn push_state(&mut self, state: &[u64]) {
        self.push::<MoveId>(state, &[]);
    }

    /// Adds consecutive states and the same number of joint moves in the same order. Equivalent to
    /// a [`push`](RowExpansion::push) of each pair, in about half the time.
    ///
    /// # Panics
    /// Panics if there is no room for all, or a word or move is missing.
    pub fn extend<M: Id>(&mut self, states: &[u64], joints: &[M]) {
        let (words, roles) = (self.words(), self.moves.len());
        let lanes = self.length..self.length + joints.len() / roles;
        assert!(lanes.end <= LANES, "there is room for all pairs");
        assert_eq!(joints.len(), lanes.len() * roles, "each role makes a move in each state");
        assert_eq!(states.len(), lanes.len() * words, "states have all their words");
        write(&mut self.parents, words * lanes.start, states);
        for (place, (role, numbers)) in self.plans[self.phase].roles.iter().zip(&mut self.moves).enumerate() {
            let actions = joints.chunks_exact(roles).map(|joint| joint[place].index());
            match role {
                Role::Sure => {}
                Role::Number(all) => {
                    let numbers = numbers[lanes.clone()].iter_mut();
                    numbers.zip(actions).for_each(|(number, action)| *number = at(all, action));
                }
                Role::Planes(all) => {
                    let slots = &mut *self.slots;
                    lanes.clone().zip(actions).for_each(|(lane, action)| set(slots, at(all, action), lane));
                }
            }
        }
        self.length = lanes.end;
    }

    /// Adds a state with each of its joint moves after the first `skip`, as far as there is room;
    /// the last role's move changes fastest. `view` is the view of the state. A terminal state has
    /// no joint moves. Returns the number of joint moves for which there was no room. O(words of
    /// the state and the view + pairs).
    ///
    /// # Panics
    /// Panics if `view` is shorter than [`Shape::view_words`], or a word of the state is missing.
    pub fn push_all(&mut self, state: &[u64], view: &[u64], skip: u64) -> u64 {
        let shape = self.lanes.shape;
        assert!(view.len() >= shape.view_words(), "a view has all its words");
        if bits::test(view, shape.terminal_bit()) { 0 } else { self.push_legal(state, view, skip) }
    }

    /// Like [`RowExpansion::push_all`], for a state with these legal moves. The state must not be
    /// terminal, unless it has no legal moves.
    #[inline]
    pub fn push_legal(&mut self, state: &[u64], legal: &[u64], skip: u64) -> u64 {
        let shape = self.lanes.shape;
        let mut joints: u64 = 1;
        for role in 0..shape.roles {
            joints = joints.saturating_mul(bits::count(legal_words(legal, shape, role)) as u64);
        }
        let rest = joints.saturating_sub(skip);
        let count = rest.min((LANES - self.length) as u64);
        if count == 0 {
            return rest;
        }
        let lanes = self.length..self.length + count as usize;
        self.length = lanes.end;
        let words = self.words();
        lanes.clone().for_each(|lane| write(&mut self.parents, words * lane, &state[..words]));
        // The number of consecutive joint moves with the same move of the role.
        let mut stride = 1;
        for (role, way) in self.plans[self.phase].roles.iter().enumerate().rev() {
            let list = &mut self.legal;
            list.clear();
            let moves = bits::ones(legal_words(legal, shape, role));
            match way {
                Role::Sure => continue,
                Role::Number(all) => {
                    moves.for_each(|action| list.push(at(all, action).into()));
                    let numbers = &mut self.moves[role];
                    deal(list, stride, skip, lanes.clone(), |lane, number| numbers[lane] = number as u8);
                }
                Role::Planes(all) => {
                    moves.for_each(|action| list.push(at(all, action)));
                    let slots = &mut *self.slots;
                    deal(list, stride, skip, lanes.clone(), |lane, slot| set(slots, slot, lane));
                }
            }
            stride = stride.saturating_mul(list.len() as u64);
        }
        rest - count
    }

    /// Makes all moves, and writes the successors and their views. Takes microseconds: O(gates +
    /// words of a state and a view), for any number of pairs.
    ///
    /// # Panics
    /// Panics if the batch has another shape.
    pub fn advance(&mut self, successors: &mut RowBatch) {
        self.run(true, Some(PassOutput { batch: successors, seen: ViewPart::All }), None);
    }

    /// Like [`RowExpansion::advance`], but goal bits may stay clear in states that are not
    /// terminal, as with [`Game::observe_without_goals`](crate::Game::observe_without_goals). This
    /// saves much work if goals count pieces.
    ///
    /// # Panics
    /// Panics if the batch has another shape.
    pub fn advance_without_goals(&mut self, successors: &mut RowBatch) {
        self.run(true, Some(PassOutput { batch: successors, seen: ViewPart::WithoutGoals }), None);
    }

    /// Writes the added states and their views; joint moves do not matter. As costly as
    /// [`RowExpansion::advance`].
    ///
    /// # Panics
    /// Panics if the batch has another shape.
    pub fn observe(&mut self, states: &mut RowBatch) {
        self.run(false, Some(PassOutput { batch: states, seen: ViewPart::All }), None);
    }

    /// Like [`RowExpansion::advance`], without the views.
    pub fn advance_only(&mut self, successors: &mut RowBatch) {
        self.run(true, Some(PassOutput { batch: successors, seen: ViewPart::Nothing }), None);
    }

    /// Like [`RowExpansion::advance`], with only the legal moves of the views.
    pub fn advance_legal(&mut self, successors: &mut RowBatch) {
        self.run(true, Some(PassOutput { batch: successors, seen: ViewPart::Legal }), None);
    }

    /// Makes all moves and counts the joint moves of each successor, without writing the
    /// successors.
    pub fn count_after(&mut self, counts: &mut [u64; LANES]) {
        self.run(true, None, Some(counts));
    }

    /// Counts the joint moves of each added state.
    pub fn count(&mut self, counts: &mut [u64; LANES]) {
        self.run(false, None, Some(counts));
    }

    /// The number of words of a state.
    fn words(&self) -> usize {
        self.parents.len() / 64
    }

    fn run(&mut self, advances: bool, wanted: Option<PassOutput<'_>>, counts: Option<&mut [u64; LANES]>) {
        let isa = self.isa;
        isa.run(Pass { expansion: self, advances, wanted, counts });
    }
}

/// Distributes a sequence over lanes, without its first `skip` elements. The sequence repeats a
/// nonempty list forever, with each element `stride` times in a row.
#[inline]
fn deal(list: &[u32], stride: u64, skip: u64, lanes: Range<usize>, mut give: impl FnMut(usize, u32)) {
    let length = list.len();
    let (mut place, mut times) = ((skip / stride % length as u64) as usize, stride - skip % stride);
    for lane in lanes {
        give(lane, list[place]);
        times -= 1;
        if times == 0 {
            times = stride;
            place = if place + 1 == length { 0 } else { place + 1 };
        }
    }
}

/// The planes of a role's moves.
#[inline(always)]
fn slots_of<'s>(slots: &'s mut Slots, role: &Choice) -> &'s mut [Plane] {
    &mut slots[role.slots()]
}

/// Returns the entry of a move, or the default for a move that is never legal.
#[inline(always)]
fn at<T: Copy + Default>(all: &[T], action: usize) -> T {
    all.get(action).copied().unwrap_or_default()
}

/// Sets the bit of a lane.
#[inline(always)]
fn set(slots: &mut Slots, slot: u32, lane: usize) {
    slots[slot as usize].0[lane / 64] |= 1 << (lane % 64);
}

/// Writes words, beginning at word `place`.
#[inline]
fn write(planes: &mut [Plane], place: usize, words: &[u64]) {
    if place.is_multiple_of(8) {
        let (whole, rest) = words.as_chunks();
        let planes = &mut planes[place / 8..];
        planes.iter_mut().zip(whole).for_each(|(plane, words)| plane.0 = *words);
        if !rest.is_empty() {
            planes[whole.len()].0[..rest.len()].copy_from_slice(rest);
        }
    } else {
        (place..).zip(words).for_each(|(place, &word)| planes[place / 8].0[place % 8] = word);
    }
}

impl TransposePlan {
    fn new<'g>(phase: &CyclePhase, shape: Shape, goals: impl Fn(usize) -> &'g [u8]) -> Self {
        let mut views = vec![vec![0; 64]; shape.view_words()];
        let mut set = |bit: usize, slot: u32| views[bit / 64][bit % 64] = slot;
        let mut roles = Vec::with_capacity(shape.roles);
        for (role, choice) in phase.roles.iter().enumerate() {
            let first = 64 * role * shape.legal_words();
            if choice.is_forced() {
                choice.moves.iter().for_each(|&action| set(first + action as usize, ALWAYS));
            }
            choice
                .moves
                .iter()
                .zip(choice.slots())
                .for_each(|(&action, slot)| set(first + action as usize, slot as u32));
            roles.push(match choice.moves.len() {
                0 | 1 => Role::Sure,
                2..=FEW => {
                    let mut numbers = vec![0; shape.moves];
                    choice
                        .moves
                        .iter()
                        .enumerate()
                        .for_each(|(i, &action)| numbers[action as usize] = i as u8);
                    Role::Number(numbers.into())
                }
                _ => {
                    let mut slots = vec![0; shape.moves];
                    choice
                        .moves
                        .iter()
                        .zip(choice.slots())
                        .for_each(|(&action, slot)| slots[action as usize] = slot as u32);
                    Role::Planes(slots.into())
                }
            });
        }
        let mut bit = shape.goal_bit();
        for role in 0..shape.roles {
            for &value in goals(role) {
                let item = phase.items.iter().find(|(item, _)| *item == Item::Goal { role, value });
                set(bit, item.map_or(0, |item| item.1));
                bit += 1;
            }
        }
        set(bit, TERMINAL);
        let trim = |mut word: Vec<u32>| {
            let used = word.iter().rposition(|&slot| slot != 0).map_or(0, |last| last + 1);
            word.truncate(used);
            word.into()
        };
        Self { roles: roles.into(), views: views.into_iter().map(trim).collect() }
    }
}

/// The requested output of a pass: the batch, and the part of the views.
struct PassOutput<'b> {
    batch: &'b mut RowBatch,
    seen: ViewPart,
}

/// The part of a view that is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ViewPart {
    Nothing,
    /// The legal moves.
    Legal,
    /// The legal moves and the end; all goals if some state is terminal, otherwise none.
    WithoutGoals,
    All,
}

/// A pass over the pairs.
struct Pass<'a, 't> {
    expansion: &'a mut RowExpansion<'t>,
    advances: bool,
    wanted: Option<PassOutput<'a>>,
    counts: Option<&'a mut [u64; LANES]>,
}

impl Kernel for Pass<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Word>(self) {
        let Self { expansion, advances, wanted, counts } = self;
        let RowExpansion { lanes, plans, slots, parents, moves, scratch, length, .. } = expansion;
        let shape = lanes.shape;
        let slots = &mut **slots;
        let [scratch, buffer] = &mut **scratch;
        let blocks = length.div_ceil(64);
        for (word, planes) in fluents(slots, shape).chunks_mut(64).enumerate() {
            to_planes::<W>(parents, word, planes, blocks, scratch);
        }
        let here = expansion.phase;
        let choices = lanes.phases[here].roles.iter().zip(&plans[here].roles).zip(moves);
        for ((choice, role), numbers) in choices {
            if advances && matches!(role, Role::Number(_)) {
                tell_apart::<W>(numbers, slots_of(slots, choice));
            }
        }
        // Moves that are never legal wrote to slot 0.
        slots[0] = Plane::ZERO;
        slots[IDLE as usize] = Plane::ZERO;
        slots[FRESH as usize] = Plane::ZERO;
        // All lanes count as ended, so that `keep` and `score` compute the scores of the current
        // states.
        slots[ENDED as usize] = Plane::ONES;
        let seen = if advances { (here + 1) % lanes.cycle.len() } else { here };
        let CyclePhase { observe, keep, score, .. } = &lanes.phases[seen];
        let programs = [&lanes.phases[here].advance, observe, keep, score];
        let mut scores = false;
        // There is one call site, since every call site compiles all that it inlines.
        for (place, program) in programs.iter().enumerate().skip(usize::from(!advances)) {
            if place == 2 {
                scores = match &wanted {
                    Some(PassOutput { seen: ViewPart::All, .. }) => true,
                    Some(PassOutput { seen: ViewPart::WithoutGoals, .. }) => {
                        any(&slots[TERMINAL as usize], *length)
                    }
                    _ => false,
                };
            }
            if place < 2 || scores {
                program.run::<W>(slots);
            }
        }
        slots[ALWAYS as usize] = Plane::ONES;
        if let Some(PassOutput { batch, seen: much }) = wanted {
            assert_eq!(batch.shape, shape, "the batch is one for this game");
            batch.length = *length;
            let legal = shape.roles * shape.legal_words();
            let views = match much {
                ViewPart::Nothing => 0,
                ViewPart::Legal => legal,
                ViewPart::WithoutGoals | ViewPart::All => shape.view_words(),
            };
            for (rows, planes) in batch.states.iter_mut().zip(fluents(slots, shape).chunks(64)) {
                to_rows::<W>(planes, rows, blocks, scratch);
            }
            let alive = W::load(&slots[TERMINAL as usize]).not();
            for (place, (rows, word)) in
                batch.views.iter_mut().zip(&plans[seen].views).take(views).enumerate()
            {
                let was_clear = std::mem::replace(&mut batch.clear[place], word.is_empty());
                if word.is_empty() {
                    if !was_clear {
                        rows.fill(Plane::ZERO);
                    }
                    continue;
                }
                for (plane, &slot) in buffer.iter_mut().zip(&**word) {
                    let mask = match slot {
                        _ if place < legal => alive,
                        TERMINAL => W::splat(true),
                        // Goal slots that were not scored hold values of earlier states.
                        _ => W::splat(scores),
                    };
                    W::load(&slots[slot as usize]).and(mask).store(plane);
                }
                to_rows::<W>(&buffer[..word.len()], rows, blocks, scratch);
            }
        }
        if let Some(counts) = counts {
            count::<W>(&lanes.phases[seen], slots, [scratch, buffer], counts);
        }
    }
}

/// Returns true if the bit of one of the first `lanes` lanes is set.
#[inline(always)]
fn any(plane: &Plane, lanes: usize) -> bool {
    let first = (1_u64 << (lanes % 64)) - 1;
    let (whole, rest) = plane.0.split_at(lanes / 64);
    whole.iter().any(|&word| word != 0) || rest.first().is_some_and(|word| word & first != 0)
}

/// The planes of the fluents.
#[inline(always)]
fn fluents(slots: &mut Slots, shape: Shape) -> &mut [Plane] {
    &mut slots[FLUENTS as usize..][..shape.fluents]
}

/// Decodes numbers: sets in each lane the plane with the lane's number, and clears the others.
#[inline(always)]
pub(super) fn tell_apart<W: Word>(numbers: &[u8; LANES], planes: &mut [Plane]) {
    let digits = digits::<W>(numbers);
    let low = W::one_of_eight([digits[0], digits[1], digits[2]]);
    let middle = W::one_of_eight([digits[3], digits[4], digits[5]]);
    let high = W::one_of_eight([digits[6], digits[7], W::splat(false)]);
    for (planes, high) in planes.chunks_mut(64).zip(high) {
        for (planes, middle) in planes.chunks_mut(8).zip(middle) {
            for (plane, low) in planes.iter_mut().zip(low) {
                low.and(middle).and(high).store(plane);
            }
        }
    }
}

/// Counts the joint moves of each lane: the product over the roles of the sums of their move
/// planes.
#[inline(always)]
fn count<W: Word>(
    phase: &CyclePhase,
    slots: &Slots,
    [scratch, buffer]: [&mut Rows; 2],
    counts: &mut [u64; LANES],
) {
    let alive = W::load(&slots[TERMINAL as usize]).not();
    let mut rows = [Plane::ZERO; 64];
    counts.fill(1);
    for role in &phase.roles {
        if role.is_forced() {
            // A forced move is a factor of one.
            continue;
        }
        let digits = sum::<W>(&slots[role.slots()], &mut buffer[..DIGITS]);
        to_rows::<W>(&buffer[..digits], &mut rows, 8, scratch);
        for (counts, row) in counts.chunks_exact_mut(8).zip(&rows) {
            for (count, factor) in counts.iter_mut().zip(row.0) {
                *count *= factor;
            }
        }
    }
    let mut plane = Plane::ZERO;
    alive.store(&mut plane);
    for (counts, word) in counts.chunks_exact_mut(64).zip(plane.0) {
        for (lane, count) in counts.iter_mut().enumerate() {
            *count *= word >> lane & 1;
        }
    }
}

/// Counts the set planes of each lane in binary digits. Returns the number of digits.
#[inline(always)]
fn sum<W: Word>(planes: &[Plane], digits: &mut [Plane]) -> usize {
    let length = (usize::BITS - planes.len().leading_zeros()) as usize;
    let digits = &mut digits[..length];
    digits.fill(Plane::ZERO);
    // Three planes at a time: their sum has two digits.
    for group in planes.chunks(3) {
        let mut words = [W::splat(false); 3];
        for (word, plane) in words.iter_mut().zip(group) {
            *word = W::load(plane);
        }
        let [a, b, c] = words;
        let (mut low, mut high) = (W::sum(a, b, c), W::carry(a, b, c));
        for digit in &mut *digits {
            let old = W::load(digit);
            // `carry` and `high` have the weight of the next digit.
            let carry = old.and(low);
            old.xor(low).store(digit);
            (low, high) = (carry.xor(high), carry.and(high));
        }
    }
    length
}
