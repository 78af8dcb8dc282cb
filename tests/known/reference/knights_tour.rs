//! The knight's tour on five by five squares, from a corner.

use super::Position;

/// The visited squares, the knight's square and the number of visited squares.
#[derive(Clone)]
pub struct Tour {
    visited: [[bool; 5]; 5],
    at: (usize, usize),
    squares: u8,
}

impl Default for Tour {
    fn default() -> Self {
        let mut visited = [[false; 5]; 5];
        visited[0][0] = true;
        Self { visited, at: (0, 0), squares: 1 }
    }
}

impl Position for Tour {
    fn moves(&self) -> Vec<(String, Self)> {
        let mut moves = Vec::new();
        for x in 0..5_usize {
            for y in 0..5_usize {
                if x.abs_diff(self.at.0) * y.abs_diff(self.at.1) == 2 && !self.visited[x][y] {
                    let mut next = Self { at: (x, y), squares: self.squares + 1, ..self.clone() };
                    next.visited[x][y] = true;
                    moves.push((format!("(jump {} {})", x + 1, y + 1), next));
                }
            }
        }
        moves
    }

    fn to_move(&self) -> usize {
        0
    }

    fn goals(&self) -> Vec<u8> {
        vec![4 * self.squares]
    }
}
