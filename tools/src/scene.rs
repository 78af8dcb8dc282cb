//! The scene of a state, as the page draws it: the contents of the board, and the other fluents.
//!
//! The names of the other fluents take at most `MOST_TOLD` bytes; the scene has the number of the
//! fluents that are left out. The number of cells bounds the board.

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

/// The limit on the bytes of one kind of item.
const MOST_TOLD: usize = 1 << 19;

/// The number of bytes that may still be used.
#[derive(Debug)]
pub struct Room(usize);

impl Default for Room {
    fn default() -> Self {
        Self(MOST_TOLD)
    }
}

impl Room {
    /// Returns whether texts of `bytes` bytes and their punctuation fit, and subtracts them. After
    /// the first text that does not fit, no other text fits.
    pub fn takes(&mut self, bytes: usize) -> bool {
        let left = self.0.checked_sub(bytes + 64);
        // A shorter text must not take the place of one that did not fit.
        self.0 = left.unwrap_or(0);
        left.is_some()
    }
}

/// The unchanging parts of a game's scenes.
#[derive(Clone, Debug)]
pub struct Stage {
    /// The board, if the game has one.
    pub board: Option<Board>,
    /// The kinds of moves on the board.
    pub motion: Motion,
    /// The clues next to the board.
    pub clues: Option<Clues>,
}

/// The scene of a state.
#[derive(Debug)]
pub struct Scene {
    /// The board, if there is one.
    pub board: Option<BoardView>,
    /// The other fluents that hold.
    pub fluents: Vec<GroupView>,
    /// The number of fluents that are left out.
    pub left_out: usize,
}

/// The fluents of one relation.
#[derive(Debug, Serialize)]
pub struct GroupView {
    /// The name of the relation.
    pub relation: String,
    /// The arguments of each fluent as text; empty if the relation has none.
    pub values: Vec<String>,
}

impl Stage {
    /// Creates the stage of a game. `text` is its rulesheet.
    #[must_use]
    pub fn of(game: &Dynamic, text: &str) -> Self {
        let board = board_of(game, text);
        let motion = board.as_ref().map(|board| Motion::of(board, game)).unwrap_or_default();
        let clues = board.as_ref().and_then(|board| clues_of(board, text));
        Self { board, motion, clues }
    }

    /// Returns the scene of a state.
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

    /// Returns the cells that moves affect: those that they name and, for moves of a whole column,
    /// the cells in it that changed. `changed` returns the cells before and after the step.
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
