//! A seat: the role that the player has in a match, as requests and threads share it.
//!
//! Requests note their news and wait for the results of threads; threads wait for news. One lock
//! guards all of it and is never held for long, so no request waits for a thread that thinks. A
//! position is the number of steps before it. Results for a position are useless once there is
//! another step, and are dropped with it.

use crate::names::Names;
use gdl_players::player::Report;
use gdl_runtime::{Cancel, Dynamic, dynamic::RoleId};
use std::{
    net::IpAddr,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use tokio::{sync::watch, time::timeout_at};

/// No clock is longer.
const MOST_SECONDS: u64 = 86_400;

/// A request that waits for an answer holds a connection: of a match no more do so at a time.
const MOST_WAITING: usize = 8;

/// A manager asks for the next move once all players have answered, so within the play clock and
/// this, if it does not take longer over its own work.
const RESTART: Duration = Duration::from_secs(5);

/// The stage of the rules on their way to the engine that plays them best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// The rules are interpreted in each state.
    Lifted,
    /// The rules are a net that is not optimised yet.
    Net,
    /// The rules are compiled, and no other engine will follow.
    Last,
}

/// A game that can be played, and what the match calls everything in it.
#[derive(Clone, Debug)]
pub(crate) struct ReadyGame {
    pub(crate) game: Dynamic,
    pub(crate) names: Arc<Names>,
    pub(crate) role: RoleId,
    pub(crate) stage: Stage,
    /// `compiled`, or how [`Dynamic::engine`] calls it.
    pub(crate) kind: &'static str,
}

/// A received step: the player's own move before it, and either the joint move or the percepts.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) own: Option<String>,
    pub(crate) news: Vec<String>,
}

/// The roles and percepts of the rules, once they were read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The role of the player, in role order.
    pub(crate) role: usize,
    pub(crate) has_percepts: bool,
}

/// The end of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Stopped,
    Aborted,
}

/// The news received and the results found.
#[derive(Debug, Default)]
pub(crate) struct SeatState {
    pub(crate) place: Option<Place>,
    /// The best engine so far.
    pub(crate) engine: Option<ReadyGame>,
    /// Threads that may still bring one.
    pub(crate) openers: usize,
    /// The reason why the rules cannot be used.
    pub(crate) refusal: Option<String>,
    /// True if the thinking before the first move is over.
    pub(crate) is_ready: bool,
    pub(crate) steps: Vec<Step>,
    /// The time at which the answer to the position must be there, if it was requested.
    pub(crate) deadline: Option<Instant>,
    /// Any legal move of the position.
    pub(crate) spare: Option<String>,
    /// The player's move of the position.
    pub(crate) answer: Option<String>,
    /// True if the player is done with the position, also where it knows of no move.
    pub(crate) is_decided: bool,
    /// The player's report of its last search.
    pub(crate) report: Option<Report>,
    /// The answer that was sent.
    sent: Option<String>,
    pub(crate) end: Option<End>,
    /// Ends what the player does at the moment.
    pub(crate) cancel: Cancel,
    waiting: usize,
    heard: Option<Instant>,
}

impl SeatState {
    /// Returns whether no engine could be better than the one there is.
    pub(crate) fn is_best(&self) -> bool {
        self.engine.as_ref().is_some_and(|engine| engine.stage == Stage::Last)
    }

    /// Returns whether no thread will bring a better engine.
    pub(crate) fn is_settled(&self) -> bool {
        self.openers == 0 || self.is_best()
    }

    /// Returns `Ok` if a move is to be drawn for the position now, otherwise the time when one will
    /// be if there is no other by then. If the engine is final, the player has half of the clock to
    /// find one, as it mostly does at once.
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

    /// Returns whether there will be nothing to play by but the rules themselves.
    pub(crate) fn is_bare(&self) -> bool {
        self.place.is_some() && self.openers == 0 && self.engine.is_none()
    }

    /// The present answer: the player's move, or a drawn one if `must_do` is set.
    pub(crate) fn found(&self, must_do: bool) -> Option<String> {
        let will_do = must_do || self.is_decided || self.is_bare();
        self.answer.clone().or_else(|| self.spare.clone().filter(|_| will_do))
    }

    /// Returns whether these are the news of the last step once more. A manager repeats itself if
    /// it heard no answer; one that made the player's last answer has a new step, however alike it
    /// is.
    fn is_repeated(&self, news: &[String]) -> bool {
        let alike = |one: &String, other: &String| one.eq_ignore_ascii_case(other);
        let Some(last) = self.steps.last() else { return false };
        let equal = last.news.len() == news.len() && last.news.iter().zip(news).all(|(a, b)| alike(a, b));
        let is_made = match (&self.sent, self.place) {
            (None, _) => false,
            (Some(_), None | Some(Place { has_percepts: true, .. })) => true,
            (Some(sent), Some(place)) => news.get(place.role).is_some_and(|own| alike(own, sent)),
        };
        equal && !is_made
    }

    /// Adds a step, and drops what was found of the position before.
    fn step(&mut self, news: &[String]) {
        let step = Step { own: self.sent.take(), news: news.to_vec() };
        self.steps.push(step);
        (self.deadline, self.spare, self.answer, self.is_decided) = (None, None, None, false);
        self.report = None;
        self.cancel.cancel();
    }
}

/// The role that the player has in a match.
#[derive(Debug)]
pub(crate) struct Seat {
    pub(crate) id: String,
    /// As received.
    pub(crate) role: String,
    /// As received.
    pub(crate) rules: String,
    pub(crate) seed: u64,
    pub(crate) start: Duration,
    pub(crate) play: Duration,
    /// The machine of the manager, if the message came over a network.
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

    /// The same, with the machine of its manager.
    pub(crate) fn led_from(self, manager: Option<IpAddr>) -> Self {
        Self { manager, ..self }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, SeatState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes something, and wakes all who wait.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut SeatState) -> T) -> T {
        let result = change(&mut self.lock());
        self.changed.notify_all();
        self.told.send_replace(());
        result
    }

    /// Waits in a thread until there is something to do, or for ever.
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

    /// Waits in a request until something is there, or not longer than that.
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

    /// The part of a clock reserved for transmission: the allowance, or a quarter of a short clock.
    fn spared(&self, clock: Duration) -> Duration {
        self.allowance.min(clock / 4)
    }

    /// The time at which thinking before the first move ends.
    pub(crate) fn start_limit(&self) -> Instant {
        self.began + self.start.saturating_sub(self.spared(self.start))
    }

    /// The time at which thinking about a move ends that must be there by `deadline`.
    pub(crate) fn limit(&self, deadline: Instant) -> Instant {
        deadline.checked_sub(self.spared(self.play)).unwrap_or(deadline)
    }

    /// The latest time of an answer, whatever the player thinks: half of the allowance later.
    pub(crate) fn last_call(&self, end: Instant, clock: Duration) -> Instant {
        end.checked_sub(self.spared(clock) / 2).unwrap_or(end)
    }

    /// The end of the start clock.
    pub(crate) fn start_end(&self) -> Instant {
        self.began + self.start
    }

    /// The time that a manager may be silent before the match is abandoned.
    pub(crate) fn patience(&self) -> Duration {
        2 * (self.start + self.play) + Duration::from_secs(30)
    }

    /// Returns whether the match is over, or its manager was not heard for too long.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over_at(Instant::now())
    }

    fn is_over_at(&self, now: Instant) -> bool {
        let state = self.lock();
        let is_late = |heard| now.saturating_duration_since(heard) > self.patience();
        state.end.is_some() || state.heard.is_some_and(is_late)
    }

    /// Returns whether a manager may start another match: this one is over, or its own manager was
    /// on the same machine and is silent for longer than one is that still leads it. Then most
    /// likely it was ended, and another one was started in its place.
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

    /// Notes that the manager was answered.
    pub(crate) fn heard(&self) {
        self.lock().heard = Some(Instant::now());
    }

    /// Notes the news of a `PLAY`, and that an answer is due. Returns the position, when its answer
    /// must be there, and whether all of that was received before.
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
                // What it ponders about is asked for now.
                state.cancel.cancel();
            }
            // A repeated question has the time of the first, as long as that is not answered.
            let deadline = if is_old && state.sent.is_none() { state.deadline.unwrap_or(due) } else { due };
            state.deadline = Some(deadline);
            (state.steps.len(), deadline, is_old)
        })
    }

    /// Notes what was answered to a position.
    pub(crate) fn answered(&self, position: usize, answer: &str) {
        self.change(|state| {
            state.heard = Some(Instant::now());
            if state.steps.len() == position {
                state.sent.get_or_insert_with(|| answer.to_owned());
            }
        });
    }

    /// The answer that was given to a position before.
    pub(crate) fn sent(&self) -> Option<String> {
        self.lock().sent.clone()
    }

    /// Ends the match; threads notice it soon.
    pub(crate) fn end(&self, end: End, news: Option<&[String]>) {
        self.change(|state| {
            if let Some(news) = news.filter(|news| !state.is_repeated(news)) {
                state.step(news);
            }
            state.end.get_or_insert(end);
            state.cancel.cancel();
        });
    }

    /// Offers a legal move of a position, whatever it is worth.
    pub(crate) fn offer(&self, position: usize, action: &str) {
        self.change(|state| {
            if state.steps.len() == position {
                state.spare = Some(action.to_owned());
            }
        });
    }

    /// Gives the player's move of a position, if it has one, and what it says of its search.
    pub(crate) fn decide(&self, position: usize, action: Option<String>, report: Option<Report>) {
        self.change(|state| {
            if state.steps.len() == position {
                (state.answer, state.is_decided, state.report) = (action, true, report);
            }
        });
    }

    /// Brings an engine, which is taken if it is better than the one there is.
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

    /// A place among the requests that wait, unless there are too many.
    pub(crate) fn queue(self: &Arc<Self>) -> Option<Waiting> {
        let mut state = self.lock();
        (state.waiting < MOST_WAITING).then(|| {
            state.waiting += 1;
            Waiting(Arc::clone(self))
        })
    }
}

/// A request that waits, until it is dropped.
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
        seat.change(|state| state.place = Some(Place { role: 0, has_percepts: false }));
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
        // Nothing was answered yet.
        assert!(seat.ask(Some(&news("A NOOP"))).2);
        seat.answered(1, "b");
        assert!(seat.ask(Some(&news("a noop"))).2, "b would have been made");
        assert_eq!(seat.sent().as_deref(), Some("b"));
        // Another move in place of its own.
        assert_eq!(seat.ask(Some(&news("c noop"))).0, 2);
        seat.answered(2, "c");
        // The same again, and it is what was answered.
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
        let [net, last] = [Stage::Net, Stage::Last].map(Some);
        let stages = [Stage::Net, Stage::Lifted, Stage::Last, Stage::Net].map(stage_after);
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
        // While an answer is waited for the manager is there.
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
