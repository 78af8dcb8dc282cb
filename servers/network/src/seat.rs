//! A seat: the player's role in a match, shared by requests and threads.
//!
//! Requests store the news of a message and wait for the results of threads; threads wait for news.
//! One lock guards the state and is only held briefly, so no request waits for a search. A position
//! is identified by the number of steps before it. The next step makes results for a position
//! useless, and they are dropped.

use crate::names::Names;
use gdl_players::player::Report;
use gdl_runtime::{Cancel, Dynamic, dynamic::RoleId};
use std::{
    net::IpAddr,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use tokio::{sync::watch, time::timeout_at};

/// The longest clock, in seconds; longer ones are cut.
const MOST_SECONDS: u64 = 86_400;

/// The most requests of a match that wait for an answer. Each of them holds a connection.
const MOST_WAITING: usize = 8;

/// The time beyond the play clock within which a manager asks for the next move, since all players
/// have answered by then. After a longer silence the manager has probably ended.
const RESTART: Duration = Duration::from_secs(5);

/// The stage of the rules on their way to the best engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RulesStage {
    /// The rules are interpreted in each state.
    Lifted,
    /// The rules are a net that is not optimised.
    Net,
    /// The rules are compiled, and no other engine will follow.
    Last,
}

/// A game that can be played, and the names that the match uses for its symbols.
#[derive(Clone, Debug)]
pub(crate) struct ReadyGame {
    pub(crate) game: Dynamic,
    pub(crate) names: Arc<Names>,
    pub(crate) role: RoleId,
    pub(crate) stage: RulesStage,
    /// `compiled`, or the name that [`Dynamic::engine`] returns.
    pub(crate) kind: &'static str,
}

/// A received step: the player's own move before it, and either the joint move or the percepts.
#[derive(Clone, Debug)]
pub(crate) struct ReceivedStep {
    pub(crate) own: Option<String>,
    pub(crate) news: Vec<String>,
}

/// The player's role and the presence of percepts, known once the rules are read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RolePlace {
    /// The role of the player, in role order.
    pub(crate) role: usize,
    pub(crate) has_percepts: bool,
}

/// The way in which a match ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Stopped,
    Aborted,
}

/// The received steps, and the engine and moves found for them.
#[derive(Debug, Default)]
pub(crate) struct SeatState {
    pub(crate) place: Option<RolePlace>,
    /// The best engine that is ready.
    pub(crate) engine: Option<ReadyGame>,
    /// The number of threads that may still produce an engine.
    pub(crate) openers: usize,
    /// The reason why the rules cannot be used.
    pub(crate) refusal: Option<String>,
    /// True if thinking before the first move is over.
    pub(crate) is_ready: bool,
    pub(crate) steps: Vec<ReceivedStep>,
    /// The time at which the answer for the position is due, once requested.
    pub(crate) deadline: Option<Instant>,
    /// A random legal move of the position.
    pub(crate) spare: Option<String>,
    /// The player's move of the position.
    pub(crate) answer: Option<String>,
    /// True if the player has finished with the position, even without a move.
    pub(crate) is_decided: bool,
    /// The player's report of its last search.
    pub(crate) report: Option<Report>,
    /// The answer that was sent for the position.
    sent: Option<String>,
    pub(crate) end: Option<End>,
    /// The handle that ends the player's current search.
    pub(crate) cancel: Cancel,
    waiting: usize,
    heard: Option<Instant>,
}

impl SeatState {
    /// Returns whether the engine is the best one possible.
    pub(crate) fn is_best(&self) -> bool {
        self.engine.as_ref().is_some_and(|engine| engine.stage == RulesStage::Last)
    }

    /// Returns whether no thread will produce a better engine.
    pub(crate) fn is_settled(&self) -> bool {
        self.openers == 0 || self.is_best()
    }

    /// Returns `Ok` if a random move must be drawn for the position now. Otherwise returns the time
    /// at which one must be drawn unless there is a move by then. The time is `None` if there is a
    /// move already, or none is requested. With a final engine, the player has half of the clock to
    /// find a move first.
    pub(crate) fn wants_draw(&self, clock: Duration) -> Result<(), Option<Instant>> {
        if self.spare.is_some() || self.answer.is_some() {
            return Err(None);
        }
        if self.engine.is_none() || self.is_decided || !self.is_settled() {
            return Ok(());
        }
        let due = self.deadline.map(|deadline| deadline.checked_sub(clock / 2).unwrap_or(deadline));
        due.filter(|&due| due <= Instant::now()).map(drop).ok_or(due)
    }

    /// Returns whether no engine will come, so that moves are drawn from the rules themselves.
    pub(crate) fn is_bare(&self) -> bool {
        self.place.is_some() && self.openers == 0 && self.engine.is_none()
    }

    /// Returns the present answer: the player's move, otherwise a random one if `must_do` is true,
    /// the player has finished, or no engine will come.
    pub(crate) fn found(&self, must_do: bool) -> Option<String> {
        let will_do = must_do || self.is_decided || self.is_bare();
        self.answer.clone().or_else(|| self.spare.clone().filter(|_| will_do))
    }

    /// Returns whether `news` repeats the last step. A manager repeats a message that got no
    /// answer. Once an answer was sent, equal news are a new step if they contain this answer, or
    /// if they are percepts.
    fn is_repeated(&self, news: &[String]) -> bool {
        let alike = |one: &String, other: &String| one.eq_ignore_ascii_case(other);
        let Some(last) = self.steps.last() else { return false };
        let equal = last.news.len() == news.len() && last.news.iter().zip(news).all(|(a, b)| alike(a, b));
        let is_made = match (&self.sent, self.place) {
            (None, _) => false,
            (Some(_), None | Some(RolePlace { has_percepts: true, .. })) => true,
            (Some(sent), Some(place)) => news.get(place.role).is_some_and(|own| alike(own, sent)),
        };
        equal && !is_made
    }

    /// Adds a step, and drops the results for the previous position.
    fn step(&mut self, news: &[String]) {
        let step = ReceivedStep { own: self.sent.take(), news: news.to_vec() };
        self.steps.push(step);
        (self.deadline, self.spare, self.answer, self.is_decided) = (None, None, None, false);
        self.report = None;
        self.cancel.cancel();
    }
}

/// The player's role in a match.
#[derive(Debug)]
pub(crate) struct Seat {
    pub(crate) id: String,
    /// The role, as received.
    pub(crate) role: String,
    /// The rulesheet, as received.
    pub(crate) rules: String,
    pub(crate) seed: u64,
    pub(crate) start: Duration,
    pub(crate) play: Duration,
    /// The address of the manager's machine, if the message came over a network.
    manager: Option<IpAddr>,
    allowance: Duration,
    began: Instant,
    state: Mutex<SeatState>,
    changed: Condvar,
    told: watch::Sender<()>,
}

impl Seat {
    pub(crate) fn new(
        id: &str,
        role: &str,
        rules: &str,
        clocks: [u64; 2],
        allowance: Duration,
        seed: u64,
    ) -> Self {
        let [start, play] = clocks.map(|seconds| Duration::from_secs(seconds.min(MOST_SECONDS)));
        let began = Instant::now();
        let state = SeatState { heard: Some(began), ..SeatState::default() };
        Self {
            id: id.to_owned(),
            role: role.to_owned(),
            rules: rules.to_owned(),
            seed,
            start,
            play,
            manager: None,
            allowance,
            began,
            state: Mutex::new(state),
            changed: Condvar::new(),
            told: watch::Sender::new(()),
        }
    }

    /// Sets the address of the manager's machine.
    pub(crate) fn led_from(self, manager: Option<IpAddr>) -> Self {
        Self { manager, ..self }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, SeatState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state, and wakes all waiting threads and requests.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut SeatState) -> T) -> T {
        let result = change(&mut self.lock());
        self.changed.notify_all();
        self.told.send_replace(());
        result
    }

    /// Blocks the thread until `look` returns `Ok`. An error of `look` is the time to look again,
    /// if there is one.
    pub(crate) fn wait<T>(&self, mut look: impl FnMut(&mut SeatState) -> Result<T, Option<Instant>>) -> T {
        let mut state = self.lock();
        loop {
            let until = match look(&mut state) {
                Ok(found) => return found,
                Err(until) => until,
            };
            state = match until {
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(until) => {
                    let left = until.saturating_duration_since(Instant::now());
                    self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    /// Waits in a request until `look` returns a value. Returns `None` at the time `until`.
    pub(crate) async fn wait_until<T>(
        &self,
        until: Instant,
        mut look: impl FnMut(&mut SeatState) -> Option<T>,
    ) -> Option<T> {
        let mut told = self.told.subscribe();
        loop {
            if let Some(found) = look(&mut self.lock()) {
                return Some(found);
            }
            if timeout_at(until.into(), told.changed()).await.is_err() {
                return look(&mut self.lock());
            }
        }
    }

    /// Returns the part of a clock that is reserved for transmission: the allowance, or a quarter
    /// of a short clock.
    fn spared(&self, clock: Duration) -> Duration {
        self.allowance.min(clock / 4)
    }

    /// Returns the time at which the search before the first move must end.
    pub(crate) fn start_limit(&self) -> Instant {
        self.began + self.start.saturating_sub(self.spared(self.start))
    }

    /// Returns the time at which the search for a move must end if the move is due at `deadline`.
    pub(crate) fn limit(&self, deadline: Instant) -> Instant {
        deadline.checked_sub(self.spared(self.play)).unwrap_or(deadline)
    }

    /// Returns the time at which an answer is sent even if the search has not ended: half of the
    /// allowance before the clock's end.
    pub(crate) fn last_call(&self, end: Instant, clock: Duration) -> Instant {
        end.checked_sub(self.spared(clock) / 2).unwrap_or(end)
    }

    /// Returns the end of the start clock.
    pub(crate) fn start_end(&self) -> Instant {
        self.began + self.start
    }

    /// Returns the silence of a manager after which the match is abandoned.
    pub(crate) fn patience(&self) -> Duration {
        2 * (self.start + self.play) + Duration::from_secs(30)
    }

    /// Returns whether the match is over, or its manager has been silent for longer than
    /// [`Seat::patience`].
    pub(crate) fn is_over(&self) -> bool {
        self.is_over_at(Instant::now())
    }

    fn is_over_at(&self, now: Instant) -> bool {
        let state = self.lock();
        let is_late = |heard| now.saturating_duration_since(heard) > self.patience();
        state.end.is_some() || state.heard.is_some_and(is_late)
    }

    /// Returns whether `manager` may start another match: this match is over, or its manager is on
    /// the same machine and has probably been restarted. A restart is assumed if no request waits,
    /// and the silence of the manager exceeds the play clock by [`RESTART`].
    pub(crate) fn is_free_for(&self, manager: Option<IpAddr>) -> bool {
        self.is_free_at(Instant::now(), manager)
    }

    fn is_free_at(&self, now: Instant, manager: Option<IpAddr>) -> bool {
        let state = self.lock();
        let silence = state.heard.map_or(Duration::ZERO, |heard| now.saturating_duration_since(heard));
        let is_left = state.waiting == 0 && silence > self.play + RESTART;
        drop(state);
        is_left && self.manager == manager || self.is_over_at(now)
    }

    /// Records the present time as that of the last exchange with the manager.
    pub(crate) fn heard(&self) {
        self.lock().heard = Some(Instant::now());
    }

    /// Records the news of a `PLAY`, and that an answer is due. Returns the position, its deadline,
    /// and whether the message repeats an earlier one.
    pub(crate) fn ask(&self, news: Option<&[String]>) -> (usize, Instant, bool) {
        self.change(|state| {
            let now = Instant::now();
            state.heard = Some(now);
            let is_old = match news {
                Some(news) => {
                    let is_repeated = state.is_repeated(news);
                    if !is_repeated {
                        state.step(news);
                    }
                    is_repeated
                }
                None => state.deadline.is_some() || !state.steps.is_empty(),
            };
            let due = now + self.play;
            if state.deadline.is_none() {
                // A search that ponders gives way to the one for this answer.
                state.cancel.cancel();
            }
            // A repeated request keeps the deadline of the first request, as long as the first one
            // has no answer.
            let deadline = if is_old && state.sent.is_none() { state.deadline.unwrap_or(due) } else { due };
            state.deadline = Some(deadline);
            (state.steps.len(), deadline, is_old)
        })
    }

    /// Records the answer that was sent for a position.
    pub(crate) fn answered(&self, position: usize, answer: &str) {
        self.change(|state| {
            state.heard = Some(Instant::now());
            if state.steps.len() == position {
                state.sent.get_or_insert_with(|| answer.to_owned());
            }
        });
    }

    /// Returns the answer that was sent for the current position.
    pub(crate) fn sent(&self) -> Option<String> {
        self.lock().sent.clone()
    }

    /// Ends the match, and cancels the search of its threads.
    pub(crate) fn end(&self, end: End, news: Option<&[String]>) {
        self.change(|state| {
            if let Some(news) = news.filter(|news| !state.is_repeated(news)) {
                state.step(news);
            }
            state.end.get_or_insert(end);
            state.cancel.cancel();
        });
    }

    /// Sets a random legal move of a position.
    pub(crate) fn offer(&self, position: usize, action: &str) {
        self.change(|state| {
            if state.steps.len() == position {
                state.spare = Some(action.to_owned());
            }
        });
    }

    /// Sets the player's move of a position, if it has one, and the report of its search.
    pub(crate) fn decide(&self, position: usize, action: Option<String>, report: Option<Report>) {
        self.change(|state| {
            if state.steps.len() == position {
                (state.answer, state.is_decided, state.report) = (action, true, report);
            }
        });
    }

    /// Sets an engine, if it is better than the present one.
    pub(crate) fn bring(&self, engine: ReadyGame) {
        self.change(|state| {
            if state.engine.as_ref().is_none_or(|known| engine.stage > known.stage) {
                state.engine = Some(engine);
                if state.deadline.is_none() || state.sent.is_some() {
                    state.cancel.cancel();
                }
            }
        });
    }

    /// Registers a request that waits. Returns `None` if [`MOST_WAITING`] requests already do.
    pub(crate) fn queue(self: &Arc<Self>) -> Option<Waiting> {
        let mut state = self.lock();
        (state.waiting < MOST_WAITING).then(|| {
            state.waiting += 1;
            Waiting(Arc::clone(self))
        })
    }
}

/// A registered request that waits, until it is dropped.
#[derive(Debug)]
pub(crate) struct Waiting(Arc<Seat>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.lock().waiting -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gdl_runtime::GameExt;

    fn seat() -> Seat {
        let seat = Seat::new("m", "x", "", [10, 10], Duration::ZERO, 0);
        seat.change(|state| state.place = Some(RolePlace { role: 0, has_percepts: false }));
        seat
    }

    fn news(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn what_is_said_twice_is_one_step() {
        let seat = seat();
        assert_eq!(seat.ask(None).0, 0);
        assert!(seat.ask(None).2);
        seat.answered(0, "a");
        assert_eq!(seat.ask(Some(&news("a noop"))).0, 1);
        // No answer has been sent yet.
        assert!(seat.ask(Some(&news("A NOOP"))).2);
        seat.answered(1, "b");
        assert!(seat.ask(Some(&news("a noop"))).2, "b would have been made");
        assert_eq!(seat.sent().as_deref(), Some("b"));
        // The manager made another move in place of the answer.
        assert_eq!(seat.ask(Some(&news("c noop"))).0, 2);
        seat.answered(2, "c");
        // The news are equal to those of the last step, but contain the last answer.
        assert_eq!(seat.ask(Some(&news("c noop"))).0, 3);
    }

    #[test]
    fn an_engine_gives_way_to_a_better_one() {
        let seat = seat();
        let game = gdl_runtime::load("(role x) (legal x go) (goal x 0) (init a) (<= terminal (true a))")
            .expect("a sound rulesheet");
        let role = game.roles().next().expect("a role");
        let stage_after = |stage| {
            let (game, names) = (game.clone(), Arc::default());
            seat.bring(ReadyGame { game, names, role, stage, kind: "table" });
            let state = seat.lock();
            (state.engine.as_ref().map(|engine| engine.stage), state.is_best())
        };
        let [net, last] = [RulesStage::Net, RulesStage::Last].map(Some);
        let stages =
            [RulesStage::Net, RulesStage::Lifted, RulesStage::Last, RulesStage::Net].map(stage_after);
        assert_eq!(stages, [(net, false), (net, false), (last, true), (last, true)]);
    }

    #[test]
    fn few_requests_wait_at_a_time() {
        let seat = Arc::new(seat());
        let mut waiting: Vec<_> = (0..MOST_WAITING).map(|_| seat.queue()).collect();
        assert!(waiting.iter().all(Option::is_some) && seat.queue().is_none());
        waiting.pop();
        assert!(seat.queue().is_some());
    }

    #[test]
    fn a_silent_manager_loses_its_match() {
        let seat = seat();
        let late = Instant::now() + seat.patience() + Duration::from_secs(1);
        assert!(!seat.is_over() && seat.is_over_at(late));
        seat.change(|state| state.heard = None);
        seat.ask(None);
        assert!(!seat.is_over() && seat.lock().heard.is_some());
        seat.end(End::Stopped, None);
        assert!(seat.is_over());
    }

    #[test]
    fn a_manager_that_was_started_again_takes_the_place_of_the_one_before() {
        let here = |last: u8| Some(IpAddr::from([127, 0, 0, last]));
        let seat = Arc::new(seat().led_from(here(1)));
        let now = Instant::now();
        let [soon, later] = [0, 1].map(|more| now + seat.play + RESTART + Duration::from_secs(more));
        let is_free = |at, manager| seat.is_free_at(at, manager);
        seat.lock().heard = Some(now);
        assert!(!is_free(soon, here(1)) && is_free(later, here(1)));
        assert!(!is_free(later, here(2)) && !is_free(later, None), "another machine has no such right");
        // A manager that waits for an answer is alive.
        let waiting = seat.queue();
        assert!(!is_free(later, here(1)));
        drop(waiting);
        let late = now + seat.patience() + Duration::from_secs(1);
        assert!(is_free(late, here(2)));
        seat.end(End::Aborted, None);
        assert!(is_free(soon, here(2)));
    }

    #[test]
    fn huge_clocks_are_cut() {
        let seat = Seat::new("m", "x", "", [u64::MAX; 2], Duration::MAX, 0);
        let deadline = seat.ask(None).1;
        assert!(seat.limit(deadline) <= deadline && seat.start_limit() <= seat.start_end());
        assert!(seat.patience() > seat.play && !seat.is_over());
    }
}
