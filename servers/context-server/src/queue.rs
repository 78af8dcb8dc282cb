//! The queue of jobs for threads other than the one that answers. Each job gets a turn, and is
//! cancelled when its time is over or its request is cancelled.
//!
//! As many jobs run at a time as there are processors, but at least two and at most [`TURNS`]. This
//! bounds the memory of jobs. [`WAITING`] more may wait for a turn; further ones are rejected at
//! once. A job is cancelled by a [`Cancel`], and keeps its turn until it has ended and freed its
//! memory. So a client cannot free turns early by cancelling jobs.

use crate::refusal::Refusal;
use gdl_runtime::Cancel;
use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};
use tokio::sync::Semaphore;

/// The most jobs that run at a time.
const TURNS: usize = 4;

/// The most jobs that wait for a turn.
const WAITING: usize = 32;

/// The queue of jobs.
#[derive(Clone, Debug)]
pub(crate) struct WorkQueue {
    turns: Arc<Semaphore>,
    /// A permit for each job that runs or waits.
    places: Arc<Semaphore>,
    longest: Duration,
}

/// A handle that cancels a job when it is dropped.
struct Held(Cancel);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl WorkQueue {
    pub(crate) fn new(longest: Duration) -> Self {
        let turns = thread::available_parallelism().map_or(1, usize::from).clamp(2, TURNS);
        Self {
            turns: Arc::new(Semaphore::new(turns)),
            places: Arc::new(Semaphore::new(turns + WAITING)),
            longest,
        }
    }

    /// Runs a job. The job is cancelled once `unwanted` completes, or when its time is over, which
    /// includes the wait for a turn.
    ///
    /// # Errors
    /// Returns the error of the job, or the reason why it did not run to its end.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        unwanted: impl Future<Output = ()>,
        work: impl FnOnce(&Cancel) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
            return Err(Refusal::new("the server is busy with other requests").help("ask again in a moment"));
        };
        let deadline = Instant::now() + self.longest;
        let held = Held(Cancel::default());
        let cancel = held.0.clone();
        let turns = Arc::clone(&self.turns);
        let done = async move {
            let turn = turns.acquire_owned().await;
            let task = tokio::task::spawn_blocking(move || {
                let _kept = (place, turn);
                work(&cancel)
            });
            // A job that panics frees its turn, and the server goes on.
            task.await.unwrap_or_else(|_| Err(Refusal::new("the server failed: this is a bug of `gdl`")))
        };
        tokio::select! {
            done = done => done,
            () = unwanted => Err(Refusal::new("the request was cancelled")),
            () = tokio::time::sleep_until(deadline.into()) => Err(self.late()),
        }
    }

    fn late(&self) -> Refusal {
        let seconds = self.longest.as_secs_f64();
        Refusal::new(format!("the request took more than {seconds} s and was stopped"))
            .help("request less, or allow more time by `gdl mcp --seconds`")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{future, sync::mpsc};

    fn run<T>(future: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        runtime.block_on(future)
    }

    /// Returns a job that runs until it is cancelled, and reports its end.
    fn endless(ended: mpsc::Sender<()>) -> impl FnOnce(&Cancel) -> Result<(), Refusal> + Send {
        move |cancel| {
            while !cancel.is_cancelled() {
                thread::sleep(Duration::from_millis(1));
            }
            ended.send(()).map_err(|_| Refusal::new("the request is gone"))
        }
    }

    #[test]
    fn what_takes_too_long_or_is_taken_back_is_told_to_end() {
        let (ended, hears) = mpsc::channel();
        let late =
            run(WorkQueue::new(Duration::from_millis(20)).work(future::pending(), endless(ended.clone())));
        assert!(late.expect_err("late").to_string().contains("more than 0.02 s"));
        hears.recv_timeout(Duration::from_secs(10)).expect("it ended");
        let queue = WorkQueue::new(Duration::from_secs(100));
        let back = run(queue.work(tokio::task::yield_now(), endless(ended)));
        assert!(back.expect_err("taken back").to_string().contains("cancelled"));
        hears.recv_timeout(Duration::from_secs(10)).ok();
    }

    #[test]
    fn work_that_panics_is_refused_and_others_go_on() {
        let queue = WorkQueue::new(Duration::from_secs(100));
        for _ in 0..2 * (TURNS + WAITING) {
            let broken = run(queue.work::<()>(future::pending(), |_| panic!("on purpose")));
            assert!(broken.expect_err("broken").to_string().contains("the server failed"));
        }
        assert_eq!(run(queue.work(future::pending(), |_| Ok(7))), Ok(7));
    }

    #[test]
    fn there_is_room_for_so_many() {
        let queue = WorkQueue::new(Duration::from_millis(200));
        let all: Vec<_> = run(async {
            let (ended, _hears) = mpsc::channel();
            let queue = &queue;
            let tasks: Vec<_> = (0..=TURNS + WAITING)
                .map(|_| {
                    let (queue, ended) = (queue.clone(), ended.clone());
                    async move { queue.work(future::pending(), endless(ended)).await }
                })
                .collect();
            let local = tokio::task::LocalSet::new();
            let tasks: Vec<_> = tasks.into_iter().map(|task| local.spawn_local(task)).collect();
            local.await;
            let mut all = Vec::new();
            for task in tasks {
                all.push(task.await.expect("it ends").expect_err("all are late or refused").to_string());
            }
            all
        });
        let busy = all.iter().filter(|message| message.contains("busy")).count();
        let turns = thread::available_parallelism().map_or(1, usize::from).clamp(2, TURNS);
        assert_eq!(busy, TURNS + 1 - turns, "{all:?}");
    }
}
