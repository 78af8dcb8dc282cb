//! The folder in which [`Best`](crate::search::Best) keeps its trainings: a file for each game,
//! named by the game's fingerprint.

use crate::{Budget, search::Training};
use gdl_runtime::Game;
use std::{
    fs, io,
    path::{Path, PathBuf},
    process,
};

/// The maximum number of bytes of all files in the folder.
const MOST_BYTES: u64 = 64 << 20;

/// A folder of trainings. Files that it did not write are left alone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Folder<'p>(pub(super) &'p Path);

impl Folder<'_> {
    fn path(self, fingerprint: u64) -> PathBuf {
        self.0.join(format!("{fingerprint:016x}.training"))
    }

    /// Reads the training of a game. Returns `None` if there is none, if the file is damaged or of
    /// another game, or if the budget is spent first.
    pub(super) fn read<G: Game>(self, game: &G, fingerprint: u64, budget: &Budget) -> Option<Training> {
        let path = self.path(fingerprint);
        if fs::metadata(&path).ok()?.len() > MOST_BYTES {
            return None;
        }
        Training::resume_within(game, &fs::read(path).ok()?, budget).ok()
    }

    /// Writes a training as a whole file, and removes the oldest files if there are too many bytes.
    pub(super) fn write(self, training: &Training) -> io::Result<()> {
        let path = self.path(training.fingerprint());
        let half = path.with_extension(format!("{}.part", process::id()));
        fs::write(&half, training.state()).and_then(|()| fs::rename(&half, path)).inspect_err(|_| {
            // The partial file is useless.
            let _ = fs::remove_file(&half);
        })?;
        self.bound(MOST_BYTES)
    }

    /// Keeps the newest files that have at most `most` bytes together.
    fn bound(self, most: u64) -> io::Result<()> {
        let mut files = Vec::new();
        for entry in fs::read_dir(self.0)?.flatten() {
            if is_own(&entry.file_name().to_string_lossy())
                && let Ok(about) = entry.metadata()
            {
                files.push((about.modified()?, about.len(), entry.path()));
            }
        }
        files.sort_unstable();
        let mut bytes = 0;
        for (_, size, path) in files.into_iter().rev() {
            bytes += size;
            if bytes > most {
                fs::remove_file(path)?;
            }
        }
        Ok(())
    }
}

/// Returns whether a name is that of a training, or of one whose writing was interrupted.
fn is_own(name: &str) -> bool {
    let (print, kind) = name.split_once('.').unwrap_or_default();
    print.len() == 16
        && print.bytes().all(|byte| byte.is_ascii_hexdigit())
        && (kind == "training" || kind.split_once('.').is_some_and(|(_, last)| last == "part"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};

    #[test]
    fn the_newest_files_are_kept_and_those_of_others() {
        let temporary = tempfile::tempdir().expect("a folder");
        let path = temporary.path();
        let files = [
            ("0000000000000001.training", false),
            ("00000000000000ff.12.part", true),
            ("0000000000000002.training", true),
            // These are not its own.
            ("000000000000002.training", true),
            ("000000000000000g.training", true),
            ("0000000000000003.net", true),
        ];
        for (age, (name, _)) in files.iter().rev().enumerate() {
            fs::write(path.join(name), [0; 10]).expect("it can be written");
            let file = fs::File::options().append(true).open(path.join(name)).expect("it is there");
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(10 - age as u64);
            file.set_modified(time).expect("a time");
        }
        Folder(path).bound(20).expect("it can be read");
        for (name, is_kept) in files {
            assert_eq!(path.join(name).exists(), is_kept, "{name}");
        }
        Folder(path).bound(19).expect("it can be read");
        assert!(!path.join(files[1].0).exists() && path.join(files[2].0).exists());
    }
}
