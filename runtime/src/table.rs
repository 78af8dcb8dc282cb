//! A game's net as the compiler stores it: in comes a string of bytes, out goes a checked [`Table`].
//!
//! The format is documented with its writer, `gdl_compiler::emit::table`. A table that was decoded
//! is sound: names are sorted, every operand comes before its gate, every list has its length. So
//! running it needs no further tests, whatever the bytes are. Decoding takes O(bytes) steps, and
//! memory within a small multiple of that, but for views and rows of percepts, which have at most [`MAX_VIEW_WORDS`].
//!
//! To observe a state takes O(gates + words of a view) steps, to advance one O(gates + fluents + roles); each thread keeps two
//! bytes for each node of the largest circuit. What is left of circuits once much is known is made while games are played,
//! within a [`Room`] of 32 MiB.

mod cases;
mod patches;
mod places;
mod residual;
#[allow(clippy::inline_always, reason = "as for lanes")]
mod wide;

use crate::{
    circuit::Circuit,
    game::{Id, Shape},
    lanes::{Lanes, Straight},
    reader::Reader,
    simd::Isa,
    vocabulary::{Texts, Vocabulary},
};
use cases::{Cases, Wanted};
use patches::{Patches, Rules};
use places::Places;
use residual::Room;
use std::fmt;

/// The version of the format that is understood.
const VERSION: u8 = 7;

/// The most words a view or a row of percepts may have: 32 MiB, far above any game that could be played.
pub(crate) const MAX_VIEW_WORDS: usize = 1 << 22;

/// The moves of so many roles need no memory of their own.
const FEW_ROLES: usize = 8;

/// Why bytes are not a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableError {
    /// They do not start like one.
    Magic,
    /// They are written in another version of the format.
    Version {
        /// The version found.
        found: u8,
    },
    /// Something is wrong inside.
    Malformed {
        /// Where, in bytes.
        offset: usize,
        /// What, for example "a signal out of order".
        what: &'static str,
    },
    /// The views or rows of percepts would have more words than the limit.
    TooLarge {
        /// Their words.
        words: usize,
    },
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Magic => f.write_str("this is not a game table"),
            Self::Version { found } => {
                write!(f, "the game table has version {found}, version {VERSION} is understood")
            }
            Self::Malformed { offset, what } => {
                write!(f, "the game table is damaged at byte {offset}: {what}")
            }
            Self::TooLarge { words } => {
                write!(
                    f,
                    "what is seen of a state or step takes {words} words, the limit is {MAX_VIEW_WORDS}"
                )
            }
        }
    }
}

impl std::error::Error for TableError {}

/// A game, ready to be interpreted.
#[derive(Clone, Debug)]
pub struct Table {
    vocabulary: Vocabulary,
    shape: Shape,
    initial: Box<[u64]>,
    observe: Circuit,
    /// For each output of `observe` its bit of the view, ascending.
    view_bits: Box<[u32]>,
    advance: Circuit,
    /// The node of each role's first `does` input.
    does: Box<[u32]>,
    places: Places,
    /// What is left of `observe` in common cases, all of it and without the goals.
    observations: Cases,
    glances: Cases,
    /// What is left of `advance` once moves are known.
    patches: Patches,
    /// What all of that may take.
    room: Room,
    sees: Option<Sees>,
    /// What plays many games at once.
    lanes: Option<Box<Lanes>>,
}

/// What the roles perceive of a step.
#[derive(Clone, Debug)]
struct Sees {
    perceive: Circuit,
    /// For each output of `perceive` its bit of the row of percepts, ascending.
    bits: Box<[u32]>,
}

impl Table {
    /// Reads a table. O(length of `bytes`).
    ///
    /// # Errors
    /// What is wrong with the bytes; any bytes at all may be given.
    pub fn decode(bytes: &[u8]) -> Result<Self, TableError> {
        let mut reader = Reader::new(bytes);
        if reader.take(4)? != b"GDLT" {
            return Err(TableError::Magic);
        }
        let found = reader.byte()?;
        if found != VERSION {
            return Err(TableError::Version { found });
        }
        let roles = reader.texts()?;
        let fluents = reader.texts()?;
        let moves = reader.texts()?;
        if roles.is_empty() {
            return Err(reader.fault("no roles"));
        }
        if !distinct(&roles) {
            return Err(reader.fault("a role twice"));
        }
        if !fluents.is_sorted() || !moves.is_sorted() {
            return Err(reader.fault("names out of order"));
        }
        let role_moves =
            roles.iter().map(|_| reader.ascending(moves.len())).collect::<Result<Vec<_>, _>>()?;
        let role_goals = roles.iter().map(|_| reader.goals()).collect::<Result<Vec<_>, _>>()?;
        let chance = (reader.number()? as usize).checked_sub(1);
        if chance.is_some_and(|role| role >= roles.len()) {
            return Err(reader.fault("chance is no role"));
        }
        let mut shape = Shape {
            roles: roles.len(),
            fluents: fluents.len(),
            moves: moves.len(),
            goals: role_goals.iter().map(Vec::len).sum(),
            percepts: 0,
        };

        let words = shape.roles.saturating_mul(shape.legal_words()).saturating_add(shape.goals / 64 + 1);
        if words > MAX_VIEW_WORDS {
            return Err(TableError::TooLarge { words });
        }
        let mut initial = vec![0; shape.state_words()];
        for fluent in reader.ascending(shape.fluents)? {
            crate::bits::set(&mut initial, fluent as usize);
        }
        let mut view_bits = spread(&role_moves, shape.legal_words());
        view_bits.extend((shape.goal_bit()..=shape.terminal_bit()).map(|bit| bit as u32));
        let mut does = Vec::with_capacity(shape.roles);
        let mut node = 1 + shape.fluents;
        for list in &role_moves {
            does.push(node as u32);
            node += list.len();
        }
        let observe = reader.circuit(1 + shape.fluents, view_bits.len())?;
        let advance = reader.circuit(node, shape.fluents)?;
        let places = Places::new(&role_moves, shape.legal_words());
        let patches = Patches::new(role_moves.iter().map(Vec::len));
        let mut vocabulary = Vocabulary::new(roles, fluents, moves, role_moves, role_goals);
        if let Some(role) = chance {
            vocabulary = vocabulary.with_chance(role);
        }
        let sees = match reader.byte()? {
            0 => None,
            1 => {
                let (percepts, role_percepts) = reader.percepts(shape.roles)?;
                shape.percepts = percepts.len();
                let words = shape.roles.saturating_mul(shape.percept_words());
                if words > MAX_VIEW_WORDS {
                    return Err(TableError::TooLarge { words });
                }
                let bits = spread(&role_percepts, shape.percept_words());
                vocabulary = vocabulary.with_percepts(percepts, role_percepts);
                Some(Sees { perceive: reader.circuit(node, bits.len())?, bits: bits.into() })
            }
            _ => return Err(reader.fault("neither percepts nor none")),
        };
        let lanes = Lanes::decode(&mut reader, shape, &initial, chance)?.map(Box::new);
        let table = Self {
            vocabulary,
            shape,
            initial: initial.into(),
            observe,
            view_bits: view_bits.into(),
            advance,
            does: does.into(),
            places,
            observations: Cases::default(),
            glances: Cases::default(),
            patches,
            room: Room::default(),
            sees,
            lanes,
        };
        if !reader.is_at_end() {
            return Err(reader.fault("something behind the end"));
        }
        Ok(table)
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

    /// The number of gates that [`Table::observe`] and [`Table::advance`] run.
    #[must_use]
    pub fn gates(&self) -> (usize, usize) {
        (self.observe.len(), self.advance.len())
    }

    /// The circuit that advances a state.
    pub(crate) fn advance_circuit(&self) -> &Circuit {
        &self.advance
    }

    /// The table whose lanes run this code, if there is any.
    pub(crate) fn with_straight(mut self, code: Option<Straight>) -> Self {
        if let Some(lanes) = &mut self.lanes {
            lanes.straight = code;
        }
        self
    }

    /// What plays many games at once; none if the game is too large or over before it starts.
    pub(crate) fn lanes(&self) -> Option<&Lanes> {
        self.lanes.as_deref()
    }

    /// True if playouts in lanes run straight-line code with this instruction set, and not the table.
    #[must_use]
    pub fn has_straight_lanes(&self, isa: Isa) -> bool {
        self.lanes().is_some_and(|lanes| lanes.is_straight(isa))
    }

    /// Writes what is seen of `state` into `view`. O(gates + words of the view), no allocation once
    /// the thread has stepped a game of this size.
    ///
    /// Missing words of `state` read as some state.
    ///
    /// # Panics
    /// If `view` is shorter than [`Shape::view_words`].
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

    /// [`Table::observe`], but the goals may be missing unless the state is terminal.
    ///
    /// # Panics
    /// If `view` is shorter than [`Shape::view_words`].
    pub fn glance(&self, state: &[u64], view: &mut [u64]) {
        view.fill(0);
        let (goals, terminal) = (self.shape.goal_bit(), self.shape.terminal_bit());
        let wanted = self.wanted((goals as u32, terminal as u32));
        let glanced = self.glances.apply(wanted, &self.room, state, view);
        if !glanced || crate::bits::test(view, terminal) {
            self.observe(state, view);
        }
    }

    /// What is seen of a state, except some bits of the view.
    fn wanted(&self, except: (u32, u32)) -> Wanted<'_> {
        Wanted { observe: &self.observe, bits: &self.view_bits, fluents: self.shape.fluents, except }
    }

    /// Replaces `state` by the one that follows when each role makes its move of `joint`. Moves that
    /// a role can never make count as none at all; where one is not legal, or missing, some state follows. O(gates +
    /// fluents), no allocation for up to eight roles once the thread has stepped a game of this size.
    ///
    /// Missing words of `state` read as some state and are not written.
    pub fn advance<M: Id>(&self, state: &mut [u64], joint: &[M]) {
        self.step(state, self.places(&mut [(0, 0); FEW_ROLES], &mut Vec::new(), joint));
    }

    /// Writes what each role perceives when each makes its move of `joint` in `state` into a row of percepts,
    /// all of it. O(gates + words of the row), no allocation for up to eight roles once the thread has stepped a game of
    /// this size.
    ///
    /// Missing words of `state` read as some state.
    ///
    /// # Panics
    /// If `percepts` is shorter than [`Shape::percept_words`] for each role.
    pub fn perceive<M: Id>(&self, state: &[u64], joint: &[M], percepts: &mut [u64]) {
        self.sense(state, self.places(&mut [(0, 0); FEW_ROLES], &mut Vec::new(), joint), percepts);
    }

    /// The roles that make a move that they may ever make, and its place among those; in `few` or, if there are more roles,
    /// in `many`.
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

    /// [`Table::advance`] by moves that are given by role and place; compiled once for all games.
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

    /// [`Table::perceive`] of such moves.
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

    fn rules(&self) -> Rules<'_> {
        Rules {
            fluents: self.shape.fluents,
            observe: &self.observe,
            advance: &self.advance,
            does: &self.does,
        }
    }
}

/// The bits of a row with some words for each role, of ascending positions of each role.
fn spread(lists: &[Vec<u32>], words: usize) -> Vec<u32> {
    let bases = (0..lists.len()).map(|role| (role * words * 64) as u32);
    bases.zip(lists).flat_map(|(base, list)| list.iter().map(move |position| base + position)).collect()
}

/// Writes all words of a row: each signal at its bit, the bits ascending.
#[inline]
fn write_bits(row: &mut [u64], places: &[u32], outputs: &[u32], signals: &[u8]) {
    row.fill(0);
    // Collected in a register: neighbouring bits would wait for each other in memory.
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

/// True if no text stands there twice.
fn distinct(texts: &Texts) -> bool {
    let mut list: Vec<&str> = texts.iter().collect();
    list.sort_unstable();
    list.is_sorted_by(|a, b| a < b)
}
