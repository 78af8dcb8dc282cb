//! Matches with managers and with players elsewhere, as they are and as they had better not be.

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

/// A host whose player makes the first legal move.
fn first() -> Host {
    Host::new("gdl", |_| Some(Box::new(First::new()))).without_pondering()
}

/// The address of a host that listens until the test ends.
fn listen(host: Host) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || serve(listener, host));
    address
}

/// The answer to some bytes, to the end of the connection.
fn send(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).expect("a connection");
    // It may be closed before all is sent.
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(Shutdown::Write);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8(answer).expect("an answer is text")
}

/// A request as ggp-base's manager writes it.
fn post(message: &str) -> String {
    format!(
        "POST / HTTP/1.0\r\nAccept: text/delim\r\nHost: x\r\nSender: GAMESERVER\r\nReceiver: gdl\r\nContent-Type: text/acl\r\n\
         Content-Length: {}\r\n\r\n{message}",
        message.len()
    )
}

/// The body of the answer to a message.
fn ask(address: SocketAddr, message: &str) -> String {
    let answer = send(address, post(message).as_bytes());
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{message}: {answer}"));
    assert!(head.starts_with("HTTP/1.0 200 OK"), "{head}");
    body.to_owned()
}
