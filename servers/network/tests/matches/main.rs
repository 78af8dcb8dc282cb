//! Tests of matches with managers and with remote players, correct and faulty ones.

mod fake;
mod managers;
mod players;
mod reading;
mod soak;
mod transcripts;

use gdl_network::{Host, serve};
use gdl_players::player::First;
use std::{
    io::{Read, Write},
    net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream},
    thread,
};

/// Creates a host whose player makes the first legal move.
fn first() -> Host {
    Host::new("gdl", |_| Some(Box::new(First::new()))).without_pondering()
}

/// Serves a host until the test ends, and returns its address.
fn listen(host: Host) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || serve(listener, host));
    address
}

/// Sends bytes and returns the answer, up to the end of the connection.
fn send(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).expect("a connection");
    // The host may close the connection before all bytes are sent.
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(Shutdown::Write);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8(answer).expect("an answer is text")
}

/// Formats a request as ggp-base's manager does.
fn post(message: &str) -> String {
    format!(
        "POST / HTTP/1.0\r\nAccept: text/delim\r\nHost: x\r\nSender: GAMESERVER\r\nReceiver: gdl\r\nContent-Type: text/acl\r\n\
         Content-Length: {}\r\n\r\n{message}",
        message.len()
    )
}

/// Sends a message and returns the body of the answer.
fn ask(address: SocketAddr, message: &str) -> String {
    let answer = send(address, post(message).as_bytes());
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{message}: {answer}"));
    assert!(head.starts_with("HTTP/1.0 200 OK"), "{head}");
    body.to_owned()
}
