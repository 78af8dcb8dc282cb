//! Gomoku on fifteen by fifteen points: five or more in a line win.

use super::Position;

const SIZE: usize = 15;

/// The stones and the player to move.
#[derive(Clone, Default)]
pub struct Board {
    /// The player of each stone, by column and row.
    stones: [[Option<usize>; SIZE]; SIZE],
    to_move: usize,
}

impl Board {
    fn has_line(&self, player: usize) -> bool {
        // The column before the first wraps to a huge number, which is outside the board.
        let is_mine =
            |x: usize, y: usize| self.stones.get(x).and_then(|column| column.get(y)) == Some(&Some(player));
        (0..SIZE * SIZE).any(|place| {
            let (x, y) = (place % SIZE, place / SIZE);
            (0..5).all(|i| is_mine(x, y + i))
                || (0..5).all(|i| is_mine(x + i, y))
                || (0..5).all(|i| is_mine(x + i, y + i))
                || (0..5).all(|i| is_mine(x.wrapping_sub(i), y + i))
        })
    }
}

impl Position for Board {
    fn moves(&self) -> Vec<(String, Self)> {
        let mut moves = Vec::new();
        if self.has_line(0) || self.has_line(1) {
            return moves;
        }
        for x in 0..SIZE {
            for y in 0..SIZE {
                if self.stones[x][y].is_none() {
                    let mut next = Self { to_move: 1 - self.to_move, ..self.clone() };
                    next.stones[x][y] = Some(self.to_move);
                    moves.push((format!("(place {} {})", x + 1, y + 1), next));
                }
            }
        }
        moves
    }

    fn to_move(&self) -> usize {
        self.to_move
    }

    fn goals(&self) -> Vec<u8> {
        super::goals_of((0..2).find(|&player| self.has_line(player)))
    }
}
