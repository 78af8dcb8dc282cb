//! Rulesheets of other authors agree with reference traces: legal moves, states, goals, ends and perft.
//!
//! The rulesheets and traces lie in a folder `shared` beside the checkout; without it the tests skip.

use gdl_cli::verify::{Limits, Trace, verify};
use gdl_compiler::Options;
use gdl_runtime::{Dynamic, load_named};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The folder with `rulesheets` and `traces`, if it is there.
fn shared() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let found = folder.join("traces").is_dir();
    if !found {
        println!("skipped: no reference traces beside the checkout");
    }
    found.then_some(folder)
}

/// The net of a rulesheet as the traces were made: case matters, and no lint stops it.
fn game(path: &Path) -> Result<Dynamic, String> {
    let bytes = fs::read(path).map_err(|error| error.to_string())?;
    let mut options = Options { case_sensitive: true, ..Options::default() };
    // Small limits: what needs more is not compared here, to keep the tests quick.
    options.limits.max_ground_rules = 60_000;
    options.limits.fuel = 3_000_000;
    let text = String::from_utf8_lossy(&bytes);
    load_named(&path.display().to_string(), &text, &options).map_err(|error| error.to_string())
}
