//! The guests of a server: people elsewhere on the network, each with a link to one seat of one
//! session.
//!
//! A link contains a token of 128 random bits, the only credential of a guest. A seat has one link
//! at a time; the session decides whether a token still opens it. There are at most [`MOST`] links.

use crate::{
    lock::lock,
    problem::{Answer, Problem},
    registry::Registry,
};
use gdl_runtime::dynamic::RoleId;
use std::{collections::BTreeMap, net::SocketAddr, sync::Mutex};

/// The most links of a server.
const MOST: usize = 256;

/// The links of guests, and the address for them.
#[derive(Default)]
pub(crate) struct Guests {
    address: Option<SocketAddr>,
    /// The session and the role of each token.
    seats: Mutex<BTreeMap<String, (String, RoleId)>>,
}

impl Guests {
    /// Creates an empty set of links for guests at this address; `None` if guests are not allowed.
    pub(crate) fn at(address: Option<SocketAddr>) -> Self {
        Self { address, ..Self::default() }
    }

    /// Returns the address for guests, if they are allowed.
    pub(crate) fn address(&self) -> Option<SocketAddr> {
        self.address
    }

    /// Adds a link. Removes older links of the same seat, and those of sessions that have ended.
    ///
    /// # Errors
    /// Returns an error if there are too many links.
    pub(crate) fn add(&self, token: &str, session: &str, role: RoleId, sessions: &Registry) -> Answer<()> {
        let mut seats = lock(&self.seats);
        seats.retain(|_, (id, other)| sessions.has(id) && (id.as_str(), *other) != (session, role));
        if seats.len() >= MOST {
            return Err(Problem::too_many(format!("there are {MOST} links already"))
                .help("links of a session end with it"));
        }
        seats.insert(token.to_owned(), (session.to_owned(), role));
        Ok(())
    }

    /// Finds the session and the role of a token.
    ///
    /// # Errors
    /// Returns an error if the token opens nothing.
    pub(crate) fn find(&self, token: &str) -> Answer<(String, RoleId)> {
        lock(&self.seats).get(token).cloned().ok_or_else(Problem::no_seat)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{games::Games, seats::Seat, session::Session};
    use gdl_runtime::{History, game::Id};

    #[test]
    fn links_are_bounded_and_end_with_their_session() {
        let sessions = Registry::default();
        for id in ["a", "b"] {
            let opened = Games::default().find("tictactoe").expect("it is built in");
            let (history, seats) = (History::new(&opened.game), Seat::usual(&opened.game));
            assert!(sessions.add(Session::new(id.to_owned(), opened, history, seats, 0)).is_ok());
        }
        let guests = Guests::default();
        let role = RoleId::from_index;
        for seat in 0..MOST {
            assert!(guests.add(&format!("t{seat}"), "a", role(seat), &sessions).is_ok());
        }
        let refused = guests.add("more", "b", role(0), &sessions);
        assert!(matches!(refused, Err(problem) if problem.code == "too_many"));
        // A seat has one link at a time.
        assert!(guests.add("again", "a", role(3), &sessions).is_ok());
        assert!(guests.find("t3").is_err());
        assert_eq!(guests.find("again").map(|(id, role)| (id, role.index())).ok(), Some(("a".to_owned(), 3)));
        assert!(sessions.remove("a").is_ok());
        assert!(guests.add("more", "b", role(0), &sessions).is_ok());
        assert!(guests.find("again").is_err() && guests.find("more").is_ok());
    }
}
