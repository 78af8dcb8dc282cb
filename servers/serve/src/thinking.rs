//! The threads in which machines think; each returns its move to the session.
//!
//! There are at most `MOST` threads. At most as many of them think at a time as the machine has
//! cores, or two on a single core. This limit holds for known games and for uploaded ones
//! separately. A search ends with its [budget](MachinePlayer::budget), or when it is cancelled; it
//! checks both between steps of the game.

use crate::{
    expectation::Expectation,
    seats::{MachinePlayer, Mind},
    session::Session,
    shared::Shared,
    thought::{AdviceQuestion, Effort, Thought},
};
use gdl_players::{Budget, Player, player::Report, search::Mcts};
use gdl_runtime::{Dynamic, Game, dynamic::MoveId};
use std::{
    panic::{self, AssertUnwindSafe},
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// The longest time for which a session steps itself before the next request.
const STRETCH: Duration = Duration::from_millis(500);

/// The interval between reports of a running search.
const PULSE: Duration = Duration::from_millis(200);

/// The shortest time of a step if only machines play, so that people can follow.
const PACE: Duration = Duration::from_millis(400);

/// The most threads, including those that wait for a turn.
const MOST: usize = 128;

/// The number of running threads.
static THREADS: AtomicUsize = AtomicUsize::new(0);

/// Returns the number of further threads that may be started.
#[must_use]
pub(crate) fn room() -> usize {
    MOST.saturating_sub(THREADS.load(Ordering::SeqCst))
}

/// The turns of searches, for known games and for uploaded ones.
static TURNS: [Turns; 2] = [const { Turns { taken: Mutex::new(0), given: Condvar::new() } }; 2];

/// Starts a thread. If the system has no more threads, the work is not done and the session keeps
/// waiting.
fn spawn(name: &str, work: impl FnOnce() + Send + 'static) {
    /// A guard that counts the thread until the thread ends or fails to start.
    struct Counted;
    impl Drop for Counted {
        fn drop(&mut self) {
            THREADS.fetch_sub(1, Ordering::SeqCst);
        }
    }
    THREADS.fetch_add(1, Ordering::SeqCst);
    let counted = Counted;
    let started = thread::Builder::new().name(name.to_owned()).spawn(move || {
        let _counted = counted;
        yield_to_others();
        work();
    });
    drop(started);
}

/// Lowers the priority of a thread that thinks, and of those that it starts. The page and the
/// threads that answer take precedence. Does nothing on systems without priorities for threads.
fn yield_to_others() {
    // If the system forbids this, the priority stays the same.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(10);
}

struct Turns {
    taken: Mutex<usize>,
    given: Condvar,
}

impl Turns {
    fn take(&self) -> Turn<'_> {
        let most = thread::available_parallelism().map_or(2, usize::from).max(2);
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let mut taken =
            self.given.wait_while(taken, |taken| *taken >= most).unwrap_or_else(PoisonError::into_inner);
        *taken += 1;
        Turn(self)
    }
}

/// A turn, which is freed when it is dropped.
struct Turn<'a>(&'a Turns);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *self.0.taken.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.given.notify_one();
    }
}

/// Runs `work` on a session. Then lets the session step itself for a limited time, and starts the
/// searches that it needs.
pub(crate) fn with<T>(shared: &Arc<Shared>, work: impl FnOnce(&mut Session) -> T) -> T {
    let begin = |session: &mut Session| {
        session.tick(Instant::now());
        work(session)
    };
    shared.with(begin, |session| {
        for thought in session.settle(&Budget::within(STRETCH), room()) {
            start(Arc::clone(shared), thought);
        }
        session.wind(Instant::now());
    })
}

/// Starts the search for a move, and gives the session its result.
fn start(shared: Arc<Shared>, thought: Thought) {
    spawn("thought", move || {
        let began = Instant::now();
        let Thought { role, epoch, is_shown, .. } = thought;
        // A player that panics loses its move, and the session goes on.
        let came = panic::catch_unwind(AssertUnwindSafe(|| think(&shared, thought)));
        let (mind, action) = came.map_or((None, None), |(mind, action)| (Some(mind), action));
        if is_shown {
            let rest = PACE.saturating_sub(began.elapsed());
            thread::sleep(rest);
        }
        with(&shared, |session| session.conclude(role, epoch, mind, action));
    });
}

fn think(shared: &Arc<Shared>, mut thought: Thought) -> (Mind, Option<MoveId>) {
    let _turn = TURNS[usize::from(!thought.is_known)].take();
    let Thought { role, epoch, time, .. } = thought;
    let began = Instant::now();
    if thought.is_fresh {
        let budget = MachinePlayer::budget(time, &thought.cancel);
        thought.mind.player.start(&thought.game, role, &budget);
    }
    let mut effort = Effort::default();
    loop {
        let left = time.saturating_sub(began.elapsed());
        let slice = if thought.machine.goes_on() { left.min(PULSE) } else { left };
        let budget = MachinePlayer::budget(slice, &thought.cancel);
        let action = thought.mind.player.choose(&thought.game, &thought.information, &budget);
        let report = thought.mind.player.report().unwrap_or_default();
        effort = add(effort, &report, began);
        let wanted = with(shared, |session| session.follow(role, epoch, effort));
        let is_over = began.elapsed() + Duration::from_millis(20) >= time;
        if !wanted || is_over || report.exact || !thought.machine.goes_on() {
            return (thought.mind, action);
        }
    }
}

/// The time and the most bytes of a search for advice.
const ADVICE: Duration = Duration::from_secs(2);
const ADVICE_BYTES: usize = 64 << 20;

/// Starts a search for advice. Reports its results to the session until it ends.
pub(crate) fn answer(shared: Arc<Shared>, question: AdviceQuestion) {
    spawn("advice", move || {
        let _turn = TURNS[usize::from(!question.is_known)].take();
        let role = question.information.role();
        if question.game.vocabulary().has_percepts() {
            return expect(&shared, &question);
        }
        let mut player = Mcts::new().seed(question.seed).memory(ADVICE_BYTES);
        let began = Instant::now();
        let mut effort = Effort::default();
        loop {
            let budget = MachinePlayer::budget(PULSE, &question.cancel);
            player.choose(&question.game, &question.information, &budget);
            let report = Player::<Dynamic>::report(&player).unwrap_or_default();
            effort = add(effort, &report, began);
            let is_done = began.elapsed() >= ADVICE || report.exact;
            let wanted =
                with(&shared, |session| session.learn(role, question.epoch, effort, report.moves, is_done));
            if is_done || !wanted {
                return;
            }
        }
    });
}

/// Searches for advice for a role with hidden information.
fn expect(shared: &Arc<Shared>, question: &AdviceQuestion) {
    let AdviceQuestion { game, information, epoch, .. } = question;
    let began = Instant::now();
    let whole = MachinePlayer::budget(ADVICE, &question.cancel);
    let mut expectation = Expectation::new(game, information, question.seed);
    loop {
        let end = began.elapsed() + PULSE;
        while began.elapsed() < end && expectation.improve(game, information, &whole) {}
        let (playouts, seconds) = (expectation.playouts(), began.elapsed().as_secs_f64());
        let effort = Effort { playouts, nodes: playouts, seconds };
        let (moves, is_done) = (expectation.moves(game, information), whole.is_spent());
        let wanted =
            with(shared, |session| session.learn(information.role(), *epoch, effort, moves, is_done));
        if is_done || !wanted {
            return;
        }
    }
}

/// Adds the work of a report to earlier work.
fn add(before: Effort, report: &Report, began: Instant) -> Effort {
    Effort {
        playouts: before.playouts + report.playouts,
        nodes: before.nodes + report.nodes,
        seconds: began.elapsed().as_secs_f64(),
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn threads_that_think_let_others_go_first() {
        let own = rustix::process::nice(0).expect("a priority");
        let (told, heard) = channel();
        spawn("thought", move || {
            let _ = told.send(rustix::process::nice(0));
        });
        let theirs = heard.recv().expect("it is told").expect("a priority");
        assert!(theirs > own, "{theirs} {own}");
        assert_eq!(rustix::process::nice(0), Ok(own));
    }
}
