//! `gdl lsp`: what editors ask about a rulesheet, and the faults of one that is being written.
//!
//! A client speaks the Language Server Protocol over a stream of bytes (`transport`), and a
//! `session` answers message by message. A [`Conversation`] is one without stream and threads.
//!
//! A `document` is an open rulesheet with an index of its names (`names`). The meaning of the
//! language's words is in `words`, and the possible values of variables in `domains`. Text is
//! parsed and checked at once; a thread of its own does longer work (`worker`). Each request of a
//! client has a file in `features`, which is a function of the document.

mod document;
mod domains;
mod features;
mod names;
mod session;
mod transport;
mod words;
mod worker;

use serde_json::Value;
use std::{
    collections::VecDeque,
    fmt,
    io::{self, Read, Write},
    mem,
    sync::mpsc::sync_channel,
    thread,
};
use transport::Event;
use worker::Worker;

/// The number of messages that wait for the session before the client has to.
const WAITING: usize = 256;

/// Serves one client until it says `exit` or its stream ends; true if it said `shutdown` before, as
/// it should.
///
/// # Errors
/// Returns an error if the client takes no more, or threads cannot be started.
pub fn serve(input: impl Read + Send + 'static, output: impl Write) -> io::Result<bool> {
    let (events, inbox) = sync_channel(WAITING);
    let worker = Worker::start(events.clone())?;
    thread::Builder::new()
        .name("gdl-lsp-input".to_owned())
        .spawn(move || transport::receive(io::BufReader::new(input), &events))?;
    session::Session::new(transport::Stream(output), worker).run(&inbox)
}

/// A session without a stream and without threads: messages are values, and longer work waits until
/// the caller has time. WebAssembly has this.
pub struct Conversation(session::Session<Vec<Value>>);

impl Conversation {
    /// Begins a session.
    #[must_use]
    pub fn new() -> Self {
        Self(session::Session::new(Vec::new(), Worker::Queue(VecDeque::new())))
    }

    /// Answers a message of the client.
    pub fn answer(&mut self, message: Value) -> Vec<Value> {
        self.take(transport::event(message))
    }

    /// Checks the texts that are new, or does one piece of the longer work. Call it when no message
    /// of the client waits; it returns no messages once no work remains.
    pub fn work(&mut self) -> Vec<Value> {
        // A list of messages takes all.
        let _ = self.0.look();
        let checked = mem::take(&mut self.0.output);
        if !checked.is_empty() {
            return checked;
        }
        while let Some(finding) = self.0.worker.next() {
            let messages = self.take(Event::Found(finding));
            if !messages.is_empty() {
                return messages;
            }
        }
        Vec::new()
    }

    fn take(&mut self, event: Event) -> Vec<Value> {
        // A list of messages takes all, and a client that has left asks nothing more.
        let _ = self.0.take(event);
        mem::take(&mut self.0.output)
    }
}

impl Default for Conversation {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Conversation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conversation").finish_non_exhaustive()
    }
}
