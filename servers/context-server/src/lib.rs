//! `gdl mcp`: a server of the Model Context Protocol, by which agents inspect rulesheets.
//!
//! A client sends messages over a stream of bytes, one a line (`transport`). A `server` answers
//! them. It lists its `tools` and runs them in a `queue`, which gives each call a turn and a
//! deadline. It also serves texts as `resources`. A tool is a function of its arguments: the
//! rulesheet (`sheet`), and for some a `position` of a play. Its answer is text for a reader and
//! the same content as data for a program. If a tool fails, its answer is a `refusal` with the
//! error and advice.
//!
//! The server ends when its input does, and no message of the client ends it earlier. The
//! rulesheets of clients are compiled within the limits for untrusted texts (`Limits::network`).
//! Files are only read inside a folder that the caller of [`serve`] has given.

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
pub struct ServerSettings {
    /// The folder whose rulesheets may be read. `None` if no file may be read.
    pub folder: Option<PathBuf>,
    /// True if rulesheets are read with [`Options::lenient`](gdl_compiler::Options::lenient).
    pub lenient: bool,
    /// The time limit of a call, including its wait for a turn.
    pub longest: Duration,
}

/// The time limit for writing the last answers after the input has ended.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// Serves one client until its stream ends.
///
/// # Errors
/// Returns an error if threads cannot be started, or the folder does not exist.
pub fn serve(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    settings: &ServerSettings,
) -> io::Result<()> {
    let folder = settings.folder.as_ref().map(|folder| folder.canonicalize()).transpose()?;
    let (transport, written) = transport::start(input, output)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    runtime.block_on(server::serve(transport, sheet::Shelf::new(folder, settings.lenient), settings.longest));
    // Cancelled work may take a moment to end.
    runtime.shutdown_timeout(Duration::from_millis(100));
    // A client that has left does not read the last answers.
    let _ = written.recv_timeout(LAST_WORDS);
    Ok(())
}
