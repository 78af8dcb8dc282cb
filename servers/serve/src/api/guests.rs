//! The requests of guests. A link opens the seat of one role. The guest sees what the role may
//! know, makes the role's moves, and asks for reasons.
//!
//! Each request is like that of a person at this machine, with a token in place of the session's
//! id. The token determines the seat, whatever seat the request names.

use super::{
    inspection::{self, Doubt, Rulesheet, Search},
    request::{Asker, Body, Query, read},
    sessions::{self, Choice, Looking},
};
use crate::{
    problem::{Answer, Problem},
    reason::Reason,
    server::Server,
    session_view::{IllegalView, View},
};
use axum::{
    Json,
    extract::{Path, State},
};
use std::sync::Arc;

/// Returns the session and the seat of a link.
fn seat(server: &Server, token: String) -> Answer<(String, Asker)> {
    let (id, role) = server.guests.find(&token)?;
    Ok((id, Asker::Guest { token, role }))
}

/// Replaces the error of a missing session by the error of a link that opens no seat.
fn told<T>(answer: Answer<T>) -> Answer<T> {
    answer.map_err(|problem| if problem.code == "no_session" { Problem::no_seat() } else { problem })
}

/// `GET /api/sessions/{id}`
pub(crate) async fn view(
    State(server): State<Arc<Server>>,
    Path(token): Path<String>,
    Query(looking): Query<Looking>,
) -> Answer<Json<View>> {
    let (id, asker) = seat(&server, token)?;
    told(looking.wait(&server, &id).await)?;
    told(sessions::change(&server, &id, asker, |_, _, _| Ok(())).await)
}

/// `POST /api/sessions/{id}/moves`
pub(crate) async fn choose(
    State(server): State<Arc<Server>>,
    Path(token): Path<String>,
    body: Body,
) -> Answer<Json<View>> {
    let (id, asker) = seat(&server, token)?;
    let choice: Choice = read(body)?;
    told(sessions::change(&server, &id, asker, move |session, looker, _| choice.make(session, looker)).await)
}

/// `GET /api/sessions/{id}/why`
pub(crate) async fn why(
    State(server): State<Arc<Server>>,
    Path(token): Path<String>,
    Query(doubt): Query<Doubt>,
) -> Answer<Json<Reason>> {
    let (id, asker) = seat(&server, token)?;
    told(inspection::reason_for(&server, &id, asker, doubt).await)
}

/// `GET /api/sessions/{id}/illegal`
pub(crate) async fn illegal(
    State(server): State<Arc<Server>>,
    Path(token): Path<String>,
    Query(search): Query<Search>,
) -> Answer<Json<IllegalView>> {
    let (id, asker) = seat(&server, token)?;
    told(inspection::not_legal(&server, &id, asker, search).await)
}

/// `GET /api/sessions/{id}/rulesheet`
pub(crate) async fn rulesheet(
    State(server): State<Arc<Server>>,
    Path(token): Path<String>,
) -> Answer<Json<Rulesheet>> {
    let (id, _) = seat(&server, token)?;
    told(inspection::rulesheet(State(server), Path(id)).await)
}
