//! Skipping of tests, and the folder next to the checkout that some tests read.
//!
//! A test that lacks a tool calls [`skip`] and returns. A test that lacks a folder, which
//! [`shared`] looks for, returns too. If the environment variable `GDL_REQUIRE` is `all`, as in CI,
//! the test fails instead. If it is `tools`, only tests that lack a tool fail, since part of the
//! folder is not public.

use std::{
    env,
    io::{Write, stderr},
    path::{Path, PathBuf},
};

/// Prints that the calling test, or a part of it, is skipped. The test must return afterwards.
///
/// # Panics
/// Panics if the environment variable `GDL_REQUIRE` is `all` or `tools`.
#[track_caller]
pub fn skip(reason: impl AsRef<str>) {
    // The harness hides what `eprintln!` prints in a test that passes.
    skip_to(stderr(), &required(), &["all", "tools"], reason.as_ref());
}

/// Returns `shared/<path>` of the nearest folder above this package that has it: the checkout or a
/// folder that contains it. Skips the test and returns `None` if no folder has it.
///
/// # Panics
/// Panics if no folder has the path and the environment variable `GDL_REQUIRE` is `all`.
#[must_use]
#[track_caller]
pub fn shared(path: impl AsRef<Path>) -> Option<PathBuf> {
    let found = find(Path::new(env!("CARGO_MANIFEST_DIR")), path.as_ref());
    if found.is_none() {
        let reason = format!("there is no `shared/{}` next to the checkout", path.as_ref().display());
        skip_to(stderr(), &required(), &["all"], &reason);
    }
    found
}

/// The value of `GDL_REQUIRE`; empty if it is not set.
fn required() -> String {
    env::var("GDL_REQUIRE").unwrap_or_default()
}

/// Skips a test, or fails it if `required` is one of `failing`.
#[track_caller]
fn skip_to(mut out: impl Write, required: &str, failing: &[&str], reason: &str) {
    assert!(!failing.contains(&required), "GDL_REQUIRE={required}, but {reason}");
    let _ = writeln!(out, "skipped: {reason}");
}

/// Returns `shared/<path>` of the nearest folder that has it, from `folder` upwards.
fn find(folder: &Path, path: &Path) -> Option<PathBuf> {
    folder.ancestors().map(|above| above.join("shared").join(path)).find(|path| path.exists())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        fs,
        panic::{AssertUnwindSafe, catch_unwind},
        process,
    };

    #[test]
    fn a_skip_prints_a_line_unless_it_fails() {
        let is_skipped = |required: &str, failing: &[&str]| {
            let mut out = Vec::new();
            let skip = || skip_to(&mut out, required, failing, "there is no such tool");
            let result = catch_unwind(AssertUnwindSafe(skip));
            assert_eq!(result.is_ok(), out == b"skipped: there is no such tool\n");
            result.is_ok()
        };
        let (tool, folder): (&[&str], &[&str]) = (&["all", "tools"], &["all"]);
        assert_eq!(["", "tools", "all"].map(|required| is_skipped(required, tool)), [true, false, false]);
        assert_eq!(["", "tools", "all"].map(|required| is_skipped(required, folder)), [true, true, false]);
    }

    #[test]
    fn the_nearest_folder_is_found() {
        let outer = env::temp_dir().join(format!("gdl-test-support-{}", process::id()));
        let inner = outer.join("checkout/package");
        for path in ["shared/traces", "shared/epilog", "checkout/shared/traces"] {
            fs::create_dir_all(outer.join(path)).expect("a folder");
        }
        let found = ["traces", "epilog", "no such folder"].map(|path| find(&inner, Path::new(path)));
        let [nearest, farther] = ["checkout/shared/traces", "shared/epilog"].map(|path| outer.join(path));
        assert_eq!(found, [Some(nearest), Some(farther), None]);
        fs::remove_dir_all(outer).expect("a folder");
    }
}
