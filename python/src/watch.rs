//! Long work with the GIL released, during which progress is reported and signals such as Ctrl-C
//! cancel it.

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

/// The interval between two checks for signals.
const LOOK: Duration = Duration::from_millis(50);

/// The cancellation of long work, and the exception that caused it.
#[derive(Clone)]
pub(crate) struct Watch {
    pub(crate) cancel: Cancel,
    error: Arc<Mutex<Option<PyErr>>>,
}

impl Watch {
    pub(crate) fn new() -> Self {
        Self { cancel: Cancel::default(), error: Arc::default() }
    }

    /// Checks for signals and calls `tell`, on the calling Python thread. An exception cancels the
    /// work.
    pub(crate) fn look(&self, tell: impl FnOnce(Python<'_>) -> PyResult<()>) {
        if self.cancel.is_cancelled() {
            return;
        }
        if let Err(error) = Python::attach(|py| py.check_signals().and_then(|()| tell(py))) {
            self.cancel.cancel();
            *self.error.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        }
    }

    /// Runs `work` in another thread while this one checks for signals.
    pub(crate) fn during<T: Send>(&self, py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
        self.telling(py, |_| Ok(()), work)
    }

    /// Runs `work` like [`Watch::during`], and calls `tell` at each check.
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

    /// True if an exception cancelled the work.
    pub(crate) fn is_broken(&self) -> bool {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Returns the exception that cancelled the work as an error, if there is one.
    pub(crate) fn end(&self) -> PyResult<()> {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
    }
}
