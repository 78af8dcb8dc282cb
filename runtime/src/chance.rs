//! Chance: exact probabilities as fractions that are never rounded, and repeatable streams of
//! random numbers.

use num_rational::Ratio;
use num_traits::{CheckedAdd, CheckedMul, Zero};
use std::fmt;

pub use crate::random::Stream;

/// A probability: a fraction of 128-bit numbers in lowest terms. `Display` writes `1/3`, and 0 and
/// 1 without a denominator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Probability(Ratio<u128>);

impl Probability {
    /// The probability 0: never.
    pub const ZERO: Self = Self(Ratio::new_raw(0, 1));
    /// The probability 1: always.
    pub const ONE: Self = Self(Ratio::new_raw(1, 1));

    /// Creates the probability of `numerator` cases out of `denominator` equally likely ones.
    /// Returns `None` if `denominator` is 0 or less than `numerator`.
    #[must_use]
    pub fn new(numerator: u128, denominator: u128) -> Option<Self> {
        (numerator <= denominator && denominator > 0).then(|| Self(Ratio::new(numerator, denominator)))
    }

    /// The probability of one of `cases` equally likely cases; 0 if `cases` is 0.
    #[must_use]
    pub fn one_in(cases: usize) -> Self {
        if cases == 0 { Self::ZERO } else { Self(Ratio::new_raw(1, cases as u128)) }
    }

    /// The numerator, in lowest terms.
    #[must_use]
    pub fn numerator(self) -> u128 {
        *self.0.numer()
    }

    /// The denominator, in lowest terms.
    #[must_use]
    pub fn denominator(self) -> u128 {
        *self.0.denom()
    }

    /// Returns true if the probability is 0.
    #[must_use]
    pub fn is_zero(self) -> bool {
        self.0.is_zero()
    }

    /// The probability that two independent events both happen. Returns `None` if it takes more
    /// than 128 bits.
    #[must_use]
    pub fn checked_mul(self, other: Self) -> Option<Self> {
        self.0.checked_mul(&other.0).map(Self)
    }

    /// The probability that one of two mutually exclusive events happens. Returns `None` if it
    /// takes more than 128 bits or exceeds 1.
    #[must_use]
    pub fn checked_add(self, other: Self) -> Option<Self> {
        self.0.checked_add(&other.0).map(Self).filter(|&sum| sum <= Self::ONE)
    }

    /// The probability as a floating-point number; the last bit or two may be wrong.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        self.numerator() as f64 / self.denominator() as f64
    }
}

impl fmt::Display for Probability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_exact() {
        let third = Probability::one_in(3);
        let two = third.checked_add(third).unwrap();
        assert_eq!((two.numerator(), two.denominator()), (2, 3));
        assert_eq!(two.checked_add(third), Some(Probability::ONE));
        assert_eq!(two.checked_add(two), None);
        assert_eq!(third.checked_mul(Probability::new(3, 4).unwrap()), Probability::new(1, 4));
        assert!(third < Probability::new(100, 299).unwrap());
        assert_eq!([third, Probability::ZERO, Probability::ONE].map(|p| p.to_string()), ["1/3", "0", "1"]);
        assert!((third.to_f64() - 1.0 / 3.0).abs() < 1e-16);
        assert_eq!(Probability::new(2, 1), None);
        assert_eq!(Probability::new(0, 0), None);
        assert_eq!(Probability::one_in(0), Probability::ZERO);
    }

    #[test]
    fn what_is_too_fine_is_none() {
        let tiny = Probability::new(1, u128::MAX).unwrap();
        assert_eq!(tiny.checked_mul(Probability::one_in(2)), None);
        assert_eq!(tiny.checked_add(Probability::one_in(2)), None);
        assert!(Probability::ZERO < tiny && tiny < Probability::one_in(usize::MAX));
    }
}
