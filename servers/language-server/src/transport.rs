//! Messages over a stream: a header with the number of bytes, and then JSON.
//!
//! Each message of the input becomes one [`Event`], whether valid or not. Headers and messages that
//! exceed their limits are skipped without storing them. An invalid header is skipped too, so the
//! next message is found again.

use crate::job::Finding;
use lsp_server::{ErrorCode, Message, RequestId};
use serde_json::Value;
use std::{
    io::{self, BufRead, Read, Write},
    sync::mpsc::SyncSender,
};

/// The most bytes of a message.
const MOST_BYTES: u64 = 16 << 20;

/// The maximum length of a header line in bytes. A longer line is read as several lines.
const MOST_HEADER: u64 = 1 << 10;

/// The events of a session.
pub(crate) enum Event {
    /// A message of the client.
    Message(Message),
    /// An invalid message: the id of the request, if it has one, and the error.
    Malformed(Option<RequestId>, ErrorCode, String),
    /// The result of a job of the worker.
    Found(Finding),
    /// The end of the client's stream.
    End,
}

/// Receives messages until the stream or the session ends.
pub(crate) fn receive(mut input: impl BufRead, events: &SyncSender<Event>) {
    loop {
        // A stream with an error is treated as ended.
        let event = next(&mut input).ok().flatten().unwrap_or(Event::End);
        let last = matches!(event, Event::End);
        if events.send(event).is_err() || last {
            return;
        }
    }
}

/// Reads the next message. Returns `None` at the end of the stream.
fn next(input: &mut impl BufRead) -> io::Result<Option<Event>> {
    let malformed = |code, text: String| Ok(Some(Event::Malformed(None, code, text)));
    let length = match header(input)? {
        Header::Length(length) => length,
        Header::End => return Ok(None),
        Header::Unknown => {
            let text = "a header without `Content-Length`";
            return malformed(ErrorCode::InvalidRequest, text.to_owned());
        }
    };
    if length > MOST_BYTES {
        io::copy(&mut input.take(length), &mut io::sink())?;
        let text = format!("a message of {length} bytes, more than {MOST_BYTES}");
        return malformed(ErrorCode::InvalidRequest, text);
    }
    let mut body = Vec::new();
    if input.take(length).read_to_end(&mut body)? < length as usize {
        return Ok(None);
    }
    Ok(Some(match serde_json::from_slice(&body) {
        Ok(value) => event(value),
        Err(error) => Event::Malformed(None, ErrorCode::ParseError, error.to_string()),
    }))
}

/// Parses a message.
pub(crate) fn event(value: Value) -> Event {
    let id = value.get("id").and_then(|id| serde_json::from_value(id.clone()).ok());
    match serde_json::from_value(value) {
        // A request with an invalid id would otherwise count as a notification.
        Ok(Message::Notification(_)) if id.is_some() => {
            Event::Malformed(id, ErrorCode::InvalidRequest, "neither a request nor an answer".to_owned())
        }
        Ok(message) => Event::Message(message),
        Err(error) => Event::Malformed(id, ErrorCode::InvalidRequest, error.to_string()),
    }
}

/// The header of a message.
enum Header {
    /// The number of bytes of the message.
    Length(u64),
    /// A header without a valid `Content-Length`.
    Unknown,
    /// The end of the stream.
    End,
}

/// Reads the header of the next message.
fn header(input: &mut impl BufRead) -> io::Result<Header> {
    let mut header = Header::Unknown;
    loop {
        let mut line = Vec::new();
        if input.by_ref().take(MOST_HEADER).read_until(b'\n', &mut line)? == 0 {
            return Ok(Header::End);
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim();
        if text.is_empty() {
            return Ok(header);
        }
        if let Some((name, value)) = text.split_once(':')
            && name.eq_ignore_ascii_case("Content-Length")
        {
            header = value.trim().parse().map_or(Header::Unknown, Header::Length);
        }
    }
}

/// A receiver of the session's messages.
pub(crate) trait Output {
    /// Sends a message. The `jsonrpc` field, which it lacks, is added.
    fn send(&mut self, message: Value) -> io::Result<()>;
}

/// A byte stream to which messages are written with their headers.
pub(crate) struct Stream<W>(pub(crate) W);

impl<W: Write> Output for Stream<W> {
    fn send(&mut self, message: Value) -> io::Result<()> {
        let body = serde_json::to_vec(&versioned(message))?;
        write!(self.0, "Content-Length: {}\r\n\r\n", body.len())?;
        self.0.write_all(&body)?;
        self.0.flush()
    }
}

impl Output for Vec<Value> {
    fn send(&mut self, message: Value) -> io::Result<()> {
        self.push(versioned(message));
        Ok(())
    }
}

fn versioned(mut message: Value) -> Value {
    message["jsonrpc"] = "2.0".into();
    message
}
