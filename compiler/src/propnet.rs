//! The propositional net: a game as one and-inverter graph.
//!
//! A [`Net`] holds gates in topological order: the constant, one input per fluent, one input per
//! role and move (`does`), then AND gates with any number of operands, each operand possibly
//! complemented. Structurally equal gates are one gate. The outputs say which moves are legal, what
//! the goals are, whether the state is terminal, which fluents hold next, and what the roles
//! perceive.

mod build;
mod cycle;
mod influence;
mod print;
mod purpose;

pub use build::build;
pub use purpose::Purpose;

pub use crate::vocabulary::Vocabulary;

use crate::meter::Meter;
use gdl_format::shape::Shape;
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::{hash::Hasher, sync::Arc};

/// A gate's output, possibly complemented.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Signal(u32);

impl Signal {
    /// Never true.
    pub const FALSE: Self = Self(0);
    /// Always true.
    pub const TRUE: Self = Self(1);

    /// The output of a gate, complemented if `negated`.
    #[must_use]
    pub fn new(gate: u32, negated: bool) -> Self {
        Self(gate << 1 | u32::from(negated))
    }

    /// The gate, an index in topological order. Zero is the constant.
    #[must_use]
    pub fn gate(self) -> u32 {
        self.0 >> 1
    }

    /// True if the gate's output is complemented.
    #[must_use]
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// The signal complemented if `condition`.
    #[must_use]
    pub fn negate_if(self, condition: bool) -> Self {
        Self(self.0 ^ u32::from(condition))
    }

    /// True for [`Signal::FALSE`] and [`Signal::TRUE`].
    #[must_use]
    pub fn is_constant(self) -> bool {
        self.0 < 2
    }

    /// Twice the gate plus one if complemented: a dense number, as stored in tables.
    #[must_use]
    pub fn code(self) -> u32 {
        self.0
    }
}

impl std::ops::Not for Signal {
    type Output = Self;

    fn not(self) -> Self {
        self.negate_if(true)
    }
}

/// The function of a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate<'n> {
    /// False.
    Constant,
    /// True if the fluent, an index into [`Vocabulary::fluents`], holds.
    Fluent(u32),
    /// True if the role makes the move; exactly one move of each role is made.
    Does {
        /// Index into [`Vocabulary::roles`].
        role: u32,
        /// Index into [`Vocabulary::moves`].
        action: u32,
    },
    /// True if all operands are. At least two, sorted, none constant.
    And(&'n [Signal]),
}

/// The outputs of a net.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outputs {
    /// For each fluent: holds in the next state.
    pub next: Vec<Signal>,
    /// For each role, by move: the move is legal. Moves that are never legal have no entry.
    pub legal: Vec<Vec<(u32, Signal)>>,
    /// For each role, by value: the goal value holds.
    pub goal: Vec<Vec<(u8, Signal)>>,
    /// The state is terminal.
    pub terminal: Signal,
    /// For each role, by percept: the role perceives it in the step. `None` if the rules say
    /// nothing of percepts: then each role perceives the joint move.
    pub sees: Option<Vec<Vec<(u32, Signal)>>>,
}

impl Default for Signal {
    fn default() -> Self {
        Self::FALSE
    }
}

impl Outputs {
    /// All outputs, in a fixed order.
    pub fn iter(&self) -> impl Iterator<Item = Signal> + '_ {
        self.next
            .iter()
            .copied()
            .chain(self.legal.iter().flatten().map(|&(_, s)| s))
            .chain(self.goal.iter().flatten().map(|&(_, s)| s))
            .chain([self.terminal])
            .chain(self.sees.iter().flatten().flatten().map(|&(_, s)| s))
    }

    /// The outputs with each signal replaced by `rename`.
    #[must_use]
    pub fn map(&self, mut rename: impl FnMut(Signal) -> Signal) -> Self {
        Self {
            next: self.next.iter().map(|&s| rename(s)).collect(),
            legal: rename_lists(&self.legal, &mut rename),
            goal: rename_lists(&self.goal, &mut rename),
            terminal: rename(self.terminal),
            sees: self.sees.as_ref().map(|lists| rename_lists(lists, &mut rename)),
        }
    }
}

fn rename_lists<K: Copy>(
    lists: &[Vec<(K, Signal)>],
    rename: &mut impl FnMut(Signal) -> Signal,
) -> Vec<Vec<(K, Signal)>> {
    lists.iter().map(|list| list.iter().map(|&(key, s)| (key, rename(s))).collect()).collect()
}

/// Fluents such that no two ever hold together, in any state that play can reach.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MutexGroup {
    /// The fluents, sorted.
    pub members: Vec<u32>,
    /// True if one of them always holds.
    pub exactly_one: bool,
}

/// A game as gates. See the module's documentation.
#[derive(Clone, Debug)]
pub struct Net {
    /// The names of inputs and outputs.
    pub vocabulary: Arc<Vocabulary>,
    /// For each fluent: holds at the start.
    pub initial: Vec<bool>,
    /// The outputs.
    pub outputs: Outputs,
    /// The groups that were proved; play does not depend on them.
    pub mutex_groups: Vec<MutexGroup>,
    /// Role and move of each `does` input, sorted.
    does: Vec<(u32, u32)>,
    /// The start of each AND gate's operands; one more entry than gates.
    starts: Vec<u32>,
    operands: Vec<Signal>,
    /// The AND gates, numbered from zero, by their operands.
    table: HashTable<u32>,
    /// Steps taken in [`Net::and`] since they were last paid for.
    steps: u64,
    /// Bytes of gates that were paid for.
    paid: usize,
}

/// The number of operands of others that a gate compares with each of its own, on average.
const ABSORPTIONS: usize = 256;

/// The number of operands that are moved in the time of one comparison.
const MOVED: usize = 16;

impl Net {
    /// A net with inputs and no gates: `does` lists role and move of each `does` input, sorted.
    #[must_use]
    pub fn new(vocabulary: impl Into<Arc<Vocabulary>>, initial: Vec<bool>, does: Vec<(u32, u32)>) -> Self {
        Self {
            vocabulary: vocabulary.into(),
            initial,
            outputs: Outputs::default(),
            mutex_groups: Vec::new(),
            does,
            starts: vec![0],
            operands: Vec::new(),
            table: HashTable::new(),
            steps: 0,
            paid: 0,
        }
    }

    /// A net with the same inputs and known properties, and no gates or outputs.
    #[must_use]
    pub fn without_gates(&self) -> Self {
        let empty = Self::new(Arc::clone(&self.vocabulary), self.initial.clone(), self.does.clone());
        Self { mutex_groups: self.mutex_groups.clone(), ..empty }
    }

    /// The number of all gates, the constant and the inputs included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.inputs() + self.ands()
    }

    /// False: there is always the constant.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The number of gates before the first AND gate: the constant, fluents and `does`.
    #[must_use]
    pub fn inputs(&self) -> usize {
        1 + self.initial.len() + self.does.len()
    }

    /// The number of AND gates.
    #[must_use]
    pub fn ands(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of two-input operations: an AND of n operands counts n - 1.
    #[must_use]
    pub fn operations(&self) -> usize {
        self.operands.len() - self.ands()
    }

    /// The number of operands of all AND gates.
    #[must_use]
    pub fn literals(&self) -> usize {
        self.operands.len()
    }

    /// Pays for the gates made since this was last called: a step for each operand given, and for
    /// each that a gate's operands were compared with, and the bytes that they take.
    pub fn pay(&mut self, meter: &mut Meter) -> Option<()> {
        meter.note(self.operations());
        meter.spend(std::mem::take(&mut self.steps))?;
        let (bytes, paid) = (self.bytes(), self.paid);
        self.paid = bytes;
        meter.take(bytes.saturating_sub(paid))
    }

    /// The bytes of the gates: the table of them is two thirds full.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<Signal>() * self.operands.len() + 12 * self.starts.len()
    }

    /// The bytes of the lists of inputs and outputs.
    #[must_use]
    pub fn list_bytes(&self) -> usize {
        let Outputs { next, legal, goal, sees, .. } = &self.outputs;
        let entries = |lists: usize, items: usize| 24 * lists + size_of::<(u32, Signal)>() * items;
        let sees = sees.as_deref().unwrap_or_default();
        size_of::<(u32, u32)>() * self.does.len()
            + (1 + size_of::<Signal>()) * next.len()
            + entries(legal.len(), legal.iter().map(Vec::len).sum())
            + entries(goal.len(), goal.iter().map(Vec::len).sum())
            + entries(sees.len(), sees.iter().map(Vec::len).sum())
            + self.mutex_groups.iter().map(|group| 32 + size_of::<u32>() * group.members.len()).sum::<usize>()
    }

    /// The sizes of the game.
    #[must_use]
    pub fn shape(&self) -> Shape {
        Shape {
            roles: self.vocabulary.roles.len(),
            fluents: self.vocabulary.fluents.len(),
            moves: self.vocabulary.moves.len(),
            goals: self.goals(),
            percepts: self.vocabulary.percepts.len(),
        }
    }

    /// Role and move of each `does` input, in gate order.
    #[must_use]
    pub fn does(&self) -> &[(u32, u32)] {
        &self.does
    }

    /// The signal of a fluent.
    #[must_use]
    pub fn fluent(&self, fluent: usize) -> Signal {
        Signal::new(1 + fluent as u32, false)
    }

    /// The signal of the `does` input at a position of [`Net::does`].
    #[must_use]
    pub fn does_at(&self, position: usize) -> Signal {
        Signal::new((1 + self.initial.len() + position) as u32, false)
    }

    /// The signal of `role` making a move; false if the role never may.
    #[must_use]
    pub fn does_input(&self, role: u32, action: u32) -> Signal {
        self.does.binary_search(&(role, action)).map_or(Signal::FALSE, |position| self.does_at(position))
    }

    /// By position of [`Net::does`]: when the move is legal. O(moves x log).
    #[must_use]
    pub fn legality(&self) -> Vec<Signal> {
        let mut legality = vec![Signal::FALSE; self.does.len()];
        for (role, list) in (0u32..).zip(&self.outputs.legal) {
            for &(action, signal) in list {
                if let Ok(position) = self.does.binary_search(&(role, action)) {
                    legality[position] = signal;
                }
            }
        }
        legality
    }

    /// The function of a gate.
    #[inline]
    #[must_use]
    pub fn gate(&self, gate: u32) -> Gate<'_> {
        let gate = gate as usize;
        let fluents = self.initial.len();
        if gate == 0 {
            Gate::Constant
        } else if gate <= fluents {
            Gate::Fluent(gate as u32 - 1)
        } else if let Some(&(role, action)) = self.does.get(gate - 1 - fluents) {
            Gate::Does { role, action }
        } else {
            Gate::And(self.operands(gate))
        }
    }

    #[inline]
    fn operands(&self, gate: usize) -> &[Signal] {
        let and = gate - self.inputs();
        &self.operands[self.starts[and] as usize..self.starts[and + 1] as usize]
    }

    /// The conjunction of `operands`: an existing gate or a new one. Nested conjunctions are kept
    /// as they are; duplicates, constants, contradictions, and operands that another one implies or
    /// refutes (one-level absorption) are removed.
    pub fn and(&mut self, mut operands: Vec<Signal>) -> Signal {
        operands.sort_unstable();
        operands.dedup();
        if operands.first() == Some(&Signal::FALSE) {
            return Signal::FALSE;
        }
        operands.retain(|&s| s != Signal::TRUE);
        if operands.windows(2).any(|w| w[0] == !w[1]) {
            return Signal::FALSE;
        }
        let mut work = ABSORPTIONS * operands.len();
        self.steps += (1 + operands.len() + work) as u64;
        let consistent = self.absorb(&mut operands, &mut work);
        self.steps -= work as u64;
        if !consistent {
            return Signal::FALSE;
        }
        match operands[..] {
            [] => return Signal::TRUE,
            [single] => return single,
            _ => {}
        }
        if let Some(gate) = self.find(&operands) {
            return Signal::new(gate, false);
        }
        let (gate, and) = (self.len() as u32, self.ands() as u32);
        self.operands.extend_from_slice(&operands);
        self.starts.push(self.operands.len() as u32);
        let Self { table, starts, operands: all, .. } = self;
        let of = |&and: &u32| hash(&all[starts[and as usize] as usize..starts[and as usize + 1] as usize]);
        table.insert_unique(hash(&operands), and, of);
        Signal::new(gate, false)
    }

    /// The AND gate with these operands, if there is one.
    fn find(&self, operands: &[Signal]) -> Option<u32> {
        let inputs = self.inputs();
        let same = |&and: &u32| self.operands(inputs + and as usize) == operands;
        self.table.find(hash(operands), same).map(|&and| inputs as u32 + and)
    }

    /// The disjunction of `operands`.
    pub fn or(&mut self, operands: Vec<Signal>) -> Signal {
        !self.and(operands.into_iter().map(|s| !s).collect())
    }

    /// One-level absorption. With `a` an operand: `a & !(a & b)` is `a & !b`, `a & !(!a & b)` is
    /// `a`, `a & (a & b)` is `(a & b)` and `a & (!a & b)` is false. Returns false for a
    /// contradiction. Operands must be sorted and without constants; they stay so. Takes its steps
    /// from `work` and ends when there are none left: wide gates of wide gates are not absorbed to
    /// the end. It ends anyway, since with each change there are fewer operands or one of them is
    /// replaced by a part of itself.
    fn absorb(&self, operands: &mut Vec<Signal>, work: &mut usize) -> bool {
        // Inputs have no operands, and come first.
        if operands.last().is_none_or(|s| (s.gate() as usize) < self.inputs()) {
            return true;
        }
        let mut changed = true;
        let mut among = Among::default();
        operands.iter().for_each(|&s| among.insert(s));
        while changed {
            changed = false;
            let mut i = operands.partition_point(|s| (s.gate() as usize) < self.inputs());
            while i < operands.len() {
                let operand = operands[i];
                let gate = operand.gate() as usize;
                i += 1;
                if gate < self.inputs() {
                    // It has come in since.
                    continue;
                }
                let inner = self.operands(gate);
                let Some(left) = work.checked_sub(inner.len().min(operands.len())) else { return true };
                *work = left;
                let meeting = meet(inner, operands, &among);
                if meeting == Meeting::Apart {
                    continue;
                }
                // To change the list is to move it.
                *work = work.saturating_sub(operands.len() / MOVED);
                if !operand.is_negated() {
                    if meeting == Meeting::Refuted {
                        return false;
                    }
                    operands.retain(|s| inner.binary_search(s).is_err());
                    changed = true;
                    break;
                }
                if meeting == Meeting::Refuted {
                    // The inner conjunction is false: its complement says nothing.
                    i -= 1;
                    operands.remove(i);
                    continue;
                }
                let rest: Vec<Signal> =
                    inner.iter().copied().filter(|s| operands.binary_search(s).is_err()).collect();
                let shorter = match rest[..] {
                    [] => return false,
                    [single] => single,
                    // A smaller gate could be made here, but it is free only if it exists already.
                    _ => match self.find(&rest) {
                        Some(gate) => Signal::new(gate, false),
                        None => continue,
                    },
                };
                i -= 1;
                operands.remove(i);
                if operands.binary_search(&shorter).is_ok() {
                    return false;
                }
                if let Err(place) = operands.binary_search(&!shorter) {
                    operands.insert(place, !shorter);
                    among.insert(shorter);
                    changed = true;
                }
            }
        }
        true
    }

    /// The signals that hold wherever one does: itself, and the operands if it is a conjunction.
    pub fn conjuncts(&self, signal: Signal) -> impl Iterator<Item = Signal> + '_ {
        let operands = match self.gate(signal.gate()) {
            Gate::And(operands) if !signal.is_negated() => operands,
            _ => &[],
        };
        std::iter::once(signal).chain(operands.iter().copied())
    }

    /// True if one signal is another, or a conjunction with it. O(log operands).
    #[must_use]
    pub fn implies(&self, signal: Signal, other: Signal) -> bool {
        signal == other
            || matches!(self.gate(signal.gate()), Gate::And(operands)
                if !signal.is_negated() && operands.binary_search(&other).is_ok())
    }

    /// The longest path from an input to an output, in AND gates.
    #[must_use]
    pub fn depth(&self) -> usize {
        let mut depths = vec![0usize; self.len()];
        for gate in self.inputs()..self.len() {
            let deepest = self.operands(gate).iter().map(|s| depths[s.gate() as usize]).max();
            depths[gate] = deepest.unwrap_or(0) + 1;
        }
        self.outputs.iter().map(|s| depths[s.gate() as usize]).max().unwrap_or(0)
    }

    /// For each gate, whether one of `signals` depends on it.
    #[must_use]
    pub fn cone(&self, signals: impl IntoIterator<Item = Signal>) -> Vec<bool> {
        let mut inside = vec![false; self.len()];
        signals.into_iter().for_each(|s| inside[s.gate() as usize] = true);
        for gate in (self.inputs()..self.len()).rev() {
            if inside[gate] {
                self.operands(gate).iter().for_each(|s| inside[s.gate() as usize] = true);
            }
        }
        inside
    }

    /// Removes the gates that no output depends on. O(literals).
    pub fn sweep(&mut self) {
        let (inputs, live) = (self.inputs(), self.cone(self.outputs.iter()));
        if live[inputs..].iter().all(|&live| live) {
            return;
        }
        // Gates keep their order, so operands stay sorted.
        let mut places: Vec<u32> = (0..inputs as u32).collect();
        let mut starts = vec![0];
        let mut operands = Vec::new();
        for gate in inputs..self.len() {
            places.push((inputs + starts.len() - 1) as u32);
            if live[gate] {
                let place = |s: &Signal| Signal::new(places[s.gate() as usize], s.is_negated());
                operands.extend(self.operands(gate).iter().map(place));
                starts.push(operands.len() as u32);
            }
        }
        self.outputs = self.outputs.map(|s| Signal::new(places[s.gate() as usize], s.is_negated()));
        (self.starts, self.operands) = (starts, operands);
        self.paid = self.paid.min(self.bytes());
        let hash = |and: u32| hash(self.operands(inputs + and as usize));
        let mut table = HashTable::with_capacity(self.ands());
        (0..self.ands() as u32).for_each(|and| {
            table.insert_unique(hash(and), and, |&and| hash(and));
        });
        self.table = table;
    }

    /// The percepts of each role; no role has any if the rules say nothing of them.
    pub fn percepts(&self) -> impl Iterator<Item = &[(u32, Signal)]> {
        let sees = self.outputs.sees.as_deref();
        (0..self.vocabulary.roles.len()).map(move |role| sees.map_or(&[][..], |lists| &lists[role][..]))
    }

    /// The number of values of a role's goal, summed over the roles.
    #[must_use]
    pub fn goals(&self) -> usize {
        self.outputs.goal.iter().map(Vec::len).sum()
    }
}

fn hash(operands: &[Signal]) -> u64 {
    let mut hasher = FxHasher::default();
    operands.iter().for_each(|s| hasher.write_u32(s.0));
    hasher.finish()
}

/// The relation of a gate's operands to a list of operands that contains the gate.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meeting {
    /// No relation.
    Apart,
    /// One is in the list.
    Shared,
    /// The complement of one is.
    Refuted,
}

/// Returns the relation of a gate's sorted operands to a sorted list. `among` has the gates of the
/// list. O(short list * log long list).
fn meet(inner: &[Signal], list: &[Signal], among: &Among) -> Meeting {
    let (short, long) = if inner.len() < list.len() { (inner, list) } else { (list, inner) };
    let mut meeting = Meeting::Apart;
    for &s in short.iter().filter(|&&s| among.may_have(s)) {
        let place = long.partition_point(|other| other.0 < s.0 & !1);
        match long.get(place) {
            Some(&other) if other == s => meeting = Meeting::Shared,
            Some(&other) if other == !s => return Meeting::Refuted,
            _ => {}
        }
    }
    meeting
}

/// A set of gates, and of others by chance: most operands of operands are in no list with these,
/// and need not be looked for.
#[derive(Default)]
struct Among([u64; 8]);

impl Among {
    fn insert(&mut self, s: Signal) {
        self.0[s.gate() as usize / 64 % 8] |= 1 << (s.gate() % 64);
    }

    fn may_have(&self, s: Signal) -> bool {
        self.0[s.gate() as usize / 64 % 8] >> (s.gate() % 64) & 1 == 1
    }
}
