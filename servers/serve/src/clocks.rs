//! The clocks of a session: the time that each role has left, which runs while it has a choice to
//! make, and grows by an increment with each move.
//!
//! They know no time of their own: who owns them tells them what time it is ([`Clocks::tick`]) and
//! whose turn it is ([`Clocks::wind`]), so tests need not wait. At the start of a play, and
//! wherever one goes in its history, they stand at what they showed there until a move is chosen.
//! Play halts once one has run down. A rulesheet knows no loss on time, so there is no goal for it:
//! a person takes a move back, begins anew, or plays on without clocks. No more than [`MOST_ROLES`]
//! roles have clocks, so what is remembered of each place stays small.

use crate::problem::{Answer, Problem};
use gdl_runtime::{Dynamic, GameExt, dynamic::RoleId, game::Id};
use std::{
    collections::BTreeMap,
    fmt,
    time::{Duration, Instant},
};

/// No more roles have clocks.
const MOST_ROLES: usize = 16;
/// The longest time of a clock, and the longest increment, in seconds.
const LONGEST: f64 = 24.0 * 3600.0;
const LONGEST_INCREMENT: f64 = 3600.0;
/// The share of its remaining time that a machine thinks, in addition to most of its increment, so
/// that it does not run out.
const SHARE: u32 = 30;

/// The clock of a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Clock {
    /// The time at the start.
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
    /// Returns an error if it is nothing of that.
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

    /// The remaining time.
    pub(crate) fn left(&self) -> Duration {
        self.left
    }

    /// Returns whether it runs.
    pub(crate) fn runs(&self) -> bool {
        self.runs
    }
}

impl fmt::Display for Clock {
    /// A clock that begins with the remaining time, however little that is.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let left = self.left.max(Duration::from_millis(1));
        let minutes = (left.as_secs_f64() / 60.0 * 1e5).ceil() / 1e5;
        write!(f, "{minutes}+{}", self.increment.as_secs_f64())
    }
}

/// The clocks of all roles.
#[derive(Debug, Default)]
pub(crate) struct Clocks {
    /// In role order; a role without one has all the time in the world.
    roles: Vec<Option<Clock>>,
    /// The remaining times at each place of the history, in milliseconds.
    shown: BTreeMap<usize, Vec<u32>>,
    /// True if they stand until a move is chosen.
    stand: bool,
    /// The present time.
    now: Option<Instant>,
}

impl Clocks {
    /// The clocks that are named by role, beginning at a place.
    ///
    /// # Errors
    /// Returns an error if there is no such role or no such time, the role is chance's, or they are
    /// too many.
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

    /// The clock of a role, if it has one.
    pub(crate) fn of(&self, role: RoleId) -> Option<&Clock> {
        self.roles.get(role.index())?.as_ref()
    }

    /// Returns whether nobody has one.
    pub(crate) fn are_none(&self) -> bool {
        self.roles.iter().all(Option::is_none)
    }

    /// Takes what went by from the clocks that run, and gives a role that has run out, if one has.
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

    /// Lets the clocks of these roles run from now on, and no others; none where they stand.
    pub(crate) fn wind(&mut self, now: Instant, is_due: impl Fn(RoleId) -> bool) {
        self.now = Some(now);
        for (place, clock) in self.roles.iter_mut().enumerate() {
            let Some(clock) = clock else { continue };
            clock.runs = !self.stand && is_due(RoleId::from_index(place));
        }
    }

    /// A role has chosen: it is given its increment if its clock ran, and clocks that stood run
    /// again.
    pub(crate) fn press(&mut self, role: RoleId) {
        self.stand = false;
        if let Some(Some(clock)) = self.roles.get_mut(role.index()) {
            if clock.runs {
                clock.left += clock.increment;
            }
            clock.runs = false;
        }
    }

    /// Play has come to a place for the first time.
    pub(crate) fn note(&mut self, place: usize) {
        let milliseconds = |clock: &Option<Clock>| {
            let left = clock.as_ref().map_or(0, |clock| clock.left.as_millis());
            u32::try_from(left).unwrap_or(u32::MAX)
        };
        if !self.are_none() {
            self.shown.insert(place, self.roles.iter().map(milliseconds).collect());
        }
    }

    /// Play has gone to a place where it was before: the clocks show what they did, and stand.
    pub(crate) fn go(&mut self, place: usize) {
        self.stand = true;
        let Some(shown) = self.shown.get(&place) else { return };
        for (clock, &left) in self.roles.iter_mut().zip(shown) {
            if let Some(clock) = clock {
                clock.left = Duration::from_millis(left.into());
            }
        }
    }

    /// Play begins anew.
    pub(crate) fn restart(&mut self) {
        self.shown.clear();
        self.stand = true;
        for clock in self.roles.iter_mut().flatten() {
            clock.left = clock.time;
        }
        self.note(0);
    }

    /// The time until the first of the running clocks has run out.
    pub(crate) fn soonest(&self) -> Option<Duration> {
        self.roles.iter().flatten().filter(|clock| clock.runs).map(Clock::left).min()
    }

    /// The time that a machine may think about a move of a role.
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
