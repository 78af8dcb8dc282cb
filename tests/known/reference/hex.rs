//! Hex on eleven by eleven cells with the swap rule.

use super::Position;

const SIZE: usize = 11;

/// The stones, their number and the player to move.
#[derive(Clone, Default)]
pub struct Board {
    /// The player of each stone, by column and by row from the top.
    stones: [[Option<usize>; SIZE]; SIZE],
    placed: usize,
    to_move: usize,
}

impl Board {
    /// Returns whether a player's stones connect the player's two sides: the first and last row for
    /// the first player, the first and last column for the second.
    fn connects(&self, player: usize) -> bool {
        let mut open: Vec<(usize, usize)> =
            (0..SIZE).map(|place| if player == 0 { (place, 0) } else { (0, place) }).collect();
        let mut seen = [[false; SIZE]; SIZE];
        while let Some((x, y)) = open.pop() {
            if x >= SIZE || y >= SIZE || seen[x][y] || self.stones[x][y] != Some(player) {
                continue;
            }
            if (if player == 0 { y } else { x }) == SIZE - 1 {
                return true;
            }
            seen[x][y] = true;
            // The column before the first wraps to a huge number, which is outside the board.
            let (left, up) = (x.wrapping_sub(1), y.wrapping_sub(1));
            open.extend([(left, y), (x + 1, y), (x, up), (x, y + 1), (x + 1, up), (left, y + 1)]);
        }
        false
    }
}

impl Position for Board {
    fn moves(&self) -> Vec<(String, Self)> {
        let mut moves = Vec::new();
        if self.connects(0) || self.connects(1) {
            return moves;
        }
        let next = Self { placed: self.placed + 1, to_move: 1 - self.to_move, ..self.clone() };
        for x in 0..SIZE {
            for y in 0..SIZE {
                let mut next = next.clone();
                if self.stones[x][y].is_none() {
                    next.stones[x][y] = Some(self.to_move);
                    moves.push((format!("(place {} {})", x + 1, y + 1), next));
                } else if self.placed == 1 && self.to_move == 1 {
                    next.stones[x][y] = None;
                    next.stones[y][x] = Some(1);
                    moves.push(("swap".to_owned(), next));
                }
            }
        }
        moves
    }

    fn to_move(&self) -> usize {
        self.to_move
    }

    fn goals(&self) -> Vec<u8> {
        super::goals_of((0..2).find(|&player| self.connects(player)))
    }
}
