//! Rulesheets of other authors, next to the checkout: their names and texts in order, and limits
//! under which most of them compile fast.

use gdl_compiler::Limits;
use gdl_test_support::shared;
use std::fs;

/// The factor of the limits in a release build.
pub const SCALE: u64 = if cfg!(debug_assertions) { 1 } else { 20 };

/// The limits for rulesheets that compile fast.
#[must_use]
pub fn limits() -> Limits {
    Limits { fuel: 10_000_000 * SCALE, max_ground_rules: 20_000 * SCALE as usize, ..Limits::default() }
}

/// The name and text of each rulesheet. Skips the test and returns `None` if the folder is missing.
///
/// # Panics
/// Panics if a file cannot be read.
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
