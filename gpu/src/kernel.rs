//! Kernels: the program of a thread, which plays a block of games, 32 at once, by the lane programs
//! of a game's table.
//!
//! A block has a number of games to start. When a lane's game is over, the lane starts the next one
//! at the first phase, if games remain. Every started game is played to its end, so long games are
//! not underrepresented. A block may instead consist of games from a given state at any phase; each
//! of these is played once.
//!
//! The state is in registers, and legal moves are recomputed in each step. Scoring is expensive in
//! tables that separate it from the end. Games that have ended then wait with their state
//! unchanged, until half of the lanes wait or no other game continues.

use crate::{
    builder::{BlockStep, Build, Counter, Register},
    choice::{self, Scratch, digits},
    error::Error,
};
use gdl_format::lanes::{Choice, ENDED, FLUENTS, IDLE, Item, SCORED, Schedule, TERMINAL};
use gdl_runtime::{
    bits,
    engine::{Counts, PhasePrograms, Programs},
    playouts::Tally,
};

/// The number of games in a word.
pub(crate) const WIDTH: u32 = 32;

/// The number of waiting games that are scored together.
const TOGETHER: u32 = 16;

/// The target product of a step's operations and the games of a lane, and the range of these games.
const BLOCK_WORK: usize = 40_000;
const GAMES: (usize, usize) = (4, 64);

/// The least number of registers for the digits of a rank; choices among more than 65,535 moves
/// need more.
const DIGITS: usize = 16;

/// The greatest limit on the moves of a game, since a block counts its moves in 32 bits.
pub(crate) const MOST_LENGTH: u64 = 1 << 20;

// The fixed counters; counters of items follow.
const MOVES: Counter = Counter(0);
const SCORES: Counter = Counter(1);
const TOO_LONG: Counter = Counter(2);
const STUCK: Counter = Counter(3);
const ITEMS: usize = 4;

/// The start of a block's games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// From the initial state, one game after the other in each lane.
    Initial,
    /// From a given state at its phase.
    Given,
}

/// A kernel: its programs and counters.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    pub(crate) start: Start,
    phases: Vec<KernelPhase>,
    initial: Vec<bool>,
    /// The items that have counters after the fixed ones.
    items: Vec<Item>,
    roles: usize,
    chance: Option<usize>,
    max_length: u64,
    /// True if no game can exceed the limit on moves.
    is_short: bool,
}

#[derive(Clone, Debug)]
struct KernelPhase {
    observe: Schedule,
    keep: Schedule,
    score: Schedule,
    advance: Schedule,
    roles: Vec<Choice>,
    /// The counted items, each with its counter and slot.
    items: Vec<(Counter, usize)>,
}

/// The registers of a kernel, which follow those of the fluents.
struct Registers {
    playing: Register,
    old: Register,
    /// The binary digits of the number of moves made.
    ages: Vec<Register>,
    /// The games that wait to be scored, for each phase.
    waiting: Vec<Register>,
    scratch: Scratch,
}

/// The values of a phase's slots.
type Slots<V> = Vec<V>;

impl Kernel {
    /// Creates a kernel for games of at most `max_length` moves.
    pub(crate) fn new(programs: Programs<'_>, start: Start, max_length: u64) -> Result<Self, Error> {
        if !(1..=MOST_LENGTH).contains(&max_length) {
            return Err(Error::MaxLength);
        }
        let plies = programs.plies();
        let is_by_plies = start == Start::Initial && !plies.is_empty();
        let phases = if is_by_plies { plies } else { programs.cycle() };
        let mut items: Vec<Item> = Vec::new();
        for &(item, _) in phases.iter().flat_map(|phase| phase.items).filter(|item| item.0.is_counted()) {
            if !items.contains(&item) {
                items.push(item);
            }
        }
        let shape = programs.shape();
        Ok(Self {
            start,
            is_short: is_by_plies && phases.len() as u64 <= max_length,
            phases: phases.iter().map(|phase| KernelPhase::new(phase, &items)).collect(),
            initial: (0..shape.fluents).map(|fluent| bits::test(programs.initial(), fluent)).collect(),
            items,
            roles: shape.roles,
            chance: programs.chance(),
            max_length,
        })
    }

    /// Returns the number of operations of all programs.
    pub(crate) fn operations(&self) -> usize {
        let of = |phase: &KernelPhase| {
            [&phase.observe, &phase.keep, &phase.score, &phase.advance].map(|part| part.steps.len())
        };
        self.phases.iter().flat_map(of).sum()
    }

    /// Checks that a device can run the kernel, which may have `limit` operations.
    pub(crate) fn check(&self, limit: usize) -> Result<(), Error> {
        let operations = self.operations();
        if operations > limit { Err(Error::TooLarge { operations, limit }) } else { Ok(()) }
    }

    /// Returns the number of games of a block.
    pub(crate) fn block(&self) -> u32 {
        match self.start {
            Start::Given => WIDTH,
            Start::Initial => {
                let operations = (self.operations() / self.phases.len().max(1)).max(1);
                let (least, most) = GAMES;
                let fits = (u64::from(u32::MAX) / u64::from(WIDTH) / self.max_length) as usize;
                WIDTH * (BLOCK_WORK / operations).clamp(least, most).min(fits.max(1)) as u32
            }
        }
    }

    /// Returns the number of counters.
    pub(crate) fn counters(&self) -> usize {
        ITEMS + self.items.len()
    }

    pub(crate) fn fluents(&self) -> usize {
        self.initial.len()
    }

    pub(crate) fn roles(&self) -> usize {
        self.roles
    }

    /// Returns the choices of the roles at a phase.
    pub(crate) fn choices(&self, phase: usize) -> &[Choice] {
        &self.phases[phase].roles
    }

    /// Adds `games` games to a tally, given the sums of their counters.
    pub(crate) fn tally(&self, games: u64, counters: &[u64], tally: &mut Tally) {
        let of = |Counter(counter)| counters[counter];
        let counts =
            Counts { games, moves: of(MOVES), scored: of(SCORES), too_long: of(TOO_LONG), stuck: of(STUCK) };
        let items = self.items.iter().copied().zip(counters[ITEMS..].iter().copied());
        tally.count(&counts, items, self.chance);
    }

    fn registers(&self) -> Registers {
        let mut next = self.fluents();
        let mut take = |count: usize| {
            next += count;
            Register(next - count)
        };
        let choices = self.phases.iter().flat_map(|phase| &phase.roles);
        let length = choices.map(|role| digits(role.moves.len())).max().unwrap_or(0).max(DIGITS);
        let ages = if self.is_short { 0 } else { (u64::BITS - self.max_length.leading_zeros()) as usize };
        Registers {
            playing: take(1),
            old: take(1),
            ages: (0..ages).map(|_| take(1)).collect(),
            waiting: self.phases.iter().map(|_| take(1)).collect(),
            scratch: Scratch { todo: take(1), above: take(1), digits: take(length), length },
        }
    }

    /// Returns the number of registers.
    pub(crate) fn length(&self) -> usize {
        let scratch = self.registers().scratch;
        scratch.digits.0 + scratch.length
    }

    /// Builds the program of a thread.
    pub(crate) fn play<B: Build>(&self, b: &mut B) {
        let registers = &self.registers();
        for (fluent, &bit) in self.initial.iter().enumerate() {
            let value = match self.start {
                Start::Initial => b.constant(bit),
                Start::Given => b.given(fluent),
            };
            b.set(Register(fluent), value);
        }
        if self.start == Start::Given {
            let all = b.constant(true);
            let started = b.start(all);
            b.set(registers.playing, started);
        }
        b.repeat(|b| {
            for place in 0..self.phases.len() {
                match self.start {
                    Start::Initial => self.step(b, registers, place),
                    Start::Given => {
                        let next = (place + 1) % self.phases.len();
                        b.when_at(place, next, |b| self.step(b, registers, place));
                    }
                }
            }
            let (playing, left) = (b.get(registers.playing), b.left());
            let waiting = self.waiting(b, registers);
            let goes_on = b.or(playing, left);
            b.or(goes_on, waiting)
        });
    }

    /// Builds the set of games that wait to be scored at any phase.
    fn waiting<B: Build>(&self, b: &mut B, registers: &Registers) -> B::Value {
        let mut waiting = b.constant(false);
        for (phase, &register) in self.phases.iter().zip(&registers.waiting) {
            if phase.keeps() {
                let here = b.get(register);
                waiting = b.or(waiting, here);
            }
        }
        waiting
    }

    /// Builds a step at a phase.
    fn step<B: Build>(&self, b: &mut B, registers: &Registers, place: usize) {
        let phase = &self.phases[place];
        let zero = b.constant(false);
        let mut slots = vec![zero; phase.slots().max(FLUENTS as usize + self.fluents())];
        for fluent in 0..self.fluents() {
            slots[FLUENTS as usize + fluent] = b.get(Register(fluent));
        }
        let before = slots.clone();
        let playing = b.get(registers.playing);
        let old = self.find_old(b, registers, playing);
        let young = b.and_not(playing, old);
        slots[IDLE as usize] = b.not(young);
        run(b, &phase.observe, &mut slots);

        let terminal = slots[TERMINAL as usize];
        let ended = b.and(playing, terminal);
        let mut going = b.and_not(young, terminal);
        if phase.keeps() {
            let waiting = b.get(registers.waiting[place]);
            let waiting = b.or(waiting, ended);
            b.set(registers.waiting[place], waiting);
            b.when_due(waiting, TOGETHER, going, |b| {
                // Waiting states do not change, so all slots to keep have their current values.
                let mut slots = slots.clone();
                slots[ENDED as usize] = b.constant(true);
                run(b, &phase.keep, &mut slots);
                run(b, &phase.score, &mut slots);
                phase.count(b, &slots, waiting);
                let none = b.constant(false);
                b.set(registers.waiting[place], none);
            });
        } else {
            b.when(ended, |b| phase.count(b, &slots, ended));
        }
        if !self.is_short {
            let too_long = b.and_not(old, terminal);
            b.when(too_long, |b| b.count(TOO_LONG, too_long));
        }
        let waiting = self.waiting(b, registers);
        let mut started = zero;
        if place == 0 && self.start == Start::Initial {
            let busy = b.or(going, waiting);
            let free = b.not(busy);
            started = b.start(free);
            going = b.or(going, started);
            b.when(started, |b| {
                for &age in &registers.ages {
                    let digit = b.get(age);
                    let digit = b.and_not(digit, started);
                    b.set(age, digit);
                }
            });
        }

        let mut stuck = zero;
        let mut made = Vec::with_capacity(phase.roles.len());
        for role in &phase.roles {
            if role.is_forced() {
                made.push(Vec::new());
                continue;
            }
            let moves = slots[role.slots()].to_vec();
            let chosen = if role.count > 0 {
                choice::choose_known(b, registers.scratch, &moves, role.count.into(), going)
            } else {
                let (chosen, none) = choice::choose(b, registers.scratch, &moves, going);
                stuck = b.or(stuck, none);
                chosen
            };
            slots[role.slots()].copy_from_slice(&chosen);
            made.push(chosen);
        }
        let stuck = b.and(stuck, going);
        b.when(stuck, |b| b.count(STUCK, stuck));
        let moved = b.and_not(going, stuck);
        b.count(MOVES, moved);
        b.set(registers.playing, moved);
        grow(b, &registers.ages, moved);

        run(b, &phase.advance, &mut slots);
        let is_held = self.phases.iter().any(KernelPhase::keeps);
        for fluent in phase.changed(self.fluents()) {
            let slot = FLUENTS as usize + fluent;
            let next = if is_held { b.pick(waiting, before[slot], slots[slot]) } else { slots[slot] };
            b.set(Register(fluent), next);
        }
        b.note(&BlockStep { phase: place, started, moved, made });
    }

    /// Builds the set of games that have reached the limit on moves.
    fn find_old<B: Build>(&self, b: &mut B, registers: &Registers, playing: B::Value) -> B::Value {
        let Some(&top) = registers.ages.last() else { return b.constant(false) };
        let zero = b.constant(false);
        b.set(registers.old, zero);
        let top = b.get(top);
        // Few games become so long that the highest digit of their length is set.
        b.when(top, |b| {
            let mut old = playing;
            for (place, &age) in registers.ages.iter().enumerate() {
                let digit = b.get(age);
                let is_set = self.max_length >> place & 1 == 1;
                old = if is_set { b.and(old, digit) } else { b.and_not(old, digit) };
            }
            b.set(registers.old, old);
        });
        b.get(registers.old)
    }
}

/// Adds one to the numbers of moves of some games.
fn grow<B: Build>(b: &mut B, ages: &[Register], games: B::Value) {
    let Some((&age, rest)) = ages.split_first() else { return };
    let digit = b.get(age);
    let sum = b.xor(digit, games);
    b.set(age, sum);
    let carry = b.and(digit, games);
    b.when(carry, |b| grow(b, rest, carry));
}

/// Builds the operations of a schedule.
fn run<B: Build>(b: &mut B, schedule: &Schedule, slots: &mut Slots<B::Value>) {
    for (table, step) in schedule.operations() {
        let operands = step.operands.map(|slot| slots[slot as usize]);
        slots[step.result as usize] = b.lut(table, operands);
    }
}

impl KernelPhase {
    fn new(phase: &PhasePrograms<'_>, items: &[Item]) -> Self {
        let counted = phase.items.iter().filter(|item| item.0.is_counted());
        let place = |item: Item| items.iter().position(|&other| other == item);
        Self {
            observe: phase.observe.clone(),
            keep: phase.keep.clone(),
            score: phase.score.clone(),
            advance: phase.advance.clone(),
            roles: phase.roles.to_vec(),
            items: counted
                .filter_map(|&(item, slot)| Some((Counter(ITEMS + place(item)?), slot as usize)))
                .collect(),
        }
    }

    /// Returns whether games that ended at this phase wait to be scored together.
    fn keeps(&self) -> bool {
        !self.keep.steps.is_empty()
    }

    /// Counts the scored games among those that ended.
    fn count<B: Build>(&self, b: &mut B, slots: &[B::Value], ended: B::Value) {
        let scored = b.and(ended, slots[SCORED as usize]);
        b.count(SCORES, scored);
        for &(counter, slot) in &self.items {
            let counted = b.and(scored, slots[slot]);
            b.count(counter, counted);
        }
    }

    /// Returns the number of slots.
    fn slots(&self) -> usize {
        let parts = [&self.observe, &self.keep, &self.score, &self.advance];
        let steps = parts.into_iter().flat_map(|part| &part.steps);
        let used =
            steps.flat_map(|step| step.operands.into_iter().chain([step.result])).map(|slot| slot as usize);
        let items = self.items.iter().map(|item| item.1);
        let moves = self.roles.iter().map(|role| role.slots().end);
        1 + used.chain(items).chain(moves).max().unwrap_or(0).max(ENDED as usize)
    }

    /// Returns the fluents that a step may change.
    fn changed(&self, fluents: usize) -> Vec<usize> {
        let mut changed = vec![false; fluents];
        for step in &self.advance.steps {
            if let Some(changed) =
                step.result.checked_sub(FLUENTS).and_then(|fluent| changed.get_mut(fluent as usize))
            {
                *changed = true;
            }
        }
        (0..fluents).filter(|&fluent| changed[fluent]).collect()
    }
}
