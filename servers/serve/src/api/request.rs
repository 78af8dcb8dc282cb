//! Common parts of requests: the body, the query, the session, the person who asks, and a role.

use crate::{
    connections::MOST_BYTES,
    problem::{Answer, Problem},
    server::Server,
    session::{Session, Viewer},
    shared::Shared,
    work,
};
use axum::{
    body::Bytes,
    extract::{self, FromRequestParts, rejection::BytesRejection},
    http::{StatusCode, request::Parts},
};
use gdl_runtime::{Cancel, GameExt, dynamic::RoleId};
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// The body of a request, or the error of receiving it.
pub(super) type Body = Result<Bytes, BytesRejection>;

/// The query of an address. An invalid query is rejected with a [`Problem`].
#[derive(Debug)]
pub(super) struct Query<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Answer<Self> {
        let read = extract::Query::from_request_parts(parts, state).await;
        read.map(|extract::Query(query)| Self(query)).map_err(|error| Problem::malformed(error.body_text()))
    }
}

/// Parses the body of a request.
pub(super) fn read<T: DeserializeOwned>(body: Body) -> Answer<T> {
    let body = body.map_err(|error| {
        if error.status() == StatusCode::PAYLOAD_TOO_LARGE {
            Problem::too_large(format!("a request may have at most {MOST_BYTES} bytes"))
        } else {
            Problem::malformed("the body could not be read")
        }
    })?;
    let body: &[u8] = if body.is_empty() { b"{}" } else { &body };
    serde_json::from_slice(body).map_err(|error| Problem::malformed(format!("the body is invalid: {error}")))
}

/// Runs work on a session in another thread than the one that answers. A request that waits for its
/// session holds no turn of the queue.
pub(super) async fn with_session<T: Send + 'static>(
    server: &Server,
    id: &str,
    work: impl FnOnce(&Arc<Shared>, &Cancel) -> Answer<T> + Send + 'static,
) -> Answer<T> {
    let shared = server.sessions.find(id)?;
    let own = work::turn(&shared.turn).await?;
    let queue = server.queues.sessions(shared.is_known);
    queue.work_with(own, move |cancel| work(&shared, cancel)).await?
}

/// Returns the role of a name, if one is given.
///
/// # Errors
/// Returns an error if the game has no such role.
pub(super) fn role(session: &Session, name: Option<&str>) -> Answer<Option<RoleId>> {
    let role = name.map(|name| session.game().parse_role(name));
    role.transpose().map_err(|error| Problem::unfit("no_role", error.to_string()))
}

/// The person who asks.
#[derive(Clone, Debug)]
pub(super) enum Asker {
    /// A person at the page of this machine, with the role that the request names, if any.
    Here(Option<String>),
    /// A guest elsewhere, with a link to the seat of a role.
    Guest {
        /// The token of the link.
        token: String,
        /// The role.
        role: RoleId,
    },
}

impl Asker {
    /// Returns the viewer of a session for this person.
    ///
    /// # Errors
    /// Returns an error if there is no such role, or the link no longer opens the seat.
    pub(super) fn looker(&self, session: &mut Session) -> Answer<Viewer> {
        match self {
            Self::Here(name) => role(session, name.as_deref()).map(Viewer::Here),
            Self::Guest { token, role } => session.admit(*role, token).map(|()| Viewer::Guest(*role)),
        }
    }
}
