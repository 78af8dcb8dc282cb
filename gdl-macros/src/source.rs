//! Reads files at compile time: from a path literal to the bytes on disk.
//!
//! The literal's text and span lead to the file's bytes and absolute path, or to the paths that
//! were tried. The path is relative to the source file with the literal, as for `include_str!`, or
//! otherwise to the package's root.

use proc_macro2::Span;
use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

/// A file that was found.
#[derive(Debug)]
pub(crate) struct Found {
    /// The absolute path of the file, which cargo watches.
    pub(crate) path: PathBuf,
    /// The contents of the file.
    pub(crate) bytes: Vec<u8>,
}

impl Found {
    /// The path in the form of rustc's messages, which terminals and editors can open. The path is
    /// relative to the directory in which rustc was started if the file is inside that directory,
    /// otherwise absolute.
    pub(crate) fn shown(&self) -> String {
        // `src/../game.kif` is `game.kif`, unless `src` is a link.
        let path = fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        let started = env::current_dir().and_then(fs::canonicalize).unwrap_or_default();
        path.strip_prefix(started).unwrap_or(&path).display().to_string()
    }
}

/// The reason why no file was read.
#[derive(Debug)]
pub(crate) enum SourceError {
    /// The path is absolute.
    Absolute,
    /// No file could be read.
    Missing(Vec<Tried>),
}

/// A path that was tried, and the error.
#[derive(Debug)]
pub(crate) struct Tried {
    pub(crate) path: PathBuf,
    pub(crate) error: io::Error,
}

/// Reads the rulesheet that a literal names.
pub(crate) fn read(written: &str, literal: Span) -> Result<Found, SourceError> {
    if Path::new(written).has_root() || Path::new(written).is_absolute() {
        return Err(SourceError::Absolute);
    }
    let mut tried: Vec<Tried> = Vec::new();
    for directory in directories(literal) {
        let path = directory.join(written);
        if tried.iter().any(|t| t.path == path) {
            continue;
        }
        match fs::read(&path) {
            Ok(bytes) => return Ok(Found { path, bytes }),
            Err(error) => {
                // A file that exists but cannot be read is the intended one, so the search stops.
                let meant = error.kind() != io::ErrorKind::NotFound;
                tried.push(Tried { path, error });
                if meant {
                    break;
                }
            }
        }
    }
    Err(SourceError::Missing(tried))
}

/// Returns the directories to search, in order.
fn directories(literal: Span) -> Vec<PathBuf> {
    let mut directories = Vec::new();
    // The literal's own file is used, not the call's: a macro of another crate may have passed the
    // literal on. The file's path is relative to the directory in which rustc was started. Cargo
    // starts it in the workspace's root. Rust-analyzer does not always provide the path.
    if let (Some(file), Ok(started)) = (literal.unwrap().local_file(), env::current_dir()) {
        directories.extend(started.join(file).parent().map(Path::to_path_buf));
    }
    directories.extend(env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from));
    directories
}
