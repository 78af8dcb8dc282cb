//! Sources: all reading of files at compile time is here, from a path literal to the text on disk.
//!
//! What the user wrote between the quotes, and where, leads to the file's bytes and absolute
//! path, or to the paths that were tried. The path is relative to the source file that holds the
//! literal, as with `include_str!`, and else to the package's root.

use proc_macro2::Span;
use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

/// A file that was found.
#[derive(Debug)]
pub(crate) struct Found {
    /// Its absolute path, for cargo to watch.
    pub(crate) path: PathBuf,
    /// Its contents.
    pub(crate) bytes: Vec<u8>,
}

impl Found {
    /// The path as rustc writes those of its own messages, for terminals and editors to open: from
    /// where rustc was started or, if the file is not there, from the root.
    pub(crate) fn shown(&self) -> String {
        // `src/../game.kif` is `game.kif`, unless `src` is a link.
        let path = fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        let started = env::current_dir().and_then(fs::canonicalize).unwrap_or_default();
        path.strip_prefix(started).unwrap_or(&path).display().to_string()
    }
}

/// The reason why there is no text.
#[derive(Debug)]
pub(crate) enum SourceError {
    /// The path does not start at the source file or the package.
    Absolute,
    /// No file could be read.
    Missing(Vec<Tried>),
}

/// A path that was tried and its result.
#[derive(Debug)]
pub(crate) struct Tried {
    pub(crate) path: PathBuf,
    pub(crate) error: io::Error,
}

/// Reads the rulesheet a literal names.
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
                // A file that is there but cannot be read is what the user meant.
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

/// The directories to search, in order.
fn directories(literal: Span) -> Vec<PathBuf> {
    let mut directories = Vec::new();
    // The literal's own file, not the call's: a macro of another crate may have passed it on. It is
    // relative to where rustc was started, which for cargo is the workspace, not the package; and
    // rust-analyzer does not always know it.
    if let (Some(file), Ok(started)) = (literal.unwrap().local_file(), env::current_dir()) {
        directories.extend(started.join(file).parent().map(Path::to_path_buf));
    }
    directories.extend(env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from));
    directories
}
