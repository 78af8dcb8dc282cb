//! The variety of games: the differences between games of the same rules.

use gdl_exploration::walk::Walks;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The number of joint moves in an opening.
const OPENING: usize = 4;

/// The shares of distinct states, terminal states and openings among all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variety {
    /// The share of distinct states among those that random games visit.
    pub states: f64,
    /// The share of distinct terminal states among those that random games visit.
    pub ends: f64,
    /// The share of distinct openings among the matches of equal players. `None` if none were
    /// played.
    pub openings: Option<f64>,
}

impl Variety {
    /// Computes the variety from random games, the numbers of all and of distinct terminal states,
    /// and matches.
    #[must_use]
    pub fn new<'m, M: Ord + 'm>(
        walks: &Walks,
        [met, different]: [f64; 2],
        matches: Option<impl Iterator<Item = &'m [Vec<M>]>>,
    ) -> Self {
        Self {
            states: share(walks.states.estimate().distinct, walks.states.visited() as f64),
            ends: share(different, met),
            openings: matches.map(openings),
        }
    }

    pub(super) fn to_json(self) -> Value {
        json!({ "states": self.states, "ends": self.ends, "openings": self.openings })
    }
}

/// Returns the share of distinct openings among matches, given as joint moves.
#[must_use]
pub fn openings<'m, M: Ord + 'm>(matches: impl Iterator<Item = &'m [Vec<M>]>) -> f64 {
    let (mut count, mut seen) = (0_u32, BTreeSet::new());
    for joints in matches {
        count += 1;
        seen.insert(&joints[..joints.len().min(OPENING)]);
    }
    share(seen.len() as f64, f64::from(count))
}

fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { (part / whole).min(1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::openings;

    #[test]
    fn openings_are_four_moves_or_all() {
        let matches = [
            vec![vec![1], vec![2], vec![3], vec![4], vec![5]],
            vec![vec![1], vec![2], vec![3], vec![4], vec![6]],
            vec![vec![1], vec![2], vec![3]],
            vec![vec![1], vec![2], vec![9], vec![4], vec![5]],
        ];
        let share = openings(matches.iter().map(|joints| &joints[..]));
        assert!((share - 0.75).abs() < 1e-12, "{share}");
        assert!(openings::<u8>(std::iter::empty()).abs() < 1e-12);
    }
}
