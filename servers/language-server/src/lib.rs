//! `gdl lsp`: what editors ask about a rulesheet, and the faults of one that is being written.
//!
//! A client speaks the Language Server Protocol over a stream of bytes (`transport`), and a
//! `session` answers message by message. A `document` is an open rulesheet with an index of its
//! names (`names`). The meaning of the language's words is in `words`, and the possible values of
//! variables in `domains`. Text is parsed and checked at once; a thread of its own does longer work
//! (`worker`). Each request of a client has a file in `features`, which is a function of the
//! document.

mod document;
mod domains;
mod features;
mod names;
mod session;
mod transport;
mod words;
mod worker;

use std::{
    io::{self, Read, Write},
    sync::mpsc::sync_channel,
    thread,
};

/// The number of messages that wait for the session before the client has to.
const WAITING: usize = 256;

/// Serves one client until it says `exit` or its stream ends; true if it said `shutdown` before, as
/// it should.
///
/// # Errors
/// Returns an error if the client takes no more, or threads cannot be started.
pub fn serve(input: impl Read + Send + 'static, output: impl Write) -> io::Result<bool> {
    let (events, inbox) = sync_channel(WAITING);
    let worker = worker::Worker::start(events.clone())?;
    thread::Builder::new()
        .name("gdl-lsp-input".to_owned())
        .spawn(move || transport::receive(io::BufReader::new(input), &events))?;
    session::Session::new(output, worker).run(&inbox)
}
