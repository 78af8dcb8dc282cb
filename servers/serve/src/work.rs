//! Work in other threads than the one that answers. Each job gets a turn and returns its result, or
//! an error if no turn is free in time.
//!
//! Jobs run in a [`WorkQueue`]. A queue has some turns, and each running job holds one. All queues
//! together have [`THREADS`] turns, so a job with a turn has a thread. That bounds the number of
//! running jobs and thus their memory. Known games have queues of their own. So requests about them
//! are answered even while untrusted rulesheets fill the other queues.
//!
//! A request waits at most [`PATIENCE`] for a turn. A job is cancelled when its time is up or its
//! client has left. It checks a [`Cancel`], and keeps its turn until it has ended. So a client that
//! leaves does not free a turn early. A cancelled job ends at its next check: the compiler checks
//! every few thousand steps ([`observer`]), play before each step of a game.

use crate::problem::{Answer, Problem};
use gdl_compiler::Observer;
use gdl_runtime::Cancel;
use std::{ops::ControlFlow, sync::Arc, time::Duration};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The longest time that a request waits for a turn.
const PATIENCE: Duration = Duration::from_secs(10);

/// A queue for one kind of work.
#[derive(Debug)]
pub(crate) struct WorkQueue {
    turns: Arc<Semaphore>,
    longest: Duration,
}

/// The queues for all kinds of work.
#[derive(Debug)]
pub(crate) struct WorkQueues {
    /// The queues for requests of sessions: of known games, and of others.
    sessions: [WorkQueue; 2],
    /// The queues for random games: of known games, and of others.
    analyzing: [WorkQueue; 2],
    /// The queue for compiling uploaded rulesheets, for reasons in their games, and for positions
    /// of results.
    pub(crate) compiling: WorkQueue,
    /// The queue for compiling uploaded rulesheets within the larger limits of `gdl serve FILE`,
    /// one at a time.
    pub(crate) patient: WorkQueue,
    /// The queue for reading results.
    #[cfg(feature = "manage")]
    pub(crate) reading: WorkQueue,
}

const SESSIONS: usize = 2;
const ANALYZING: usize = 1;
const COMPILING: usize = 2;
const PATIENT: usize = 1;
const READING: usize = if cfg!(feature = "manage") { 2 } else { 0 };

/// The number of turns of all queues, and thus of threads.
pub(crate) const THREADS: usize = 2 * SESSIONS + 2 * ANALYZING + COMPILING + PATIENT + READING;

impl Default for WorkQueues {
    fn default() -> Self {
        // The limits of an untrusted rulesheet let it compile in a few seconds. The time of a
        // session's request depends on the game.
        let sessions = || WorkQueue::new(SESSIONS, Duration::from_secs(10));
        let analyzing = || WorkQueue::new(ANALYZING, Duration::from_secs(120));
        Self {
            sessions: [sessions(), sessions()],
            analyzing: [analyzing(), analyzing()],
            compiling: WorkQueue::new(COMPILING, Duration::from_secs(10)),
            patient: WorkQueue::new(PATIENT, Duration::from_secs(1800)),
            #[cfg(feature = "manage")]
            reading: WorkQueue::new(READING, Duration::from_secs(10)),
        }
    }
}

impl WorkQueues {
    /// Returns the queue for requests of sessions.
    pub(crate) fn sessions(&self, is_known: bool) -> &WorkQueue {
        &self.sessions[usize::from(!is_known)]
    }

    /// Returns the queue for random games.
    pub(crate) fn analyzing(&self, is_known: bool) -> &WorkQueue {
        &self.analyzing[usize::from(!is_known)]
    }
}

impl WorkQueue {
    fn new(turns: usize, longest: Duration) -> Self {
        Self { turns: Arc::new(Semaphore::new(turns)), longest }
    }

    /// Runs a job in this queue. The job is cancelled when its client has left or the time is up;
    /// the result of a cancelled job is still returned.
    ///
    /// # Errors
    /// Returns an error if no turn is free in time, or the job panicked.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Cancel) -> T + Send + 'static,
    ) -> Answer<T> {
        self.work_with((), work).await
    }

    /// Runs a job like [`WorkQueue::work`]. The job also holds `own`, which is dropped when the job
    /// ends.
    ///
    /// # Errors
    /// Returns an error if no turn is free in time, or the job panicked.
    pub(crate) async fn work_with<T: Send + 'static>(
        &self,
        own: impl Send + 'static,
        work: impl FnOnce(&Cancel) -> T + Send + 'static,
    ) -> Answer<T> {
        let turn = turn(&self.turns).await?;
        let held = Held(Cancel::default());
        let cancel = held.0.clone();
        let mut task = tokio::task::spawn_blocking(move || {
            let _held = (turn, own);
            work(&cancel)
        });
        let done = if let Ok(done) = tokio::time::timeout(self.longest, &mut task).await {
            done
        } else {
            held.0.cancel();
            task.await
        };
        done.map_err(|_| Problem::broken())
    }
}

/// Acquires a turn, which is held until the permit is dropped.
///
/// # Errors
/// Returns an error if no turn is free in time.
pub(crate) async fn turn(turns: &Arc<Semaphore>) -> Answer<OwnedSemaphorePermit> {
    let turn = tokio::time::timeout(PATIENCE, Arc::clone(turns).acquire_owned()).await;
    turn.map_err(|_| busy())?.map_err(|_| Problem::broken())
}

fn busy() -> Problem {
    Problem::too_many("the server is busy with other games").help("ask again in a moment")
}

/// A handle that cancels a job when the handle is dropped. A request drops its handle when its
/// client leaves.
struct Held(Cancel);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Returns an observer that stops a compilation on cancellation.
pub(crate) fn observer(cancel: &Cancel) -> Observer {
    let cancel = cancel.clone();
    Observer::new(
        move |_| if cancel.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
    }

    /// Polls a request until its job has begun, and then drops it.
    async fn hang_up<T>(queue: &WorkQueue, request: impl Future<Output = Answer<T>>) {
        let before = queue.turns.available_permits();
        let begun = async {
            while queue.turns.available_permits() == before {
                tokio::task::yield_now().await;
            }
        };
        let (mut request, mut begun) = (Box::pin(request), std::pin::pin!(begun));
        std::future::poll_fn(|context| {
            assert!(request.as_mut().poll(context).is_pending());
            begun.as_mut().poll(context)
        })
        .await;
    }

    #[test]
    fn what_nobody_waits_for_is_called_off_and_leaves_its_turn() {
        let runtime = runtime();
        let (sender, ended) = mpsc::channel();
        let endless = |sender: mpsc::Sender<&'static str>| {
            move |cancel: &Cancel| {
                while !cancel.is_cancelled() {
                    std::thread::yield_now();
                }
                sender.send("called off").expect("somebody listens");
            }
        };
        let queue = WorkQueue::new(1, Duration::MAX);
        runtime.block_on(hang_up(&queue, queue.work(endless(sender.clone()))));
        assert_eq!(ended.recv(), Ok("called off"));
        // The same holds if the time is up, and the turn is free again.
        let hasty = WorkQueue::new(1, Duration::ZERO);
        let late = runtime.block_on(hasty.work(endless(sender)));
        assert!(late.is_ok() && ended.recv() == Ok("called off"));
        assert!(runtime.block_on(turn(&queue.turns)).is_ok());
        assert_eq!(hasty.turns.available_permits(), 1);
    }

    #[test]
    fn hanging_up_gives_no_turn_to_others() {
        let runtime = runtime();
        let queue = WorkQueue::new(2, Duration::MAX);
        let (sender, receiver) = mpsc::channel::<()>();
        let receiver = Arc::new(std::sync::Mutex::new(receiver));
        // A job that ignores its cancellation.
        let deaf = || {
            let receiver = Arc::clone(&receiver);
            move |_: &Cancel| receiver.lock().expect("nobody breaks down").recv().is_ok()
        };
        for left in [1, 0] {
            runtime.block_on(hang_up(&queue, queue.work(deaf())));
            assert_eq!(queue.turns.available_permits(), left);
        }
        // Jobs of other queues run at once, and jobs of this queue once a turn is free.
        let other = WorkQueue::new(1, Duration::MAX);
        assert!(matches!(runtime.block_on(other.work(|_| 7)), Ok(7)));
        for _ in 0..2 {
            sender.send(()).expect("somebody listens");
        }
        assert!(matches!(runtime.block_on(queue.work(|_| 8)), Ok(8)));
    }

    #[test]
    fn every_turn_has_a_thread() {
        let queues = WorkQueues::default();
        let [known, others] = &queues.sessions;
        let [analyzed, analyzing] = &queues.analyzing;
        let all = [known, others, analyzed, analyzing, &queues.compiling, &queues.patient];
        let all = all.into_iter();
        #[cfg(feature = "manage")]
        let all = all.chain([&queues.reading]);
        assert_eq!(all.map(|queue| queue.turns.available_permits()).sum::<usize>(), THREADS);
    }
}
