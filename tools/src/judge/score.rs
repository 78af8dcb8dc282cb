//! The score: one number that ranks games, computed from several measures.
//!
//! The score is the harmonic mean of its parts, so a low part cannot be offset by the others. The
//! parts are those of Todd and others, "GAVEL: generating games via evolution and language models",
//! 2024. They use the outcomes of skilled play if available, otherwise those of random play. Parts
//! that do not apply to a game are omitted.

use super::PlayResults;

/// A part of the score, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScorePart {
    /// The name of the measure.
    pub name: &'static str,
    /// The value of the measure.
    pub value: f64,
}

/// Returns the parts that apply to a game with `seats` seats.
#[must_use]
pub fn parts(played: &PlayResults, seats: usize) -> Vec<ScorePart> {
    let outcome = played.peers.as_ref().map_or(&played.random, |peers| &peers.outcome);
    let mut parts = vec![ScorePart { name: "completion", value: outcome.completion() }];
    let mut add = |name, value: Option<f64>| parts.extend(value.map(|value| ScorePart { name, value }));
    add("decisiveness", (seats > 1).then(|| outcome.decisiveness()));
    add("balance", (seats > 1).then(|| outcome.balance()));
    add("agency", played.shape.as_ref().map(|shape| shape.agency));
    add("coverage", played.dead.as_ref().map(super::Dead::coverage));
    add("depth", played.ladder.as_ref().map(super::Ladder::depth));
    parts
}

/// The least value of a part in the mean, so that games with a part of 0 still differ in score.
const LEAST: f64 = 0.01;

/// Returns the harmonic mean of the parts; 0 if there is no part.
#[must_use]
pub fn harmonic_mean(parts: &[ScorePart]) -> f64 {
    let sum: f64 = parts.iter().map(|part| 1.0 / part.value.max(LEAST)).sum();
    if sum > 0.0 { parts.len() as f64 / sum } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_bad_part_is_not_made_good_by_others() {
        let mean = |values: &[f64]| {
            harmonic_mean(&values.iter().map(|&value| ScorePart { name: "x", value }).collect::<Vec<_>>())
        };
        assert!((mean(&[1.0, 0.5]) - 2.0 / 3.0).abs() < 1e-12);
        assert!((mean(&[1.0, 1.0, 0.25]) - 0.5).abs() < 1e-12);
        assert!(mean(&[]).abs() < 1e-12 && (mean(&[1.0, 0.0]) - 2.0 / 101.0).abs() < 1e-12);
    }
}
