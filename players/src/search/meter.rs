//! The meter of a search: counts nodes and checks the budget.

use crate::player::Budget;
use std::time::{Duration, Instant};

/// The maximum number of nodes between two checks of the clock.
const MOST_UNSEEN: u64 = 256;

/// The approximate time that a search may run between two checks of the clock.
const UNSEEN: Duration = Duration::from_micros(200);

/// A counter of nodes that checks a budget. Nodes are counted exactly. The clock is read at an
/// interval adapted to the node rate, and some time is reserved for the work after the search.
pub(crate) struct Meter {
    budget: Budget,
    start: Instant,
    /// The time to stop, slightly before the deadline.
    stop: Option<Instant>,
    limit: u64,
    nodes: u64,
    next_look: u64,
    interval: u64,
    last_look: Instant,
    /// The longest time between two checks so far; the next one is expected to take at most as
    /// long.
    longest: Duration,
    is_over: bool,
}

impl Meter {
    /// Starts counting. If the budget has neither nodes nor a deadline, the limit is `or_nodes`.
    pub(crate) fn new(budget: &Budget, or_nodes: u64) -> Self {
        let start = Instant::now();
        let reserve = |left: Duration| (left / 10).min(Duration::from_millis(30));
        let stop = budget.deadline().map(|end| {
            let left = end.saturating_duration_since(start);
            start + left.saturating_sub(reserve(left))
        });
        let limit = budget.nodes().unwrap_or(if stop.is_some() { u64::MAX } else { or_nodes });
        Self {
            budget: budget.clone(),
            start,
            stop,
            limit,
            nodes: 0,
            next_look: 0,
            interval: 1,
            last_look: start,
            longest: Duration::ZERO,
            is_over: false,
        }
    }

    /// Counts a node. Returns false if the budget is spent.
    #[inline]
    pub(crate) fn tick(&mut self) -> bool {
        self.spend(1)
    }

    /// Counts `nodes` nodes. Returns false if the budget is spent.
    #[inline]
    pub(crate) fn spend(&mut self, nodes: u64) -> bool {
        self.nodes += nodes;
        if self.nodes > self.limit {
            self.nodes = self.limit.max(self.nodes - nodes);
            self.is_over = true;
        } else if self.nodes >= self.next_look {
            self.look();
        }
        !self.is_over
    }

    /// Reads the clock, checks the budget and adapts the interval.
    pub(crate) fn look(&mut self) {
        let now = Instant::now();
        let taken = now - self.last_look;
        self.longest = self.longest.max(taken);
        self.is_over |=
            self.budget.is_cancelled() || self.stop.is_some_and(|stop| now + self.longest >= stop);
        self.interval =
            if taken > UNSEEN { (self.interval / 2).max(1) } else { (self.interval * 2).min(MOST_UNSEEN) };
        self.last_look = now;
        self.next_look = self.nodes + self.interval;
    }

    /// Returns whether more than `time` is left.
    pub(crate) fn leaves(&self, time: Duration) -> bool {
        self.stop.is_none_or(|stop| Instant::now() + time < stop)
    }

    /// Returns whether the budget is spent.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }

    pub(crate) fn nodes(&self) -> u64 {
        self.nodes
    }

    pub(crate) fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gdl_runtime::Cancel;

    #[test]
    fn nodes_are_counted_exactly() {
        let mut meter = Meter::new(&Budget::of_nodes(1000), 5);
        assert_eq!((0..5000).filter(|_| meter.tick()).count(), 1000);
        assert_eq!((meter.nodes(), meter.is_over()), (1000, true));
        let mut meter = Meter::new(&Budget::unlimited(), 5);
        assert_eq!((0..5000).filter(|_| meter.tick()).count(), 5);
    }

    #[test]
    fn the_cancelled_and_the_late_stop_at_once() {
        let cancel = Cancel::default();
        cancel.cancel();
        assert!(!Meter::new(&Budget::unlimited().cancelled_by(&cancel), 5).tick());
        assert!(!Meter::new(&Budget::within(Duration::ZERO), 5).tick());
    }
}
