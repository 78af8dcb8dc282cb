//! The rulesheets of a folder, sorted by name.

use crate::{
    error::{Error, Result},
    fingerprint::fingerprint,
};
use gdl_compiler::Limits;
use std::{fs, io::Read, path::Path};

/// A rulesheet to be analyzed together with others.
#[derive(Clone, Debug)]
pub struct Rulesheet {
    /// The name of the file.
    pub name: String,
    /// The text. Bytes that are not UTF-8 become U+FFFD.
    pub text: String,
    /// The fingerprint of the text.
    pub fingerprint: String,
}

impl Rulesheet {
    /// Creates a rulesheet with its fingerprint.
    #[must_use]
    pub fn new(name: String, text: String) -> Self {
        let fingerprint = fingerprint(&text, false);
        Self { name, text, fingerprint }
    }

    /// Reads the files of a folder whose names end in `.kif`, sorted by name.
    ///
    /// # Errors
    /// Returns an error if the folder or a file cannot be read, or a file exceeds the size limit of
    /// rulesheets.
    pub fn all_in(folder: &Path) -> Result<Vec<Self>> {
        let unread = |path: &Path, error: std::io::Error| {
            Error::Input(format!("cannot read {}: {error}", path.display()))
        };
        let mut rulesheets = Vec::new();
        for entry in fs::read_dir(folder)
            .map_err(|error| Error::Input(format!("cannot read the folder {}: {error}", folder.display())))?
        {
            let path = entry.map_err(|error| unread(folder, error))?.path();
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            if !name.to_ascii_lowercase().ends_with(".kif") || !path.is_file() {
                continue;
            }
            let limit = Limits::default().max_source_bytes as u64;
            let mut bytes = Vec::new();
            let file = fs::File::open(&path).map_err(|error| unread(&path, error))?;
            file.take(limit + 1).read_to_end(&mut bytes).map_err(|error| unread(&path, error))?;
            if bytes.len() as u64 > limit {
                return Err(Error::Input(format!("{} has more than {limit} bytes", path.display())));
            }
            rulesheets.push(Self::new(name, String::from_utf8_lossy(&bytes).into_owned()));
        }
        rulesheets.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(rulesheets)
    }
}
