//! Skipped tests, and the folder beside the checkout that some tests read.
//!
//! A test that lacks a tool or a folder calls [`skip`] and returns. If the environment variable
//! `GDL_REQUIRE` is `all`, as in CI, the test fails instead.

use std::{
    env,
    ffi::OsStr,
    io::{Write, stderr},
    path::{Path, PathBuf},
};

/// Prints that the calling test, or a part of it, is skipped. The test returns then.
///
/// # Panics
/// If the environment variable `GDL_REQUIRE` is `all`.
#[track_caller]
pub fn skip(reason: impl AsRef<str>) {
    // The harness hides what `eprintln!` prints in a test that passes.
    skip_to(stderr(), env::var_os("GDL_REQUIRE").as_deref(), reason.as_ref());
}

/// Returns `shared/<path>` of the nearest folder above this package that has it: the checkout or
/// one that the checkout is in. Skips the test and returns `None` if no folder has it.
///
/// # Panics
/// If there is no such path and the environment variable `GDL_REQUIRE` is `all`.
#[must_use]
#[track_caller]
pub fn shared(path: impl AsRef<Path>) -> Option<PathBuf> {
    let found = find(Path::new(env!("CARGO_MANIFEST_DIR")), path.as_ref());
    if found.is_none() {
        skip(format!("there is no `shared/{}` beside the checkout", path.as_ref().display()));
    }
    found
}

/// Skips a test by the value of `GDL_REQUIRE`.
#[track_caller]
fn skip_to(mut out: impl Write, required: Option<&OsStr>, reason: &str) {
    assert!(required != Some(OsStr::new("all")), "GDL_REQUIRE=all, but {reason}");
    let _ = writeln!(out, "skipped: {reason}");
}

/// Returns `shared/<path>` of the nearest of a folder and those above it that has it.
fn find(folder: &Path, path: &Path) -> Option<PathBuf> {
    folder.ancestors().map(|above| above.join("shared").join(path)).find(|path| path.exists())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, process};

    #[test]
    fn without_the_setting_a_skip_prints_a_line() {
        for required in [None, Some(OsStr::new(""))] {
            let mut out = Vec::new();
            skip_to(&mut out, required, "there is no such tool");
            assert_eq!(out, b"skipped: there is no such tool\n");
        }
    }

    #[test]
    #[should_panic(expected = "GDL_REQUIRE=all, but there is no such tool")]
    fn if_all_is_required_a_skip_fails() {
        skip_to(Vec::new(), Some(OsStr::new("all")), "there is no such tool");
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
