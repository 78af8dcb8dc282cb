//! The lock of a file of results: one process plays it, however the file is called there.
//!
//! The locked file is the write-ahead log, which `SQLite` has next to the database itself and keeps
//! as long as a process has it open. So a link to the database leads to the same lock, and no other
//! file that looks like litter can be removed to get round it. Locks of `SQLite` are on other
//! files.
//!
//! A hard link is the one name that does not lead there, so a database with two of them is refused:
//! `SQLite` would keep a log for each.

use super::{failure, header::sibling};
use gdl_tools::error::Result;
use std::{
    fs::{self, File, TryLockError},
    io,
    path::Path,
};

/// The ending of the locked file. A file that Windows locked cannot be written by anybody else, so
/// there it is a file that `SQLite` does not use.
const ENDING: &str = if cfg!(windows) { ".lock" } else { "-wal" };

/// Keeps other processes from playing a database that is open with a write-ahead log, as long as
/// the lock lives.
///
/// # Errors
/// Returns an error if another process has it, or the file has two names.
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
