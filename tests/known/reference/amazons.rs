//! Amazons on ten by ten squares; a turn is three moves.

use super::Position;

const SIZE: usize = 10;

/// The squares, the player to move and the stage of the turn.
#[derive(Clone)]
pub struct Board {
    /// The player of each amazon, or 2 for an arrow, by column and row.
    squares: [[Option<usize>; SIZE]; SIZE],
    to_move: usize,
    stage: usize,
    held: (usize, usize),
}

impl Default for Board {
    fn default() -> Self {
        let mut squares = [[None; SIZE]; SIZE];
        for (x, y) in [(0, 3), (3, 0), (6, 0), (9, 3)] {
            squares[x][y] = Some(0);
            squares[x][SIZE - 1 - y] = Some(1);
        }
        Self { squares, to_move: 0, stage: 0, held: (0, 0) }
    }
}

impl Board {
    /// The squares within reach of a queen's move.
    fn reach(&self, (x, y): (usize, usize)) -> Vec<(usize, usize)> {
        let mut reached = Vec::new();
        for right in -1..=1 {
            for up in -1..=1 {
                let mut at = (x.wrapping_add_signed(right), y.wrapping_add_signed(up));
                // The direction (0, 0) ends at once, since the square itself is occupied.
                while at.0 < SIZE && at.1 < SIZE && self.squares[at.0][at.1].is_none() {
                    reached.push(at);
                    at = (at.0.wrapping_add_signed(right), at.1.wrapping_add_signed(up));
                }
            }
        }
        reached
    }
}

impl Position for Board {
    fn moves(&self) -> Vec<(String, Self)> {
        let mut next = Self { stage: (self.stage + 1) % 3, ..self.clone() };
        let name = |verb: &str, (x, y): (usize, usize)| format!("({verb} {} {})", x + 1, y + 1);
        if self.stage == 0 {
            let mut moves = Vec::new();
            for x in 0..SIZE {
                for y in 0..SIZE {
                    if self.squares[x][y] == Some(self.to_move) && !self.reach((x, y)).is_empty() {
                        moves.push((name("choose", (x, y)), Self { held: (x, y), ..next.clone() }));
                    }
                }
            }
            return moves;
        }
        if self.stage == 2 {
            next.to_move = 1 - self.to_move;
        }
        let moves = self.reach(self.held).into_iter().map(|(x, y)| {
            let mut next = next.clone();
            if self.stage == 1 {
                next.squares[self.held.0][self.held.1] = None;
                next.squares[x][y] = Some(self.to_move);
                next.held = (x, y);
                (name("move", (x, y)), next)
            } else {
                next.squares[x][y] = Some(2);
                (name("shoot", (x, y)), next)
            }
        });
        moves.collect()
    }

    fn to_move(&self) -> usize {
        self.to_move
    }

    fn goals(&self) -> Vec<u8> {
        super::goals_of(self.moves().is_empty().then_some(1 - self.to_move))
    }
}
