//! A line on the terminal while one waits; nothing at all if stderr is not a terminal.

use crate::output::thousands;
use gdl_compiler::{Observer, observer};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::{
    io::{self, IsTerminal},
    ops::ControlFlow,
    time::{Duration, Instant},
};

/// The progress of long work. The bar goes away when it is dropped.
pub struct Progress {
    bar: ProgressBar,
    /// The counted items.
    what: &'static str,
    start: Instant,
    /// The bar goes by the clock if the work ends by the clock.
    by_clock: bool,
}

impl Progress {
    /// For work that is done when `total` of something are.
    #[must_use]
    pub fn counted(what: &'static str, total: u64) -> Self {
        Self::new(what, total, false)
    }

    /// For work that is done after some time.
    #[must_use]
    pub fn timed(what: &'static str, seconds: f64) -> Self {
        let time = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        Self::new(what, u64::try_from(time.as_millis()).unwrap_or(u64::MAX), true)
    }

    fn new(what: &'static str, total: u64, by_clock: bool) -> Self {
        let bar = bar(Some(total), "{bar:40.cyan/dim} {percent:>3} %  {msg}");
        Self { bar, what, start: Instant::now(), by_clock }
    }

    /// Returns whether anybody sees it: else there is no need to tell.
    #[must_use]
    pub fn is_shown(&self) -> bool {
        !self.bar.is_hidden()
    }

    /// Does something that writes to the terminal, the bar out of its way.
    pub fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }

    /// Sets the number done.
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

/// A bar or line that is drawn on the terminal or nowhere.
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

/// The progress of the compiler, once it has taken a while. The line goes away when this is
/// dropped.
pub struct Compiling {
    line: ProgressBar,
}

impl Compiling {
    /// A wait shorter than this needs no news.
    const PATIENCE: Duration = Duration::from_millis(500);

    /// For a compilation that begins now.
    #[must_use]
    pub fn start() -> Self {
        Self { line: bar(None, "{spinner:.cyan} {msg}") }
    }

    /// Shows what the compiler reports; it goes on whatever that is.
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

/// `grounding: 123,456 rule instances`
fn describe(observer::Progress { phase, made, .. }: observer::Progress) -> String {
    format!("{phase}: {} {}", thousands(made as u128), phase.unit())
}
