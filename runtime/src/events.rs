//! The event-driven engine: single states of vast games, each made from another one by evaluating what changes.
//!
//! Where a net has hundreds of thousands of gates, a step changes few of them. A [`Machine`] has the net in one state; asked about
//! another one it goes there by the fluents that differ, and gates are evaluated only where an operand that they rely on has
//! changed. The best net is often the one that optimising starts from, where the way from what changes to what is seen is shorter;
//! the [`trial`](crate::trial) says which one takes less time, and whether another engine takes less still. Where there are nets of
//! phases each may have machines of its own: from turn to turn of the same role less of what is seen changes than from role to role.
//!
//! Input: a net, and those at the phases of its cycle if there are any. Output: a game, whose lanes, if any, are those of the table
//! of the same rules. What is said of a state depends on the state and the moves alone. Threads take turns with the machines, of
//! which there are as many as threads ever worked at the same time at a phase, within [`MOST_BYTES`]: then they wait for each other.

mod machine;
mod wiring;

use crate::{
    bits,
    game::{Id, Shape},
    lanes::cycle::Cycle,
    table::{Places, Table},
    vocabulary::{Texts, Vocabulary},
};
use gdl_compiler::{Compilation, optimize::Phases, propnet::Net};
use gdl_format::{lanes, table::MAX_VIEW_WORDS};
use machine::Machine;
use std::{
    fmt,
    ops::{Deref, DerefMut},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};
use wiring::Wiring;

/// Bytes that all machines of a game may take, and what they are made from.
const MOST_BYTES: usize = 1 << 30;

/// A game that is run by machines.
pub(crate) struct Events {
    vocabulary: Vocabulary,
    shape: Shape,
    initial: Box<[u64]>,
    places: Places,
    /// The input of each role's first move.
    first_moves: Box<[u32]>,
    /// What tells the phases apart.
    cycle: Cycle,
    /// The machines of each phase, and behind them those for states of no phase, which play never comes to.
    pools: Box<[MachinePool]>,
    /// What plays many games at once.
    table: Option<Arc<Table>>,
}

/// A net, and the machines that have it in some state.
struct MachinePool {
    wiring: Wiring,
    machines: Mutex<Machines>,
    /// How many there may be.
    most: usize,
    /// Wakes a thread that waits for a machine.
    returned: Condvar,
}

/// The machines of a net.
#[derive(Default)]
struct Machines {
    /// Those that no thread works with.
    idle: Vec<Machine>,
    /// How many there are.
    count: usize,
    /// Threads that wait for one. A wake-up that no thread waits for takes as long as a small step.
    waiting: usize,
}

/// A machine that a thread works with, and gives back.
struct Loan<'p> {
    pool: &'p MachinePool,
    machine: Option<Machine>,
}

impl Loan<'_> {
    /// Makes a move of each role, by its input.
    fn make(&mut self, moves: impl Iterator<Item = Option<u32>>) {
        let pool = self.pool;
        Machine::make(self, &pool.wiring, moves);
    }

    /// Writes the goals of the state, where they hold, into a view.
    fn write_goals(&mut self, view: &mut [u64]) {
        let pool = self.pool;
        self.write(&pool.wiring.goals, view);
    }

    /// Writes what is perceived of the moves made into a row of percepts.
    fn write_percepts(&mut self, percepts: &mut [u64]) {
        let pool = self.pool;
        self.write(&pool.wiring.percepts, percepts);
    }
}

impl Deref for Loan<'_> {
    type Target = Machine;

    fn deref(&self) -> &Machine {
        self.machine.as_ref().expect("it is given back at the end")
    }
}

impl DerefMut for Loan<'_> {
    fn deref_mut(&mut self) -> &mut Machine {
        self.machine.as_mut().expect("it is given back at the end")
    }
}

impl Drop for Loan<'_> {
    fn drop(&mut self) {
        let mut machines = self.pool.machines();
        machines.idle.extend(self.machine.take());
        if machines.waiting > 0 {
            self.pool.returned.notify_one();
        }
    }
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events").field("shape", &self.shape).finish_non_exhaustive()
    }
}

impl Events {
    /// The games of a compilation: by the net that optimising starts from, by the optimised one, and by those of its phases, as far
    /// as they do not take too much. Each is made when it is asked for.
    pub(crate) fn of(compilation: &Compilation) -> impl Iterator<Item = Self> {
        let Compilation { raw, net, phases, .. } = compilation;
        let phases = phases.as_ref().map(|phases| (net, Some(phases)));
        [(raw, None), (net, None)]
            .into_iter()
            .chain(phases)
            .filter_map(|(net, phases)| Self::new(net, phases))
    }

    /// The game of a net, run by the nets of its phases if they are given; none if machines or views would take too much.
    fn new(net: &Net, phases: Option<&Phases>) -> Option<Self> {
        let (names, shape) = (&net.vocabulary, net.shape());
        let words = shape.view_words().max(shape.roles.saturating_mul(shape.percept_words()));
        let cycle = Cycle::new(&phases.map_or_else(lanes::Cycle::still, |phases| phases.cycle.clone()));
        // Any state can be asked about, also one that is of no phase.
        let nets: Vec<&Net> = phases.iter().flat_map(|phases| &phases.nets).chain([net]).collect();
        // Before any of it is made: trees have less than twice the operands.
        let bytes: usize = nets.iter().map(|net| Wiring::most_bytes(net)).sum();
        (words <= MAX_VIEW_WORDS && bytes <= MOST_BYTES).then_some(())?;
        let share = MOST_BYTES / nets.len();
        let pool = |net| Wiring::new(net, shape).map(|wiring| MachinePool::new(wiring, share));
        let pools = nets.into_iter().map(pool).collect::<Option<_>>()?;
        let mut role_moves = vec![Vec::new(); shape.roles];
        net.does().iter().for_each(|&(role, action)| role_moves[role as usize].push(action));
        let mut first_moves = Vec::with_capacity(shape.roles);
        let mut input = 1 + shape.fluents as u32;
        for list in &role_moves {
            first_moves.push(input);
            input += list.len() as u32;
        }
        let places = Places::new(&role_moves, shape.legal_words());
        let role_goals =
            net.outputs.goal.iter().map(|goal| goal.iter().map(|&(value, _)| value).collect()).collect();
        let [roles, fluents, moves] = [&names.roles, &names.fluents, &names.moves].map(Texts::new);
        let mut vocabulary = Vocabulary::new(roles, fluents, moves, role_moves, role_goals);
        if let Some(role) = names.chance {
            vocabulary = vocabulary.with_chance(role as usize);
        }
        if net.outputs.sees.is_some() {
            let of_role = |list: &[(u32, _)]| list.iter().map(|&(percept, _)| percept).collect();
            vocabulary =
                vocabulary.with_percepts(Texts::new(&names.percepts), net.percepts().map(of_role).collect());
        }
        let mut initial = vec![0; shape.state_words()];
        let holding = net.initial.iter().enumerate().filter(|(_, holds)| **holds);
        holding.for_each(|(fluent, _)| bits::set(&mut initial, fluent));
        Some(Self {
            vocabulary,
            shape,
            initial: initial.into(),
            places,
            first_moves: first_moves.into(),
            cycle,
            pools,
            table: None,
        })
    }

    /// The game with a table of the same rules, for lanes.
    pub(crate) fn with_table(self, table: Arc<Table>) -> Self {
        Self { table: Some(table), ..self }
    }

    /// The table for lanes.
    pub(crate) fn table(&self) -> Option<&Table> {
        self.table.as_deref()
    }

    /// The names and goal values of the game.
    pub(crate) fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// The sizes of the game.
    pub(crate) fn shape(&self) -> Shape {
        self.shape
    }

    /// The words of the state at the start.
    pub(crate) fn initial(&self) -> &[u64] {
        &self.initial
    }

    /// Whether phases have nets of their own.
    pub(crate) fn has_phases(&self) -> bool {
        self.pools.len() > 1
    }

    /// The operands of all gates.
    pub(crate) fn edges(&self) -> usize {
        self.pools.iter().map(|pool| pool.wiring.operands.len()).sum()
    }

    /// The edges looked at so far, by no thread that works now.
    pub(crate) fn work(&self) -> u64 {
        self.pools.iter().map(MachinePool::work).sum()
    }

    /// Writes what is seen of `state` into `view`.
    ///
    /// # Panics
    /// If `view` is shorter than [`Shape::view_words`].
    pub(crate) fn observe(&self, state: &[u64], view: &mut [u64]) {
        let mut machine = self.visit(state);
        self.copy(&machine, view);
        machine.write_goals(view);
    }

    /// [`Events::observe`], but the goals are missing unless the state is terminal.
    ///
    /// # Panics
    /// If `view` is shorter than [`Shape::view_words`].
    pub(crate) fn observe_without_goals(&self, state: &[u64], view: &mut [u64]) {
        let mut machine = self.visit(state);
        self.copy(&machine, view);
        if bits::test(view, self.shape.terminal_bit()) {
            machine.write_goals(view);
        }
    }

    /// Replaces `state` by the one that follows when each role makes its move of `joint`. Moves that a role can never make
    /// count as none at all.
    pub(crate) fn advance<M: Id>(&self, state: &mut [u64], joint: &[M]) {
        let mut machine = self.visit(state);
        machine.make(self.inputs(joint));
        let next = &machine.row()[..self.shape.state_words()];
        state.iter_mut().zip(next).for_each(|(word, &next)| *word = next);
    }

    /// Writes what each role perceives when each makes its move of `joint` in `state` into a row of percepts.
    ///
    /// # Panics
    /// If `percepts` is shorter than [`Shape::percept_words`] for each role.
    pub(crate) fn perceive<M: Id>(&self, state: &[u64], joint: &[M], percepts: &mut [u64]) {
        percepts.fill(0);
        if self.shape.percepts == 0 {
            return;
        }
        let mut machine = self.visit(state);
        machine.make(self.inputs(joint));
        machine.write_percepts(percepts);
    }

    /// The input of each role's move; none of one that it can never make.
    fn inputs<M: Id>(&self, joint: &[M]) -> impl Iterator<Item = Option<u32>> {
        joint.iter().zip(&self.first_moves).enumerate().map(|(role, (action, &first))| {
            self.places.find(role, action.index()).map(|place| first + place as u32)
        })
    }

    /// Copies what a machine sees, without goals.
    fn copy(&self, machine: &Machine, view: &mut [u64]) {
        let (seen, rest) = view.split_at_mut(self.shape.view_words());
        seen.copy_from_slice(&machine.row()[self.shape.state_words()..]);
        rest.fill(0);
    }

    /// A machine in `state`.
    fn visit(&self, state: &[u64]) -> Loan<'_> {
        let phase = self.cycle.find(state).unwrap_or(self.pools.len() - 1);
        self.pools[phase].visit(self.shape, state)
    }
}

impl MachinePool {
    /// A net whose machines may take so many bytes; there can be one in any case.
    fn new(wiring: Wiring, bytes: usize) -> Self {
        let most = (bytes / wiring.machine_bytes().max(1)).max(1);
        Self { wiring, machines: Mutex::default(), most, returned: Condvar::new() }
    }

    /// A machine in `state`: the idle one that is nearest to it.
    fn visit(&self, shape: Shape, state: &[u64]) -> Loan<'_> {
        let mut machines = self.machines();
        let machine = loop {
            let nearest = match machines.idle.len() {
                1 => Some(0),
                idle => (0..idle).min_by_key(|&place| machines.idle[place].distance(state)),
            };
            if let Some(place) = nearest {
                break Some(machines.idle.swap_remove(place));
            }
            if machines.count < self.most {
                machines.count += 1;
                break None;
            }
            machines.waiting += 1;
            machines = self.returned.wait(machines).unwrap_or_else(PoisonError::into_inner);
            machines.waiting -= 1;
        };
        drop(machines);
        let machine = machine.unwrap_or_else(|| Machine::new(&self.wiring, shape));
        let mut loan = Loan { pool: self, machine: Some(machine) };
        loan.visit(&self.wiring, state);
        loan
    }

    /// The edges that its machines have looked at.
    fn work(&self) -> u64 {
        self.machines().idle.iter().map(Machine::work).sum()
    }

    fn machines(&self) -> MutexGuard<'_, Machines> {
        self.machines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dynamic::MoveId;
    use gdl_compiler::{Options, Source, compile};

    const TURNS: &str = "
        (role x) (role y) (init (control x)) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3)
        (<= (next (control y)) (true (control x)))
        (<= (next (control x)) (true (control y)))
        (<= (legal ?r go) (true (control ?r)))
        (<= (legal ?r stay) (true (control ?r)))
        (<= (legal ?r noop) (role ?r) (not (true (control ?r))))
        (<= moved (does ?r go))
        (<= (next (at ?m)) moved (true (at ?n)) (succ ?n ?m))
        (<= (next (at ?n)) (true (at ?n)) (not moved))
        (<= terminal (true (at 3)))
        (<= (goal x 100) (true (control x))) (<= (goal x 0) (true (control y)))
        (<= (goal y 100) (true (control y))) (<= (goal y 0) (true (control x)))";

    /// What is seen of a state, and the state that follows when each role makes its first move.
    fn answers(events: &Events, state: u64) -> (Vec<u64>, Vec<u64>) {
        let mut view = vec![0; events.shape.view_words()];
        events.observe(&[state], &mut view);
        let mut next = vec![state];
        events.advance(&mut next, &[MoveId::from_index(0); 2]);
        (view, next)
    }

    #[test]
    fn states_of_no_phase_have_the_net_of_all() {
        let compilation = compile(&Source::new("turns", TURNS), &Options::default()).expect("it is sound");
        let games: Vec<Events> = Events::of(&compilation).collect();
        let [_, whole, phased] = &games[..] else { panic!("{} games", games.len()) };
        assert_eq!((whole.pools.len(), phased.pools.len()), (1, 3));
        let count = 1 << phased.shape.fluents;
        let phase = |state: u64| phased.cycle.find(&[state]);
        assert!((0..count).any(|state| phase(state).is_none()));
        for state in 0..count {
            let before: Vec<u64> = phased.pools.iter().map(MachinePool::work).collect();
            let said = answers(phased, state);
            let worked = phased.pools.iter().zip(before).map(|(pool, before)| pool.work() > before);
            let place = phase(state).unwrap_or(2);
            assert!(worked.enumerate().all(|(i, worked)| !worked || i == place), "{state:b}");
            if place == 2 {
                assert_eq!(said, answers(whole, state), "{state:b}");
            }
        }
    }
}
