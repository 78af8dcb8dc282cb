//! Long work and the person who waits: while it goes on without the interpreter's lock, progress is
//! reported and signals such as Ctrl-C end it.

use gdl_runtime::Cancel;
use pyo3::prelude::*;
use std::{
    panic,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

/// The interval at which signals are looked for.
const LOOK: Duration = Duration::from_millis(50);

/// The callback for the progress of long work, and its result.
#[derive(Clone)]
pub(crate) struct Watch {
    pub(crate) cancel: Cancel,
    error: Arc<Mutex<Option<PyErr>>>,
}

impl Watch {
    pub(crate) fn new() -> Self {
        Self { cancel: Cancel::default(), error: Arc::default() }
    }

    /// Looks for signals and calls `tell`, on the thread that called from Python; an exception ends
    /// the work.
    pub(crate) fn look(&self, tell: impl FnOnce(Python<'_>) -> PyResult<()>) {
        if self.cancel.is_cancelled() {
            return;
        }
        if let Err(error) = Python::attach(|py| py.check_signals().and_then(|()| tell(py))) {
            self.cancel.cancel();
            *self.error.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        }
    }

    /// Does work that looks at `cancel` in another thread, while this one looks for signals.
    pub(crate) fn during<T: Send>(&self, py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
        self.telling(py, |_| Ok(()), work)
    }

    /// The same, and calls `tell` each time.
    pub(crate) fn telling<T: Send>(
        &self,
        py: Python<'_>,
        tell: impl Fn(Python<'_>) -> PyResult<()> + Sync,
        work: impl FnOnce() -> T + Send,
    ) -> PyResult<T> {
        let done = py.detach(|| {
            thread::scope(|scope| {
                let (alive, all_done) = mpsc::channel::<()>();
                let worker = scope.spawn(move || {
                    let done = work();
                    drop(alive);
                    done
                });
                while all_done.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                    self.look(&tell);
                }
                worker.join().unwrap_or_else(|panicked| panic::resume_unwind(panicked))
            })
        });
        self.end()?;
        Ok(done)
    }

    /// True if an exception ended the work.
    pub(crate) fn is_broken(&self) -> bool {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// The exception that ended the work, if one did.
    pub(crate) fn end(&self) -> PyResult<()> {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
    }
}
