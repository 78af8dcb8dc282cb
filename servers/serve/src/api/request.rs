//! The common parts of requests: a body and a query to be read, a session to be found and worked
//! on, a person who asks, a role that is named.

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

/// A body that may be too large or broken.
pub(super) type Body = Result<Bytes, BytesRejection>;

/// The part after the question mark of an address; a problem if it is invalid.
#[derive(Debug)]
pub(super) struct Query<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Answer<Self> {
        let read = extract::Query::from_request_parts(parts, state).await;
        read.map(|extract::Query(query)| Self(query)).map_err(|error| Problem::malformed(error.body_text()))
    }
}

/// The body of a request.
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

/// Does something with a session in another thread than the one that answers. Requests for one
/// session wait for each other without keeping others from their turns.
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

/// The role of a name, if one was given.
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
    /// At the page of this machine, through the eyes of a role if one is named.
    Here(Option<String>),
    /// Elsewhere, by a link to the seat of a role.
    Guest {
        /// The token of the link; a guest knows the session by nothing else.
        token: String,
        /// The role.
        role: RoleId,
    },
}

impl Asker {
    /// The person, as the session knows them.
    ///
    /// # Errors
    /// Returns an error if there is no such role, or the seat is not the guest's any more.
    pub(super) fn looker(&self, session: &mut Session) -> Answer<Viewer> {
        match self {
            Self::Here(name) => role(session, name.as_deref()).map(Viewer::Here),
            Self::Guest { token, role } => session.admit(*role, token).map(|()| Viewer::Guest(*role)),
        }
    }
}
