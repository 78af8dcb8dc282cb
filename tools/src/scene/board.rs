//! The board of a game as the page draws it: found in the names of the fluents, with how moves go
//! on it and what is where.
//!
//! A board is looked for among `MOST_BOARD_FLUENTS` and drawn with `MOST_CELLS`.

use super::{clues::Clues, neighbours::tiling};
use gdl_runtime::{
    Game,
    board::{Board, Cell, Tiling},
};
use serde::Serialize;

/// The greatest number of fluents among which a board is looked for,
const MOST_BOARD_FLUENTS: usize = 20_000;
/// of cells with which it is drawn,
const MOST_CELLS: usize = Board::MAX_SIDE * Board::MAX_SIDE;
/// and of moves that are read for how they go on it.
const MOST_BOARD_MOVES: usize = 10_000;

/// The board of a game with such a rulesheet, if it shows one that can be drawn.
#[must_use]
pub fn board_of<G: Game>(game: &G, text: &str) -> Option<Board> {
    if game.vocabulary().fluents().len() > MOST_BOARD_FLUENTS {
        return None;
    }
    let board = Board::of(game).filter(|board| board.names().len() <= MOST_CELLS)?;
    let tiling = tiling(&board, text);
    Some(board.tiled(tiling).with_hints(text))
}

/// The way in which the moves of a game go on its board.
#[derive(Clone, Copy, Debug, Default)]
pub struct Motion {
    /// True if some go from cell to cell.
    pub travels: bool,
    /// True if some are of a column as a whole.
    pub drops: bool,
}

impl Motion {
    /// The motion that the moves of the game show.
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

/// A grid, or several of one size.
#[derive(Clone, Debug, Serialize)]
pub struct BoardView {
    /// The relation that is drawn.
    pub relation: String,
    /// The names of the grids; one without a name, unless there are several.
    pub grids: Vec<String>,
    /// The names of the columns, from the left.
    pub columns: Vec<String>,
    /// The names of the rows, from the top.
    pub rows: Vec<String>,
    /// The columns and the rows after which there is a gap.
    pub breaks: [Vec<usize>; 2],
    /// The clues of the rulesheet for the columns and for the rows, if it has some for each.
    pub clues: Option<Clues>,
    /// `square`, `hex`, `hex left` or `ring`.
    pub tiling: &'static str,
    /// The name of each cell.
    pub names: Vec<String>,
    /// True if some move goes from cell to cell.
    pub travels: bool,
    /// True if some move is of a column as a whole.
    pub drops: bool,
    /// The marks that can be in a cell.
    pub marks: Vec<MarkView>,
    /// The contents of each cell, grid by grid, row by row: positions of marks. Null where there is
    /// no cell.
    pub cells: Vec<Option<Vec<usize>>>,
}

/// A mark that can be in a cell.
#[derive(Clone, Debug, Serialize)]
pub struct MarkView {
    /// Its name.
    pub text: String,
    /// One to three characters for it.
    pub symbol: String,
    /// The same for marks that belong together.
    pub family: usize,
    /// True if it stands for nothing.
    pub blank: bool,
}

impl BoardView {
    /// The grid with these cells, of a game with such moves.
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
