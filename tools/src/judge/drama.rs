//! The drama of a match: the expectation of each role in each position, and measures of it.
//!
//! The expectations come from a Monte Carlo tree search with the node budget of the players. They
//! are from 0 to 100. Differences of less than `LEVEL` points are ignored.

use super::skill::{FinishedMatch, Terms};
use crate::statistics::mean_and_error;

/// The least difference between two values that counts, in points.
const LEVEL: f64 = 5.0;

/// The winner's value from which a match is decided.
const DECIDED: f64 = 90.0;

/// Values are searched for in one of `PART` matches.
const PART: usize = 4;

/// The measures of drama, over a number of matches.
#[derive(Clone, Debug)]
pub struct Drama {
    /// The mean drama of the matches that had a winner. `None` if no match had one.
    pub drama: Option<f64>,
    /// The mean number of lead changes of a match.
    pub lead_changes: f64,
    /// The mean share of positions after a match was decided, over the matches that had a winner.
    pub decided: Option<f64>,
    /// The values of the match with the greatest drama, position by position, and the seat that won
    /// it.
    pub tale: Option<(Vec<Vec<f64>>, usize)>,
}

impl Drama {
    /// Measures the first `1 / PART` of the matches. Returns `None` if the search gave no values
    /// for any of these matches.
    pub(super) fn new(terms: &Terms<'_>, matches: &[FinishedMatch]) -> Option<Self> {
        let mut drama = Self { drama: None, lead_changes: 0.0, decided: None, tale: None };
        let (mut dramas, mut shares, mut changes) = (Vec::new(), Vec::new(), Vec::new());
        for played in &matches[..matches.len().div_ceil(PART)] {
            let values = terms.values(played);
            if values.is_empty() {
                continue;
            }
            changes.push(f64::from(lead_changes(&values)));
            let Some(winner) = played.goals.as_deref().and_then(winner) else { continue };
            let tension = tension(&values, winner);
            if dramas.iter().all(|&other| tension > other) {
                drama.tale = Some((values.clone(), winner));
            }
            dramas.push(tension);
            shares.push(decided(&values, winner));
        }
        let mean = |values: Vec<f64>| {
            let (count, mean, _) = mean_and_error(values);
            (count > 0).then_some(mean)
        };
        drama.lead_changes = mean(changes)?;
        (drama.drama, drama.decided) = (mean(dramas), mean(shares));
        Some(drama)
    }
}

/// Returns the seat whose goal is greater than all others.
fn winner(goals: &[u8]) -> Option<usize> {
    let best = goals.iter().max()?;
    let mut first = goals.iter().enumerate().filter(|(_, goal)| *goal == best);
    let (seat, _) = first.next()?;
    first.next().is_none().then_some(seat)
}

/// Returns the distance of a seat from the greatest expectation, from 0 to 1.
fn gap(values: &[f64], seat: usize) -> f64 {
    let best = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let gap = best - values[seat];
    if gap < LEVEL { 0.0 } else { gap / 100.0 }
}

/// Returns the drama: the mean square root of the winner's `gap`, over the positions in which
/// another seat has the greatest expectation. Returns 0 if there is no such position.
#[must_use]
pub fn tension(values: &[Vec<f64>], winner: usize) -> f64 {
    let gaps = values.iter().map(|values| gap(values, winner)).filter(|&gap| gap > 0.0);
    mean_and_error(gaps.map(f64::sqrt)).1
}

/// Returns the number of lead changes: positions whose leader differs from the last leader.
#[must_use]
pub fn lead_changes(values: &[Vec<f64>]) -> u32 {
    let mut leader = None;
    let mut changes = 0;
    for values in values {
        let Some(first) = (0..values.len()).max_by(|&a, &b| values[a].total_cmp(&values[b])) else {
            continue;
        };
        // The value of a leader exceeds all other values by at least `LEVEL` points.
        let alone = (0..values.len()).all(|seat| seat == first || values[first] - values[seat] >= LEVEL);
        if alone {
            changes += u32::from(leader.is_some_and(|leader| leader != first));
            leader = Some(first);
        }
    }
    changes
}

/// Returns the share of the positions from which on the winner's value stays at `DECIDED` or above.
#[must_use]
pub fn decided(values: &[Vec<f64>], winner: usize) -> f64 {
    let sure = values.iter().rev().take_while(|values| values[winner] >= DECIDED).count();
    sure as f64 / values.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the values of two seats, given those of the first. In each position they add up to
    /// 100.
    fn story(first: &[f64]) -> Vec<Vec<f64>> {
        first.iter().map(|&value| vec![value, 100.0 - value]).collect()
    }

    #[test]
    fn drama_is_how_far_the_winner_was_behind() {
        // The gaps are 0.64 and 0.04; the second is below `LEVEL`. After that the seat leads.
        assert!((tension(&story(&[18.0, 48.0, 70.0, 100.0]), 0) - 0.8).abs() < 1e-12);
        assert!((tension(&story(&[18.0, 32.0, 70.0]), 0) - f64::midpoint(0.8, 0.6)).abs() < 1e-12);
        assert!(tension(&story(&[60.0, 90.0]), 0).abs() < 1e-12);
        assert!((tension(&story(&[100.0, 0.0]), 1) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_lead_changes_when_another_one_has_it() {
        for (values, changes) in [
            (&[60.0, 40.0, 60.0][..], 2),
            (&[60.0, 51.0, 60.0], 0),
            (&[60.0, 50.0, 40.0, 50.0], 1),
            (&[50.0, 50.0], 0),
            (&[], 0),
        ] {
            assert_eq!(lead_changes(&story(values)), changes, "{values:?}");
        }
        assert_eq!(lead_changes(&[vec![10.0, 20.0, 60.0], vec![70.0, 20.0, 60.0]]), 1);
    }

    #[test]
    fn what_is_decided_stays_so() {
        assert!((decided(&story(&[50.0, 95.0, 60.0, 91.0, 100.0]), 0) - 0.4).abs() < 1e-12);
        assert!((decided(&story(&[95.0, 95.0]), 0) - 1.0).abs() < 1e-12);
        assert!(decided(&story(&[5.0, 50.0]), 0).abs() < 1e-12);
    }

    #[test]
    fn winners_are_alone() {
        assert_eq!([winner(&[50, 50]), winner(&[0, 100]), winner(&[30, 70, 70])], [None, Some(1), None]);
        assert_eq!(winner(&[]), None);
    }
}
