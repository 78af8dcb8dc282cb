//! The referee of matches: plays a game with one player for each role, and returns a [`Match`] with
//! the play and the faults.
//!
//! The referee does the work of a match manager. It notifies every player that the match starts,
//! requests all moves at the same time, and draws the moves of chance. Each player receives only
//! the [`Information`] of its role.
//!
//! Before each request the referee draws a random legal move for each role. It uses that move if
//! the player's answer is not legal (`IL`), is late (`TO`) or the player panicked (`CE`). A player
//! that panicked counts as disconnected and receives no more requests. A player without a move,
//! such as a remote one, may report the fault itself ([`Player::fault`]). A match continues
//! whatever the players do.
//!
//! A player's [`Budget`] ends with the clock, and its [`Cancel`] is triggered when the clock and a
//! grace period are over. A late answer is ignored.
//!
//! Each player has its own thread. A thread cannot be ended from outside: if a player never
//! returns, the match still ends, but [`Referee::run`] waits for the thread. A
//! [`Detached`](crate::player::Detached) player avoids this.
//!
//! ```
//! use gdl_players::{Player, player::{First, Random}, Referee};
//! use gdl_runtime::{Game, GameExt, gdl};
//! use std::time::Duration;
//!
//! gdl!(name = nim, rules = r"
//!     (role left) (role right) (init (sticks 3)) (init (control left))
//!     (minus 1 1 0) (minus 2 1 1) (minus 2 2 0) (minus 3 1 2) (minus 3 2 1)
//!     (other left right) (other right left)
//!     (<= (legal ?r (take ?n)) (true (control ?r)) (true (sticks ?m)) (minus ?m ?n ?rest))
//!     (<= (legal ?r noop) (true (control ?s)) (other ?r ?s))
//!     (<= (next (sticks ?rest)) (does ?r (take ?n)) (true (sticks ?m)) (minus ?m ?n ?rest))
//!     (<= (next (control ?r)) (true (control ?s)) (other ?r ?s))
//!     (<= terminal (true (sticks 0)))
//!     (<= (goal ?r 0) (true (control ?r)))
//!     (<= (goal ?r 100) (true (control ?s)) (other ?r ?s))
//! ");
//!
//! let game = nim::game();
//! let mut players: Vec<Box<dyn Player<_>>> = vec![Box::new(First::new()), Box::new(Random::new().seed(7))];
//! let played = Referee::new(&game).clocks(Duration::from_secs(10), Duration::from_secs(1)).run(&mut players)?;
//! assert!(played.is_complete());
//! assert_eq!(played.goals.iter().flatten().sum::<u8>(), 100);
//!
//! // The match as ggp-base writes it (with the feature `serde` it is data for serde), and from that the match again.
//! let record = played.record(&game);
//! assert_eq!(record.replay(&game)?.line(), played.history.line());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use crate::fault::Fault;

use crate::{
    player::{
        Budget, Player, Report,
        attend::{Answer, Asked, Question, Reply, attend},
    },
    record::{Record, spaced},
};
use gdl_runtime::{Cancel, Game, GameExt, History, Information, chance::Stream, game::Id};
use std::{
    error::Error,
    fmt,
    sync::mpsc::{self, Receiver, RecvTimeoutError, Sender},
    thread,
    time::{Duration, Instant, SystemTime},
};

/// The interval at which a waiting thread tests whether the match was cancelled.
const LOOK: Duration = Duration::from_millis(20);

/// The reason why a match ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum End {
    /// The match reached a terminal state.
    Terminal,
    /// A role has no legal move, which is an error of the rulesheet.
    Stuck,
    /// The match reached [`Referee::max_steps`].
    TooLong,
    /// The match was cancelled.
    Cancelled,
}

/// A match that has ended.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Match<G: Game> {
    /// The states and joint moves of the match, as a history that is at its last state.
    pub history: History<G>,
    /// The faults at the start and then in each step, for each role in role order.
    pub faults: Vec<Vec<Option<Fault>>>,
    /// The goal of each role at the end, in role order: `None` if a role has no goal or several.
    /// All are `None` if the last state is not terminal.
    pub goals: Vec<Option<u8>>,
    /// The reason why the match ended.
    pub end: End,
    /// The names of the players in role order; the role of chance is called `random`.
    pub players: Vec<String>,
    /// The times when the match began and when each state was reached, in milliseconds since 1970.
    pub times: Vec<u64>,
    id: String,
    token: String,
    clocks: [Option<Duration>; 2],
}

impl<G: Game> Match<G> {
    /// Returns whether the match reached a terminal state.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.end == End::Terminal
    }

    /// Returns the record of the match in ggp-base's format.
    #[must_use]
    pub fn record(&self, game: &G) -> Record {
        let seconds = |clock: Option<Duration>| {
            clock.map_or(-1, |time| i64::try_from(time.as_millis().div_ceil(1000)).unwrap_or(i64::MAX))
        };
        let states = self.history.places().filter_map(|place| self.history.state_at(place));
        let joints = self.history.line().into_iter();
        Record {
            match_id: self.id.clone(),
            random_token: self.token.clone(),
            start_time: self.times[0],
            is_completed: self.is_complete(),
            is_aborted: !self.is_complete(),
            states: states.map(|state| spaced(&game.state_text(state))).collect(),
            moves: joints
                .map(|joint| joint.iter().map(|&action| spaced(game.move_text(action))).collect())
                .collect(),
            state_times: self.times[1..].to_vec(),
            errors: (self.faults.iter())
                .map(|faults| {
                    faults
                        .iter()
                        .map(|fault| fault.as_ref().map_or_else(String::new, Fault::to_string))
                        .collect()
                })
                .collect(),
            goal_values: self.goals.iter().copied().collect::<Option<Vec<u8>>>().unwrap_or_default(),
            start_clock: seconds(self.clocks[0]),
            play_clock: seconds(self.clocks[1]),
            player_names_from_host: self.players.clone(),
            is_player_human: vec![false; self.players.len()],
            ..Record::default()
        }
    }
}

/// The reason why a match did not begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RefereeError {
    /// The number of players is not the number of roles other than chance.
    Players {
        /// The number of roles other than chance.
        expected: usize,
        /// The number of players given.
        found: usize,
    },
}

impl fmt::Display for RefereeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Players { expected, found } = self;
        write!(f, "the game takes {expected} players, found {found}")
    }
}

impl Error for RefereeError {}

/// A callback that runs after the start and after each step. It receives the match so far, and the
/// report of each role's player.
type Watcher<'a, G> = Box<dyn FnMut(&Match<G>, &[Option<Report>]) + 'a>;

/// A referee, which runs a match: `Referee::new(&game).nodes(1000).seed(7).run(&mut players)`.
#[must_use = "nothing is played before `run`"]
pub struct Referee<'a, G: Game> {
    game: &'a G,
    id: Option<String>,
    start: Option<Duration>,
    play: Option<Duration>,
    grace: Option<Duration>,
    nodes: Option<u64>,
    seed: u64,
    max_steps: usize,
    cancel: Cancel,
    now: Box<dyn FnMut() -> u64 + 'a>,
    watch: Option<Watcher<'a, G>>,
}

impl<G: Game> fmt::Debug for Referee<'_, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, start, play, grace, nodes, seed, max_steps, .. } = self;
        f.debug_struct("Referee")
            .field("id", id)
            .field("clocks", &[start, play])
            .field("grace", grace)
            .field("nodes", nodes)
            .field("seed", seed)
            .field("max_steps", max_steps)
            .finish_non_exhaustive()
    }
}

impl<'a, G: Game> Referee<'a, G> {
    /// The default of [`Referee::max_steps`].
    pub const DEFAULT_MAX_STEPS: usize = 10_000;

    /// The longest grace period by default, like that of match managers. The default grace is a
    /// tenth of the clock, but at least [`Referee::LEAST_GRACE`] and at most this.
    pub const DEFAULT_GRACE: Duration = Duration::from_secs(1);

    /// The shortest grace period by default, since threads take time to wake up.
    pub const LEAST_GRACE: Duration = Duration::from_millis(20);

    /// Creates a referee without clocks, with seed 0.
    pub fn new(game: &'a G) -> Self {
        Self {
            game,
            id: None,
            start: None,
            play: None,
            grace: None,
            nodes: None,
            seed: 0,
            max_steps: Self::DEFAULT_MAX_STEPS,
            cancel: Cancel::default(),
            now: Box::new(|| {
                let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
                since.map_or(0, |time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
            }),
            watch: None,
        }
    }

    /// Sets the time of each player at the start, and for each move. The default is no limit.
    pub fn clocks(mut self, start: Duration, play: Duration) -> Self {
        (self.start, self.play) = (Some(start), Some(play));
        self
    }

    /// Sets the grace period: the time after the end of the clock during which an answer still
    /// counts.
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = Some(grace);
        self
    }

    /// Sets the number of nodes that a player may visit for each move. If players respect this
    /// limit and there are no clocks, a match is reproducible.
    pub fn nodes(mut self, nodes: u64) -> Self {
        self.nodes = Some(nodes);
        self
    }

    /// Sets the seed of chance and of the random moves that are made for players that fail.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets the maximum number of steps of a match. A longer match is abandoned.
    pub fn max_steps(mut self, steps: usize) -> Self {
        self.max_steps = steps;
        self
    }

    /// Sets the name of the match in its record.
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Cancels the match once another thread triggers `cancel`.
    pub fn cancelled_by(mut self, cancel: &Cancel) -> Self {
        self.cancel = cancel.clone();
        self
    }

    /// Sets the source of the times in the record, in milliseconds since 1970; the system's clock
    /// by default. It is called when the match begins and at each state. The players' clocks do not
    /// use it.
    pub fn now(mut self, now: impl FnMut() -> u64 + 'a) -> Self {
        self.now = Box::new(now);
        self
    }

    /// Sets a callback that runs once all players are notified of the start, and after each step.
    /// It receives the match so far and each player's report, in role order.
    pub fn watch(mut self, watch: impl FnMut(&Match<G>, &[Option<Report>]) + 'a) -> Self {
        self.watch = Some(Box::new(watch));
        self
    }

    /// Runs a match of these players, one for each role other than chance, in role order.
    ///
    /// # Errors
    /// Returns an error if the number of players is wrong.
    ///
    /// # Panics
    /// Panics if the game does.
    pub fn run(mut self, players: &mut [Box<dyn Player<G> + '_>]) -> Result<Match<G>, RefereeError> {
        let game = self.game;
        let chance = game.chance_role();
        let seats: Vec<G::Role> = game.roles().filter(|&role| Some(role) != chance).collect();
        if seats.len() != players.len() {
            return Err(RefereeError::Players { expected: seats.len(), found: players.len() });
        }
        let mut names = vec!["random".to_owned(); game.shape().roles];
        for (role, player) in seats.iter().zip(players.iter()) {
            player.name().clone_into(&mut names[role.index()]);
        }
        let mut token = Stream::new(self.seed, u64::MAX);
        let token = (0..32).map(|_| char::from(b'a' + token.below(26) as u8)).collect();
        let mut played = Match {
            history: History::new(game),
            faults: Vec::new(),
            goals: vec![None; game.shape().roles],
            end: End::Cancelled,
            players: names,
            times: vec![(self.now)()],
            id: self.id.clone().unwrap_or_else(|| format!("gdl.{}", self.seed)),
            token,
            clocks: [self.start, self.play],
        };
        thread::scope(|scope| {
            let (answer, answers) = mpsc::channel();
            let mut table = PlayerTable { answers, seats: Vec::new(), asked: 0 };
            for (place, (&role, player)) in seats.iter().zip(players).enumerate() {
                let (ask, questions) = mpsc::channel();
                let answer = answer.clone();
                let work = move || attend(game, &mut **player, place, &questions, &answer);
                // If the system is out of threads, this player counts as unreachable.
                let gone = thread::Builder::new().spawn_scoped(scope, work).is_err();
                table.seats.push(PlayerSeat { role, ask, gone });
            }
            drop(answer);
            self.lead(&mut table, &mut played);
        });
        Ok(played)
    }

    fn lead(&mut self, table: &mut PlayerTable<G>, played: &mut Match<G>) {
        let game = self.game;
        let mut known: Vec<Information<G>> = game.roles().map(Information::new).collect();
        let mut stream = Stream::new(self.seed, 0);
        let mut view = game.new_view();

        let roles = game.shape().roles;
        let answers = self.ask(table, self.start, Question::Start);
        let mut faults = vec![None; roles];
        let mut reports = vec![None; roles];
        for (seat, answer) in table.seats.iter().zip(answers) {
            let role = seat.role.index();
            faults[role] = match answer {
                Ok(Answer { fault, report, .. }) => {
                    reports[role] = report;
                    fault
                }
                Err(fault) => Some(fault),
            };
        }
        self.note(played, faults, &reports);

        played.end = loop {
            let state = played.history.state();
            game.observe_without_goals(state, &mut view);
            if game.is_terminal_in(&view) {
                let view = game.view(state);
                for (role, goal) in game.roles().zip(&mut played.goals) {
                    *goal = game.goal_in(&view, role);
                }
                break End::Terminal;
            }
            if self.cancel.is_cancelled() {
                break End::Cancelled;
            }
            if played.history.depth() >= self.max_steps {
                break End::TooLong;
            }
            // A random move for each role: for chance, and for players that fail.
            let drawn: Option<Vec<G::Move>> =
                game.roles().map(|role| game.random_move_in(&view, role, &mut stream)).collect();
            let Some(mut joint) = drawn else { break End::Stuck };

            let answers = self.ask(table, self.play, |role| Question::Move(known[role.index()].clone()));
            if self.cancel.is_cancelled() {
                break End::Cancelled;
            }
            let mut faults = vec![None; roles];
            let mut reports = vec![None; roles];
            for (seat, answer) in table.seats.iter().zip(answers) {
                let role = seat.role.index();
                let answer = match answer {
                    Ok(answer) => answer,
                    Err(fault) => {
                        faults[role] = Some(fault);
                        continue;
                    }
                };
                reports[role] = answer.report;
                faults[role] = match answer.action {
                    Some(action) if game.is_legal_in(&view, seat.role, action) => {
                        joint[role] = action;
                        None
                    }
                    Some(action) => Some(Fault::Illegal(game.move_text(action).to_owned())),
                    None => Some(answer.fault.unwrap_or_else(|| Fault::Illegal("nil".to_owned()))),
                };
            }
            for (role, information) in game.roles().zip(&mut known) {
                // The role of chance has no player, so its information is not needed.
                if Some(role) != game.chance_role() {
                    information.step(game, played.history.state(), &joint);
                }
            }
            if played.history.play(game, &joint).is_err() {
                // Unreachable while all moves are checked or drawn from the legal ones.
                break End::Stuck;
            }
            self.note(played, faults, &reports);
        };
        for seat in &table.seats {
            let last = match played.end {
                End::Terminal => Question::Stop(known[seat.role.index()].clone()),
                _ => Question::Abort,
            };
            // The thread of a player that panicked has ended, so sending may fail.
            let _ = seat.ask.send((0, Budget::unlimited(), last));
        }
    }

    /// Adds the faults and the time of the start or of a step, and calls the watcher.
    fn note(&mut self, played: &mut Match<G>, faults: Vec<Option<Fault>>, reports: &[Option<Report>]) {
        played.faults.push(faults);
        played.times.push((self.now)());
        if let Some(watch) = &mut self.watch {
            watch(played, reports);
        }
    }

    /// Sends a question to all players at once, with the same budget, and returns their answers.
    fn ask(
        &self,
        table: &mut PlayerTable<G>,
        clock: Option<Duration>,
        question: impl Fn(G::Role) -> Question<G>,
    ) -> Vec<Result<Answer<G>, Fault>> {
        let budget = clock.map_or_else(Budget::unlimited, Budget::within);
        let budget = self.nodes.iter().fold(budget, |budget, &nodes| budget.and_nodes(nodes));
        let usual = |clock: Duration| (clock / 10).clamp(Self::LEAST_GRACE, Self::DEFAULT_GRACE);
        let limit = clock.map(|clock| clock.saturating_add(self.grace.unwrap_or_else(|| usual(clock))));
        table.ask(&budget, limit, &self.cancel, question)
    }
}

struct PlayerSeat<G: Game> {
    role: G::Role,
    ask: Sender<Asked<G>>,
    gone: bool,
}

/// The threads of the players.
struct PlayerTable<G: Game> {
    answers: Receiver<Reply<G>>,
    seats: Vec<PlayerSeat<G>>,
    /// The number of rounds of questions so far.
    asked: u64,
}

impl<G: Game> PlayerTable<G> {
    /// Sends a question to all players at once and collects their answers, until `limit` is over or
    /// the match is cancelled.
    fn ask(
        &mut self,
        budget: &Budget,
        limit: Option<Duration>,
        called_off: &Cancel,
        question: impl Fn(G::Role) -> Question<G>,
    ) -> Vec<Result<Answer<G>, Fault>> {
        self.asked += 1;
        let end = limit.and_then(|limit| Instant::now().checked_add(limit));
        let cancel = Cancel::default();
        let budget = budget.clone().cancelled_by(&cancel);
        let mut answers: Vec<Result<Answer<G>, Fault>> = Vec::new();
        let mut missing = 0;
        for seat in &mut self.seats {
            seat.gone |= seat.ask.send((self.asked, budget.clone(), question(seat.role))).is_err();
            missing += usize::from(!seat.gone);
            answers.push(Err(if seat.gone { Fault::Gone } else { Fault::Late }));
        }
        while missing > 0 {
            let left = end.map_or(LOOK, |end| end.saturating_duration_since(Instant::now()).min(LOOK));
            match self.answers.recv_timeout(left) {
                Ok((number, place, answer)) => {
                    let seat = &mut self.seats[place];
                    if seat.gone {
                        // The player was unreachable when the question was sent, so its answer is
                        // not awaited.
                        continue;
                    }
                    // A late answer to an earlier question is ignored; a late panic counts now.
                    seat.gone = answer.is_err();
                    if number == self.asked || seat.gone {
                        answers[place] = answer.map_err(|_| Fault::Gone);
                        missing -= 1;
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    if called_off.is_cancelled() || end.is_some_and(|end| Instant::now() >= end) {
                        break;
                    }
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        // The result of a player that is still searching is dropped.
        cancel.cancel();
        answers
    }
}
