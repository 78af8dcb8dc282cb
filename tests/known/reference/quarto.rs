//! Quarto. A piece is a number whose four binary digits are its properties.

use super::Position;

/// The cells, the piece in hand and the player to move.
#[derive(Clone, Default)]
pub struct Board {
    /// The piece of each cell, by column and row.
    cells: [[Option<usize>; 4]; 4],
    hand: Option<usize>,
    to_move: usize,
}

fn name(piece: usize) -> String {
    let words = [["tall", "short"], ["light", "dark"], ["square", "round"], ["solid", "hollow"]];
    let words: Vec<&str> = (0..4).map(|digit| words[digit][(piece >> digit) & 1]).collect();
    words.join(" ")
}

impl Board {
    fn has_line(&self) -> bool {
        let upright = (0..4).map(|x| self.cells[x]);
        let level = (0..4).map(|y| std::array::from_fn(|x| self.cells[x][y]));
        let rising = std::array::from_fn(|i| self.cells[i][i]);
        let falling = std::array::from_fn(|i| self.cells[i][3 - i]);
        upright.chain(level).chain([rising, falling]).any(|line| {
            let pieces: Vec<usize> = line.into_iter().flatten().collect();
            let ones = pieces.iter().fold(15, |common, piece| common & piece);
            let zeros = pieces.iter().fold(15, |common, piece| common & !piece);
            pieces.len() == 4 && (ones | zeros) != 0
        })
    }
}

impl Position for Board {
    fn moves(&self) -> Vec<(String, Self)> {
        let mut moves = Vec::new();
        let placed: Vec<usize> = self.cells.iter().flatten().flatten().copied().collect();
        if self.has_line() || placed.len() == 16 {
            return moves;
        }
        let Some(hand) = self.hand else {
            for piece in (0..16).filter(|piece| !placed.contains(piece)) {
                let next = Self { hand: Some(piece), to_move: 1 - self.to_move, ..self.clone() };
                moves.push((format!("(give {})", name(piece)), next));
            }
            return moves;
        };
        for x in 0..4 {
            for y in 0..4 {
                if self.cells[x][y].is_none() {
                    let mut next = Self { hand: None, ..self.clone() };
                    next.cells[x][y] = Some(hand);
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
        super::goals_of(self.has_line().then_some(self.to_move))
    }
}
