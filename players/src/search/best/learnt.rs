//! Trainings of [`Best`](crate::search::Best) during start clocks, and values of the nets that it
//! was given. They are stored in this process, and in a [`Folder`] if there is one, for later
//! matches of the same game, since a host creates a new player for each match.

use super::folder::Folder;
use crate::{
    player::Budget,
    search::{LearnedValue, Net, Training},
};
use gdl_runtime::Game;
use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

/// The least time before a match for training a net.
const LEAST: Duration = Duration::from_secs(8);

/// The maximum number of stored trainings, and of stored values.
const KEPT: usize = 8;

/// Trainings without their states, and values of given nets.
static LEARNT: Store<Training> = Store(Mutex::new(Vec::new()));
static GIVEN: Store<LearnedValue> = Store(Mutex::new(Vec::new()));

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
    GIVEN.keep(fingerprint, value.clone());
    Some(value)
}

/// Returns the value of a game: that of a stored training, which continues if there is time, or of
/// a new one if there is time. Returns `None` otherwise, or if the game cannot be learned. A budget
/// without a deadline or with a limit of nodes never has time.
pub(super) fn value<G: Game>(
    game: &G,
    seed: u64,
    threads: usize,
    folder: Option<Folder<'_>>,
    budget: &Budget,
) -> Option<LearnedValue> {
    let end = budget.deadline().filter(|_| budget.nodes().is_none())?;
    let known = find(game, folder, budget);
    let time = end.saturating_duration_since(Instant::now());
    if time < LEAST {
        return known.map(|training| training.value());
    }
    let mut training = known.or_else(|| Training::within(game, seed, budget).ok())?;
    let before = training.samples();
    train(&mut training, game, threads, time, budget);
    if training.samples() == before {
        return (before > 0).then(|| training.value());
    }
    training.drop_states();
    LEARNT.keep(training.fingerprint(), training.clone());
    // A training that cannot be written is still in this process.
    let _ = folder.map(|folder| folder.write(&training));
    Some(training.value())
}

/// Returns the training of a game, if it is stored in this process or in the folder.
fn find<G: Game>(game: &G, folder: Option<Folder<'_>>, budget: &Budget) -> Option<Training> {
    if folder.is_none() && LEARNT.items().is_empty() {
        return None;
    }
    let fingerprint = LearnedValue::fingerprint_of(game, budget)?;
    LEARNT.find(fingerprint).or_else(|| folder?.read(game, fingerprint, budget))
}

/// Items of the latest games, each with the fingerprint of its game.
struct Store<T>(Mutex<Vec<(u64, T)>>);

impl<T: Clone> Store<T> {
    fn items(&self) -> MutexGuard<'_, Vec<(u64, T)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the item of the game with this fingerprint.
    fn find(&self, fingerprint: u64) -> Option<T> {
        self.items().iter().find(|(own, _)| *own == fingerprint).map(|(_, item)| item.clone())
    }

    /// Stores an item in place of that of the same game, and drops the oldest one if there are too
    /// many.
    fn keep(&self, fingerprint: u64, item: T) {
        let mut items = self.items();
        items.retain(|(own, _)| *own != fingerprint);
        items.insert(0, (fingerprint, item));
        items.truncate(KEPT);
    }
}

/// Trains until the budget is spent; `time` is the time from now to the deadline. The learning rate
/// falls over the whole time of the training, so a training that continues starts with less.
fn train<G: Game>(training: &mut Training, game: &G, threads: usize, time: Duration, budget: &Budget) {
    let start = Instant::now();
    let all = || thread::available_parallelism().map_or(1, usize::from);
    let threads = if threads == 0 { all() } else { threads };
    let before = training.seconds();
    while !budget.is_spent() {
        let part = (before + start.elapsed().as_secs_f64()) / (before + time.as_secs_f64());
        training.advance(game, part, threads, budget);
    }
    training.count_seconds(start.elapsed().as_secs_f64());
}

#[cfg(all(test, feature = "load"))]
mod tests {
    use super::*;
    use crate::search::NetError;
    use gdl_runtime::{Cancel, Dynamic, load};
    use std::{fs, slice};

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

    /// Held by tests that store trainings, since others would drop theirs.
    static ALONE: Mutex<()> = Mutex::new(());

    fn find_here(game: &Dynamic) -> Option<Training> {
        find(game, None, &within(100))
    }

    #[test]
    fn trainings_are_kept_by_game_the_newest_of_them() {
        let _alone = ALONE.lock();
        let games: Vec<Dynamic> = (2..4 + KEPT).map(counter).collect();
        for game in &games {
            assert!(find_here(game).is_none());
            let training = Training::new(game, 0).expect("it can be learned");
            // A later training of the game replaces the earlier one.
            for _ in 0..2 {
                LEARNT.keep(training.fingerprint(), training.clone());
            }
            assert!(find_here(game).is_some());
        }
        let kept: Vec<bool> = games.iter().map(|game| find_here(game).is_some()).collect();
        assert_eq!(kept, [vec![false; 2], vec![true; KEPT]].concat());
        // A stored value needs no time for training; a budget of nodes does not use it.
        let value = |game: &Dynamic, budget: &Budget| value(game, 0, 1, None, budget);
        assert!(value(&games[KEPT], &within(5)).is_some());
        assert!(value(&games[0], &within(5)).is_none());
        assert!(value(&games[KEPT], &Budget::of_nodes(1000)).is_none());
    }

    #[test]
    fn a_training_continues_where_it_ended() {
        let game = counter(50);
        let mut training = Training::new(&game, 0).expect("it can be learned");
        let mut before = (0, 0.0);
        for _ in 0..2 {
            // More and more time, until a round is finished.
            let mut time = Duration::from_millis(50);
            while training.samples() == before.0 {
                time *= 2;
                train(&mut training, &game, 1, time, &Budget::within(time));
            }
            assert!(training.seconds() > before.1);
            let whole = training.state().len();
            training.drop_states();
            assert!(training.state().len() < whole);
            before = (training.samples(), training.seconds());
        }
    }

    #[test]
    fn what_a_start_clock_learns_is_stored_in_the_process_and_in_the_folder() {
        let _alone = ALONE.lock();
        let game = counter(53);
        let temporary = tempfile::tempdir().expect("a folder");
        let folder = Folder(temporary.path());
        // The start clock is cut short, later and later until a round is finished.
        let learn = |more_than: u64| {
            (6..20).map(|power| Duration::from_millis(1 << power)).find_map(|time| {
                let cancel = Cancel::default();
                let budget = within(100).cancelled_by(&cancel);
                let value = thread::scope(|scope| {
                    scope.spawn(|| {
                        thread::sleep(time);
                        cancel.cancel();
                    });
                    value(&game, 0, 1, Some(folder), &budget)
                });
                value.map(|value| value.samples()).filter(|&samples| samples > more_than)
            })
        };
        let first = learn(0).expect("a round");
        let read = || {
            let fingerprint = LearnedValue::fingerprint_of(&game, &within(100)).expect("enough time");
            folder.read(&game, fingerprint, &within(100)).expect("a file").samples()
        };
        assert_eq!((find_here(&game).expect("it is stored").samples(), read()), (first, first));
        let second = learn(first).expect("another round");
        assert_eq!((find_here(&game).expect("it is stored").samples(), read()), (second, second));
    }

    #[test]
    fn a_training_in_the_folder_is_used_unless_it_is_damaged_or_foreign() {
        let games = [51, 52].map(counter);
        let temporary = tempfile::tempdir().expect("a folder");
        let path = temporary.path();
        let folder = Folder(path);
        let [own, other] = games.each_ref().map(|game| {
            let mut training = Training::new(game, 0).expect("it can be learned");
            training.advance(game, 0.0, 1, &Budget::unlimited());
            training.drop_states();
            training
        });
        let samples = |game| value(game, 0, 1, Some(folder), &within(5)).map(|value| value.samples());
        assert_eq!(samples(&games[0]), None);
        folder.write(&own).expect("it can be written");
        assert_eq!(samples(&games[0]), Some(own.samples()));
        let file = path.join(format!("{:016x}.training", own.fingerprint()));
        let mut bytes = own.state();
        let place = bytes.len() / 2;
        bytes[place] ^= 1;
        for bytes in [bytes, other.state(), Vec::new()] {
            fs::write(&file, bytes).expect("it can be written");
            assert_eq!(samples(&games[0]), None);
        }
        folder.write(&own).expect("it replaces the file");
        assert_eq!(samples(&games[0]), Some(own.samples()));
        assert_eq!(fs::read_dir(path).expect("a folder").count(), 1);
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
        assert!(find_here(&game).is_none(), "it was not learned");
    }

    #[test]
    fn no_training_begins_without_time() {
        let budget = Budget::within(Duration::ZERO);
        assert!(value(&counter(60), 0, 1, None, &budget).is_none());
        assert_eq!(Training::within(&counter(60), 0, &budget).err(), Some(NetError::Late));
    }
}
