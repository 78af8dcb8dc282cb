//! The remaining budget of a phase: steps, which stand for time, and bytes.
//!
//! A [`Meter`] is made of the [`Limits`] and the [`Observer`] of a compilation, and grants or
//! refuses. A phase asks its meter before it does work and before it takes memory, by `?`, and ends
//! if it is refused; [`Meter::stop`] has the reason. So whatever the rulesheet, a phase takes no
//! more steps and bytes than its meter had, up to a constant factor. A step is some ten nanoseconds
//! of work.
//!
//! What may be left out gets a [share](Meter::share) of the meter, and if that is not enough, it is left out: what was
//! shared out and not used comes [back](Meter::settle). All is counted and no clock is read, so the same rulesheet stops
//! at the same place on every machine, unless the caller calls it off.

use crate::{
    Limits, Options,
    observer::{Observer, Phase, Progress},
};
use std::fmt;

/// The reason why a phase goes no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The steps are used up.
    Fuel,
    /// More bytes would be in use than may be.
    Bytes,
    /// The caller had enough; so far had the phase come.
    Cancelled(Progress),
}

/// A part of a compilation that was left out, since it would have taken more than there was for it.
/// The game is the same without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Omission {
    /// The part that was left out, such as a pass.
    pub part: &'static str,
    /// The budget that was too small.
    pub stop: Stop,
}

/// The steps and bytes that a phase has left.
///
/// Every [`INTERVAL`] steps the phase reports to the [`Observer`] of the compilation, if it has
/// one; when that has enough, no steps are left.
#[derive(Clone, Debug)]
pub struct Meter {
    /// Steps to the next report.
    near: u64,
    /// Steps after those.
    far: u64,
    /// Steps that there were in all, those taken before this meter was made included.
    all: u64,
    /// Bytes in use, and how many may be.
    held: usize,
    most: usize,
    progress: Progress,
    observer: Observer,
    stop: Option<Stop>,
    omissions: Vec<Omission>,
}

/// Steps between two reports of a phase: a few milliseconds at most.
pub const INTERVAL: u64 = 1 << 15;

impl fmt::Display for Omission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let limit = match self.stop {
            Stop::Fuel => "steps (`fuel`)",
            Stop::Bytes => "bytes (`max_bytes`)",
            Stop::Cancelled(_) => "time",
        };
        write!(f, "{} would take too many {limit}", self.part)
    }
}

impl Default for Meter {
    /// A meter of nothing.
    fn default() -> Self {
        Self::of(0)
    }
}

impl Meter {
    /// A meter of `steps` steps and any number of bytes, without an observer.
    #[must_use]
    pub fn of(steps: u64) -> Self {
        let limits = Limits { fuel: steps, max_bytes: usize::MAX, ..Limits::default() };
        // Of the phases that may take all.
        Self::new(&Options { limits, ..Options::default() }, Phase::Ground)
    }

    /// The budget that the options give to a phase. The phase reports when it first spends some.
    #[must_use]
    pub fn new(options: &Options, phase: Phase) -> Self {
        Self {
            near: 0,
            far: options.limits.fuel_of(phase),
            all: options.limits.fuel_of(phase),
            held: 0,
            most: options.limits.max_bytes,
            progress: Progress { phase, made: 0, steps: 0 },
            observer: options.observer.clone(),
            stop: None,
            omissions: Vec::new(),
        }
    }

    /// Takes steps away. Returns `None` if there are not enough left.
    #[inline]
    pub fn spend(&mut self, steps: u64) -> Option<()> {
        match self.near.checked_sub(steps) {
            Some(near) => {
                self.near = near;
                Some(())
            }
            None => self.report(steps),
        }
    }

    /// Takes steps away and reports.
    fn report(&mut self, steps: u64) -> Option<()> {
        let Some(left) = self.left().checked_sub(steps) else {
            self.stop.get_or_insert(Stop::Fuel);
            return None;
        };
        self.progress.steps = self.spent();
        if self.progress.phase == Phase::Lift {
            // What it makes is steps.
            self.progress.made = usize::try_from(self.progress.steps).unwrap_or(usize::MAX);
        }
        if self.observer.tell(self.progress).is_break() {
            (self.near, self.far) = (0, 0);
            self.stop = Some(Stop::Cancelled(self.progress));
            return None;
        }
        self.near = left.min(INTERVAL);
        self.far = left - self.near;
        Some(())
    }

    /// Counts bytes before they are taken from the system; `None` if more would be in use than may
    /// be.
    #[inline]
    pub fn take(&mut self, bytes: usize) -> Option<()> {
        self.hold(self.held.saturating_add(bytes))
    }

    /// Counts bytes no more that were taken and are not in use any more.
    #[inline]
    pub fn give(&mut self, bytes: usize) {
        self.held -= bytes;
    }

    /// Says how many bytes are in use all together, where a phase knows that from its tables;
    /// `None` if these are too many.
    #[inline]
    pub fn hold(&mut self, bytes: usize) -> Option<()> {
        if bytes > self.most {
            self.stop.get_or_insert(Stop::Bytes);
            return None;
        }
        self.held = bytes;
        Some(())
    }

    /// A meter with one part in `parts` of the steps left, which are gone from this one, and all
    /// bytes left.
    #[must_use]
    pub fn share(&mut self, parts: u64) -> Self {
        let (steps, spent) = (self.left() / parts, self.spent());
        let left = self.left() - steps;
        self.near = left.min(self.near);
        self.far = left - self.near;
        Self {
            near: 0,
            far: steps,
            all: spent + steps,
            observer: self.observer.clone(),
            stop: None,
            omissions: Vec::new(),
            ..*self
        }
    }

    /// Replaces the rest by these steps and bytes. The steps taken before count in reports, and for
    /// when the next one is due.
    pub(crate) fn refill(&mut self, steps: u64, bytes: usize) {
        self.all = self.spent() + steps;
        self.near = self.near.min(steps);
        self.far = steps - self.near;
        (self.held, self.most, self.stop) = (0, bytes, None);
    }

    /// Takes back the rest of a share, whose bytes are in use no more. Returns why it stopped, if
    /// it did; if the caller cancelled, this meter stops as well.
    pub fn settle(&mut self, share: Self) -> Option<Stop> {
        self.far += share.left();
        self.progress = share.progress;
        self.omissions.extend(share.omissions);
        if let Some(Stop::Cancelled(_)) = share.stop {
            (self.near, self.far, self.stop) = (0, 0, share.stop);
        }
        share.stop
    }

    /// Does optional work within a share. Returns `None` if the share is not enough, which is
    /// noted, or if there is nothing to gain.
    pub fn attempt<T>(
        &mut self,
        part: &'static str,
        parts: u64,
        work: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<T> {
        if self.cancelled().is_some() {
            return None;
        }
        let mut share = self.share(parts);
        let done = work(&mut share);
        match self.settle(share) {
            Some(stop @ (Stop::Fuel | Stop::Bytes)) if done.is_none() => {
                self.omissions.push(Omission { part, stop });
                None
            }
            _ => done,
        }
    }

    /// The parts left out so far, in order.
    #[must_use]
    pub fn omissions(&self) -> &[Omission] {
        &self.omissions
    }

    /// Notes what the phase has made so far, for its next report.
    pub fn note(&mut self, made: usize) {
        self.progress.made = made;
    }

    /// The number of steps left.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.near + self.far
    }

    /// The number of steps taken.
    #[must_use]
    pub fn spent(&self) -> u64 {
        self.all - self.left()
    }

    /// The number of bytes that may still be taken.
    #[must_use]
    pub fn room(&self) -> usize {
        self.most - self.held
    }

    /// The reason of the last refusal, if there was one.
    #[must_use]
    pub fn stop(&self) -> Option<Stop> {
        self.stop
    }

    /// The progress of the phase, if the caller cancelled.
    #[must_use]
    pub fn cancelled(&self) -> Option<Progress> {
        match self.stop {
            Some(Stop::Cancelled(progress)) => Some(progress),
            _ => None,
        }
    }
}
