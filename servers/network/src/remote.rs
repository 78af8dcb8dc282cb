//! Remote players: a [`Remote`] is a [`Player`] whose moves are requested over the network.
//!
//! It sends the messages of a manager: `START` with the rulesheet and the clocks, `PLAY` for each
//! step, `STOP` or `ABORT`. It waits for the answer to a `PLAY` until `GRACE` after the deadline of
//! the caller's budget, or until the budget is cancelled. A referee cancels the budget when the
//! clock and the referee's grace are over. An answer that is late, missing, malformed or no move of
//! the game becomes a [`Fault`], and the referee draws a move in its place. The referee also
//! decides whether a move is legal.
//!
//! The rulesheet is sent in KIF, whatever its author's syntax. Its symbols may be scrambled, so
//! that a player cannot recognise the game by its words. All messages of the match use the words of
//! that [`Sheet`]; callers see only the author's words.
//!
//! A remote player has one match at a time. If the caller leaves the line of play, for example by
//! taking a move back, that match is aborted. Then the player is led to the new position in another
//! match.

use crate::{
    client::{Address, Failure, wait},
    message::{Reply, Request},
    note::Note,
    sheet::Sheet,
};
use gdl_players::{Budget, Player, player::Report, referee::Fault};
use gdl_runtime::{Game, GameExt, Information, game::Perception, information::Step};
use std::{
    fmt,
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::{Duration, Instant, SystemTime},
};

/// The time after its deadline for which an answer is awaited if no caller cancels: a little longer
/// than managers wait.
const GRACE: Duration = Duration::from_millis(1500);

/// The time limit for notifying a player that a match is over.
const FAREWELL: Duration = Duration::from_secs(1);

/// The number of matches that this process has begun.
static MATCHES: AtomicU64 = AtomicU64::new(0);

/// A player that is reached over the network.
///
/// ```no_run
/// use gdl_compiler::Source;
/// use gdl_network::{Remote, Sheet};
/// use gdl_players::{Player, Referee, player::First};
/// use gdl_runtime::load;
/// use std::time::Duration;
///
/// let source = Source::new("mygame.kif", std::fs::read_to_string("mygame.kif")?);
/// let game = load(source.text())?;
/// let sheet = Sheet::new(&source).map_err(|_| "the rulesheet cannot be read")?;
/// let remote = Remote::new("127.0.0.1:9147".parse()?, sheet);
/// let mut players: Vec<Box<dyn Player<_>>> = vec![Box::new(remote), Box::new(First::new())];
/// let clock = Duration::from_secs(5);
/// let played = Referee::new(&game).clocks(clock, clock).run(&mut players)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Remote<G: Game> {
    name: String,
    address: Address,
    sheet: Sheet,
    clocks: [Option<Duration>; 2],
    /// The id of the next match, if the caller set one.
    id: Option<String>,
    /// The current match of the player.
    told: Option<Told<G>>,
    /// The reason why the last request has no answer.
    fault: Option<Fault>,
    report: Option<Report>,
}

/// A match as the player knows it.
struct Told<G: Game> {
    id: String,
    role: G::Role,
    steps: Vec<Step<G>>,
    /// True if a move was requested at the last position.
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
    /// The clock that is sent to a player if nothing else limits its time.
    pub const DEFAULT_CLOCK: Duration = Duration::from_secs(10);

    /// Creates a client of the player at an address, for a game made from this sheet.
    #[must_use]
    pub fn new(address: Address, sheet: Sheet) -> Self {
        let name = format!("remote:{address}");
        Self { name, address, sheet, clocks: [None; 2], id: None, told: None, fault: None, report: None }
    }

    /// Sets the start clock and the play clock that the player receives, in whole seconds of at
    /// least 1. By default they follow from the budget of the start.
    #[must_use]
    pub fn clocks(mut self, start: Option<Duration>, play: Option<Duration>) -> Self {
        self.clocks = [start, play];
        self
    }

    /// Sets the id of the next match: a word that no other match of the player has. By default each
    /// match gets a generated id.
    #[must_use]
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Sends a request and waits for the answer until the limit, or until the budget is cancelled.
    fn ask(&mut self, request: &Request, limit: Duration, budget: &Budget) -> Result<Reply, Failure> {
        let address = &self.address;
        // The request runs in its own thread, since a caller's async runtime may not allow
        // blocking.
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
        self.fault = answer.as_ref().err().and_then(|failure| match failure {
            Failure::Late => Some(Fault::Late),
            Failure::Unreachable(_) | Failure::Broken(_) => Some(Fault::Gone),
            // The player answered, but with no move.
            Failure::Unreadable(_) => None,
        });
        answer
    }

    /// Begins a match. The start clock is the configured one, otherwise the rest of the budget.
    /// Without a deadline, it equals the play clock.
    fn begin(&mut self, game: &G, role: G::Role, budget: &Budget) {
        let number = MATCHES.fetch_add(1, Ordering::Relaxed);
        let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let id = format!("gdl.{}.{}.{number}", time.as_millis(), std::process::id());
        let id = self.id.take().unwrap_or(id);
        let left = budget.deadline().map(|end| end.saturating_duration_since(Instant::now()));
        let [start, play] = self.clocks;
        let play = play.or(left).unwrap_or(Self::DEFAULT_CLOCK);
        let start = start.or(left).unwrap_or(play);
        let seconds = |clock: Duration| clock.as_secs() + u64::from(clock.subsec_millis() >= 500);
        let request = Request::Start {
            id: id.clone(),
            role: self.sheet.to_kif(game.role_text(role)),
            rules: self.sheet.kif().to_owned(),
            start: seconds(start).max(1),
            play: seconds(play).max(1),
        };
        // The player has its whole start clock. If it is not ready, moves are still requested, as
        // managers do.
        let _ = self.ask(&request, limit(budget, start).max(start.saturating_add(GRACE)), budget);
        self.told = Some(Told { id, role, steps: Vec::new(), is_asked: false });
    }

    /// Asks for the move of the last position that was sent.
    fn play(&mut self, game: &G, budget: &Budget) -> Option<Result<Reply, Failure>> {
        self.told.as_mut()?.is_asked = true;
        let told = self.told.as_ref()?;
        let news = told.steps.last().map(|step| self.news(game, step));
        let request = Request::Play { id: told.id.clone(), news };
        let clock = self.clocks[1].unwrap_or(Self::DEFAULT_CLOCK);
        Some(self.ask(&request, limit(budget, clock), budget))
    }

    /// Returns the news of a step for the player.
    fn news(&self, game: &G, (_, perception): &Step<G>) -> Vec<String> {
        match perception {
            Perception::Joint(joint) => {
                joint.iter().map(|&action| self.sheet.to_kif(game.move_text(action))).collect()
            }
            Perception::Percepts(percepts) => {
                percepts.iter().map(|&seen| self.sheet.to_kif(game.percept_text(seen))).collect()
            }
        }
    }

    /// Parses an answer as a move. Sets a fault and returns `None` if it is no move of the game.
    fn read(&mut self, game: &G, answer: &str) -> Option<G::Move> {
        let own = self.sheet.to_own(answer);
        let action = own.as_ref().and_then(|own| game.parse_move(own).ok());
        if action.is_none() {
            let (said, meant) = (Note::plain(answer), Note::plain(own.as_deref().unwrap_or(answer)));
            self.report.iter_mut().for_each(|report| report.note = Some(format!("it answers `{said}`")));
            self.fault = Some(Fault::Illegal(meant));
        }
        action
    }

    /// Notifies the player that the match is over.
    fn leave(&mut self, request: &Request) {
        self.told = None;
        let _ = self.ask(request, FAREWELL, &Budget::unlimited());
    }
}

/// Returns the time to wait for an answer: the rest of the budget, or `clock` if it has no
/// deadline, and [`GRACE`].
fn limit(budget: &Budget, clock: Duration) -> Duration {
    let left = budget.deadline().map(|end| end.saturating_duration_since(Instant::now()));
    left.unwrap_or(clock).saturating_add(GRACE)
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
                // The player is led to the position, and its answers on the way are ignored.
                if budget.is_spent() {
                    return None;
                }
                continue;
            }
            return match answer {
                Ok(Reply::Move(text)) => self.read(game, &text),
                _ => None,
            };
        }
    }

    fn stop(&mut self, game: &G, information: &Information<G>) {
        if let Some(told) = &self.told {
            let news = information.steps().last().map(|step| self.news(game, step));
            self.leave(&Request::Stop { id: told.id.clone(), news });
        }
    }

    fn abort(&mut self) {
        if let Some(told) = &self.told {
            self.leave(&Request::Abort { id: told.id.clone() });
        }
    }

    fn fault(&self) -> Option<Fault> {
        self.fault.clone()
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
            // No code waits for this answer.
            let _ = thread::Builder::new()
                .spawn(move || wait(&address, &request, FAREWELL, &Budget::unlimited()));
        }
    }
}
