//! Nim with piles of 1, 3, 5 and 7 sticks: a move takes any number of sticks from one pile, and the
//! player who takes the last stick wins.
//!
//! A pile is a byte of a word. Each remaining stick is one move, which takes it and all sticks
//! above it in its pile. One multiplication computes the running totals of the piles. They give the
//! number of moves and, compared with the drawn stick, its pile and its height there.
//!
//! The benchmark measures a short game in which every choice depends on the previous one.

use super::{Outcome, below, find_first_above};

/// Plays one game.
#[inline]
pub fn playout(rng: &mut impl FnMut() -> u64) -> Outcome {
    let mut piles: u64 = 0x0705_0301;
    let mut length = 0;
    loop {
        let totals = piles.wrapping_mul(0x0101_0101) & 0xffff_ffff;
        let stick = below(rng, totals >> 24);
        let pile = find_first_above(totals, stick);
        let height = stick - (((totals << 8) >> pile) & 0xff);
        piles = (piles & !(0xff << pile)) | height << pile;
        length += 1;
        if piles == 0 {
            return Outcome::won_at(length);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check_means;

    #[test]
    fn means_are_the_exact_ones() {
        // Drawing sticks in a random order, and skipping those already gone, plays the same game. A
        // stick is a move if it comes before all those below it, with probability 1/n for the n-th
        // stick of a pile. So the mean length is a sum of 1/n. The second stick of a pile makes the
        // length odd or even with equal chances, so either player wins equally often.
        let length: f64 =
            [1u32, 3, 5, 7].into_iter().flat_map(|pile| 1..=pile).map(|stick| f64::from(stick).recip()).sum();
        check_means(|mut rng| super::playout(&mut rng), length, 50.0);
    }
}
