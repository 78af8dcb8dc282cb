//! Read access to the matches of a file of results: lists of matches, and single matches with their
//! steps.
//!
//! A [`Filter`] selects the listed matches: running ones by number, then finished ones, the last
//! first, then planned ones. [`Store::list`] returns a page of them, which a [`Cursor`] continues.
//! [`Store::watch`] returns a match with its steps from a given number on, so a program that polls
//! receives only new steps. Both read a consistent snapshot of the file, and bound the size of
//! their results.
//!
//! The file is untrusted. A list and the steps of a match take at most 1 MiB at a time, except that
//! the first step is always returned. A match whose names take more than 1 MiB is an error. All
//! types serialize, and `servers/serve/schema/openapi.json` describes them.

use crate::{
    schedule::MOST_GAMES,
    store::{
        Store,
        bounds::{self, MOST_BYTES, list, too_long},
    },
};
use gdl_tools::error::Result;
use rusqlite::{OptionalExtension, Row, Transaction, named_params, params, types::ValueRef};
use serde::{Deserialize, Serialize};

/// The most matches of a list.
pub const MOST_LISTED: usize = 100;

/// The bytes counted for each item in addition to its texts.
const AROUND: usize = 128;

/// The phase of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// The match has not been started.
    Planned,
    /// The match is being played, or was when the manager ended.
    Running,
    /// The match is over.
    Done,
}

impl Phase {
    /// All phases, in the order in which [`Store::list`] returns their matches.
    const ALL: [Self; 3] = [Self::Running, Self::Done, Self::Planned];

    fn name(self) -> &'static str {
        match self {
            Self::Planned => "planned",
            Self::Running => "running",
            Self::Done => "done",
        }
    }

    /// Reads the phase from the column `state` of a row of `matches`.
    fn of(row: &Row<'_>) -> rusqlite::Result<Self> {
        let name: String = row.get("state")?;
        let known = Self::ALL.into_iter().find(|phase| phase.name() == name);
        known.ok_or(rusqlite::Error::InvalidQuery)
    }
}

/// A position in a list: the next page begins after this match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// The phase of the match.
    pub phase: Phase,
    /// The number of the match.
    pub number: u32,
}

/// The filter of listed matches. Fields that are `None` do not filter.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// The phase of the matches.
    pub phase: Option<Phase>,
    /// The name of a player who takes part.
    pub player: Option<String>,
    /// The name of the game.
    pub game: Option<String>,
    /// The match after which the list begins.
    pub after: Option<Cursor>,
}

/// A page of a list of matches.
#[derive(Clone, Debug, Default, Serialize)]
pub struct List {
    /// The matches.
    pub matches: Vec<Listed>,
    /// True if more matches follow.
    pub more: bool,
}

/// A match without its steps.
#[derive(Clone, Debug, Serialize)]
pub struct Listed {
    /// The number of the match, from 1.
    pub number: u32,
    /// The id of its current attempt, once it began.
    pub id: Option<String>,
    /// The name of the game.
    pub game: String,
    /// The repetition of the schedule, from 0.
    pub repetition: u32,
    /// The phase of the match.
    pub state: Phase,
    /// The start, in milliseconds since 1970.
    pub started: Option<i64>,
    /// The end, in milliseconds since 1970.
    pub ended: Option<i64>,
    /// `terminal`, `stuck` or `too long`; `None` before the match is over.
    pub ending: Option<String>,
    /// The number of its last step, where 0 is the start; `None` before the start is stored.
    pub last: Option<u32>,
    /// The seats in role order.
    pub seats: Vec<Seated>,
}

/// A role of a match and its player.
#[derive(Clone, Debug, Serialize)]
pub struct Seated {
    /// The role.
    pub role: String,
    /// The name of its player; `None` for chance.
    pub player: Option<String>,
    /// The goal value at the end; `None` before the match is over or if the rules give none.
    pub goal: Option<u8>,
    /// The number of illegal answers; 0 before the match is over.
    pub illegal: u32,
    /// The number of late answers; 0 before the match is over.
    pub late: u32,
    /// The number of missing answers; 0 before the match is over.
    pub missing: u32,
}

/// A match with its steps.
#[derive(Clone, Debug, Serialize)]
pub struct Watched {
    /// The match.
    #[serde(flatten)]
    pub about: Listed,
    /// The steps from the requested one on.
    pub steps: Vec<Told>,
}

/// A step of a match, or its start.
#[derive(Clone, Debug, Serialize)]
pub struct Told {
    /// The number of the step; 0 is the start.
    pub step: u32,
    /// The time of the step, in milliseconds since 1970.
    pub time: i64,
    /// The joint move that led here, in role order; `None` for the start.
    pub moves: Option<Vec<String>>,
    /// The state, as KIF; `None` if it takes more than 1 MiB.
    pub state: Option<String>,
    /// The fault of each role: empty, `TO`, `CE`, or `IL` and the answer.
    pub errors: Vec<String>,
    /// The remark on the answer of each role, if any.
    pub notes: Vec<Option<String>>,
}

/// The contents of a file of matches.
#[derive(Clone, Debug, Serialize)]
pub struct Contents {
    /// The name of the schedule.
    pub schedule: String,
    /// The games, in the order of the schedule.
    pub games: Vec<String>,
    /// The players, in the order of the schedule.
    pub players: Vec<String>,
}

/// A position of a match: a state, the step that led to it, and the rulesheet to draw it.
#[derive(Clone, Debug)]
pub struct MatchPosition {
    /// The name of the game.
    pub game: String,
    /// The rulesheet of the game.
    pub rulesheet: String,
    /// The state, as KIF.
    pub state: String,
    /// The joint move that led to it; `None` for the start.
    pub moves: Option<Vec<String>>,
    /// The previous state, as KIF; `None` for the start.
    pub before: Option<String>,
}

/// The number of bytes that are left of [`MOST_BYTES`]; `None` before the first item.
struct Room(Option<usize>);

impl Room {
    /// Takes `bytes` bytes and returns whether they fit; the first item always does.
    fn takes(&mut self, bytes: usize) -> bool {
        let left = self.0.map_or(Some(MOST_BYTES.saturating_sub(bytes)), |left| left.checked_sub(bytes));
        self.0 = Some(left.unwrap_or(0));
        left.is_some()
    }
}

impl Store {
    /// Returns the schedule, games and players of the file.
    ///
    /// # Errors
    /// Returns an error if the file is damaged.
    pub fn contents(&self) -> Result<Contents> {
        let games = "SELECT name FROM games ORDER BY number";
        let games = self.attempt(|connection| bounds::names(connection, games, MOST_GAMES))?;
        Ok(Contents { schedule: self.name()?, games, players: self.players()? })
    }

    /// Returns a page of the selected matches: [`MOST_LISTED`], or fewer if their texts exceed 1
    /// MiB.
    ///
    /// # Errors
    /// Returns an error if the file is damaged.
    pub fn list(&self, filter: &Filter) -> Result<List> {
        self.at_once(|file| {
            let (mut list, mut room) = (List::default(), Room(None));
            let begins = |phase: &Phase| filter.after.is_none_or(|after| after.phase == *phase);
            let phases = Phase::ALL.into_iter().skip_while(|phase| !begins(phase));
            for phase in phases.filter(|phase| filter.phase.is_none_or(|only| only == *phase)) {
                let after = filter.after.filter(|after| after.phase == phase).map(|after| after.number);
                let is_last_first = phase == Phase::Done;
                let order = if is_last_first { "DESC" } else { "ASC" };
                let mut rows = file.prepare_cached(&format!(
                    "{ABOUT} WHERE state = :state AND m.number > :above AND m.number < :below \
                     AND (:game IS NULL OR m.game = (SELECT number FROM games WHERE name = :game)) \
                     AND (:player IS NULL OR EXISTS (SELECT 1 FROM seats WHERE match = m.number \
                          AND player = (SELECT number FROM players WHERE name = :player))) \
                     ORDER BY m.number {order}"
                ))?;
                let mut rows = rows.query(named_params! {
                    ":state": phase.name(),
                    ":above": after.filter(|_| !is_last_first).unwrap_or(0),
                    ":below": after.filter(|_| is_last_first).unwrap_or(u32::MAX),
                    ":game": filter.game,
                    ":player": filter.player,
                })?;
                while let Some(row) = rows.next()? {
                    let listed = Listed::of(file, row)?;
                    list.more = list.matches.len() == MOST_LISTED || !room.takes(listed.bytes());
                    if list.more {
                        return Ok(list);
                    }
                    list.matches.push(listed);
                }
            }
            Ok(list)
        })
    }

    /// Returns a match with its steps from number `from` on: as many as `MOST_BYTES` allow, and
    /// at least one. Returns `None` if there is no such match.
    ///
    /// # Errors
    /// Returns an error if the file is damaged.
    pub fn watch(&self, number: u32, from: u32) -> Result<Option<Watched>> {
        self.at_once(|file| {
            let about = file.query_row(&format!("{ABOUT} WHERE m.number = ?"), [number], |row| Listed::of(file, row));
            let Some(about) = about.optional()? else { return Ok(None) };
            let mut rows = file.prepare_cached(
                "SELECT step, time, moves, iif(octet_length(state) <= ?3, state, NULL) AS state, errors, notes \
                 FROM steps WHERE match = ?1 AND step >= ?2 ORDER BY step",
            )?;
            let mut rows = rows.query(params![number, from, MOST_BYTES as i64])?;
            let (mut steps, mut room) = (Vec::new(), Room(None));
            while let Some(row) = rows.next()? {
                let length = |column: &str| match row.get_ref(column)? {
                    ValueRef::Text(text) => Ok::<usize, rusqlite::Error>(text.len()),
                    _ => Ok(0),
                };
                if !room.takes(AROUND + length("state")? + length("moves")? + length("errors")? + length("notes")?) {
                    break;
                }
                steps.push(Told {
                    step: row.get("step")?,
                    time: row.get("time")?,
                    moves: list(row, "moves")?,
                    state: row.get("state")?,
                    errors: list(row, "errors")?.unwrap_or_default(),
                    notes: list(row, "notes")?.unwrap_or_default(),
                });
            }
            Ok(Some(Watched { about, steps }))
        })
    }

    /// Returns a position of a match. Returns `None` if there is no such step.
    ///
    /// # Errors
    /// Returns an error if the file is damaged.
    pub fn position(&self, number: u32, step: u32) -> Result<Option<MatchPosition>> {
        self.attempt(|connection| {
            let position = "SELECT name, rulesheet, s.state, s.moves, b.state AS before FROM steps s \
                JOIN matches m ON m.number = s.match JOIN games g ON g.number = m.game \
                LEFT JOIN steps b ON b.match = s.match AND b.step = s.step - 1 WHERE s.match = ? AND s.step = ?";
            let position = connection.query_row(position, params![number, step], |row| {
                Ok(MatchPosition {
                    game: row.get("name")?,
                    rulesheet: row.get("rulesheet")?,
                    state: row.get("state")?,
                    moves: list(row, "moves")?,
                    before: row.get("before")?,
                })
            });
            position.optional()
        })
    }

    /// Runs `look` in one read transaction, so that it sees a consistent snapshot.
    fn at_once<T>(&self, look: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>) -> Result<T> {
        self.attempt(|connection| look(&connection.unchecked_transaction()?))
    }
}

/// The query of a match without its seats.
const ABOUT: &str = "SELECT m.number AS number, id, name AS game, roles, repetition, state, started, ended, ending, \
    (SELECT max(step) FROM steps WHERE match = m.number) AS last FROM matches m JOIN games g ON g.number = m.game";

impl Listed {
    fn of(file: &Transaction<'_>, row: &Row<'_>) -> rusqlite::Result<Self> {
        let number = row.get("number")?;
        let mut listed = Self {
            number,
            id: row.get("id")?,
            game: row.get("game")?,
            repetition: row.get("repetition")?,
            state: Phase::of(row)?,
            started: row.get("started")?,
            ended: row.get("ended")?,
            ending: row.get("ending")?,
            last: row.get("last")?,
            seats: Vec::new(),
        };
        let roles: Vec<String> = list(row, "roles")?.unwrap_or_default();
        let mut seats = file.prepare_cached(
            "SELECT role, name, goal, illegal, late, missing FROM seats LEFT JOIN players ON number = player \
             WHERE match = ? ORDER BY role",
        )?;
        let mut seats = seats.query([number])?;
        let mut bytes = listed.bytes();
        while bytes <= MOST_BYTES
            && let Some(row) = seats.next()?
        {
            let seated = Seated::of(row, &roles)?;
            bytes += seated.bytes();
            listed.seats.push(seated);
        }
        if bytes > MOST_BYTES {
            return Err(too_long(&format!("names of match {number}, in bytes,"), MOST_BYTES));
        }
        Ok(listed)
    }

    fn bytes(&self) -> usize {
        let texts = [&self.id, &self.ending].into_iter().flatten().map(String::len).sum::<usize>();
        AROUND + self.game.len() + texts + self.seats.iter().map(Seated::bytes).sum::<usize>()
    }
}

impl Seated {
    fn of(row: &Row<'_>, roles: &[String]) -> rusqlite::Result<Self> {
        let role: u32 = row.get("role")?;
        Ok(Self {
            role: roles.get(role as usize).cloned().unwrap_or_default(),
            player: row.get("name")?,
            goal: row.get("goal")?,
            illegal: row.get("illegal")?,
            late: row.get("late")?,
            missing: row.get("missing")?,
        })
    }

    fn bytes(&self) -> usize {
        AROUND + self.role.len() + self.player.as_ref().map_or(0, String::len)
    }
}
