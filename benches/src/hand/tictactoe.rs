//! Tic-tac-toe: two players mark cells of a 3x3 board in turn; three in a line wins.
//!
//! Each player's marks, and the free cells, are nine bits. The number of moves at each ply is known
//! beforehand, so one word decides the whole game. All nine plies are played without a test for the
//! end of the game. The first completed line is determined afterwards, since later plies cannot
//! change it. That trades a wasted ply or two for the one branch that no processor could predict.
//!
//! The benchmark measures the cost of drawing, marking and recognising lines. The games are so
//! short that any overhead per game shows.

use super::{Outcome, below_each};

/// Plays one game.
#[inline]
pub fn playout(rng: &mut impl FnMut() -> u64) -> Outcome {
    let choices = below_each(rng, [9, 8, 7, 6, 5, 4, 3, 2, 1]);
    let mut free = 0o777;
    let mut marks = [0; 2];
    let mut lines = 0;
    for (ply, choice) in choices.into_iter().enumerate() {
        let mark = SELECT[usize::from(free) & 0o777][choice as usize & 15];
        free ^= mark;
        marks[ply % 2] |= mark;
        // No player has three marks before the fifth ply.
        if ply >= 4 {
            lines |= u32::from(HAS_LINE[usize::from(marks[ply % 2]) & 0o777]) << ply;
        }
    }
    // A draw is encoded as a line at the ply after the last, which would be the second player's.
    let ply = (lines | 1 << 9).trailing_zeros();
    let goal = 100 * u8::from(ply % 2 == 0) + 50 * u8::from(ply == 9);
    Outcome { length: 9.min(ply + 1), goal }
}

/// The bit of each rank in each set of free cells. The row length is a power of two for simple
/// addressing.
static SELECT: [[u16; 16]; 512] = {
    let mut select = [[0; 16]; 512];
    let mut free = 0;
    while free < 512 {
        let (mut cell, mut rank) = (0, 0);
        while cell < 9 {
            if (free >> cell) & 1 == 1 {
                select[free][rank] = 1 << cell;
                rank += 1;
            }
            cell += 1;
        }
        free += 1;
    }
    select
};

/// For each set of marks, true if it contains a line.
static HAS_LINE: [bool; 512] = {
    let lines = [0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];
    let mut has_line = [false; 512];
    let mut marks = 0;
    while marks < 512 {
        let mut line = 0;
        while line < lines.len() {
            has_line[marks] |= marks & lines[line] == lines[line];
            line += 1;
        }
        marks += 1;
    }
    has_line
};

#[cfg(test)]
mod tests {
    use super::super::tests::check_means;

    #[test]
    fn means_are_the_exact_ones() {
        // Computed from the numbers of games that end at plies 5 to 9: 1440, 5328, 47952, 72576 and
        // 127872, the last including 46080 draws.
        check_means(|mut rng| super::playout(&mut rng), 3203.0 / 420.0, 4085.0 / 63.0);
    }
}
