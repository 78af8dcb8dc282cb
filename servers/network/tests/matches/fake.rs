//! A fake remote player: it answers as a test decides, and records its messages. Tests of other
//! packages use it too.

#![allow(dead_code, reason = "a test binary needs some of it")]

use std::{
    io::{Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        mpsc::{Sender, channel},
    },
    thread,
};

/// The messages that a fake player received.
pub(crate) type Heard = Arc<Mutex<Vec<String>>>;

/// Starts a player that answers each request with bytes from `answer`. It closes the connection
/// afterwards if `closes` is true. Returns its address and its messages.
pub(crate) fn player(
    closes: bool,
    mut answer: impl FnMut(&str) -> Vec<u8> + Send + 'static,
) -> (SocketAddr, Heard) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let address = listener.local_addr().expect("an address");
    let heard = Heard::default();
    let log = Arc::clone(&heard);
    thread::spawn(move || {
        let mut open = Vec::new();
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            let message = body(&mut stream);
            log.lock().expect("it is whole").push(message.clone());
            let _ = stream.write_all(&answer(&message));
            if !closes {
                open.push(stream);
            }
        }
    });
    (address, heard)
}

/// Starts a player that answers each `PLAY` with nonsense, once per value sent to the returned
/// sender.
pub(crate) fn nonsense() -> (SocketAddr, Sender<()>) {
    let (let_go, gate) = channel();
    let (address, _) = player(true, move |message| {
        if message.starts_with("( PLAY") {
            // The sender is dropped when the test ends.
            let _ = gate.recv();
        }
        polite(message, "nonsense")
    });
    (address, let_go)
}

/// Returns a complete HTTP answer with a body.
pub(crate) fn whole(body: &str) -> Vec<u8> {
    format!("HTTP/1.0 200 OK\r\nContent-type: text/acl\r\nContent-length: {}\r\n\r\n{body}", body.len())
        .into_bytes()
}

/// Returns the answer of a correct player, which makes the move `action`.
pub(crate) fn polite(message: &str, action: &str) -> Vec<u8> {
    whole(match message.split(' ').nth(1) {
        Some("START") => "ready",
        Some("STOP") => "done",
        Some("ABORT") => "aborted",
        _ => action,
    })
}

/// Reads the body of a request.
fn body(stream: &mut TcpStream) -> String {
    let (mut text, mut byte) = (String::new(), [0]);
    while let Ok(1) = stream.read(&mut byte) {
        text.push(char::from(byte[0]));
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let head = head.to_ascii_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if length.and_then(|length| length.parse().ok()).is_none_or(|length| body.len() >= length) {
                return body.to_owned();
            }
        }
    }
    text
}
