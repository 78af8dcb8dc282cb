//! The manager: it plays the unfinished matches of a plan, several at once, and stores each step
//! when it is made.
//!
//! The referee of `gdl-players` leads each match. Remote players receive requests over the network,
//! each in one match at a time; other players run in this process. First, remote players receive an
//! `ABORT` for each match that another process left unfinished. A manager that is cancelled, or can
//! no longer write, aborts its matches and resets them to planned. If it cannot reset them, the
//! next run does. A later run plays these matches from their start.

use crate::{
    plan::{GRACE, Plan, Planned},
    store::{Begun, Ended, Interrupted, Store, StoredStep},
};
use gdl_network::{
    client::{Address, wait},
    message::Request,
};
use gdl_players::{
    Budget, Player, Referee,
    player::Report,
    record::Record,
    referee::{End, Match},
};
use gdl_runtime::{Cancel, Dynamic, GameExt, chance::Stream};
use gdl_tools::{
    error::{Error, Result},
    game::settle,
    players::{Spec, Told},
};
use serde_json::json;
use std::{
    collections::{BTreeSet, HashSet},
    fmt,
    hash::{BuildHasher, RandomState},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, SystemTime},
};

/// The time limit for notifying a player that a match is aborted.
const FAREWELL: Duration = Duration::from_secs(1);

/// The number of planned matches among which a thread searches for one with free players.
const AHEAD: usize = 4096;

/// A function that signs a match: it returns the text of a record.
pub type Sign<'s> = dyn Fn(&Record) -> Result<String> + Sync + 's;

/// The report of a finished match.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Done {
    /// The number of the match in the plan, from 1.
    pub number: u64,
    /// The game.
    pub game: String,
    /// The id of the match.
    pub id: String,
    /// The roles except chance.
    pub roles: Vec<String>,
    /// The names of the players, in the order of `roles`.
    pub players: Vec<String>,
    /// The goal value of each player, if the rules give one.
    pub goals: Vec<Option<u8>>,
    /// The faults of each player.
    pub faults: Vec<Faults>,
    /// `terminal`, `stuck` or `too long`.
    pub ending: &'static str,
    /// The number of joint moves.
    pub steps: usize,
    /// The number of finished matches of the plan, including this one.
    pub done: u64,
}

/// The faults of a player in a match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Faults {
    /// The number of faults.
    pub count: usize,
    /// The first fault, and the number of its step; 0 is the start.
    pub first: Option<(usize, String)>,
}

impl Faults {
    fn of(played: &Match<Dynamic>, role: usize) -> Self {
        let faults = played.faults.iter().enumerate();
        let mut faults = faults.filter_map(|(step, faults)| Some((step, faults[role].as_ref()?))).peekable();
        let first = faults.peek().map(|(step, fault)| (*step, fault.to_string()));
        Self { count: faults.count(), first }
    }
}

/// Writes text such as `TO at the start` or `IL up in step 3 and 2 more`; empty without faults.
impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.first {
            None => return Ok(()),
            Some((0, fault)) => write!(f, "{fault} at the start")?,
            Some((step, fault)) => write!(f, "{fault} in step {step}")?,
        }
        if self.count > 1 { write!(f, " and {} more", self.count - 1) } else { Ok(()) }
    }
}

/// A manager of a plan.
#[derive(Debug)]
pub struct Manager<'p> {
    plan: &'p Plan,
    store: Mutex<Store>,
    cancel: Cancel,
    agenda: Mutex<Agenda>,
    /// The condition that is notified when a match is over.
    freed: Condvar,
}

/// The planned matches, and the remote players that are busy.
#[derive(Debug, Default)]
struct Agenda {
    planned: BTreeSet<u64>,
    busy: HashSet<Address>,
    done: u64,
}

/// A match that a thread plays. Dropping it frees its players.
struct Taken<'m, 'p> {
    manager: &'m Manager<'p>,
    number: u64,
    addresses: Vec<Address>,
}

impl Drop for Taken<'_, '_> {
    fn drop(&mut self) {
        let mut agenda = self.manager.agenda();
        self.addresses.iter().for_each(|address| {
            agenda.busy.remove(address);
        });
        drop(agenda);
        self.manager.freed.notify_all();
    }
}

impl<'p> Manager<'p> {
    /// Creates a manager that plays a plan into a file of results, until it is cancelled.
    #[must_use]
    pub fn new(plan: &'p Plan, store: Store, cancel: &Cancel) -> Self {
        let cancel = cancel.clone();
        Self { plan, store: Mutex::new(store), cancel, agenda: Mutex::default(), freed: Condvar::new() }
    }

    /// Returns the default number of matches played at once: 1 if players think under clocks on
    /// this machine. Otherwise the number of processors, or of remote players up to 64 if that is
    /// greater.
    #[must_use]
    pub fn threads(&self) -> usize {
        let specs = || self.plan.entrants().iter().map(|player| &player.spec);
        let is_idle = |spec: &Spec| ["first", "random", "remote"].contains(&spec.kind());
        let processors = thread::available_parallelism().map_or(1, usize::from);
        match specs().filter(|spec| spec.is_remote()).count() {
            _ if self.plan.schedule.terms.clocks().is_some() && !specs().all(is_idle) => 1,
            elsewhere => processors.max(elsewhere.min(64)),
        }
    }

    /// Plays all unfinished matches. `tell` receives each finished match once it is on the disk;
    /// `sign` makes the text of its record. Returns the number of finished matches.
    ///
    /// # Errors
    /// Returns an error if results cannot be written, a game exceeds the limits during play, or
    /// `tell` or `sign` fails.
    pub fn play(
        &self,
        threads: usize,
        sign: &Sign<'_>,
        tell: &(dyn Fn(&Done) -> Result + Sync),
    ) -> Result<u64> {
        let interrupted = self.store().resume()?;
        self.call_off(&interrupted);
        let (planned, done) = self.store().planned()?;
        let most = planned.len().clamp(1, threads.max(1));
        *self.agenda() = Agenda { planned, busy: HashSet::new(), done };
        let failed = Mutex::new(None);
        let work = || {
            while let Some(taken) = self.next() {
                if let Err(error) = self.play_one(taken.number, sign, tell) {
                    failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                    self.cancel.cancel();
                }
            }
        };
        thread::scope(|scope| {
            for _ in 1..most {
                // If the system provides no more threads, fewer matches are played at once.
                let _ = thread::Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
        if let Some(error) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        self.plan.games.iter().try_for_each(|game| settle(&game.game))?;
        Ok(self.agenda().done)
    }

    fn store(&self) -> MutexGuard<'_, Store> {
        // `SQLite` has rolled back the transaction of a thread that panicked.
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn agenda(&self) -> MutexGuard<'_, Agenda> {
        self.agenda.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notifies remote players that matches left unfinished by another process are aborted.
    fn call_off(&self, interrupted: &[Interrupted]) {
        thread::scope(|scope| {
            for Interrupted { id, players } in interrupted {
                let players = players.iter().filter_map(|&player| self.plan.entrants().get(player));
                for address in players.filter_map(|player| player.spec.address()) {
                    let tell = move || {
                        wait(address, &Request::Abort { id: id.clone() }, FAREWELL, &Budget::unlimited())
                    };
                    // A player that misses the message abandons the match when no more messages
                    // come.
                    let _ = thread::Builder::new().spawn_scoped(scope, tell);
                }
            }
        });
    }

    /// Returns the next match whose players are free, after waiting for one if needed. Returns
    /// `None` if no match is left, or the manager was cancelled.
    fn next(&self) -> Option<Taken<'_, 'p>> {
        let mut agenda = self.agenda();
        loop {
            if self.cancel.is_cancelled() {
                return None;
            }
            let free = agenda.planned.iter().take(AHEAD).find_map(|&number| {
                let seated = self.plan.get(number).seated.iter();
                let addresses = seated.filter_map(|&player| self.plan.entrants()[player].spec.address());
                let addresses: Vec<Address> = addresses.cloned().collect();
                let is_free = addresses.iter().all(|address| !agenda.busy.contains(address));
                is_free.then_some((number, addresses))
            });
            if let Some((number, addresses)) = free {
                agenda.planned.remove(&number);
                agenda.busy.extend(addresses.iter().cloned());
                return Some(Taken { manager: self, number, addresses });
            }
            if agenda.planned.is_empty() {
                return None;
            }
            agenda = self.freed.wait(agenda).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn play_one(&self, number: u64, sign: &Sign<'_>, tell: &(dyn Fn(&Done) -> Result + Sync)) -> Result {
        // The id is unpredictable, since a peer that knows it can send messages in the manager's
        // name.
        let id = format!("{}.{number}.{:016x}", self.plan.schedule.name, RandomState::new().hash_one(number));
        let begun = Begun { number, id: &id };
        self.store().begin(begun, now())?;
        let played = self.play_begun(begun, sign, tell);
        if played.is_err() {
            // Fails if the match is done or another process plays it, or if nothing can be written.
            // In the last case, the next run resets the match.
            let _ = self.store().take_back(begun);
        }
        played
    }

    fn play_begun(
        &self,
        begun: Begun<'_>,
        sign: &Sign<'_>,
        tell: &(dyn Fn(&Done) -> Result + Sync),
    ) -> Result {
        let (plan, Begun { number, id }) = (self.plan, begun);
        let planned = plan.get(number);
        let game = &plan.games[planned.game];
        let mut players = self.players(&planned, id)?;
        let terms = &plan.schedule.terms;
        let referee = Referee::new(&game.game).id(id).seed(planned.seed).cancelled_by(&self.cancel);
        let referee =
            terms.clocks().into_iter().fold(referee, |referee, [start, play]| referee.clocks(start, play));
        let referee = terms.nodes.into_iter().fold(referee, Referee::nodes);
        let referee = referee.grace(GRACE);
        let mut written = Ok(());
        let referee = referee.watch(|played, reports| {
            if written.is_ok() {
                written = self.write(begun, &game.game, played, reports);
                if written.is_err() {
                    self.cancel.cancel();
                }
            }
        });
        let led = referee.run(&mut players);
        drop(players);
        written?;
        let mut played = led.map_err(|error| Error::Usage(error.to_string()))?;
        let ending = match played.end {
            End::Terminal => "terminal",
            End::Stuck => "stuck",
            End::TooLong => "too long",
            _ => return self.store().take_back(begun),
        };
        for (&role, &player) in game.roles.iter().zip(planned.seated) {
            plan.entrants()[player].name.clone_into(&mut played.players[role]);
        }
        let record = Record {
            scrambled: terms.scramble
                && planned.seated.iter().any(|&player| plan.entrants()[player].spec.is_remote()),
            tournament_name_from_host: Some(plan.schedule.name.clone()),
            ..played.record(&game.game)
        };
        let ended = Ended {
            ending,
            time: now(),
            goals: &played.goals,
            faults: &played.faults,
            record: sign(&record)?,
        };
        self.store().finish(begun, &ended)?;
        let mut agenda = self.agenda();
        agenda.done += 1;
        let done = agenda.done;
        drop(agenda);
        tell(&Done {
            number,
            game: game.name.clone(),
            id: id.to_owned(),
            roles: game.roles.iter().map(|&role| game.role(role).to_owned()).collect(),
            players: game.roles.iter().map(|&role| played.players[role].clone()).collect(),
            goals: game.roles.iter().map(|&role| played.goals[role]).collect(),
            faults: game.roles.iter().map(|&role| Faults::of(&played, role)).collect(),
            ending,
            steps: played.history.depth(),
            done,
        })
    }

    /// Creates the players of a match, each with its own seed.
    fn players(&self, planned: &Planned<'_>, id: &str) -> Result<Vec<Box<dyn Player<Dynamic>>>> {
        let terms = &self.plan.schedule.terms;
        let sheet = &self.plan.games[planned.game].sheet;
        let mut luck = Stream::new(planned.seed, 1);
        let scramble = terms.scramble.then(|| luck.bits());
        let told = Told { id: id.to_owned(), scramble };
        let players = planned.seated.iter().map(|&player| {
            let spec = self.plan.entrants()[player].spec.clone();
            let spec = sheet.iter().fold(spec, Spec::with_sheet).with_told(&told);
            let spec = terms.clocks().into_iter().fold(spec, Spec::with_clocks);
            spec.build(luck.bits()).ok_or_else(|| Error::Usage(format!("`{spec}` cannot be asked")))
        });
        players.collect()
    }

    /// Stores the last step of a match.
    fn write(
        &self,
        begun: Begun<'_>,
        game: &Dynamic,
        played: &Match<Dynamic>,
        reports: &[Option<Report>],
    ) -> Result {
        let history = &played.history;
        let joint = history.joint(history.place());
        let (Some(faults), Some(&time)) = (played.faults.last(), played.times.last()) else { return Ok(()) };
        let notes = reports.iter().map(|report| report.as_ref().and_then(|report| report.note.as_deref()));
        let step = StoredStep {
            number: history.depth(),
            time,
            moves: joint.map(|joint| joint.iter().map(|&action| game.move_text(action)).collect()),
            state: game.state_text(history.state()),
            faults,
            notes: notes.collect(),
        };
        self.store().add(begun, &step)
    }
}

/// Returns the time in milliseconds since 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}

impl Done {
    /// Returns the match as a JSON object: `match`, `id`, `game`, `seats`, `ending`, `steps`, and
    /// the number of matches that are `done`. A seat has `role`, `player`, `goal`, `faults`, the
    /// first `fault` and its `fault_step`, 0 for the start.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        let seats = self.roles.iter().zip(&self.players).zip(&self.goals).zip(&self.faults);
        let seats = seats.map(|(((role, player), goal), Faults { count, first })| {
            let (step, fault) = first.clone().unzip();
            json!({ "role": role, "player": player, "goal": goal, "faults": count, "fault": fault, "fault_step": step })
        });
        json!({
            "match": self.number,
            "id": self.id,
            "game": self.game,
            "seats": seats.collect::<Vec<_>>(),
            "ending": self.ending,
            "steps": self.steps,
            "done": self.done,
        })
    }
}
