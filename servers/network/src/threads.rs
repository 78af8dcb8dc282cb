//! The threads of matches, whose number is limited.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// The number of running threads at which no further match may begin. A match has up to five
/// threads, and those of an old match may need a moment to end.
const MOST: usize = 32;

/// The number of running threads.
#[derive(Clone, Debug, Default)]
pub(crate) struct Threads(Arc<AtomicUsize>);

/// A running thread, counted until it ends or panics.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Threads {
    /// Returns whether another match may begin.
    pub(crate) fn have_room(&self) -> bool {
        self.0.load(Ordering::SeqCst) < MOST
    }

    /// Starts a thread. Returns false if the system has no more.
    pub(crate) fn spawn(&self, name: &str, work: impl FnOnce() + Send + 'static) -> bool {
        self.0.fetch_add(1, Ordering::SeqCst);
        let counted = Counted(Arc::clone(&self.0));
        let work = move || {
            let _counted = counted;
            work();
        };
        thread::Builder::new().name(name.to_owned()).spawn(work).is_ok()
    }
}
