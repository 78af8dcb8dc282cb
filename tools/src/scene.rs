//! The scene of a state, as the page draws it: what stands on the board, and what else holds.
//!
//! The names of what else holds take no more than `MOST_TOLD` bytes; fluents that are left out are
//! counted. A board is bounded by its cells.

mod board;
mod clues;
mod facts;
mod neighbours;

pub use board::{BoardView, MarkView, Motion, board_of};
pub use clues::Clues;

use clues::clues_of;
use gdl_runtime::{
    Dynamic, Game, GameExt,
    board::{Board, Cell, grouped},
    game::Id,
};
use serde::Serialize;

/// The greatest number of bytes of one kind of item.
const MOST_TOLD: usize = 1 << 19;

/// The bytes that still fit.
#[derive(Debug)]
pub struct Room(usize);

impl Default for Room {
    fn default() -> Self {
        Self(MOST_TOLD)
    }
}

impl Room {
    /// Returns whether texts of `bytes` bytes and their punctuation fit.
    pub fn takes(&mut self, bytes: usize) -> bool {
        let left = self.0.checked_sub(bytes + 64);
        // Nothing smaller may stand for what did not fit.
        self.0 = left.unwrap_or(0);
        left.is_some()
    }
}

/// The stage on which the states of a game are drawn.
#[derive(Clone, Debug)]
pub struct Stage {
    /// Its board, if it shows one.
    pub board: Option<Board>,
    /// The way in which moves go on it.
    pub motion: Motion,
    /// The clues next to it.
    pub clues: Option<Clues>,
}

/// The view of a state.
#[derive(Debug)]
pub struct Scene {
    /// The board, if there is one.
    pub board: Option<BoardView>,
    /// The other fluents that hold.
    pub fluents: Vec<GroupView>,
    /// The number of fluents that are left out.
    pub left_out: usize,
}

/// The fluents of a relation.
#[derive(Debug, Serialize)]
pub struct GroupView {
    /// Its name.
    pub relation: String,
    /// The arguments of each; none if it takes none.
    pub values: Vec<String>,
}

impl Stage {
    /// The stage of a game with such a rulesheet.
    #[must_use]
    pub fn of(game: &Dynamic, text: &str) -> Self {
        let board = board_of(game, text);
        let motion = board.as_ref().map(|board| Motion::of(board, game)).unwrap_or_default();
        let clues = board.as_ref().and_then(|board| clues_of(board, text));
        Self { board, motion, clues }
    }

    /// The view of a state.
    #[must_use]
    pub fn scene(&self, game: &Dynamic, state: &<Dynamic as Game>::State) -> Scene {
        let held = || game.fluents(state).map(Id::index);
        let (board, others): (Option<BoardView>, Vec<usize>) = match &self.board {
            Some(board) => (
                Some(BoardView::of(board, self.motion, self.clues.clone(), &board.cells(held()))),
                board.others(held()).collect(),
            ),
            None => (None, held().collect()),
        };
        let names = game.vocabulary().fluents();
        let mut room = Room::default();
        let held = others.len();
        let others: Vec<&str> = (others.into_iter().filter_map(|fluent| names.get(fluent)))
            .take_while(|name| room.takes(name.len()))
            .collect();
        let left_out = held - others.len();
        let groups = grouped(others);
        let groups =
            groups.into_iter().map(|(relation, values)| GroupView { relation: relation.to_owned(), values });
        Scene { board, fluents: groups.collect(), left_out }
    }

    /// The cells that moves speak of; of a column those that the step changed, which has the cells
    /// before and after it.
    pub fn touched<'m>(
        &self,
        moves: impl Iterator<Item = &'m str>,
        mut changed: impl FnMut() -> Option<(Vec<Cell>, Vec<Cell>)>,
    ) -> Vec<usize> {
        let Some(board) = &self.board else { return Vec::new() };
        let (mut touched, mut found) = (Vec::new(), None);
        for action in moves {
            let spot = board.spot(action);
            if spot.area.is_empty() {
                touched.extend(spot.cells);
            } else if let Some((before, after)) = found.get_or_insert_with(&mut changed) {
                touched.extend(spot.area.iter().filter(|&&cell| before[cell] != after[cell]));
            }
        }
        touched
    }
}
