//! The propositional net: a game as one and-inverter graph.
//!
//! A [`Net`] holds gates in topological order: the constant, one input per fluent, one input per
//! role and move (`does`), then AND gates. An AND gate has any number of operands, each possibly
//! complemented. Structurally equal gates are shared. The outputs are the legal moves, the goal
//! values, the end of the game, the fluents of the next state, and the percepts of the roles.

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
    /// The signal that is never true.
    pub const FALSE: Self = Self(0);
    /// The signal that is always true.
    pub const TRUE: Self = Self(1);

    /// Creates the signal of a gate's output, complemented if `negated`.
    #[must_use]
    pub fn new(gate: u32, negated: bool) -> Self {
        Self(gate << 1 | u32::from(negated))
    }

    /// The gate, an index in topological order. Zero is the constant.
    #[must_use]
    pub fn gate(self) -> u32 {
        self.0 >> 1
    }

    /// Returns true if the gate's output is complemented.
    #[must_use]
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// Returns the signal, complemented if `condition` is true.
    #[must_use]
    pub fn negate_if(self, condition: bool) -> Self {
        Self(self.0 ^ u32::from(condition))
    }

    /// Returns true for [`Signal::FALSE`] and [`Signal::TRUE`].
    #[must_use]
    pub fn is_constant(self) -> bool {
        self.0 < 2
    }

    /// The number by which tables store the signal: twice the gate, plus one if complemented.
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
    /// The constant false.
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
    /// The conjunction of at least two operands, which are sorted and not constant.
    And(&'n [Signal]),
}

/// The outputs of a net.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outputs {
    /// For each fluent: true if it holds in the next state.
    pub next: Vec<Signal>,
    /// For each role, by move: true if the move is legal. Moves that are never legal have no entry.
    pub legal: Vec<Vec<(u32, Signal)>>,
    /// For each role, by value: true if the role has the goal value.
    pub goal: Vec<Vec<(u8, Signal)>>,
    /// True if the state is terminal.
    pub terminal: Signal,
    /// For each role, by percept: true if the role perceives it in the step. `None` if the rules do
    /// not define percepts: then each role perceives the joint move.
    pub sees: Option<Vec<Vec<(u32, Signal)>>>,
}

impl Default for Signal {
    fn default() -> Self {
        Self::FALSE
    }
}

impl Outputs {
    /// Iterates over all outputs: next values, legal moves, goals, terminal, percepts.
    pub fn iter(&self) -> impl Iterator<Item = Signal> + '_ {
        self.next
            .iter()
            .copied()
            .chain(self.legal.iter().flatten().map(|&(_, s)| s))
            .chain(self.goal.iter().flatten().map(|&(_, s)| s))
            .chain([self.terminal])
            .chain(self.sees.iter().flatten().flatten().map(|&(_, s)| s))
    }

    /// Returns the outputs with each signal replaced by `rename`.
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

/// A set of mutually exclusive fluents: at most one holds in any reachable state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MutexGroup {
    /// The fluents, sorted.
    pub members: Vec<u32>,
    /// True if exactly one member holds in every reachable state.
    pub exactly_one: bool,
}

/// A game as a propositional net; see the module's documentation.
#[derive(Clone, Debug)]
pub struct Net {
    /// The names of inputs and outputs.
    pub vocabulary: Arc<Vocabulary>,
    /// The initial state: for each fluent, true if it holds.
    pub initial: Vec<bool>,
    /// The legal moves, goals and other outputs.
    pub outputs: Outputs,
    /// The mutex groups that were proved. Play does not depend on them.
    pub mutex_groups: Vec<MutexGroup>,
    /// Role and move of each `does` input, sorted.
    does: Vec<(u32, u32)>,
    /// The start of each AND gate's operands; one more entry than gates.
    starts: Vec<u32>,
    operands: Vec<Signal>,
    /// The AND gates, numbered from zero, by their operands.
    table: HashTable<u32>,
    /// The number of steps taken in [`Net::and`] that are not paid for yet.
    steps: u64,
    /// The number of bytes of gates that are paid for.
    paid: usize,
}

/// The number of comparisons that absorption may take for each operand of a new gate, on average.
const ABSORPTIONS: usize = 256;

/// The number of operands that are moved in the time of one comparison.
const MOVED: usize = 16;

impl Net {
    /// Creates a net with inputs and no gates. `does` lists the role and move of each `does` input,
    /// sorted.
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

    /// Creates a net with the same inputs and mutex groups, without gates or outputs.
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

    /// Returns false: the constant is always present.
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

    /// Pays for the gates that were made since the last call: their bytes, a step for each operand
    /// given, and a step for each comparison of operands. Returns `None` if the meter runs out.
    pub fn pay(&mut self, meter: &mut Meter) -> Option<()> {
        meter.note(self.operations());
        meter.spend(std::mem::take(&mut self.steps))?;
        let (bytes, paid) = (self.bytes(), self.paid);
        self.paid = bytes;
        meter.take(bytes.saturating_sub(paid))
    }

    /// The bytes of the gates, for a hash table that is two thirds full.
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

    /// The sizes of the game, which determine the layout of its rows.
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

    /// The input signal of a fluent, an index into [`Vocabulary::fluents`].
    #[must_use]
    pub fn fluent(&self, fluent: usize) -> Signal {
        Signal::new(1 + fluent as u32, false)
    }

    /// The input signal of the move at a position of [`Net::does`].
    #[must_use]
    pub fn does_at(&self, position: usize) -> Signal {
        Signal::new((1 + self.initial.len() + position) as u32, false)
    }

    /// The `does` input of a role's move; [`Signal::FALSE`] if the move is never legal.
    #[must_use]
    pub fn does_input(&self, role: u32, action: u32) -> Signal {
        self.does.binary_search(&(role, action)).map_or(Signal::FALSE, |position| self.does_at(position))
    }

    /// Returns the legality of each move, by position of [`Net::does`]. O(moves x log moves).
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

    /// Returns the conjunction of `operands`: an existing gate or a new one. Removes duplicates,
    /// constants, contradictions, and operands that another one implies or refutes (one-level
    /// absorption). Nested conjunctions are not flattened.
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

    /// Returns the AND gate with exactly these operands, or `None`.
    fn find(&self, operands: &[Signal]) -> Option<u32> {
        let inputs = self.inputs();
        let same = |&and: &u32| self.operands(inputs + and as usize) == operands;
        self.table.find(hash(operands), same).map(|&and| inputs as u32 + and)
    }

    /// Returns the disjunction of `operands`, as the complement of an AND gate.
    pub fn or(&mut self, operands: Vec<Signal>) -> Signal {
        !self.and(operands.into_iter().map(|s| !s).collect())
    }

    /// Applies one-level absorption to operands, which are sorted and without constants and stay
    /// so. With `a` an operand: `a & !(a & b)` is `a & !b`, `a & !(!a & b)` is `a`, `a & (a & b)`
    /// is `(a & b)` and `a & (!a & b)` is false. Returns false for a contradiction.
    ///
    /// Takes its steps from `work` and stops when none remain, so absorption of wide gates is
    /// incomplete. Without that bound it also terminates: each change removes an operand or
    /// replaces one by a part of itself.
    fn absorb(&self, operands: &mut Vec<Signal>, work: &mut usize) -> bool {
        // Inputs are sorted before gates and have no operands.
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
                    // The code below inserted this operand.
                    continue;
                }
                let inner = self.operands(gate);
                let Some(left) = work.checked_sub(inner.len().min(operands.len())) else { return true };
                *work = left;
                let meeting = meet(inner, operands, &among);
                if meeting == Meeting::Apart {
                    continue;
                }
                // Changing the list moves its operands.
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
                    // The inner conjunction is false, so its complement is redundant.
                    i -= 1;
                    operands.remove(i);
                    continue;
                }
                let rest: Vec<Signal> =
                    inner.iter().copied().filter(|s| operands.binary_search(s).is_err()).collect();
                let shorter = match rest[..] {
                    [] => return false,
                    [single] => single,
                    // A smaller gate is used only if it exists already, since a new one has a cost.
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

    /// Iterates over the signals that a signal implies: itself and, if it is a conjunction, its
    /// operands.
    pub fn conjuncts(&self, signal: Signal) -> impl Iterator<Item = Signal> + '_ {
        let operands = match self.gate(signal.gate()) {
            Gate::And(operands) if !signal.is_negated() => operands,
            _ => &[],
        };
        std::iter::once(signal).chain(operands.iter().copied())
    }

    /// Returns true if `signal` equals `other`, or is a conjunction with the operand `other`. O(log
    /// operands).
    #[must_use]
    pub fn implies(&self, signal: Signal, other: Signal) -> bool {
        signal == other
            || matches!(self.gate(signal.gate()), Gate::And(operands)
                if !signal.is_negated() && operands.binary_search(&other).is_ok())
    }

    /// Computes the length of the longest path from an input to an output, in AND gates.
    /// O(literals).
    #[must_use]
    pub fn depth(&self) -> usize {
        let mut depths = vec![0usize; self.len()];
        for gate in self.inputs()..self.len() {
            let deepest = self.operands(gate).iter().map(|s| depths[s.gate() as usize]).max();
            depths[gate] = deepest.unwrap_or(0) + 1;
        }
        self.outputs.iter().map(|s| depths[s.gate() as usize]).max().unwrap_or(0)
    }

    /// Returns the cone of influence of `signals`: for each gate, true if a signal depends on it.
    /// O(literals).
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

    /// Iterates over the roles' percepts; all are empty if the rules do not define percepts.
    pub fn percepts(&self) -> impl Iterator<Item = &[(u32, Signal)]> {
        let sees = self.outputs.sees.as_deref();
        (0..self.vocabulary.roles.len()).map(move |role| sees.map_or(&[][..], |lists| &lists[role][..]))
    }

    /// The number of possible goal values, summed over the roles.
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

/// The relation of an inner gate's operands to the list of operands that contains the gate.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meeting {
    /// The list has no operand of the gate and no complement of one.
    Apart,
    /// The list has an operand of the gate, and no complement of one.
    Shared,
    /// The list has the complement of an operand.
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

/// A Bloom filter of gates. Most operands of inner gates are not in the list, and the filter avoids
/// searching for them.
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
