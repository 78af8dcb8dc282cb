//! Encoded tables decode to equal tables, and bytes that are no table are rejected.

use gdl_format::{
    aig::{Aig, Program},
    lanes::{Choice, Cycle, Item, Lanes, Phase, Schedule, Step, least},
    table::{Sees, Table, TableError, VERSION},
};
use proptest::{collection::vec, prelude::*};

/// Names in ascending order; a table uses the first ones.
const NAMES: [&str; 8] = ["(a 1)", "(a 2)", "(b (c 1) x)", "b", "c", "d", "é", "ü"];

/// A source of choices, which takes the next number for each and starts again after the last.
struct Choices<'c> {
    numbers: &'c [u32],
    next: usize,
}

impl Choices<'_> {
    fn below(&mut self, end: usize) -> usize {
        self.next += 1;
        (self.numbers[self.next % self.numbers.len()] as usize).wrapping_add(self.next / 7) % end
    }

    fn some(&mut self, end: usize) -> Vec<u32> {
        (0..end as u32).filter(|_| self.below(2) == 0).collect()
    }

    fn program(&mut self, inputs: usize, outputs: usize) -> Program {
        let mut gates = Vec::new();
        for gate in 0..self.below(6) {
            gates.push([(); 2].map(|()| self.below(2 * (1 + inputs + gate)) as u32));
        }
        let end = 2 * (1 + inputs + gates.len());
        let outputs = (0..outputs).map(|_| self.below(end) as u32).collect();
        Program { inputs, gates, outputs }
    }

    fn schedule(&mut self) -> Schedule {
        let mut schedule = Schedule::default();
        for _ in 0..self.below(5) {
            let table = least(self.below(256) as u8).0;
            let operands = [(); 3].map(|()| self.below(65_536) as u32);
            schedule.push(table, Step { operands, result: 1 + self.below(60_000) as u32 });
        }
        schedule
    }

    fn phase(&mut self, roles: usize, moves: usize) -> Phase {
        let choice = |choices: &mut Self| {
            let moves = choices.some(moves);
            let first =
                if moves.len() == 1 && choices.below(2) == 0 { 0 } else { 1 + choices.below(1_000) as u32 };
            let count = choices.below(moves.len() + 1) as u8;
            Choice { moves, first, count }
        };
        let item = |choices: &mut Self| {
            let role = choices.below(roles);
            let item = match choices.below(4) {
                0 => Item::Goal { role, value: choices.below(101) as u8 },
                1 => Item::Win { role },
                2 => Item::Draw { role },
                _ => Item::BothDraw,
            };
            (item, choices.below(65_536) as u32)
        };
        Phase {
            observe: self.schedule(),
            keep: self.schedule(),
            score: self.schedule(),
            advance: self.schedule(),
            roles: (0..roles).map(|_| choice(self)).collect(),
            items: (0..self.below(4)).map(|_| item(self)).collect(),
        }
    }

    fn lanes(&mut self, roles: usize, fluents: usize, moves: usize) -> Lanes {
        let turns = fluents > 0 && self.below(2) == 0;
        let cycle = if turns {
            let fluents = (0..fluents as u32).collect::<Vec<_>>();
            let values = [true, false].map(|value| fluents.iter().map(|_| value).collect()).to_vec();
            Cycle { fluents, values }
        } else {
            Cycle::still()
        };
        Lanes {
            phases: cycle.values.iter().map(|_| self.phase(roles, moves)).collect(),
            cycle,
            plies: (0..self.below(3)).map(|_| self.phase(roles, moves)).collect(),
        }
    }

    fn table(&mut self) -> Table<'static> {
        let (roles, fluents, moves) = (1 + self.below(4), self.below(8), self.below(8));
        let role_moves: Vec<Vec<u32>> = (0..roles).map(|_| self.some(moves)).collect();
        let goals = |choices: &mut Self| choices.some(101).into_iter().map(|value| value as u8).collect();
        let role_goals: Vec<Vec<u8>> = (0..roles).map(|_| goals(self)).collect();
        let does = role_moves.iter().map(Vec::len).sum::<usize>();
        let seen = does + role_goals.iter().map(Vec::len).sum::<usize>() + 1;
        let sees = (self.below(2) == 0).then(|| {
            let percepts = NAMES[..self.below(8)].to_vec();
            let role_percepts: Vec<Vec<u32>> = (0..roles).map(|_| self.some(percepts.len())).collect();
            let outputs = role_percepts.iter().map(Vec::len).sum();
            Sees { percepts, role_percepts, perceive: self.program(fluents + does, outputs) }
        });
        Table {
            roles: NAMES[4..4 + roles].to_vec(),
            fluents: NAMES[..fluents].to_vec(),
            moves: NAMES[..moves].to_vec(),
            chance: self.below(5).checked_sub(1).filter(|&role| role < roles),
            initial: self.some(fluents),
            observe: self.program(fluents, seen),
            advance: self.program(fluents + does, fluents),
            sees,
            lanes: (self.below(3) > 0).then(|| self.lanes(roles, fluents, moves)),
            role_moves,
            role_goals,
        }
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read(numbers in vec(any::<u32>(), 1..60), cut in any::<prop::sample::Index>(), bit in 0..8_u32) {
        let table = Choices { numbers: &numbers, next: 0 }.table();
        let bytes = table.encode();
        let read = Table::decode(&bytes);
        prop_assert_eq!(read.as_ref(), Ok(&table));
        // A truncated table is an error. A table with a flipped bit is an error or another valid
        // table.
        let place = cut.index(bytes.len());
        prop_assert!(Table::decode(&bytes[..place]).is_err());
        let mut changed = bytes.clone();
        changed[place] ^= 1 << bit;
        match Table::decode(&changed) {
            Ok(other) => {
                let again = other.encode();
                let read = Table::decode(&again);
                prop_assert_eq!(read.as_ref(), Ok(&other));
            }
            Err(TableError::Malformed { offset, .. }) => prop_assert!(offset <= changed.len()),
            Err(error) => prop_assert!(place < 5, "{error}"),
        }
    }

    /// Partial evaluation preserves the function of a program.
    #[test]
    fn what_is_known_is_evaluated(
        numbers in vec(any::<u32>(), 1..60),
        known in vec(any::<Option<bool>>(), 6),
        free in vec(any::<bool>(), 6),
    ) {
        let program = Choices { numbers: &numbers, next: 0 }.program(6, 4);
        let inputs: Vec<bool> = known.iter().zip(&free).map(|(known, free)| known.unwrap_or(*free)).collect();
        let mut aig = Aig::new(6);
        let signals = (0..7_u32).map(|node| match node.checked_sub(1).and_then(|input| known[input as usize]) {
            Some(value) => u32::from(value),
            None => 2 * node,
        });
        let outputs = aig.add(&program, &signals.collect::<Vec<_>>());
        let left = aig.program(&outputs);
        prop_assert!(left.gates.len() <= program.gates.len() && left.depth() <= program.depth());
        prop_assert_eq!(left.run(&inputs), program.run(&inputs));
        // Known inputs are not read any more.
        let read = left.gates.iter().flatten().chain(&left.outputs).map(|&signal| signal as usize / 2);
        prop_assert!(read.into_iter().all(|node| node == 0 || node > 6 || known[node - 1].is_none()));
    }
}

/// A table of several roles and fluents.
fn small() -> Table<'static> {
    let tables = (0_u32..).map(|number| Choices { numbers: &[number, 2 * number], next: 0 }.table());
    { tables }.find(|table| table.roles.len() > 1 && !table.fluents.is_empty()).expect("there are some")
}

#[test]
fn faults_have_names() {
    let what = |bytes: &[u8]| Table::decode(bytes).expect_err("it is no table").to_string();
    assert_eq!(what(b"GIF89a"), "this is not a game table");
    assert_eq!(
        what(b"GDLT\x01"),
        format!("the game table has version 1, but this program reads version {VERSION}")
    );
    assert_eq!(what(b"GDL"), "the game table is damaged at byte 0: it ends too soon");
    let mut table = small();
    table.roles[1] = table.roles[0];
    assert!(what(&table.encode()).ends_with("a role twice"));
    let mut table = small();
    table.lanes = None;
    table.initial = vec![table.fluents.len() as u32];
    assert!(what(&table.encode()).ends_with("a position beyond its list"));
}

/// Rejects operations that write the constant's slot, or whose truth table is not the least among
/// all orders of the operands.
#[test]
fn schedules_that_do_harm_are_refused() {
    let with = |table: u8, result: u32| {
        let numbers = [2, 0, 1, 5];
        let mut choices = Choices { numbers: &numbers, next: 0 };
        let mut whole = choices.table();
        let (roles, moves) = (whole.roles.len(), whole.moves.len());
        let mut phase = choices.phase(roles, moves);
        phase.observe = Schedule::default();
        phase.observe.push(table, Step { operands: [1, 2, 3], result });
        whole.lanes = Some(Lanes { phases: vec![phase], cycle: Cycle::still(), plies: Vec::new() });
        Table::decode(&whole.encode()).is_ok()
    };
    assert!(with(0xe8, 4));
    assert!(!with(0xe8, 0));
    assert!(!with(0xf0, 4));
}

/// A table that is not small has at most as many slots as bytes.
#[test]
fn slots_are_fewer_than_bytes() {
    let name = "r".repeat(100_000);
    let with = |slot: u32, first: u32| {
        let numbers = [2, 0, 1, 5];
        let mut choices = Choices { numbers: &numbers, next: 0 };
        let mut whole = choices.table();
        whole.roles[0] = &name;
        let (roles, moves) = (whole.roles.len(), whole.moves.len());
        let mut phase = choices.phase(roles, moves);
        phase.observe = Schedule::default();
        phase.observe.push(0xe8, Step { operands: [1, slot, 3], result: slot });
        phase.roles[0] = Choice { moves: (0..moves as u32).collect(), first, count: 0 };
        whole.lanes = Some(Lanes { phases: vec![phase], cycle: Cycle::still(), plies: Vec::new() });
        Table::decode(&whole.encode()) == Ok(whole)
    };
    assert!(with(70_000, 80_000) && with(99_999, 99_999));
    assert!(!with(110_000, 80_000));
    assert!(!with(80_000, 110_000));
}

/// Rejects phases that no fluent distinguishes.
#[test]
fn phases_alike_are_refused() {
    let numbers = [3, 0, 1, 5, 8];
    let mut choices = Choices { numbers: &numbers, next: 0 };
    let mut table = choices.table();
    let (roles, moves) = (table.roles.len(), table.moves.len());
    let phases: Vec<Phase> = (0..2).map(|_| choices.phase(roles, moves)).collect();
    table.fluents = NAMES[..1].to_vec();
    table.initial = Vec::new();
    let does = table.role_moves.iter().map(Vec::len).sum::<usize>();
    table.observe =
        Program { inputs: 1, gates: Vec::new(), outputs: table.observe.outputs.iter().map(|_| 0).collect() };
    table.advance = Program { inputs: 1 + does, gates: Vec::new(), outputs: vec![2] };
    table.sees = None;
    let mut decoded = |values: [bool; 2]| {
        let cycle = Cycle { fluents: vec![0], values: values.map(|value| vec![value]).to_vec() };
        table.lanes = Some(Lanes { phases: phases.clone(), cycle, plies: Vec::new() });
        Table::decode(&table.encode()).map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(decoded([true, false]), Ok(()));
    assert!(
        decoded([true, true])
            .expect_err("they are alike")
            .ends_with("phases of a cycle that no fluent distinguishes")
    );
}
