//! Batched work on states of a game: [`Expansion`] computes the successors of up to 512 states in a
//! pass and writes them to a [`Batch`]. [`Leaves`] plays random games from up to eight states at
//! once. Both use the game's own types.

use super::{RowBatch, RowExpansion, RowLeaves};
use crate::{
    game::Game,
    simd::{Isa, LANES},
    stats::Tally,
};
use std::{fmt, marker::PhantomData};

/// Batched successor generation, 512 (state, joint move) pairs a pass, one in each lane, from one
/// state or several.
///
/// A pass takes microseconds, a little longer than one step of a single state, for any number of
/// lanes in use:
///
/// 1. [`Expansion::start`] begins a pass.
/// 2. [`Expansion::push`] adds a pair of a state and a joint move, or [`Expansion::push_all`] all
///    joint moves of a state.
/// 3. [`Expansion::advance`] writes the successors to a [`Batch`], in the order of the pairs.
///
/// A pass is for one phase of the turn cycle, if there is one. [`Expansion::phase`] returns the
/// phase of a state; its successors are at the next one.
///
/// Memory is 64 bytes for each signal of the net and 4 KiB for each word of a state, for any number
/// of passes.
///
/// ```
/// use gdl_runtime::{Game, GameExt, gdl, lanes::{Batch, Expansion, Isa}};
///
/// gdl!(name = walk, rules = r"
///     (role robot) (init (at 0)) (succ 0 1) (succ 1 2)
///     (<= (legal robot go) (true (at ?x)) (succ ?x ?y)) (legal robot wait)
///     (<= (next (at ?y)) (does robot go) (true (at ?x)) (succ ?x ?y))
///     (<= (next (at ?x)) (does robot wait) (true (at ?x)))
///     (<= terminal (true (at 2))) (goal robot 100)
/// ");
///
/// fn main() {
///     let game = walk::game();
///     let mut expansion = Expansion::new(&game, Isa::best()).unwrap();
///     let mut successors = Batch::new(&game);
///
///     // All successors of the initial state.
///     let start = game.initial();
///     expansion.start(expansion.phase(&start).unwrap());
///     expansion.push_all(&start, &game.view(&start), 0);
///     expansion.advance(&mut successors);
///     assert_eq!(successors.len(), 2);
///     let (mut state, mut view) = (game.new_state(), game.new_view());
///     successors.state(0, &mut state);
///     successors.view(0, &mut view);
///     assert_eq!(game.state_text(&state), "((at 1))");
///     assert_eq!(game.legal_moves_in(&view, walk::Role::Robot).len(), 2);
///
///     // A successor of that one.
///     expansion.start(expansion.phase(&state).unwrap());
///     expansion.push(&state, &[walk::Move::GO]);
///     expansion.advance(&mut successors);
///     assert!(successors.is_terminal(0));
/// }
/// ```
pub struct Expansion<'g, G: Game> {
    rows: RowExpansion<'g>,
    game: PhantomData<&'g G>,
}

impl<G: Game> fmt::Debug for Expansion<'_, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rows.fmt(f)
    }
}

impl<'g, G: Game> Expansion<'g, G> {
    /// The number of lanes.
    pub const LANES: usize = LANES;

    /// Creates an empty expansion. If the machine lacks the instruction set, [`Isa::Portable`] is
    /// used. O(gates).
    ///
    /// Returns `None` if
    /// - the game cannot be played in lanes (see [`Playouts::engine`](crate::Playouts::engine)),
    /// - no fluents identify the phases of its cycle,
    /// - states may have 2^54 joint moves or more, or
    /// - a state and a view have more than 8,192 words.
    #[must_use]
    pub fn new(game: &'g G, isa: Isa) -> Option<Self> {
        Some(Self { rows: RowExpansion::new(game.table()?, isa)?, game: PhantomData })
    }

    /// The instruction set of the passes.
    #[must_use]
    pub fn isa(&self) -> Isa {
        self.rows.isa()
    }

    /// The number of phases of the turn cycle; 1 if there is none. Phase 0 is the initial state's.
    #[must_use]
    pub fn phases(&self) -> usize {
        self.rows.phases()
    }

    /// The phase of a state. Returns `None` if the state is at no phase; play from the initial
    /// state never reaches such a state. O(words of a state).
    #[must_use]
    #[inline]
    pub fn phase(&self, state: &G::State) -> Option<usize> {
        self.rows.phase(state.as_ref())
    }

    /// Removes all pairs. The next states must be at this phase of the cycle, modulo
    /// [`Expansion::phases`].
    pub fn start(&mut self, phase: usize) {
        self.rows.start(phase);
    }

    /// The number of pairs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns true if there are no pairs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns true if there is no room for another pair.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.rows.is_full()
    }

    /// Adds a state and the move of each role, in role order. O(words of the state + roles).
    ///
    /// Nothing is checked, as for [`Game::advance`]. If a move is not legal, or the state is
    /// terminal or at another phase, the successor is some state.
    ///
    /// # Panics
    /// Panics if there is no room, or a word of the state is missing.
    #[inline]
    pub fn push(&mut self, state: &G::State, joint: &[G::Move]) {
        self.rows.push(state.as_ref(), joint);
    }

    /// Adds a state without moves, for [`Expansion::observe`] and [`Expansion::count`].
    ///
    /// # Panics
    /// As [`Expansion::push`].
    #[inline]
    pub fn push_state(&mut self, state: &G::State) {
        self.rows.push_state(state.as_ref());
    }

    /// Adds a state with each of its joint moves after the first `skip`, as far as there is room;
    /// the last role's move changes fastest. `view` is the view of the state. A terminal state has
    /// no joint moves. Returns the number of joint moves for which there was no room. O(words of
    /// the state and the view + pairs).
    ///
    /// # Panics
    /// Panics if the state or the view has too few words, as those of another game may have.
    pub fn push_all(&mut self, state: &G::State, view: &G::View, skip: u64) -> u64 {
        self.rows.push_all(state.as_ref(), view.as_ref(), skip)
    }

    /// Makes all moves, and writes the successors and their views. Takes microseconds: O(gates +
    /// words of a state and a view), for any number of pairs.
    ///
    /// # Panics
    /// Panics if the batch has another shape.
    pub fn advance(&mut self, successors: &mut Batch<G>) {
        self.rows.advance(&mut successors.rows);
    }

    /// Like [`Expansion::advance`], but goal bits may stay clear in states that are not terminal,
    /// as with [`Game::observe_without_goals`]. This saves much work if goals count pieces.
    ///
    /// # Panics
    /// Panics if the batch has another shape.
    pub fn advance_without_goals(&mut self, successors: &mut Batch<G>) {
        self.rows.advance_without_goals(&mut successors.rows);
    }

    /// Writes the added states and their views; joint moves do not matter. As costly as
    /// [`Expansion::advance`].
    ///
    /// # Panics
    /// Panics if the batch has another shape.
    pub fn observe(&mut self, states: &mut Batch<G>) {
        self.rows.observe(&mut states.rows);
    }

    /// Counts the joint moves of each added state.
    pub fn count(&mut self, counts: &mut [u64; LANES]) {
        self.rows.count(counts);
    }

    /// Makes all moves and counts the joint moves of each successor, without writing the
    /// successors.
    pub fn count_after(&mut self, counts: &mut [u64; LANES]) {
        self.rows.count_after(counts);
    }
}

/// Up to 512 states and their views, one in each lane, as [`Expansion`] writes them.
///
/// Memory is 4 KiB for each word of a state and a view, at most 32 MiB for a game that has an
/// [`Expansion`].
pub struct Batch<G: Game> {
    rows: RowBatch,
    game: PhantomData<fn(G)>,
}

impl<G: Game> Clone for Batch<G> {
    fn clone(&self) -> Self {
        Self { rows: self.rows.clone(), game: PhantomData }
    }
}

impl<G: Game> fmt::Debug for Batch<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch").field("len", &self.len()).finish_non_exhaustive()
    }
}

impl<G: Game> Batch<G> {
    /// Creates an empty batch.
    #[must_use]
    pub fn new(game: &G) -> Self {
        Self { rows: RowBatch::new(game.shape()), game: PhantomData }
    }

    /// The number of states; valid lanes are below it.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns true if there are no states.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Writes the state of a lane.
    ///
    /// # Panics
    /// Panics if there is no such lane.
    #[inline]
    pub fn state(&self, lane: usize, state: &mut G::State) {
        self.rows.state(lane, state.as_mut());
    }

    /// Writes the view of a lane's state as [`Game::observe`] does, except that terminal states
    /// have no legal moves here, whatever the rules are.
    ///
    /// Goal values of chance are written only where chance has exactly one.
    ///
    /// # Panics
    /// Panics if there is no such lane.
    #[inline]
    pub fn view(&self, lane: usize, view: &mut G::View) {
        self.rows.view(lane, view.as_mut());
    }

    /// Returns true if the state of a lane is terminal.
    ///
    /// # Panics
    /// Panics if there is no such lane.
    #[inline]
    #[must_use]
    pub fn is_terminal(&self, lane: usize) -> bool {
        self.rows.is_terminal(lane)
    }
}

/// Rollouts from given states, 512 at once: 512 from one state, 256 from each of two, at least 64
/// from each of eight.
///
/// All states of a pass must be at the same phase of the turn cycle, as the successors of one state
/// are.
///
/// Equal states, seeds and blocks give equal tallies, for any instruction set, with and without
/// straight-line code. Memory is 64 bytes for each signal of the net, for any number of games.
///
/// ```
/// use gdl_runtime::{Game, GameExt, gdl, lanes::{Isa, Leaves}};
///
/// gdl!(name = walk, rules = r"
///     (role robot) (init (at 0)) (succ 0 1) (succ 1 2)
///     (<= (legal robot go) (true (at ?x)) (succ ?x ?y)) (legal robot stop)
///     (<= (next (at ?y)) (does robot go) (true (at ?x)) (succ ?x ?y))
///     (<= (next (at ?x)) (does robot stop) (true (at ?x))) (<= (next over) (does robot stop))
///     (<= terminal (true over)) (<= terminal (true (at 2)))
///     (<= (goal robot 100) (true (at 2))) (<= (goal robot 0) (not (true (at 2))))
/// ");
///
/// fn main() -> Result<(), Box<dyn std::error::Error>> {
///     let game = walk::game();
///     let mut leaves = Leaves::new(&game, Isa::best(), 100).unwrap();
///     let near = game.parse_state("((at 1))")?;
///     let far = game.initial();
///     let phase = leaves.phase(&near).unwrap();
///     let tallies = leaves.play(phase, &[&near, &far], 7, 0);
///     assert_eq!(tallies.iter().map(|tally| tally.playouts).sum::<u64>(), 512);
///     // One coin against two.
///     assert!(tallies[0].roles[0].wins > tallies[1].roles[0].wins);
///     Ok(())
/// }
/// ```
pub struct Leaves<'g, G: Game> {
    rows: RowLeaves<'g>,
    game: PhantomData<&'g G>,
}

impl<G: Game> fmt::Debug for Leaves<'_, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rows.fmt(f)
    }
}

impl<'g, G: Game> Leaves<'g, G> {
    /// The number of games of a pass.
    pub const LANES: usize = LANES;

    /// The maximum number of states of a pass.
    pub const MOST: usize = RowLeaves::MOST;

    /// Creates lanes for games of at most `max_length` moves. Longer games are abandoned and
    /// counted as too long. If the machine lacks the instruction set, [`Isa::Portable`] is used.
    ///
    /// Returns `None` if the game cannot be played in lanes (see
    /// [`Playouts::engine`](crate::Playouts::engine)), or `max_length` is 0.
    #[must_use]
    pub fn new(game: &'g G, isa: Isa, max_length: u64) -> Option<Self> {
        Some(Self { rows: RowLeaves::new(game.table()?, isa, max_length)?, game: PhantomData })
    }

    /// The phase of a state on the cycle. Returns `None` if the state is at no phase; play from the
    /// initial state never reaches such a state. O(words of a state).
    #[must_use]
    pub fn phase(&self, state: &G::State) -> Option<usize> {
        self.rows.phase(state.as_ref())
    }

    /// Plays [`Leaves::games`] games from each state, all at this phase, and returns their tallies
    /// in order. Games that start in a terminal state end at once.
    ///
    /// Tallies of states at another phase are meaningless.
    ///
    /// # Panics
    /// Panics if there are more states than [`Leaves::MOST`], or the cycle has no such phase.
    pub fn play(&mut self, phase: usize, states: &[&G::State], seed: u64, block: u64) -> Vec<Tally> {
        let rows: Vec<&[u64]> = states.iter().copied().map(AsRef::as_ref).collect();
        self.rows.play(phase, &rows, seed, block)
    }

    /// The number of games from the state at a place, if `states` states share the lanes.
    #[must_use]
    pub fn games(states: usize, place: usize) -> u64 {
        RowLeaves::games(states, place)
    }
}
