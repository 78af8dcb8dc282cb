//! Values that [`Best`](crate::search::Best) learned during start clocks, or made of the nets that
//! it was given. They are stored in this process for later matches of the same game, since a host
//! creates a new player for each match.

use crate::{
    player::Budget,
    search::{LearnedValue, Net, NetError, Training},
};
use gdl_runtime::Game;
use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

/// The least time before a match for training a net.
const LEAST: Duration = Duration::from_secs(8);

/// The maximum number of stored values.
const KEPT: usize = 8;

/// Values that were learned, and values of given nets.
static LEARNT: Store = Store(Mutex::new(Vec::new()));
static GIVEN: Store = Store(Mutex::new(Vec::new()));

/// Returns the value of a game by the first net that belongs to it. Returns `None` if there is
/// none, or the budget is spent first.
pub(super) fn given<G: Game>(game: &G, nets: &[Arc<Net>], budget: &Budget) -> Option<LearnedValue> {
    if nets.is_empty() {
        return None;
    }
    let fingerprint = LearnedValue::fingerprint_of(game, budget)?;
    let net = nets.iter().find(|net| net.fingerprint() == fingerprint)?;
    if let Some(known) = GIVEN.find(fingerprint).filter(|known| Arc::ptr_eq(known.net(), net)) {
        return Some(known);
    }
    let value = LearnedValue::within(game, net.clone(), budget).ok()?;
    GIVEN.keep(value.clone());
    Some(value)
}

/// Returns the value of a game: a stored one, or one that is trained now if there is time. Returns
/// `None` otherwise, or if the game cannot be learned. A budget without a deadline or with a limit
/// of nodes never has time.
pub(super) fn value<G: Game>(game: &G, seed: u64, threads: usize, budget: &Budget) -> Option<LearnedValue> {
    let end = budget.deadline().filter(|_| budget.nodes().is_none())?;
    if let Some(known) = find(game, budget) {
        return Some(known);
    }
    let time = end.saturating_duration_since(Instant::now());
    if time < LEAST {
        return None;
    }
    let value = train(game, seed, threads, time, budget).ok()?;
    LEARNT.keep(value.clone());
    Some(value)
}

/// Returns the learned value of a game, if it is stored.
fn find<G: Game>(game: &G, budget: &Budget) -> Option<LearnedValue> {
    if LEARNT.values().is_empty() {
        return None;
    }
    LEARNT.find(LearnedValue::fingerprint_of(game, budget)?)
}

/// Values of the latest games.
struct Store(Mutex<Vec<LearnedValue>>);

impl Store {
    fn values(&self) -> MutexGuard<'_, Vec<LearnedValue>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the value of the game with this fingerprint.
    fn find(&self, fingerprint: u64) -> Option<LearnedValue> {
        self.values().iter().find(|value| value.net().fingerprint() == fingerprint).cloned()
    }

    /// Stores a value, and drops the oldest one if there are too many.
    fn keep(&self, value: LearnedValue) {
        let mut values = self.values();
        values.insert(0, value);
        values.truncate(KEPT);
    }
}

/// Trains until the budget is spent; `time` is the time from now to the deadline.
fn train<G: Game>(
    game: &G,
    seed: u64,
    threads: usize,
    time: Duration,
    budget: &Budget,
) -> Result<LearnedValue, NetError> {
    let start = Instant::now();
    let all = || thread::available_parallelism().map_or(1, usize::from);
    let threads = if threads == 0 { all() } else { threads };
    let mut training = Training::within(game, seed, budget)?;
    while !budget.is_spent() {
        let part = start.elapsed().as_secs_f64() / time.as_secs_f64();
        training.advance(game, part, threads, budget);
    }
    Ok(training.value())
}

#[cfg(all(test, feature = "load"))]
mod tests {
    use super::*;
    use gdl_runtime::{Dynamic, load};
    use std::slice;

    /// Makes a game in which two roles count to `steps`, so that games of different lengths differ.
    fn counter(steps: usize) -> Dynamic {
        let facts = (0..steps).map(|n| format!("(succ {n} {})", n + 1)).collect::<Vec<_>>().concat();
        load(&format!(
            "(role a) (role b) (init (at 0)) {facts} (<= (legal ?r go) (role ?r))
             (<= (next (at ?m)) (true (at ?n)) (succ ?n ?m)) (<= terminal (true (at {steps})))
             (<= (goal ?r 50) (role ?r))"
        ))
        .expect("a sound rulesheet")
    }

    fn within(seconds: u64) -> Budget {
        Budget::within(Duration::from_secs(seconds))
    }

    #[test]
    fn values_are_kept_by_game_the_newest_of_them() {
        let games: Vec<Dynamic> = (2..4 + KEPT).map(counter).collect();
        for game in &games {
            assert!(find(game, &within(100)).is_none());
            LEARNT.keep(Training::new(game, 0).expect("it can be learned").value());
            assert!(find(game, &within(100)).is_some());
        }
        let kept: Vec<bool> = games.iter().map(|game| find(game, &within(100)).is_some()).collect();
        assert_eq!(kept, [vec![false; 2], vec![true; KEPT]].concat());
        // A stored value needs no time for training; a budget of nodes does not use it.
        assert!(value(&games[KEPT], 0, 1, &within(5)).is_some());
        assert!(value(&games[0], 0, 1, &within(5)).is_none());
        assert!(value(&games[KEPT], 0, 1, &Budget::of_nodes(1000)).is_none());
    }

    #[test]
    fn the_value_of_a_given_net_is_made_once() {
        let game = counter(40);
        let [first, second] =
            [0, 1].map(|seed| Arc::new(Training::new(&game, seed).expect("it can be learned").net()));
        let by = |net: &Arc<Net>| given(&game, slice::from_ref(net), &Budget::unlimited()).expect("its net");
        let is_stored = |net: &Arc<Net>| {
            let stored = GIVEN.find(first.fingerprint());
            stored.is_some_and(|value| Arc::ptr_eq(value.net(), net))
        };
        assert!(!is_stored(&first) && Arc::ptr_eq(by(&first).net(), &first) && is_stored(&first));
        assert!(Arc::ptr_eq(by(&second).net(), &second) && is_stored(&second));
        assert!(given(&counter(41), &[first], &Budget::unlimited()).is_none());
        assert!(find(&game, &Budget::unlimited()).is_none(), "it was not learned");
    }

    #[test]
    fn no_training_begins_without_time() {
        let spent = Budget::within(Duration::ZERO);
        assert_eq!(train(&counter(60), 0, 1, Duration::from_secs(9), &spent).err(), Some(NetError::Late));
    }
}
