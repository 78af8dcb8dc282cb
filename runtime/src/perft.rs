//! Perft: exact counts of the move sequences of a game, length by length.
//!
//! A sequence of length d is d joint moves, each legal in its state, and none made in a terminal
//! state. So a role without a legal move ends a sequence as a terminal state does. The counts of a
//! game are the same for every correct engine, which makes them a good test.
//!
//! The last moves of a sequence are counted but not made. Sequences that lead to equal states have
//! equal continuations. So [`Perft`] goes level by level and keeps each state once, with its number
//! of paths. The cost follows the number of distinct states rather than the number of sequences,
//! which soon has 17 digits.
//!
//! A level that would exceed [`Perft::memory`] is not merged. From the level before it, sequences
//! are searched depth first (`depth_first`). That takes one step for each sequence, and memory for
//! one state of each level.
//!
//! In lanes (`descent`) a step is much cheaper than finding equal states. So the last levels are
//! always searched depth first there, in batches of 512 states.

mod depth_first;
mod descent;

use crate::{
    bits,
    cancel::Cancel,
    game::{Game, GameExt, legal_words},
    joints::Joints,
    playouts::PlayoutMode,
    simd::Isa,
};
use depth_first::DepthFirst;
use descent::Descent;
use rustc_hash::FxHashMap;
use std::cell::OnceCell;

/// The number of levels that lanes search depth first after the last merged one. The moves of the
/// last of them are counted; the moves of the others are made.
const UNMERGED: usize = 3;

/// The default of [`Perft::memory`], in bytes.
const MERGED: usize = 1 << 27;

/// The numbers of joint-move sequences of length 1, 2, .. `depth` from the initial state.
///
/// O(distinct states before the last move * their joint moves) steps, as long as these states fit
/// the [memory](Perft::memory), 128 MiB. Beyond that it takes one step for each sequence. Games
/// that [`Playouts`](crate::Playouts) plays in lanes are counted in lanes. That takes more steps,
/// but each is much faster. Counts saturate at `u128::MAX`.
///
/// ```text
/// tic-tac-toe: 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872, 0, ..
/// ```
#[must_use]
pub fn perft<G: Game>(game: &G, depth: usize) -> Vec<u128> {
    Perft::new(game).take(depth).collect()
}

/// The joint moves of the initial state, in order, each with the number of sequences of length
/// `depth` that start with it. Empty if `depth` is 0. The counts sum to the last number of
/// [`perft`].
#[must_use]
pub fn divide<G: Game>(game: &G, depth: usize) -> Vec<(Vec<G::Move>, u128)> {
    Perft::new(game).divide(depth)
}

/// The distinct successors of a level's states, in the order of discovery, each with the number of
/// sequences that lead to it. Returns `None` if there are more than `most`.
///
/// The order depends only on the rules and the level. [`Perft::from_level`] can start at any part
/// of a level.
#[must_use]
pub fn next_level<G: Game>(
    game: &G,
    level: &[(G::State, u128)],
    most: usize,
) -> Option<Vec<(G::State, u128)>> {
    let mut next = Merged::<G>::default();
    let is_done = successors(game, level, |successor, ways| {
        next.add(successor, ways);
        next.level.len() <= most
    });
    is_done.then_some(next.level)
}

/// An iterator over the numbers of joint-move sequences of length 1, 2, .. without end, each
/// computed on demand.
///
/// ```
/// use gdl_runtime::{gdl, perft::Perft, playouts::PlayoutMode};
///
/// gdl!(name = lamps, rules = r"
///     (role a) (role b) (switch on) (switch off) (<= (legal ?r ?s) (role ?r) (switch ?s))
///     (init (time 1)) (succ 1 2) (succ 2 3) (<= (next (time ?n)) (true (time ?m)) (succ ?m ?n))
///     (<= (next (lamp ?r)) (does ?r on))
///     (<= terminal (true (time 3)))
///     (<= (goal ?r 100) (true (lamp ?r))) (<= (goal ?r 0) (role ?r) (not (true (lamp ?r))))
/// ");
///
/// fn main() {
///     let game = lamps::game();
///     assert_eq!(Perft::new(&game).take(3).collect::<Vec<u128>>(), [4, 16, 0]);
///     assert_eq!(Perft::new(&game).engine(PlayoutMode::Single).nth(1), Some(16));
/// }
/// ```
#[derive(Debug)]
pub struct Perft<'g, G: Game> {
    game: &'g G,
    engine: Option<PlayoutMode>,
    isa: Option<Isa>,
    /// The limit on the number of distinct states of a merged level.
    most: usize,
    /// The counter in lanes, created on first use; `None` if the game cannot be counted in lanes.
    descent: OnceCell<Option<Box<Descent<'g>>>>,
    /// The distinct states, in the order of discovery, each with the number of sequences that lead
    /// to it.
    level: Vec<(G::State, u128)>,
    /// The length of the sequences that lead to `level`.
    made: usize,
    /// True if the next level is too large to be merged.
    is_wide: bool,
    /// The length of the sequences counted last.
    length: usize,
    /// The number of states whose moves were counted last.
    states: u64,
    cancel: Cancel,
}

impl<'g, G: Game> Perft<'g, G> {
    /// Creates a counter from the initial state.
    #[must_use]
    pub fn new(game: &'g G) -> Self {
        Self::from(game, game.initial())
    }

    /// Creates a counter from a state.
    #[must_use]
    pub fn from(game: &'g G, state: G::State) -> Self {
        Self::from_level(game, vec![(state, 1)])
    }

    /// Creates a counter from states with weights, all after the same number of joint moves. A
    /// count is the sum of the counts from each state times its weight.
    ///
    /// ```
    /// use gdl_runtime::{Game, gdl, perft::{Perft, next_level}};
    ///
    /// gdl!(name = lamps, rules = r"
    ///     (role a) (role b) (switch on) (switch off) (<= (legal ?r ?s) (role ?r) (switch ?s))
    ///     (init (time 1)) (succ 1 2) (succ 2 3) (<= (next (time ?n)) (true (time ?m)) (succ ?m ?n))
    ///     (<= (next (lamp ?r)) (does ?r on))
    ///     (<= terminal (true (time 3)))
    ///     (<= (goal ?r 100) (true (lamp ?r))) (<= (goal ?r 0) (role ?r) (not (true (lamp ?r))))
    /// ");
    ///
    /// fn main() {
    ///     let game = lamps::game();
    ///     let start = [(game.initial(), 1)];
    ///     let mut first = next_level(&game, &start, 100).unwrap();
    ///     let rest = first.split_off(1);
    ///     let parts = [first, rest].map(|part| Perft::from_level(&game, part).next().unwrap());
    ///     assert_eq!(parts, [4, 12]);
    ///     assert!(next_level(&game, &start, 3).is_none());
    /// }
    /// ```
    #[must_use]
    pub fn from_level(game: &'g G, level: Vec<(G::State, u128)>) -> Self {
        Self {
            game,
            engine: None,
            isa: None,
            most: most_states(game, MERGED),
            descent: OnceCell::new(),
            level,
            made: 0,
            is_wide: false,
            length: 0,
            states: 0,
            cancel: Cancel::default(),
        }
    }

    /// Ends the counting soon after another thread cancels. Call this before anything is counted.
    /// After cancellation the iterator returns `None`, and the numbers of [`Perft::divide`] are
    /// meaningless.
    ///
    /// ```
    /// use gdl_runtime::{Cancel, gdl, perft::Perft};
    ///
    /// gdl!(name = lamps, rules = r"
    ///     (role a) (role b) (switch on) (switch off) (<= (legal ?r ?s) (role ?r) (switch ?s))
    ///     (init (time 1)) (succ 1 2) (succ 2 3) (<= (next (time ?n)) (true (time ?m)) (succ ?m ?n))
    ///     (<= (next (lamp ?r)) (does ?r on))
    ///     (<= terminal (true (time 3)))
    ///     (<= (goal ?r 100) (true (lamp ?r))) (<= (goal ?r 0) (role ?r) (not (true (lamp ?r))))
    /// ");
    ///
    /// fn main() {
    ///     let (game, cancel) = (lamps::game(), Cancel::default());
    ///     let mut perft = Perft::new(&game).cancelled_by(&cancel);
    ///     assert_eq!(perft.next(), Some(4));
    ///     cancel.cancel();
    ///     assert_eq!(perft.next(), None);
    /// }
    /// ```
    #[must_use]
    pub fn cancelled_by(mut self, cancel: &Cancel) -> Self {
        self.cancel = cancel.clone();
        self
    }

    /// Selects the engine, before anything is counted. The default is lanes from the table, which
    /// [`PlayoutMode::Lanes`] and [`PlayoutMode::TableLanes`] both select. A game that does not
    /// support them is counted by [`PlayoutMode::Single`], whatever is requested: see
    /// [`Expansion::new`](crate::lanes::Expansion::new). [`Perft::runs`] returns the engine used.
    /// Counts do not depend on the engine.
    #[must_use]
    pub fn engine(mut self, engine: PlayoutMode) -> Self {
        self.engine = Some(engine);
        self
    }

    /// Sets the instruction set of lanes, as [`Playouts::isa`](crate::Playouts::isa) does.
    #[must_use]
    pub fn isa(mut self, isa: Isa) -> Self {
        self.isa = Some(isa);
        self
    }

    /// Sets the approximate limit on the bytes of merged states; the default is 128 MiB. It affects
    /// the time but not the counts.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.most = most_states(self.game, bytes);
        self
    }

    /// Returns the engine that counts.
    pub fn runs(&mut self) -> PlayoutMode {
        if self.descent().is_some() { PlayoutMode::Lanes } else { PlayoutMode::Single }
    }

    /// The number of states whose joint moves were counted last. Distinct states are counted once,
    /// except that lanes and levels that are not merged may count equal states several times.
    #[must_use]
    pub fn states(&self) -> u64 {
        self.states
    }

    /// Like [`divide`], from the state at which this counter started.
    ///
    /// # Panics
    /// Panics if the counter started from several states. May panic if sequences longer than one
    /// move were counted before.
    #[must_use]
    pub fn divide(mut self, depth: usize) -> Vec<(Vec<G::Move>, u128)> {
        assert!(self.made == 0 && self.level.len() <= 1, "it counts from the one state that it was made for");
        self.descent();
        let (Some(rest), Some((state, _))) = (depth.checked_sub(1), self.level.pop()) else {
            return Vec::new();
        };
        let game = self.game;
        let mut list = Vec::new();
        let mut joints = Joints::new(game);
        joints.start(game, &game.view(&state));
        while let Some(joint) = joints.next() {
            self.level = vec![(game.apply_unchecked(&state, joint), 1)];
            (self.made, self.is_wide) = (0, false);
            let count = if rest == 0 { 1 } else { self.of_length(rest) };
            list.push((joint.to_vec(), count));
        }
        list
    }

    /// The counter in lanes, unless single states are selected or lanes are impossible.
    fn descent(&mut self) -> Option<&mut Descent<'g>> {
        let Self { game, engine, isa, level, descent, cancel, .. } = self;
        descent.get_or_init(|| {
            if *engine == Some(PlayoutMode::Single) {
                return None;
            }
            let isa = isa.filter(|isa| isa.is_available()).unwrap_or_else(Isa::best);
            let (state, _) = level.first()?;
            Descent::new(game.table()?, isa, state.as_ref(), cancel).map(Box::new)
        });
        descent.get_mut()?.as_deref_mut()
    }

    /// The number of sequences of this length, which must be greater than `made`.
    fn of_length(&mut self, length: usize) -> u128 {
        let unmerged = if self.descent().is_some() { UNMERGED } else { 1 };
        while self.made + unmerged < length && !self.is_wide {
            self.step();
        }
        let rest = length - self.made;
        let Self { level, descent, cancel, .. } = self;
        if let Some(descent) = descent.get_mut().and_then(Option::as_deref_mut) {
            let count = descent.count(level, rest);
            self.states = descent.states();
            count
        } else {
            let mut depth_first = DepthFirst::new(self.game, cancel);
            let counts =
                level.iter().map(|(state, ways)| ways.saturating_mul(depth_first.count(state, rest)));
            let count = counts.fold(0, u128::saturating_add);
            self.states = depth_first.states();
            count
        }
    }

    /// Replaces the level by the next one, or sets `is_wide` if that is too large.
    fn step(&mut self) {
        let (game, most, cancel) = (self.game, self.most, &self.cancel);
        let mut next = Merged::<G>::default();
        let is_done = if let Some(descent) = self.descent.get_mut().and_then(Option::as_deref_mut) {
            let mut successor = game.new_state();
            descent.successors(&self.level, |batch, lane, ways| {
                batch.state(lane, successor.as_mut());
                next.add(&successor, ways);
                next.level.len() < most && !cancel.is_cancelled()
            })
        } else {
            successors(game, &self.level, |successor, ways| {
                next.add(successor, ways);
                next.level.len() < most && !cancel.is_cancelled()
            })
        };
        if is_done {
            self.level = next.level;
            self.made += 1;
        }
        self.is_wide = !is_done;
    }
}

/// The number of distinct states of a level that fit into `bytes` bytes.
fn most_states<G: Game>(game: &G, bytes: usize) -> usize {
    // Each state is kept twice, and its words may be on the heap. Half of the capacity may be
    // unused.
    let size = size_of::<G::State>() + 8 * game.shape().state_words() + size_of::<u128>();
    bytes / (4 * size)
}

/// Calls `see` with each successor of some states and the number of paths to its parent, until
/// `see` returns false. Returns true if it never did.
fn successors<G: Game>(
    game: &G,
    level: &[(G::State, u128)],
    mut see: impl FnMut(&G::State, u128) -> bool,
) -> bool {
    let mut view = game.new_view();
    let mut joints = Joints::new(game);
    for (state, ways) in level {
        game.observe_without_goals(state, &mut view);
        joints.start(game, &view);
        while let Some(joint) = joints.next() {
            if !see(&game.apply_unchecked(state, joint), *ways) {
                return false;
            }
        }
    }
    true
}

/// Distinct states, each with the number of paths to it.
struct Merged<G: Game> {
    level: Vec<(G::State, u128)>,
    places: FxHashMap<G::State, usize>,
}

impl<G: Game> Default for Merged<G> {
    fn default() -> Self {
        Self { level: Vec::new(), places: FxHashMap::default() }
    }
}

impl<G: Game> Merged<G> {
    fn add(&mut self, state: &G::State, ways: u128) {
        if let Some(&place) = self.places.get(state) {
            let known = &mut self.level[place].1;
            *known = known.saturating_add(ways);
        } else {
            self.places.insert(state.clone(), self.level.len());
            self.level.push((state.clone(), ways));
        }
    }
}

impl<G: Game> Iterator for Perft<'_, G> {
    type Item = u128;

    /// Returns `None` only after [cancellation](Perft::cancelled_by). When all sequences have
    /// ended, counts are 0.
    fn next(&mut self) -> Option<u128> {
        self.length += 1;
        let count = self.of_length(self.length);
        (!self.cancel.is_cancelled()).then_some(count)
    }
}

/// The number of joint moves of an observed state; 0 in a terminal state.
fn joint_moves<G: Game>(game: &G, view: &G::View) -> u128 {
    if game.is_terminal_in(view) {
        return 0;
    }
    let shape = game.shape();
    let counts = (0..shape.roles).map(|role| bits::count(legal_words(view.as_ref(), shape, role)) as u128);
    counts.fold(1, u128::saturating_mul)
}
