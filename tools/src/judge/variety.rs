//! The differences among games of the same rules.

use crate::analyze::walk::Walks;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The joint moves that an opening is made of.
const OPENING: usize = 4;

/// The shares of different states, ends and openings among all that were met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variety {
    /// Different states, as a share of those that random games visit.
    pub states: f64,
    /// Different terminal states, as a share of the random games that end in one.
    pub ends: f64,
    /// Different openings, as a share of the matches of equal players. `None` if none were played.
    pub openings: Option<f64>,
}

impl Variety {
    /// The variety of random games, from the numbers of terminal states met and of different ones,
    /// and of matches.
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

/// The share of matches, each a list of joint moves, that begin as no other before.
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
