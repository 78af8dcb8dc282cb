//! `gdl fmt`: formats rulesheets in the usual layout.

use crate::args::rules::SyntaxArgs;
use clap::Args;
use gdl_compiler::{Options, Source, format::format};
use gdl_tools::{
    error::{Error, Result},
    load, output, report,
};
use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};
use tempfile::NamedTempFile;

/// Arguments of `gdl fmt`.
#[derive(Debug, Args)]
#[command(after_help = "\
The files that change are listed. Tokens and comments do not change; a file whose forms cannot be read
is skipped.

Examples:
  gdl fmt mygames/*.kif
  gdl fmt --check mygames/*.kif
  gdl fmt - < draft.kif")]
pub(crate) struct FmtArgs {
    /// The rulesheets; `-` formats stdin to stdout
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Change nothing, list what would change, and exit with 1 if anything would
    #[arg(long)]
    pub check: bool,
    /// The syntax of the text.
    #[command(flatten)]
    pub syntax: SyntaxArgs,
}

/// Formats each file and lists the files that changed or, with `--check`, would change.
///
/// # Errors
/// Returns [`Error::Reported`] if a file cannot be read or parsed or, with `--check`, if one would
/// change. Returns [`Error::Input`] if a file cannot be written.
pub(crate) fn run(args: &FmtArgs) -> Result {
    let options = Options { syntax: args.syntax.syntax(), ..Options::default() };
    let mut reported = false;
    let mut out = output::stdout();
    for path in &args.files {
        let from_stdin = is_stdin(path);
        let Some((source, text)) = formatted(path, &options) else {
            reported = true;
            continue;
        };
        let changed = text != source.text();
        if args.check {
            reported |= changed;
        } else if from_stdin {
            out.write_all(text.as_bytes())?;
            continue;
        } else if changed {
            replace(path, &text)
                .map_err(|error| Error::Input(format!("cannot write `{}`: {error}", path.display())))?;
        }
        if changed {
            writeln!(out, "{}", source.name())?;
        }
    }
    out.flush()?;
    if reported { Err(Error::Reported) } else { Ok(()) }
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Returns a rulesheet and its formatted text. If it cannot be read or parsed, prints its
/// diagnostics on stderr and returns `None`.
fn formatted(path: &Path, options: &Options) -> Option<(Source, String)> {
    let read = if is_stdin(path) { load::read_stdin("stdin", options) } else { load::read(path, options) };
    let (source, faults) = match read {
        Ok(source) => match format(&source, options) {
            Ok(text) => return Some((source, text)),
            Err(faults) => (source, *faults),
        },
        Err(fault) => load::alone(*fault),
    };
    report::show(&faults, &source);
    None
}

/// Replaces the content of a file atomically: concurrent readers, and a power failure, see either
/// the old or the new content. Permissions stay, and a symbolic link still points to the file.
pub(super) fn replace(path: &Path, text: &str) -> io::Result<()> {
    // WASI has no canonical paths and no permissions.
    if cfg!(target_os = "wasi") {
        return fs::write(path, text);
    }
    let path = path.canonicalize()?;
    let mut file = NamedTempFile::new_in(path.parent().unwrap_or(Path::new("/")))?;
    file.write_all(text.as_bytes())?;
    file.as_file().set_permissions(fs::metadata(&path)?.permissions())?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}
