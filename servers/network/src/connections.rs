//! The connections of a host: each carries one request and its answer, and is then closed.
//!
//! A message is the body of a `POST`, or the URL-encoded text after the slash of a `GET`. Browsers
//! send `OPTIONS` first. As in ggp-base's players, every answer has its length and allows pages of
//! other origins to read it. No answer is chunked: one manager would read the chunk lengths as
//! moves, the other waits for the end of the connection.
//!
//! At most [`MOST`] connections are open at a time. A head has at most [`BUFFER`] bytes and a body
//! [`MOST_BYTES`]; both together must arrive within [`PATIENCE`]. If there are too many
//! connections, the one that has been sending its request for the longest is closed. Thus
//! connections that never finish do not keep others out. The host limits the number of requests
//! that it answers at a time.

use crate::{host::Host, message::MOST_BYTES};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::{
    Method, Request, Response, StatusCode,
    body::{Bytes, Incoming},
    header::{self, HeaderValue},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use percent_encoding::percent_decode_str;
use std::{
    collections::BTreeMap,
    convert::Infallible,
    io,
    net::SocketAddr,
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::{Duration, Instant},
};
use tokio::{
    net::{TcpListener, TcpStream},
    task::AbortHandle,
    time::{sleep, timeout},
};

/// The greatest number of open connections.
const MOST: usize = 128;
/// The time limit for a request to arrive.
const PATIENCE: Duration = Duration::from_secs(10);
/// The time limit for sending an answer.
const FAREWELL: Duration = Duration::from_secs(10);
/// The most bytes of a head, and thus of a message in an address.
const BUFFER: usize = 1 << 16;

/// The bounds of connections.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConnectionBounds {
    most: usize,
    patience: Duration,
    farewell: Duration,
}

impl Default for ConnectionBounds {
    fn default() -> Self {
        Self { most: MOST, patience: PATIENCE, farewell: FAREWELL }
    }
}

/// The number of open connections, and the abort handles of those that still send their request, by
/// connection number.
#[derive(Debug, Default)]
struct OpenConnections {
    count: usize,
    sending: BTreeMap<u64, AbortHandle>,
}

fn lock(open: &Mutex<OpenConnections>) -> MutexGuard<'_, OpenConnections> {
    open.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An open connection, counted until it is dropped.
struct ConnectionPlace {
    number: u64,
    open: Arc<Mutex<OpenConnections>>,
}

impl ConnectionPlace {
    /// Marks the request as received, so that the connection is not closed to make room.
    fn settle(&self) {
        lock(&self.open).sending.remove(&self.number);
    }
}

impl Drop for ConnectionPlace {
    fn drop(&mut self) {
        let mut open = lock(&self.open);
        open.count -= 1;
        open.sending.remove(&self.number);
    }
}

/// Answers the requests of a listener.
///
/// # Errors
/// Returns an error if accepting a connection fails 100 times in a row.
pub(crate) async fn serve(
    listener: TcpListener,
    host: Arc<Host>,
    bounds: ConnectionBounds,
) -> io::Result<()> {
    let open = Arc::new(Mutex::new(OpenConnections::default()));
    let mut refused = 0;
    for number in 0.. {
        let (stream, from) = match listener.accept().await {
            Ok(accepted) => accepted,
            // The client may have left, which does no harm. Other errors may mean that too many
            // files are open, so the next try waits until some may be closed.
            Err(_) if refused < 100 => {
                refused += 1;
                sleep(Duration::from_millis(100)).await;
                continue;
            }
            Err(error) => return Err(error),
        };
        refused = 0;
        let is_full = lock(&open).count >= bounds.most;
        let oldest = if is_full { lock(&open).sending.pop_first() } else { None };
        if let Some((_, connection)) = &oldest {
            connection.abort();
            host.refuse(from, "too many connections: the oldest that still sends is closed");
        } else if is_full {
            host.refuse(from, "too many connections: this one is closed");
            continue;
        }
        lock(&open).count += 1;
        let place = ConnectionPlace { number, open: Arc::clone(&open) };
        let task = tokio::spawn(attend(stream, from, Arc::clone(&host), place, bounds));
        lock(&open).sending.insert(number, task.abort_handle());
    }
    Ok(())
}

/// Receives and answers the request of a connection.
async fn attend(
    stream: TcpStream,
    from: SocketAddr,
    host: Arc<Host>,
    place: ConnectionPlace,
    bounds: ConnectionBounds,
) {
    // An answer is one packet, which Nagle's algorithm would delay.
    let _ = stream.set_nodelay(true);
    let answered = OnceLock::new();
    let (asked, at, done) = (&host, &place, &answered);
    let service = service_fn(move |request| async move {
        let response = receive(request, from, asked, at, bounds).await;
        done.get_or_init(Instant::now);
        Ok::<_, Infallible>(response)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(bounds.patience)
        .max_buf_size(BUFFER)
        .keep_alive(false)
        // A client may close its sending side after the request, and still reads.
        .half_close(true)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    loop {
        match timeout(bounds.farewell, connection.as_mut()).await {
            Ok(Err(error)) if error.is_timeout() => host.refuse(from, "the request did not come in time"),
            Ok(Err(error)) if error.is_parse() => host.refuse(from, "this is not an HTTP request"),
            // A client that does not read its answer loses the connection in the end.
            Err(_) if answered.get().is_none_or(|answered| answered.elapsed() < bounds.farewell) => continue,
            // A broken connection needs no answer.
            _ => {}
        }
        return;
    }
}

/// Receives the message of a request and returns the answer.
async fn receive(
    request: Request<Incoming>,
    from: SocketAddr,
    host: &Host,
    place: &ConnectionPlace,
    bounds: ConnectionBounds,
) -> Response<Full<Bytes>> {
    let refuse = |status: StatusCode, reason: &str| {
        host.refuse(from, reason);
        respond(status, String::new())
    };
    let bytes = match *request.method() {
        Method::OPTIONS => return respond(StatusCode::OK, String::new()),
        Method::GET => {
            let path = request.uri().path_and_query().map_or("", |path| path.as_str());
            let path = path.strip_prefix('/').unwrap_or(path).replace('+', " ");
            percent_decode_str(&path).collect()
        }
        Method::POST => {
            let length = request.headers().get(header::CONTENT_LENGTH);
            let length = length.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
            if length.is_some_and(|length| length > MOST_BYTES as u64) {
                return refuse(StatusCode::PAYLOAD_TOO_LARGE, "the message is too long");
            }
            match timeout(bounds.patience, Limited::new(request.into_body(), MOST_BYTES).collect()).await {
                Ok(Ok(body)) => body.to_bytes().to_vec(),
                Ok(Err(error)) if error.is::<LengthLimitError>() => {
                    return refuse(StatusCode::PAYLOAD_TOO_LARGE, "the message is too long");
                }
                Ok(Err(_)) => return refuse(StatusCode::BAD_REQUEST, "the message broke off"),
                Err(_) => return refuse(StatusCode::REQUEST_TIMEOUT, "the message did not come in time"),
            }
        }
        _ => return refuse(StatusCode::METHOD_NOT_ALLOWED, "send messages by POST or GET"),
    };
    place.settle();
    match String::from_utf8(bytes) {
        Ok(text) => respond(StatusCode::OK, host.answer(&text, Some(from)).await),
        Err(_) => refuse(StatusCode::BAD_REQUEST, "the message is not valid UTF-8"),
    }
}

/// Creates a response with the headers that managers and pages require.
fn respond(status: StatusCode, text: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(text)));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, "text/acl"),
        (header::CONNECTION, "close"),
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        (header::ACCESS_CONTROL_ALLOW_METHODS, "POST, GET, OPTIONS"),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, "Content-Type"),
        (header::ACCESS_CONTROL_MAX_AGE, "86400"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        io::{Read, Write},
        net::{Ipv4Addr, TcpStream},
        thread,
    };

    /// Starts a host that listens with these bounds, and returns its address.
    fn listen(bounds: ConnectionBounds) -> SocketAddr {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let address = listener.local_addr().expect("an address");
        thread::spawn(move || {
            listener.set_nonblocking(true).expect("a socket");
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let listener = TcpListener::from_std(listener).expect("a socket");
                serve(listener, Arc::new(Host::new("gdl", |_| None)), bounds).await
            })
        });
        address
    }

    fn begin(address: SocketAddr, bytes: &str) -> TcpStream {
        let mut stream = TcpStream::connect(address).expect("a connection");
        stream.write_all(bytes.as_bytes()).expect("it is open");
        stream
    }

    /// Reads the stream until the connection is closed.
    fn rest(mut stream: TcpStream) -> String {
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8(answer).expect("text")
    }

    const INFO: &str = "POST / HTTP/1.0\r\nContent-Length: 6\r\n\r\n(INFO)";
    const HALVES: [&str; 3] = ["", "POST / HT", "POST / HTTP/1.0\r\nContent-Length: 9\r\n\r\n(INFO"];
    const LONG: Duration = Duration::from_secs(3600);

    #[test]
    fn who_sends_half_a_request_is_left() {
        let address =
            listen(ConnectionBounds { most: 100, patience: Duration::from_millis(200), farewell: LONG });
        let answers = HALVES.map(|half| begin(address, half)).map(rest);
        assert!(answers[0].is_empty() && answers[2].starts_with("HTTP/1.0 408"), "{answers:?}");
        assert!(rest(begin(address, INFO)).ends_with("available ) )"));
    }

    #[test]
    fn who_sends_byte_by_byte_is_left() {
        let address =
            listen(ConnectionBounds { most: 100, patience: Duration::from_millis(200), farewell: LONG });
        let begun = ["POST / HTTP/1.0\r\nX: ", "POST / HTTP/1.0\r\nContent-Length: 1000000\r\n\r\n"];
        let answers = begun.map(|begun| {
            let stream = begin(address, begun);
            let mut slow = stream.try_clone().expect("a socket");
            thread::spawn(move || {
                while slow.write_all(b"x").is_ok() {
                    thread::sleep(Duration::from_millis(5));
                }
            });
            rest(stream)
        });
        assert!(answers[1].starts_with("HTTP/1.0 408"), "{answers:?}");
        assert!(rest(begin(address, INFO)).ends_with("available ) )"));
    }

    #[test]
    fn who_sends_for_the_longest_makes_room() {
        let address = listen(ConnectionBounds { most: 3, patience: LONG, farewell: LONG });
        let idle: Vec<TcpStream> = (0..20).map(|number| begin(address, HALVES[number % 3])).collect();
        for _ in 0..10 {
            assert!(rest(begin(address, INFO)).ends_with("available ) )"));
        }
        // All but the last three were closed before, and the last three are closed one by one.
        assert!(idle.into_iter().take(17).map(rest).all(|answer| answer.is_empty()));
    }
}
