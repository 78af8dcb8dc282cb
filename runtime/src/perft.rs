//! Counting move sequences: in come a game and a depth, out go exact counts.
//!
//! A sequence of length d is d joint moves, one move of each role at a time, each legal where it is
//! made and each made in a state that is not terminal. So a role without a legal move ends a sequence
//! as a terminal state does. The counts of a game are the same for every correct engine, which makes
//! them a good test of one.
//!
//! The last moves of a sequence are counted and not made. Sequences that lead to equal states have
//! equal continuations, so [`Perft`] goes level by level and keeps each state once with the number of
//! ways that lead to it: the cost follows the number of different states, not that of sequences,
//! which soon has 17 digits.

use crate::{
    bits,
    game::{Game, legal_words},
    joints::Joints,
};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// The numbers of joint-move sequences of length 1, 2, .. `depth` from the initial state.
///
/// O(different states before the last move, times their joint moves) steps, memory for the states of
/// the widest level. Counts from 2^128 on read as `u128::MAX`.
///
/// ```text
/// tic-tac-toe: 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872, 0, ..
/// ```
#[must_use]
pub fn perft<G: Game>(game: &G, depth: usize) -> Vec<u128> {
    Perft::new(game).take(depth).collect()
}

/// The joint moves of the initial state, in order, and for each the number of sequences of length
/// `depth` that start with it; nothing if `depth` is 0. Their sum is the last number of [`perft`].
#[must_use]
pub fn divide<G: Game>(game: &G, depth: usize) -> Vec<(Vec<G::Move>, u128)> {
    let Some(rest) = depth.checked_sub(1) else { return Vec::new() };
    let initial = game.initial();
    let mut list = Vec::new();
    let mut joints = Joints::new(game);
    joints.start(game, &game.view(&initial));
    while let Some(joint) = joints.next() {
        let count = match rest.checked_sub(1) {
            Some(further) => {
                Perft::from(game, game.next_unchecked(&initial, joint)).nth(further).unwrap_or(0)
            }
            None => 1,
        };
        list.push((joint.to_vec(), count));
    }
    list
}

/// The number of joint-move sequences of length 1, 2, .. without end, each computed when asked for.
#[derive(Clone, Debug)]
pub struct Perft<'g, G: Game> {
    game: &'g G,
    /// The different states after the moves counted so far, in the order found, and how many
    /// sequences lead to each.
    level: Vec<(G::State, u128)>,
    /// Whether the level's moves are counted, and have to be made before more can be.
    counted: bool,
}

impl<'g, G: Game> Perft<'g, G> {
    /// Counts from the initial state.
    #[must_use]
    pub fn new(game: &'g G) -> Self {
        Self::from(game, game.initial())
    }

    /// Counts from a state.
    #[must_use]
    pub fn from(game: &'g G, state: G::State) -> Self {
        Self { game, level: vec![(state, 1)], counted: false }
    }

    /// How many different states the sequences counted last lead through before their last move.
    #[must_use]
    pub fn states(&self) -> usize {
        self.level.len()
    }

    /// Makes all moves of the level.
    fn step(&mut self) {
        let game = self.game;
        let mut next: Vec<(G::State, u128)> = Vec::new();
        let mut places: FxHashMap<G::State, usize> = FxHashMap::default();
        let mut view = game.blank();
        let mut joints = Joints::new(game);
        for (state, ways) in std::mem::take(&mut self.level) {
            game.observe(&state, &mut view);
            joints.start(game, &view);
            while let Some(joint) = joints.next() {
                let child = game.next_unchecked(&state, joint);
                match places.entry(child) {
                    Entry::Occupied(place) => {
                        let known = &mut next[*place.get()].1;
                        *known = known.saturating_add(ways);
                    }
                    Entry::Vacant(place) => {
                        next.push((place.key().clone(), ways));
                        place.insert(next.len() - 1);
                    }
                }
            }
        }
        self.level = next;
    }
}

impl<G: Game> Iterator for Perft<'_, G> {
    type Item = u128;

    /// Never `None`: when all sequences are over, the counts are 0.
    fn next(&mut self) -> Option<u128> {
        if self.counted {
            self.step();
        }
        self.counted = true;
        let mut view = self.game.blank();
        let counts = self.level.iter().map(|(state, ways)| {
            self.game.observe(state, &mut view);
            ways.saturating_mul(joint_moves(self.game, &view))
        });
        Some(counts.fold(0, u128::saturating_add))
    }
}

/// The number of joint moves of a state seen; 0 in a terminal state.
fn joint_moves<G: Game>(game: &G, view: &G::View) -> u128 {
    if game.terminal_in(view) {
        return 0;
    }
    let shape = game.shape();
    let counts = (0..shape.roles).map(|role| bits::count(legal_words(view.as_ref(), shape, role)) as u128);
    counts.fold(1, u128::saturating_mul)
}
