//! Spots: the cells of a board that the text of a move names.
//!
//! A move names a cell if its arguments contain all of the cell's coordinates, in the order of the
//! fluents. `(mark 1 2)` names one cell, `(move wp e 2 e 4)` two. A move with fewer coordinates may
//! name a whole column, `(drop 3)`.

use super::{Board, axes::Layout};
use crate::kif;

/// The part of a board that a move names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spot {
    /// Cells, in the order in which the move names them, as positions in [`Board::cells`].
    pub cells: Vec<usize>,
    /// The cells of a column, if the move names a column but no cell. The cells of a row, if hints
    /// made the first coordinate the row.
    pub area: Vec<usize>,
}

impl Board {
    /// The cells that a move names; empty if it names none. O(length of the text × cells of a
    /// side).
    ///
    /// ```
    /// use gdl_runtime::{board::{Board, Spot}, vocabulary::Texts};
    ///
    /// let fluents: Vec<String> =
    ///     ["a", "b", "c"].iter().flat_map(|x| (1..4).map(move |y| format!("(cell {x} {y} pawn)"))).collect();
    /// let fluents = Texts::new(fluents.iter().map(String::as_str));
    /// let board = Board::new(&fluents, []).expect("there is a board");
    /// // Cells are counted from the top left.
    /// assert_eq!(board.spot("(move pawn a 1 b 3)").cells, [6, 1]);
    /// assert_eq!(board.spot("(drop b)"), Spot { cells: vec![], area: vec![1, 4, 7] });
    /// assert_eq!(board.spot("noop"), Spot::default());
    /// ```
    #[must_use]
    pub fn spot(&self, action: &str) -> Spot {
        let Some(items) = kif::items(action).filter(|items| items.len() > 1) else { return Spot::default() };
        let arguments = &items[1..];
        // The coordinates of a cell are adjacent arguments, as in the fluents.
        let first = self.axes.iter().map(|axis| axis.argument).min().unwrap_or(0);
        let last = self.axes.iter().map(|axis| axis.argument).max().unwrap_or(0);
        let wide = last - first + 1;
        let layout = Layout::new(&self.axes);
        let mut cells = Vec::new();
        let mut at = 0;
        while let Some(window) = arguments.get(at..at + wide) {
            let padded: Vec<&str> = std::iter::repeat_n("", first).chain(window.iter().copied()).collect();
            let cell = layout.cell(&self.axes, &padded);
            let cell = cell.map(|cell| self.turned.get(cell).copied().unwrap_or(cell));
            match cell.filter(|&cell| self.exists[cell]) {
                Some(cell) => {
                    cells.push(cell);
                    at += wide;
                }
                None => at += 1,
            }
        }
        let area = match (&cells[..], arguments, &self.axes[..]) {
            ([], [only], [_, _]) if self.is_transposed => self.row(only),
            ([], [only], [_, _]) => self.column(only),
            _ => Vec::new(),
        };
        Spot { cells, area }
    }

    /// The cells of the row that an argument names, from the left.
    fn row(&self, argument: &str) -> Vec<usize> {
        let wide = self.columns.len();
        let row = self.rows.iter().position(|name| name == argument);
        let cells = row.into_iter().flat_map(|row| row * wide..(row + 1) * wide);
        cells.filter(|&cell| self.exists[cell]).collect()
    }

    /// The cells of the column that an argument names, from the top.
    fn column(&self, argument: &str) -> Vec<usize> {
        let wide = self.columns.len();
        let column = self.columns.iter().position(|name| name == argument);
        let cells = column.into_iter().flat_map(|column| (column..self.exists.len()).step_by(wide));
        cells.filter(|&cell| self.exists[cell]).collect()
    }
}
