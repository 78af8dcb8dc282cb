//! Parallel work on many items, such as all rulesheets of a folder, with one thread for each core.
//! Results are in the order of the items.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    thread,
};

/// The results of `work` on each item, in the order of the items.
///
/// # Panics
/// Panics if `work` does, after all threads have ended.
pub fn map<T, R: Send>(items: impl Iterator<Item = T> + Send, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let items = Mutex::new(items.enumerate());
    let results = Mutex::new(BTreeMap::new());
    let take = || items.lock().unwrap_or_else(PoisonError::into_inner).next();
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some((place, item)) = take() {
                    let result = work(item);
                    results.lock().expect("nothing panics while it holds them").insert(place, result);
                }
            });
        }
    });
    results.into_inner().expect("nothing panics while it holds them").into_values().collect()
}
