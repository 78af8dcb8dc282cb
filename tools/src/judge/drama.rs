//! The story of a match: the expectation of each role in each position, and the tension that
//! follows from it.
//!
//! The values come from a Monte Carlo tree search with as many nodes as the players had. They are
//! of 100, so a difference of less than `LEVEL` points counts as none.

use super::skill::{Played, Terms};
use crate::statistics::mean_and_error;

/// Points by which values must differ for one of them to be greater.
const LEVEL: f64 = 5.0;

/// The value from which a match is decided.
const DECIDED: f64 = 90.0;

/// One match in this number is retold.
const TOLD: usize = 4;

/// The measures of the matches' stories.
#[derive(Clone, Debug)]
pub struct Drama {
    /// The mean drama of the matches that had a winner. `None` if there are none.
    pub drama: Option<f64>,
    /// The mean number of lead changes of a match.
    pub lead_changes: f64,
    /// The mean share of a match that is played though it is decided, over those that had a winner.
    pub decided: Option<f64>,
    /// The values of the most dramatic match, position by position, and its winner; of one that had
    /// a winner.
    pub tale: Option<(Vec<Vec<f64>>, usize)>,
}

impl Drama {
    /// Tells the first of some matches of several players. Returns `None` if no position of them
    /// could be searched.
    pub(super) fn new(terms: &Terms<'_>, matches: &[Played]) -> Option<Self> {
        let mut drama = Self { drama: None, lead_changes: 0.0, decided: None, tale: None };
        let (mut dramas, mut shares, mut changes) = (Vec::new(), Vec::new(), Vec::new());
        for played in &matches[..matches.len().div_ceil(TOLD)] {
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

/// The seat whose goal is above all others.
fn winner(goals: &[u8]) -> Option<usize> {
    let best = goals.iter().max()?;
    let mut first = goals.iter().enumerate().filter(|(_, goal)| *goal == best);
    let (seat, _) = first.next()?;
    first.next().is_none().then_some(seat)
}

/// The distance of a seat from the one with the greatest expectation, of 1; 0 if it is that one.
fn gap(values: &[f64], seat: usize) -> f64 {
    let best = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let gap = best - values[seat];
    if gap < LEVEL { 0.0 } else { gap / 100.0 }
}

/// Drama: the mean of the square root of the later winner's distance from the greatest expectation,
/// over the positions in which another seat has that; 0 if there are none.
#[must_use]
pub fn tension(values: &[Vec<f64>], winner: usize) -> f64 {
    let gaps = values.iter().map(|values| gap(values, winner)).filter(|&gap| gap > 0.0);
    mean_and_error(gaps.map(f64::sqrt)).1
}

/// Lead changes: how often another seat can expect most than the one that could before.
#[must_use]
pub fn lead_changes(values: &[Vec<f64>]) -> u32 {
    let mut leader = None;
    let mut changes = 0;
    for values in values {
        let Some(first) = (0..values.len()).max_by(|&a, &b| values[a].total_cmp(&values[b])) else {
            continue;
        };
        // A lead that is shared is none.
        let alone = (0..values.len()).all(|seat| seat == first || values[first] - values[seat] >= LEVEL);
        if alone {
            changes += u32::from(leader.is_some_and(|leader| leader != first));
            leader = Some(first);
        }
    }
    changes
}

/// Decided: the share of the positions from the one on from which the winner could expect to win to
/// the end.
#[must_use]
pub fn decided(values: &[Vec<f64>], winner: usize) -> f64 {
    let sure = values.iter().rev().take_while(|values| values[winner] >= DECIDED).count();
    sure as f64 / values.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The story of two seats from the expectation of the first; the other has the rest.
    fn story(first: &[f64]) -> Vec<Vec<f64>> {
        first.iter().map(|&value| vec![value, 100.0 - value]).collect()
    }

    #[test]
    fn drama_is_how_far_the_winner_was_behind() {
        // Gaps of 0.64 and 0.04, which is less than a lead; then it leads.
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
