//! Pentago. Placing a marble and turning a quarter are two moves.

use super::Position;

/// Counts the move sequences of each length from 1 to `depth`.
#[must_use]
pub fn perft(depth: u32) -> Vec<u64> {
    super::count_sequences(&Board::default(), depth, &Position::successors)
}

/// The marbles, the player to move and the stage of the turn.
#[derive(Clone, Default)]
pub struct Board {
    /// The player of each marble, by column and by row from the bottom.
    marbles: [[Option<usize>; 6]; 6],
    to_move: usize,
    turning: bool,
}

impl Board {
    fn has_line(&self, player: usize) -> bool {
        let is_mine =
            |x: usize, y: usize| self.marbles.get(x).and_then(|column| column.get(y)) == Some(&Some(player));
        (0..6).any(|x| {
            (0..6).any(|y| {
                let upright = (0..5).all(|i| is_mine(x, y + i));
                let level = (0..5).all(|i| is_mine(x + i, y));
                let rising = (0..5).all(|i| is_mine(x + i, y + i));
                // The column before the first wraps to a huge number, which is outside the board.
                let falling = (0..5).all(|i| is_mine(x.wrapping_sub(i), y + i));
                upright || level || rising || falling
            })
        })
    }

    /// Turns the quarter whose lower left cell is (x, y): its left column becomes its top row.
    fn turn_clockwise(&mut self, x: usize, y: usize) {
        let old = self.marbles;
        for a in 0..3 {
            for b in 0..3 {
                self.marbles[x + b][y + 2 - a] = old[x + a][y + b];
            }
        }
    }

    fn placements(&self) -> Vec<(String, Self)> {
        let mut moves = Vec::new();
        for x in 0..6 {
            for y in 0..6 {
                if self.marbles[x][y].is_none() {
                    let mut next = Self { turning: true, ..self.clone() };
                    next.marbles[x][y] = Some(self.to_move);
                    moves.push((format!("(place {} {})", x + 1, y + 1), next));
                }
            }
        }
        moves
    }

    fn turnings(&self) -> Vec<(String, Self)> {
        let mut moves = Vec::new();
        for (x, side) in [(0, "left"), (3, "right")] {
            for (y, height) in [(0, "lower"), (3, "upper")] {
                for (times, direction) in [(1, "clockwise"), (3, "anticlockwise")] {
                    let mut next = Self { turning: false, to_move: 1 - self.to_move, ..self.clone() };
                    (0..times).for_each(|_| next.turn_clockwise(x, y));
                    moves.push((format!("(turn {side} {height} {direction})"), next));
                }
            }
        }
        moves
    }
}

impl Position for Board {
    fn moves(&self) -> Vec<(String, Self)> {
        if self.has_line(0) || self.has_line(1) {
            Vec::new()
        } else if self.turning {
            self.turnings()
        } else {
            self.placements()
        }
    }

    fn to_move(&self) -> usize {
        self.to_move
    }

    fn goals(&self) -> Vec<u8> {
        super::goals_of(match [self.has_line(0), self.has_line(1)] {
            [true, false] => Some(0),
            [false, true] => Some(1),
            _ => None,
        })
    }
}
