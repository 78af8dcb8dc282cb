//! The connections of the server: each is accepted, the router answers its requests, and it is
//! closed.
//!
//! At most [`MOST`] connections are open at a time. If there are too many, the one that has been
//! idle for the longest is closed. A connection is idle from the end of an answer until its next
//! request has arrived. So connections without requests keep no clients out. If none is idle, the
//! new connection is closed.
//!
//! A connection is closed if the head of its next request does not arrive within [`PATIENCE`]; a
//! body has the same time. After [`LIFE`] a connection is closed once its current request is
//! answered, and [`GRACE`] later in any case. So a client that does not read cannot keep it open.
//! The buffers of a connection take [`BUFFER`] bytes, and a body at most [`MOST_BYTES`].

use crate::{lock::lock, problem::Problem};
use axum::{
    Router,
    body::{Body, to_bytes},
    extract::{Request, State},
    middleware::{self, Next},
    response::{IntoResponse, Response},
};
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use std::{
    collections::BTreeMap,
    io,
    pin::pin,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{
    net::{TcpListener, TcpStream},
    task::AbortHandle,
    time::{sleep, timeout},
};

/// The greatest number of open connections.
const MOST: usize = 128;
/// The time limit for the next request to arrive, and again for its body.
const PATIENCE: Duration = Duration::from_secs(15);
/// The time in which a connection may begin new requests.
const LIFE: Duration = Duration::from_secs(120);
/// The time limit of the last answer, longer than any answer takes.
const GRACE: Duration = Duration::from_secs(180);
/// The most bytes of a body.
pub const MOST_BYTES: usize = 1 << 20;
/// The most bytes of a head, and of an answer before it is sent.
const BUFFER: usize = 1 << 16;

/// The bounds of connections.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConnectionBounds {
    most: usize,
    patience: Duration,
    life: Duration,
    grace: Duration,
}

impl Default for ConnectionBounds {
    fn default() -> Self {
        Self { most: MOST, patience: PATIENCE, life: LIFE, grace: GRACE }
    }
}

/// The open connections: their number, and the idle ones, the longest idle first.
#[derive(Debug, Default)]
struct OpenConnections {
    count: usize,
    /// The number of times that a connection became idle. Its current value is the key of the last
    /// connection that became idle.
    clock: u64,
    idle: BTreeMap<u64, AbortHandle>,
}

impl OpenConnections {
    /// Adds an idle connection. Returns its key.
    fn add_idle(&mut self, connection: AbortHandle) -> u64 {
        self.clock += 1;
        self.idle.insert(self.clock, connection);
        self.clock
    }
}

/// An open connection, counted until it is dropped.
#[derive(Debug)]
struct ConnectionPlace {
    open: Arc<Mutex<OpenConnections>>,
    /// Its key among the idle connections, if it is idle.
    idle: Mutex<Option<u64>>,
}

impl ConnectionPlace {
    /// Marks the connection as busy, so that it is not closed to make room. Returns its abort
    /// handle; `None` if it has been closed.
    fn begin(&self) -> Option<AbortHandle> {
        let idle = lock(&self.idle).take()?;
        lock(&self.open).idle.remove(&idle)
    }

    /// Marks the connection as idle: it is new, or its answer is complete.
    fn end(&self, connection: AbortHandle) {
        let idle = lock(&self.open).add_idle(connection);
        *lock(&self.idle) = Some(idle);
    }
}

impl Drop for ConnectionPlace {
    fn drop(&mut self) {
        let idle = lock(&self.idle).take();
        let mut open = lock(&self.open);
        open.count -= 1;
        idle.map(|idle| open.idle.remove(&idle));
    }
}

/// Accepts and serves connections.
///
/// # Errors
/// Returns an error if accepting a connection fails 100 times in a row.
pub(crate) async fn serve(listener: TcpListener, router: Router, bounds: ConnectionBounds) -> io::Result<()> {
    let open = Arc::new(Mutex::new(OpenConnections::default()));
    let mut refused = 0;
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                refused = 0;
                if make_room(&open, bounds.most) {
                    admit(stream, &router, &open, bounds);
                }
            }
            // The client may have left. Other errors may mean that too many files are open, so the
            // next try waits until some may be closed.
            Err(_) if refused < 100 => {
                refused += 1;
                sleep(Duration::from_millis(100)).await;
            }
            Err(error) => return Err(error),
        }
    }
}

/// Closes an idle connection if there are too many. Returns false if none is idle.
fn make_room(open: &Mutex<OpenConnections>, most: usize) -> bool {
    let mut open = lock(open);
    open.count < most || open.idle.pop_first().map(|(_, connection)| connection.abort()).is_some()
}

/// Starts a task that answers the requests of a connection.
fn admit(stream: TcpStream, router: &Router, open: &Arc<Mutex<OpenConnections>>, bounds: ConnectionBounds) {
    lock(open).count += 1;
    let place = Arc::new(ConnectionPlace { open: Arc::clone(open), idle: Mutex::default() });
    let receiving = (Arc::clone(&place), bounds.patience);
    let router = router.clone().layer(middleware::from_fn_with_state(receiving, receive));
    let task = tokio::spawn(async move { attend(stream, router, bounds).await });
    place.end(task.abort_handle());
}

/// Answers the requests of a connection.
async fn attend(stream: TcpStream, router: Router, bounds: ConnectionBounds) {
    let service = TowerToHyperService::new(router);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(bounds.patience)
        .max_buf_size(BUFFER)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    // A broken connection needs no answer.
    if timeout(bounds.life, connection.as_mut()).await.is_err() {
        connection.as_mut().graceful_shutdown();
        let _ = timeout(bounds.grace, connection).await;
    }
}

/// Receives the body of a request within the time limit, and then answers it.
async fn receive(
    State((place, patience)): State<(Arc<ConnectionPlace>, Duration)>,
    request: Request,
    next: Next,
) -> Response {
    let (head, body) = request.into_parts();
    match timeout(patience, to_bytes(body, MOST_BYTES)).await {
        Ok(Ok(body)) => {
            let connection = place.begin();
            let response = next.run(Request::from_parts(head, Body::from(body))).await;
            connection.into_iter().for_each(|connection| place.end(connection));
            response
        }
        // The body is too large, or broke off; in the latter case no client reads the answer.
        Ok(Err(_)) => {
            Problem::too_large(format!("a request may have at most {MOST_BYTES} bytes")).into_response()
        }
        Err(_) => Problem::slow().into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::routing::get;
    use std::{
        io::{Read, Write},
        net::{Ipv4Addr, SocketAddr},
        sync::mpsc::{Receiver, channel},
        thread,
    };
    use tokio::sync::Semaphore;

    /// Starts a server with these bounds. Returns its address and a receiver, which gets the
    /// semaphore of each request for `/wait`.
    fn listen(bounds: ConnectionBounds) -> (SocketAddr, Receiver<Arc<Semaphore>>) {
        let (sender, receiver) = channel();
        let (begun, waiting) = channel();
        let wait = move || {
            let permits = Arc::new(Semaphore::new(0));
            begun.send(Arc::clone(&permits)).expect("somebody listens");
            async move { permits.acquire().await.map_or("", |_| "at last") }
        };
        thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
                sender.send(listener.local_addr().expect("an address")).expect("somebody waits");
                let router = Router::new().route("/", get(async || "here").post(async |body: String| body));
                serve(listener, router.route("/wait", get(wait)), bounds).await
            })
        });
        (receiver.recv().expect("an address"), waiting)
    }

    fn begin(address: SocketAddr, bytes: &str) -> std::net::TcpStream {
        let mut stream = std::net::TcpStream::connect(address).expect("a connection");
        stream.write_all(bytes.as_bytes()).expect("it is open");
        stream
    }

    /// Reads until the connection is closed.
    fn rest(mut stream: std::net::TcpStream) -> String {
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8(answer).expect("text")
    }

    /// Sends bytes and reads until the connection is closed.
    fn ask(address: SocketAddr, bytes: &str) -> String {
        rest(begin(address, bytes))
    }

    /// Sends a request and reads the answer `here` on a connection that stays open.
    fn ask_on(stream: &mut std::net::TcpStream) {
        stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").expect("it is open");
        let mut answer = Vec::new();
        while !answer.ends_with(b"here") {
            let mut byte = [0];
            stream.read_exact(&mut byte).expect("an answer");
            answer.extend(byte);
        }
    }

    const GET: &str = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    const HALVES: [&str; 3] = ["", "GET / HT", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf"];
    const LONG: Duration = Duration::from_secs(3600);

    #[test]
    fn who_sends_half_a_request_is_left() {
        let patience = Duration::from_millis(200);
        let (address, _) = listen(ConnectionBounds { most: 100, patience, life: LONG, grace: LONG });
        let answers = HALVES.map(|half| begin(address, half)).map(rest);
        assert!(answers[0].is_empty() && answers[2].starts_with("HTTP/1.1 408"), "{answers:?}");
        assert!(ask(address, GET).ends_with("here"));
    }

    #[test]
    fn who_is_idle_for_the_longest_makes_room() {
        let (address, _) = listen(ConnectionBounds { most: 3, patience: LONG, life: LONG, grace: LONG });
        let idle: Vec<_> = (0..20).map(|number| begin(address, HALVES[number % 3])).collect();
        for _ in 0..10 {
            assert!(ask(address, GET).ends_with("here"));
        }
        // The first 17 connections were closed to make room for later ones.
        assert!(idle.into_iter().take(17).map(rest).all(|answer| answer.is_empty()));
    }

    #[test]
    fn who_asks_again_is_not_idle_for_the_longest() {
        let (address, _) = listen(ConnectionBounds { most: 2, patience: LONG, life: LONG, grace: LONG });
        let mut first = begin(address, "");
        ask_on(&mut first);
        let mut second = begin(address, "");
        ask_on(&mut second);
        // The first connection is older, but the second has been idle for longer.
        ask_on(&mut first);
        assert!(ask(address, GET).ends_with("here"));
        assert!(rest(second).is_empty());
        ask_on(&mut first);
    }

    #[test]
    fn who_waits_for_an_answer_is_not_closed() {
        let (address, waiting) =
            listen(ConnectionBounds { most: 1, patience: LONG, life: LONG, grace: LONG });
        let asked = begin(address, &GET.replace("GET /", "GET /wait"));
        let permits = waiting.recv().expect("it begins");
        // There is no room, and no idle connection to close.
        assert!(ask(address, GET).is_empty());
        permits.add_permits(1);
        assert!(rest(asked).ends_with("at last"));
    }

    #[test]
    fn no_connection_lives_for_ever() {
        let life = Duration::from_millis(50);
        let (address, _) = listen(ConnectionBounds { most: 10, patience: LONG, life, grace: life });
        assert!(HALVES.map(|half| begin(address, half)).map(rest).iter().all(String::is_empty));
    }

    #[test]
    fn bodies_are_bounded_however_they_come() {
        let (address, _) = listen(ConnectionBounds::default());
        let head = "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n";
        let large = "x".repeat(MOST_BYTES + 1);
        let answer = ask(address, &format!("{head}Content-Length: 5\r\n\r\nwhole"));
        assert!(answer.ends_with("whole"), "{answer}");
        let mut stream = std::net::TcpStream::connect(address).expect("a connection");
        let chunk =
            format!("{head}Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{large}\r\n0\r\n\r\n", large.len());
        // The server may close the connection before it has read all bytes.
        let _ = stream.write_all(chunk.as_bytes());
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).expect("an answer");
        assert_eq!(&answer, b"HTTP/1.1 413");
    }
}
