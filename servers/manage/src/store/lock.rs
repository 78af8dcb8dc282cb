//! The lock of a file of results: one process at a time plays its matches, whatever path it uses.
//!
//! The locked file is the write-ahead log, which `SQLite` keeps next to the database while a
//! process has it open. A symbolic link to the database leads to the same log. No separate lock
//! file exists that a user could delete. `SQLite` itself locks other files.
//!
//! A hard link does not lead to the same log, since `SQLite` keeps one for each name. So a database
//! with two names is rejected on Unix.

use super::{failure, header::sibling};
use gdl_tools::error::Result;
use std::{
    fs::{self, File, TryLockError},
    io,
    path::Path,
};

/// The suffix of the locked file. On Windows no other process can write a locked file, so there it
/// is a file that `SQLite` does not use.
const ENDING: &str = if cfg!(windows) { ".lock" } else { "-wal" };

/// Keeps other processes from playing the matches of a database with a write-ahead log, until the
/// returned file is dropped.
///
/// # Errors
/// Returns an error if another process holds the lock, or the file has two names.
pub(super) fn lock(path: &Path) -> Result<File> {
    let failed = |error: io::Error| failure(path, &error);
    let path = fs::canonicalize(path).map_err(failed)?;
    refuse_second_name(&path).map_err(failed)?;
    let mut options = File::options();
    options.create(cfg!(windows)).truncate(false).write(true);
    let file = options.open(sibling(&path, ENDING)).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(failed(io::Error::other("another process plays these matches"))),
        Err(TryLockError::Error(error)) => Err(failed(error)),
    }
}

#[cfg(unix)]
fn refuse_second_name(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    if fs::metadata(path)?.nlink() < 2 {
        return Ok(());
    }
    Err(io::Error::other(
        "this file has a second name, a hard link, which another process may be using\n  = help: play a copy, or \
         make the second name a symbolic link",
    ))
}

#[cfg(not(unix))]
fn refuse_second_name(_: &Path) -> io::Result<()> {
    Ok(())
}
