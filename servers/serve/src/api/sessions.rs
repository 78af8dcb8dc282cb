//! The requests that create, view, change and end sessions. Most return the session's view.
//!
//! Each request that evaluates a state is [work](crate::work) in another thread than the one that
//! answers. One request of a session runs at a time, until its time is up or its client has left.
//! Creating a session compiles the game and replays moves within the same bounds. Too many moves
//! are rejected at once. Moves whose states take too many bytes are rejected before the step that
//! would exceed the limit.

use super::request::{Asker, Body, Query, read, role, with_session};
use crate::{
    clocks::Clocks,
    games::{LoadMode, Opened},
    problem::{Answer, Problem},
    registry::Registry,
    seats::Seat,
    server::Server,
    session::{self, Session, Viewer},
    session_view::{AdviceView, Recorded, Saved, View},
    shared::Shared,
    thinking,
};
use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
    response::{IntoResponse, Response},
};
use gdl_players::{Budget, record::Record};
use gdl_runtime::{Cancel, Dynamic, GameExt, History, dynamic::RoleId, game::Id};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, sync::Arc, time::Duration};

/// The longest time that a request waits for a change.
const LONGEST_WAIT: Duration = Duration::from_secs(20);

/// The most characters of a rulesheet's name.
const LONGEST_NAME: usize = 100;

/// Returns a budget that lasts until the work is cancelled.
fn until(cancel: &Cancel) -> Budget {
    Budget::unlimited().cancelled_by(cancel)
}

/// Changes a session, and returns its view.
pub(super) async fn change(
    server: &Server,
    id: &str,
    asker: Asker,
    work: impl FnOnce(&mut Session, Viewer, &Budget) -> Answer<()> + Send + 'static,
) -> Answer<Json<View>> {
    let view = with_session(server, id, move |shared, cancel| {
        let budget = until(cancel);
        thinking::with(shared, |session| {
            let looker = asker.looker(session)?;
            work(session, looker, &budget)
        })?;
        look(shared, &asker, &budget)
    });
    view.await.map(Json)
}

/// Returns the view of a session for a person.
fn look(shared: &Arc<Shared>, asker: &Asker, budget: &Budget) -> Answer<View> {
    thinking::with(shared, |session| {
        let looker = asker.looker(session)?;
        let view = View::of(session, looker, budget)?;
        // A guest receives the token of the link instead of the session's id.
        Ok(match asker {
            Asker::Guest { token, .. } => View { id: token.clone(), ..view },
            Asker::Here(_) => view,
        })
    })
}

/// The role for which a request views the session, and the change that it waits for.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Looking {
    /// The role whose knowledge limits the view, if the rules hide something.
    seat: Option<String>,
    /// The version that the session must exceed before the answer is sent.
    after: Option<u64>,
    /// The longest time to wait for that version, in seconds.
    wait: Option<f64>,
}

impl Looking {
    fn here(self) -> Asker {
        Asker::Here(self.seat)
    }

    /// Waits for a change of a session, if the request asks for it.
    pub(super) async fn wait(&self, server: &Server, id: &str) -> Answer<()> {
        if let Some(version) = self.after {
            let seconds = self.wait.filter(|seconds| seconds.is_finite()).unwrap_or(0.0).max(0.0);
            let longest = Duration::from_secs_f64(seconds.min(LONGEST_WAIT.as_secs_f64()));
            server.sessions.find(id)?.wait(version, longest).await;
        }
        Ok(())
    }
}

/// The start of a new session: a game by name, a rulesheet, or a saved match.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Start {
    game: Option<String>,
    rulesheet: Option<String>,
    /// The name of the rulesheet.
    name: Option<String>,
    /// The players of the roles; a person by default.
    #[serde(default)]
    seats: BTreeMap<String, String>,
    /// The clocks of roles, as minutes and the seconds that a move adds. Other roles have none.
    #[serde(default)]
    clocks: BTreeMap<String, String>,
    /// The player of all roles but the first, which a person plays. `seats` take precedence.
    against: Option<String>,
    /// The seed of chance and players; random by default.
    seed: Option<u64>,
    /// True if a rulesheet gets the larger limits of `gdl serve FILE`.
    #[serde(default)]
    patient: bool,
    /// True if the rules are interpreted in each state.
    #[serde(default)]
    lifted: bool,
    /// The ticket of the compilation, by which its progress can be queried.
    ticket: Option<String>,
    /// The initial position, as KIF text; the game's own by default.
    position: Option<String>,
    /// The joint moves made from the initial position.
    #[serde(default)]
    moves: Vec<Vec<String>>,
    /// The record of a match to continue.
    record: Option<Record>,
}

impl Start {
    /// Rejects inputs that are too long, before any work.
    fn measure(&self) -> Answer<()> {
        let moves = self.record.as_ref().map_or(&self.moves, |record| &record.moves);
        if moves.len() >= session::MOST_PLACES {
            return Err(Problem::too_large(format!("a history has at most {} places", session::MOST_PLACES))
                .help("start from a position instead"));
        }
        Ok(())
    }

    fn open(&self, server: &Server, cancel: &Cancel) -> Answer<Opened> {
        match (&self.game, &self.rulesheet) {
            (Some(name), None) => server.games.find(name),
            (None, Some(text)) => {
                let name = self.name.as_deref().unwrap_or("rulesheet");
                let name: String = name.chars().filter(|c| !c.is_control()).take(LONGEST_NAME).collect();
                let observer = server.compilations.observe(self.ticket.as_deref(), cancel);
                let way = if self.lifted { LoadMode::Lifted } else { LoadMode::within(self.patient) };
                server.games.load(&name, text, way, observer)
            }
            _ => Err(Problem::malformed("give either `game` or `rulesheet`")),
        }
    }

    /// Replays the moves, as long as there is room for them and the request is not cancelled.
    fn history(&self, opened: &Opened, cancel: &Cancel) -> Answer<History<Dynamic>> {
        let game = &opened.game;
        let goes_on = |history: &History<Dynamic>| {
            if cancel.is_cancelled() { Err(Problem::late()) } else { session::make_room(history) }
        };
        if let Some(record) = &self.record {
            let mut stop = Ok(());
            let replayed = record.replay_while(game, |history| {
                stop = goes_on(history);
                stop.is_ok()
            });
            stop?;
            return replayed.map_err(|error| Problem::unfit("no_match", error.to_string()));
        }
        let unfit = |error: String| Problem::unfit("no_position", error);
        let mut history = match &self.position {
            Some(text) => History::from_text(game, text).map_err(|error| unfit(error.to_string()))?,
            None => History::new(game),
        };
        for joint in &self.moves {
            goes_on(&history)?;
            let joint: Result<Vec<_>, _> = joint.iter().map(|action| game.parse_move(action)).collect();
            let joint = joint.map_err(|error| unfit(error.to_string()))?;
            history.play(game, &joint).map_err(|error| unfit(error.to_string()))?;
        }
        Ok(history)
    }

    fn session(&self, server: &Server, cancel: &Cancel) -> Answer<Arc<Shared>> {
        let opened = self.open(server, cancel)?;
        let history = self.history(&opened, cancel)?;
        let mut seats = Seat::usual(&opened.game);
        if let Some(player) = &self.against {
            let players: Vec<RoleId> =
                opened.game.roles().filter(|&role| opened.game.chance_role() != Some(role)).collect();
            for &role in players.iter().skip(1) {
                seats[role.index()] = Seat::parse(&opened.game, &opened.text, role, player)?;
            }
        }
        for (role, seat) in &self.seats {
            let game = &opened.game;
            let role: RoleId =
                game.parse_role(role).map_err(|error| Problem::unfit("no_role", error.to_string()))?;
            if game.chance_role() != Some(role) {
                seats[role.index()] = Seat::parse(game, &opened.text, role, seat)?;
            }
        }
        let seed = self.seed.map_or_else(Registry::seed, Ok)?;
        let clocks = Clocks::parse(&opened.game, &self.clocks, history.place().index())?;
        let mut session = Session::new(Registry::id()?, opened, history, seats, seed);
        session.clocks = clocks;
        if cancel.is_cancelled() {
            return Err(Problem::late());
        }
        let shared = server.sessions.add(session)?;
        // Machines begin to think before the first view.
        thinking::with(&shared, |_| ());
        Ok(shared)
    }
}

/// `POST /api/sessions`
pub(crate) async fn start(
    State(server): State<Arc<Server>>,
    Query(looking): Query<Looking>,
    body: Body,
) -> Answer<Response> {
    let start: Start = read(body)?;
    start.measure()?;
    let queue = match (&start.rulesheet, start.patient) {
        (None, _) => server.queues.sessions(true),
        (Some(text), true) if !server.games.is_recent(text) => &server.queues.patient,
        (Some(_), _) => &server.queues.compiling,
    };
    let worker = Arc::clone(&server);
    let view = queue.work(move |cancel| {
        let shared = start.session(&worker, cancel)?;
        look(&shared, &looking.here(), &until(cancel))
    });
    let view = view.await??;
    Ok((StatusCode::CREATED, Json(view)).into_response())
}

/// `GET /api/sessions/{id}`
pub(crate) async fn view(
    State(server): State<Arc<Server>>,
    Path(id): Path<String>,
    Query(looking): Query<Looking>,
) -> Answer<Json<View>> {
    looking.wait(&server, &id).await?;
    change(&server, &id, looking.here(), |_, _, _| Ok(())).await
}

/// `DELETE /api/sessions/{id}`
pub(crate) async fn end(State(server): State<Arc<Server>>, Path(id): Path<String>) -> Answer<StatusCode> {
    server.sessions.remove(&id)?;
    Ok(StatusCode::NO_CONTENT)
}

/// A move of a person.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Choice {
    role: String,
    #[serde(rename = "move")]
    action: String,
    /// The place where the move was chosen; the move is rejected at any other place.
    place: Option<usize>,
}

impl Choice {
    /// Chooses the move.
    pub(super) fn make(&self, session: &mut Session, looker: Viewer) -> Answer<()> {
        session.choose(looker, &self.role, &self.action, self.place)
    }
}

/// `POST /api/sessions/{id}/moves`
pub(crate) async fn choose(
    State(server): State<Arc<Server>>,
    Path(id): Path<String>,
    Query(looking): Query<Looking>,
    body: Body,
) -> Answer<Json<View>> {
    let choice: Choice = read(body)?;
    change(&server, &id, looking.here(), move |session, looker, _| choice.make(session, looker)).await
}

/// `POST /api/sessions/{id}/undo`
pub(crate) async fn undo(
    State(server): State<Arc<Server>>,
    Path(id): Path<String>,
    Query(looking): Query<Looking>,
) -> Answer<Json<View>> {
    change(&server, &id, looking.here(), |session, _, budget| session.undo(budget)).await
}

/// `POST /api/sessions/{id}/redo`
pub(crate) async fn redo(
    State(server): State<Arc<Server>>,
    Path(id): Path<String>,
    Query(looking): Query<Looking>,
) -> Answer<Json<View>> {
    change(&server, &id, looking.here(), |session, _, budget| session.redo(budget)).await
}

/// A request to play again from the start.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Anew {
    seed: Option<u64>,
}

/// `POST /api/sessions/{id}/restart`
pub(crate) async fn restart(
    State(server): State<Arc<Server>>,
    Path(id): Path<String>,
    Query(looking): Query<Looking>,
    body: Body,
) -> Answer<Json<View>> {
    let Anew { seed } = read(body)?;
    change(&server, &id, looking.here(), move |session, _, _| {
        session.restart(seed);
        Ok(())
    })
    .await
}

/// A request to go to a place in the history.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Aim {
    place: usize,
}

/// `POST /api/sessions/{id}/go`
pub(crate) async fn go(
    State(server): State<Arc<Server>>,
    Path(id): Path<String>,
    Query(looking): Query<Looking>,
    body: Body,
) -> Answer<Json<View>> {
    let Aim { place } = read(body)?;
    change(&server, &id, looking.here(), move |session, _, _| session.go(place)).await
}

/// `POST /api/sessions/{id}/seats`
pub(crate) async fn seats(
    State(server): State<Arc<Server>>,
    Path(id): Path<String>,
    Query(looking): Query<Looking>,
    body: Body,
) -> Answer<Json<View>> {
    let seats: BTreeMap<String, String> = read(body)?;
    change(&server, &id, looking.here(), move |session, _, _| {
        seats.iter().try_for_each(|(role, seat)| session.seat(role, seat))
    })
    .await
}

/// `POST /api/sessions/{id}/clocks`
pub(crate) async fn clocks(
    State(server): State<Arc<Server>>,
    Path(id): Path<String>,
    Query(looking): Query<Looking>,
    body: Body,
) -> Answer<Json<View>> {
    let clocks: BTreeMap<String, String> = read(body)?;
    change(&server, &id, looking.here(), move |session, _, _| session.time(&clocks)).await
}

/// A request to invite a guest to play a role.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Invitation {
    role: String,
    /// The token of a link from before the server restarted, which will open the seat again.
    token: Option<String>,
}

impl Invitation {
    /// Returns the token for the link: the given one, or a new one.
    ///
    /// # Errors
    /// Returns an error if the given token is malformed, or already opens a seat.
    fn token(&self, server: &Server) -> Answer<String> {
        let Some(token) = &self.token else { return Registry::id() };
        if token.len() != 32 || !token.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
            return Err(Problem::unfit("no_token", "a link holds 32 hexadecimal digits"));
        }
        if server.guests.find(token).is_ok_and(|(session, _)| server.sessions.has(&session)) {
            return Err(Problem::conflict("taken", "this link already opens a seat"));
        }
        Ok(token.clone())
    }
}

/// A link that opens a seat.
#[derive(Debug, Serialize)]
pub(crate) struct Invited {
    /// The role.
    role: String,
    /// The address of the seat for a browser elsewhere on the network.
    link: String,
}

/// `POST /api/sessions/{id}/invitations`
pub(crate) async fn invite(
    State(server): State<Arc<Server>>,
    Path(id): Path<String>,
    body: Body,
) -> Answer<Response> {
    let invitation: Invitation = read(body)?;
    let closed = || {
        Problem::conflict("no_guests", "this server can be reached only from its own machine")
            .help("start it by `gdl serve --lan` to invite others")
    };
    let address = server.guests.address().ok_or_else(closed)?;
    let (worker, session) = (Arc::clone(&server), id.clone());
    let invited = with_session(&server, &id, move |shared, _| {
        let token = invitation.token(&worker)?;
        let place = thinking::with(shared, |session| session.invite(&invitation.role, &token))?;
        worker.guests.add(&token, &session, place, &worker.sessions)?;
        Ok(Invited { role: invitation.role, link: format!("http://{address}/#session={token}") })
    });
    Ok((StatusCode::CREATED, Json(invited.await?)).into_response())
}

/// A request to pause machines, or to let them go on.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pause {
    paused: bool,
}

/// `POST /api/sessions/{id}/pause`
pub(crate) async fn pause(
    State(server): State<Arc<Server>>,
    Path(id): Path<String>,
    Query(looking): Query<Looking>,
    body: Body,
) -> Answer<Json<View>> {
    let Pause { paused } = read(body)?;
    change(&server, &id, looking.here(), move |session, _, _| {
        session.pause(paused);
        Ok(())
    })
    .await
}

/// `GET /api/sessions/{id}/hints`
pub(crate) async fn hints(
    State(server): State<Arc<Server>>,
    Path(id): Path<String>,
    Query(looking): Query<Looking>,
) -> Answer<Json<AdviceView>> {
    let advice = with_session(&server, &id, move |shared, cancel| {
        let (view, question) = thinking::with(shared, |session| {
            let role = role(session, looking.seat.as_deref())?;
            if thinking::room() == 0 {
                return Err(
                    Problem::too_many("too many players are thinking already").help("ask again in a moment")
                );
            }
            let (advice, question) = session.advise(role, &until(cancel))?;
            Answer::Ok((AdviceView::of(session, &advice), question))
        })?;
        if let Some(question) = question {
            thinking::answer(Arc::clone(shared), question);
        }
        Ok(view)
    });
    advice.await.map(Json)
}

/// `GET /api/sessions/{id}/record`
pub(crate) async fn record(State(server): State<Arc<Server>>, Path(id): Path<String>) -> Answer<Json<Saved>> {
    with_session(&server, &id, |shared, _| thinking::with(shared, |session| Saved::of(session)))
        .await
        .map(Json)
}

/// `GET /api/sessions/{id}/test`
pub(crate) async fn test(
    State(server): State<Arc<Server>>,
    Path(id): Path<String>,
    Query(looking): Query<Looking>,
) -> Answer<Json<Recorded>> {
    with_session(&server, &id, move |shared, _| {
        thinking::with(shared, |session| {
            let role = role(session, looking.seat.as_deref())?;
            Recorded::of(session, Viewer::Here(role))
        })
    })
    .await
    .map(Json)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Shown;

    #[test]
    fn a_session_that_nobody_waits_for_is_not_started() {
        let server = Server::new(&Shown::default(), 7, None).expect("the built-in games are sound");
        let start = |moves: serde_json::Value| -> Start {
            serde_json::from_value(serde_json::json!({ "game": "nim", "moves": moves })).expect("well formed")
        };
        let cancel = Cancel::default();
        assert!(start(serde_json::json!([])).session(&server, &cancel).is_ok());
        cancel.cancel();
        // The cancellation is noticed before the first move is parsed, and at the end.
        for moves in [serde_json::json!([["nonsense"]]), serde_json::json!([])] {
            let late = start(moves).session(&server, &cancel);
            assert!(matches!(late, Err(problem) if problem.code == "too_slow"));
        }
        assert_eq!(server.sessions.len(), 1);
    }
}
