//! Matches over a network, in the protocol of general game playing: a player for match managers,
//! and access to remote players.
//!
//! A [`Host`] answers messages for a player; [`serve`] receives them at a port. The host recognises
//! the built-in rulesheets, even under other symbols. It compiles any other rulesheet, and
//! meanwhile plays by interpreting the rules.
//!
//! A [`Remote`] is a [`Player`](gdl_players::Player) that is reached over the network. Hosts and
//! remote players build on [`message`], which parses and writes messages. A remote player sends its
//! requests by a [`client`], which also reads the answers. A [`Sheet`] is a rulesheet of any syntax
//! in the form in which it is sent. [`Names`] map the symbols of a sheet to those of another sheet
//! that differs only in its symbols.
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

use connections::ConnectionBounds;
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
        connections::serve(listener, Arc::new(host), ConnectionBounds::default()).await
    })
}
