//! Players elsewhere: a [`Remote`] is a [`Player`] whose moves are asked for over the network.
//!
//! It is told of the match as by a manager: `START` with the rulesheet and the clocks, `PLAY` for each step, `STOP` or `ABORT`. The
//! answer to a `PLAY` is waited for as long as the caller's budget is not cancelled, as a referee does when the clock and its
//! grace are over, or a second longer than its deadline. An answer that is late, missing, broken or no move of the game is
//! none, so a referee draws a move in its place; whether it is legal is for the referee to say.
//!
//! A player elsewhere has one match, so it is asked again only about what follows; if the caller went somewhere else, as
//! by taking a move back, that match is aborted, and the player is led through a new one.

use crate::{
    client::{Address, Failure, ask},
    message::{Dialect, Reply, Request},
};
use gdl_runtime::{
    Budget, Game, GameExt, Information, Player, game::Perception, information::Step, player::Report,
};
use std::{
    fmt,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant, SystemTime},
};
use tokio::time::timeout;

/// How long after its deadline an answer is waited for where no caller cancels: as long as managers do, and a little.
const GRACE: Duration = Duration::from_millis(1500);

/// How long a player may take to hear that a match is over.
const FAREWELL: Duration = Duration::from_secs(1);

/// How often the budget is looked at.
const LOOK: Duration = Duration::from_millis(10);

/// Matches of this process so far.
static MATCHES: AtomicU64 = AtomicU64::new(0);

/// A player that is asked over the network.
///
/// ```no_run
/// use gdl_network::Remote;
/// use gdl_runtime::{Player, Referee, load, player::First};
/// use std::time::Duration;
///
/// let rules = std::fs::read_to_string("mygame.kif")?;
/// let game = load(&rules)?;
/// let remote = Remote::new("127.0.0.1:9147".parse()?, rules);
/// let mut players: Vec<Box<dyn Player<_>>> = vec![Box::new(remote), Box::new(First::new())];
/// let clock = Duration::from_secs(5);
/// let played = Referee::new(&game).clocks(clock, clock).run(&mut players)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Remote<G: Game> {
    name: String,
    address: Address,
    rules: Arc<str>,
    clocks: [Option<Duration>; 2],
    /// The match that the player was told of.
    told: Option<Told<G>>,
    report: Option<Report>,
}

/// What a player was told.
struct Told<G: Game> {
    id: String,
    role: G::Role,
    steps: Vec<Step<G>>,
    /// If a move was asked for at the last position.
    is_asked: bool,
}

impl<G: Game> fmt::Debug for Remote<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote")
            .field("address", &self.address)
            .field("clocks", &self.clocks)
            .finish_non_exhaustive()
    }
}

impl<G: Game> Remote<G> {
    /// The clock that a player is told of where nothing else says how long it has.
    pub const DEFAULT_CLOCK: Duration = Duration::from_secs(10);

    /// The player at an address, for a game that comes of these rules.
    #[must_use]
    pub fn new(address: Address, rules: impl Into<Arc<str>>) -> Self {
        let name = format!("remote:{address}");
        Self { name, address, rules: rules.into(), clocks: [None; 2], told: None, report: None }
    }

    /// The clocks that the player is told of, before the first move and for each: whole seconds, at least one. Unless
    /// this says otherwise, they are what the budget of the start allows.
    #[must_use]
    pub fn clocks(mut self, start: Option<Duration>, play: Option<Duration>) -> Self {
        self.clocks = [start, play];
        self
    }

    /// Asks and waits for the answer, until the time is up or the budget is cancelled.
    fn ask(&mut self, request: &Request, limit: Duration, budget: &Budget) -> Result<Reply, Failure> {
        let address = &self.address;
        // In a thread of its own, since callers may have a runtime of their own that does not let them wait.
        let answer = thread::scope(|scope| {
            let asking = thread::Builder::new().spawn_scoped(scope, || wait(address, request, limit, budget));
            let answer = asking.map(thread::ScopedJoinHandle::join);
            answer.unwrap_or_else(|_| Ok(Err(Failure::Late))).unwrap_or(Err(Failure::Late))
        });
        let note = answer.as_ref().err().map(ToString::to_string);
        let note = note.or_else(|| matches!(answer, Ok(Reply::Busy)).then(|| "it is busy".to_owned()));
        let mut report = Report::default();
        report.note = note;
        self.report = Some(report);
        answer
    }

    /// Begins a match, with what is left of the budget for a start clock.
    fn begin(&mut self, game: &G, role: G::Role, budget: &Budget) {
        let number = MATCHES.fetch_add(1, Ordering::Relaxed);
        let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let id = format!("gdl.{}.{}.{number}", time.as_millis(), std::process::id());
        let left = budget.deadline().map(|end| end.saturating_duration_since(Instant::now()));
        let [start, play] = self.clocks;
        let play = play.or(left).unwrap_or(Self::DEFAULT_CLOCK);
        let start = start.or(left).unwrap_or(play);
        let seconds = |clock: Duration| clock.as_secs() + u64::from(clock.subsec_millis() >= 500);
        let request = Request::Start {
            id: id.clone(),
            role: game.role_text(role).to_owned(),
            rules: self.rules.to_string(),
            start: seconds(start).max(1),
            play: seconds(play).max(1),
        };
        // A player that is not ready is asked for moves all the same, as managers do.
        let _ = self.ask(&request, limit(budget, start), budget);
        self.told = Some(Told { id, role, steps: Vec::new(), is_asked: false });
    }

    /// Asks for the move of the position that was told last.
    fn play(&mut self, game: &G, budget: &Budget) -> Option<Result<Reply, Failure>> {
        let told = self.told.as_mut()?;
        told.is_asked = true;
        let request =
            Request::Play { id: told.id.clone(), news: told.steps.last().map(|step| news(game, step)) };
        let clock = self.clocks[1].unwrap_or(Self::DEFAULT_CLOCK);
        Some(self.ask(&request, limit(budget, clock), budget))
    }

    /// Says that the match is over.
    fn leave(&mut self, request: &Request) {
        self.told = None;
        let _ = self.ask(request, FAREWELL, &Budget::unlimited());
    }
}

/// Asks by a runtime of its own.
fn wait(address: &Address, request: &Request, limit: Duration, budget: &Budget) -> Result<Reply, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::Unreachable(error.to_string()))?;
    let answer = runtime.block_on(async {
        let mut asking = pin!(ask(address, request, Dialect::Base, limit));
        loop {
            match timeout(LOOK, asking.as_mut()).await {
                Ok(answer) => return answer,
                Err(_) if budget.is_cancelled() => return Err(Failure::Late),
                Err(_) => {}
            }
        }
    });
    // A name may still be looked up, which nothing ends.
    runtime.shutdown_background();
    answer
}

/// How long an answer is waited for: a budget without end is cancelled in the end, or leaves it to the clock that was told.
fn limit(budget: &Budget, clock: Duration) -> Duration {
    let left = budget.deadline().map(|end| end.saturating_duration_since(Instant::now()));
    left.unwrap_or(clock).saturating_add(GRACE)
}

/// What a player is told of a step.
fn news<G: Game>(game: &G, (_, perception): &Step<G>) -> Vec<String> {
    match perception {
        Perception::Joint(joint) => joint.iter().map(|&action| game.move_text(action).to_owned()).collect(),
        Perception::Percepts(percepts) => {
            percepts.iter().map(|&seen| game.percept_text(seen).to_owned()).collect()
        }
    }
}

impl<G: Game> Player<G> for Remote<G> {
    fn name(&self) -> &str {
        &self.name
    }

    fn start(&mut self, game: &G, role: G::Role, budget: &Budget) {
        self.abort();
        self.begin(game, role, budget);
    }

    fn choose(&mut self, game: &G, information: &Information<G>, budget: &Budget) -> Option<G::Move> {
        let steps = information.steps();
        let continues = self.told.as_ref().is_some_and(|told| {
            told.role == information.role()
                && steps.get(..told.steps.len()).is_some_and(|old| old == told.steps)
        });
        if !continues {
            self.abort();
            self.begin(game, information.role(), budget);
        }
        loop {
            let told = self.told.as_mut()?;
            let known = told.steps.len();
            if told.is_asked && known < steps.len() {
                told.steps.push(steps[known].clone());
            }
            let is_last = told.steps.len() == steps.len();
            let answer = self.play(game, budget)?;
            if !is_last {
                // It is led to the position; what it would have done on the way is of no interest.
                if budget.is_spent() {
                    return None;
                }
                continue;
            }
            return match answer {
                Ok(Reply::Move(text)) => {
                    let action = game.parse_move(&text).ok();
                    if action.is_none()
                        && let Some(report) = &mut self.report
                    {
                        report.note = Some(format!("it answers `{}`", crate::note::Note::plain(&text)));
                    }
                    action
                }
                _ => None,
            };
        }
    }

    fn stop(&mut self, game: &G, information: &Information<G>) {
        if let Some(told) = &self.told {
            let news = information.steps().last().map(|step| news(game, step));
            self.leave(&Request::Stop { id: told.id.clone(), news });
        }
    }

    fn abort(&mut self) {
        if let Some(told) = &self.told {
            self.leave(&Request::Abort { id: told.id.clone() });
        }
    }

    fn report(&self) -> Option<Report> {
        self.report.clone()
    }
}

impl<G: Game> Drop for Remote<G> {
    fn drop(&mut self) {
        if let Some(told) = self.told.take() {
            let address = self.address.clone();
            let request = Request::Abort { id: told.id };
            // Nothing waits for this answer.
            let _ = thread::Builder::new()
                .spawn(move || wait(&address, &request, FAREWELL, &Budget::unlimited()));
        }
    }
}
