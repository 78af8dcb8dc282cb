//! Jobs of the worker and their results.

use gdl_compiler::{Diagnostics, Source};
use std::sync::{Arc, atomic::AtomicBool};

/// A job: a rulesheet to compile.
pub(crate) struct Job {
    /// The address of the document.
    pub(crate) uri: String,
    /// The text to compile.
    pub(crate) source: Arc<Source>,
    /// The flag that cancels the job.
    pub(crate) called_off: Arc<AtomicBool>,
}

/// The diagnostics of the whole compiler for a rulesheet.
pub(crate) struct Finding {
    /// The job.
    pub(crate) job: Job,
    /// All diagnostics, including those of grounding and later stages.
    pub(crate) diagnostics: Diagnostics,
}
