//! Comments of a rulesheet that describe the layout of its board.
//!
//! GDL has no syntax for layout, and most boards follow from the names alone. Otherwise a comment
//! on a line of its own may describe it:
//!
//! - `; board: hex`: cells are hexagons, and each row is shifted half a cell to the right of the
//!   one above it;
//! - `; board: hex left`: cells are hexagons, and each row is shifted half a cell to the left;
//! - `; board: ring`: cells of one coordinate stand in a circle, the first one on top and the
//!   others clockwise;
//! - `; board: square`: cells are squares, whatever form was set before;
//! - `; board: rows first`: the first coordinate is the row, from top to bottom, and the second the
//!   column, as in tables;
//! - `; board: columns first`: the first coordinate is the column, and rows run up, whatever the
//!   names of variables are. Names of coordinates, such as `r1` and `c2`, are not overridden;
//! - `; board: top down`, `; board: bottom up`: the direction of the rows;
//! - `; board: parts of 3`: there is a gap after every third column and row, as between the
//!   quarters of Pentago;
//! - `; board: 3 columns`: cells of one coordinate, `(cell 1)` to `(cell 9)`, stand in rows of
//!   three, the first at the top left.

use super::Board;

/// The form and arrangement of the cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tiling {
    /// Squares.
    #[default]
    Square,
    /// Hexagons; each row is half a cell further to the right than the one above it.
    Hex,
    /// Hexagons; each row is half a cell further to the left than the one above it.
    HexLeft,
    /// Cells of a single row in a circle.
    Ring,
}

impl Board {
    /// Applies the hints of a rulesheet: the names of its variables and its comments. An unknown
    /// hint, or one with a number that does not fit the board, has no effect.
    ///
    /// ```
    /// use gdl_runtime::{board::{Board, Tiling}, vocabulary::Texts};
    ///
    /// let fluents = Texts::new(["(cell 1 x)", "(cell 2 x)", "(cell 3 x)", "(cell 4 x)"]);
    /// let board = Board::new(&fluents, []).expect("there is a board");
    /// let board = board.with_hints("; A tiny game.\n; board: 2 columns\n(role x)");
    /// assert_eq!((board.columns().len(), board.rows().len()), (2, 2));
    /// assert_eq!(board.with_hints("; board: hex").tiling(), Tiling::Hex);
    /// ```
    #[must_use]
    pub fn with_hints(mut self, rulesheet: &str) -> Self {
        let comments = rulesheet.lines().filter_map(|line| line.trim_start().strip_prefix(';'));
        let comments = comments.map(|comment| comment.trim_start_matches(';').trim().to_ascii_lowercase());
        let hints: Vec<String> = comments
            .filter_map(|comment| comment.strip_prefix("board:").map(|hint| hint.trim().to_owned()))
            .collect();
        // A comment on the orientation overrides the names of variables.
        if !hints
            .iter()
            .any(|hint| ["rows first", "columns first", "top down", "bottom up"].contains(&hint.as_str()))
        {
            self = self.meant(rulesheet);
        }
        for hint in hints {
            match hint.split_whitespace().collect::<Vec<_>>()[..] {
                ["hex"] => self.tiling = Tiling::Hex,
                ["hex", "left"] => self.tiling = Tiling::HexLeft,
                ["ring"] => self.tiling = Tiling::Ring,
                ["square"] => self.tiling = Tiling::Square,
                ["rows", "first"] if !self.has_rows_first() => self.transpose(),
                // The names of the coordinates, such as `r1` and `c2`, have put the rows first.
                ["rows", "first"] if !self.is_transposed && !self.runs_down => self.flip(),
                ["top", "down"] if !self.runs_down => self.flip(),
                ["bottom", "up"] if self.runs_down => self.flip(),
                ["parts", "of", side] => self.part(side.parse().unwrap_or(0)),
                [count, "columns"] => self.fold(count.parse().unwrap_or(0)),
                _ => {}
            }
        }
        self
    }

    /// Sets the form of the cells.
    ///
    /// ```
    /// use gdl_runtime::{board::{Board, Tiling}, vocabulary::Texts};
    ///
    /// let fluents = Texts::new(["(cell 1 x)", "(cell 2 x)", "(cell 3 x)", "(cell 4 x)"]);
    /// let board = Board::new(&fluents, []).expect("there is a board").tiled(Tiling::Hex);
    /// assert_eq!(board.tiling(), Tiling::Hex);
    /// // A comment of the rulesheet says more.
    /// assert_eq!(board.with_hints("; board: square").tiling(), Tiling::Square);
    /// ```
    #[must_use]
    pub fn tiled(mut self, tiling: Tiling) -> Self {
        self.tiling = tiling;
        self
    }

    /// The form of the cells: squares by default.
    #[must_use]
    pub fn tiling(&self) -> Tiling {
        self.tiling
    }

    /// Exchanges columns and rows; the first row is on top.
    pub(super) fn transpose(&mut self) {
        let rows = self.rows.len();
        // Rows that run down would become columns that run left.
        if self.runs_down {
            self.flip();
        }
        self.turn(|row, column| column * rows + (rows - 1 - row));
        let down: Vec<String> = self.rows.drain(..).rev().collect();
        self.rows = std::mem::replace(&mut self.columns, down);
        let right = mirrored(&self.breaks[1], rows);
        self.breaks = [right, std::mem::take(&mut self.breaks[0])];
        (self.is_transposed, self.runs_down) = (true, true);
    }

    /// Reverses the order of the rows.
    pub(super) fn flip(&mut self) {
        let (rows, columns) = (self.rows.len(), self.columns.len());
        self.turn(|row, column| (rows - 1 - row) * columns + column);
        self.rows.reverse();
        self.breaks[1] = mirrored(&self.breaks[1], rows);
        self.runs_down = !self.runs_down;
    }

    /// Moves each cell of a grid to the place that `place` returns for its row and column.
    fn turn(&mut self, place: impl Fn(usize, usize) -> usize) {
        let (columns, size) = (self.columns.len(), self.rows.len() * self.columns.len());
        let turned = |cell: usize| {
            let inside = cell % size;
            cell - inside + place(inside / columns, inside % columns)
        };
        self.rearrange(turned);
    }

    /// Moves each cell to the place that `turned` returns.
    fn rearrange(&mut self, turned: impl Fn(usize) -> usize) {
        let cells = self.exists.len();
        let (exists, names) = (self.exists.clone(), std::mem::take(&mut self.names));
        self.names = vec![String::new(); cells];
        for (cell, name) in names.into_iter().enumerate() {
            self.exists[turned(cell)] = exists[cell];
            self.names[turned(cell)] = name;
        }
        self.places.values_mut().for_each(|(cell, _)| *cell = turned(*cell));
        let before = |cell| self.turned.get(cell).copied().unwrap_or(cell);
        self.turned = (0..cells).map(|cell| turned(before(cell))).collect();
    }

    /// Returns true if the first coordinate is the row.
    pub(super) fn has_rows_first(&self) -> bool {
        let pair = &self.axes[self.axes.len().saturating_sub(2)..];
        self.is_transposed || matches!(pair, [first, second] if first.is_row_before(second))
    }

    /// Makes the last of three coordinates distinguish the boards; the first becomes the column,
    /// the second the row.
    pub(super) fn layer_last(&mut self) {
        let (wide, high) = (self.columns.len(), self.rows.len());
        if self.is_layered || self.is_transposed || self.runs_down || self.has_rows_first() {
            return;
        }
        // Boards become columns, columns become rows, and rows, which run up, become boards.
        let (columns, boards) = (self.grids.len(), high);
        let turned = |cell: usize| {
            let (grid, row, column) = (cell / (wide * high), cell / wide % high, cell % wide);
            let (layer, row, column) = (boards - 1 - row, wide - 1 - column, grid);
            (layer * wide + row) * columns + column
        };
        self.rearrange(turned);
        let down: Vec<String> = self.columns.drain(..).rev().collect();
        let up: Vec<String> = self.rows.drain(..).rev().collect();
        self.columns = std::mem::replace(&mut self.grids, up);
        self.rows = down;
        self.breaks = [Vec::new(), Vec::new()];
        self.is_layered = true;
    }

    /// Puts a gap after every `side` columns and rows.
    fn part(&mut self, side: usize) {
        let gaps = |lines: usize| (1..lines).filter(|line| line % side == 0).map(|line| line - 1).collect();
        if side > 0 {
            self.breaks = [gaps(self.columns.len()), gaps(self.rows.len())];
        }
    }

    /// Arranges the cells of a single row in rows of `columns` cells.
    fn fold(&mut self, columns: usize) {
        if columns == 0 || columns >= self.columns.len() || self.rows.len() * self.grids.len() != 1 {
            return;
        }
        let rows = self.columns.len().div_ceil(columns);
        self.columns = vec![String::new(); columns];
        self.rows = vec![String::new(); rows];
        self.exists.resize(rows * columns, false);
        self.names.resize(rows * columns, String::new());
    }
}

/// The gaps between `lines` lines after their order is reversed.
fn mirrored(breaks: &[usize], lines: usize) -> Vec<usize> {
    let mut mirrored: Vec<usize> =
        breaks.iter().filter_map(|&line| (lines - 1).checked_sub(line + 1)).collect();
    mirrored.sort_unstable();
    mirrored
}
