//! Progress on the terminal. Shows nothing if stderr is not a terminal.

use crate::output::thousands;
use gdl_compiler::{Observer, observer};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::{
    io::{self, IsTerminal},
    ops::ControlFlow,
    time::{Duration, Instant},
};

/// The progress bar of long work, which disappears when dropped.
pub struct Progress {
    bar: ProgressBar,
    /// The noun of the counted items, in the plural.
    what: &'static str,
    start: Instant,
    /// True if the bar shows the elapsed time; otherwise it shows the number done.
    by_clock: bool,
}

impl Progress {
    /// Creates the progress of work that ends after `total` items.
    #[must_use]
    pub fn counted(what: &'static str, total: u64) -> Self {
        Self::new(what, total, false)
    }

    /// Creates the progress of work that ends after `seconds`.
    #[must_use]
    pub fn timed(what: &'static str, seconds: f64) -> Self {
        let time = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        Self::new(what, u64::try_from(time.as_millis()).unwrap_or(u64::MAX), true)
    }

    fn new(what: &'static str, total: u64, by_clock: bool) -> Self {
        let bar = bar(Some(total), "{bar:40.cyan/dim} {percent:>3} %  {msg}");
        Self { bar, what, start: Instant::now(), by_clock }
    }

    /// Returns whether the bar is visible. Otherwise [`Progress::tell`] has no effect.
    #[must_use]
    pub fn is_shown(&self) -> bool {
        !self.bar.is_hidden()
    }

    /// Hides the bar while `write` writes to the terminal.
    pub fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }

    /// Sets the number of items done.
    pub fn tell(&self, done: u64) {
        let time = self.start.elapsed();
        let place = if self.by_clock { u64::try_from(time.as_millis()).unwrap_or(u64::MAX) } else { done };
        let rate = done as f64 / time.as_secs_f64().max(f64::MIN_POSITIVE);
        self.bar.set_message(format!(
            "{} {}, {}/s",
            thousands(done),
            self.what,
            crate::output::rounded(rate)
        ));
        self.bar.set_position(place.min(self.bar.length().unwrap_or(place)));
    }
}

/// Creates a bar, or a line if `total` is `None`. It is hidden unless stderr is a terminal.
fn bar(total: Option<u64>, template: &str) -> ProgressBar {
    let shown = io::stderr().is_terminal();
    let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let style = ProgressStyle::with_template(template).expect("the template is right");
    ProgressBar::with_draw_target(total, target).with_style(style.progress_chars("━━─"))
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// The progress line of the compiler, shown after half a second. It disappears when dropped.
pub struct Compiling {
    line: ProgressBar,
}

impl Compiling {
    /// The time after which the line appears.
    const PATIENCE: Duration = Duration::from_millis(500);

    /// Starts the progress of a compilation.
    #[must_use]
    pub fn start() -> Self {
        Self { line: bar(None, "{spinner:.cyan} {msg}") }
    }

    /// Returns an observer that shows the reports of the compiler and never cancels it.
    #[must_use]
    pub fn observer(&self) -> Observer {
        if self.line.is_hidden() {
            return Observer::default();
        }
        let (line, start) = (self.line.clone(), Instant::now());
        Observer::new(move |progress| {
            if start.elapsed() > Self::PATIENCE {
                line.set_message(describe(progress));
                line.tick();
            }
            ControlFlow::Continue(())
        })
    }
}

impl Drop for Compiling {
    fn drop(&mut self) {
        self.line.finish_and_clear();
    }
}

/// Formats a report, for example `grounding: 123,456 rule instances`.
fn describe(observer::Progress { phase, made, .. }: observer::Progress) -> String {
    format!("{phase}: {} {}", thousands(made as u128), phase.unit())
}
