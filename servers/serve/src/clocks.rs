//! The clocks of a session: the remaining time of each role, which runs while the role has a choice
//! to make. Each move adds an increment.
//!
//! The caller passes the present time ([`Clocks::tick`]) and the roles to move ([`Clocks::wind`]),
//! so tests need not wait. At the start of a play, and after travelling in its history, clocks show
//! the remaining times of the current place. They stand until a move is chosen. Play halts when a
//! clock has run down. Rulesheets define no loss on time, so no goal value follows. A person takes
//! a move back, restarts, or plays on without clocks. At most [`MOST_ROLES`] roles have clocks,
//! which bounds the memory for each place.

use crate::problem::{Answer, Problem};
use gdl_runtime::{Dynamic, GameExt, dynamic::RoleId, game::Id};
use std::{
    collections::BTreeMap,
    fmt,
    time::{Duration, Instant},
};

/// The most roles with clocks.
const MOST_ROLES: usize = 16;
/// The longest time of a clock, and the longest increment, in seconds.
const LONGEST: f64 = 24.0 * 3600.0;
const LONGEST_INCREMENT: f64 = 3600.0;
/// A machine may think for its remaining time divided by this number, plus three quarters of its
/// increment.
const SHARE: u32 = 30;

/// The clock of a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Clock {
    /// The time at the start of a play.
    time: Duration,
    /// The time that a move adds.
    increment: Duration,
    left: Duration,
    runs: bool,
}

impl Clock {
    /// Parses minutes and the seconds that a move adds, such as `5`, `3+2` or `0.5+1`.
    ///
    /// # Errors
    /// Returns an error if the text has another form or exceeds the limits.
    fn parse(text: &str) -> Answer<Self> {
        let unfit = || {
            Problem::unfit("no_clock", format!("`{text}` is not a time for a clock"))
                .help("give minutes, and the seconds that a move adds: `5`, `3+2` or `0.5+1`, at most a day and an hour")
        };
        let (minutes, increment) = text.split_once('+').unwrap_or((text, "0"));
        let seconds = |text: &str, unit: f64, longest: f64| {
            let number = text.trim().parse::<f64>().ok().map(|number| unit * number);
            number.filter(|seconds| (0.0..=longest).contains(seconds)).map(Duration::from_secs_f64)
        };
        let time = seconds(minutes, 60.0, LONGEST).filter(|time| !time.is_zero()).ok_or_else(unfit)?;
        let increment = seconds(increment, 1.0, LONGEST_INCREMENT).ok_or_else(unfit)?;
        Ok(Self { time, increment, left: time, runs: false })
    }

    /// Returns the remaining time.
    pub(crate) fn left(&self) -> Duration {
        self.left
    }

    /// Returns whether the clock is running.
    pub(crate) fn runs(&self) -> bool {
        self.runs
    }
}

impl fmt::Display for Clock {
    /// Writes the remaining time, at least 1 ms, and the increment as `minutes+increment`:
    /// `Clock::parse` makes a clock of this text that starts with the remaining time.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let left = self.left.max(Duration::from_millis(1));
        let minutes = (left.as_secs_f64() / 60.0 * 1e5).ceil() / 1e5;
        write!(f, "{minutes}+{}", self.increment.as_secs_f64())
    }
}

/// The clocks of all roles.
#[derive(Debug, Default)]
pub(crate) struct Clocks {
    /// The clocks in role order; `None` for a role without one.
    roles: Vec<Option<Clock>>,
    /// The remaining times at each place of the history, in milliseconds.
    shown: BTreeMap<usize, Vec<u32>>,
    /// True if all clocks stand until a move is chosen.
    stand: bool,
    /// The time of the last call of [`Clocks::tick`] or [`Clocks::wind`].
    now: Option<Instant>,
}

impl Clocks {
    /// Parses clocks by role, which begin at a place of the history.
    ///
    /// # Errors
    /// Returns an error if a role does not exist or is chance, a time is invalid, or there are too
    /// many clocks.
    pub(crate) fn parse(game: &Dynamic, texts: &BTreeMap<String, String>, place: usize) -> Answer<Self> {
        if texts.len() > MOST_ROLES {
            return Err(Problem::too_large(format!("at most {MOST_ROLES} roles may have clocks")));
        }
        let mut roles: Vec<Option<Clock>> = game.roles().map(|_| None).collect();
        for (role, text) in texts {
            let role = game.parse_role(role).map_err(|error| Problem::unfit("no_role", error.to_string()))?;
            if game.chance_role() == Some(role) {
                return Err(Problem::conflict("chance", "chance takes no time"));
            }
            roles[role.index()] = Some(Clock::parse(text)?);
        }
        let mut clocks = Self { roles, shown: BTreeMap::new(), stand: true, now: None };
        clocks.note(place);
        Ok(clocks)
    }

    /// Returns the clock of a role, if it has one.
    pub(crate) fn of(&self, role: RoleId) -> Option<&Clock> {
        self.roles.get(role.index())?.as_ref()
    }

    /// Returns whether no role has a clock.
    pub(crate) fn are_none(&self) -> bool {
        self.roles.iter().all(Option::is_none)
    }

    /// Subtracts the elapsed time from the running clocks. Returns a role whose clock has run down,
    /// if any.
    pub(crate) fn tick(&mut self, now: Instant) -> Option<RoleId> {
        let passed = now.saturating_duration_since(self.now.replace(now).unwrap_or(now));
        let mut out = None;
        for (place, clock) in self.roles.iter_mut().enumerate() {
            let Some(clock) = clock.as_mut().filter(|clock| clock.runs) else { continue };
            clock.left = clock.left.saturating_sub(passed);
            if clock.left.is_zero() {
                out = out.or(Some(RoleId::from_index(place)));
            }
        }
        out
    }

    /// Starts the clocks of the given roles and stops all others. While all clocks stand, none
    /// starts.
    pub(crate) fn wind(&mut self, now: Instant, is_due: impl Fn(RoleId) -> bool) {
        self.now = Some(now);
        for (place, clock) in self.roles.iter_mut().enumerate() {
            let Some(clock) = clock else { continue };
            clock.runs = !self.stand && is_due(RoleId::from_index(place));
        }
    }

    /// Stops the clock of a role that has chosen, and adds its increment if it was running. Clocks
    /// no longer stand.
    pub(crate) fn press(&mut self, role: RoleId) {
        self.stand = false;
        if let Some(Some(clock)) = self.roles.get_mut(role.index()) {
            if clock.runs {
                clock.left += clock.increment;
            }
            clock.runs = false;
        }
    }

    /// Stores the remaining times at a place that play has reached for the first time.
    pub(crate) fn note(&mut self, place: usize) {
        let milliseconds = |clock: &Option<Clock>| {
            let left = clock.as_ref().map_or(0, |clock| clock.left.as_millis());
            u32::try_from(left).unwrap_or(u32::MAX)
        };
        if !self.are_none() {
            self.shown.insert(place, self.roles.iter().map(milliseconds).collect());
        }
    }

    /// Resets the clocks to their times at a place that play has reached. They stand until a move
    /// is chosen.
    pub(crate) fn go(&mut self, place: usize) {
        self.stand = true;
        let Some(shown) = self.shown.get(&place) else { return };
        for (clock, &left) in self.roles.iter_mut().zip(shown) {
            if let Some(clock) = clock {
                clock.left = Duration::from_millis(left.into());
            }
        }
    }

    /// Resets the clocks to the start of a play.
    pub(crate) fn restart(&mut self) {
        self.shown.clear();
        self.stand = true;
        for clock in self.roles.iter_mut().flatten() {
            clock.left = clock.time;
        }
        self.note(0);
    }

    /// Returns the time until the first running clock has run down. `None` if no clock runs.
    pub(crate) fn soonest(&self) -> Option<Duration> {
        self.roles.iter().flatten().filter(|clock| clock.runs).map(Clock::left).min()
    }

    /// Returns the time that a machine may think about a move of a role, at most half of the
    /// remaining time. Returns [`Duration::MAX`] for a role without a clock.
    pub(crate) fn allowance(&self, role: RoleId) -> Duration {
        self.of(role).map_or(Duration::MAX, |clock| {
            (clock.left / SHARE + clock.increment.mul_f64(0.75)).min(clock.left / 2)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_minutes_and_an_increment() {
        for (text, shown) in [("5", "5+0"), ("3+2", "3+2"), ("0.5+1.5", "0.5+1.5"), (" 1 + 2 ", "1+2")] {
            assert_eq!(Clock::parse(text).map(|clock| clock.to_string()).ok().as_deref(), Some(shown));
        }
        for text in ["", "0", "-1", "five", "NaN", "inf", "1+", "1+-1", "1441", "5+3601", "5+2+1"] {
            assert!(matches!(Clock::parse(text), Err(problem) if problem.code == "no_clock"), "{text}");
        }
    }
}
