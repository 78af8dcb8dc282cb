//! The shape of a board's cells, from the rules for neighbours. Cells are hexagons if they have the
//! neighbours of hexagons. The cells of a single row form a ring if the last one is followed by the
//! first.
//!
//! Rulesheets on hexagons have a static relation such as `adjacent` between two cells. The
//! evaluator computes its atoms within [`FUEL`] steps. If that fails, cells are squares.

use super::facts;
use crate::load;
use gdl_compiler::{Limits, Options, Source, eval::Evaluator};
use gdl_runtime::{
    board::{Board, Tiling},
    kif,
};
use std::collections::BTreeSet;

/// The limits on the evaluator's steps, which take about a tenth of a second, and on the bytes of a
/// rulesheet.
const FUEL: u64 = 1_000_000;
const MOST_BYTES: usize = 200_000;

/// Parts of the names of relations between neighbours.
const NAMES: [&str; 3] = ["adj", "neigh", "next_to"];

/// The fewest cells of a ring; shorter rows are drawn as rows.
const SMALLEST_RING: usize = 5;

/// The name of an auxiliary fluent, which no rulesheet has.
const PROBE: &str = "a_pair_of_neighbours";

/// Returns the shape of the cells of a board. `text` is the rulesheet.
#[must_use]
pub(super) fn tiling(board: &Board, text: &str) -> Tiling {
    if board.rows().len() == 1 && is_round(board, text) {
        return Tiling::Ring;
    }
    if text.len() > MOST_BYTES || board.grids().len() > 1 || board.rows().len() < 3 {
        return Tiling::Square;
    }
    let relations = relations(text);
    let found = relations.iter().find_map(|(name, arity)| tiling_by(board, text, name, *arity));
    found.unwrap_or_default()
}

/// Returns whether the facts of some relation order the cells in a ring, such as `(next 12 1)` from
/// the last cell to the first.
fn is_round(board: &Board, text: &str) -> bool {
    let columns = board.columns();
    if columns.len() < SMALLEST_RING || board.grids().len() > 1 {
        return false;
    }
    let facts = facts::all(text).filter(|fact| fact.len() == 3);
    let facts: BTreeSet<(&str, &str, &str)> = facts.map(|fact| (fact[0], fact[1], fact[2])).collect();
    let relations: BTreeSet<&str> = facts.iter().map(|(head, ..)| *head).collect();
    let after = |at: usize| columns[(at + 1) % columns.len()].as_str();
    let follows = |head, at: usize| facts.contains(&(head, columns[at].as_str(), after(at)));
    relations.iter().any(|head| (0..columns.len()).all(|at| follows(head, at)))
}

/// Returns the relations whose names suggest neighbours, with their arities.
fn relations(text: &str) -> BTreeSet<(String, usize)> {
    let mut found = BTreeSet::new();
    for (place, _) in text.match_indices('(') {
        let head: String = text[place + 1..]
            .trim_start()
            .chars()
            .take_while(|c| !c.is_whitespace() && !"();".contains(*c))
            .collect();
        let name = head.to_ascii_lowercase();
        let Some(end) = text[place..].find(')') else { continue };
        let Some(items) = kif::items(&text[place..=place + end]) else { continue };
        if NAMES.iter().any(|part| name.contains(part)) && [3, 5].contains(&items.len()) {
            found.insert((head, items.len() - 1));
        }
    }
    found
}

fn tiling_by(board: &Board, text: &str, name: &str, arity: usize) -> Option<Tiling> {
    let variables: Vec<String> = (0..arity).map(|number| format!("?v{number}")).collect();
    let variables = variables.join(" ");
    let probed = format!("{text}\n(<= (init ({PROBE} {variables})) ({name} {variables}))");
    let source = Source::new("neighbours", probed);
    let limits = Limits { fuel: FUEL, ..Limits::network() };
    let options = Options { lenient: true, limits: limits.clone(), ..load::quiet() };
    let (rules, _) = gdl_compiler::read(&source, &options).ok()?;
    let evaluator = Evaluator::with_limits(&rules, &limits).ok()?;
    let initial = evaluator.initial().ok()?;
    let wide = board.columns().len();
    let mut steps: BTreeSet<(isize, isize)> = BTreeSet::new();
    let mut pairs = 0;
    for fluent in &initial {
        let fluent = fluent.to_string();
        let Some(items) = kif::items(&fluent).filter(|items| items.first() == Some(&PROBE)) else { continue };
        let spot = board.spot(&format!("({})", items.join(" ")));
        let [from, to] = spot.cells[..] else { continue };
        let place = |cell: usize| ((cell % wide) as isize, (cell / wide) as isize);
        let ((x, y), (u, v)) = (place(from), place(to));
        pairs += 1;
        steps.insert((u - x, v - y));
    }
    let straight = [(0, 1), (1, 0)];
    let [right, left] =
        [[(1, -1), (-1, 1)], [(1, 1), (-1, -1)]].map(|ways| ways.iter().any(|way| steps.contains(way)));
    let near = steps.iter().all(|&(x, y)| x.abs() <= 1 && y.abs() <= 1);
    let all_straight = straight.iter().all(|&(x, y)| steps.contains(&(x, y)) || steps.contains(&(-x, -y)));
    match (pairs > 0 && near && all_straight, right, left) {
        (true, true, false) => Some(Tiling::Hex),
        (true, false, true) => Some(Tiling::HexLeft),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gdl_runtime::vocabulary::Texts;

    /// Returns the shape of the cells of a board of four by four. The neighbours of each cell are
    /// at these distances.
    fn found(steps: &[(i32, i32)]) -> Tiling {
        let cells = || (1..5).flat_map(|x| (1..5).map(move |y| (x, y)));
        let fluents: Vec<String> =
            cells().flat_map(|(x, y)| ["red", "blue"].map(|mark| format!("(cell {x} {y} {mark})"))).collect();
        let board = Board::new(&Texts::new(fluents.iter().map(String::as_str)), []).expect("a board");
        let text = String::from(
            "(role r) (init (cell 1 1 red)) (legal r wait) (<= terminal (true (cell 1 1 red))) (goal r 100)\n",
        );
        let pairs = cells().flat_map(|cell| steps.iter().map(move |step| (cell, *step)));
        let inside = pairs.filter(|((x, y), (u, v))| (1..5).contains(&(x + u)) && (1..5).contains(&(y + v)));
        let facts: Vec<String> =
            inside.map(|((x, y), (u, v))| format!("(adjacent {x} {y} {} {})", x + u, y + v)).collect();
        let text = text + &facts.join("\n");
        tiling(&board, &text)
    }

    #[test]
    fn rows_that_go_round_are_rings() {
        let fluents: Vec<String> =
            (1..7).flat_map(|x| ["red", "blue"].map(|mark| format!("(cell {x} {mark})"))).collect();
        let board = Board::new(&Texts::new(fluents.iter().map(String::as_str)), []).expect("a board");
        assert_eq!(board.rows().len(), 1);
        let facts: Vec<String> = (1..6).map(|x| format!("(after {x} {})", x + 1)).collect();
        let facts = facts.join(" ");
        assert_eq!(tiling(&board, &facts), Tiling::Square);
        assert_eq!(tiling(&board, &format!("{facts} (after 6 1)")), Tiling::Ring);
        assert_eq!(tiling(&board, &format!("{facts} (other 6 1)")), Tiling::Square);
        assert_eq!(tiling(&board, &format!("{facts} ; (after 6 1)")), Tiling::Square);
    }

    #[test]
    fn hexagons_have_six_neighbours() {
        let straight = [(0, 1), (1, 0), (0, -1), (-1, 0)];
        assert_eq!(found(&straight), Tiling::Square);
        // Rows are counted from the bottom: a cell of the next row and the next column is above and
        // to the right.
        assert_eq!(found(&[&straight[..], &[(1, 1), (-1, -1)]].concat()), Tiling::Hex);
        assert_eq!(found(&[&straight[..], &[(1, -1), (-1, 1)]].concat()), Tiling::HexLeft);
        assert_eq!(found(&[&straight[..], &[(1, 1), (-1, -1), (1, -1), (-1, 1)]].concat()), Tiling::Square);
        assert_eq!(found(&[&straight[..], &[(2, 1)]].concat()), Tiling::Square);
        assert_eq!(found(&[]), Tiling::Square);
    }
}
