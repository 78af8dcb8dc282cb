//! Long work and the person who waits: while it goes on without the interpreter's lock, progress is told and signals such as Ctrl-C end it.

use gdl_runtime::Cancel;
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};

/// What the caller of long work wants to hear, and what came of asking.
#[derive(Clone)]
pub(crate) struct Watch {
    pub(crate) cancel: Cancel,
    error: Arc<Mutex<Option<PyErr>>>,
}

impl Watch {
    pub(crate) fn new() -> Self {
        Self { cancel: Cancel::default(), error: Arc::default() }
    }

    /// Looks for signals and calls `tell`, on the thread that called from Python; an exception ends the work.
    pub(crate) fn look(&self, tell: impl FnOnce(Python<'_>) -> PyResult<()>) {
        if self.cancel.is_cancelled() {
            return;
        }
        if let Err(error) = Python::attach(|py| py.check_signals().and_then(|()| tell(py))) {
            self.cancel.cancel();
            *self.error.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        }
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
