//! Rulesheets of other authors, next to the checkout: their names and texts in order, and the
//! limits within which the many that compile fast do.

use gdl_compiler::Limits;
use gdl_test_support::shared;
use std::fs;

/// The factor by which a release build is asked to do more.
pub const SCALE: u64 = if cfg!(debug_assertions) { 1 } else { 20 };

/// The limits of those that compile fast.
#[must_use]
pub fn limits() -> Limits {
    Limits { fuel: 10_000_000 * SCALE, max_ground_rules: 20_000 * SCALE as usize, ..Limits::default() }
}

/// Name and text of each. Skips the test and returns `None` if they are not there.
///
/// # Panics
/// Panics if one cannot be read.
#[must_use]
pub fn rulesheets() -> Option<impl Iterator<Item = (String, String)>> {
    let entries = fs::read_dir(shared("rulesheets/games")?).expect("readable");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "kif"));
    Some(paths.into_iter().map(|path| {
        let text = String::from_utf8_lossy(&fs::read(&path).expect("readable")).into_owned();
        (path.file_stem().expect("a name").to_string_lossy().into_owned(), text)
    }))
}
