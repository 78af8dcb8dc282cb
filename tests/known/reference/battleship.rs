//! Battleship on four by four cells, with a ship of three cells and one of two each.

use super::Position;

/// The ships and shots of both players, and the percepts of the last step.
#[derive(Clone, Default)]
pub struct Seas {
    ships: [[[bool; 4]; 4]; 2],
    /// The shots of each player.
    shots: [[[bool; 4]; 4]; 2],
    /// The number of ships that both players have hidden so far.
    hidden: usize,
    to_move: usize,
    heard: [Vec<String>; 2],
}

impl Seas {
    fn is_sunk(&self, player: usize) -> bool {
        let cells = (0..16).map(|cell| (cell % 4, cell / 4));
        self.hidden == 4
            && cells.into_iter().all(|(x, y)| !self.ships[player][x][y] || self.shots[1 - player][x][y])
    }
}

impl Position for Seas {
    fn moves(&self) -> Vec<(String, Self)> {
        let mut moves = Vec::new();
        if self.is_sunk(0) || self.is_sunk(1) {
            return moves;
        }
        let me = self.to_move;
        let next = Self { to_move: 1 - me, heard: Default::default(), ..self.clone() };
        for (x, y) in (0..16).map(|cell| (cell % 4, cell / 4)) {
            if self.hidden == 4 {
                if !self.shots[me][x][y] {
                    let mut next = next.clone();
                    next.shots[me][x][y] = true;
                    let word = if self.ships[1 - me][x][y] { "hit" } else { "miss" };
                    let name = format!("(shoot {} {})", x + 1, y + 1);
                    next.heard[me].push(word.to_owned());
                    next.heard[1 - me].push(name.clone());
                    moves.push((name, next));
                }
                continue;
            }
            let length = if self.hidden < 2 { 3 } else { 2 };
            for (way, right, up) in [("east", 1, 0), ("north", 0, 1)] {
                let cells: Vec<_> = (0..length).map(|i| (x + right * i, y + up * i)).collect();
                if cells.iter().all(|&(x, y)| x < 4 && y < 4 && !self.ships[me][x][y]) {
                    let mut next = Self { hidden: self.hidden + 1, ..next.clone() };
                    cells.iter().for_each(|&(x, y)| next.ships[me][x][y] = true);
                    moves.push((format!("(hide {} {} {way})", x + 1, y + 1), next));
                }
            }
        }
        moves
    }

    fn to_move(&self) -> usize {
        self.to_move
    }

    fn goals(&self) -> Vec<u8> {
        super::goals_of((0..2).find(|&player| self.is_sunk(1 - player)))
    }

    fn is_within_step(&self) -> bool {
        self.hidden < 4 && self.to_move == 1
    }

    fn percepts(&self) -> Option<[Vec<String>; 2]> {
        Some(self.heard.clone())
    }
}
