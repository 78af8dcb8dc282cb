//! Results in `SQLite`: a plan becomes a file with a row for each match, to which each step is
//! added when it is made.
//!
//! A [`Store`] is an open file. One process at a time may play (`store/lock`); others may read it
//! meanwhile (write-ahead log). A file is created atomically. Written data survives a crash of the
//! process. The end of a match also survives a crash of the machine.
//!
//! A match is planned, running or done. A match that was running when its process died is played
//! again from its start. A match that is done is never played again. Each attempt has a new random
//! id, and each change names the id of its attempt. So a process cannot change a match that another
//! process has started again.
//!
//! Before a file is opened, its first bytes are checked for results of this version
//! (`store/header`). A file of another kind is never changed. The size of all that is read is
//! bounded (`store/bounds`).
//!
//! The tables are described in `docs/how-to/tournaments.md`; [`Store::VERSION`] changes with them.

pub(crate) mod bounds;
mod header;
mod lock;

use crate::{plan::Plan, schedule::MOST_PLAYERS};
use bounds::{MOST_BYTES, MOST_SEATS, too_long};
use gdl_players::referee::Fault;
use gdl_runtime::{Cancel, Game};
use gdl_tools::error::{Error, Result};
use header::{APPLICATION, Header};
use lock::lock;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior, params};
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    ffi::c_int,
    fmt,
    fs::File,
    io,
    path::{Path, PathBuf},
    time::Duration,
};
use tempfile::Builder;

/// The longest wait for a lock of the file that another process holds.
const PATIENCE: Duration = Duration::from_secs(10);

/// The number of `SQLite` instructions between two checks for cancellation.
const UNSEEN: c_int = 10_000;

/// The SQL that creates the tables.
const TABLES: &str = include_str!("store/tables.sql");

/// A file of results.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    connection: Connection,
    /// The lock that keeps other processes from playing the same file; `None` for readers.
    _lock: Option<File>,
}

/// A match that was running when its process died: its id, and its players.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Interrupted {
    pub(crate) id: String,
    pub(crate) players: Vec<usize>,
}

/// A match that this process plays: its number, and the id of this attempt.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Begun<'b> {
    pub(crate) number: u64,
    pub(crate) id: &'b str,
}

/// A step of a match, or its start.
#[derive(Debug)]
pub(crate) struct StoredStep<'s> {
    /// The number of the step; 0 is the start.
    pub(crate) number: usize,
    /// The time in milliseconds since 1970.
    pub(crate) time: u64,
    /// The joint move that led to the state; `None` for the start.
    pub(crate) moves: Option<Vec<&'s str>>,
    /// The state, as KIF text.
    pub(crate) state: String,
    /// The fault of each role, if any.
    pub(crate) faults: &'s [Option<Fault>],
    /// The remark on the answer of each role, if any.
    pub(crate) notes: Vec<Option<&'s str>>,
}

/// The end of a match and its results.
#[derive(Debug)]
pub(crate) struct Ended<'e> {
    /// `terminal`, `stuck` or `too long`.
    pub(crate) ending: &'static str,
    /// The time in milliseconds since 1970.
    pub(crate) time: u64,
    /// The goal of each role.
    pub(crate) goals: &'e [Option<u8>],
    /// The faults of each role, in the start phase and in each step.
    pub(crate) faults: &'e [Vec<Option<Fault>>],
    /// The record as JSON.
    pub(crate) record: String,
}

/// The result of a player in a match: the player's index, its goal value if the rules give one, and
/// the number of its faults of each kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SeatResult {
    pub(crate) player: usize,
    pub(crate) goal: Option<u8>,
    pub(crate) illegal: u64,
    pub(crate) late: u64,
    pub(crate) missing: u64,
}

impl Store {
    /// The version of the tables.
    pub const VERSION: u32 = 1;

    /// Opens a file of results to play its unfinished matches, or creates one.
    ///
    /// # Errors
    /// Returns an error if another process plays the file, or the file cannot be written. It is
    /// also an error if the file holds another schedule, another version or no results.
    pub fn play(path: &Path, plan: &Plan) -> Result<Self> {
        if Header::read(path)?.is_none() {
            create(path, plan)?;
        }
        let store = Self::open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        store.compare(plan)?;
        store.keep_log()?;
        let lock = lock(path)?;
        // Data that this process writes has no bound.
        store.attempt(bounds::unbound)?;
        Ok(Self { _lock: Some(lock), ..store })
    }

    /// Opens a file of results to read it.
    ///
    /// # Errors
    /// Returns an error if the file does not exist, has another version, or holds no results.
    pub fn read(path: &Path) -> Result<Self> {
        Self::open(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
    }

    /// Makes later reads fail once `cancel` is cancelled.
    ///
    /// # Errors
    /// Returns an error if `SQLite` cannot install the handler.
    pub fn cancelled_by(mut self, cancel: &Cancel) -> Result<Self> {
        let cancel = cancel.clone();
        let set = self.connection.progress_handler(UNSEEN, Some(move || cancel.is_cancelled()));
        set.map_err(|error| failure(&self.path, &error))?;
        Ok(self)
    }

    fn open(path: &Path, flags: OpenFlags) -> Result<Self> {
        Header::read(path)?.ok_or_else(|| failure(path, &"there is no such file"))?.check(path)?;
        let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(|error| failure(path, &error))?;
        let store = Self { path: path.to_owned(), connection, _lock: None };
        // The file is untrusted: its schema must run no code, and must have no views, which might
        // never end.
        let others = store.attempt(|connection| {
            connection.busy_timeout(PATIENCE)?;
            bounds::bound(connection)?;
            connection.pragma_update(None, "trusted_schema", false)?;
            let others = "SELECT count(*) FROM sqlite_schema WHERE type NOT IN ('table', 'index')";
            connection.query_row(others, [], |row| row.get::<_, u32>(0))
        })?;
        let none_of_ours =
            || failure(path, &"this file contains more than tables, so it is not from `gdl manage`");
        (others == 0).then_some(store).ok_or_else(none_of_ours)
    }

    /// Switches to a write-ahead log. If the machine fails, the last steps may be lost. If a step
    /// is lost, so are all later ones.
    fn keep_log(&self) -> Result {
        let mode = self.attempt(|connection| {
            connection.pragma_update(None, "synchronous", "normal")?;
            let log = connection
                .pragma_update_and_check(None, "journal_mode", "wal", |row| row.get::<_, String>(0))?;
            // `SQLite` opens the log at the first read.
            connection.query_row("SELECT count(*) FROM meta", [], |_| Ok(log))
        })?;
        let none = || {
            failure(
                &self.path,
                &"SQLite can keep no write-ahead log here\n  = help: name a file on a local disk",
            )
        };
        (mode == "wal").then_some(()).ok_or_else(none)
    }

    /// Runs `work` on the connection; errors contain the name of the file.
    pub(crate) fn attempt<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        work(&self.connection).map_err(|error| failure(&self.path, &error))
    }

    /// Runs `work` in a transaction.
    fn change<T>(&self, work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>) -> Result<T> {
        self.attempt(|connection| {
            let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
            let done = work(&transaction)?;
            transaction.commit()?;
            Ok(done)
        })
    }

    /// Checks that the file has the results of this plan.
    fn compare(&self, plan: &Plan) -> Result {
        for (part, value) in plan.parts() {
            let expected = value.to_string();
            if self.meta(part)? != expected {
                let name = plan.schedule.source.name();
                let message = format!(
                    "these are results of another schedule: its {part} are not those of {name}\n  = help: name \
                     another file, or undo the change"
                );
                return Err(failure(&self.path, &message));
            }
        }
        Ok(())
    }

    fn meta(&self, key: &str) -> Result<String> {
        self.attempt(|connection| {
            connection.query_row("SELECT value FROM meta WHERE key = ?", [key], |row| row.get(0))
        })
    }

    /// Returns the name of the schedule.
    pub(crate) fn name(&self) -> Result<String> {
        let name = self.meta("name")?;
        let too_long = || failure(&self.path, &too_long("a name, in bytes,", MOST_BYTES));
        (name.len() <= MOST_BYTES).then_some(name).ok_or_else(too_long)
    }

    /// Resets matches that were running when their process died. The lock ensures that none is
    /// running.
    pub(crate) fn resume(&self) -> Result<Vec<Interrupted>> {
        let running: Vec<(u32, String)> = self.attempt(|connection| {
            let mut running =
                connection.prepare("SELECT number, coalesce(id, '') FROM matches WHERE state = 'running'")?;
            running.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        })?;
        let mut interrupted = Vec::new();
        for (number, id) in running {
            let players: Vec<u32> = self.attempt(|connection| {
                let mut seats = connection
                    .prepare_cached("SELECT player FROM seats WHERE match = ? AND player IS NOT NULL")?;
                seats.query_map([number], |row| row.get(0))?.collect()
            })?;
            self.take_back(Begun { number: number.into(), id: &id })?;
            let players = players.into_iter().map(|player| player as usize).collect();
            interrupted.push(Interrupted { id, players });
        }
        Ok(interrupted)
    }

    /// Deletes the steps of an unfinished match, so that it is planned again.
    ///
    /// # Errors
    /// Returns an error if another process plays the match now, or the file cannot be changed.
    pub(crate) fn take_back(&self, begun: Begun<'_>) -> Result {
        let taken = self.change(|transaction| {
            let back = "UPDATE matches SET state = 'planned', id = NULL, started = NULL \
                WHERE number = ?1 AND coalesce(id, '') = ?2 AND state = 'running'";
            let taken = transaction.prepare_cached(back)?.execute(params![begun.number as i64, begun.id])?;
            if taken == 1 {
                let steps = "DELETE FROM steps WHERE match = ?";
                transaction.prepare_cached(steps)?.execute([begun.number as i64])?;
            }
            Ok(taken)
        })?;
        self.has_changed(begun, taken)
    }

    /// Returns an error if no row changed, since another process plays the match now.
    fn has_changed(&self, begun: Begun<'_>, rows: usize) -> Result {
        let lost = || failure(&self.path, &format!("another process plays match {} now", begun.number));
        (rows == 1).then_some(()).ok_or_else(lost)
    }

    /// Returns the numbers of the planned matches, and how many are done.
    pub(crate) fn planned(&self) -> Result<(BTreeSet<u64>, u64)> {
        self.attempt(|connection| {
            let mut planned = connection.prepare("SELECT number FROM matches WHERE state = 'planned'")?;
            let planned: rusqlite::Result<BTreeSet<u64>> =
                planned.query_map([], |row| Ok(u64::from(row.get::<_, u32>(0)?)))?.collect();
            let done = "SELECT count(*) FROM matches WHERE state = 'done'";
            let done: u32 = connection.query_row(done, [], |row| row.get(0))?;
            Ok((planned?, u64::from(done)))
        })
    }

    /// Marks a planned match as running.
    pub(crate) fn begin(&self, begun: Begun<'_>, time: u64) -> Result {
        let Begun { number, id } = begun;
        let rows = self.attempt(|connection| {
            let begin = "UPDATE matches SET state = 'running', id = ?2, started = ?3 \
                WHERE number = ?1 AND state = 'planned'";
            connection.prepare_cached(begin)?.execute(params![number as i64, id, time as i64])
        })?;
        let not_planned = || failure(&self.path, &format!("match {number} is not planned"));
        (rows == 1).then_some(()).ok_or_else(not_planned)
    }

    /// Adds a step to a match.
    ///
    /// # Errors
    /// Returns an error if another process plays the match now, or the file cannot be changed.
    pub(crate) fn add(&self, begun: Begun<'_>, step: &StoredStep<'_>) -> Result {
        let texts =
            |faults: &[Option<Fault>]| -> Value { faults.iter().map(Option::as_ref).map(text_of).collect() };
        let added = self.attempt(|connection| {
            let add = "INSERT INTO steps (match, step, time, moves, state, errors, notes) \
                SELECT number, ?3, ?4, ?5, ?6, ?7, ?8 FROM matches \
                WHERE number = ?1 AND id = ?2 AND state = 'running'";
            connection.prepare_cached(add)?.execute(params![
                begun.number as i64,
                begun.id,
                step.number as i64,
                step.time as i64,
                step.moves.as_ref().map(|moves| json!(moves).to_string()),
                step.state,
                texts(step.faults).to_string(),
                json!(step.notes).to_string(),
            ])
        })?;
        self.has_changed(begun, added)
    }

    /// Stores the end of a match and its results, and syncs the file to the disk.
    ///
    /// # Errors
    /// Returns an error if another process plays the match now, or the file cannot be changed.
    pub(crate) fn finish(&self, begun: Begun<'_>, ended: &Ended<'_>) -> Result {
        self.attempt(|connection| connection.pragma_update(None, "synchronous", "full"))?;
        let finished = self.change(|transaction| finish(transaction, begun, ended));
        self.attempt(|connection| connection.pragma_update(None, "synchronous", "normal"))?;
        self.has_changed(begun, finished?)
    }

    /// Returns the names of the players, in the order of the schedule.
    pub(crate) fn players(&self) -> Result<Vec<String>> {
        let players = "SELECT name FROM players ORDER BY number";
        self.attempt(|connection| bounds::names(connection, players, MOST_PLAYERS))
    }

    /// Returns the numbers of planned, running and finished matches.
    pub(crate) fn counts(&self) -> Result<[u64; 3]> {
        let count = "SELECT count(*) FROM matches WHERE state = ?";
        self.attempt(|connection| {
            let mut count = connection.prepare(count)?;
            let mut count = |state: &str| count.query_row([state], |row| row.get::<_, u32>(0)).map(u64::from);
            Ok([count("planned")?, count("running")?, count("done")?])
        })
    }

    /// Passes each finished match to `take`: true if it reached a terminal state, and its players
    /// in role order.
    pub(crate) fn results(&self, mut take: impl FnMut(bool, &[SeatResult])) -> Result {
        self.attempt(|connection| {
            let results = "SELECT match, ending = 'terminal', player, goal, illegal, late, missing FROM seats \
                JOIN matches ON number = match WHERE state = 'done' AND player IS NOT NULL ORDER BY match, role";
            let mut results = connection.prepare(results)?;
            let mut rows = results.query([])?;
            let mut current: Option<(i64, bool)> = None;
            let mut seats: Vec<SeatResult> = Vec::new();
            while let Some(row) = rows.next()? {
                let number = row.get(0)?;
                if let Some((_, is_over)) = current.filter(|&(before, _)| before != number) {
                    take(is_over, &seats);
                    seats.clear();
                }
                current = Some((number, row.get(1)?));
                if seats.len() == MOST_SEATS {
                    return Err(too_long("a number of seats", MOST_SEATS));
                }
                seats.push(SeatResult {
                    player: row.get::<_, u32>(2)? as usize,
                    goal: row.get(3)?,
                    illegal: row.get::<_, u32>(4)?.into(),
                    late: row.get::<_, u32>(5)?.into(),
                    missing: row.get::<_, u32>(6)?.into(),
                });
            }
            if let Some((_, is_over)) = current {
                take(is_over, &seats);
            }
            Ok(())
        })
    }

    /// Passes each finished match to `take`: its number, its game and its record.
    ///
    /// # Errors
    /// Returns an error if the file is damaged, or `take` fails.
    pub fn records(&self, mut take: impl FnMut(u64, &str, &str) -> Result) -> Result {
        let mut taken = Ok(());
        let records = "SELECT matches.number, name, record FROM matches JOIN games ON games.number = game \
            WHERE state = 'done' ORDER BY matches.number";
        let mut read = |connection: &Connection| {
            let mut records = connection.prepare(records)?;
            let mut rows = records.query([])?;
            while let Some(row) = rows.next()? {
                let (number, name, record): (u32, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
                taken = take(u64::from(number), &name, &record);
                if taken.is_err() {
                    break;
                }
            }
            Ok(())
        };
        // Records are read one at a time, so their total length needs no bound.
        self.attempt(|connection| bounds::unbounded(connection, &mut read))?;
        taken
    }
}

/// Stores the end of a match and the results of its seats. Returns the number of changed matches.
fn finish(transaction: &Transaction<'_>, begun: Begun<'_>, ended: &Ended<'_>) -> rusqlite::Result<usize> {
    let number = begun.number as i64;
    let finish = "UPDATE matches SET state = 'done', ended = ?3, ending = ?4, record = ?5 \
        WHERE number = ?1 AND id = ?2 AND state = 'running'";
    let time = ended.time as i64;
    let finished = transaction.prepare_cached(finish)?.execute(params![
        number,
        begun.id,
        time,
        ended.ending,
        ended.record
    ])?;
    if finished != 1 {
        return Ok(finished);
    }
    let mut seat = transaction.prepare_cached(
        "UPDATE seats SET goal = ?3, illegal = ?4, late = ?5, missing = ?6 WHERE match = ?1 AND role = ?2",
    )?;
    for (role, goal) in ended.goals.iter().enumerate() {
        let faults = || ended.faults.iter().filter_map(|step| step[role].as_ref());
        let count = |is: fn(&Fault) -> bool| faults().filter(|&fault| is(fault)).count() as i64;
        seat.execute(params![
            number,
            role as i64,
            goal,
            count(|fault| matches!(fault, Fault::Illegal(_))),
            count(|fault| *fault == Fault::Late),
            count(|fault| *fault == Fault::Gone),
        ])?;
    }
    Ok(finished)
}

/// Returns a fault as records write it; empty if there is none.
fn text_of(fault: Option<&Fault>) -> String {
    fault.map_or_else(String::new, Fault::to_string)
}

/// Creates an error that names the file.
fn failure(path: &Path, what: &dyn fmt::Display) -> Error {
    Error::Input(format!("{}: {what}", path.display()))
}

/// Creates a file of results for a plan. It is written under a temporary name and then renamed. A
/// file that another process created meanwhile is left unchanged.
fn create(path: &Path, plan: &Plan) -> Result {
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".");
    let part = Builder::new().prefix(&name).suffix(".part").make_in(folder, |part| File::create_new(part));
    let part = part.map_err(|error| failure(path, &error))?.into_temp_path();
    write(&part, plan).map_err(|error| failure(path, &error))?;
    match part.persist_noclobber(path) {
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        persisted => persisted.map_err(|error| failure(path, &error.error)),
    }
}

/// Writes a plan to an empty file.
fn write(part: &Path, plan: &Plan) -> rusqlite::Result<()> {
    let mut connection = Connection::open(part)?;
    connection.pragma_update(None, "application_id", APPLICATION)?;
    connection.pragma_update(None, "user_version", Store::VERSION)?;
    let transaction = connection.transaction()?;
    transaction.execute_batch(TABLES)?;
    fill(&transaction, plan)?;
    transaction.commit()?;
    // Switching to a write-ahead log needs an exclusive lock. If several processes switched later,
    // at most one of them would get this lock.
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.close().map_err(|(_, error)| error)
}

fn fill(transaction: &Transaction<'_>, plan: &Plan) -> rusqlite::Result<()> {
    let mut meta = transaction.prepare("INSERT INTO meta (key, value) VALUES (?, ?)")?;
    meta.execute(["gdl", env!("CARGO_PKG_VERSION")])?;
    meta.execute(["name", &plan.schedule.name])?;
    meta.execute(["schedule", plan.schedule.source.text()])?;
    for (part, value) in plan.parts() {
        meta.execute([part, &value.to_string()])?;
    }
    let mut games = transaction.prepare(
        "INSERT INTO games (number, name, fingerprint, rulesheet, roles) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for (number, game) in plan.games.iter().enumerate() {
        let roles: Value = game.game.vocabulary().roles().iter().collect();
        games.execute(params![
            number as i64,
            game.name,
            game.fingerprint,
            game.source.text(),
            roles.to_string()
        ])?;
    }
    let mut players = transaction.prepare("INSERT INTO players (number, name, spec) VALUES (?1, ?2, ?3)")?;
    for (number, player) in plan.entrants().iter().enumerate() {
        players.execute(params![number as i64, player.name, player.spec.to_string()])?;
    }
    let mut matches = transaction
        .prepare("INSERT INTO matches (number, game, repetition, seed) VALUES (?1, ?2, ?3, ?4)")?;
    let mut seats = transaction.prepare("INSERT INTO seats (match, role, player) VALUES (?1, ?2, ?3)")?;
    for number in 1..=plan.matches() {
        let planned = plan.get(number);
        let number = number as i64;
        let repetition = planned.repetition as i64;
        matches.execute(params![number, planned.game as i64, repetition, planned.seed as i64])?;
        let game = &plan.games[planned.game];
        for role in 0..game.game.shape().roles {
            let seat = game.roles.iter().position(|&played| played == role);
            let player = seat.map(|seat| planned.seated[seat] as i64);
            seats.execute(params![number, role as i64, player])?;
        }
    }
    Ok(())
}
