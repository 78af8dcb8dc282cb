//! Reversi on 8x8. A player without a legal placement makes the move `pass`.

/// Counts the move sequences of each length from 1 to `depth`.
#[must_use]
pub fn perft(depth: u32) -> Vec<u64> {
    super::count_sequences(&place_discs(), depth, &list_successors)
}

#[derive(Clone)]
struct Position {
    cells: [[Option<char>; 8]; 8],
    to_move: char,
}

fn place_discs() -> Position {
    let mut cells = [[None; 8]; 8];
    (cells[3][3], cells[4][4]) = (Some('w'), Some('w'));
    (cells[3][4], cells[4][3]) = (Some('b'), Some('b'));
    Position { cells, to_move: 'b' }
}

fn list_successors(position: &Position) -> Vec<Position> {
    let placed = list_placements(position);
    if !placed.is_empty() {
        return placed;
    }
    let passed = Position { to_move: find_opponent(position.to_move), ..position.clone() };
    if list_placements(&passed).is_empty() { Vec::new() } else { vec![passed] }
}

fn list_placements(position: &Position) -> Vec<Position> {
    let mut placements = Vec::new();
    for row in 0..8 {
        for column in 0..8 {
            if position.cells[row][column].is_some() {
                continue;
            }
            let turned = list_turned(position, row, column);
            if !turned.is_empty() {
                let mut next = position.clone();
                next.cells[row][column] = Some(position.to_move);
                for (row, column) in turned {
                    next.cells[row][column] = Some(position.to_move);
                }
                next.to_move = find_opponent(position.to_move);
                placements.push(next);
            }
        }
    }
    placements
}

/// Lists the cells of the discs that a disc placed on an empty cell would turn over.
fn list_turned(position: &Position, row: usize, column: usize) -> Vec<(usize, usize)> {
    let mut turned = Vec::new();
    for (down, right) in DIRECTIONS {
        let mut enclosed = Vec::new();
        for step in 1..8 {
            // The row above the first wraps to a huge number, which is outside the board.
            let row = row.wrapping_add_signed(down * step);
            let column = column.wrapping_add_signed(right * step);
            if row >= 8 || column >= 8 {
                break;
            }
            let disc = position.cells[row][column];
            if disc == Some(position.to_move) {
                turned.append(&mut enclosed);
                break;
            }
            if disc.is_none() {
                break;
            }
            enclosed.push((row, column));
        }
    }
    turned
}

const DIRECTIONS: [(isize, isize); 8] =
    [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)];

fn find_opponent(player: char) -> char {
    if player == 'b' { 'w' } else { 'b' }
}
