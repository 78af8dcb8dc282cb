//! The steps of a puzzle from a block of states: the goals of terminal states, and the successors
//! of others.

use crate::search::{payoff::Payoff, state_batch::StateBatch};
use gdl_runtime::{Game, bits, engine::legal_words, game::Id};

/// The states evaluated last, and their steps.
pub(super) struct Steps<'g, G: Game> {
    game: &'g G,
    batch: StateBatch<'g, G>,
    payoff: Payoff,
    views: Vec<u64>,
    parents: Vec<u64>,
    moves: Vec<G::Move>,
    /// The end of each state's steps.
    ends: Vec<usize>,
    successors: Vec<u64>,
}

impl<'g, G: Game> Steps<'g, G> {
    /// Creates an evaluator without states.
    pub(super) fn new(game: &'g G) -> Self {
        Self {
            game,
            batch: StateBatch::new(game),
            payoff: Payoff::new(game),
            views: Vec::new(),
            parents: Vec::new(),
            moves: Vec::new(),
            ends: Vec::new(),
            successors: Vec::new(),
        }
    }

    /// Returns the number of words of a state.
    pub(super) fn words(&self) -> usize {
        self.game.shape().state_words()
    }

    /// Returns the number of steps between two checks of the clock; smaller for large games.
    pub(super) fn most(&self) -> usize {
        const MOST: usize = 512;
        const GATES: usize = 1 << 13;
        let gates = self.game.table().map_or(GATES << 5, |table| table.gates().0 + table.gates().1);
        (MOST * GATES / gates.max(GATES)).max(8)
    }

    /// Evaluates states with consecutive words, until they have at least `most` steps together. At
    /// least one state is evaluated. Returns the number of evaluated states.
    pub(super) fn look(&mut self, rows: &[u64], most: usize) -> usize {
        let shape = self.game.shape();
        let (words, width) = (shape.state_words(), shape.view_words());
        let count = rows.len() / words;
        self.batch.observe(count, rows, &mut self.views);
        self.parents.clear();
        self.moves.clear();
        self.ends.clear();
        for (row, view) in rows.chunks(words).zip(self.views.chunks(width)) {
            if !self.ends.is_empty() && self.moves.len() >= most {
                break;
            }
            if !bits::test(view, shape.terminal_bit()) {
                for action in bits::ones(legal_words(view, shape, 0)) {
                    self.moves.push(G::Move::from_index(action));
                    self.parents.extend(row);
                }
            }
            self.ends.push(self.moves.len());
        }
        self.batch.advance(&self.parents, &self.moves, &mut self.successors);
        self.ends.len()
    }

    /// Returns the successors of states, each by the move at the same index.
    pub(super) fn follow(&mut self, rows: &[u64], moves: &[G::Move]) -> &[u64] {
        self.batch.advance(rows, moves, &mut self.parents);
        &self.parents
    }

    /// Returns the goal of a state of the block, if it is terminal.
    pub(super) fn goal(&self, place: usize) -> Option<u8> {
        let shape = self.game.shape();
        let view = &self.views[place * shape.view_words()..][..shape.view_words()];
        bits::test(view, shape.terminal_bit()).then(|| self.payoff.goal(view, 0))
    }

    /// Returns the moves of a state of the block, and the words of their successors.
    pub(super) fn of(&self, place: usize) -> (&[G::Move], &[u64]) {
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        let (end, words) = (self.ends[place], self.game.shape().state_words());
        (&self.moves[start..end], &self.successors[start * words..end * words])
    }
}
