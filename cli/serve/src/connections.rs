//! The connections of the server: each is accepted, has its requests answered by the router, and is closed.
//!
//! No more than [`MOST`] are open at a time; others wait until one is closed. One that sends nothing, or the head of a request
//! too slowly, is closed after [`PATIENCE`]; a body has as long. After [`LIFE`] a connection is closed when the request at
//! hand is answered, and [`GRACE`] later in any case, so a client that does not read does not keep it for ever either. The
//! buffers of a connection are [`BUFFER`] bytes and a body of [`MOST_BYTES`].

use crate::problem::Problem;
use axum::{
    Router,
    body::{Body, to_bytes},
    extract::Request,
    middleware::{self, Next},
    response::{IntoResponse, Response},
};
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use std::{io, pin::pin, sync::Arc, time::Duration};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::{sleep, timeout},
};

/// The most connections.
const MOST: usize = 128;
/// How long the next request may be on its way, and again its body.
const PATIENCE: Duration = Duration::from_secs(15);
/// How long a connection goes on with new requests.
const LIFE: Duration = Duration::from_secs(120);
/// How long the last one may take. No answer takes longer to be found.
const GRACE: Duration = Duration::from_secs(180);
/// No body may have more bytes.
pub const MOST_BYTES: usize = 1 << 20;
/// Bytes of a head, and of an answer before it is sent.
const BUFFER: usize = 1 << 16;

/// What bounds connections.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    most: usize,
    patience: Duration,
    life: Duration,
    grace: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { most: MOST, patience: PATIENCE, life: LIFE, grace: GRACE }
    }
}

/// Serves until the listener is of no use any more.
///
/// # Errors
/// If it is not.
pub(crate) async fn serve(listener: TcpListener, router: Router, bounds: Bounds) -> io::Result<()> {
    let room = Arc::new(Semaphore::new(bounds.most));
    let router =
        router.layer(middleware::from_fn(move |request, next| receive(request, next, bounds.patience)));
    let mut refused = 0;
    loop {
        let Ok(place) = Arc::clone(&room).acquire_owned().await else { return Ok(()) };
        match listener.accept().await {
            Ok((stream, _)) => {
                refused = 0;
                let router = router.clone();
                tokio::spawn(async move {
                    attend(stream, router, bounds).await;
                    drop(place);
                });
            }
            // A client that gave up does no harm. Else there are too many files perhaps, and some of them will be closed.
            Err(_) if refused < 100 => {
                refused += 1;
                sleep(Duration::from_millis(100)).await;
            }
            Err(error) => return Err(error),
        }
    }
}

/// Answers the requests of a connection.
async fn attend(stream: TcpStream, router: Router, bounds: Bounds) {
    let service = TowerToHyperService::new(router);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(bounds.patience)
        .max_buf_size(BUFFER)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    // A connection that breaks needs no answer.
    if timeout(bounds.life, connection.as_mut()).await.is_err() {
        connection.as_mut().graceful_shutdown();
        let _ = timeout(bounds.grace, connection).await;
    }
}

/// Waits for the body of a request, but not for ever.
async fn receive(request: Request, next: Next, patience: Duration) -> Response {
    let (head, body) = request.into_parts();
    match timeout(patience, to_bytes(body, MOST_BYTES)).await {
        Ok(Ok(body)) => next.run(Request::from_parts(head, Body::from(body))).await,
        // It is too large, or it broke off; then the answer is not read.
        Ok(Err(_)) => Problem::too_large(format!("a request may have {MOST_BYTES} bytes")).into_response(),
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
        thread,
    };

    /// Where a server with these bounds listens.
    fn listen(bounds: Bounds) -> SocketAddr {
        let (sender, receiver) = std::sync::mpsc::channel();
        thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
                sender.send(listener.local_addr().expect("an address")).expect("somebody waits");
                let router = Router::new().route("/", get(async || "here").post(async |body: String| body));
                serve(listener, router, bounds).await
            })
        });
        receiver.recv().expect("an address")
    }

    /// All that comes after some bytes were sent.
    fn ask(address: SocketAddr, bytes: &str) -> String {
        let mut stream = std::net::TcpStream::connect(address).expect("a connection");
        stream.write_all(bytes.as_bytes()).expect("it is open");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it is closed in the end");
        answer
    }

    const GET: &str = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    const LONG: Duration = Duration::from_secs(3600);

    #[test]
    fn whoever_sends_half_a_request_is_left_and_others_are_not_locked_out() {
        let patience = Duration::from_millis(200);
        let address = listen(Bounds { most: 3, patience, life: LONG, grace: LONG });
        // Neither of these would ever be closed, and there is no room for more.
        let idle: Vec<_> = ["", "GET / HT", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf"]
            .iter()
            .map(|half| {
                let mut stream = std::net::TcpStream::connect(address).expect("a connection");
                stream.write_all(half.as_bytes()).expect("it is open");
                stream
            })
            .collect();
        assert!(ask(address, GET).ends_with("here"));
        let last = idle.into_iter().map(|mut stream| {
            let mut answer = String::new();
            stream.read_to_string(&mut answer).expect("it is closed");
            answer
        });
        let last: Vec<String> = last.collect();
        assert!(last[0].is_empty() && last[2].starts_with("HTTP/1.1 408"), "{last:?}");
    }

    #[test]
    fn no_connection_lives_for_ever() {
        let life = Duration::from_millis(50);
        let address = listen(Bounds { most: 1, patience: LONG, life, grace: life });
        let idle = std::net::TcpStream::connect(address).expect("a connection");
        assert!(ask(address, GET).ends_with("here"));
        drop(idle);
        assert!(ask(address, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf").is_empty());
    }

    #[test]
    fn bodies_are_bounded_however_they_come() {
        let address = listen(Bounds::default());
        let head = "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n";
        let large = "x".repeat(MOST_BYTES + 1);
        let answer = ask(address, &format!("{head}Content-Length: 5\r\n\r\nwhole"));
        assert!(answer.ends_with("whole"), "{answer}");
        let mut stream = std::net::TcpStream::connect(address).expect("a connection");
        let chunk =
            format!("{head}Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{large}\r\n0\r\n\r\n", large.len());
        // The server may close before it has read all.
        let _ = stream.write_all(chunk.as_bytes());
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).expect("an answer");
        assert_eq!(&answer, b"HTTP/1.1 413");
    }
}
