//! The board of a game as the page draws it, found by the names of the fluents, and the kinds of
//! moves on it.
//!
//! Games with more than `MOST_BOARD_FLUENTS` fluents, and boards with more than `MOST_CELLS` cells,
//! are not drawn.

use super::{clues::Clues, neighbours::tiling};
use gdl_runtime::{
    Game,
    board::{Board, Cell, Tiling},
};
use serde::Serialize;

/// A board is searched for only in games with at most this number of fluents.
const MOST_BOARD_FLUENTS: usize = 20_000;
/// The most cells of a board.
const MOST_CELLS: usize = Board::MAX_SIDE * Board::MAX_SIDE;
/// The most moves that are examined for their [`Motion`].
const MOST_BOARD_MOVES: usize = 10_000;

/// Returns the board of a game, if it has one that can be drawn. `text` is the rulesheet.
#[must_use]
pub fn board_of<G: Game>(game: &G, text: &str) -> Option<Board> {
    if game.vocabulary().fluents().len() > MOST_BOARD_FLUENTS {
        return None;
    }
    let board = Board::of(game).filter(|board| board.names().len() <= MOST_CELLS)?;
    let tiling = tiling(&board, text);
    Some(board.tiled(tiling).with_hints(text))
}

/// The kinds of moves on a board.
#[derive(Clone, Copy, Debug, Default)]
pub struct Motion {
    /// True if some moves go from cell to cell.
    pub travels: bool,
    /// True if some moves name a whole column.
    pub drops: bool,
}

impl Motion {
    /// Finds the kinds of moves of a game.
    #[must_use]
    pub fn of<G: Game>(board: &Board, game: &G) -> Self {
        let moves = game.vocabulary().moves().iter().take(MOST_BOARD_MOVES);
        let spots = moves.map(|action| board.spot(action));
        spots.fold(Self::default(), |motion, spot| Self {
            travels: motion.travels || spot.cells.len() > 1,
            drops: motion.drops || !spot.area.is_empty(),
        })
    }
}

/// A grid, or several grids of the same size.
#[derive(Clone, Debug, Serialize)]
pub struct BoardView {
    /// The relation whose fluents are the cells.
    pub relation: String,
    /// The names of the grids; a single grid has an empty name.
    pub grids: Vec<String>,
    /// The names of the columns, from the left.
    pub columns: Vec<String>,
    /// The names of the rows, from the top.
    pub rows: Vec<String>,
    /// The columns and the rows after which there is a gap.
    pub breaks: [Vec<usize>; 2],
    /// The clues of each column and of each row, if the rulesheet has all of them.
    pub clues: Option<Clues>,
    /// `square`, `hex`, `hex left` or `ring`.
    pub tiling: &'static str,
    /// The name of each cell, grid by grid, row by row.
    pub names: Vec<String>,
    /// True if some moves go from cell to cell.
    pub travels: bool,
    /// True if some moves name a whole column.
    pub drops: bool,
    /// The marks that a cell can have.
    pub marks: Vec<MarkView>,
    /// The contents of each cell, grid by grid, row by row: indices of `marks`. Null where there is
    /// no cell.
    pub cells: Vec<Option<Vec<usize>>>,
}

/// A mark that a cell can have.
#[derive(Clone, Debug, Serialize)]
pub struct MarkView {
    /// The name of the mark.
    pub text: String,
    /// One to three characters that stand for the mark.
    pub symbol: String,
    /// The family for colours: equal for marks with the same first character, which mostly belong
    /// to one player.
    pub family: usize,
    /// True if it stands for an empty cell.
    pub blank: bool,
}

impl BoardView {
    /// Returns the view of a board with these cells.
    #[must_use]
    pub fn of(board: &Board, motion: Motion, clues: Option<Clues>, cells: &[Cell]) -> Self {
        let marks = board.marks().iter().enumerate();
        let cell = |cell: &Cell| match cell {
            Cell::None => None,
            Cell::Blank => Some(Vec::new()),
            Cell::Marked(marks) => Some(marks.clone()),
        };
        Self {
            relation: board.relation().to_owned(),
            grids: board.grids().to_vec(),
            columns: board.columns().to_vec(),
            rows: board.rows().to_vec(),
            breaks: board.breaks().clone(),
            clues,
            tiling: match board.tiling() {
                Tiling::Square => "square",
                Tiling::Hex => "hex",
                Tiling::HexLeft => "hex left",
                Tiling::Ring => "ring",
            },
            names: board.names().to_vec(),
            travels: motion.travels,
            drops: motion.drops,
            marks: marks
                .map(|(place, mark)| MarkView {
                    text: mark.text.clone(),
                    symbol: mark.symbol.clone(),
                    family: mark.family,
                    blank: board.blank() == Some(place),
                })
                .collect(),
            cells: cells.iter().map(cell).collect(),
        }
    }
}
