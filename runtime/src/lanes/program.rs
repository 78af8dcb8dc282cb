//! Lane programs: a [`LaneProgram`] is a schedule of a table, ready to run on slots of 512 lanes.
//! [`Programs`] gives other devices access to the programs of a game.

use super::{CyclePhase, Lanes};
use crate::simd::{Chunk, Operations, Slots, Word};
use gdl_format::{
    lanes::{Choice, Item, Schedule},
    shape::Shape,
};

/// Calls a macro with the truth tables of all functions of three operands. Of those that differ
/// only in the order of the operands, only the least is listed.
macro_rules! for_each_table {
    ($with:ident) => {
        $with! {
            0x00 0x01 0x02 0x03 0x06 0x07 0x08 0x09 0x0a 0x0b 0x0e 0x0f 0x16 0x17 0x18 0x19 0x1a 0x1b 0x1e 0x1f
            0x28 0x29 0x2a 0x2b 0x2c 0x2d 0x2e 0x2f 0x3c 0x3d 0x3e 0x3f 0x68 0x69 0x6a 0x6b 0x6e 0x6f 0x7e 0x7f
            0x80 0x81 0x82 0x83 0x86 0x87 0x88 0x89 0x8a 0x8b 0x8e 0x8f 0x96 0x97 0x98 0x99 0x9a 0x9b 0x9e 0x9f
            0xa8 0xa9 0xaa 0xab 0xac 0xad 0xae 0xaf 0xbc 0xbd 0xbe 0xbf 0xe8 0xe9 0xea 0xeb 0xee 0xef 0xfe 0xff
        }
    };
}

/// A schedule in executable form.
#[derive(Clone, Debug)]
pub(super) struct LaneProgram {
    /// The truth table of each run of operations, and the number of operations in it.
    runs: Box<[(u8, u32)]>,
    operations: Operations,
}

impl LaneProgram {
    /// Creates the program of a schedule.
    pub(super) fn new(schedule: Schedule) -> Self {
        Self { runs: schedule.runs.into(), operations: Operations::new(&schedule.steps) }
    }

    /// The number of operations.
    pub(super) fn len(&self) -> usize {
        self.operations.len()
    }

    /// The number of slots that the program uses.
    pub(super) fn slots(&self) -> usize {
        self.operations.planes()
    }

    /// The schedule that the program was made of.
    fn schedule(&self) -> Schedule {
        Schedule { runs: self.runs.to_vec(), steps: self.operations.steps().collect() }
    }

    /// Runs the program on all lanes.
    #[inline(always)]
    pub(super) fn run<W: Word>(&self, slots: &mut Slots) {
        W::call(self, slots);
    }
}

/// The lane programs of a game, for other devices.
#[derive(Clone, Copy, Debug)]
pub struct Programs<'t>(&'t Lanes);

/// The lane programs of a phase, as in `gdl_format::lanes::Phase`.
#[derive(Clone, Debug)]
pub struct PhasePrograms<'t> {
    /// The operations that observe the states.
    pub observe: Schedule,
    /// The operations that save the states of ended games; empty if `observe` computes the scores.
    pub keep: Schedule,
    /// The operations that score the saved states.
    pub score: Schedule,
    /// The operations that advance the states.
    pub advance: Schedule,
    /// The choice of each role.
    pub roles: &'t [Choice],
    /// The outputs that are counted or only observed, each with its slot.
    pub items: &'t [(Item, u32)],
}

impl<'t> Programs<'t> {
    pub(crate) fn new(lanes: &'t Lanes) -> Self {
        Self(lanes)
    }

    /// The phases of the cycle, the initial state's first.
    #[must_use]
    pub fn cycle(self) -> Vec<PhasePrograms<'t>> {
        self.0.phases[..self.0.cycle.len()].iter().map(CyclePhase::programs).collect()
    }

    /// The phases after each number of moves, for games from the initial state. Their number bounds
    /// the length of these games. Empty if the game has no such programs.
    #[must_use]
    pub fn plies(self) -> Vec<PhasePrograms<'t>> {
        self.0.phases[self.0.cycle.len()..].iter().map(CyclePhase::programs).collect()
    }

    /// The phase of a state on the cycle. Returns `None` if the state is at no phase; play never
    /// reaches such a state.
    #[must_use]
    pub fn find(self, state: &[u64]) -> Option<usize> {
        self.0.find(state)
    }

    /// The bits of the initial state.
    #[must_use]
    pub fn initial(self) -> &'t [u64] {
        &self.0.initial
    }

    /// The sizes of the game.
    #[must_use]
    pub fn shape(self) -> Shape {
        self.0.shape
    }

    /// The role that stands for chance.
    #[must_use]
    pub fn chance(self) -> Option<usize> {
        self.0.chance
    }
}

impl CyclePhase {
    fn programs(&self) -> PhasePrograms<'_> {
        let Self { observe, keep, score, advance, roles, items, .. } = self;
        let [observe, keep, score, advance] = [observe, keep, score, advance].map(LaneProgram::schedule);
        PhasePrograms { observe, keep, score, advance, roles, items }
    }
}

/// Interprets a program. Code for all kinds of operations takes long to compile, so all programs
/// share it.
impl Chunk for &LaneProgram {
    #[inline(always)]
    fn run<W: Word>(self, slots: &mut Slots) {
        let mut rest = self.operations.on(slots);
        for &(table, count) in &self.runs {
            macro_rules! select {
                ($($table:literal)*) => {
                    match table {
                        $($table => rest.run::<W, $table>(count as usize),)*
                        _ => unreachable!("operands are in the order that makes tables least"),
                    }
                };
            }
            for_each_table!(select);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Plane;
    use crate::{
        random::Stream,
        simd::{Isa, Kernel},
    };
    use gdl_format::lanes::{Step, least};

    struct Run<'a>(&'a LaneProgram, &'a mut Slots);

    impl Kernel for Run<'_> {
        type Output = ();

        #[inline(always)]
        fn run<W: Word>(self) {
            self.0.run::<W>(self.1);
        }
    }

    /// All operations on random slots, compared with one bit at a time.
    #[test]
    fn programs_do_what_their_tables_say() {
        let tables: Vec<u8> = (0..=255).filter(|&table| least(table).0 == table).collect();
        let mut stream = Stream::new(5, 2);
        let mut schedule = Schedule::default();
        for &table in &tables {
            for _ in 0..5 {
                let operands = std::array::from_fn(|_| stream.below(40) as u32);
                schedule.push(table, Step { operands, result: 1 + stream.below(39) as u32 });
            }
        }
        let steps: Vec<(u8, Step)> = schedule.operations().collect();
        let program = LaneProgram::new(schedule);
        assert_eq!((program.len(), program.slots(), steps.len()), (400, 40, 400));
        assert!(program.schedule().operations().eq(steps.iter().copied()));
        for isa in Isa::ALL.iter().filter(|isa| isa.is_available()) {
            let mut slots = vec![Plane::ZERO; 40];
            slots[1..].fill_with(|| Plane(std::array::from_fn(|_| stream.bits())));
            let mut expected = slots.clone();
            isa.run(Run(&program, &mut slots));
            for &(table, Step { operands, result }) in &steps {
                let [a, b, c] = operands.map(|slot| expected[slot as usize]);
                expected[result as usize] = Plane(std::array::from_fn(|word| {
                    (0..64).fold(0, |bits, lane| {
                        let bit = |plane: Plane| plane.0[word] >> lane & 1;
                        bits | u64::from(table) >> (4 * bit(a) + 2 * bit(b) + bit(c)) << 63 >> 63 << lane
                    })
                }));
            }
            assert_eq!(slots, expected);
        }
    }
}
