//! Dots and boxes with four by four boxes. Dots, lines and boxes lie on a grid of nine by nine.

use super::{Position, neighbours};

const SIZE: usize = 9;

/// The drawn lines, the boxes of each player and the player to move.
#[derive(Clone, Default)]
pub struct Grid {
    drawn: [[bool; SIZE]; SIZE],
    boxes: [u32; 2],
    to_move: usize,
}

impl Position for Grid {
    fn moves(&self) -> Vec<(String, Self)> {
        let mut moves = Vec::new();
        for x in 0..SIZE {
            for y in 0..SIZE {
                if (x + y) % 2 == 0 || self.drawn[x][y] {
                    continue;
                }
                let mut next = self.clone();
                next.drawn[x][y] = true;
                let is_box = |&(x, y): &(usize, usize)| x % 2 == 1 && y % 2 == 1;
                let closed = neighbours((x, y), SIZE, SIZE)
                    .filter(is_box)
                    .filter(|&place| neighbours(place, SIZE, SIZE).all(|(x, y)| next.drawn[x][y]));
                match closed.count() {
                    0 => next.to_move = 1 - self.to_move,
                    count => next.boxes[self.to_move] += count as u32,
                }
                moves.push((format!("(draw {} {})", x + 1, y + 1), next));
            }
        }
        moves
    }

    fn to_move(&self) -> usize {
        self.to_move
    }

    fn goals(&self) -> Vec<u8> {
        let [first, second] = self.boxes;
        super::goals_of((first != second).then(|| usize::from(first < second)))
    }
}
