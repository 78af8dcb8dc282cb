//! What all requests share: the games and sessions of a server, the desks where work is done, and how the server is reached.

use crate::{catalogue::Card, games::Games, registry::Registry, work::Desks};
use axum::http::{HeaderMap, HeaderValue, header};
use std::sync::{Arc, OnceLock};

/// What all requests share.
pub(crate) struct Server {
    /// The games that have names.
    pub(crate) games: Games,
    /// What is being played.
    pub(crate) sessions: Registry,
    /// Where whatever takes a while is done.
    pub(crate) desks: Desks,
    /// What is said of the games that have names, once it was asked for.
    pub(crate) cards: OnceLock<Vec<Card>>,
    port: u16,
}

impl Server {
    /// A server that will be reached at a port.
    #[must_use]
    pub(crate) fn new(games: Games, port: u16) -> Arc<Self> {
        let (sessions, desks) = (Registry::default(), Desks::default());
        Arc::new(Self { games, sessions, desks, cards: OnceLock::new(), port })
    }

    /// If the request is for this server, and from its own page or from no page at all: else another page could reach it by a
    /// name of its own that leads to this machine.
    pub(crate) fn is_own(&self, headers: &HeaderMap) -> bool {
        let own = |host: &str| {
            ["127.0.0.1", "localhost", "[::1]"].iter().any(|name| host == format!("{name}:{}", self.port))
        };
        let text = |value: &HeaderValue| value.to_str().map(str::to_owned).unwrap_or_default();
        let host = headers.get(header::HOST).map(text).unwrap_or_default();
        let origin = headers.get(header::ORIGIN).map(text);
        own(&host) && origin.is_none_or(|origin| origin.strip_prefix("http://").is_some_and(own))
    }
}
