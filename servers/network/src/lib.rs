//! Matches over a network, in the protocol of general game playing: a player that match managers
//! ask, and players elsewhere that are asked.
//!
//! A [`Host`] answers messages for a player, and [`serve`] those that come to a port. It knows the
//! rulesheets that are compiled into the program, also under other symbols, and compiles all others
//! while it already plays by interpreting the rules. A [`Remote`] is a
//! [`Player`](gdl_players::Player) that is reached over the network. Both build on [`message`],
//! which reads and writes messages, and a [`client`], which sends one request and reads any answer.
//! A [`Sheet`] is a rulesheet of any syntax as it is sent; its [`Names`] show whether another one
//! differs only in its symbols.
//!
//! The protocol, the deviations of peers, and the defences against attackers are described in
//! `docs/how-to/network.md`.

pub mod client;
mod connections;
mod course;
mod host;
mod library;
pub mod message;
mod names;
mod note;
mod opening;
mod oracle;
mod remote;
mod seat;
mod sheet;
mod thinker;
mod threads;

pub use host::Host;
pub use names::Names;
pub use note::Note;
pub use remote::Remote;
pub use sheet::Sheet;

use connections::Bounds;
use std::{io, net::TcpListener, sync::Arc};

/// Answers the messages that a listener receives for a host, until the process ends.
///
/// # Errors
/// Returns an error if the async runtime cannot start, or the listener fails.
pub fn serve(listener: TcpListener, host: Host) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        connections::serve(listener, Arc::new(host), Bounds::default()).await
    })
}
