//! Work in other threads than the one that answers: each job gets a turn and gives its result, or
//! an error where there is no time for it.
//!
//! Work is done at [`WorkQueue`]s. A queue has a few turns, and each of its pieces has one for as
//! long as it is at work; the turns of all queues together are [`THREADS`], so a piece with a turn
//! has a thread. That bounds what runs at a time, and so the memory it takes. Games that the server
//! knows have queues of their own: whatever untrusted rulesheets take, requests about others are
//! answered, and those that need no work are answered at once.
//!
//! A request waits for a turn no longer than [`PATIENCE`]. A job is cancelled when its time is up
//! or its request is gone. It sees that in a [`Cancel`], and keeps its turn until it has noticed,
//! so hanging up gains nothing. The delay depends on the job: the compiler checks every few
//! thousand steps ([`observer`]), play before each step of a game.

use crate::problem::{Answer, Problem};
use gdl_compiler::Observer;
use gdl_runtime::Cancel;
use std::{ops::ControlFlow, sync::Arc, time::Duration};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A request waits for a turn no longer than this.
const PATIENCE: Duration = Duration::from_secs(10);

/// One kind of work.
#[derive(Debug)]
pub(crate) struct WorkQueue {
    turns: Arc<Semaphore>,
    longest: Duration,
}

/// All kinds of work.
#[derive(Debug)]
pub(crate) struct WorkQueues {
    /// Looking at sessions and changing them: of games that the server knows, and of others.
    sessions: [WorkQueue; 2],
    /// Queues for following random games, in the same way.
    analyzing: [WorkQueue; 2],
    /// Compiling what came with a request.
    pub(crate) compiling: WorkQueue,
    /// Compiling what takes longer and more, one at a time and within the limits of `gdl serve
    /// FILE`.
    pub(crate) patient: WorkQueue,
    /// Reading results.
    #[cfg(feature = "manage")]
    pub(crate) reading: WorkQueue,
}

const SESSIONS: usize = 2;
const ANALYZING: usize = 1;
const COMPILING: usize = 2;
const PATIENT: usize = 1;
const READING: usize = if cfg!(feature = "manage") { 2 } else { 0 };

/// Threads for all that may take a while.
pub(crate) const THREADS: usize = 2 * SESSIONS + 2 * ANALYZING + COMPILING + PATIENT + READING;

impl Default for WorkQueues {
    fn default() -> Self {
        // A rulesheet is compiled in a few seconds within the limits that it has; a session is as
        // busy as its game is slow.
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
    /// The queue for looking at sessions and changing them.
    pub(crate) fn sessions(&self, is_known: bool) -> &WorkQueue {
        &self.sessions[usize::from(!is_known)]
    }

    /// The queue for random games.
    pub(crate) fn analyzing(&self, is_known: bool) -> &WorkQueue {
        &self.analyzing[usize::from(!is_known)]
    }
}

impl WorkQueue {
    fn new(turns: usize, longest: Duration) -> Self {
        Self { turns: Arc::new(Semaphore::new(turns)), longest }
    }

    /// Does some work here, until its request is gone or the time is up; then it is cancelled, and
    /// its result is still the answer.
    ///
    /// # Errors
    /// Returns an error if no turn is available, or the work panicked.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Cancel) -> T + Send + 'static,
    ) -> Answer<T> {
        self.work_with((), work).await
    }

    /// The same, for work that has something to itself, which it gives back when it is done.
    ///
    /// # Errors
    /// As for [`WorkQueue::work`].
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

/// A turn at something, for as long as it is kept.
///
/// # Errors
/// Returns an error if others do not let go of it in time.
pub(crate) async fn turn(turns: &Arc<Semaphore>) -> Answer<OwnedSemaphorePermit> {
    let turn = tokio::time::timeout(PATIENCE, Arc::clone(turns).acquire_owned()).await;
    turn.map_err(|_| busy())?.map_err(|_| Problem::broken())
}

fn busy() -> Problem {
    Problem::too_many("the server is busy with other games").help("ask again in a moment")
}

/// Calls work off when it is dropped, as requests are whose senders went away.
struct Held(Cancel);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// The observer that cancels a compilation.
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

    /// Polls a request until the work has begun, and hangs up.
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
        // The same where the time is up; and the turn is there again.
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
        // Work that does not notice that it was cancelled.
        let deaf = || {
            let receiver = Arc::clone(&receiver);
            move |_: &Cancel| receiver.lock().expect("nobody breaks down").recv().is_ok()
        };
        for left in [1, 0] {
            runtime.block_on(hang_up(&queue, queue.work(deaf())));
            assert_eq!(queue.turns.available_permits(), left);
        }
        // What others ask elsewhere is answered, and here once the turns are free.
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
