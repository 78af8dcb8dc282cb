//! Rulesheets of other authors, beside the checkout: their names and texts in order, and the limits within which the
//! many that compile fast do.

use gdl_compiler::Limits;
use std::{fs, path::Path};

/// The factor by which a release build is asked to do more.
pub const SCALE: u64 = if cfg!(debug_assertions) { 1 } else { 20 };

/// The limits of those that compile fast.
#[must_use]
pub fn limits() -> Limits {
    Limits { fuel: 10_000_000 * SCALE, max_ground_rules: 20_000 * SCALE as usize, ..Limits::default() }
}

/// Name and text of each; none, which is said, if they are not there.
///
/// # Panics
/// If one cannot be read.
#[must_use]
pub fn rulesheets() -> Option<impl Iterator<Item = (String, String)>> {
    // However deep the package is that is tested.
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let Some(entries) = above.flat_map(|above| fs::read_dir(above.join("shared/rulesheets/games"))).next()
    else {
        println!("skipped: there is no `shared/rulesheets/games` beside the checkout");
        return None;
    };
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "kif"));
    Some(paths.into_iter().map(|path| {
        let text = String::from_utf8_lossy(&fs::read(&path).expect("readable")).into_owned();
        (path.file_stem().expect("a name").to_string_lossy().into_owned(), text)
    }))
}
