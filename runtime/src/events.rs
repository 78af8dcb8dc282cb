//! The event-driven engine: single states of vast games, each made from another one by evaluating what changes.
//!
//! Where a net has hundreds of thousands of gates, a step changes few of them. A [`Machine`] has the net in one state; asked about
//! another one it goes there by the fluents that differ, and gates are evaluated only where an operand that they rely on has
//! changed. The best net is often the one that optimising starts from, where the way from what changes to what is seen is shorter;
//! the [`trial`](crate::trial) says which one takes fewer steps, and whether another engine takes fewer still.
//!
//! Input: a net. Output: a game, whose lanes, if any, are those of the table of the same rules. What is said of a state depends on
//! the state and the moves alone. Threads take turns with the machines, of which there are as many as threads ever worked at
//! the same time, within [`MOST_BYTES`]: then they wait for each other.

mod machine;
mod wiring;

use crate::{
    bits,
    game::{Id, Shape},
    table::{Places, Table},
    vocabulary::{Texts, Vocabulary},
};
use gdl_compiler::propnet::Net;
use gdl_format::table::MAX_VIEW_WORDS;
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
    wiring: Wiring,
    machines: Mutex<Machines>,
    /// Wakes a thread that waits for a machine.
    returned: Condvar,
    /// What plays many games at once.
    table: Option<Arc<Table>>,
}

/// The machines of a game.
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
struct Loan<'e> {
    events: &'e Events,
    machine: Option<Machine>,
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
        let mut machines = self.events.machines();
        machines.idle.extend(self.machine.take());
        if machines.waiting > 0 {
            self.events.returned.notify_one();
        }
    }
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events").field("shape", &self.shape).finish_non_exhaustive()
    }
}

impl Events {
    /// The game of a net; none if machines or views would take too much.
    pub(crate) fn new(net: &Net) -> Option<Self> {
        let (names, shape) = (&net.vocabulary, net.shape());
        let words = shape.view_words().max(shape.roles.saturating_mul(shape.percept_words()));
        // Before any of it is made: trees have less than twice the operands.
        let bytes = Wiring::most_bytes(net);
        (words <= MAX_VIEW_WORDS && bytes <= MOST_BYTES).then_some(())?;
        let wiring = Wiring::new(net, shape)?;
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
            wiring,
            machines: Mutex::default(),
            returned: Condvar::new(),
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

    /// The operands of all gates.
    pub(crate) fn edges(&self) -> usize {
        self.wiring.operands.len()
    }

    /// The edges looked at so far, by no thread that works now.
    pub(crate) fn work(&self) -> u64 {
        self.machines().idle.iter().map(Machine::work).sum()
    }

    /// Writes what is seen of `state` into `view`.
    ///
    /// # Panics
    /// If `view` is shorter than [`Shape::view_words`].
    pub(crate) fn observe(&self, state: &[u64], view: &mut [u64]) {
        let mut machine = self.visit(state);
        self.copy(&machine, view);
        machine.write(&self.wiring.goals, view);
    }

    /// [`Events::observe`], but the goals are missing unless the state is terminal.
    ///
    /// # Panics
    /// If `view` is shorter than [`Shape::view_words`].
    pub(crate) fn observe_without_goals(&self, state: &[u64], view: &mut [u64]) {
        let mut machine = self.visit(state);
        self.copy(&machine, view);
        if bits::test(view, self.shape.terminal_bit()) {
            machine.write(&self.wiring.goals, view);
        }
    }

    /// Replaces `state` by the one that follows when each role makes its move of `joint`. Moves that a role can never make
    /// count as none at all.
    pub(crate) fn advance<M: Id>(&self, state: &mut [u64], joint: &[M]) {
        let mut machine = self.visit(state);
        machine.make(&self.wiring, self.inputs(joint));
        let next = &machine.row()[..self.shape.state_words()];
        state.iter_mut().zip(next).for_each(|(word, &next)| *word = next);
    }

    /// Writes what each role perceives when each makes its move of `joint` in `state` into a row of percepts.
    ///
    /// # Panics
    /// If `percepts` is shorter than [`Shape::percept_words`] for each role.
    pub(crate) fn perceive<M: Id>(&self, state: &[u64], joint: &[M], percepts: &mut [u64]) {
        percepts.fill(0);
        if self.wiring.percepts.is_empty() {
            return;
        }
        let mut machine = self.visit(state);
        machine.make(&self.wiring, self.inputs(joint));
        machine.write(&self.wiring.percepts, percepts);
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

    /// A machine in `state`: the idle one that is nearest to it.
    fn visit(&self, state: &[u64]) -> Loan<'_> {
        let mut machines = self.machines();
        let machine = loop {
            let nearest = match machines.idle.len() {
                1 => Some(0),
                idle => (0..idle).min_by_key(|&place| machines.idle[place].distance(state)),
            };
            if let Some(place) = nearest {
                break Some(machines.idle.swap_remove(place));
            }
            if machines.count == 0 || (machines.count + 1) * self.wiring.machine_bytes() <= MOST_BYTES {
                machines.count += 1;
                break None;
            }
            machines.waiting += 1;
            machines = self.returned.wait(machines).unwrap_or_else(PoisonError::into_inner);
            machines.waiting -= 1;
        };
        drop(machines);
        let machine = machine.unwrap_or_else(|| Machine::new(&self.wiring, self.shape));
        let mut loan = Loan { events: self, machine: Some(machine) };
        loan.visit(&self.wiring, state);
        loan
    }

    fn machines(&self) -> MutexGuard<'_, Machines> {
        self.machines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
