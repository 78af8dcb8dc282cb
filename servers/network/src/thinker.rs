//! The thinker: the thread that plays a seat with the best engine that is ready.
//!
//! It follows the received steps, and has a legal move for each position before it searches for a
//! better one. While no move is requested, it ponders: it continues the search of its last choice,
//! whose tree contains the next position. A player that panics is not called again, and its moves
//! are drawn.

use crate::{
    course::Course,
    seat::{End, ReadyGame, ReceivedStep, Seat, SeatState},
};
use gdl_players::{Budget, Player, player::Report};
use gdl_runtime::{Cancel, Dynamic, GameExt, Information, chance::Stream};
use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::Instant,
};

/// A function that makes a player from a seed, or returns `None`.
pub(crate) type Build = dyn Fn(u64) -> Option<Box<dyn Player<Dynamic>>> + Send + Sync;

/// The settings of a host's players.
#[derive(Clone)]
pub(crate) struct Thought {
    pub(crate) build: Arc<Build>,
    /// True if the player ponders.
    pub(crate) ponders: bool,
}

impl fmt::Debug for Thought {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Thought").field("ponders", &self.ponders).finish_non_exhaustive()
    }
}

/// The next task.
enum Task {
    /// Play by this engine, the first or a better one, after following the given steps.
    Sit(ReadyGame, Vec<ReceivedStep>),
    /// Think before the first move, until the given time.
    Prepare(Instant, Cancel),
    /// Follow the given steps.
    Follow(Vec<ReceivedStep>),
    /// Answer by the given time.
    Answer(Instant, Cancel),
    /// Ponder until cancelled.
    Ponder(Cancel),
    /// End the match.
    End(End),
}

/// Plays a seat to its end. Remarks such as steps that contradict the rules go to `remark`.
pub(crate) fn think(seat: &Seat, thought: &Thought, remark: &dyn Fn(String)) {
    let mut mind: Option<Mind> = None;
    loop {
        match seat.wait(|state| next(seat, state, mind.as_ref(), thought.ponders)) {
            Task::Sit(engine, steps) => {
                remark(format!("playing by the {} game", engine.kind));
                let mut new = Mind::new(engine, seat.seed, thought);
                steps.iter().for_each(|step| new.course.follow(step, remark));
                mind = Some(new);
            }
            Task::Prepare(until, cancel) => {
                let budget = Budget::until(until).cancelled_by(&cancel);
                if let Some(mind) = &mut mind {
                    mind.prepare(&budget, thought.ponders, remark);
                }
                let report = mind.as_ref().and_then(Mind::report);
                seat.change(|state| (state.is_ready, state.report) = (true, report));
            }
            Task::Follow(steps) => {
                if let Some(mind) = &mut mind {
                    steps.iter().for_each(|step| mind.course.follow(step, remark));
                }
            }
            Task::Answer(deadline, cancel) => {
                if let Some(mind) = &mut mind {
                    mind.answer(seat, &Budget::until(seat.limit(deadline)).cancelled_by(&cancel), remark);
                }
            }
            Task::Ponder(cancel) => {
                if let Some(mind) = &mut mind {
                    mind.ponder(&Budget::within(seat.patience()).cancelled_by(&cancel), remark);
                }
            }
            Task::End(end) => {
                mind.into_iter().for_each(|mut mind| mind.end(end));
                return;
            }
        }
    }
}

/// Returns the next task, or the time until which to wait for one.
fn next(
    seat: &Seat,
    state: &mut SeatState,
    mind: Option<&Mind>,
    ponders: bool,
) -> Result<Task, Option<Instant>> {
    if let Some(end) = state.end {
        let is_told = mind.is_none_or(|mind| mind.course.followed == state.steps.len());
        return Ok(if is_told { Task::End(end) } else { follow(state, mind) });
    }
    let is_asked = state.deadline.is_some();
    if let Some(engine) = &state.engine
        && mind.is_none_or(|mind| engine.stage > mind.course.engine.stage)
    {
        // A better engine may come while there is time to wait for it.
        if is_asked || state.is_settled() || Instant::now() >= seat.start_limit() {
            return Ok(Task::Sit(engine.clone(), state.steps.clone()));
        }
        return Err(Some(seat.start_limit()));
    }
    let Some(mind) = mind else { return Err(None) };
    state.cancel = Cancel::default();
    if !mind.is_prepared {
        let until = if is_asked { Instant::now() } else { seat.start_limit() };
        return Ok(Task::Prepare(until, state.cancel.clone()));
    }
    if mind.course.followed < state.steps.len() {
        return Ok(follow(state, Some(mind)));
    }
    if let (Some(deadline), false) = (state.deadline, state.is_decided) {
        return Ok(Task::Answer(deadline, state.cancel.clone()));
    }
    if ponders && mind.pondered != Some(mind.course.followed) {
        return Ok(Task::Ponder(state.cancel.clone()));
    }
    Err(None)
}

fn follow(state: &SeatState, mind: Option<&Mind>) -> Task {
    Task::Follow(state.steps[mind.map_or(0, |mind| mind.course.followed)..].to_vec())
}

/// A player with its engine and its information.
struct Mind {
    course: Course,
    player: Option<Box<dyn Player<Dynamic>>>,
    /// The random numbers from which legal moves are drawn.
    stream: Stream,
    /// True if the player was prepared for the match.
    is_prepared: bool,
    /// The information at the player's last choice.
    choice: Information<Dynamic>,
    /// The last position at which the player pondered.
    pondered: Option<usize>,
}

impl Mind {
    fn new(engine: ReadyGame, seed: u64, thought: &Thought) -> Self {
        let ReadyGame { game, role, .. } = &engine;
        // Chance has no player.
        let player = (game.chance_role() != Some(*role)).then(|| (thought.build)(seed)).flatten();
        let (choice, stream) = (Information::new(*role), Stream::new(seed, 0));
        Self { course: Course::new(engine, seed), player, stream, is_prepared: false, choice, pondered: None }
    }

    /// Calls the player. A player that panics is dropped and not called again.
    fn with_player<T>(
        &mut self,
        remark: &dyn Fn(String),
        ask: impl FnOnce(&mut dyn Player<Dynamic>, &Dynamic, &Information<Dynamic>) -> T,
    ) -> Option<T> {
        let (game, information) = (&self.course.engine.game, &self.course.information);
        let player = self.player.as_mut()?;
        let result = catch_unwind(AssertUnwindSafe(|| ask(player.as_mut(), game, information)));
        if result.is_err() {
            remark("the player failed: its moves are random from now on".to_owned());
            self.player = None;
        }
        result.ok()
    }

    fn prepare(&mut self, budget: &Budget, ponders: bool, remark: &dyn Fn(String)) {
        let role = self.course.engine.role;
        self.is_prepared = true;
        self.with_player(remark, |player, game, information| {
            player.start(game, role, budget);
            if ponders && information.steps().is_empty() {
                player.choose(game, information, budget);
            }
        });
    }

    fn answer(&mut self, seat: &Seat, budget: &Budget, remark: &dyn Fn(String)) {
        let position = self.course.followed;
        let view = self.course.view();
        let drawn = view.as_ref().and_then(|view| self.course.draw(view, &mut self.stream));
        if let Some(drawn) = &drawn {
            seat.offer(position, drawn);
        }
        let ReadyGame { game, role, .. } = &self.course.engine;
        if view.is_some_and(|view| game.legal_moves_in(&view, *role).len() > 1) {
            self.choice = self.course.information.clone();
        }
        let chosen =
            self.with_player(remark, |player, game, known| player.choose(game, known, budget)).flatten();
        let report = chosen.and_then(|_| self.report());
        let action = chosen.map(|action| self.course.received(action)).or(drawn);
        seat.decide(position, action, report);
    }

    /// Returns the player's report of its last search.
    fn report(&self) -> Option<Report> {
        self.player.as_ref()?.report()
    }

    fn ponder(&mut self, budget: &Budget, remark: &dyn Fn(String)) {
        self.pondered = Some(self.course.followed);
        let choice = self.choice.clone();
        self.with_player(remark, |player, game, _| player.choose(game, &choice, budget));
    }

    fn end(&mut self, end: End) {
        self.with_player(&|_| {}, |player, game, information| match end {
            End::Stopped => player.stop(game, information),
            End::Aborted => player.abort(),
        });
    }
}
