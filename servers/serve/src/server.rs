//! The state that all requests share: games, sessions, queues for work, and the addresses of the
//! server.

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

/// The state that all requests share.
pub(crate) struct Server {
    /// The named games, and the last compiled ones.
    pub(crate) games: Games,
    /// The sessions.
    pub(crate) sessions: Registry,
    /// The links of guests.
    pub(crate) guests: Guests,
    /// The queues of longer tasks.
    pub(crate) queues: WorkQueues,
    /// The progress of compilations with a ticket.
    pub(crate) compilations: Compilations,
    /// The cards of the built-in games and of the game of `gdl serve`, once requested.
    pub(crate) cards: OnceLock<Vec<Card>>,
    /// True if the server shows a file of results.
    pub(crate) has_results: bool,
    /// The file of results, if the server shows one.
    #[cfg(feature = "manage")]
    pub(crate) results: Option<Arc<Results>>,
    port: u16,
}

impl Server {
    /// Creates a server that is reached at a port of this machine, and by guests at another address
    /// if one is given.
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

    /// Returns whether a request names this server as its host, and comes from the page of this
    /// server or from no page. Without this check, another page could reach the server by a host
    /// name that resolves to this machine.
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

/// The address at which a request arrived.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Door {
    /// The address for this machine.
    Here,
    /// The address for guests on the network.
    Guests,
}
