//! The requests that look into a game: whether a rulesheet is sound, what its net is and does, what random play shows.
//!
//! All of it is work of some seconds at most, done beside the thread that answers and a few at a time. When whoever asked
//! goes away the work is called off.

use super::{
    Server,
    catalogue::{self, Card},
    errors::{Answer, Problem},
    games::Opened,
    inside::{self, Inside, Sight},
    rulesheet::{Question, Verdict, judge},
    session::Eyes,
};
use crate::{
    analyze::{self, Settings, page},
    load,
};
use axum::{
    Json,
    extract::{Path, Query, State},
};
use gdl_compiler::{Limits, Options, Source};
use gdl_runtime::Cancel;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};
use tokio::sync::Semaphore;

/// What looking into games shares between requests.
#[derive(Debug)]
pub(super) struct Insight {
    /// Turns at checking rulesheets.
    checking: Arc<Semaphore>,
    /// Turns at playing for an analysis.
    analyzing: Arc<Semaphore>,
    cards: OnceLock<Vec<Card>>,
}

impl Default for Insight {
    fn default() -> Self {
        let turns = |count| Arc::new(Semaphore::new(count));
        Self { checking: turns(2), analyzing: turns(1), cards: OnceLock::new() }
    }
}

/// Nobody waits longer for a turn.
const PATIENCE: Duration = Duration::from_secs(10);

/// No analysis follows more games.
const MOST_GAMES: u64 = 10_000;

/// No analysis takes longer.
const LONGEST_ANALYSIS: Duration = Duration::from_secs(120);

/// Calls work off when it is dropped, as requests are whose senders went away.
struct Held(Cancel);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// The game of a session. A session may be busy for as long as its game takes to be seen; the thread that answers does not
/// wait for it.
async fn opened(server: &Server, id: &str) -> Answer<Opened> {
    let shared = server.sessions.find(id)?;
    super::api::aside(move || shared.with(|session| session.opened.clone())).await
}

/// Does some work beside the thread that answers, one of few at a time, until nobody waits for it or the time is up.
async fn work<T: Send + 'static>(
    turns: &Arc<Semaphore>,
    longest: Duration,
    work: impl FnOnce(&Cancel) -> T + Send + 'static,
) -> Answer<T> {
    let busy = || Problem::too_many("the server is busy with other games").help("ask again in a moment");
    let turn = tokio::time::timeout(PATIENCE, Arc::clone(turns).acquire_owned()).await;
    let turn = turn.map_err(|_| busy())?.map_err(|_| Problem::broken())?;
    let held = Held(Cancel::default());
    let cancel = held.0.clone();
    let mut task = tokio::task::spawn_blocking(move || {
        // Work that was called off has its turn until it has noticed.
        let _turn = turn;
        work(&cancel)
    });
    let done = if let Ok(done) = tokio::time::timeout(longest, &mut task).await {
        done
    } else {
        held.0.cancel();
        task.await
    };
    done.map_err(|_| Problem::broken())
}

/// `GET /api/games`
pub(super) async fn games(State(server): State<Arc<Server>>) -> Answer<Json<Catalogue>> {
    let worker = Arc::clone(&server);
    let games = super::api::aside(move || {
        let own = worker.games.own().map(|own| catalogue::card(&own.name, &own.text, &own.game));
        own.into_iter().chain(worker.insight.cards.get_or_init(catalogue::built_in).iter().cloned()).collect()
    });
    Ok(Json(Catalogue { games: games.await? }))
}

/// The games to choose from.
#[derive(Debug, Serialize)]
pub(super) struct Catalogue {
    games: Vec<Card>,
}

/// `POST /api/check`
pub(super) async fn check(
    State(server): State<Arc<Server>>,
    body: super::api::Body,
) -> Answer<Json<Verdict>> {
    /// Longer than any rulesheet takes within its limits.
    const LONGEST: Duration = Duration::from_secs(30);
    let Question { text } = super::api::read(body)?;
    let verdict = work(&server.insight.checking, LONGEST, move |cancel| judge(&text, cancel)).await?;
    let late =
        || Problem::too_many("the rulesheet takes too long to be checked").help("`gdl check` has more time");
    verdict.map(Json).ok_or_else(late)
}

/// What is to be seen inside.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Aspect {
    /// Through whose eyes.
    seat: Option<String>,
    /// The output whose part of the net is drawn.
    of: Option<String>,
}

/// `GET /api/sessions/{id}/inside`
pub(super) async fn inside(
    State(server): State<Arc<Server>>,
    Path(id): Path<String>,
    Query(Aspect { seat, of }): Query<Aspect>,
) -> Answer<Json<Sight>> {
    let shared = server.sessions.find(&id)?;
    let sight = super::api::aside(move || {
        let (opened, net, state) = shared.with(|session| {
            let role = super::api::role(session, seat.as_deref())?;
            let state = (session.eyes(role) == Eyes::All).then(|| session.history.state().clone());
            Ok((session.opened.clone(), Arc::clone(&session.inside), state))
        })?;
        let limits = if opened.is_known { Limits::default() } else { Limits::network() };
        let net = net.get_or_init(|| {
            opened.game.table()?;
            let source = Source::new(&*opened.name, &*opened.text);
            let (_, compiled) = load::inspect(&source, &Options { limits, ..load::quiet() });
            compiled.map(Inside::new)
        });
        let Some(net) = net else { return Ok(inside::without_net(&opened.game, state.as_ref())) };
        match of.as_deref().filter(|of| !of.is_empty()) {
            Some(of) if !net.has(of) => {
                Err(Problem::missing("no_output", format!("the net says nothing of `{of}`"))
                    .help("`outputs` lists what it says"))
            }
            of => Ok(net.sight(&opened.game, state.as_ref(), of)),
        }
    });
    sight.await?.map(Json)
}

/// The rules of a game.
#[derive(Debug, Serialize)]
pub(super) struct Rulesheet {
    /// What it is called.
    name: String,
    /// The rulesheet.
    text: String,
}

/// `GET /api/sessions/{id}/rulesheet`
pub(super) async fn rulesheet(
    State(server): State<Arc<Server>>,
    Path(id): Path<String>,
) -> Answer<Json<Rulesheet>> {
    let opened = opened(&server, &id).await?;
    Ok(Json(Rulesheet { name: opened.name, text: opened.text.to_string() }))
}

/// How much is played for an analysis.
#[derive(Debug, Deserialize)]
pub(super) struct Plan {
    /// Games that are followed move by move.
    #[serde(default = "usual_games")]
    games: u64,
    /// What the random choices follow from.
    #[serde(default)]
    seed: u64,
}

fn usual_games() -> u64 {
    100
}

/// What random play shows.
#[derive(Debug, Serialize)]
pub(super) struct Analysis {
    /// The same as `gdl analyze --json`.
    figures: Value,
    /// The charts and what they say, as markup for the style `/page/charts.css`.
    page: String,
}

/// `GET /api/sessions/{id}/analysis`
pub(super) async fn analysis(
    State(server): State<Arc<Server>>,
    Path(id): Path<String>,
    Query(Plan { games, seed }): Query<Plan>,
) -> Answer<Json<Analysis>> {
    if !(1..=MOST_GAMES).contains(&games) {
        let message = format!("{games} games are not in 1..={MOST_GAMES}");
        return Err(Problem::unfit("no_plan", message).help("`gdl analyze` follows more"));
    }
    let opened = opened(&server, &id).await?;
    let analysis = work(&server.insight.analyzing, LONGEST_ANALYSIS, move |cancel| {
        let settings = Settings { seed, count: games, seconds: None, threads: 1, cancel: cancel.clone() };
        let figures = analyze::analyze(&opened.name, &opened.game, &settings, &|_| ())?;
        Some(Analysis { figures: figures.to_json(), page: page::body(&figures) })
    });
    let late = || Problem::too_many("the games take too long").help("ask for fewer of them");
    analysis.await?.map(Json).ok_or_else(late)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn what_nobody_waits_for_is_called_off_and_leaves_its_turn() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let turns = Arc::new(Semaphore::new(1));
        let (sender, ended) = mpsc::channel();
        let endless = |sender: mpsc::Sender<&'static str>| {
            move |cancel: &Cancel| {
                while !cancel.is_cancelled() {
                    std::thread::yield_now();
                }
                sender.send("called off").expect("somebody listens");
            }
        };
        runtime.block_on(async {
            // Whoever asks goes away once the work has begun.
            let request = work(&turns, Duration::MAX, endless(sender.clone()));
            let gone = async {
                while turns.available_permits() > 0 {
                    tokio::task::yield_now().await;
                }
            };
            let (mut request, mut gone) = (std::pin::pin!(request), std::pin::pin!(gone));
            std::future::poll_fn(|context| {
                assert!(request.as_mut().poll(context).is_pending());
                gone.as_mut().poll(context)
            })
            .await;
        });
        assert_eq!(ended.recv(), Ok("called off"));
        // The same where the time is up; and the turn is there again.
        let late = runtime.block_on(work(&turns, Duration::ZERO, endless(sender)));
        assert!(late.is_ok() && ended.recv() == Ok("called off"));
        assert_eq!(turns.available_permits(), 1);
    }
}
