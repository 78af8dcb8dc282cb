//! Processor time of the calling thread: the time that it ran, as opposed to elapsed time.

/// Returns the seconds that the calling thread has run on a processor, by the kernel's count.
/// Returns `None` if the system has no such count. Linux updates it a few hundred times a second.
#[must_use]
pub(crate) fn thread_seconds() -> Option<f64> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    // The standard library has no such clock. The first number of this file is the time in
    // nanoseconds.
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: u64 = text.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds as f64 * 1e-9)
}
