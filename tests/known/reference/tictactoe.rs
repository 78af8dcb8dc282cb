//! Tic-tac-toe.

/// Counts the move sequences of each length from 1 to `depth`.
#[must_use]
pub fn perft(depth: u32) -> Vec<u64> {
    super::count_sequences(&START, depth, &list_successors)
}

const START: Position = Position { cells: [[None; 3]; 3], to_move: 'x' };

#[derive(Clone)]
struct Position {
    cells: [[Option<char>; 3]; 3],
    to_move: char,
}

fn list_successors(position: &Position) -> Vec<Position> {
    let mut successors = Vec::new();
    if has_line(position, 'x') || has_line(position, 'o') {
        return successors;
    }
    for row in 0..3 {
        for column in 0..3 {
            if position.cells[row][column].is_none() {
                let mut next = position.clone();
                next.cells[row][column] = Some(position.to_move);
                next.to_move = if position.to_move == 'x' { 'o' } else { 'x' };
                successors.push(next);
            }
        }
    }
    successors
}

fn has_line(position: &Position, player: char) -> bool {
    let marked = |row: usize, column: usize| position.cells[row][column] == Some(player);
    (0..3).any(|row| (0..3).all(|column| marked(row, column)))
        || (0..3).any(|column| (0..3).all(|row| marked(row, column)))
        || (0..3).all(|step| marked(step, step))
        || (0..3).all(|step| marked(step, 2 - step))
}
