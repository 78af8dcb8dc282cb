//! The requests that inspect a game: check a rulesheet, show its net, explain an atom, list illegal
//! moves, and analyse random play.
//!
//! Requests that compile or evaluate are [work](crate::work) in other threads than the one that
//! answers. The work is cancelled when its client leaves.

use super::request::{Asker, Body, Query, read, role, with_session};
use crate::{
    catalogue::{self, Card},
    compilations::Stage,
    evaluation::Evaluation,
    games::Opened,
    net::{self, NetView, SessionNet},
    problem::{Answer, Problem},
    reason::{self, Reason},
    rulesheet::{Question, judge},
    server::Server,
    session::{Viewer, Visibility},
    session_view::IllegalView,
    thinking,
    work::{observer, turn},
};
use axum::{
    Json,
    extract::{Path, State},
};
use gdl_compiler::{Limits, Options, Source};
use gdl_players::Budget;
use gdl_runtime::Cancel;
use gdl_tools::{
    analyze::{self, Settings, page},
    load,
    players::KINDS,
    verdict::Verdict,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;

/// The most bytes of a requested atom.
const LONGEST_ATOM: usize = 10_000;

/// The most games of an analysis.
const MOST_GAMES: u64 = 10_000;

/// Returns the game of a session.
async fn opened(server: &Server, id: &str) -> Answer<Opened> {
    with_session(server, id, |shared, _| Ok(thinking::with(shared, |session| session.opened.clone()))).await
}

/// `GET /api/games`
pub(crate) async fn games(State(server): State<Arc<Server>>) -> Answer<Json<Catalogue>> {
    let worker = Arc::clone(&server);
    let games = server.queues.sessions(true).work(move |_| {
        let cards = || {
            let own = worker.games.own().map(|own| catalogue::card(&own.name, &own.text, &own.game));
            own.into_iter().chain(catalogue::built_in()).collect()
        };
        worker.cards.get_or_init(cards).clone()
    });
    Ok(Json(Catalogue { games: games.await? }))
}

/// `GET /api/games/{name}`
pub(crate) async fn game(State(server): State<Arc<Server>>, Path(name): Path<String>) -> Answer<Json<Card>> {
    let worker = Arc::clone(&server);
    let card = server.queues.sessions(true).work(move |_| {
        let opened = worker.games.find(&name)?;
        Ok(catalogue::card(&opened.name, &opened.text, &opened.game))
    });
    card.await?.map(Json)
}

/// The games to choose from, as JSON.
#[derive(Debug, Serialize)]
pub(crate) struct Catalogue {
    games: Vec<Card>,
}

/// `GET /api/players`
pub(crate) async fn players(State(server): State<Arc<Server>>) -> Json<Value> {
    // The page itself offers a person as a player. It may not name files of this machine, so
    // players that read a file are left out.
    let offered = KINDS.iter().filter(|kind| kind.name != "human" && !kind.has_file());
    let players = offered.map(|kind| {
        let options: Vec<&str> = kind.options().collect();
        json!({ "name": kind.name, "about": kind.about, "elsewhere": kind.is_remote(), "options": options })
    });
    Json(json!({ "players": players.collect::<Vec<_>>(), "guests": server.guests.address().is_some() }))
}

/// `POST /api/check`
pub(crate) async fn check(State(server): State<Arc<Server>>, body: Body) -> Answer<Json<Verdict>> {
    let question: Question = read(body)?;
    let worker = Arc::clone(&server);
    let queue = if question.patient { &server.queues.patient } else { &server.queues.compiling };
    let verdict = queue.work(move |cancel| {
        let observer = worker.compilations.observe(question.ticket.as_deref(), cancel);
        judge(&question, &worker.games, &observer, cancel)
    });
    let verdict = verdict.await?;
    let late = || Problem::too_many("the rulesheet takes too long to be checked").help("give it more time");
    verdict.map(Json).ok_or_else(late)
}

/// `GET /api/compilations/{ticket}`
pub(crate) async fn compilation(
    State(server): State<Arc<Server>>,
    Path(ticket): Path<String>,
) -> Answer<Json<Stage>> {
    let missing = || Problem::missing("no_compilation", "there is no such compilation");
    server.compilations.stage(&ticket).map(Json).ok_or_else(missing)
}

/// The query for the inside of a game.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Aspect {
    /// The role whose knowledge limits the answer.
    seat: Option<String>,
    /// The output whose part of the net is drawn.
    of: Option<String>,
}

/// `GET /api/sessions/{id}/inside`
pub(crate) async fn inside(
    State(server): State<Arc<Server>>,
    Path(id): Path<String>,
    Query(Aspect { seat, of }): Query<Aspect>,
) -> Answer<Json<NetView>> {
    let shared = server.sessions.find(&id)?;
    let seen = with_session(&server, &id, move |shared, _| {
        thinking::with(shared, |session| {
            let role = role(session, seat.as_deref())?;
            let state = (session.eyes(Viewer::Here(role)) == Visibility::All)
                .then(|| session.history.state().clone());
            Ok((session.opened.clone(), Arc::clone(&session.net), state))
        })
    });
    let (opened, net, state) = seen.await?;
    // The net is compiled once; a request that waits for the compilation holds no turn of the
    // queue.
    let own = turn(&shared.looking).await?;
    let queue = if opened.is_known { server.queues.sessions(true) } else { &server.queues.compiling };
    let sight = queue.work_with(own, move |cancel| {
        let net = if let Some(net) = net.get() {
            net
        } else {
            let found = net_of(&opened, cancel);
            if cancel.is_cancelled() {
                return Err(Problem::late());
            }
            net.get_or_init(|| found)
        };
        let Some(net) = net else { return Ok(net::without_net(&opened.game, state.as_ref())) };
        match of.as_deref().filter(|of| !of.is_empty()) {
            Some(of) if !net.has(of) => {
                Err(Problem::missing("no_output", format!("the net has no output `{of}`"))
                    .help("see `outputs` for the list"))
            }
            of => Ok(net.view(&opened.game, state.as_ref(), of)),
        }
    });
    sight.await?.map(Json)
}

/// The query for the reason of an atom.
#[derive(Debug, Deserialize)]
pub(crate) struct Doubt {
    /// The atom, as KIF text.
    atom: String,
    /// The role whose knowledge limits the answer.
    seat: Option<String>,
    /// The number of nested rules in the answer.
    #[serde(default = "usual_depth")]
    depth: usize,
}

fn usual_depth() -> usize {
    3
}

/// The query for the value of a place.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Spot {
    seat: Option<String>,
    place: Option<usize>,
}

/// `GET /api/sessions/{id}/evaluation`
pub(crate) async fn evaluation(
    State(server): State<Arc<Server>>,
    Path(id): Path<String>,
    Query(Spot { seat, place }): Query<Spot>,
) -> Answer<Json<Evaluation>> {
    let found = with_session(&server, &id, move |shared, _| {
        thinking::with(shared, |session| {
            let role = role(session, seat.as_deref())?;
            if session.eyes(Viewer::Here(role)) != Visibility::All {
                let hidden = "an evaluation would reveal what the rules hide";
                return Err(Problem::conflict("hidden", hidden).help("ask again at the end of the game"));
            }
            let place = place.unwrap_or_else(|| session.history.place().index());
            let found = session.history.places().nth(place);
            let state = found.and_then(|place| session.history.state_at(place)).cloned();
            let missing = || Problem::missing("no_place", format!("the history has no place {place}"));
            Ok((session.opened.clone(), state.ok_or_else(missing)?, place))
        })
    });
    let (opened, state, place) = found.await?;
    let queue = server.queues.analyzing(opened.is_known);
    queue.work(move |cancel| Evaluation::of(&opened.game, &state, place, cancel)).await.map(Json)
}

/// `GET /api/sessions/{id}/why`
pub(crate) async fn why(
    State(server): State<Arc<Server>>,
    Path(id): Path<String>,
    Query(doubt): Query<Doubt>,
) -> Answer<Json<Reason>> {
    let asker = Asker::Here(doubt.seat.clone());
    reason_for(&server, &id, asker, doubt).await
}

/// Returns the reason for an atom, as far as the person may know it.
pub(super) async fn reason_for(
    server: &Server,
    id: &str,
    asker: Asker,
    doubt: Doubt,
) -> Answer<Json<Reason>> {
    let Doubt { atom, depth, .. } = doubt;
    if atom.len() > LONGEST_ATOM {
        return Err(Problem::too_large(format!("an atom may have at most {LONGEST_ATOM} bytes")));
    }
    let shared = server.sessions.find(id)?;
    let asked = with_session(server, id, move |shared, cancel| {
        let budget = Budget::unlimited().cancelled_by(cancel);
        thinking::with(shared, |session| {
            let looker = asker.looker(session)?;
            reason::ReasonQuestion::of(session, looker, &budget)
        })
    });
    let question = asked.await?;
    let own = turn(&shared.looking).await?;
    let queue = if shared.is_known { server.queues.sessions(true) } else { &server.queues.compiling };
    queue.work_with(own, move |cancel| question.answer(&atom, depth, cancel)).await?.map(Json)
}

/// The query for illegal moves.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Search {
    /// The role whose knowledge limits the answer.
    seat: Option<String>,
    /// The role whose moves are listed; by default a waiting role of the person.
    role: Option<String>,
    /// The text that the moves must contain.
    find: Option<String>,
    /// The cell that the moves must mention.
    cell: Option<usize>,
}

/// `GET /api/sessions/{id}/illegal`
pub(crate) async fn illegal(
    State(server): State<Arc<Server>>,
    Path(id): Path<String>,
    Query(search): Query<Search>,
) -> Answer<Json<IllegalView>> {
    let asker = Asker::Here(search.seat.clone());
    not_legal(&server, &id, asker, search).await
}

/// Returns the illegal moves, as far as the person may know them.
pub(super) async fn not_legal(
    server: &Server,
    id: &str,
    asker: Asker,
    search: Search,
) -> Answer<Json<IllegalView>> {
    let Search { role: whose, find, cell, .. } = search;
    let listed = with_session(server, id, move |shared, cancel| {
        let budget = Budget::unlimited().cancelled_by(cancel);
        thinking::with(shared, |session| {
            let (looker, whose) = (asker.looker(session)?, role(session, whose.as_deref())?);
            IllegalView::of(session, looker, whose, find.as_deref().unwrap_or_default(), cell, &budget)
        })
    });
    listed.await.map(Json)
}

/// Compiles the net of a game. Returns `None` if the game has no table, or compilation fails.
fn net_of(opened: &Opened, cancel: &Cancel) -> Option<SessionNet> {
    opened.game.table()?;
    let source = Source::new(&*opened.name, &*opened.text);
    let limits = if opened.is_known { Limits::default() } else { Limits::network() };
    let options = Options { lenient: true, limits, observer: observer(cancel), ..load::quiet() };
    let (_, compiled) = load::inspect(&source, &options);
    let most = if opened.is_known { usize::MAX } else { net::MOST_OPERATIONS };
    compiled.ok().map(|compiled| SessionNet::new(compiled, most))
}

/// The rulesheet of a game.
#[derive(Debug, Serialize)]
pub(crate) struct Rulesheet {
    /// The name of the game.
    name: String,
    /// The text of the rulesheet.
    text: String,
}

/// `GET /api/sessions/{id}/rulesheet`
pub(crate) async fn rulesheet(
    State(server): State<Arc<Server>>,
    Path(id): Path<String>,
) -> Answer<Json<Rulesheet>> {
    let opened = opened(&server, &id).await?;
    Ok(Json(Rulesheet { name: opened.name, text: opened.text.to_string() }))
}

/// The query for an analysis of random play.
#[derive(Debug, Deserialize)]
pub(crate) struct AnalysisQuery {
    /// The number of games that are played.
    #[serde(default = "usual_games")]
    games: u64,
    /// The seed of the random choices.
    #[serde(default)]
    seed: u64,
}

fn usual_games() -> u64 {
    100
}

/// The results of an analysis.
#[derive(Debug, Serialize)]
pub(crate) struct Analysis {
    /// The output of `gdl analyze --json`.
    figures: Value,
    /// The charts with their captions, as HTML for the style sheet `/page/charts.css`.
    page: String,
}

/// `GET /api/sessions/{id}/analysis`
pub(crate) async fn analysis(
    State(server): State<Arc<Server>>,
    Path(id): Path<String>,
    Query(AnalysisQuery { games, seed }): Query<AnalysisQuery>,
) -> Answer<Json<Analysis>> {
    if !(1..=MOST_GAMES).contains(&games) {
        let message = format!("{games} games are not in 1..={MOST_GAMES}");
        return Err(Problem::unfit("no_plan", message).help("`gdl analyze` follows more"));
    }
    let opened = opened(&server, &id).await?;
    let analysis = server.queues.analyzing(opened.is_known).work(move |cancel| {
        let settings = Settings { seed, count: games, seconds: None, threads: 1, cancel: cancel.clone() };
        let figures = analyze::analyze(&opened.name, &opened.game, &settings, &|_| ())?;
        Some(Analysis { figures: figures.to_json(), page: page::body(&figures) })
    });
    let late = || Problem::too_many("the games take too long").help("ask for fewer of them");
    analysis.await?.map(Json).ok_or_else(late)
}
