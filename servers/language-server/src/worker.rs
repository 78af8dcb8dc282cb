//! The worker: a separate thread that grounds rulesheets and makes nets, which takes longer than a
//! keystroke. Without threads the jobs wait until the owner of the session runs them.
//!
//! Each [`Job`] results in a [`Finding`] unless it is cancelled. A cancelled job ends within some
//! steps of the compiler. Jobs run one after the other within [`Limits::network`], so each ends
//! within some seconds.

use crate::{
    job::{Finding, Job},
    transport::Event,
};
use gdl_compiler::{Diagnostics, Limits, Observer, Options, compile};
use std::{
    collections::VecDeque,
    io,
    ops::ControlFlow,
    sync::{
        atomic::Ordering,
        mpsc::{Sender, SyncSender, channel},
    },
    thread,
};

/// The queue of jobs.
pub(crate) enum Worker {
    /// The channel to the thread.
    Thread(Sender<Job>),
    /// The jobs that wait for [`Worker::next`].
    Queue(VecDeque<Job>),
}

impl Worker {
    /// Starts the thread, which sends its findings as events.
    pub(crate) fn start(events: SyncSender<Event>) -> io::Result<Self> {
        let (jobs, waiting) = channel::<Job>();
        thread::Builder::new().name("gdl-lsp-worker".to_owned()).spawn(move || {
            for job in waiting {
                let Some(diagnostics) = judge(&job) else { continue };
                if events.send(Event::Found(Finding { job, diagnostics })).is_err() {
                    return;
                }
            }
        })?;
        Ok(Self::Thread(jobs))
    }

    /// Submits a job.
    pub(crate) fn submit(&mut self, job: Job) {
        match self {
            // If the thread has ended, the diagnostics of parsing remain.
            Self::Thread(jobs) => _ = jobs.send(job),
            Self::Queue(jobs) => jobs.push_back(job),
        }
    }

    /// Runs the next job that is not cancelled. Returns `None` if no such job is left, or the
    /// worker is a thread.
    pub(crate) fn next(&mut self) -> Option<Finding> {
        let Self::Queue(jobs) = self else { return None };
        while let Some(job) = jobs.pop_front() {
            if let Some(diagnostics) = judge(&job) {
                return Some(Finding { job, diagnostics });
            }
        }
        None
    }
}

/// Returns the options of the server: the limits for untrusted texts, and all lints.
pub(crate) fn options() -> Options {
    let mut options = Options { limits: Limits::network(), ..Options::default() };
    options.levels.warn.push("lints".to_owned());
    options
}

/// Returns the diagnostics of a job, or `None` if it is cancelled.
fn judge(job: &Job) -> Option<Diagnostics> {
    if job.called_off.load(Ordering::Relaxed) {
        return None;
    }
    let called_off = job.called_off.clone();
    let observer = Observer::new(move |_| {
        if called_off.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let found = compile(&job.source, &Options { observer, ..options() })
        .map_or_else(|failure| failure.diagnostics, |compilation| compilation.diagnostics);
    (!job.called_off.load(Ordering::Relaxed)).then_some(found)
}
