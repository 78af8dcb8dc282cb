//! The table engine: a [`Table`] is a game's net, decoded from the bytes that the compiler writes
//! and ready to be interpreted.
//!
//! [`gdl_format::table`] reads the bytes. A table that it accepts is sound: names are sorted, every
//! operand comes before its gate, every list has its length. So running the table needs no further
//! checks, whatever the input bytes were. Decoding takes O(bytes) steps, and memory within a small
//! multiple of that. Views and rows of percepts are an exception; they have at most
//! [`MAX_VIEW_WORDS`].
//!
//! Observing a state takes O(gates + words of a view), advancing it O(gates + fluents + roles).
//! Each thread keeps two bytes for each node of the largest circuit. Residual circuits for common
//! inputs are made during play, within a [`ByteBudget`] of 32 MiB.

mod cases;
mod memo;
mod patches;
mod places;
mod residual;
#[cfg(feature = "load")]
mod weights;
#[allow(clippy::inline_always, reason = "as for lanes")]
mod wide;

use crate::{
    circuit::Circuit,
    game::id::Id,
    lanes::{Lanes, Straight, program::Programs},
    simd::Isa,
    vocabulary::{Texts, Vocabulary},
};
use cases::{Cases, Wanted};
use gdl_format::{shape::Shape, table as format};
use patches::{Patches, Rules};
pub(crate) use places::Places;
use residual::ByteBudget;
use std::{
    any::Any,
    sync::{Arc, OnceLock},
};
#[cfg(feature = "load")]
pub(crate) use weights::Weights;

pub use format::TableError;

/// The maximum number of roles whose moves are kept on the stack.
const FEW_ROLES: usize = 8;

/// A game, ready to be interpreted.
#[derive(Clone, Debug)]
pub struct Table {
    vocabulary: Vocabulary,
    shape: Shape,
    initial: Box<[u64]>,
    observe: Circuit,
    /// For each output of `observe`, its bit in the view, ascending.
    view_bits: Box<[u32]>,
    advance: Circuit,
    /// The node of each role's first `does` input.
    does: Box<[u32]>,
    places: Places,
    /// The residual circuits of `observe` in common cases: for the whole view, and for the view
    /// without the goals.
    observations: Cases,
    observations_without_goals: Cases,
    /// The residual circuits of `advance` for known moves.
    patches: Patches,
    /// The byte budget of `observations`, `observations_without_goals` and `patches` together.
    room: ByteBudget,
    sees: Option<Sees>,
    /// The lanes that play many games at once, and true if playouts use them by default.
    lanes: Option<Box<Lanes>>,
    prefers_lanes: bool,
    derived: Derived,
}

/// Storage for data that a search derives from the game.
type Derived = OnceLock<Option<Arc<dyn Any + Send + Sync>>>;

/// The circuit of percepts and the layout of its outputs.
#[derive(Clone, Debug)]
struct Sees {
    perceive: Circuit,
    /// For each output of `perceive`, its bit in the row of percepts, ascending.
    bits: Box<[u32]>,
}

impl Table {
    /// Reads a table. O(length of `bytes`).
    ///
    /// # Errors
    /// Returns the first fault of the bytes, which may be arbitrary.
    pub fn decode(bytes: &[u8]) -> Result<Self, TableError> {
        let image = format::Table::decode(bytes)?;
        let shape = image.shape();
        let mut initial = vec![0; shape.state_words()];
        image.initial.iter().for_each(|&fluent| crate::bits::set(&mut initial, fluent as usize));
        let mut view_bits = spread(&image.role_moves, shape.legal_words());
        view_bits.extend((shape.goal_bit()..=shape.terminal_bit()).map(|bit| bit as u32));
        let mut does = Vec::with_capacity(shape.roles);
        let mut node = 1 + shape.fluents;
        for list in &image.role_moves {
            does.push(node as u32);
            node += list.len();
        }
        let places = Places::new(&image.role_moves, shape.legal_words());
        let patches = Patches::new(image.role_moves.iter().map(Vec::len));
        let [roles, fluents, moves] = [image.roles, image.fluents, image.moves].map(Texts::new);
        let mut vocabulary = Vocabulary::new(roles, fluents, moves, image.role_moves, image.role_goals);
        if let Some(role) = image.chance {
            vocabulary = vocabulary.with_chance(role);
        }
        let mut sees = None;
        if let Some(format::Sees { percepts, role_percepts, perceive }) = image.sees {
            let bits = spread(&role_percepts, shape.percept_words()).into();
            vocabulary = vocabulary.with_percepts(Texts::new(percepts), role_percepts);
            sees = Some(Sees { perceive: perceive.into(), bits });
        }
        let lanes = image.lanes.map(|lanes| Box::new(Lanes::new(lanes, shape, &initial, image.chance)));
        Ok(Self {
            vocabulary,
            shape,
            initial: initial.into(),
            observe: image.observe.into(),
            view_bits: view_bits.into(),
            advance: image.advance.into(),
            does: does.into(),
            places,
            observations: Cases::default(),
            observations_without_goals: Cases::default(),
            patches,
            room: ByteBudget::default(),
            sees,
            lanes,
            prefers_lanes: true,
            derived: Derived::new(),
        })
    }

    /// The names and goal values of the game.
    #[must_use]
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// The sizes of the game.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The words of the state at the start.
    #[must_use]
    pub fn initial(&self) -> &[u64] {
        &self.initial
    }

    /// Storage for data that a search derives from the game once, such as a table of decisive play.
    /// Later clones share the data.
    #[must_use]
    pub fn derived(&self) -> &OnceLock<Option<Arc<dyn Any + Send + Sync>>> {
        &self.derived
    }

    /// The number of gates of [`Table::observe`] and of [`Table::advance`].
    #[must_use]
    pub fn gates(&self) -> (usize, usize) {
        (self.observe.size(), self.advance.size())
    }

    /// The circuits of [`Table::observe`] and [`Table::advance`], with inputs and outputs in the
    /// order of [`gdl_format::table`].
    #[must_use]
    pub fn circuits(&self) -> [&Circuit; 2] {
        [&self.observe, &self.advance]
    }

    /// The circuit of percepts. It has the inputs of the circuit that advances; its outputs are the
    /// percepts of each role in turn. Returns `None` if each role perceives the joint move.
    #[must_use]
    pub fn perception(&self) -> Option<&Circuit> {
        self.sees.as_ref().map(|sees| &sees.perceive)
    }

    /// Adds straight-line code for the lanes, if given.
    pub(crate) fn with_straight(mut self, code: Option<Straight>) -> Self {
        if let (Some(lanes), Some(code)) = (&mut self.lanes, code) {
            lanes.set_straight(code);
        }
        self
    }

    /// The lanes, which play many games at once. Returns `None` if the game is too large, or its
    /// initial state is terminal.
    #[must_use]
    pub fn lanes(&self) -> Option<&Lanes> {
        self.lanes.as_deref()
    }

    /// Like [`Table::lanes`], but also returns `None` if playouts do not use lanes by default.
    #[must_use]
    pub fn preferred_lanes(&self) -> Option<&Lanes> {
        self.lanes().filter(|_| self.prefers_lanes)
    }

    /// Sets whether playouts go through lanes by default.
    #[cfg(feature = "load")]
    pub fn prefer_lanes(&mut self, prefers: bool) {
        self.prefers_lanes = prefers;
    }

    /// The programs of the lanes, for other devices.
    #[must_use]
    pub fn programs(&self) -> Option<Programs<'_>> {
        self.lanes().map(Programs::new)
    }

    /// Returns true if playouts in lanes run straight-line code, rather than the table, with this
    /// instruction set.
    #[must_use]
    pub fn has_straight_lanes(&self, isa: Isa) -> bool {
        self.lanes().is_some_and(|lanes| lanes.is_straight(isa))
    }

    /// Writes the view of `state` into `view`. O(gates + words of the view). It does not allocate
    /// once the thread has stepped a game of this size.
    ///
    /// Missing words of `state` have unspecified values.
    ///
    /// # Panics
    /// Panics if `view` is shorter than [`Shape::view_words`].
    pub fn observe(&self, state: &[u64], view: &mut [u64]) {
        view.fill(0);
        if !self.observations.apply(self.wanted((0, 0)), &self.room, state, view) {
            let circuit = &self.observe;
            circuit.with_scratch(|scratch| {
                circuit.load(scratch, state, self.shape.fluents);
                write_bits(view, &self.view_bits, circuit.outputs(), circuit.run(scratch));
            });
        }
    }

    /// Like [`Table::observe`], but goal bits may be clear unless the state is terminal.
    ///
    /// # Panics
    /// Panics if `view` is shorter than [`Shape::view_words`].
    pub fn observe_without_goals(&self, state: &[u64], view: &mut [u64]) {
        view.fill(0);
        let (goals, terminal) = (self.shape.goal_bit(), self.shape.terminal_bit());
        let wanted = self.wanted((goals as u32, terminal as u32));
        let is_written = self.observations_without_goals.apply(wanted, &self.room, state, view);
        if !is_written || crate::bits::test(view, terminal) {
            self.observe(state, view);
        }
    }

    /// The view of a state, except for a range of bits.
    fn wanted(&self, except: (u32, u32)) -> Wanted<'_> {
        Wanted { observe: &self.observe, bits: &self.view_bits, fluents: self.shape.fluents, except }
    }

    /// Replaces `state` by its successor when each role makes its move of `joint`. Moves that a
    /// role can never make count as missing. If a move is not legal or missing, the successor is
    /// some state. O(gates + fluents). For up to eight roles it does not allocate once the thread
    /// has stepped a game of this size.
    ///
    /// Missing words of `state` have unspecified values and are not written.
    pub fn advance<M: Id>(&self, state: &mut [u64], joint: &[M]) {
        self.step(state, self.places(&mut [(0, 0); FEW_ROLES], &mut Vec::new(), joint));
    }

    /// Writes the percepts of each role after the joint move `joint` in `state`. Overwrites all of
    /// `percepts`. O(gates + words of the row). For up to eight roles it does not allocate once the
    /// thread has stepped a game of this size.
    ///
    /// Missing words of `state` have unspecified values.
    ///
    /// # Panics
    /// Panics if `percepts` is shorter than [`Shape::percept_words`] for each role.
    pub fn perceive<M: Id>(&self, state: &[u64], joint: &[M], percepts: &mut [u64]) {
        self.sense(state, self.places(&mut [(0, 0); FEW_ROLES], &mut Vec::new(), joint), percepts);
    }

    /// The roles that make a possible move, each with the place of the move among the role's moves.
    /// The result is in `few`, or in `many` if there are more than eight roles.
    #[inline]
    fn places<'p, M: Id>(
        &self,
        few: &'p mut [(usize, usize); FEW_ROLES],
        many: &'p mut Vec<(usize, usize)>,
        joint: &[M],
    ) -> &'p [(usize, usize)] {
        let places = if joint.len() > FEW_ROLES {
            many.resize(joint.len(), (0, 0));
            &mut many[..]
        } else {
            few
        };
        let mut count = 0;
        for (role, action) in joint.iter().enumerate() {
            if let Some(place) = self.places.find(role, action.index()) {
                places[count] = (role, place);
                count += 1;
            }
        }
        &places[..count]
    }

    /// Like [`Table::advance`], with moves given by role and place; compiled once for all games.
    fn step(&self, state: &mut [u64], moves: &[(usize, usize)]) {
        let circuit = &self.advance;
        circuit.with_scratch(|scratch| {
            if self.patches.apply(self.rules(), &self.room, scratch, state, moves) {
                return;
            }
            self.rules().load(circuit, scratch, state, moves);
            let signals = circuit.run(scratch);
            for (word, outputs) in state.iter_mut().zip(circuit.outputs().chunks(64)) {
                *word = outputs
                    .iter()
                    .enumerate()
                    .fold(0, |bits, (i, &signal)| bits | u64::from(signals[signal as usize]) << i);
            }
        });
    }

    /// Like [`Table::perceive`], with moves given by role and place.
    fn sense(&self, state: &[u64], moves: &[(usize, usize)], percepts: &mut [u64]) {
        let Some(Sees { perceive, bits }) = &self.sees else {
            percepts.fill(0);
            return;
        };
        perceive.with_scratch(|scratch| {
            self.rules().load(perceive, scratch, state, moves);
            write_bits(percepts, bits, perceive.outputs(), perceive.run(scratch));
        });
    }

    /// An estimator of the time of steps in states of play, once residual circuits are made.
    #[cfg(feature = "load")]
    pub(crate) fn weights(&self) -> Weights<'_> {
        let (goals, terminal) = (self.shape.goal_bit(), self.shape.terminal_bit());
        Weights::new(self, self.wanted((goals as u32, terminal as u32)))
    }

    fn rules(&self) -> Rules<'_> {
        Rules {
            fluents: self.shape.fluents,
            observe: &self.observe,
            advance: &self.advance,
            does: &self.does,
        }
    }
}

/// For each role in turn, the bits at the positions of its list, in a row with `words` words for
/// each role. The positions must be ascending.
fn spread(lists: &[Vec<u32>], words: usize) -> Vec<u32> {
    let bases = (0..lists.len()).map(|role| (role * words * 64) as u32);
    bases.zip(lists).flat_map(|(base, list)| list.iter().map(move |position| base + position)).collect()
}

/// Writes all words of a row: each signal at its bit. The bits must be ascending.
#[inline]
fn write_bits(row: &mut [u64], places: &[u32], outputs: &[u32], signals: &[u8]) {
    row.fill(0);
    // Bits are collected in a register, since writes of neighbouring bits to memory would wait for
    // each other.
    let (mut word, mut bits) = (0, 0);
    for (&bit, &signal) in places.iter().zip(outputs) {
        if bit / 64 != word {
            row[word as usize] = bits;
            (word, bits) = (bit / 64, 0);
        }
        bits |= u64::from(signals[signal as usize]) << (bit % 64);
    }
    if !places.is_empty() {
        row[word as usize] = bits;
    }
}
