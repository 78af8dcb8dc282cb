//! Cancellation: the one way to end long work, a switch that another thread sets.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// A switch that ends work from another thread: a search, a match, playouts, the loading of a
/// rulesheet. Clones are one and the same.
///
/// ```
/// use gdl_runtime::Cancel;
///
/// let cancel = Cancel::default();
/// let other = cancel.clone();
/// assert!(!cancel.is_cancelled());
/// std::thread::spawn(move || other.cancel()).join().unwrap();
/// assert!(cancel.is_cancelled());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks the work to end. There is no way back.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// True once it was asked to end.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
