//! Boards found in the names of fluents: a grid on which the states of a game can be drawn.
//!
//! GDL knows no boards, but most rulesheets have a fluent such as `(cell 1 1 b)`: two arguments
//! that count and one that says what is there. [`Board::of`] finds it by the shape of the names
//! alone, and [`Board::cells`] says what a state has in each cell. That is structure, for any way
//! to draw; [`Board::text`] draws it with characters.
//!
//! # What counts as a board
//!
//! Arguments that are numbers (`7`), letters that follow each other (`a`, `b`, `c`) or either after
//! a common word (`c1`, `c2`) are coordinates. The board is the relation with coordinates that is
//! called `cell`, or nearly so. If there is none, it is one that is called `location`, `piece` or
//! the like; then one with marks, then the largest. The other arguments of a relation are the mark:
//! `x`, or `black pawn`. Relations without other arguments are marked by their own name and drawn
//! together: `(lit 1 3)`.
//!
//! # Which way round
//!
//! The first coordinate is the column, from left to right. The second is the row, from bottom to
//! top, as in chess and in mathematics. Only where the first is a number and the second a letter,
//! or the names say so (`r1` before `c1`), the first is the row; and [`Board::with_hints`] reads
//! what the rulesheet calls them, `?row` and `?col`. Both may be one name: `(cell b7 red)`. With
//! three coordinates the first one tells several boards apart; with four the first two say which
//! part of one large board the last two speak of. With one there is a single row. A comment of the
//! rulesheet may say otherwise ([`Board::with_hints`]).
//!
//! # What is blank
//!
//! A mark that is called so (`b`, `blank`, `empty`, `dirt` ..), otherwise the one that most cells
//! of a grid share at the start. Where no fluent holds a cell is blank too. `b` is not blank where
//! `w` is a mark as well, unless most cells start with it, nor where no cell does.
//!
//! # How large
//!
//! A side has at most [`Board::MAX_SIDE`] names, a third of all cells have fluents, and there are
//! at most [`Board::MAX_MARKS`] marks, so a board takes steps and bytes by the length of the names.
//! Of a cell with many marks some are drawn.
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

/// A grid and where the fluents of a game stand on it.
#[derive(Clone, Debug)]
pub struct Board {
    /// The relation that is drawn; of several without marks the first.
    relation: String,
    grids: Vec<String>,
    columns: Vec<String>,
    rows: Vec<String>,
    /// Columns and rows after which there is a gap: where a part of a board of boards ends.
    breaks: [Vec<usize>; 2],
    /// The coordinates, as the rulesheet has them among the arguments.
    axes: Vec<Axis>,
    marks: Vec<Mark>,
    blank: Option<usize>,
    /// For each fluent that is on the board the cell and the mark.
    places: FxHashMap<usize, (usize, usize)>,
    /// Cells that some fluent speaks of.
    exists: Vec<bool>,
    /// The name of each cell.
    names: Vec<String>,
    tiling: Tiling,
    /// The place where each cell is drawn, if the rulesheet turned the board, by its place without
    /// that.
    turned: Vec<usize>,
    /// True if the first coordinate is the row for that reason.
    is_transposed: bool,
    /// True if the first row is on top for that reason.
    runs_down: bool,
    /// True if the last of three coordinates tells the boards apart for that reason.
    is_layered: bool,
}

/// A mark: what can be in a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Its name in the rulesheet, for example `black pawn`.
    pub text: String,
    /// One to three characters that no other mark of the board has, for example `bp`.
    pub symbol: String,
    /// The family of the mark, the same number for marks that begin alike, which mostly belong to
    /// one player: for colours.
    pub family: usize,
}

/// The content of a cell in a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    /// No fluent speaks of such a cell.
    None,
    /// An empty cell.
    Blank,
    /// The positions of one mark or several in [`Board::marks`].
    Marked(Vec<usize>),
}

impl Board {
    /// The most columns or rows: more are hardly a board.
    pub const MAX_SIDE: usize = 64;

    /// The most marks: what has more is a quantity and no mark.
    pub const MAX_MARKS: usize = 1024;

    /// No more marks of a cell are drawn.
    const DRAWN: usize = 4;

    /// The board of a game, if its fluents show one.
    #[must_use]
    pub fn of<G: Game>(game: &G) -> Option<Self> {
        let initial = game.initial();
        Self::new(game.vocabulary().fluents(), game.fluents(&initial).map(Id::index))
    }

    /// The board that these fluents show, given the positions of those that hold at the start.
    /// O(length of the names).
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
        // Relations without marks say together what is where.
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
        // In a row what most cells have may be what counts, as where all piles are of one size.
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

    /// The relation that is drawn, for example `cell`.
    #[must_use]
    pub fn relation(&self) -> &str {
        &self.relation
    }

    /// The names of the boards, one below the other: one without a name, unless there are several.
    #[must_use]
    pub fn grids(&self) -> &[String] {
        &self.grids
    }

    /// The names of the columns, from left to right.
    #[must_use]
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The names of the rows, from top to bottom; a single one without a name if cells have one
    /// coordinate.
    #[must_use]
    pub fn rows(&self) -> &[String] {
        &self.rows
    }

    /// The columns and the rows, by position, after which there is a gap: where a part of a board
    /// of boards ends.
    #[must_use]
    pub fn breaks(&self) -> &[Vec<usize>; 2] {
        &self.breaks
    }

    /// The names of the cells, their coordinates as the rulesheet has them: in the order of
    /// [`Board::cells`].
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The marks: all that can be in a cell.
    #[must_use]
    pub fn marks(&self) -> &[Mark] {
        &self.marks
    }

    /// The position of the mark that stands for nothing, if a mark does.
    #[must_use]
    pub fn blank(&self) -> Option<usize> {
        self.blank
    }

    /// The content of each cell, given the positions of the fluents that hold: grid by grid, row by
    /// row from the top, each from the left.
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

    /// The cell and the mark of a fluent, as positions in [`Board::cells`] and [`Board::marks`];
    /// `None` if it is not on the board.
    #[must_use]
    pub fn place(&self, fluent: usize) -> Option<(usize, usize)> {
        self.places.get(&fluent).copied()
    }

    /// The fluents among these that are not on the board.
    pub fn others(&self, fluents: impl IntoIterator<Item = usize>) -> impl Iterator<Item = usize> {
        fluents.into_iter().filter(|fluent| !self.places.contains_key(fluent))
    }

    /// The board with characters, a line for each row.
    #[must_use]
    pub fn text(&self, cells: &[Cell]) -> String {
        self.text_with(cells, |_, symbol| symbol.to_owned())
    }

    /// [`Board::text`] with symbols put between whatever takes no room, such as the codes of a
    /// terminal's colours.
    #[must_use]
    pub fn text_with(&self, cells: &[Cell], paint: impl Fn(&Mark, &str) -> String) -> String {
        let symbol_width = |cell: &Cell| match cell {
            Cell::Marked(marks) => {
                let drawn = &marks[..marks.len().min(Self::DRAWN)];
                drawn.iter().map(|&mark| width(&self.marks[mark].symbol)).sum::<usize>() + drawn.len() - 1
            }
            Cell::None | Cell::Blank => 1,
        };
        // Wide enough for all that may come, so that boards of one game look alike.
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

    /// The marks whose symbol is not their name, each with its symbol.
    pub fn legend(&self) -> impl Iterator<Item = (&str, &str)> {
        let named = self.marks.iter().enumerate();
        named.filter_map(|(i, mark)| {
            let symbol = if Some(i) == self.blank { "·" } else { mark.symbol.as_str() };
            (symbol != mark.text).then_some((symbol, mark.text.as_str()))
        })
    }
}

/// Characters, near enough to columns of a terminal for the names of rulesheets.
fn width(text: &str) -> usize {
    text.chars().count()
}

/// Fluents by relation: for each name the arguments of its fluents, `(control white)` as
/// `("control", ["white"])`. Names without arguments come with none. In the order of the texts.
/// O(length of the texts).
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
