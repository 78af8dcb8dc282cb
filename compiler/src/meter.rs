//! The remaining budget of a phase: steps, which stand for time, and bytes.
//!
//! A [`Meter`] is created from the [`Limits`] and the [`Observer`] of a compilation. A phase
//! charges its meter before it works or allocates memory. If the meter returns `None`, the phase
//! ends by `?`, and [`Meter::stop`] returns the reason. So no rulesheet makes a phase exceed its
//! budget by more than a constant factor. A step is about ten nanoseconds of work.
//!
//! Optional work gets a [share](Meter::share) of the meter, and is left out if that is too small.
//! [`Meter::settle`] adds the unused steps of a share to the meter again. No clock is read, so a
//! rulesheet stops at the same place on every machine, unless the caller cancels.

use crate::{
    Limits, Options,
    observer::{Observer, Phase, Progress},
};
use std::fmt;

/// The reason why a phase stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The steps are used up.
    Fuel,
    /// The bytes in use would exceed the limit.
    Bytes,
    /// The caller cancelled, after this progress of the phase.
    Cancelled(Progress),
}

/// An optional part of a compilation that was left out, since it would have exceeded its budget.
/// The game is the same without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Omission {
    /// The part that was left out, such as a pass.
    pub part: &'static str,
    /// The reason: its share of the steps or of the bytes was too small.
    pub stop: Stop,
}

/// The remaining steps and bytes of a phase.
///
/// The phase reports to the [`Observer`] of the compilation every [`INTERVAL`] steps. If the
/// observer cancels, no steps are left.
#[derive(Clone, Debug)]
pub struct Meter {
    /// The number of steps left until the next report.
    near: u64,
    /// The number of steps left after the next report.
    far: u64,
    /// The sum of the steps left and taken, including those taken before this meter was created.
    all: u64,
    /// The number of bytes in use, at most `most`.
    held: usize,
    most: usize,
    progress: Progress,
    observer: Observer,
    stop: Option<Stop>,
    omissions: Vec<Omission>,
}

/// The number of steps between two reports of a phase: about 0.3 milliseconds of work.
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
    /// Creates a meter without steps.
    fn default() -> Self {
        Self::of(0)
    }
}

impl Meter {
    /// Creates a meter of `steps` steps and any number of bytes, without an observer.
    #[must_use]
    pub fn of(steps: u64) -> Self {
        let limits = Limits { fuel: steps, max_bytes: usize::MAX, ..Limits::default() };
        // Grounding may take all the fuel.
        Self::new(&Options { limits, ..Options::default() }, Phase::Ground)
    }

    /// Creates a meter with the budget that the options give to a phase. The first call that spends
    /// steps reports to the observer.
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

    /// Subtracts steps. Returns `None` if there are not enough left.
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

    /// Subtracts steps and reports to the observer.
    fn report(&mut self, steps: u64) -> Option<()> {
        let Some(left) = self.left().checked_sub(steps) else {
            self.stop.get_or_insert(Stop::Fuel);
            return None;
        };
        self.progress.steps = self.spent();
        if self.progress.phase == Phase::Lift {
            // The unit of this phase is steps.
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

    /// Adds bytes in use, before they are allocated. Returns `None` if the limit would be exceeded.
    #[inline]
    pub fn take(&mut self, bytes: usize) -> Option<()> {
        self.hold(self.held.saturating_add(bytes))
    }

    /// Subtracts bytes that are no longer in use.
    #[inline]
    pub fn give(&mut self, bytes: usize) {
        self.held -= bytes;
    }

    /// Sets the total of bytes in use, for phases that know it from their tables. Returns `None` if
    /// it exceeds the limit.
    #[inline]
    pub fn hold(&mut self, bytes: usize) -> Option<()> {
        if bytes > self.most {
            self.stop.get_or_insert(Stop::Bytes);
            return None;
        }
        self.held = bytes;
        Some(())
    }

    /// Moves the fraction `1 / parts` of the steps left to a new meter, which may take all bytes
    /// left.
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

    /// Replaces the remaining budget. Steps taken before still count in reports, and towards the
    /// next report.
    pub(crate) fn refill(&mut self, steps: u64, bytes: usize) {
        self.all = self.spent() + steps;
        self.near = self.near.min(steps);
        self.far = steps - self.near;
        (self.held, self.most, self.stop) = (0, bytes, None);
    }

    /// Adds the unused steps of a share, whose bytes are no longer in use. Returns the reason why
    /// the share stopped, if it did. If the caller cancelled, this meter stops too.
    pub fn settle(&mut self, share: Self) -> Option<Stop> {
        self.far += share.left();
        self.progress = share.progress;
        self.omissions.extend(share.omissions);
        if let Some(Stop::Cancelled(_)) = share.stop {
            (self.near, self.far, self.stop) = (0, 0, share.stop);
        }
        share.stop
    }

    /// Does optional work within a share. Returns `None` if `work` does, or if the caller had
    /// already cancelled. If the share was too small, adds an [`Omission`].
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

    /// Sets the number of products so far, for the next report.
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

    /// The reason of the first refusal, or the cancellation if the caller cancelled. `None` if no
    /// call was refused.
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
