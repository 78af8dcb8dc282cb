//! Phantom tic-tac-toe. Cells are numbered 0 to 8, row by row.

use super::Position;

/// The marks, each player's knowledge of them and the percepts of the last step.
#[derive(Clone, Default)]
pub struct Board {
    marks: [Option<usize>; 9],
    /// The cells that each player knows to be marked.
    known: [[bool; 9]; 2],
    to_move: usize,
    heard: [Vec<String>; 2],
}

impl Board {
    fn winner(&self) -> Option<usize> {
        let lines = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];
        (0..2).find(|&player| {
            lines.iter().any(|line| line.iter().all(|&cell| self.marks[cell] == Some(player)))
        })
    }
}

impl Position for Board {
    fn moves(&self) -> Vec<(String, Self)> {
        if self.winner().is_some() || !self.marks.contains(&None) {
            return Vec::new();
        }
        let me = self.to_move;
        let open = (0..9).filter(|&cell| !self.known[me][cell]);
        let named = open.map(|cell| {
            let mut next = Self { heard: Default::default(), ..self.clone() };
            next.known[me][cell] = true;
            let is_taken = self.marks[cell].is_some();
            next.heard[me].push(if is_taken { "taken" } else { "marked" }.to_owned());
            if !is_taken {
                next.marks[cell] = Some(me);
                next.to_move = 1 - me;
                next.heard[1 - me].push("your_turn".to_owned());
            }
            (format!("(mark {} {})", cell % 3 + 1, cell / 3 + 1), next)
        });
        named.collect()
    }

    fn to_move(&self) -> usize {
        self.to_move
    }

    fn goals(&self) -> Vec<u8> {
        super::goals_of(self.winner())
    }

    fn percepts(&self) -> Option<[Vec<String>; 2]> {
        Some(self.heard.clone())
    }
}
