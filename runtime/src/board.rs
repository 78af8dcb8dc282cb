//! Boards found in the names of fluents: a grid on which the states of a game can be drawn.
//!
//! GDL has no boards, but most rulesheets have a fluent such as `(cell 1 1 b)`. Two of its
//! arguments are coordinates and one is the content of the cell. [`Board::of`] finds it by the
//! names alone, and [`Board::cells`] returns the contents of the cells in a state. These are data
//! for any display; [`Board::text`] draws them with characters.
//!
//! # What counts as a board
//!
//! Coordinates are arguments that are numbers (`7`), numbers after a common word (`c1`, `c2`) or
//! consecutive letters (`a`, `b`, `c`). The board is the relation with coordinates that has the
//! best name: `cell` or `cells`, then one like `location` or `piece`, then any other. Ties are
//! decided by several coordinates, then by marks, then by the number of cells. The other arguments
//! of a relation are the mark: `x`, or `black pawn`. If the board has no other arguments, as in
//! `(lit 1 3)`, all such relations with the same coordinates are drawn together, each marked by its
//! name.
//!
//! # Orientation
//!
//! The first coordinate is the column, from left to right. The second is the row, from bottom to
//! top, as in chess and in mathematics. Instead, the first coordinate is the row if it is a number
//! and the second a letter, or if the names show it (`r1` before `c1`). [`Board::with_hints`] also
//! reads the variables of the rulesheet, `?row` and `?col`, and its comments. One name may hold
//! both coordinates: `(cell b7 red)`.
//!
//! With three coordinates the first one distinguishes several boards. With four, the first two
//! select a part of one large board, and the last two a cell in it. With one there is a single row.
//!
//! # Blank cells
//!
//! The blank mark is the one with a name such as `blank`, `empty` or `dirt`. Otherwise it is the
//! mark of more than half of the cells at the start, unless cells have one coordinate. Otherwise it
//! is `b` or `e`, if some cell starts with that mark and no mark is `w`. A cell is blank, too, if
//! none of its fluents holds.
//!
//! # Limits
//!
//! A coordinate has at most [`Board::MAX_SIDE`] values, and there are at most [`Board::MAX_MARKS`]
//! marks. At least a third of all cells have fluents, or a sixth in a cube. So a board takes time
//! and memory linear in the length of the names. If a cell has many marks, only the first four are
//! drawn.
//!
//! ```
//! use gdl_runtime::{board::Board, vocabulary::Texts};
//!
//! let fluents = Texts::new(["(cell 1 1 b)", "(cell 1 1 x)", "(cell 1 2 b)", "(cell 1 2 x)",
//!     "(cell 2 1 b)", "(cell 2 1 x)", "(cell 2 2 b)", "(cell 2 2 x)", "(control x)"]);
//! let board = Board::new(&fluents, [0, 2, 4, 6]).expect("there is a board");
//! // In column 1, row 2 there is an x now.
//! let now = [0, 3, 4, 6, 8];
//! assert_eq!(board.text(&board.cells(now)), "\
//! 2 │ x ·
//! 1 │ · ·
//!   └────
//!     1 2
//! ");
//! assert_eq!(board.others(now).collect::<Vec<_>>(), [8]);
//! ```

mod axes;
mod hints;
mod meaning;
mod spots;
mod symbols;

pub use hints::Tiling;
pub use spots::Spot;

use crate::{
    game::{Game, GameExt, Id},
    kif,
    vocabulary::Texts,
};
use axes::{Axis, Candidate, Layout, Name};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// A grid, with the cell and the mark of each fluent on it.
#[derive(Clone, Debug)]
pub struct Board {
    /// The relation that is drawn; the first one if several without marks are drawn.
    relation: String,
    grids: Vec<String>,
    columns: Vec<String>,
    rows: Vec<String>,
    /// The columns and the rows after which there is a gap, at the end of each part of a board of
    /// boards.
    breaks: [Vec<usize>; 2],
    /// The coordinates, by their arguments in the rulesheet.
    axes: Vec<Axis>,
    marks: Vec<Mark>,
    blank: Option<usize>,
    /// The cell and the mark of each fluent that is on the board.
    places: FxHashMap<usize, (usize, usize)>,
    /// True for each cell that exists: all cells of a board without marks, otherwise those that
    /// some fluent names.
    exists: Vec<bool>,
    /// The name of each cell.
    names: Vec<String>,
    tiling: Tiling,
    /// For each cell, by its place without hints, the place to which hints moved it. Empty if no
    /// hint moved cells.
    turned: Vec<usize>,
    /// True if hints made the first coordinate the row.
    is_transposed: bool,
    /// True if hints put the first row on top.
    runs_down: bool,
    /// True if hints made the last of three coordinates distinguish the boards.
    is_layered: bool,
}

/// A mark: a possible content of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The name in the rulesheet, for example `black pawn`.
    pub text: String,
    /// The symbol, different from those of all other marks of the board. It usually has one or two
    /// characters.
    pub symbol: String,
    /// The family, for colours: equal for marks with the same first character, which mostly belong
    /// to one player.
    pub family: usize,
}

/// The content of a cell in a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    /// No fluent names this cell.
    None,
    /// An empty cell.
    Blank,
    /// The positions of one mark or several in [`Board::marks`].
    Marked(Vec<usize>),
}

impl Board {
    /// The maximum number of values of a coordinate. A board of boards may have more columns and
    /// rows.
    pub const MAX_SIDE: usize = 64;

    /// The maximum number of marks of a board; a relation with more describes a quantity.
    pub const MAX_MARKS: usize = 1024;

    /// The maximum number of marks that are drawn in a cell.
    const DRAWN: usize = 4;

    /// Finds the board of a game. Returns `None` if its fluents show none.
    #[must_use]
    pub fn of<G: Game>(game: &G) -> Option<Self> {
        let initial = game.initial();
        Self::new(game.vocabulary().fluents(), game.fluents(&initial).map(Id::index))
    }

    /// Finds the board that these fluents show. `initial` has the positions of the fluents that
    /// hold at the start. Returns `None` if the fluents show no board. O(length of the names).
    #[must_use]
    pub fn new(fluents: &Texts, initial: impl IntoIterator<Item = usize>) -> Option<Self> {
        let initial: BTreeSet<usize> = initial.into_iter().collect();
        let mut relations: BTreeMap<(&str, usize), Vec<Name<'_>>> = BTreeMap::new();
        for (place, text) in fluents.iter().enumerate() {
            if let Some(items) = kif::items(text)
                && let Some((head, arguments)) = items.split_first()
                && !arguments.is_empty()
            {
                relations.entry((head, arguments.len())).or_default().push((place, arguments.to_vec()));
            }
        }
        let candidates: Vec<Candidate<'_>> =
            relations.iter().filter_map(|((head, _), names)| Candidate::new(head, names, &initial)).collect();
        let candidates: Vec<Candidate<'_>> =
            candidates.into_iter().filter(|candidate| candidate.has_few_marks(Self::MAX_MARKS)).collect();
        let best = candidates.iter().min_by_key(|candidate| candidate.rank())?;
        // Relations without marks are drawn together: each is a mark.
        let drawn = candidates.iter().filter(|other| {
            std::ptr::eq(*other, best) || (best.is_bare() && other.is_bare() && other.axes == best.axes)
        });
        Some(Self::draw(best, drawn, &initial))
    }

    fn draw<'c, 't: 'c>(
        best: &'c Candidate<'t>,
        drawn: impl Iterator<Item = &'c Candidate<'t>> + Clone,
        initial: &BTreeSet<usize>,
    ) -> Self {
        let texts: BTreeSet<String> = drawn.clone().flat_map(Candidate::marks).collect();
        let texts: Vec<String> = texts.into_iter().collect();
        let layout = Layout::new(&best.axes);
        let size = layout.grids.len() * layout.rows.len() * layout.columns.len();
        let mut places = FxHashMap::default();
        let mut exists = vec![best.is_bare(); size];
        for candidate in drawn {
            for (fluent, arguments) in candidate.names {
                let Some(cell) = layout.cell(&candidate.axes, arguments) else { continue };
                let mark = texts.binary_search(&candidate.mark(arguments)).unwrap_or(0);
                places.insert(*fluent, (cell, mark));
                exists[cell] = true;
            }
        }
        let mut counts = vec![0; texts.len()];
        for fluent in initial {
            if let Some(&(_, mark)) = places.get(fluent) {
                counts[mark] += 1;
            }
        }
        // In a single row, the mark of most cells may be a quantity, as when all piles start with
        // the same size.
        let cells = exists.iter().filter(|&&exists| exists).count();
        let most = (0..texts.len()).find(|&mark| counts[mark] * 2 > cells && best.axes.len() > 1);
        let blank = if best.is_bare() { None } else { symbols::blank(&texts, &counts, most) };
        let names = (0..size).map(|cell| layout.name(cell)).collect();
        let Layout { grids, columns, rows, breaks, .. } = layout;
        let marks = symbols::marks(&texts, blank);
        let (relation, axes) = (best.head.to_owned(), best.axes.clone());
        Self {
            relation,
            grids,
            columns,
            rows,
            breaks,
            axes,
            marks,
            blank,
            places,
            exists,
            names,
            tiling: Tiling::default(),
            turned: Vec::new(),
            is_transposed: false,
            runs_down: false,
            is_layered: false,
        }
    }

    /// The name of the relation that is drawn, for example `cell`.
    #[must_use]
    pub fn relation(&self) -> &str {
        &self.relation
    }

    /// The names of the grids, one below the other; a single empty name if there is one grid.
    #[must_use]
    pub fn grids(&self) -> &[String] {
        &self.grids
    }

    /// The names of the columns, from left to right.
    #[must_use]
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The names of the rows, from top to bottom. All are empty if cells have one coordinate.
    #[must_use]
    pub fn rows(&self) -> &[String] {
        &self.rows
    }

    /// The positions of the columns and of the rows after which there is a gap, at the end of each
    /// part of a board of boards.
    #[must_use]
    pub fn breaks(&self) -> &[Vec<usize>; 2] {
        &self.breaks
    }

    /// The names of the cells, in the order of [`Board::cells`]: their coordinates as in the
    /// rulesheet. With four coordinates, dots join the first to the third and the second to the
    /// fourth.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// All marks: the possible contents of cells.
    #[must_use]
    pub fn marks(&self) -> &[Mark] {
        &self.marks
    }

    /// The position of the blank mark. Returns `None` if no mark is blank.
    #[must_use]
    pub fn blank(&self) -> Option<usize> {
        self.blank
    }

    /// The content of each cell, given the positions of the fluents that hold. The order is grid by
    /// grid, row by row from the top, each row from the left.
    #[must_use]
    pub fn cells(&self, fluents: impl IntoIterator<Item = usize>) -> Vec<Cell> {
        let empty = |&exists: &bool| if exists { Cell::Blank } else { Cell::None };
        let mut cells: Vec<Cell> = self.exists.iter().map(empty).collect();
        for fluent in fluents {
            if let Some(&(cell, mark)) =
                self.places.get(&fluent).filter(|(_, mark)| Some(*mark) != self.blank)
            {
                match &mut cells[cell] {
                    Cell::Marked(marks) => marks.push(mark),
                    other => *other = Cell::Marked(vec![mark]),
                }
            }
        }
        cells
    }

    /// [`Board::cells`] of a game's state.
    #[must_use]
    pub fn cells_of<G: Game>(&self, game: &G, state: &G::State) -> Vec<Cell> {
        self.cells(game.fluents(state).map(Id::index))
    }

    /// The cell and the mark of a fluent, as positions in [`Board::cells`] and [`Board::marks`].
    /// Returns `None` if the fluent is not on the board.
    #[must_use]
    pub fn place(&self, fluent: usize) -> Option<(usize, usize)> {
        self.places.get(&fluent).copied()
    }

    /// The fluents among these that are not on the board.
    pub fn others(&self, fluents: impl IntoIterator<Item = usize>) -> impl Iterator<Item = usize> {
        fluents.into_iter().filter(|fluent| !self.places.contains_key(fluent))
    }

    /// Draws the board with characters, one line for each row.
    #[must_use]
    pub fn text(&self, cells: &[Cell]) -> String {
        self.text_with(cells, |_, symbol| symbol.to_owned())
    }

    /// Like [`Board::text`], with each symbol passed through `paint`, which may add text without
    /// width, such as the colour codes of a terminal.
    #[must_use]
    pub fn text_with(&self, cells: &[Cell], paint: impl Fn(&Mark, &str) -> String) -> String {
        let symbol_width = |cell: &Cell| match cell {
            Cell::Marked(marks) => {
                let drawn = &marks[..marks.len().min(Self::DRAWN)];
                drawn.iter().map(|&mark| width(&self.marks[mark].symbol)).sum::<usize>() + drawn.len() - 1
            }
            Cell::None | Cell::Blank => 1,
        };
        // Wide enough for all marks, so that all boards of one game have the same width.
        let widest = self.columns.iter().map(|name| width(name));
        let widest = widest.chain(self.marks.iter().map(|mark| width(&mark.symbol)));
        let wide = widest.chain(cells.iter().map(symbol_width)).max().unwrap_or(1);
        let margin = self.rows.iter().map(|name| width(name)).max().unwrap_or(0);
        let gap = |column: usize| if self.breaks[0].contains(&column) { "  " } else { "" };
        let mut text = String::new();
        let per_grid = self.rows.len() * self.columns.len();
        for (grid, name) in self.grids.iter().enumerate() {
            if !name.is_empty() {
                text += if grid > 0 { "\n" } else { "" };
                text += name;
                text.push('\n');
            }
            let cells = cells.iter().skip(grid * per_grid).take(per_grid).collect::<Vec<_>>();
            let mut length = 0;
            for (row, cells) in cells.chunks(self.columns.len()).enumerate() {
                let mut line = format!("{:>margin$} │", self.rows[row]);
                length = 0;
                for (column, &cell) in cells.iter().enumerate() {
                    let symbols = match cell {
                        Cell::None => " ".to_owned(),
                        Cell::Blank => "·".to_owned(),
                        Cell::Marked(marks) => {
                            let painted = marks.iter().take(Self::DRAWN).map(|&mark| &self.marks[mark]);
                            painted.map(|mark| paint(mark, &mark.symbol)).collect::<Vec<_>>().join("/")
                        }
                    };
                    let pad = wide - symbol_width(cell);
                    line += &[" ", &symbols, &" ".repeat(pad), gap(column)].concat();
                    length += 1 + wide + gap(column).len();
                }
                text += line.trim_end();
                text.push('\n');
                if self.breaks[1].contains(&row) {
                    text.push('\n');
                }
            }
            text += &[&" ".repeat(margin), " └", &"─".repeat(length), "\n"].concat();
            let names = self.columns.iter().enumerate();
            let names: Vec<String> = names.map(|(i, name)| format!("{name:<wide$}{}", gap(i))).collect();
            text += format!("{:>margin$}   {}", "", names.join(" ")).trim_end();
            text.push('\n');
        }
        text
    }

    /// The marks whose symbol differs from their name, each as a symbol and a name.
    pub fn legend(&self) -> impl Iterator<Item = (&str, &str)> {
        let named = self.marks.iter().enumerate();
        named.filter_map(|(i, mark)| {
            let symbol = if Some(i) == self.blank { "·" } else { mark.symbol.as_str() };
            (symbol != mark.text).then_some((symbol, mark.text.as_str()))
        })
    }
}

/// The number of characters, which is close to the number of terminal columns for names of
/// rulesheets.
fn width(text: &str) -> usize {
    text.chars().count()
}

/// Groups fluents by relation: `(control white)` becomes `("control", ["white"])`, and a name
/// without arguments has an empty list. Groups are in the order of the texts. O(length of the
/// texts).
#[must_use]
pub fn grouped<'t>(texts: impl IntoIterator<Item = &'t str>) -> Vec<(&'t str, Vec<String>)> {
    let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
    let mut places: FxHashMap<&str, usize> = FxHashMap::default();
    for text in texts {
        let items = kif::items(text).filter(|items| !items.is_empty());
        let (head, arguments) = match &items {
            Some(items) => (items[0], Some(items[1..].join(" "))),
            None => (text, None),
        };
        let place = *places.entry(head).or_insert_with(|| {
            groups.push((head, Vec::new()));
            groups.len() - 1
        });
        groups[place].1.extend(arguments);
    }
    groups
}
