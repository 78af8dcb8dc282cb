//! The event-driven engine for single states of large games. Each state is evaluated incrementally
//! from another one.
//!
//! A step changes few of the thousands of gates of a large net. A [`Machine`] has the values of the
//! net in one state. It moves to another state by changing the fluents that differ and propagating
//! the changes.
//!
//! There are two kinds of gates. Gates that count their false operands ([`counts`]) take little
//! time for each change. Gates that watch one operand ([`watches`]) propagate fewer changes, which
//! pays in very large nets.
//!
//! The best net is often the raw one, where fewer gates change, or its residual circuit at each
//! turn phase. A role's view changes less between its own turns than between turns of different
//! roles. The [`trial`](crate::trial) chooses the fastest net and kind, and compares them with
//! other engines.
//!
//! Input: a net, and the nets of its turn phases if there are any. Output: a game; its lanes, if
//! any, are those of the table of the same rules. Results depend only on the state and the moves. A
//! pool lends each thread a machine ([`pool`]).

mod counts;
mod machine;
mod outputs;
mod pool;
mod watches;

use crate::{
    bits,
    game::{Id, Shape},
    lanes::cycle::Cycle,
    table::{Places, Table},
    vocabulary::{Texts, Vocabulary},
};
use gdl_compiler::{
    Compilation, Limits, Meter, Options, Phase,
    optimize::{Phases, fold_phases},
    propnet::Net,
};
use gdl_format::{lanes, table::MAX_VIEW_WORDS};
use machine::Wiring;
use pool::{Loan, Pool};
use std::{fmt, sync::Arc};

/// The maximum number of bytes of all machines of a game and their wirings.
const MOST_BYTES: usize = 1 << 30;

/// The maximum number of operands of a net whose phases get residual circuits.
const MOST_FOLDED: usize = 1 << 20;

/// The kind of gates that machines have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GateKind {
    /// Gates count their false operands.
    Count,
    /// Gates watch one operand that is false.
    Watch,
}

/// A game that machines run.
pub(crate) struct Events {
    vocabulary: Vocabulary,
    shape: Shape,
    initial: Box<[u64]>,
    places: Places,
    /// The input of each role's first move.
    first_moves: Box<[u32]>,
    kind: GateKind,
    /// The fluents that identify the turn phase.
    cycle: Cycle,
    /// The machines of each turn phase. The last entry is for states outside every phase, which
    /// play never reaches.
    pools: Box<[Pool]>,
    /// The table of the same rules, which plays many games at once.
    table: Option<Arc<Table>>,
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events").field("shape", &self.shape).finish_non_exhaustive()
    }
}

impl Events {
    /// The incremental games of a compilation, made on demand: those of [`GateKind::Count`], then
    /// the one of [`GateKind::Watch`]. Games that would take too much memory are left out.
    pub(crate) fn of<'c>(
        compilation: &'c Compilation,
        limits: &Limits,
    ) -> impl Iterator<Item = Self> + use<'c> {
        Self::counting(compilation, limits)
            .chain(std::iter::once_with(move || Self::watching(compilation)).flatten())
    }

    /// The games of [`GateKind::Count`]: for the raw net, for the optimised one, and for the
    /// residual circuits of the raw net at each phase. The last game is left out if there are no
    /// phases, the net has too many operands, or making the residual circuits exceeds the limits.
    pub(crate) fn counting<'c>(
        compilation: &'c Compilation,
        limits: &Limits,
    ) -> impl Iterator<Item = Self> + use<'c> {
        let Compilation { raw, net, phases, .. } = compilation;
        let whole = [raw, net].into_iter().map(|net| Self::new(GateKind::Count, net, None));
        let options = Options { limits: limits.clone(), ..Options::default() };
        let phased = phases.iter().filter(|_| raw.literals() <= MOST_FOLDED).map(move |phases| {
            let mut meter = Meter::new(&options, Phase::Derive);
            let phases = fold_phases(raw, &phases.cycle, &mut meter)?;
            Self::new(GateKind::Count, raw, Some(&phases))
        });
        whole.chain(phased).flatten()
    }

    /// Creates the game of [`GateKind::Count`] from a net that is not optimised yet.
    pub(crate) fn early(net: &Net) -> Option<Self> {
        Self::new(GateKind::Count, net, None)
    }

    /// The game of the optimised net, run by [`GateKind::Watch`] gates. Returns `None` if it is too
    /// large.
    pub(crate) fn watching(compilation: &Compilation) -> Option<Self> {
        Self::new(GateKind::Watch, &compilation.net, None)
    }

    /// Creates the game of a net, run by the nets of its phases if given. Returns `None` if
    /// machines or views would be too large.
    fn new(kind: GateKind, net: &Net, phases: Option<&Phases>) -> Option<Self> {
        let (names, shape) = (&net.vocabulary, net.shape());
        let words = shape.view_words().max(shape.roles.saturating_mul(shape.percept_words()));
        let cycle = Cycle::new(&phases.map_or_else(lanes::Cycle::still, |phases| phases.cycle.clone()));
        // Any state may be observed, also one outside every phase.
        let nets: Vec<&Net> = phases.iter().flat_map(|phases| &phases.nets).chain([net]).collect();
        // The bytes are checked before anything is allocated.
        let bytes: usize = nets.iter().map(|net| kind.most_bytes(net, shape)).sum();
        (words <= MAX_VIEW_WORDS && bytes <= MOST_BYTES).then_some(())?;
        let share = MOST_BYTES / nets.len();
        let pool = |net| Some(Pool::new(kind.wiring(net, shape)?, shape, share));
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
            kind,
            cycle,
            pools,
            table: None,
        })
    }

    /// Adds a table of the same rules, for lanes.
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

    /// The words of the initial state.
    pub(crate) fn initial(&self) -> &[u64] {
        &self.initial
    }

    /// The kind of gates of the machines.
    pub(crate) fn kind(&self) -> GateKind {
        self.kind
    }

    /// Returns true if phases have their own nets.
    pub(crate) fn has_phases(&self) -> bool {
        self.pools.len() > 1
    }

    /// The number of operands of all gates.
    pub(crate) fn edges(&self) -> usize {
        self.pools.iter().map(Pool::edges).sum()
    }

    /// The work of the idle machines so far.
    pub(crate) fn work(&self) -> u64 {
        self.pools.iter().map(Pool::work).sum()
    }

    /// Writes the view of `state` into `view`.
    ///
    /// # Panics
    /// Panics if `view` is shorter than [`Shape::view_words`].
    pub(crate) fn observe(&self, state: &[u64], view: &mut [u64]) {
        let mut machine = self.visit(state);
        self.copy(&machine, view);
        machine.gates_mut().write_goals(view);
    }

    /// Like [`Events::observe`], but goals are missing unless the state is terminal.
    ///
    /// # Panics
    /// Panics if `view` is shorter than [`Shape::view_words`].
    pub(crate) fn observe_without_goals(&self, state: &[u64], view: &mut [u64]) {
        let mut machine = self.visit(state);
        self.copy(&machine, view);
        if bits::test(view, self.shape.terminal_bit()) {
            machine.gates_mut().write_goals(view);
        }
    }

    /// Replaces `state` by its successor when each role makes its move of `joint`. Moves that a
    /// role can never make count as missing.
    pub(crate) fn advance<M: Id>(&self, state: &mut [u64], joint: &[M]) {
        let mut machine = self.visit(state);
        machine.make(self.inputs(joint));
        let next = &machine.gates().row()[..self.shape.state_words()];
        state.iter_mut().zip(next).for_each(|(word, &next)| *word = next);
    }

    /// Writes the percepts of each role after the joint move `joint` in `state` to a row of
    /// percepts.
    ///
    /// # Panics
    /// Panics if `percepts` is shorter than [`Shape::percept_words`] for each role.
    pub(crate) fn perceive<M: Id>(&self, state: &[u64], joint: &[M], percepts: &mut [u64]) {
        percepts.fill(0);
        if self.shape.percepts == 0 {
            return;
        }
        let mut machine = self.visit(state);
        machine.make(self.inputs(joint));
        machine.gates_mut().write_percepts(percepts);
    }

    /// The input of each role's move; `None` for a move that the role can never make.
    fn inputs<M: Id>(&self, joint: &[M]) -> impl Iterator<Item = Option<u32>> {
        joint.iter().zip(&self.first_moves).enumerate().map(|(role, (action, &first))| {
            self.places.find(role, action.index()).map(|place| first + place as u32)
        })
    }

    /// Copies the view of a machine's state, without goals.
    fn copy(&self, machine: &Loan<'_>, view: &mut [u64]) {
        let (seen, rest) = view.split_at_mut(self.shape.view_words());
        seen.copy_from_slice(&machine.gates().row()[self.shape.state_words()..]);
        rest.fill(0);
    }

    /// Borrows a machine, moved to `state`.
    fn visit(&self, state: &[u64]) -> Loan<'_> {
        let phase = self.cycle.find(state).unwrap_or(self.pools.len() - 1);
        self.pools[phase].visit(state)
    }
}

impl GateKind {
    /// Creates the wiring of a net. Returns `None` if the net is too large or too deep for 32-bit
    /// numbers, or its views depend on moves.
    fn wiring(self, net: &Net, shape: Shape) -> Option<Arc<dyn Wiring>> {
        Some(match self {
            Self::Count => Arc::new(counts::Wiring::new(net, shape)?),
            Self::Watch => Arc::new(watches::Wiring::new(net, shape)?),
        })
    }

    /// The maximum number of bytes of a wiring and a machine.
    fn most_bytes(self, net: &Net, shape: Shape) -> usize {
        match self {
            Self::Count => counts::Wiring::most_bytes(net, shape),
            Self::Watch => watches::Wiring::most_bytes(net),
        }
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

    /// The view of a state, and its successor when each role makes its first move.
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
        let games: Vec<Events> = Events::counting(&compilation, &Limits::default()).collect();
        let [_, whole, phased] = &games[..] else { panic!("{} games", games.len()) };
        assert_eq!((whole.pools.len(), phased.pools.len()), (1, 3));
        let limits = Limits { fuel: 0, ..Limits::default() };
        assert!(Events::counting(&compilation, &limits).all(|events| !events.has_phases()));
        let count = 1 << phased.shape.fluents;
        let phase = |state: u64| phased.cycle.find(&[state]);
        assert!((0..count).any(|state| phase(state).is_none()));
        for state in 0..count {
            let before: Vec<u64> = phased.pools.iter().map(Pool::work).collect();
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
