//! The clues of a board: facts of the rulesheet about its columns and rows, such as a nonogram's,
//! to be drawn next to them.
//!
//! A clue is a fact such as `(row 3 1 2)`. Its relation is named after rows or columns, its first
//! argument names one, and its last argument is the clue. If there is an argument between these, it
//! is ignored: the clues of a line are in the order of their facts. Clues are drawn only if each
//! row and each column has one.

use super::facts;
use gdl_runtime::board::Board;

/// The most clues of a column or row.
const MOST: usize = 12;

/// The clues of each column and of each row.
pub type Clues = [Vec<Vec<String>>; 2];

/// Returns the clues of a board, if its rulesheet has them.
pub(super) fn clues_of(board: &Board, text: &str) -> Option<Clues> {
    if board.grids().len() > 1 || board.rows().len() < 2 {
        return None;
    }
    let of = |names: [&str; 2], lines: &[String]| -> Option<Vec<Vec<String>>> {
        let mut clues = vec![Vec::new(); lines.len()];
        for fact in facts::all(text).filter(|fact| (3..=4).contains(&fact.len())) {
            let head = fact[0].to_ascii_lowercase();
            let is_named = names.iter().any(|name| {
                head == *name
                    || head.starts_with(&format!("{name}_"))
                    || head.starts_with(&format!("{name}clue"))
            });
            let line = lines.iter().position(|line| line == fact[1]).filter(|_| is_named);
            if let Some(line) = line.filter(|&line| clues[line].len() < MOST) {
                clues[line].push(fact[fact.len() - 1].to_owned());
            }
        }
        clues.iter().all(|clue| !clue.is_empty()).then_some(clues)
    };
    Some([of(["col", "column"], board.columns())?, of(["row", "rows"], board.rows())?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use gdl_runtime::vocabulary::Texts;

    #[test]
    fn each_column_and_row_has_its_clues() {
        let fluents = (1..3).flat_map(|x| (1..3).map(move |y| format!("(cell {x} {y} full)")));
        let fluents: Vec<String> = fluents.chain(["(cell 1 1 blank)".to_owned()]).collect();
        let board = Board::new(&Texts::new(fluents.iter().map(String::as_str)), []).expect("a board");
        let whole = "(col 1 1 1) (col 2 1 2) (row 1 1 1) (row 1 2 7) (row 2 1 1)";
        // Rows are counted from the top.
        let expected = [vec![vec!["1"], vec!["2"]], vec![vec!["1"], vec!["1", "7"]]];
        assert_eq!(clues_of(&board, whole).map(|clues| clues == expected), Some(true));
        assert_eq!(clues_of(&board, "(col 1 1 1) (row 1 1 1) (row 1 2 7) (row 2 1 1)"), None);
        assert_eq!(clues_of(&board, ""), None);
    }
}
