//! Exploration of games, the part of the tools that takes long and is optimised.
//!
//! [`simulate`] finds faults by play. [`walk`] follows random games move by move, [`states`] counts
//! the states they visit, and [`coverage`] finds the rules they never use. [`statistics`]
//! summarises measurements.

pub mod coverage;
pub mod simulate;
pub mod states;
pub mod statistics;
pub mod walk;
mod witness;

use gdl_runtime::playouts::thousands;

/// Formats a count with its noun: `1 error`, `2 errors`.
#[must_use]
pub fn counted(count: usize, noun: &str) -> String {
    format!("{} {noun}{}", thousands(count as u128), if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn nouns_agree_with_their_count() {
        assert_eq!([0, 1, 2].map(|n| counted(n, "error")), ["0 errors", "1 error", "2 errors"]);
    }
}
