//! Rock, paper, scissors, best of five: both players show a hand at the same time, a tie counts for
//! neither, and the match ends at three won rounds or after five rounds.
//!
//! A hand is a number below three that loses to its successor; one word decides all ten hands. All
//! five rounds are played, and rounds after the end are ignored, which costs less than an
//! unpredictable branch.
//!
//! The benchmark measures the only game here with simultaneous moves.

use super::{Outcome, below_each};

/// Plays one match.
#[inline]
pub fn playout(rng: &mut impl FnMut() -> u64) -> Outcome {
    let (mut first, mut second, mut length) = (0, 0, 0);
    for hands in below_each(rng, [9; 5]) {
        length += u32::from(first < 3 && second < 3);
        first += (FIRST_WINS >> hands) & 1;
        second += (SECOND_WINS >> hands) & 1;
    }
    Outcome::compared(length, first, second)
}

const FIRST_WINS: u32 = 0b1000_1100;
const SECOND_WINS: u32 = 0b0110_0010;

#[cfg(test)]
mod tests {
    use super::super::tests::check_means;

    #[test]
    fn means_are_the_exact_ones() {
        // The probabilities that either player wins the first three rounds, or two of three and the
        // fourth.
        let after_three = 2.0 / 27.0;
        let after_four = 2.0 * 3.0 * (1.0 / 27.0) * (2.0 / 3.0);
        let length = 5.0 - 2.0 * after_three - after_four;
        check_means(|mut rng| super::playout(&mut rng), length, 50.0);
    }
}
