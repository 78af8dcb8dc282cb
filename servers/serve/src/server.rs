//! The shared state of all requests: the games and sessions of a server, the queues where work is
//! done, and how the server is reached.

#[cfg(feature = "manage")]
use crate::results::Results;
use crate::{
    Shown, catalogue::Card, compilations::Compilations, games::Games, guests::Guests, registry::Registry,
    work::WorkQueues,
};
use axum::http::{HeaderMap, HeaderValue, header};
use gdl_tools::error::Result;
use std::{
    net::SocketAddr,
    sync::{Arc, OnceLock},
};

/// The shared state of all requests.
pub(crate) struct Server {
    /// The games that have names.
    pub(crate) games: Games,
    /// The sessions.
    pub(crate) sessions: Registry,
    /// The guests who play along from elsewhere.
    pub(crate) guests: Guests,
    /// The queues of longer tasks.
    pub(crate) queues: WorkQueues,
    /// Compilations that somebody follows.
    pub(crate) compilations: Compilations,
    /// The descriptions of the named games, once they were requested.
    pub(crate) cards: OnceLock<Vec<Card>>,
    /// True if results are shown,
    pub(crate) has_results: bool,
    /// and which.
    #[cfg(feature = "manage")]
    pub(crate) results: Option<Arc<Results>>,
    port: u16,
}

impl Server {
    /// A server of this, which will be reached at a port of this machine, and by guests at another
    /// address if there is one.
    ///
    /// # Errors
    /// Returns an error if the game or the results cannot be opened.
    pub(crate) fn new(shown: &Shown<'_>, port: u16, guests: Option<SocketAddr>) -> Result<Arc<Self>> {
        Ok(Arc::new(Self {
            games: Games::new(shown.game, shown.lenient)?,
            sessions: Registry::default(),
            guests: Guests::at(guests),
            queues: WorkQueues::default(),
            compilations: Compilations::default(),
            cards: OnceLock::new(),
            #[cfg(feature = "manage")]
            has_results: shown.results.is_some(),
            #[cfg(not(feature = "manage"))]
            has_results: false,
            #[cfg(feature = "manage")]
            results: shown.results.map(Results::open).transpose()?.map(Arc::new),
            port,
        }))
    }

    /// Returns whether the request is for this server, and from its own page or from no page at
    /// all: else another page could reach it by a name of its own that leads to this machine.
    pub(crate) fn is_own(&self, door: Door, headers: &HeaderMap) -> bool {
        let own = |host: &str| match door {
            Door::Here => {
                ["127.0.0.1", "localhost", "[::1]"].iter().any(|name| host == format!("{name}:{}", self.port))
            }
            Door::Guests => self.guests.address().is_some_and(|address| host == address.to_string()),
        };
        let text = |value: &HeaderValue| value.to_str().map(str::to_owned).unwrap_or_default();
        let host = headers.get(header::HOST).map(text).unwrap_or_default();
        let origin = headers.get(header::ORIGIN).map(text);
        own(&host) && origin.is_none_or(|origin| origin.strip_prefix("http://").is_some_and(own))
    }
}

/// The door through which a request comes in.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Door {
    /// From this machine.
    Here,
    /// From elsewhere on the network.
    Guests,
}
