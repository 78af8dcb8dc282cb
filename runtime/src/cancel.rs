//! Cancellation of long work, by a switch that another thread sets.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// A switch that ends work from another thread: a search, a match, playouts, the loading of a
/// rulesheet. Clones share the switch.
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
    /// Cancels the work. This cannot be undone.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns true after a call of [`Cancel::cancel`].
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
