//! The requests that watch the results of `gdl manage`: standings, matches, their steps and
//! positions.
//!
//! The file of results is read in a queue of its own; positions are drawn in the queue for
//! compiling.

use super::request::Query;
use crate::{
    problem::{Answer, Problem},
    results::{MatchView, PositionView, Results},
    server::Server,
};
use axum::{
    Json,
    extract::{Path, State},
};
use gdl_manage::{
    Standings, Store,
    matches::{Contents, Cursor, Filter, List, Phase},
};
use gdl_tools::error::Result;
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;

/// Returns the results that the server shows.
fn shown(server: &Server) -> Answer<Arc<Results>> {
    let missing = || {
        Problem::missing("no_results", "this server shows no results")
            .help("start `gdl serve` with `--results FILE`")
    };
    server.results.clone().ok_or_else(missing)
}

/// Reads from the results, in the queue for reading.
async fn read<T: Send + 'static>(
    server: &Server,
    read: impl FnOnce(&Store) -> Result<T> + Send + 'static,
) -> Answer<T> {
    let results = shown(server)?;
    server.queues.reading.work(move |cancel| results.read(cancel, read)).await?
}

/// Parses the number of a match. Returns 0, the number of no match, if it is invalid.
fn number(id: &str) -> u32 {
    id.parse().unwrap_or(0)
}

fn no_match(id: &str) -> Problem {
    Problem::missing("no_match", format!("there is no match `{id}`"))
        .help("`GET /api/results/matches` lists them")
}

/// `GET /api/results`
pub(crate) async fn contents(State(server): State<Arc<Server>>) -> Answer<Json<Contents>> {
    read(&server, Store::contents).await.map(Json)
}

/// `GET /api/results/standings`
pub(crate) async fn standings(State(server): State<Arc<Server>>) -> Answer<Json<Value>> {
    read(&server, Standings::of).await.map(|standings| Json(standings.to_json()))
}

/// The query for a list of matches.
#[derive(Debug, Deserialize)]
pub(crate) struct Asked {
    /// The phase of the matches.
    state: Option<Phase>,
    /// The name of a player who takes part.
    player: Option<String>,
    /// The name of the game.
    game: Option<String>,
    /// The match after which the list begins, and the phase of that match.
    after: Option<u32>,
    after_state: Option<Phase>,
}

/// `GET /api/results/matches`
pub(crate) async fn list(
    State(server): State<Arc<Server>>,
    Query(Asked { state, player, game, after, after_state }): Query<Asked>,
) -> Answer<Json<List>> {
    let after = after.zip(after_state.or(state)).map(|(number, phase)| Cursor { phase, number });
    let filter = Filter { phase: state, player, game, after };
    read(&server, move |store| store.list(&filter)).await.map(Json)
}

/// The query for the steps of a match: the first one to return.
#[derive(Debug, Deserialize)]
pub(crate) struct From {
    #[serde(default)]
    from: u32,
}

/// `GET /api/results/matches/{id}`
pub(crate) async fn watch(
    State(server): State<Arc<Server>>,
    Path(id): Path<String>,
    Query(From { from }): Query<From>,
) -> Answer<Json<MatchView>> {
    let number = number(&id);
    let watched = read(&server, move |store| store.watch(number, from)).await?;
    watched.map(|watched| Json(MatchView::of(watched))).ok_or_else(|| no_match(&id))
}

/// The query for a position: the step of a match.
#[derive(Debug, Deserialize)]
pub(crate) struct At {
    #[serde(default)]
    step: u32,
}

/// `GET /api/results/matches/{id}/position`
pub(crate) async fn position(
    State(server): State<Arc<Server>>,
    Path(id): Path<String>,
    Query(At { step }): Query<At>,
) -> Answer<Json<PositionView>> {
    let number = number(&id);
    let results = shown(&server)?;
    let found = read(&server, move |store| store.position(number, step)).await?;
    let position = found.ok_or_else(|| no_match(&id).help("it may have been started again"))?;
    let worker = Arc::clone(&server);
    let drawn = server.queues.compiling.work(move |cancel| results.draw(&worker.games, &position, cancel));
    drawn.await?.map(Json)
}
