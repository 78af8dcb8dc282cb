//! `gdl lsp`: a language server for editors, which reports the diagnostics of a rulesheet while it
//! is written.
//!
//! A client uses the Language Server Protocol over a stream of bytes (`transport`), and a `session`
//! answers its messages in order. A [`Conversation`] is a session without a stream and threads.
//!
//! A `document` is an open rulesheet with an index of its names (`names`). `words` describes the
//! keywords of the language, and `domains` computes the possible values of variables. Text is
//! parsed and checked at once; a separate thread does longer work (`worker`). Each request of a
//! client has a file in `features`, with a function of the document.

mod document;
mod domains;
mod features;
mod job;
mod names;
mod refusal;
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

/// The most messages that wait for the session; a client that sends more is blocked.
const WAITING: usize = 256;

/// Serves one client until it sends `exit` or its stream ends. Returns true if it sent `shutdown`
/// before, as the protocol requires.
///
/// # Errors
/// Returns an error if writing to the client fails, or threads cannot be started.
pub fn serve(input: impl Read + Send + 'static, output: impl Write) -> io::Result<bool> {
    let (events, inbox) = sync_channel(WAITING);
    let worker = Worker::start(events.clone())?;
    thread::Builder::new()
        .name("gdl-lsp-input".to_owned())
        .spawn(move || transport::receive(io::BufReader::new(input), &events))?;
    session::Session::new(transport::Stream(output), worker).run(&inbox)
}

/// A session without a stream and threads, as in WebAssembly. Messages are values, and longer work
/// waits for calls of [`Conversation::work`].
pub struct Conversation(session::Session<Vec<Value>>);

impl Conversation {
    /// Starts a session.
    #[must_use]
    pub fn new() -> Self {
        Self(session::Session::new(Vec::new(), Worker::Queue(VecDeque::new())))
    }

    /// Handles a message of the client, and returns the server's messages.
    pub fn answer(&mut self, message: Value) -> Vec<Value> {
        self.take(transport::event(message))
    }

    /// Publishes the diagnostics of changed texts, or runs jobs of longer work until one yields
    /// messages. Call it when no message of the client waits. It returns no messages once no work
    /// remains.
    pub fn work(&mut self) -> Vec<Value> {
        // Writing to a list cannot fail.
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
        // Writing to a list cannot fail, and the caller does not need to know whether the session
        // has ended.
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
