//! `gdl mcp`: what agents ask about rulesheets, by the Model Context Protocol.
//!
//! A client speaks over a stream of bytes, one message a line (`transport`). A `server` answers: it
//! lists its `tools`, runs them in a `queue`, which gives each call a turn and a deadline, and
//! serves `resources`, which are texts. A tool is a function of its arguments: the rulesheet
//! (`sheet`), and perhaps a `position` of a play. Its answer is text for a reader and the same as
//! data for a program; or it is a `refusal` with the error and what to write instead.
//!
//! Nothing that a client sends ends the server, which ends when its input does. Rulesheets are
//! compiled within the limits for untrusted texts (`Limits::network`); no file is read unless it
//! lies below a folder that the caller of [`serve`] has given.

mod position;
mod queue;
mod refusal;
mod resources;
mod server;
mod sheet;
mod tools;
mod transport;

use std::{
    io::{self, Read, Write},
    path::PathBuf,
    time::Duration,
};

/// The limits of a server.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Rulesheets below this folder may be read; no file without it.
    pub folder: Option<PathBuf>,
    /// Rulesheets are read as [`Options::lenient`](gdl_compiler::Options::lenient) has it.
    pub lenient: bool,
    /// The longest that the work for one question may take.
    pub longest: Duration,
}

/// The time that answers may take to be written when all else is over.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// Serves one client until its stream ends.
///
/// # Errors
/// Returns an error if threads cannot be started, or the folder is none.
pub fn serve(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    settings: &Settings,
) -> io::Result<()> {
    let folder = settings.folder.as_ref().map(|folder| folder.canonicalize()).transpose()?;
    let (transport, written) = transport::start(input, output)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    runtime.block_on(server::serve(transport, sheet::Shelf::new(folder, settings.lenient), settings.longest));
    // Cancelled work may take a moment to notice.
    runtime.shutdown_timeout(Duration::from_millis(100));
    // A client that has gone reads nothing, and says nothing of it.
    let _ = written.recv_timeout(LAST_WORDS);
    Ok(())
}
