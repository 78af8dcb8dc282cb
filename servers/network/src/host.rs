//! The host of a player: it receives a message and returns the answer that the protocol requires.
//!
//! It plays one match at a time. It answers `busy` to other matches, to messages about unknown or
//! finished matches, and to unreadable messages. A manager that is silent for too long loses its
//! match to the next manager.

use crate::{
    library,
    message::{MessageFault, Reply, Request},
    note::Note,
    opening,
    seat::{End, Seat, SeatState},
    thinker::{self, Build, Thought},
    threads::Threads,
};
use gdl_compiler::Limits;
use gdl_players::{Player, player::Report};
use gdl_runtime::{Dynamic, chance::Stream, engine::EngineKind};
use std::{
    fmt,
    net::{IpAddr, SocketAddr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// A callback that receives notes.
type Log = dyn Fn(&Note) + Send + Sync;

/// A player that managers can use: it answers messages itself, and [`serve`](crate::serve) listens
/// for them.
///
/// ```
/// use gdl_network::Host;
/// use gdl_players::player::Random;
///
/// let host = Host::new("gdl", |seed| Some(Box::new(Random::new().seed(seed))));
/// let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
/// runtime.block_on(async {
///     assert_eq!(host.answer("( INFO )", None).await, "( ( name gdl ) ( status available ) )");
///     let rules = "(role robot) (init off) (legal robot press) (goal robot 100)
///         (<= (next on) (does robot press)) (<= terminal (true on))";
///     assert_eq!(host.answer(&format!("(START M ROBOT ({rules}) 10 10)").to_uppercase(), None).await, "ready");
///     assert_eq!(host.answer("(PLAY M NIL)", None).await, "PRESS");
///     assert_eq!(host.answer("(PLAY OTHER NIL)", None).await, "busy");
///     assert_eq!(host.answer("(STOP M (PRESS))", None).await, "done");
/// });
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Host {
    name: String,
    thought: Thought,
    allowance: Duration,
    limits: Limits,
    way: Option<EngineKind>,
    seeds: Mutex<Stream>,
    threads: Threads,
    seat: Mutex<Option<Arc<Seat>>>,
    log: Arc<Log>,
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host")
            .field("name", &self.name)
            .field("allowance", &self.allowance)
            .finish_non_exhaustive()
    }
}

impl Host {
    /// The allowance by default.
    pub const DEFAULT_ALLOWANCE: Duration = Duration::from_millis(500);

    /// Creates a host with a name for managers. `build` makes a player from a seed for each match.
    /// The players ponder, which helps searches that keep results from one move to the next.
    pub fn new(
        name: &str,
        build: impl Fn(u64) -> Option<Box<dyn Player<Dynamic>>> + Send + Sync + 'static,
    ) -> Self {
        let symbol = |c: char| if c.is_ascii_graphic() && !matches!(c, '(' | ')' | ';') { c } else { '_' };
        let build: Arc<Build> = Arc::new(build);
        Self {
            name: name.chars().map(symbol).collect(),
            thought: Thought { build, ponders: true },
            allowance: Self::DEFAULT_ALLOWANCE,
            limits: Limits::default(),
            way: None,
            seeds: Mutex::new(Stream::new(0, 0)),
            threads: Threads::default(),
            seat: Mutex::new(None),
            log: Arc::new(|_| {}),
        }
    }

    /// Sets the allowance: thinking ends this long before the end of a clock. An answer is sent
    /// half of the allowance before that end at the latest, if a legal move is known by then. For a
    /// clock shorter than four allowances, a quarter of the clock takes the place of the allowance.
    #[must_use]
    pub fn allowance(mut self, allowance: Duration) -> Self {
        self.allowance = allowance;
        self
    }

    /// Sets the compiler's limits for received rulesheets. The default, [`Limits::default`], suits
    /// very large rulesheets, since there is one match at a time and compilation ends with it. A
    /// rulesheet that exceeds the limits is interpreted in each state, or its moves are drawn.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the engine for all games. By default, the first engine that is ready plays, and later
    /// the one that a trial chooses. If an engine is given, moves are drawn until this engine is
    /// ready, and throughout the match if the rules exceed its limits.
    #[must_use]
    pub fn way(mut self, way: Option<EngineKind>) -> Self {
        self.way = way;
        self
    }

    /// Sets the seed from which the seeds of matches are drawn.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seeds = Mutex::new(Stream::new(seed, 0));
        self
    }

    /// Lets players think only when a move is requested. They are ready as soon as the game is.
    #[must_use]
    pub fn without_pondering(mut self) -> Self {
        self.thought.ponders = false;
        self
    }

    /// Sets a callback for each message and its answer. It may be called from any thread.
    #[must_use]
    pub fn log(mut self, log: impl Fn(&Note) + Send + Sync + 'static) -> Self {
        self.log = Arc::new(log);
        self
    }

    /// Logs a connection that brought no message.
    pub(crate) fn refuse(&self, from: SocketAddr, reason: &str) {
        let remark = Some(reason.to_owned());
        (self.log)(&Note { from: Some(from), what: "refused", remark, ..Note::default() });
    }

    /// Answers a message from an address, if that is known. `PREVIEW`, `START` and `PLAY` may take
    /// as long as their clocks.
    pub async fn answer(&self, text: &str, from: Option<SocketAddr>) -> String {
        let began = Instant::now();
        let manager = from.map(|from| from.ip());
        let (what, id, Answer { reply, remark, report }) = match text.parse::<Request>() {
            Ok(request) => {
                let id = request.id().map(Note::plain);
                (request.kind(), id, self.reply(&request, manager).await)
            }
            Err(fault) => ("unreadable", None, Answer::busy(&MessageFault::to_string(&fault))),
        };
        let answer = reply.to_string();
        let seconds = began.elapsed().as_secs_f64();
        let remark = remark.map(|remark| Note::plain(&remark));
        (self.log)(&Note { from, what, id, answer: Some(Note::plain(&answer)), seconds, remark, report });
        answer
    }

    /// Answers a parsed request.
    async fn reply(&self, request: &Request, manager: Option<IpAddr>) -> Answer {
        let unknown = || Answer::busy("no such match");
        match request {
            Request::Info => {
                let is_available = self.is_available(manager);
                Answer::plain(Reply::Info { name: self.name.clone(), is_available })
            }
            Request::Preview { .. } if !self.is_available(manager) => Answer::plain(Reply::Busy),
            Request::Preview { rules, .. } => {
                let known = library::find(rules).map(|(entry, _)| format!("this is {}", entry.name));
                Answer { remark: known, ..Answer::plain(Reply::Ready) }
            }
            Request::Start { id, role, rules, start, play } => {
                match self.sit(id, role, rules, [*start, *play], manager) {
                    Ok(seat) => self.start(&seat).await,
                    Err(reason) => Answer::busy(reason),
                }
            }
            Request::Play { id, news } => match self.find(id) {
                Some(seat) => play(&seat, news.as_deref()).await,
                None => unknown(),
            },
            Request::Stop { id, news } => self
                .end(id, End::Stopped, news.as_deref())
                .map_or_else(unknown, |()| Answer::plain(Reply::Done)),
            Request::Abort { id } => {
                self.end(id, End::Aborted, None).map_or_else(unknown, |()| Answer::plain(Reply::Aborted))
            }
        }
    }

    /// Returns whether a match started by this manager would be accepted.
    fn is_available(&self, manager: Option<IpAddr>) -> bool {
        self.seat().as_ref().is_none_or(|seat| seat.is_free_for(manager))
    }

    fn seat(&self) -> MutexGuard<'_, Option<Arc<Seat>>> {
        self.seat.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the seat of the current match.
    fn current(&self) -> Option<Arc<Seat>> {
        self.seat().clone().filter(|seat| !seat.is_over())
    }

    fn find(&self, id: &str) -> Option<Arc<Seat>> {
        self.current().filter(|seat| seat.id.eq_ignore_ascii_case(id))
    }

    /// Creates the seat of a match, or returns the present one if it came from a copy of the same
    /// message.
    fn sit(
        &self,
        id: &str,
        role: &str,
        rules: &str,
        clocks: [u64; 2],
        manager: Option<IpAddr>,
    ) -> Result<Arc<Seat>, &'static str> {
        let mut place = self.seat();
        if let Some(seat) = place.as_ref().filter(|seat| !seat.is_over()) {
            if seat.id == id && seat.role == role && seat.rules == rules {
                return Ok(Arc::clone(seat));
            }
            if !seat.is_free_for(manager) {
                return Err("another match is played");
            }
        }
        if let Some(old) = place.take() {
            old.end(End::Aborted, None);
        }
        if !self.threads.have_room() {
            return Err("abandoned matches have not ended yet");
        }
        let seed = self.seeds.lock().unwrap_or_else(PoisonError::into_inner).bits();
        let seat = Arc::new(Seat::new(id, role, rules, clocks, self.allowance, seed).led_from(manager));
        let opened = self.threads.spawn("opening", {
            let (seat, threads, limits) = (Arc::clone(&seat), self.threads.clone(), self.limits.clone());
            let way = self.way;
            move || opening::open(&seat, &threads, limits, way)
        });
        let (thinking, thought, log) = (Arc::clone(&seat), self.thought.clone(), Arc::clone(&self.log));
        let thought = self.threads.spawn("thinking", move || {
            let id = Some(Note::plain(&thinking.id));
            let remark = |text: String| {
                let remark = Some(Note::plain(&text));
                log(&Note { what: "match", id: id.clone(), remark, ..Note::default() });
            };
            thinker::think(&thinking, &thought, &remark);
        });
        if !opened || !thought {
            seat.end(End::Aborted, None);
            return Err("the system has no more threads");
        }
        *place = Some(Arc::clone(&seat));
        Ok(seat)
    }

    /// Waits until the player is ready or the start clock is nearly over.
    async fn start(&self, seat: &Arc<Seat>) -> Answer {
        let Some(_waiting) = seat.queue() else { return too_many() };
        let limit = seat.last_call(seat.start_end(), seat.start);
        let refusal = seat
            .wait_until(limit, |state| match &state.refusal {
                Some(reason) => Some(Some(reason.clone())),
                // If moves are drawn from the rules themselves, there is no engine to wait for.
                None if state.is_ready || state.end.is_some() => Some(None),
                None if state.is_bare() && state.spare.is_some() => Some(None),
                None => None,
            })
            .await;
        seat.heard();
        match refusal {
            Some(Some(reason)) => {
                self.leave(seat, End::Aborted, None);
                Answer::busy(&reason)
            }
            Some(None) => {
                let state = seat.lock();
                let remark = state.is_bare().then(|| "playing by evaluating the rules directly".to_owned());
                Answer { reply: Reply::Ready, remark, report: state.report.clone() }
            }
            None => {
                let remark = Some("the game is not ready; moves are random until it is".to_owned());
                Answer { remark, ..Answer::plain(Reply::Ready) }
            }
        }
    }

    fn end(&self, id: &str, end: End, news: Option<&[String]>) -> Option<()> {
        let seat = self.find(id)?;
        self.leave(&seat, end, news);
        Some(())
    }

    fn leave(&self, seat: &Arc<Seat>, end: End, news: Option<&[String]>) {
        seat.end(end, news);
        let mut place = self.seat();
        if place.as_ref().is_some_and(|other| Arc::ptr_eq(other, seat)) {
            *place = None;
        }
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        if let Some(seat) = self.seat().take() {
            seat.end(End::Aborted, None);
        }
    }
}

/// A reply, with a remark and a report for the log.
struct Answer {
    reply: Reply,
    remark: Option<String>,
    /// The player's report of the search that gave the answer.
    report: Option<Report>,
}

impl Answer {
    fn plain(reply: Reply) -> Self {
        Self { reply, remark: None, report: None }
    }

    fn busy(reason: &str) -> Self {
        Self { remark: Some(reason.to_owned()), ..Self::plain(Reply::Busy) }
    }
}

fn too_many() -> Answer {
    Answer::busy("too many requests wait for this answer")
}

/// The time after the end of a clock in which a first legal move may still be found; managers wait
/// a second.
const GRACE: Duration = Duration::from_millis(800);

/// Returns the player's answer to a `PLAY` with these news.
async fn play(seat: &Arc<Seat>, news: Option<&[String]>) -> Answer {
    let Some(_waiting) = seat.queue() else { return too_many() };
    let (position, deadline, is_old) = seat.ask(news);
    if let (true, Some(sent)) = (is_old, seat.sent()) {
        return Answer { remark: Some("said before".to_owned()), ..Answer::plain(Reply::Move(sent)) };
    }
    // Returns the present answer; `Some(None)` if the position does not need one any more.
    let look = |state: &mut SeatState, must_do: bool| {
        let is_wanted = state.end.is_none() && state.steps.len() == position;
        if is_wanted {
            // A random move has no search report.
            let report = state.answer.as_ref().and(state.report.clone());
            state.found(must_do).map(|found| Some((found, report)))
        } else {
            Some(None)
        }
    };
    let last_call = seat.last_call(deadline, seat.play);
    let found = seat.wait_until(last_call, |state| look(state, false)).await;
    let (action, remark) = if let Some(action) = found {
        (action, None)
    } else {
        let spare = seat.wait_until(deadline + GRACE, |state| look(state, true)).await;
        (spare.flatten(), Some("random: the player was not done".to_owned()))
    };
    if let Some((action, report)) = action {
        seat.answered(position, &action);
        Answer { reply: Reply::Move(action), remark, report }
    } else {
        let remark = Some("no move is known".to_owned());
        Answer { remark, ..Answer::plain(Reply::Move("nil".to_owned())) }
    }
}
