//! The client: it sends a manager's request to a player and reads the answer.
//!
//! A request is written as ggp-base's manager writes it. An answer may be chunked, without a
//! length, broken off or endless. At most 64 KiB of it are read within the time limit; the result
//! is a [`Reply`] or a [`Failure`].

use crate::message::{Dialect, MessageFault, Reply, Request};
use gdl_players::Budget;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::{Version, body::Bytes, client::conn::http1, header};
use hyper_util::rt::TokioIo;
use std::{error::Error, fmt, pin::pin, str::FromStr, time::Duration};
use tokio::{net::TcpStream, time::timeout};

/// The most bytes of an answer.
const MOST_ANSWER: usize = 1 << 16;

/// The time that connecting may take.
const CONNECT: Duration = Duration::from_secs(5);

/// The interval between two checks of the budget.
const LOOK: Duration = Duration::from_millis(10);

/// The default port of players.
pub const PORT: u16 = 9147;

/// The address of a player: `HOST` or `HOST:PORT`; an IPv6 address is in brackets.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    host: String,
    port: u16,
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) if !host.contains(':') || host.ends_with(']') => (host, Some(port)),
            _ => (text, None),
        };
        let port = match port {
            None => PORT,
            Some(port) => {
                port.parse().map_err(|_| format!("`{port}` is not a port: write a number from 1 to 65535"))?
            }
        };
        let host = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':');
        if host.is_empty() || !host.chars().all(is_name) {
            return Err(format!("`{text}` is not an address: write one such as `127.0.0.1:{PORT}`"));
        }
        Ok(Self { host: host.to_owned(), port })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            return write!(f, "[{}]:{}", self.host, self.port);
        }
        write!(f, "{}:{}", self.host, self.port)
    }
}

/// The reason why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Failure {
    /// The answer did not come in time.
    Late,
    /// The connection failed.
    Unreachable(String),
    /// The answer was not HTTP, broke off or was too long.
    Broken(String),
    /// The answer does not fit the request.
    Unreadable(MessageFault),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Late => f.write_str("no answer in time"),
            Self::Unreachable(error) => write!(f, "no connection: {error}"),
            Self::Broken(error) => write!(f, "a broken answer: {error}"),
            Self::Unreadable(fault) => write!(f, "an answer that cannot be read: {fault}"),
        }
    }
}

impl Error for Failure {}

/// Sends a request to a player and waits for the answer, at most for `limit`. Requires a tokio
/// runtime with time and network.
///
/// # Errors
/// Returns an error if no valid answer arrives.
pub async fn ask(
    address: &Address,
    request: &Request,
    dialect: Dialect,
    limit: Duration,
) -> Result<Reply, Failure> {
    let text = timeout(limit, send(address, request.write(dialect))).await.map_err(|_| Failure::Late)??;
    request.read_reply(&text).map_err(Failure::Unreadable)
}

/// Sends a request like [`ask`], for threads without a runtime, and also stops when the budget is
/// cancelled. Must not be called inside a runtime.
///
/// # Errors
/// Returns an error if no valid answer arrives.
pub fn wait(
    address: &Address,
    request: &Request,
    limit: Duration,
    budget: &Budget,
) -> Result<Reply, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::Unreachable(error.to_string()))?;
    let answer = runtime.block_on(async {
        let mut asking = pin!(ask(address, request, Dialect::Base, limit));
        loop {
            match timeout(LOOK, asking.as_mut()).await {
                Ok(answer) => return answer,
                Err(_) if budget.is_cancelled() => return Err(Failure::Late),
                Err(_) => {}
            }
        }
    });
    // A name lookup may still be running and cannot be cancelled.
    runtime.shutdown_background();
    answer
}

async fn send(address: &Address, text: String) -> Result<String, Failure> {
    let broken = |error: &dyn Error| Failure::Broken(innermost(error));
    let stream = timeout(CONNECT, TcpStream::connect((address.host.as_str(), address.port))).await;
    let stream = stream.unwrap_or_else(|_| Err(std::io::ErrorKind::TimedOut.into()));
    let stream = stream.map_err(|error| Failure::Unreachable(error.to_string()))?;
    let _ = stream.set_nodelay(true);
    let request = hyper::Request::post("/")
        .version(Version::HTTP_10)
        .header(header::ACCEPT, "text/delim")
        .header(header::HOST, address.to_string())
        .header("Sender", "GAMESERVER")
        .header("Receiver", address.to_string())
        .header(header::CONTENT_TYPE, "text/acl")
        .header(header::CONNECTION, "close")
        .body(Full::new(Bytes::from(text)))
        .map_err(|error| broken(&error))?;
    let handshake = http1::Builder::new().max_buf_size(MOST_ANSWER).handshake(TokioIo::new(stream)).await;
    let (mut sender, connection) = handshake.map_err(|error| broken(&error))?;
    // The task ends with the answer, or when this future is dropped.
    let _connection = Task(tokio::spawn(async move {
        let _ = connection.await;
    }));
    let response = sender.send_request(request).await.map_err(|error| broken(&error))?;
    let body = Limited::new(response.into_body(), MOST_ANSWER).collect().await.map_err(|error| {
        if error.is::<LengthLimitError>() {
            return Failure::Broken(format!("more than {MOST_ANSWER} bytes"));
        }
        broken(&*error)
    })?;
    String::from_utf8(body.to_bytes().to_vec()).map_err(|error| broken(&error))
}

/// A task that is aborted when this handle is dropped.
struct Task(tokio::task::JoinHandle<()>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Returns the innermost cause of an error, the most specific one.
fn innermost(error: &dyn Error) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_written() {
        for (text, written) in [
            ("127.0.0.1:80", "127.0.0.1:80"),
            ("localhost", "localhost:9147"),
            ("[::1]:80", "[::1]:80"),
            ("::1", "[::1]:9147"),
            ("[::1]", "[::1]:9147"),
        ] {
            assert_eq!(
                text.parse::<Address>().map(|address| address.to_string()),
                Ok(written.to_owned()),
                "{text}"
            );
        }
        for text in ["", ":80", "a:b", "a:70000", "a b", "http://a", "a/b"] {
            assert!(text.parse::<Address>().is_err(), "{text}");
        }
    }
}
