//! The referee of matches: it leads a game with a player for each role to a [`Match`], what was
//! played and what went wrong.
//!
//! The referee does the work of a match manager. It notifies every player that the match starts,
//! requests all moves at the same time, and draws for the role of chance itself. Each player
//! receives only the [`Information`] of its role. Before each request the referee draws a legal
//! move for each role. That one is made if the answer is not legal (`IL`), does not come in time
//! (`TO`) or the player panicked (`CE`, as if its connection were lost: it is not asked again). A
//! player that has no move, such as a remote one, may report which of these it was
//! ([`Player::fault`]). A match goes on whatever players do.
//!
//! A player's [`Budget`] ends with the clock, and its [`Cancel`] is pulled when the time and a
//! grace are over. A late answer is forgotten. Players have threads of their own; one that never
//! returns cannot be ended, and then the match plays to its end but [`Referee::run`] waits for that
//! thread, unless the player is [`Detached`](crate::player::Detached).
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

/// A fault: what one role did wrong in a step, or at the start. `Display` is as match managers
/// write it: `TO`, `CE` or `IL` with the move.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// It did not answer in time.
    Late,
    /// It is out of reach, or panicked, now or before.
    Gone,
    /// Its answer, as KIF text, is not a legal move. `nil` if it had none, and did not say why.
    Illegal(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Late => f.write_str("TO"),
            Self::Gone => f.write_str("CE"),
            Self::Illegal(action) => write!(f, "IL {action}"),
        }
    }
}

/// The end of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum End {
    /// In a terminal state.
    Terminal,
    /// A role has no legal move, which is an error of the rulesheet.
    Stuck,
    /// After the most moves allowed.
    TooLong,
    /// It was cancelled.
    Cancelled,
}

/// A match that is over.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Match<G: Game> {
    /// The play, as one line at whose end it stands.
    pub history: History<G>,
    /// The faults of each role, if any, in role order: first at the start, then in each step.
    pub faults: Vec<Vec<Option<Fault>>>,
    /// The goal of each role at the end, in role order. `None` if it has not exactly one, and all
    /// of them if the end is not terminal.
    pub goals: Vec<Option<u8>>,
    /// The end of the match.
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
    /// True if it was played to a terminal state.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.end == End::Terminal
    }

    /// The match as ggp-base writes it.
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
    /// There is not one player for each role other than chance.
    Players {
        /// The expected number.
        expected: usize,
        /// The number that was found.
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

/// The callback after each step: it receives the match so far, and for each role the report of its
/// player's search.
type Watcher<'a, G> = Box<dyn FnMut(&Match<G>, &[Option<Report>]) + 'a>;

/// A referee, which leads a match: `Referee::new(&game).nodes(1000).seed(7).run(&mut players)`.
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
    /// The most steps of a match, unless [`Referee::max_steps`] says otherwise.
    pub const DEFAULT_MAX_STEPS: usize = 10_000;

    /// The longest grace, how long after the clock an answer still counts, unless
    /// [`Referee::grace`] says otherwise: as long as with match managers. It is a tenth of the
    /// clock where that is less, but never below [`Referee::LEAST_GRACE`].
    pub const DEFAULT_GRACE: Duration = Duration::from_secs(1);

    /// The shortest grace: threads do not wake up at once.
    pub const LEAST_GRACE: Duration = Duration::from_millis(20);

    /// A referee without clocks, with seed 0.
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

    /// The time that players have at the start, and for each move. Without it they have all the
    /// time they want.
    pub fn clocks(mut self, start: Duration, play: Duration) -> Self {
        (self.start, self.play) = (Some(start), Some(play));
        self
    }

    /// The grace: how long after the clock an answer still counts.
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = Some(grace);
        self
    }

    /// The nodes that a player may visit for each move. With it and without clocks, players that
    /// keep to it make a match that can be repeated exactly.
    pub fn nodes(mut self, nodes: u64) -> Self {
        self.nodes = Some(nodes);
        self
    }

    /// The seed of chance and of the moves that are made for players who fail.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The most steps: a match that is not over then is abandoned.
    pub fn max_steps(mut self, steps: usize) -> Self {
        self.max_steps = steps;
        self
    }

    /// The name of the match in its record.
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Gives the match up once another thread has pulled `cancel`.
    pub fn cancelled_by(mut self, cancel: &Cancel) -> Self {
        self.cancel = cancel.clone();
        self
    }

    /// The time in milliseconds since 1970, for the record; at first that of the system. It is
    /// asked once when the match begins and once for each state. Clocks go by their own time.
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

    /// Leads a match of these players, one for each role other than chance, in role order.
    ///
    /// # Errors
    /// Returns an error if there are more or fewer players than that.
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
            let mut table = Table { answers, seats: Vec::new(), asked: 0 };
            for (place, (&role, player)) in seats.iter().zip(players).enumerate() {
                let (ask, questions) = mpsc::channel();
                let answer = answer.clone();
                let work = move || attend(game, &mut **player, place, &questions, &answer);
                // The system may be out of threads: then this player is out of reach.
                let gone = thread::Builder::new().spawn_scoped(scope, work).is_err();
                table.seats.push(Seat { role, ask, gone });
            }
            drop(answer);
            self.lead(&mut table, &mut played);
        });
        Ok(played)
    }

    fn lead(&mut self, table: &mut Table<G>, played: &mut Match<G>) {
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
            // Whatever players do, there is a move for each.
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
                // Chance receives nothing, and asks nothing.
                if Some(role) != game.chance_role() {
                    information.step(game, played.history.state(), &joint);
                }
            }
            if played.history.play(game, &joint).is_err() {
                // Not while all moves are tested or drawn from what is legal.
                break End::Stuck;
            }
            self.note(played, faults, &reports);
        };
        for seat in &table.seats {
            let last = match played.end {
                End::Terminal => Question::Stop(known[seat.role.index()].clone()),
                _ => Question::Abort,
            };
            // A player that is gone hears nothing.
            let _ = seat.ask.send((0, Budget::unlimited(), last));
        }
    }

    /// Adds the results of the start or of a step, and calls the watcher.
    fn note(&mut self, played: &mut Match<G>, faults: Vec<Option<Fault>>, reports: &[Option<Report>]) {
        played.faults.push(faults);
        played.times.push((self.now)());
        if let Some(watch) = &mut self.watch {
            watch(played, reports);
        }
    }

    /// Asks all players at once, each with the same budget.
    fn ask(
        &self,
        table: &mut Table<G>,
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

struct Seat<G: Game> {
    role: G::Role,
    ask: Sender<Asked<G>>,
    gone: bool,
}

/// The players, as the referee sees them.
struct Table<G: Game> {
    answers: Receiver<Reply<G>>,
    seats: Vec<Seat<G>>,
    /// Rounds of questions so far.
    asked: u64,
}

impl<G: Game> Table<G> {
    /// Asks all players at once and waits for their answers, no longer than `limit` or until the
    /// match is cancelled.
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
                        // It was out of reach when it was asked: it is not waited for.
                        continue;
                    }
                    // A late answer to an earlier question is nothing; a late panic is one now.
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
        // The result of a player that still thinks is dropped.
        cancel.cancel();
        answers
    }
}
