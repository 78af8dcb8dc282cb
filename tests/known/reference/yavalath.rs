//! Yavalath on a hexagon of 61 cells: columns and rows 0 to 8 whose sum is 4 to 12.

use super::Position;

const SIZE: usize = 9;

/// The stones and the player to move.
#[derive(Clone, Default)]
pub struct Board {
    /// The player of each stone, by column and row.
    stones: [[Option<usize>; SIZE]; SIZE],
    to_move: usize,
}

impl Board {
    /// The length of a player's longest line.
    fn longest(&self, player: usize) -> usize {
        // The column before the first wraps to a huge number, which is outside the board.
        let is_mine =
            |x: usize, y: usize| self.stones.get(x).and_then(|column| column.get(y)) == Some(&Some(player));
        let lengths = (0..SIZE * SIZE).flat_map(|place| {
            let (x, y) = (place % SIZE, place / SIZE);
            let level = (0..SIZE).take_while(|i| is_mine(x + i, y)).count();
            let rising = (0..SIZE).take_while(|i| is_mine(x, y + i)).count();
            let falling = (0..SIZE).take_while(|&i| is_mine(x.wrapping_sub(i), y + i)).count();
            [level, rising, falling]
        });
        lengths.max().unwrap_or(0)
    }

    fn winner(&self) -> Option<usize> {
        (0..2).find_map(|player| match self.longest(player) {
            0..=2 => None,
            3 => Some(1 - player),
            _ => Some(player),
        })
    }
}

impl Position for Board {
    fn moves(&self) -> Vec<(String, Self)> {
        let mut moves = Vec::new();
        if self.winner().is_some() {
            return moves;
        }
        for x in 0..SIZE {
            for y in (0..SIZE).filter(|y| (4..=12).contains(&(x + y))) {
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
        super::goals_of(self.winner())
    }
}
