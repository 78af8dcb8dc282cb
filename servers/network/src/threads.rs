//! Threads of matches; their number is limited here.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// A match has up to five threads at work. Those of an old match may still be about to notice that
/// it is over; at this number no other match begins.
const MOST: usize = 32;

/// The number of threads at work.
#[derive(Clone, Debug, Default)]
pub(crate) struct Threads(Arc<AtomicUsize>);

/// A thread at work, counted until it ends in whatever way.
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

    /// Starts a thread; false if the system has no more.
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
