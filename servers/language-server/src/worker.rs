//! The worker: rulesheets are grounded and made nets in a thread of its own, since that takes
//! longer than a key. Without threads the jobs wait until the owner of the session has time.
//!
//! A [`Job`] goes in, and a [`Finding`] comes out unless the job was cancelled, which ends it
//! within some steps of the compiler. Jobs are done one after the other, with the limits for text
//! from a network: each ends within some seconds.

use crate::transport::Event;
use gdl_compiler::{Diagnostics, Limits, Observer, Options, Source, compile};
use std::{
    collections::VecDeque,
    io,
    ops::ControlFlow,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Sender, SyncSender, channel},
    },
    thread,
};

/// A rulesheet to compile.
pub(crate) struct Job {
    /// The address of the document.
    pub(crate) uri: String,
    /// Its text.
    pub(crate) source: Arc<Source>,
    /// Set when nothing is wanted any more.
    pub(crate) called_off: Arc<AtomicBool>,
}

/// The diagnostics of the whole compiler for a rulesheet.
pub(crate) struct Finding {
    /// The job.
    pub(crate) job: Job,
    /// All that is wrong.
    pub(crate) diagnostics: Diagnostics,
}

/// The queue of jobs.
pub(crate) enum Worker {
    /// The way to the thread.
    Thread(Sender<Job>),
    /// The jobs that wait for [`Worker::next`].
    Queue(VecDeque<Job>),
}

impl Worker {
    /// Starts the thread; it sends its findings as events.
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

    /// Hands a job over.
    pub(crate) fn submit(&mut self, job: Job) {
        match self {
            // A worker that has gone finds nothing more; what was found at once stays true.
            Self::Thread(jobs) => _ = jobs.send(job),
            Self::Queue(jobs) => jobs.push_back(job),
        }
    }

    /// Does the next job that was not cancelled; `None` if none waits.
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

/// The limits and lints of a server: all that can be said is said.
pub(crate) fn options() -> Options {
    let mut options = Options { limits: Limits::network(), ..Options::default() };
    options.levels.warn.push("lints".to_owned());
    options
}

/// The diagnostics of a job; `None` if it was cancelled.
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
