//! Peg solitaire on the English board.

use super::Position;

/// The pegs, one bit for each place of a board of seven by seven.
#[derive(Clone)]
pub struct Board(u64);

fn is_hole(x: usize, y: usize) -> bool {
    x < 7 && y < 7 && ((2..=4).contains(&x) || (2..=4).contains(&y))
}

impl Default for Board {
    fn default() -> Self {
        let holes = (0..49).filter(|place| is_hole(place % 7, place / 7) && *place != 24);
        Self(holes.map(|place| 1 << place).sum())
    }
}

fn jump(pegs: u64) -> Vec<(String, u64)> {
    let has = |x: usize, y: usize| (pegs >> (7 * y + x)) & 1 == 1;
    let mut jumps = Vec::new();
    for (x, y) in (0..49).map(|place| (place % 7, place / 7)).filter(|&(x, y)| is_hole(x, y) && has(x, y)) {
        for (right, up) in [(1_isize, 0_isize), (-1, 0), (0, 1), (0, -1)] {
            let place =
                |times: isize| (x.wrapping_add_signed(right * times), y.wrapping_add_signed(up * times));
            let ((over_x, over_y), (to_x, to_y)) = (place(1), place(2));
            if is_hole(to_x, to_y) && has(over_x, over_y) && !has(to_x, to_y) {
                let changed = [(x, y), (over_x, over_y), (to_x, to_y)].map(|(x, y)| 1_u64 << (7 * y + x));
                let name = format!("(jump {} {} {} {})", x + 1, y + 1, to_x + 1, to_y + 1);
                jumps.push((name, pegs ^ changed.iter().sum::<u64>()));
            }
        }
    }
    jumps
}

/// The numbers of positions after 0, 1, 2 and more jumps, up to `depth`.
#[must_use]
pub fn layers(depth: usize) -> Vec<u64> {
    let follow = |pegs: &u64| jump(*pegs).into_iter().map(|(_, next)| next).collect();
    super::count_layers(Board::default().0, depth, follow)
}

impl Position for Board {
    fn moves(&self) -> Vec<(String, Self)> {
        jump(self.0).into_iter().map(|(name, pegs)| (name, Self(pegs))).collect()
    }

    fn to_move(&self) -> usize {
        0
    }

    fn goals(&self) -> Vec<u8> {
        vec![match self.0.count_ones() {
            1 if self.0 == 1 << 24 => 100,
            1 => 50,
            _ => 0,
        }]
    }
}
