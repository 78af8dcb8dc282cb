//! Nim with piles of 1, 3, 5 and 7 sticks: a move takes any number of sticks from one pile, and the
//! player who takes the last stick wins.
//!
//! A pile is a byte of a word. There are as many moves as sticks left: drawing a stick takes it and
//! all those above it in its pile. One multiplication adds up the piles from below, which gives the
//! number of moves and, compared with the stick drawn, its pile and its height there.
//!
//! What is measured is a short game whose every choice waits for the last.

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
        // Drawing sticks in a random order, and passing over those already gone, plays the same
        // game: a stick is a move if it comes before all those below it, which happens once in n
        // for the n-th stick of a pile. So the mean length is a sum of 1/n, and as the second stick
        // of a pile makes the length odd or even with equal chances, either player wins as often.
        let length: f64 =
            [1u32, 3, 5, 7].into_iter().flat_map(|pile| 1..=pile).map(|stick| f64::from(stick).recip()).sum();
        check_means(|mut rng| super::playout(&mut rng), length, 50.0);
    }
}
