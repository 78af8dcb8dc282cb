//! Connect four on seven columns of six rows: discs fall to the lowest free cell of a column; four
//! in a line wins, and a full board is a draw.
//!
//! A column is seven bits; the highest stays empty so that no line continues from one column into
//! the next. Adding the lowest bit of a column to the taken cells carries up to the cell where a
//! disc lands. The open columns are a short array of such lowest bits, and a full column is removed
//! from it. That happens less than once a game, so the number of moves is predictable. The first
//! six plies can neither end the game nor meet a full column; one word decides them.
//!
//! The benchmark mostly measures the search for lines, done for a whole board at once.

use super::{Outcome, below, below_each};

/// Plays one game.
#[inline]
pub fn playout(rng: &mut impl FnMut() -> u64) -> Outcome {
    let (mut mine, mut theirs) = (0, 0);
    for column in below_each(rng, [7; 6]) {
        mine |= drop_disc(mine | theirs, LOWEST[column as usize & 7]);
        (mine, theirs) = (theirs, mine);
    }

    let mut open = LOWEST;
    let mut n_open = 7;
    if let Some(full) = LOWEST[..7].iter().position(|column| (mine | theirs) & (column << 5) != 0) {
        open[full] = open[6];
        n_open = 6;
    }

    let mut length = 6;
    loop {
        let choice = below(rng, n_open) as usize & 7;
        let disc = drop_disc(mine | theirs, open[choice]);
        mine |= disc;
        length += 1;
        if has_line(mine) {
            return Outcome::won_at(length);
        }
        if disc & HIGHEST != 0 {
            n_open -= 1;
            if n_open == 0 {
                return Outcome { length, goal: 50 };
            }
            open[choice] = open[n_open as usize & 7];
        }
        (mine, theirs) = (theirs, mine);
    }
}

/// Returns the lowest free cell of a column that is not full.
#[inline]
pub(crate) fn drop_disc(taken: u64, column: u64) -> u64 {
    (taken + column) & !taken
}

#[inline]
pub(crate) fn has_line(discs: u64) -> bool {
    // A line is two pairs of neighbours, two steps apart.
    let upright = discs & (discs >> 1);
    let falling = discs & (discs >> 6);
    let level = discs & (discs >> 7);
    let rising = discs & (discs >> 8);
    (upright & (upright >> 2))
        | (falling & (falling >> 12))
        | (level & (level >> 14))
        | (rising & (rising >> 16))
        != 0
}

/// The lowest cell of each column, with an extra entry that avoids bounds checks.
pub(crate) const LOWEST: [u64; 8] = [1, 1 << 7, 1 << 14, 1 << 21, 1 << 28, 1 << 35, 1 << 42, 0];

/// The highest cells of all columns.
pub(crate) const HIGHEST: u64 = 0x0408_1020_4081 << 5;

#[cfg(test)]
mod tests {
    use super::super::tests::check_means;

    #[test]
    fn means_are_those_of_plain_arrays() {
        // The means of 3.1 million games of a player that lists its moves from a plain array.
        check_means(|mut rng| super::playout(&mut rng), 21.312, 55.73);
    }

    #[test]
    fn lines_do_not_wrap() {
        assert!(super::has_line(0b1111 << 7));
        assert!(super::has_line(1 | 1 << 8 | 1 << 16 | 1 << 24));
        // Three at the top of a column and one at the bottom of the next are not a line.
        assert!(!super::has_line(0b111 << 3 | 1 << 7));
        // Three that rise to the top row are not a line, even with the cell after them in a wider
        // word.
        assert!(!super::has_line(1 << 3 | 1 << 11 | 1 << 19 | 1 << 28));
    }
}
