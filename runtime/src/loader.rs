//! Loading for those who cannot wait: a rulesheet in, and a game out before a deadline or never.

use crate::{
    dynamic::Dynamic,
    load::{LoadError, Options, load_named},
};
use gdl_compiler::{Observer, diagnostic::codes};
use std::{
    ops::ControlFlow,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

/// Compiles rulesheets until a deadline or until somebody calls it off. Late games are no games: they come
/// as [`LoadError::Cancelled`].
///
/// ```
/// use gdl_runtime::{LoadError, Loader};
/// use std::time::{Duration, Instant};
///
/// let text = "(role robot) (init off) (legal robot press) (goal robot 0)
///     (<= (next on) (does robot press)) (<= terminal (true on))";
/// let start_clock = Instant::now() + Duration::from_secs(10);
/// assert!(Loader::new().deadline(start_clock).load(text).is_ok());
///
/// let late = Loader::new().deadline(Instant::now()).load(text);
/// assert!(matches!(late, Err(LoadError::Cancelled { .. })));
/// ```
#[derive(Clone, Debug)]
pub struct Loader {
    name: String,
    options: Options,
    deadline: Option<Instant>,
    switch: Option<Arc<AtomicBool>>,
}

impl Loader {
    /// A loader with the usual options and all the time in the world.
    #[must_use]
    pub fn new() -> Self {
        Self { name: "rules".to_owned(), options: Options::default(), deadline: None, switch: None }
    }

    /// What rulesheets are called in messages.
    #[must_use]
    pub fn name(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// Options for the compiler. An [observer](Options::observer) among them is still asked.
    #[must_use]
    pub fn options(self, options: Options) -> Self {
        Self { options, ..self }
    }

    /// No game comes later than this. The compiler looks at the clock every few milliseconds.
    #[must_use]
    pub fn deadline(self, deadline: Instant) -> Self {
        Self { deadline: Some(deadline), ..self }
    }

    /// Another thread that sets `switch` calls the work off.
    ///
    /// ```
    /// use gdl_runtime::{LoadError, Loader};
    /// use std::sync::{Arc, atomic::{AtomicBool, Ordering}};
    ///
    /// let abort = Arc::new(AtomicBool::new(false));
    /// let loader = Loader::new().cancelled_by(Arc::clone(&abort));
    /// abort.store(true, Ordering::Relaxed); // as soon as nobody wants the game any more
    /// assert!(matches!(loader.load("(role r)"), Err(LoadError::Cancelled { .. })));
    /// ```
    #[must_use]
    pub fn cancelled_by(self, switch: Arc<AtomicBool>) -> Self {
        Self { switch: Some(switch), ..self }
    }

    /// Compiles a rulesheet.
    ///
    /// # Errors
    /// All that is wrong with the rulesheet, or that there was not enough time.
    pub fn load(&self, text: &str) -> Result<Dynamic, LoadError> {
        let watch = self.clone();
        let observer = Observer::new(move |progress| {
            if watch.is_over() { ControlFlow::Break(()) } else { watch.options.observer.tell(progress) }
        });
        let options = Options { observer, ..self.options.clone() };
        let loaded = load_named(&self.name, text, &options);
        let message = match &loaded {
            Ok(_) if self.is_over() => Some("stopped by the caller when all was done".to_owned()),
            Err(LoadError::Rules { diagnostics, .. }) => {
                let mut faults = diagnostics.iter();
                faults.find(|fault| fault.code == &codes::CANCELLED).map(|fault| fault.message.clone())
            }
            _ => None,
        };
        message.map_or(loaded, |message| Err(LoadError::Cancelled { message }))
    }

    fn is_over(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || self.switch.as_ref().is_some_and(|switch| switch.load(Ordering::Relaxed))
    }
}

impl Default for Loader {
    fn default() -> Self {
        Self::new()
    }
}
