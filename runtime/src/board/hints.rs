//! Comments of a rulesheet that say how its board is meant to look.
//!
//! GDL has no word for how a game looks, and most boards show in the names alone. What they do not show a comment of its own
//! line may say:
//!
//! - `; board: hex`: cells are hexagons, and each row stands half a cell further to the right than the one above it;
//! - `; board: hex left`: the same, further to the left;
//! - `; board: square`: cells are squares, also where something else was found;
//! - `; board: rows first`: the first coordinate is the row, from top to bottom, and the second the column, as in tables;
//! - `; board: top down`, `; board: bottom up`: rows run that way;
//! - `; board: parts of 3`: after each third column and row there is a gap, as between the quarters of Pentago;
//! - `; board: 3 columns`: cells of one coordinate, `(cell 1)` to `(cell 9)`, stand in rows of three, the first at the top left.

use super::Board;

/// The form of the cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tiling {
    /// Squares.
    #[default]
    Square,
    /// Hexagons; each row is half a cell further to the right than the one above it.
    Hex,
    /// Hexagons; each row is half a cell further to the left than the one above it.
    HexLeft,
}

impl Board {
    /// The board as comments of its rulesheet want it. Comments that fit no board change nothing.
    ///
    /// ```
    /// use gdl_runtime::{board::{Board, Tiling}, vocabulary::Texts};
    ///
    /// let fluents = Texts::new(["(cell 1 x)", "(cell 2 x)", "(cell 3 x)", "(cell 4 x)"]);
    /// let board = Board::new(&fluents, []).expect("there is a board");
    /// let board = board.hinted("; A tiny game.\n; board: 2 columns\n(role x)");
    /// assert_eq!((board.columns().len(), board.rows().len()), (2, 2));
    /// assert_eq!(board.hinted("; board: hex").tiling(), Tiling::Hex);
    /// ```
    #[must_use]
    pub fn hinted(mut self, rulesheet: &str) -> Self {
        for line in rulesheet.lines() {
            let Some(comment) = line.trim_start().strip_prefix(';') else { continue };
            let comment = comment.trim_start_matches(';').trim().to_ascii_lowercase();
            let Some(hint) = comment.strip_prefix("board:") else { continue };
            match hint.split_whitespace().collect::<Vec<_>>()[..] {
                ["hex"] => self.tiling = Tiling::Hex,
                ["hex", "left"] => self.tiling = Tiling::HexLeft,
                ["square"] => self.tiling = Tiling::Square,
                ["rows", "first"] if !self.is_transposed => self.transpose(),
                ["top", "down"] if !self.runs_down => self.flip(),
                ["bottom", "up"] if self.runs_down => self.flip(),
                ["parts", "of", side] => self.part(side.parse().unwrap_or(0)),
                [count, "columns"] => self.fold(count.parse().unwrap_or(0)),
                _ => {}
            }
        }
        self
    }

    /// The board with cells of this form.
    ///
    /// ```
    /// use gdl_runtime::{board::{Board, Tiling}, vocabulary::Texts};
    ///
    /// let fluents = Texts::new(["(cell 1 x)", "(cell 2 x)", "(cell 3 x)", "(cell 4 x)"]);
    /// let board = Board::new(&fluents, []).expect("there is a board").tiled(Tiling::Hex);
    /// assert_eq!(board.tiling(), Tiling::Hex);
    /// // A comment of the rulesheet says more.
    /// assert_eq!(board.hinted("; board: square").tiling(), Tiling::Square);
    /// ```
    #[must_use]
    pub fn tiled(mut self, tiling: Tiling) -> Self {
        self.tiling = tiling;
        self
    }

    /// The form of the cells: squares, unless the rulesheet said otherwise.
    #[must_use]
    pub fn tiling(&self) -> Tiling {
        self.tiling
    }

    /// Makes columns rows, the first one on top.
    fn transpose(&mut self) {
        let rows = self.rows.len();
        // Rows that ran down are columns that run left otherwise.
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

    /// Turns the rows round.
    fn flip(&mut self) {
        let (rows, columns) = (self.rows.len(), self.columns.len());
        self.turn(|row, column| (rows - 1 - row) * columns + column);
        self.rows.reverse();
        self.breaks[1] = mirrored(&self.breaks[1], rows);
        self.runs_down = !self.runs_down;
    }

    /// Gives each cell of a grid the place that its row and column say.
    fn turn(&mut self, place: impl Fn(usize, usize) -> usize) {
        let (columns, size) = (self.columns.len(), self.rows.len() * self.columns.len());
        let turned = |cell: usize| {
            let inside = cell % size;
            cell - inside + place(inside / columns, inside % columns)
        };
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

    /// Leaves a gap after each so many columns and rows.
    fn part(&mut self, side: usize) {
        let gaps = |lines: usize| (1..lines).filter(|line| line % side == 0).map(|line| line - 1).collect();
        if side > 0 {
            self.breaks = [gaps(self.columns.len()), gaps(self.rows.len())];
        }
    }

    /// Puts the cells of a single row in rows of so many.
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

/// Gaps after some of so many lines, once these run the other way.
fn mirrored(breaks: &[usize], lines: usize) -> Vec<usize> {
    let mut mirrored: Vec<usize> =
        breaks.iter().filter_map(|&line| (lines - 1).checked_sub(line + 1)).collect();
    mirrored.sort_unstable();
    mirrored
}
