//! Lights out: pressing a cell of a 5x5 board toggles it and its neighbours. One player starts from
//! a diamond of lights and has twenty presses to switch all off. Any cell is a legal press at any
//! time.
//!
//! The lights are 25 bits, a press toggles a fixed set of them, and one word decides ten presses.
//! Playouts rarely switch all lights off, yet each press tests for it, as the rules do.
//!
//! The benchmark measures little besides the generator: the same 25 moves at every step.

use super::{Outcome, below_each};

/// Plays one game.
#[inline]
pub fn playout(rng: &mut impl FnMut() -> u64) -> Outcome {
    let mut lit = DIAMOND;
    let mut length = 0;
    for _ in 0..2 {
        for cell in below_each(rng, [25; 10]) {
            lit ^= SWITCHED[cell as usize & 31];
            length += 1;
            if lit == 0 {
                return Outcome { length, goal: 100 };
            }
        }
    }
    Outcome { length, goal: 0 }
}

/// The initial lights, row by row from the lowest bit.
const DIAMOND: u32 = 0b00100_01110_11011_01110_00100;

/// The lights that each cell's press toggles; only the first 25 entries are cells.
static SWITCHED: [u32; 32] = {
    let mut switched = [0; 32];
    let mut cell: u32 = 0;
    while cell < 25 {
        let mut light: u32 = 0;
        while light < 25 {
            let rows = (cell / 5).abs_diff(light / 5);
            let columns = (cell % 5).abs_diff(light % 5);
            if rows + columns <= 1 {
                switched[cell as usize] |= 1 << light;
            }
            light += 1;
        }
        cell += 1;
    }
    switched
};

#[cfg(test)]
mod tests {
    use super::{super::tests::check_means, Outcome, playout};

    #[test]
    fn random_presses_fail() {
        check_means(|mut rng| playout(&mut rng), 20.0, 0.0);
    }

    #[test]
    fn a_solution_ends_the_game() {
        let solution = "..#.. .#.#. #...# .#.#. ..#..";
        let mut presses: Vec<u128> = solution
            .bytes()
            .filter(|&mark| mark != b' ')
            .zip(0..)
            .filter_map(|(mark, cell)| (mark == b'#').then_some(cell))
            .collect();
        let length = presses.len() as u32;
        presses.resize(20, 0);
        // The words whose digits are the given presses.
        let mut words = presses.chunks(10).map(|presses| {
            let number = presses.iter().fold(0, |number, press| 25 * number + press);
            (((number << 64) + (1 << 63)) / 25u128.pow(10)) as u64
        });
        let outcome = playout(&mut || words.next().expect("two words are drawn"));
        assert_eq!(outcome, Outcome { length, goal: 100 });
    }
}
