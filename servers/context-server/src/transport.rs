//! Messages over two streams of bytes: one JSON object a line, in each direction.
//!
//! One thread reads lines and another writes them, so neither stream delays the work. A line of
//! more than [`LONGEST`] bytes is skipped without storing it. Such a line, and a line that is no
//! message, is answered with an error; notifications are never answered. If [`WAITING`] answers
//! wait to be written, no more messages are read.

use rmcp::{
    ErrorData, RoleServer,
    model::{ClientJsonRpcMessage, ErrorCode, JsonRpcMessage, RequestId, ServerJsonRpcMessage},
    transport::Transport,
};
use serde_json::Value;
use std::{
    io::{self, BufRead, BufReader, Read, Write},
    sync::mpsc as blocking,
    thread,
};
use tokio::sync::mpsc;

/// The most bytes of a line: enough for two rulesheets of a megabyte in which each byte is escaped.
const LONGEST: u64 = 16 << 20;

/// The most answers that wait to be written.
const WAITING: usize = 64;

/// The most lines that wait to be handled; each may be long.
const AHEAD: usize = 2;

/// A line of the client.
enum ClientLine {
    Whole(Vec<u8>),
    TooLong,
}

/// Both directions of the connection to a client.
pub(crate) struct Lines {
    incoming: mpsc::Receiver<ClientLine>,
    outgoing: mpsc::Sender<Vec<u8>>,
    /// True if the client has begun a session.
    begun: bool,
}

/// Starts the threads that read and write. The returned receiver gets a message when all answers
/// are written, or writing has failed.
pub(crate) fn start(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> io::Result<(Lines, blocking::Receiver<()>)> {
    let (lines, incoming) = mpsc::channel(AHEAD);
    let (outgoing, answers) = mpsc::channel(WAITING);
    let (over, written) = blocking::channel();
    thread::Builder::new().name("gdl-mcp-input".to_owned()).spawn(move || read(input, &lines))?;
    thread::Builder::new().name("gdl-mcp-output".to_owned()).spawn(move || {
        write(output, answers);
        // The receiver may have been dropped already.
        let _ = over.send(());
    })?;
    Ok((Lines { incoming, outgoing, begun: false }, written))
}

/// Reads lines to the end of the stream, or until the receiver is dropped.
fn read(input: impl Read, lines: &mpsc::Sender<ClientLine>) {
    let mut input = BufReader::new(input);
    loop {
        let mut bytes = Vec::new();
        let taken = input.by_ref().take(LONGEST).read_until(b'\n', &mut bytes);
        let line = match taken {
            Ok(0) | Err(_) => return,
            Ok(taken) if taken as u64 == LONGEST && bytes.last() != Some(&b'\n') => {
                if pass_over(&mut input).is_err() {
                    return;
                }
                ClientLine::TooLong
            }
            Ok(_) => ClientLine::Whole(bytes),
        };
        if lines.blocking_send(line).is_err() {
            return;
        }
    }
}

/// Skips the rest of a line.
fn pass_over(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let (is_over, length) = (end.is_some() || buffer.is_empty(), end.map_or(buffer.len(), |end| end + 1));
        input.consume(length);
        if is_over {
            return Ok(());
        }
    }
}

/// Writes answers until the channel closes or writing fails.
fn write(mut output: impl Write, mut answers: mpsc::Receiver<Vec<u8>>) {
    while let Some(line) = answers.blocking_recv() {
        if output.write_all(&line).and_then(|()| output.flush()).is_err() {
            return;
        }
    }
}

/// Serialises a message as a line.
fn line(message: &ServerJsonRpcMessage) -> io::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec(message)?;
    bytes.push(b'\n');
    Ok(bytes)
}

impl Lines {
    /// Parses a line. For an invalid line, the error is the answer to it, or `None` if the line is
    /// empty or must not be answered.
    #[expect(clippy::result_large_err, reason = "an answer is as large as a message")]
    fn message(&self, line: ClientLine) -> Result<ClientJsonRpcMessage, Option<ServerJsonRpcMessage>> {
        let fault = |code, message: String, id| {
            Err(Some(ServerJsonRpcMessage::error(ErrorData::new(code, message, None), id)))
        };
        let ClientLine::Whole(bytes) = line else {
            let message = format!("the line has more than {LONGEST} bytes");
            return fault(ErrorCode::INVALID_REQUEST, message, None);
        };
        if bytes.trim_ascii().is_empty() {
            return Err(None);
        }
        match serde_json::from_slice::<ClientJsonRpcMessage>(&bytes) {
            // A session begins with a request. Other messages before it are dropped.
            Ok(message) if self.begun || matches!(message, JsonRpcMessage::Request(_)) => Ok(message),
            Ok(_) => Err(None),
            Err(_) => match serde_json::from_slice::<Value>(&bytes) {
                Err(error) => fault(ErrorCode::PARSE_ERROR, format!("the line is not JSON: {error}"), None),
                // An invalid notification is not answered either.
                Ok(value) if value.get("method").is_some() && value.get("id").is_none() => Err(None),
                Ok(value) => {
                    let id = value.get("id").cloned();
                    let id = id.and_then(|id| serde_json::from_value::<RequestId>(id).ok());
                    let message = "the line is not a request of JSON-RPC 2.0".to_owned();
                    fault(ErrorCode::INVALID_REQUEST, message, id)
                }
            },
        }
    }
}

impl Transport<RoleServer> for Lines {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let outgoing = self.outgoing.clone();
        async move {
            let line = line(&message)?;
            outgoing.send(line).await.map_err(|_| io::ErrorKind::BrokenPipe.into())
        }
    }

    /// Receives the next message. Dropping the future loses no message.
    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let place = self.outgoing.reserve().await.ok()?;
            let line_read = self.incoming.recv().await?;
            match self.message(line_read) {
                Ok(message) => {
                    drop(place);
                    self.begun = true;
                    return Some(message);
                }
                Err(None) => {}
                Err(Some(answer)) => {
                    // An answer that cannot be serialised is dropped.
                    if let Ok(line) = line(&answer) {
                        place.send(line);
                    }
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.incoming.close();
        Ok(())
    }
}
