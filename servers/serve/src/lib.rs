//! `gdl serve`: any game as a board to click, in a browser.
//!
//! A server on 127.0.0.1, with an optional second address for `guests`, answers its `connections`
//! with a page (`assets`) and with JSON (`api`). A play is a `session` in a bounded `registry`,
//! which requests and machines share (`shared`). Machines think (`thinking`) in threads of their
//! own, so an answer never waits for them. The page receives a `session_view`, whose board
//! [`gdl_tools::scene`] draws.
//!
//! Before a play, a game is chosen from the `catalogue` or opened from a `rulesheet`.
//! `compilations` reports the progress of the compilation. During play, requests can inspect the
//! `net`, ask for a `reason` and for the `evaluation` of a position. The `clocks` show the
//! remaining time. For a role with hidden information, advice is an `expectation`.
//!
//! The `results` show matches of `gdl manage`, drawn like the states of a session. Longer tasks are
//! `work` in a queue, and are cancelled when no request waits for them. [`DESCRIPTION`] documents
//! all requests. The server accepts only requests for its address from its own page, so no other
//! page in the browser can play or read.
//!
//! [`run`] is `gdl serve`; [`router`] answers requests without sockets.

mod api;
mod assets;
mod catalogue;
mod clocks;
mod compilations;
mod connections;
mod description;
mod evaluation;
mod expectation;
mod games;
mod guests;
mod knowledge;
mod lock;
mod net;
mod problem;
mod reason;
mod registry;
#[cfg(feature = "manage")]
mod results;
mod rulesheet;
mod seats;
mod server;
mod session;
mod session_view;
mod shared;
mod thinking;
mod thought;
mod work;

pub use connections::MOST_BYTES;
pub use description::TEXT as DESCRIPTION;

use axum::{
    Router,
    extract::{DefaultBodyLimit, Request, State},
    http::{HeaderValue, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
};
use connections::ConnectionBounds;
use gdl_tools::{
    error::{Error, Result},
    game::GameArg,
    output,
};
use problem::Problem;
use server::{Door, Server};
#[cfg(feature = "manage")]
use std::path::Path;
use std::{
    io::Write,
    net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, UdpSocket},
    sync::Arc,
};
use work::THREADS;

/// Returns each address that the server answers, in the form of `OpenAPI`.
#[must_use]
pub fn routes() -> Vec<&'static str> {
    api::handlers().into_iter().map(|(path, _)| path).collect()
}

/// The game and the results that a server shows besides the built-in games.
#[derive(Clone, Debug, Default)]
pub struct Shown<'s> {
    /// The game to open first.
    pub game: Option<&'s GameArg>,
    /// True if rulesheets from the page are compiled with
    /// [`Options::lenient`](gdl_compiler::Options::lenient).
    pub lenient: bool,
    /// The path of a file of results of `gdl manage`.
    #[cfg(feature = "manage")]
    pub results: Option<&'s Path>,
}

/// Creates the router of a server that is reached at a port of this machine.
///
/// # Errors
/// Returns an error if the game or the results cannot be opened.
pub fn router(shown: &Shown<'_>, port: u16) -> Result<Router> {
    Server::new(shown, port, None).map(|server| answering(server, Door::Here))
}

/// Creates two routers of one server: one for this machine, and one for guests, reached at
/// `guests`.
///
/// # Errors
/// Returns an error if the game or the results cannot be opened.
pub fn routers(shown: &Shown<'_>, port: u16, guests: SocketAddr) -> Result<[Router; 2]> {
    let server = Server::new(shown, port, Some(guests))?;
    Ok([Door::Here, Door::Guests].map(|door| answering(Arc::clone(&server), door)))
}

fn answering(server: Arc<Server>, door: Door) -> Router {
    let handlers = match door {
        Door::Here => api::handlers(),
        Door::Guests => api::for_guests(),
    };
    handlers
        .into_iter()
        .fold(Router::new(), |router, (path, methods)| router.route(path, methods))
        .fallback(missing)
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(MOST_BYTES))
        .layer(middleware::from_fn_with_state((Arc::clone(&server), door), guard))
        .with_state(server)
}

async fn missing() -> Problem {
    Problem::missing("no_page", "there is no such address")
}

async fn wrong_method() -> Problem {
    Problem::wrong_method()
}

/// Rejects requests from elsewhere, and sets headers that make browsers load from this server only.
async fn guard(State((server, door)): State<(Arc<Server>, Door)>, request: Request, next: Next) -> Response {
    let mut response = if server.is_own(door, request.headers()) {
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

/// The address for guests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lan {
    /// The address by which other machines of the network most likely reach this one.
    Found,
    /// A given address of the machine.
    At(IpAddr),
}

impl Lan {
    /// Returns the address for guests.
    ///
    /// # Errors
    /// Returns an error if the machine is on no network, or the address is unspecified or
    /// multicast.
    fn address(self) -> Result<IpAddr> {
        let none = || {
            Error::Input(
                "this machine has no address on a network\n\ngive one: `--lan=192.168.1.5`".to_owned(),
            )
        };
        let address = match self {
            Self::At(address) => address,
            // Connecting a UDP socket sends nothing, but gives the socket the local address of the
            // route.
            Self::Found => UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))
                .and_then(|socket| socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).and(socket.local_addr()))
                .map_err(|_| none())?
                .ip(),
        };
        if address.is_unspecified() || address.is_multicast() { Err(none()) } else { Ok(address) }
    }

    /// Listens at a port, or at a free one if listening at that port fails.
    fn listen(self, port: u16) -> Result<TcpListener> {
        let address = self.address()?;
        let unfit = |error| Error::Input(format!("cannot listen at {address}: {error}"));
        TcpListener::bind((address, port)).or_else(|_| TcpListener::bind((address, 0))).map_err(unfit)
    }
}

/// Serves until the process ends. Prints the address once it can be reached, and below it the
/// address for guests, if there is one.
///
/// # Errors
/// Returns an error if the game or the results cannot be opened, listening at an address fails, or
/// accepting connections fails.
pub fn run(shown: &Shown<'_>, port: u16, lan: Option<Lan>) -> Result {
    let listen = |error: std::io::Error| Error::Input(format!("cannot listen at port {port}: {error}"));
    let ready = |listener: TcpListener| -> std::io::Result<_> {
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        Ok((listener, address))
    };
    let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).map_err(listen)?;
    let (listener, own) = ready(listener).map_err(listen)?;
    let door = lan.map(|lan| lan.listen(own.port())).transpose()?.map(ready).transpose().map_err(listen)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(THREADS)
        .build()
        .map_err(|error| Error::Input(format!("cannot start a server: {error}")))?;
    let server = Server::new(shown, own.port(), door.as_ref().map(|(_, address)| *address))?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener).map_err(listen)?;
        let mut out = output::stdout();
        let fragment = shown.game.map_or_else(String::new, |game| format!("#game={}", game.name()));
        writeln!(out, "http://127.0.0.1:{}/{fragment}", own.port())?;
        if let Some((door, address)) = door {
            writeln!(
                out,
                "guests join at http://{address}/ by a link to a seat: choose `guest` on the page"
            )?;
            writeln!(out, "nothing is encrypted, and anyone who has the link can play the seat")?;
            let door = tokio::net::TcpListener::from_std(door).map_err(listen)?;
            let router = answering(Arc::clone(&server), Door::Guests);
            tokio::spawn(connections::serve(door, router, ConnectionBounds::default()));
        }
        out.flush()?;
        connections::serve(listener, answering(server, Door::Here), ConnectionBounds::default())
            .await
            .map_err(|error| Error::Input(format!("the server ended: {error}")))
    })
}
