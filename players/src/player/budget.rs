//! Budgets of decisions: limits of time and nodes, and cancellation.

use gdl_runtime::Cancel;
use std::time::{Duration, Instant};

/// The limits of a decision of a player. A search ends when the first of its limits is reached.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    deadline: Option<Instant>,
    nodes: Option<u64>,
    cancel: Cancel,
}

impl Budget {
    /// Creates a budget without limits. A search that would never end by itself then uses its
    /// `DEFAULT_NODES`.
    #[must_use]
    pub fn unlimited() -> Self {
        Self::default()
    }

    /// Creates a budget that ends at `deadline`.
    #[must_use]
    pub fn until(deadline: Instant) -> Self {
        Self { deadline: Some(deadline), ..Self::default() }
    }

    /// Creates a budget of `time` from now on; unlimited if the deadline exceeds the range of
    /// [`Instant`].
    #[must_use]
    pub fn within(time: Duration) -> Self {
        Self { deadline: Instant::now().checked_add(time), ..Self::default() }
    }

    /// Creates a budget of search nodes, or of playouts if a search counts those. Searches on one
    /// thread with equal seeds and nodes give the same results.
    #[must_use]
    pub fn of_nodes(nodes: u64) -> Self {
        Self { nodes: Some(nodes), ..Self::default() }
    }

    /// Limits this budget to `nodes` nodes.
    #[must_use]
    pub fn and_nodes(self, nodes: u64) -> Self {
        Self { nodes: Some(self.nodes.map_or(nodes, |before| before.min(nodes))), ..self }
    }

    /// Limits this budget to end at `deadline` at the latest.
    #[must_use]
    pub fn and_until(self, deadline: Instant) -> Self {
        Self { deadline: Some(self.deadline.map_or(deadline, |before| before.min(deadline))), ..self }
    }

    /// Sets the handle that cancels this budget, in place of any handle set before.
    #[must_use]
    pub fn cancelled_by(self, cancel: &Cancel) -> Self {
        Self { cancel: cancel.clone(), ..self }
    }

    /// Returns the deadline, if there is one.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Returns the maximum number of nodes, if it is limited.
    #[must_use]
    pub fn nodes(&self) -> Option<u64> {
        self.nodes
    }

    /// Returns the handle that cancels the budget.
    #[cfg(feature = "load")]
    pub(crate) fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Returns whether the budget was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Returns whether the deadline has passed or the budget was cancelled. The search itself
    /// counts nodes.
    #[must_use]
    pub fn is_spent(&self) -> bool {
        self.is_cancelled() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Returns a part, from 0 to 1, of the budget that remains after `spent` nodes.
    #[must_use]
    pub(crate) fn share(&self, part: f64, spent: u64) -> Self {
        let now = Instant::now();
        let deadline = self.deadline.map(|end| now + end.saturating_duration_since(now).mul_f64(part));
        #[allow(clippy::cast_sign_loss, reason = "a part of a number is none below 0")]
        let nodes = self.nodes.map(|nodes| (nodes.saturating_sub(spent) as f64 * part).ceil() as u64);
        Self { deadline, nodes, cancel: self.cancel.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_limit_counts() {
        let cancel = Cancel::default();
        let budget = Budget::of_nodes(10).and_nodes(20).cancelled_by(&cancel);
        assert_eq!(budget.nodes(), Some(10));
        assert_eq!(budget.deadline(), None);
        let now = Instant::now();
        assert_eq!(Budget::within(Duration::from_secs(3600)).and_until(now).deadline(), Some(now));
        assert!(Budget::until(now).and_until(now + Duration::from_secs(3600)).is_spent());
        assert!(!budget.is_spent());
        cancel.clone().cancel();
        assert!(budget.is_cancelled() && budget.is_spent());
        assert!(Budget::within(Duration::ZERO).is_spent());
        assert!(!Budget::within(Duration::MAX).is_spent());
        assert!(!Budget::within(Duration::from_secs(3600)).share(0.5, 0).is_spent());
        assert_eq!(Budget::of_nodes(10).share(0.5, 4).nodes(), Some(3));
    }
}
