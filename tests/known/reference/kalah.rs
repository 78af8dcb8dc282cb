//! Kalah with six pits of four seeds each. Places are numbered around the board: pits 0 to 5 and
//! store 6 of the first player, then pits 7 to 12 and store 13 of the second.

use super::Position;

/// The seeds of each place, and the player to move.
#[derive(Clone)]
pub struct Board {
    seeds: [u32; 14],
    to_move: usize,
}

impl Default for Board {
    fn default() -> Self {
        Self { seeds: std::array::from_fn(|place| if place % 7 == 6 { 0 } else { 4 }), to_move: 0 }
    }
}

impl Board {
    fn is_finished(&self) -> bool {
        (0..2).any(|player| (0..6).all(|pit| self.seeds[7 * player + pit] == 0))
    }

    fn sow(&self, pit: usize) -> Self {
        let mut next = self.clone();
        let (mine, theirs) = (7 * self.to_move + 6, 13 - 7 * self.to_move);
        let mut hand = std::mem::take(&mut next.seeds[pit]);
        let mut place = pit;
        while hand > 0 {
            place = (place + 1) % 14;
            if place != theirs {
                next.seeds[place] += 1;
                hand -= 1;
            }
        }
        let is_own_pit = place != mine && place / 7 == self.to_move;
        if is_own_pit && next.seeds[place] == 1 && next.seeds[12 - place] > 0 {
            next.seeds[mine] += 1 + next.seeds[12 - place];
            next.seeds[place] = 0;
            next.seeds[12 - place] = 0;
        }
        if place != mine {
            next.to_move = 1 - self.to_move;
        }
        next
    }
}

impl Position for Board {
    fn moves(&self) -> Vec<(String, Self)> {
        if self.is_finished() {
            return Vec::new();
        }
        let pits = (0..6).filter(|pit| self.seeds[7 * self.to_move + pit] > 0);
        let named = pits.map(|pit| {
            let (x, y) = if self.to_move == 0 { (pit + 1, 1) } else { (6 - pit, 2) };
            (format!("(sow {x} {y})"), self.sow(7 * self.to_move + pit))
        });
        named.collect()
    }

    fn to_move(&self) -> usize {
        self.to_move
    }

    fn goals(&self) -> Vec<u8> {
        let first: u32 = self.seeds[..7].iter().sum();
        super::goals_of((first != 24).then(|| usize::from(first < 24)))
    }
}
