//! Ground rules: all rule instances that can matter, grouped by head.

use crate::{Span, datalog::terms::AtomId, vocabulary::Vocabulary};

/// A ground atom or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Literal(u32);

impl Literal {
    /// Creates the literal of an atom, negated if `negated` is true.
    #[must_use]
    pub fn new(atom: AtomId, negated: bool) -> Self {
        Self(atom.0 << 1 | u32::from(negated))
    }

    /// The atom, without the negation.
    #[must_use]
    pub fn atom(self) -> AtomId {
        AtomId(self.0 >> 1)
    }

    /// True if the atom is negated.
    #[must_use]
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }
}

impl std::ops::Not for Literal {
    type Output = Self;

    fn not(self) -> Self {
        Self(self.0 ^ 1)
    }
}

/// The meaning of an atom in the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// The fluent with this number holds now.
    Fluent(u32),
    /// The role makes the move; both are given by number.
    Does(u32, u32),
    /// A condition that rules define, or that stands for a part of a rule.
    Derived,
}

/// All rule instances that can matter, and the atoms that stand for the parts of the game.
#[derive(Clone, Debug)]
pub struct GroundRules {
    /// The names of roles, fluents and moves.
    pub vocabulary: Vocabulary,
    /// The initial state: for each fluent, true if it holds.
    pub initial: Vec<bool>,
    /// The pairs of role and move that are ever possible, sorted.
    pub does: Vec<(u32, u32)>,
    /// For each fluent, its atom for `next`; `None` if it can never hold in a successor state.
    pub next: Vec<Option<AtomId>>,
    /// For each role, its moves with their atoms for `legal`, sorted.
    pub legal: Vec<Vec<(u32, AtomId)>>,
    /// For each role, its goal values with their atoms for `goal`, sorted.
    pub goal: Vec<Vec<(u8, AtomId)>>,
    /// The atom for `terminal`; `None` if it can never hold.
    pub terminal: Option<AtomId>,
    /// For each role, its percepts with their atoms for `sees`, sorted; `None` without rules for
    /// `sees`.
    pub sees: Option<Vec<Vec<(u32, AtomId)>>>,
    /// The meaning of each atom.
    pub meaning: Vec<Meaning>,
    /// For each atom, whether it can possibly hold.
    pub possible: Vec<bool>,
    /// For each atom, the index in `bodies` of its first instance. One more entry marks the end of
    /// the last atom's instances.
    pub(super) heads: Vec<u32>,
    /// For each instance, the index in `literals` of its first literal. One more entry marks the
    /// end of the last instance.
    pub(super) bodies: Vec<u32>,
    pub(super) literals: Vec<Literal>,
    /// The rule of each instance, an index into [`Rules::rules`](crate::Rules::rules).
    pub(super) origins: Vec<u32>,
    /// The place of each rule in the text.
    pub(super) places: Vec<Span>,
    /// For each rule, whether it never fires although the game depends on its relation.
    pub(super) silent: Vec<bool>,
    /// For each atom, whether its relation is auxiliary: made by grounding for a part of a rule.
    pub(super) auxiliary: Vec<bool>,
    /// The cost of grounding that produced these rules.
    pub cost: Cost,
    /// Derived atoms in dependency order, in groups. A group of several atoms, or of one that
    /// depends on itself, is a cycle without negation.
    pub order: Vec<Vec<AtomId>>,
}

/// The cost of grounding, in the units of [`Limits`](crate::Limits).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Steps, in the unit of `fuel`.
    pub steps: u64,
    /// Bytes, in the unit of `max_bytes`.
    pub bytes: usize,
}

impl GroundRules {
    /// The number of rule instances.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bodies.len() - 1
    }

    /// True if there are no instances.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bodies of the instances whose head is `atom`: conjunctions of literals.
    pub fn bodies(&self, atom: AtomId) -> impl Iterator<Item = &[Literal]> {
        self.instances(atom).map(|(_, body)| body)
    }

    /// The place of the rule of the first instance with head `atom`; `None` if there is no
    /// instance.
    #[must_use]
    pub fn place(&self, atom: AtomId) -> Option<Span> {
        self.instances(atom).next().map(|(rule, _)| self.places[rule])
    }

    /// The instances whose head is `atom`: the rule each comes from and its body.
    pub(super) fn instances(&self, atom: AtomId) -> impl Iterator<Item = (usize, &[Literal])> {
        let (start, end) = (self.heads[atom.index()] as usize, self.heads[atom.index() + 1] as usize);
        (start..end).map(|i| {
            let body = &self.literals[self.bodies[i] as usize..self.bodies[i + 1] as usize];
            (self.origins[i] as usize, body)
        })
    }
}
