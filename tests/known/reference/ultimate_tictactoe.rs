//! Ultimate tic-tac-toe. Cells and boards are numbered 0 to 8, row by row.

use super::Position;

const LINES: [[usize; 3]; 8] =
    [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];

/// Counts the move sequences of each length from 1 to `depth`.
#[must_use]
pub fn perft(depth: u32) -> Vec<u64> {
    super::count_sequences(&Boards::default(), depth, &Position::successors)
}

/// The marks, the board that the next mark must go to and the player to move.
#[derive(Clone, Default)]
pub struct Boards {
    /// The player of each mark, by board and cell.
    marks: [[Option<usize>; 9]; 9],
    sent: Option<usize>,
    to_move: usize,
}

/// The player with three marks in a line, if there is one.
fn winner(cells: &[Option<usize>; 9]) -> Option<usize> {
    (0..2).find(|&player| LINES.iter().any(|line| line.iter().all(|&cell| cells[cell] == Some(player))))
}

impl Boards {
    fn winner(&self) -> Option<usize> {
        winner(&std::array::from_fn(|board| winner(&self.marks[board])))
    }

    fn is_open(&self, board: usize) -> bool {
        winner(&self.marks[board]).is_none() && self.marks[board].contains(&None)
    }
}

impl Position for Boards {
    fn moves(&self) -> Vec<(String, Self)> {
        let mut moves = Vec::new();
        if self.winner().is_some() {
            return moves;
        }
        let sent = self.sent.filter(|&board| self.is_open(board));
        for board in (0..9).filter(|&board| self.is_open(board) && sent.is_none_or(|sent| sent == board)) {
            for cell in (0..9).filter(|&cell| self.marks[board][cell].is_none()) {
                let mut next = Self { sent: Some(cell), to_move: 1 - self.to_move, ..self.clone() };
                next.marks[board][cell] = Some(self.to_move);
                let numbers = [board % 3, board / 3, cell % 3, cell / 3].map(|number| number + 1);
                let [i, j, x, y] = numbers;
                moves.push((format!("(mark {i} {j} {x} {y})"), next));
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
