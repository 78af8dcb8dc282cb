//! Connect four on seven columns of six rows.

const COLUMNS: usize = 7;
const ROWS: usize = 6;

/// Counts the move sequences of each length from 1 to `depth`.
#[must_use]
pub fn perft(depth: u32) -> Vec<u64> {
    super::count_sequences(&START, depth, &list_successors)
}

const START: Position = Position { columns: [[None; ROWS]; COLUMNS], to_move: 'x' };

#[derive(Clone)]
struct Position {
    /// The cells of each column, from the bottom.
    columns: [[Option<char>; ROWS]; COLUMNS],
    to_move: char,
}

fn list_successors(position: &Position) -> Vec<Position> {
    let mut successors = Vec::new();
    if has_line(position, 'x') || has_line(position, 'o') {
        return successors;
    }
    for column in 0..COLUMNS {
        for row in 0..ROWS {
            if position.columns[column][row].is_none() {
                let mut next = position.clone();
                next.columns[column][row] = Some(position.to_move);
                next.to_move = if position.to_move == 'x' { 'o' } else { 'x' };
                successors.push(next);
                break;
            }
        }
    }
    successors
}

fn has_line(position: &Position, player: char) -> bool {
    let directions = [(0, 1), (1, 0), (1, 1), (1, -1)];
    (0..COLUMNS as i32).any(|column| {
        (0..ROWS as i32).any(|row| {
            directions.iter().any(|(right, up)| {
                (0..4).all(|step| find_disc(position, column + step * right, row + step * up) == Some(player))
            })
        })
    })
}

/// Returns the disc on a cell; `None` if it is empty or outside the board.
fn find_disc(position: &Position, column: i32, row: i32) -> Option<char> {
    let (column, row) = (usize::try_from(column).ok()?, usize::try_from(row).ok()?);
    *position.columns.get(column)?.get(row)?
}
