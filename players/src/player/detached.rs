//! Detached players: a player in its own thread that is abandoned if it does not answer in time.

use super::{
    Budget, Information, Player, Report,
    attend::{Answer, Asked, Question, Reply, attend},
};
use crate::fault::Fault;
use gdl_runtime::Game;
use std::{
    fmt, io,
    panic::resume_unwind,
    sync::mpsc::{self, Receiver, RecvTimeoutError, Sender},
    thread,
    time::{Duration, Instant},
};

/// The interval at which a waiting thread tests whether the budget was cancelled.
const LOOK: Duration = Duration::from_millis(20);

/// A player in its own thread, which can be abandoned.
///
/// A thread cannot be ended from outside, so the caller of a player that never returns would wait
/// forever. A detached player runs in a thread that nobody waits for, with its own copy of the
/// game.
///
/// When the budget is cancelled, or a grace period after its deadline is over, [`Player::choose`]
/// returns without a move, and [`Player::start`] returns. [`Player::stop`] and [`Player::abort`] do
/// not wait. A player that returns later receives the next question. A player that never returns
/// keeps its thread and memory until the process ends.
///
/// If the player panics, the call that receives its answer panics too; later calls return no move.
///
/// With a budget of nodes alone that is not cancelled, calls wait until the player returns.
///
/// ```
/// use gdl_players::{Budget, Player, Referee, player::{Detached, First}, referee::Fault};
/// use gdl_runtime::{Game, Information, gdl};
/// use std::time::Duration;
///
/// gdl!(name = doors, rules = r"
///     (role guest) (init shut)
///     (legal guest left) (legal guest right)
///     (<= (next (went ?d)) (does guest ?d)) (<= terminal (true (went ?d)))
///     (<= (goal guest 100) (true (went right))) (<= (goal guest 0) (not (true (went right))))
/// ");
///
/// struct Sleeper;
///
/// impl<G: Game> Player<G> for Sleeper {
///     fn name(&self) -> &str {
///         "sleeper"
///     }
///
///     fn choose(&mut self, _: &G, _: &Information<G>, _: &Budget) -> Option<G::Move> {
///         loop {
///             std::thread::park();
///         }
///     }
/// }
///
/// let game = doors::game();
/// let mut players: Vec<Box<dyn Player<_>>> = vec![Box::new(Detached::new(&game, Sleeper)?)];
/// let clock = Duration::from_millis(10);
/// let played = Referee::new(&game).clocks(clock, clock).grace(clock).run(&mut players)?;
/// assert_eq!(played.faults[1][0], Some(Fault::Late));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Detached<G: Game> {
    name: String,
    grace: Duration,
    ask: Sender<Asked<G>>,
    answers: Receiver<Reply<G>>,
    /// The number of questions so far.
    asked: u64,
    /// The fault and the report of the last answer.
    said: (Option<Fault>, Option<Report>),
}

impl<G: Game> fmt::Debug for Detached<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Detached").field("name", &self.name).finish_non_exhaustive()
    }
}

impl<G: Game + Clone + 'static> Detached<G> {
    /// The default of [`Detached::grace`], longer than that of a referee.
    pub const DEFAULT_GRACE: Duration = Duration::from_secs(3);

    /// Moves the player into a new thread.
    ///
    /// # Errors
    /// Returns an error if the system cannot start a thread.
    pub fn new(game: &G, mut player: impl Player<G> + 'static) -> io::Result<Self> {
        let name = player.name().to_owned();
        let game = game.clone();
        let (ask, questions) = mpsc::channel();
        let (answer, answers) = mpsc::channel();
        thread::Builder::new().spawn(move || attend(&game, &mut player, 0, &questions, &answer))?;
        Ok(Self { name, grace: Self::DEFAULT_GRACE, ask, answers, asked: 0, said: (None, None) })
    }

    /// Sets the grace period: the time after the deadline during which [`Player::choose`] still
    /// waits for an answer.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }
}

impl<G: Game> Detached<G> {
    /// Sends a question without waiting for the answer; does nothing if the player's thread has
    /// ended.
    fn tell(&mut self, budget: &Budget, question: Question<G>) {
        self.asked += 1;
        self.said = (None, None);
        let _ = self.ask.send((self.asked, budget.clone(), question));
    }

    /// Sends a question and waits for the answer until the grace period is over.
    fn ask(&mut self, budget: &Budget, question: Question<G>) -> Option<G::Move> {
        self.tell(budget, question);
        let end = budget.deadline().and_then(|deadline| deadline.checked_add(self.grace));
        loop {
            let left = end.map_or(LOOK, |end| end.saturating_duration_since(Instant::now()).min(LOOK));
            match self.answers.recv_timeout(left) {
                Ok((_, _, Err(panic))) => resume_unwind(panic),
                // Answers to earlier questions are ignored.
                Ok((number, _, Ok(Answer { action, fault, report }))) if number == self.asked => {
                    self.said = (fault, report);
                    return action;
                }
                Err(RecvTimeoutError::Disconnected) => return None,
                Ok(_) | Err(RecvTimeoutError::Timeout) => {
                    if budget.is_cancelled() || end.is_some_and(|end| Instant::now() >= end) {
                        return None;
                    }
                }
            }
        }
    }
}

impl<G: Game> Player<G> for Detached<G> {
    fn name(&self) -> &str {
        &self.name
    }

    fn start(&mut self, _: &G, role: G::Role, budget: &Budget) {
        self.ask(budget, Question::Start(role));
    }

    fn choose(&mut self, _: &G, information: &Information<G>, budget: &Budget) -> Option<G::Move> {
        self.ask(budget, Question::Move(information.clone()))
    }

    fn stop(&mut self, _: &G, information: &Information<G>) {
        self.tell(&Budget::unlimited(), Question::Stop(information.clone()));
    }

    fn abort(&mut self) {
        self.tell(&Budget::unlimited(), Question::Abort);
    }

    fn fault(&self) -> Option<Fault> {
        self.said.0.clone()
    }

    fn report(&self) -> Option<Report> {
        self.said.1.clone()
    }
}
