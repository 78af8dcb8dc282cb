//! Coordinates among the arguments of fluents: the relations that may be a board, and the cell that
//! each fluent names.

use super::Board;
use std::collections::BTreeSet;

/// A fluent: its position and its arguments.
pub(super) type Name<'t> = (usize, Vec<&'t str>);

/// The values of a coordinate, ascending. All have the same prefix before their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Axis {
    /// The position among the arguments.
    pub(super) argument: usize,
    part: CoordinatePart,
    prefix: String,
    kind: AxisKind,
    values: Vec<String>,
}

/// The part of an argument that is the coordinate: all of it, or the letter or the number of `b7`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CoordinatePart {
    Whole,
    Letter,
    Number,
}

impl CoordinatePart {
    /// Returns this part of an argument; empty if the argument has no such part.
    fn of(self, argument: &str) -> &str {
        let digits = argument.find(|c: char| c.is_ascii_digit()).unwrap_or(argument.len());
        match self {
            Self::Whole => argument,
            Self::Letter => &argument[..digits],
            Self::Number => &argument[digits..],
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AxisKind {
    Number,
    Letter,
}

impl Axis {
    /// Creates the axis of a part of an argument, given the values of the argument. Returns `None`
    /// unless their parts are 2 to 64 numbers or consecutive letters.
    fn new(argument: usize, part: CoordinatePart, values: &BTreeSet<&str>) -> Option<Self> {
        let values: BTreeSet<&str> = values.iter().map(|value| part.of(value)).collect();
        if values.len() < 2 || values.len() > Board::MAX_SIDE {
            return None;
        }
        let axis = |prefix: &str, kind, mut sorted: Vec<(u64, &str)>| {
            sorted.sort_unstable();
            let values = sorted.into_iter().map(|(_, value)| value.to_owned()).collect();
            Some(Self { argument, part, prefix: prefix.to_owned(), kind, values })
        };
        let first = values.first()?;
        let prefix = first.trim_end_matches(|c: char| c.is_ascii_digit());
        if prefix.chars().all(char::is_alphabetic) {
            let number = |&value| Some((str::strip_prefix(value, prefix)?.parse().ok()?, value));
            if let Some(numbers) = values.iter().map(number).collect::<Option<Vec<_>>>() {
                return axis(prefix, AxisKind::Number, numbers);
            }
        }
        // Consecutive single letters.
        let letter = |&value| match str::as_bytes(value) {
            [byte] if byte.is_ascii_alphabetic() => Some((u64::from(*byte), value)),
            _ => None,
        };
        let letters = values.iter().map(letter).collect::<Option<Vec<_>>>()?;
        let follow = letters.windows(2).all(|pair| pair[1].0 == pair[0].0 + 1);
        if follow { axis("", AxisKind::Letter, letters) } else { None }
    }

    fn position(&self, arguments: &[&str]) -> Option<usize> {
        let value = self.part.of(arguments[self.argument]);
        self.values.iter().position(|known| known == value)
    }

    /// Returns true if the axis is the row and `second` the column, by prefix or kind.
    pub(super) fn is_row_before(&self, second: &Self) -> bool {
        let says = |axis: &Self, letter: char| axis.prefix.to_ascii_lowercase().starts_with(letter);
        (says(self, 'r') && says(second, 'c'))
            || (says(self, 'y') && says(second, 'x'))
            || (self.kind == AxisKind::Number && second.kind == AxisKind::Letter)
    }
}

/// A relation that may be the board.
pub(super) struct Candidate<'t> {
    pub(super) head: &'t str,
    /// The fluents of the relation.
    pub(super) names: &'t [Name<'t>],
    /// One to four coordinates.
    pub(super) axes: Vec<Axis>,
    arity: usize,
    cells: usize,
}

impl<'t> Candidate<'t> {
    pub(super) fn new(head: &'t str, names: &'t [Name<'t>], initial: &BTreeSet<usize>) -> Option<Self> {
        let arity = names.first()?.1.len();
        let values = |argument: usize| names.iter().map(|(_, arguments)| arguments[argument]).collect();
        let axes: Vec<Option<Axis>> =
            (0..arity).map(|i| Axis::new(i, CoordinatePart::Whole, &values(i))).collect();
        let known = name_rank(head);
        let Some(first) = axes.iter().position(Option::is_some) else {
            // `(cell b7 red)`: the first argument has both coordinates.
            let axes =
                [CoordinatePart::Letter, CoordinatePart::Number].map(|part| Axis::new(0, part, &values(0)));
            let axes = axes.into_iter().collect::<Option<Vec<_>>>()?;
            return Self::with(head, names, arity, axes).filter(|_| arity > 1 && known < 2);
        };
        let run = axes[first..].iter().take_while(|axis| axis.is_some()).count();
        // With three or more arguments, one is reserved for the mark.
        let most = if first == 0 && arity > 2 { (arity - 1).min(4) } else { 2 };
        if first == 0 && arity == 4 && run == 4 {
            let ends: Vec<Axis> = axes.iter().flatten().cloned().collect();
            if Self::are_lines(names, &ends) {
                // `(line 1 1 1 2)`: a cell, and the adjacent cell at the other end of a line.
                return Self::with(head, names, arity, ends[..2].to_vec());
            }
        }
        let axes: Vec<Axis> = axes.into_iter().skip(first).take(run.min(most)).flatten().collect();
        if arity == 2 && axes.len() == 2 {
            // `(pile a 3)`: each first argument has one second argument at a time, so the second is
            // a quantity rather than a coordinate.
            let held = names.iter().filter(|(fluent, _)| initial.contains(fluent));
            let firsts: Vec<&str> = held.map(|(_, arguments)| arguments[0]).collect();
            let distinct: BTreeSet<&str> = firsts.iter().copied().collect();
            if firsts.len() == distinct.len() && firsts.len() == axes[0].values.len() {
                return Self::with(head, names, arity, axes[..1].to_vec()).filter(|_| known < 2);
            }
        }
        // An argument with numbers may still be a mark: `(cell 1 2 5 open)`.
        (1..=axes.len()).rev().find_map(|count| {
            let candidate = Self::with(head, names, arity, axes[..count].to_vec())?;
            // One coordinate, or a small grid without marks, is too weak evidence if the relation's
            // name is neutral.
            let small = axes[..count].iter().any(|axis| axis.values.len() < 3);
            // A coordinate between other arguments describes an object rather than a place.
            let between = |axis: &Axis| axis.argument != 0 && axis.argument != arity - 1;
            let vague = (count == 1 && between(&axes[0]))
                || known == 2 && (count == 1 || (candidate.is_bare() && small));
            (!vague).then_some(candidate)
        })
    }

    /// Creates a candidate with these coordinates. Returns `None` if it has too few cells, covers
    /// too little of its grid, or is a stack.
    fn with(head: &'t str, names: &'t [Name<'t>], arity: usize, axes: Vec<Axis>) -> Option<Self> {
        let key = |arguments: &Vec<&'t str>| {
            axes.iter().map(|axis| axis.part.of(arguments[axis.argument])).collect::<Vec<_>>()
        };
        let cells = names.iter().map(|(_, arguments)| key(arguments)).collect::<BTreeSet<_>>().len();
        let whole: usize = axes.iter().map(|axis| axis.values.len()).product();
        let enough = if axes.len() == 1 { 3 } else { 4 };
        let is_high = Self::is_cube(&axes) && {
            let below = |arguments: &Vec<&'t str>| {
                [0, 1].map(|at: usize| axes[at].part.of(arguments[axes[at].argument]))
            };
            let ground = names.iter().map(|(_, arguments)| below(arguments)).collect::<BTreeSet<_>>().len();
            cells >= 2 * ground
        };
        let candidate = Self { head, names, axes, arity, cells };
        // A pyramid fills a sixth of the cube around it. If each place has a single height, the
        // third argument is a quantity rather than a coordinate.
        let least = if is_high { 6 } else { 3 };
        (cells >= enough && cells * least >= whole && !candidate.is_stack()).then_some(candidate)
    }

    /// Returns true if each fluent names two adjacent cells.
    fn are_lines(names: &[Name<'_>], ends: &[Axis]) -> bool {
        let far = |arguments: &[&str], axis: usize| {
            Some(ends[axis].position(arguments)?.abs_diff(ends[axis + 2].position(arguments)?))
        };
        let is_line = |arguments: &[&str]| Some(far(arguments, 0)? + far(arguments, 1)? == 1);
        let is_same = |axis: usize| ends[axis].values == ends[axis + 2].values;
        is_same(0) && is_same(1) && names.iter().all(|(_, arguments)| is_line(arguments) == Some(true))
    }

    /// Returns true if there are three coordinates with equal values.
    fn is_cube(axes: &[Axis]) -> bool {
        matches!(axes, [x, y, z] if x.values == y.values && y.values == z.values)
    }

    /// Returns true if the relation describes a stack, such as `(on disc1 disc2)` or `(on a b)`:
    /// its arguments are objects rather than places.
    fn is_stack(&self) -> bool {
        let is_on = self.head.eq_ignore_ascii_case("on");
        let is_lettered = |axis: &Axis| is_on && axis.kind == AxisKind::Letter;
        match &self.axes[..] {
            [x, y] => self.arity == 2 && is_lettered(x) && is_lettered(y),
            [axis] if !axis.prefix.is_empty() || is_lettered(axis) => {
                self.marks().any(|mark| axis.values.contains(&mark))
            }
            _ => false,
        }
    }

    pub(super) fn is_bare(&self) -> bool {
        (0..self.arity).all(|i| self.axes.iter().any(|axis| axis.argument == i))
    }

    /// The sort key of candidates: the least one is the board.
    pub(super) fn rank(&self) -> impl Ord + use<'t> {
        let lines = usize::from(self.axes.len() == 1);
        let marks = usize::from(self.is_bare());
        (name_rank(self.head), lines, marks, std::cmp::Reverse(self.cells), self.head)
    }

    pub(super) fn mark(&self, arguments: &[&str]) -> String {
        if self.is_bare() {
            return self.head.to_owned();
        }
        let rest = arguments.iter().enumerate();
        let rest = rest.filter(|(i, _)| self.axes.iter().all(|axis| axis.argument != *i));
        rest.map(|(_, argument)| *argument).collect::<Vec<_>>().join(" ")
    }

    /// Returns true if there are at most `most` marks.
    pub(super) fn has_few_marks(&self, most: usize) -> bool {
        let mut marks = BTreeSet::new();
        self.marks().all(|mark| {
            marks.insert(mark);
            marks.len() <= most
        })
    }

    pub(super) fn marks(&self) -> impl Iterator<Item = String> {
        self.names.iter().map(|(_, arguments)| self.mark(arguments))
    }
}

/// The rank of a relation's name as a name of a board: 0 is best, 2 is neutral.
fn name_rank(head: &str) -> usize {
    const LIKELY: [&str; 18] = [
        "location", "board", "square", "piece", "mark", "occup", "position", "place", "grid", "tile",
        "field", "spot", "hex", "disk", "stone", "lit", "pile", "heap",
    ];
    let head = head.to_ascii_lowercase();
    if head == "cell" || head == "cells" {
        0
    } else if head.contains("cell")
        || LIKELY.iter().any(|name| head.contains(name))
        || head == "at"
        || head == "on"
    {
        1
    } else {
        2
    }
}

/// The grids, columns and rows of a board, with a mapping from arguments to cells.
pub(super) struct Layout {
    pub(super) grids: Vec<String>,
    pub(super) columns: Vec<String>,
    pub(super) rows: Vec<String>,
    pub(super) breaks: [Vec<usize>; 2],
    /// True if the first of two coordinates is the row.
    rows_first: bool,
}

impl Layout {
    pub(super) fn new(axes: &[Axis]) -> Self {
        let down = |axis: &Axis| axis.values.iter().rev().cloned().collect::<Vec<_>>();
        let one = || vec![String::new()];
        let plain = |grids, columns, rows| Self {
            grids,
            columns,
            rows,
            breaks: [Vec::new(), Vec::new()],
            rows_first: false,
        };
        let pair = |grids, first: &Axis, second: &Axis| {
            let rows_first = first.is_row_before(second);
            let (column, row) = if rows_first { (second, first) } else { (first, second) };
            Self { rows_first, ..plain(grids, column.values.clone(), down(row)) }
        };
        match axes {
            [x, y, u, v] => {
                let both = |outer: &[String], inner: &[String]| -> Vec<String> {
                    outer.iter().flat_map(|o| inner.iter().map(move |i| format!("{o}.{i}"))).collect()
                };
                let rows_first = x.is_row_before(y);
                let (x, y, u, v) = if rows_first { (y, x, v, u) } else { (x, y, u, v) };
                let ends = |outer: &Axis, inner: &Axis| {
                    (1..outer.values.len()).map(|i| i * inner.values.len() - 1).collect()
                };
                Self {
                    breaks: [ends(x, u), ends(y, v)],
                    rows_first,
                    ..plain(one(), both(&x.values, &u.values), both(&down(y), &down(v)))
                }
            }
            [grid, x, y, ..] => pair(grid.values.clone(), x, y),
            [x, y] => pair(one(), x, y),
            [x] => plain(one(), x.values.clone(), one()),
            [] => plain(one(), one(), one()),
        }
    }

    /// The coordinates of a cell, in the order of the rulesheet; with four, each part is a column
    /// or a row of two coordinates.
    pub(super) fn name(&self, cell: usize) -> String {
        let (above, column) = (cell / self.columns.len(), &self.columns[cell % self.columns.len()]);
        let (grid, row) = (&self.grids[above / self.rows.len()], &self.rows[above % self.rows.len()]);
        let (first, second) = if self.rows_first { (row, column) } else { (column, row) };
        let parts = [grid, first, second].into_iter().filter(|part| !part.is_empty());
        parts.map(String::as_str).collect::<Vec<_>>().join(" ")
    }

    pub(super) fn cell(&self, axes: &[Axis], arguments: &[&str]) -> Option<usize> {
        let at = |axis: &Axis| axis.position(arguments);
        let swap = |first, second| if self.rows_first { (second, first) } else { (first, second) };
        let (grid, column, row) = match axes {
            [outer, below, inner, last] => {
                let (columns, rows) = swap(inner, last);
                let (x, y) = swap(outer, below);
                let column = at(x)? * columns.values.len() + at(columns)?;
                (0, column, at(y)? * rows.values.len() + at(rows)?)
            }
            [grid, first, second, ..] => {
                let (x, y) = swap(first, second);
                (at(grid)?, at(x)?, at(y)?)
            }
            [first, second] => {
                let (x, y) = swap(first, second);
                (0, at(x)?, at(y)?)
            }
            [x] => (0, at(x)?, 0),
            [] => return None,
        };
        // Rows are stored from the top.
        let row = self.rows.len() - 1 - row;
        Some((grid * self.rows.len() + row) * self.columns.len() + column)
    }
}
