//! Nets that `best` trained while a start clock ran, kept for later matches of the same games in
//! this process: a host of matches makes a new player for each.

use crate::{
    player::Budget,
    search::{AlphaBeta, LearnedValue, Net, NetError, Training},
};
use gdl_runtime::Game;
use std::{
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

/// The time before a match from which on a net is trained in it.
const LEAST: Duration = Duration::from_secs(8);

/// Nets that are kept, the newest of them.
const KEPT: usize = 8;

static LEARNT: Mutex<Vec<Arc<Net>>> = Mutex::new(Vec::new());

/// The net of a game: one that was kept, or one that is trained now if there is time. Returns
/// `None` if neither is so, or the game cannot be learnt.
pub(super) fn net<G: Game>(game: &G, seed: u64, threads: usize, budget: &Budget) -> Option<Arc<Net>> {
    let end = budget.deadline().filter(|_| budget.nodes().is_none())?;
    let kept = || LEARNT.lock().unwrap_or_else(PoisonError::into_inner);
    let known = kept().iter().find(|net| net.is_of(game)).cloned();
    let time = end.saturating_duration_since(Instant::now());
    if known.is_some() || time < LEAST {
        return known;
    }
    let net = Arc::new(train(game, seed, threads, time, budget).ok()?);
    let mut kept = kept();
    kept.insert(0, net.clone());
    kept.truncate(KEPT);
    Some(net)
}

/// Trains for all of a budget.
fn train<G: Game>(
    game: &G,
    seed: u64,
    threads: usize,
    time: Duration,
    budget: &Budget,
) -> Result<Net, NetError> {
    let start = Instant::now();
    let all = || thread::available_parallelism().map_or(1, usize::from);
    let threads = if threads == 0 { all() } else { threads };
    let mut training = Training::new(game, seed)?;
    while !budget.is_spent() {
        let part = start.elapsed().as_secs_f64() / time.as_secs_f64();
        training.advance(game, part, threads, budget);
    }
    Ok(training.net())
}

/// Alpha-beta that judges by a net.
pub(super) fn search<G: Game>(game: &G, net: Arc<Net>, seed: u64, bytes: usize) -> Option<AlphaBeta<G>> {
    let value = LearnedValue::new(game, net).ok()?;
    Some(AlphaBeta::new().seed(seed).memory(bytes).evaluation(value))
}
