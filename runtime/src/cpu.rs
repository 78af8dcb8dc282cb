//! Processor time of this thread: the time it was running, as opposed to the time that went by.

/// Seconds the calling thread has spent on a processor, by the kernel's count; `None` where it does
/// not tell. Linux refreshes the number a few hundred times a second.
#[must_use]
pub(crate) fn thread_seconds() -> Option<f64> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    // The standard library has no such clock; the first number here is the time in nanoseconds.
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: u64 = text.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds as f64 * 1e-9)
}
