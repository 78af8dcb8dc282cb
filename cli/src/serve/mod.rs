//! `gdl serve`: any game as a board to click, in a browser.
//!
//! A server on 127.0.0.1 answers the `connections` that it has with a page (`assets`) and with JSON (`api`). What is played is a [`session`], of which there
//! are a bounded number ([`sessions`]); machines [think](thinking) in threads of their own, so an answer never waits for them.
//! What the page is told is a [view](views). Before that games are [chosen](catalogue) or [written](rulesheet), and beside it
//! one may look [inside] them (`insight`). Whatever takes a while is `work` with a turn, which is called off when no request waits for
//! it. All requests are [described](description). Only requests for this address from this page are heard, so no other page in the browser can
//! play along or look.

mod api;
mod assets;
pub mod catalogue;
mod connections;
pub mod description;
pub mod errors;
pub mod games;
pub mod inside;
mod insight;
pub mod knowledge;
pub mod layers;
pub mod picture;
pub mod rulesheet;
pub mod seats;
pub mod session;
pub mod sessions;
pub mod thinking;
pub mod views;
mod work;

use crate::{
    error::{Error, Result},
    game::GameArg,
    output,
};
use axum::{
    Router,
    extract::{DefaultBodyLimit, Request, State},
    http::{HeaderMap, HeaderValue, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::{MethodRouter, get, post},
};
use catalogue::Card;
use connections::Bounds;
use errors::Problem;
use games::Games;
use sessions::Sessions;
use std::{
    io::Write,
    net::{Ipv4Addr, SocketAddr, TcpListener},
    sync::{Arc, OnceLock},
};
use work::{Desks, THREADS};

/// No request may have more bytes.
pub const MOST_BYTES: usize = 1 << 20;

/// What all requests share.
pub struct Server {
    /// The games that have names.
    pub games: Games,
    /// What is being played.
    pub sessions: Sessions,
    /// Where whatever takes a while is done.
    desks: Desks,
    /// What is said of the games that have names, once it was asked for.
    cards: OnceLock<Vec<Card>>,
    port: u16,
}

impl Server {
    /// A server that will be reached at a port.
    #[must_use]
    pub fn new(games: Games, port: u16) -> Arc<Self> {
        let (sessions, desks) = (Sessions::default(), Desks::default());
        Arc::new(Self { games, sessions, desks, cards: OnceLock::new(), port })
    }

    /// If the request is for this server, and from its own page or from no page at all: else another page could reach it by a
    /// name of its own that leads to this machine.
    fn is_own(&self, headers: &HeaderMap) -> bool {
        let own = |host: &str| {
            ["127.0.0.1", "localhost", "[::1]"].iter().any(|name| host == format!("{name}:{}", self.port))
        };
        let text = |value: &HeaderValue| value.to_str().map(str::to_owned).unwrap_or_default();
        let host = headers.get(header::HOST).map(text).unwrap_or_default();
        let origin = headers.get(header::ORIGIN).map(text);
        own(&host) && origin.is_none_or(|origin| origin.strip_prefix("http://").is_some_and(own))
    }
}

/// Each address, and who answers there.
#[must_use]
pub fn routes() -> Vec<(&'static str, MethodRouter<Arc<Server>>)> {
    vec![
        ("/", get(assets::index)),
        ("/page/{name}", get(assets::page)),
        ("/api/openapi.json", get(description::description)),
        ("/api/games", get(insight::games)),
        ("/api/check", post(insight::check)),
        ("/api/players", get(api::players)),
        ("/api/sessions", post(api::start)),
        ("/api/sessions/{id}", get(api::view).delete(api::end)),
        ("/api/sessions/{id}/moves", post(api::choose)),
        ("/api/sessions/{id}/undo", post(api::undo)),
        ("/api/sessions/{id}/redo", post(api::redo)),
        ("/api/sessions/{id}/go", post(api::go)),
        ("/api/sessions/{id}/restart", post(api::restart)),
        ("/api/sessions/{id}/seats", post(api::seats)),
        ("/api/sessions/{id}/pause", post(api::pause)),
        ("/api/sessions/{id}/hints", get(api::hints)),
        ("/api/sessions/{id}/record", get(api::record)),
        ("/api/sessions/{id}/inside", get(insight::inside)),
        ("/api/sessions/{id}/analysis", get(insight::analysis)),
        ("/api/sessions/{id}/rulesheet", get(insight::rulesheet)),
    ]
}

/// All that the server answers.
pub fn router(server: Arc<Server>) -> Router {
    let routes = routes().into_iter();
    routes
        .fold(Router::new(), |router, (path, methods)| router.route(path, methods))
        .fallback(missing)
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(MOST_BYTES))
        .layer(middleware::from_fn_with_state(Arc::clone(&server), guard))
        .with_state(server)
}

async fn missing() -> Problem {
    Problem::missing("no_page", "there is no such address")
}

async fn wrong_method() -> Problem {
    Problem::wrong_method()
}

/// Refuses what comes from elsewhere, and tells browsers to keep to this server.
async fn guard(State(server): State<Arc<Server>>, request: Request, next: Next) -> Response {
    let mut response = if server.is_own(request.headers()) {
        next.run(request).await
    } else {
        Problem::foreign().into_response()
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
             base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        ),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Serves until the process ends. The address is printed once it can be reached.
///
/// # Errors
/// If the game cannot be opened, or nobody may listen at the port.
pub fn run(game: Option<&GameArg>, port: u16) -> Result {
    let games = Games::new(game)?;
    let listen = |error: std::io::Error| Error::Input(format!("cannot listen at port {port}: {error}"));
    let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).map_err(listen)?;
    listener.set_nonblocking(true).map_err(listen)?;
    let port = listener.local_addr().map_err(listen)?.port();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(THREADS)
        .build()
        .map_err(|error| Error::Input(format!("cannot start a server: {error}")))?;
    let router = router(Server::new(games, port));
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener).map_err(listen)?;
        let mut out = output::stdout();
        let fragment = game.map_or_else(String::new, |game| format!("#game={}", game.name()));
        writeln!(out, "http://127.0.0.1:{port}/{fragment}")?;
        out.flush()?;
        connections::serve(listener, router, Bounds::default())
            .await
            .map_err(|error| Error::Input(format!("the server ended: {error}")))
    })
}
