//! The header of a file of results: its first bytes, read before `SQLite` opens the file.
//!
//! Only a regular file is opened, so that no call waits for the other end of a pipe. The files that
//! `SQLite` would open next to it are checked in the same way.

use super::{Store, failure};
use gdl_tools::error::Result;
use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

/// The `SQLite` application id of files of results: `GDLM`.
pub(super) const APPLICATION: u32 = 0x4744_4c4d;

/// The suffixes of the files that `SQLite` opens for a database.
const OPENED: [&str; 4] = ["", "-journal", "-wal", "-shm"];

/// The kind of a file, by its first bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    is_database: bool,
    version: u32,
    application: u32,
}

impl Header {
    /// Reads the header of a file. Returns `None` if there is no such file.
    pub(super) fn read(path: &Path) -> Result<Option<Self>> {
        let file = match open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file.map_err(|error| failure(path, &error))?,
        };
        let mut bytes = Vec::new();
        file.take(100).read_to_end(&mut bytes).map_err(|error| failure(path, &error))?;
        // The offsets are from "Database File Format", https://www.sqlite.org/fileformat.html.
        let word = |at: usize| {
            let word: Option<[u8; 4]> = bytes.get(at..at + 4).and_then(|word| word.try_into().ok());
            word.map_or(0, u32::from_be_bytes)
        };
        let is_database = bytes.len() == 100 && bytes.starts_with(b"SQLite format 3\0");
        Ok(Some(Self { is_database, version: word(60), application: word(68) }))
    }

    /// Returns an error unless the file has results of this version.
    pub(super) fn check(self, path: &Path) -> Result {
        let Self { is_database, version, application } = self;
        let (ours, help) = (Store::VERSION, "\n  = help: name another file; this one was left as it is");
        if !is_database || application != APPLICATION {
            return Err(failure(path, &format!("this file has no results of `gdl manage`{help}")));
        }
        if version != ours {
            let message =
                format!("these results have version {version}, but this gdl has version {ours}{help}");
            return Err(failure(path, &message));
        }
        Ok(())
    }
}

/// Opens a file if it is regular, and so are all files that `SQLite` would open next to it.
fn open(path: &Path) -> io::Result<File> {
    // `SQLite` follows links, so it opens the files next to the target of a link.
    let path = fs::canonicalize(path)?;
    for ending in OPENED {
        let sibling = sibling(&path, ending);
        match fs::metadata(&sibling) {
            Ok(about) if !about.is_file() => {
                return Err(io::Error::other(format!("{} is not a regular file", sibling.display())));
            }
            Err(error) if ending.is_empty() => return Err(error),
            _ => {}
        }
    }
    File::open(path)
}

/// Returns the path with `ending` appended to the file name.
pub(super) fn sibling(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}
