//! The requests: JSON in, a session's view or a problem out. What takes long runs beside the thread that answers.

use super::{
    Server,
    errors::{Answer, Problem},
    games::{Games, Opened},
    seats::Seat,
    session::Session,
    sessions::{Sessions, Shared},
    thinking,
    views::{AdviceView, Saved, View},
};
use crate::players::KINDS;
use axum::{
    Json,
    body::Bytes,
    extract::{Path, Query, State, rejection::BytesRejection},
    http::StatusCode,
    response::{IntoResponse, Response},
};
use gdl_runtime::{Game, History, Id, Record, RoleId};
use serde::{Deserialize, de::DeserializeOwned};
use std::{collections::BTreeMap, sync::Arc, time::Duration};

/// No request waits longer for a change.
const LONGEST_WAIT: Duration = Duration::from_secs(20);

/// The most characters of a name.
const LONGEST_NAME: usize = 100;

/// A body that may be too large or broken.
pub(super) type Body = Result<Bytes, BytesRejection>;

/// The body of a request.
pub(super) fn read<T: DeserializeOwned>(body: Body) -> Answer<T> {
    let body = body.map_err(|error| {
        if error.status() == StatusCode::PAYLOAD_TOO_LARGE {
            Problem::too_large(format!("a request may have {} bytes", super::MOST_BYTES))
        } else {
            Problem::malformed("the body could not be read")
        }
    })?;
    let body: &[u8] = if body.is_empty() { b"{}" } else { &body };
    serde_json::from_slice(body)
        .map_err(|error| Problem::malformed(format!("the body is not as it should be: {error}")))
}

/// Does what may take a while, beside the thread that answers.
pub(super) async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Answer<T> {
    tokio::task::spawn_blocking(work).await.map_err(|_| Problem::broken())
}

/// Changes a session, and sees what came of it.
async fn change(
    server: &Server,
    id: &str,
    looking: &Looking,
    work: impl FnOnce(&mut Session) -> Answer<()> + Send + 'static,
) -> Answer<Json<View>> {
    let shared = server.sessions.find(id)?;
    let looking = looking.clone();
    aside(move || {
        shared.with(work)?;
        look(&shared, &looking)
    })
    .await?
    .map(Json)
}

/// A session through the eyes of a role.
fn look(shared: &Arc<Shared>, looking: &Looking) -> Answer<View> {
    shared.with(|session| {
        let role = role(session, looking.seat.as_deref())?;
        Ok(View::of(session, role))
    })
}

/// The role of a name, if one was given.
///
/// # Errors
/// If the game has no such role.
pub(super) fn role(session: &Session, name: Option<&str>) -> Answer<Option<RoleId>> {
    let role = name.map(|name| session.game().parse_role(name));
    role.transpose().map_err(|error| Problem::unfit("no_role", error.to_string()))
}

/// Through whose eyes one looks, and whether one waits for a change.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Looking {
    /// The role, where the rules hide something.
    seat: Option<String>,
    /// Answer once the version is past this one ..
    after: Option<u64>,
    /// .. or so many seconds are over.
    wait: Option<f64>,
}

/// What a new session is of: a game by name, a rulesheet, or a match that was saved.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Start {
    game: Option<String>,
    rulesheet: Option<String>,
    /// What the rulesheet is called.
    name: Option<String>,
    /// Who plays the roles; a person each, unless it is said.
    #[serde(default)]
    seats: BTreeMap<String, String>,
    /// What chance and players follow from.
    #[serde(default)]
    seed: u64,
    /// The position to begin with, as KIF text.
    position: Option<String>,
    /// The joint moves that were made from there.
    #[serde(default)]
    moves: Vec<Vec<String>>,
    /// A match to go on with.
    record: Option<Record>,
}

impl Start {
    fn open(&self, server: &Server) -> Answer<Opened> {
        match (&self.game, &self.rulesheet) {
            (Some(name), None) => server.games.find(name),
            (None, Some(text)) => {
                let name = self.name.as_deref().unwrap_or("rulesheet");
                let name: String = name.chars().filter(|c| !c.is_control()).take(LONGEST_NAME).collect();
                Games::load(&name, text)
            }
            _ => Err(Problem::malformed("a session is of a `game` or of a `rulesheet`")),
        }
    }

    fn history(&self, opened: &Opened) -> Answer<History<gdl_runtime::Dynamic>> {
        let game = &opened.game;
        if let Some(record) = &self.record {
            return record.replay(game).map_err(|error| Problem::unfit("no_match", error.to_string()));
        }
        let unfit = |error: String| Problem::unfit("no_position", error);
        let mut history = match &self.position {
            Some(text) => History::from_text(game, text).map_err(|error| unfit(error.to_string()))?,
            None => History::new(game),
        };
        for joint in &self.moves {
            let joint: Result<Vec<_>, _> = joint.iter().map(|action| game.parse_move(action)).collect();
            let joint = joint.map_err(|error| unfit(error.to_string()))?;
            history.play(game, &joint).map_err(|error| unfit(error.to_string()))?;
        }
        Ok(history)
    }

    fn session(&self, server: &Server) -> Answer<Arc<Shared>> {
        let opened = self.open(server)?;
        let history = self.history(&opened)?;
        let mut seats = Seat::usual(&opened.game);
        for (role, seat) in &self.seats {
            let game = &opened.game;
            let role: RoleId =
                game.parse_role(role).map_err(|error| Problem::unfit("no_role", error.to_string()))?;
            if game.chance_role() != Some(role) {
                seats[role.index()] = Seat::parse(game, role, seat)?;
            }
        }
        let shared = server.sessions.add(Session::new(Sessions::id()?, opened, history, seats, self.seed))?;
        // Machines begin, before anybody looks.
        shared.with(|_| ());
        Ok(shared)
    }
}

/// `POST /api/sessions`
pub(super) async fn start(
    State(server): State<Arc<Server>>,
    Query(looking): Query<Looking>,
    body: Body,
) -> Answer<Response> {
    let start: Start = read(body)?;
    let _turn = server.loading.acquire().await.map_err(|_| Problem::broken())?;
    let worker = Arc::clone(&server);
    let view = aside(move || look(&start.session(&worker)?, &looking)).await??;
    Ok((StatusCode::CREATED, Json(view)).into_response())
}

/// `GET /api/sessions/{id}`
pub(super) async fn view(
    State(server): State<Arc<Server>>,
    Path(id): Path<String>,
    Query(looking): Query<Looking>,
) -> Answer<Json<View>> {
    if let Some(version) = looking.after {
        let seconds = looking.wait.filter(|seconds| seconds.is_finite()).unwrap_or(0.0).max(0.0);
        let longest = Duration::from_secs_f64(seconds.min(LONGEST_WAIT.as_secs_f64()));
        server.sessions.find(&id)?.wait(version, longest).await;
    }
    change(&server, &id, &looking, |_| Ok(())).await
}

/// `DELETE /api/sessions/{id}`
pub(super) async fn end(State(server): State<Arc<Server>>, Path(id): Path<String>) -> Answer<StatusCode> {
    server.sessions.remove(&id)?;
    Ok(StatusCode::NO_CONTENT)
}

/// A move of a person.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Choice {
    role: String,
    #[serde(rename = "move")]
    action: String,
    /// The place where it is meant; it is refused elsewhere.
    place: Option<usize>,
}

/// `POST /api/sessions/{id}/moves`
pub(super) async fn choose(
    State(server): State<Arc<Server>>,
    Path(id): Path<String>,
    Query(looking): Query<Looking>,
    body: Body,
) -> Answer<Json<View>> {
    let Choice { role, action, place } = read(body)?;
    change(&server, &id, &looking, move |session| session.choose(&role, &action, place)).await
}

/// `POST /api/sessions/{id}/undo`
pub(super) async fn undo(
    State(server): State<Arc<Server>>,
    Path(id): Path<String>,
    Query(looking): Query<Looking>,
) -> Answer<Json<View>> {
    change(&server, &id, &looking, Session::undo).await
}

/// `POST /api/sessions/{id}/redo`
pub(super) async fn redo(
    State(server): State<Arc<Server>>,
    Path(id): Path<String>,
    Query(looking): Query<Looking>,
) -> Answer<Json<View>> {
    change(&server, &id, &looking, Session::redo).await
}

/// `POST /api/sessions/{id}/restart`
pub(super) async fn restart(
    State(server): State<Arc<Server>>,
    Path(id): Path<String>,
    Query(looking): Query<Looking>,
) -> Answer<Json<View>> {
    change(&server, &id, &looking, |session| {
        session.restart();
        Ok(())
    })
    .await
}

/// Where to go in the history.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Aim {
    place: usize,
}

/// `POST /api/sessions/{id}/go`
pub(super) async fn go(
    State(server): State<Arc<Server>>,
    Path(id): Path<String>,
    Query(looking): Query<Looking>,
    body: Body,
) -> Answer<Json<View>> {
    let Aim { place } = read(body)?;
    change(&server, &id, &looking, move |session| session.go(place)).await
}

/// `POST /api/sessions/{id}/seats`
pub(super) async fn seats(
    State(server): State<Arc<Server>>,
    Path(id): Path<String>,
    Query(looking): Query<Looking>,
    body: Body,
) -> Answer<Json<View>> {
    let seats: BTreeMap<String, String> = read(body)?;
    change(&server, &id, &looking, move |session| {
        seats.iter().try_for_each(|(role, seat)| session.seat(role, seat))
    })
    .await
}

/// Whether machines are to wait.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pause {
    paused: bool,
}

/// `POST /api/sessions/{id}/pause`
pub(super) async fn pause(
    State(server): State<Arc<Server>>,
    Path(id): Path<String>,
    Query(looking): Query<Looking>,
    body: Body,
) -> Answer<Json<View>> {
    let Pause { paused } = read(body)?;
    change(&server, &id, &looking, move |session| {
        session.pause(paused);
        Ok(())
    })
    .await
}

/// `GET /api/players`
pub(super) async fn players() -> Json<serde_json::Value> {
    let players = KINDS.iter().filter(|kind| kind.name != "human").map(|kind| {
        let options: Vec<&str> = kind.options().collect();
        serde_json::json!({ "name": kind.name, "about": kind.about, "options": options })
    });
    Json(serde_json::json!({ "players": players.collect::<Vec<_>>() }))
}

/// `GET /api/sessions/{id}/hints`
pub(super) async fn hints(
    State(server): State<Arc<Server>>,
    Path(id): Path<String>,
    Query(looking): Query<Looking>,
) -> Answer<Json<AdviceView>> {
    let shared = server.sessions.find(&id)?;
    aside(move || {
        let (view, question) = shared.with(|session| {
            let role = role(session, looking.seat.as_deref())?;
            let (advice, question) = session.advise(role)?;
            Answer::Ok((AdviceView::of(session, &advice), question))
        })?;
        if let Some(question) = question {
            thinking::answer(shared, question);
        }
        Ok(Json(view))
    })
    .await?
}

/// `GET /api/sessions/{id}/record`
pub(super) async fn record(State(server): State<Arc<Server>>, Path(id): Path<String>) -> Answer<Json<Saved>> {
    let shared = server.sessions.find(&id)?;
    aside(move || shared.with(|session| Json(Saved::of(session)))).await
}
