//! A sudoku, and a search for all its solutions.

use super::Position;

/// The digit of each cell, by rows from the top; 0 if empty.
#[derive(Clone)]
pub struct Grid([u8; 81]);

impl Default for Grid {
    fn default() -> Self {
        let rows = [
            "...3...98",
            "....894..",
            "1......7.",
            "4.2.365..",
            "6.......2",
            "..821.7.9",
            ".6......4",
            "..165....",
            "82...3...",
        ];
        let digits = rows.concat();
        Self(std::array::from_fn(|cell| digits.as_bytes()[cell].saturating_sub(b'0')))
    }
}

impl Grid {
    fn allows(&self, cell: usize, digit: u8) -> bool {
        let block = |cell: usize| (cell / 27, cell % 9 / 3);
        self.0[cell] == 0
            && (0..81).all(|other| {
                let meets = other / 9 == cell / 9 || other % 9 == cell % 9 || block(other) == block(cell);
                !meets || self.0[other] != digit
            })
    }

    fn is_full(&self) -> bool {
        !self.0.contains(&0)
    }

    /// All solutions of the grid.
    #[must_use]
    pub fn solutions(&self) -> Vec<String> {
        let options = |cell: usize| (1..=9).filter(move |&digit| self.allows(cell, digit));
        let empty = (0..81).filter(|&cell| self.0[cell] == 0);
        let Some(cell) = empty.min_by_key(|&cell| options(cell).count()) else {
            return vec![self.0.iter().map(|digit| char::from(b'0' + digit)).collect()];
        };
        let filled = options(cell).map(|digit| {
            let mut next = self.clone();
            next.0[cell] = digit;
            next
        });
        filled.flat_map(|next| next.solutions()).collect()
    }
}

impl Position for Grid {
    fn moves(&self) -> Vec<(String, Self)> {
        let mut moves = Vec::new();
        for cell in 0..81 {
            for digit in (1..=9).filter(|&digit| self.allows(cell, digit)) {
                let mut next = self.clone();
                next.0[cell] = digit;
                moves.push((format!("(write {} {} {digit})", cell % 9 + 1, 9 - cell / 9), next));
            }
        }
        moves
    }

    fn to_move(&self) -> usize {
        0
    }

    fn goals(&self) -> Vec<u8> {
        vec![if self.is_full() { 100 } else { 0 }]
    }
}
