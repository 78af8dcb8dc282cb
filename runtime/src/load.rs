//! Loading of rulesheets at run time: a text becomes a game, or an error with all of its
//! diagnostics.
//!
//! A rulesheet becomes a table. If a trial estimates that another engine is faster, that engine
//! steps single states:
//!
//! - a large net is evaluated incrementally ([`Dynamic::engine`] is `events`), or
//! - the rules are interpreted in each state ([`Dynamic::engine`] is `lifted`).
//!
//! Rules that are too large to be grounded are interpreted, too. Interpretation is tens of times
//! slower in most games. It is faster if a net would be large and few of its gates change in a
//! step. All engines play the same game. A trial counts work and reads no clock, so each machine
//! chooses the same engine.
//!
//! [`load`] is for trusted rulesheets. A [`Loader`] sets names for messages, levels of lints,
//! limits for untrusted text, a deadline and a [`Cancel`]. [`Loader::load_with_warnings`] returns
//! the warnings with the game.

use crate::{
    cancel::Cancel,
    compile::{EngineKind, compile_in_stages},
    dynamic::Dynamic,
};
use gdl_compiler::{
    Diagnostics, Limits, Observer, Options, Source, Syntax,
    diagnostic::{self, codes},
};
use std::{
    error::Error,
    fmt,
    ops::{ControlFlow, Range},
    time::{Duration, Instant},
};

/// The reason why a rulesheet did not become a game. `Display` and `Debug` both write the whole
/// report, since `main` and `unwrap` print errors by `Debug`.
#[derive(Clone)]
#[non_exhaustive]
pub enum LoadError {
    /// The rulesheet has errors.
    Rules {
        /// The diagnostics, in the order of the text.
        diagnostics: Vec<Diagnostic>,
        /// The report for people: each diagnostic with its line of the text.
        report: String,
    },
    /// The deadline passed or the work was cancelled: see [`Loader`].
    Cancelled {
        /// A sentence with the stage that was interrupted.
        message: String,
    },
    /// A lint option names no code of the catalogue: see [`Loader::allow`].
    UnknownLint {
        /// A sentence with the unknown name.
        message: String,
    },
}

impl LoadError {
    fn new(diagnostics: &Diagnostics, source: &Source) -> Self {
        if let Some(fault) = diagnostics.iter().find(|fault| fault.code == &codes::CANCELLED) {
            return Self::Cancelled { message: fault.message.clone() };
        }
        Self::Rules {
            diagnostics: listed(diagnostics, source),
            report: diagnostics.render(source).trim_end().to_owned(),
        }
    }
}

/// The diagnostics in the order of the text.
fn listed(diagnostics: &Diagnostics, source: &Source) -> Vec<Diagnostic> {
    diagnostics.iter().map(|fault| Diagnostic::new(fault, source)).collect()
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Rules { report: text, .. }
        | Self::Cancelled { message: text }
        | Self::UnknownLint { message: text }) = self;
        f.write_str(text)
    }
}

impl fmt::Debug for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for LoadError {}

/// An error, warning or lint of a rulesheet.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Diagnostic {
    /// The code, for example `GDL012`; `gdl explain` has a page for each.
    pub code: &'static str,
    /// The name of the code, for example `unused_relation`.
    pub name: &'static str,
    /// The severity.
    pub severity: Severity,
    /// A sentence without a full stop, with names in backticks.
    pub message: String,
    /// The place in the text. `None` for diagnostics of the whole rulesheet, such as a missing
    /// `terminal`.
    pub place: Option<Place>,
    /// A note on the place; may be empty.
    pub note: String,
    /// Advice on what to write instead.
    pub help: Option<String>,
}

/// One line: the place, the severity with the code, and the message.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{}:{}: ", place.line, place.column)?;
        }
        write!(f, "{}[{}]: {}", self.severity, self.code, self.message)
    }
}

impl Diagnostic {
    fn new(fault: &diagnostic::Diagnostic, source: &Source) -> Self {
        let place = fault.span.map(|span| {
            let start = source.position(span.start);
            let bytes = span.start as usize..span.end as usize;
            Place { line: start.line, column: start.column, bytes }
        });
        Self {
            code: fault.code.id,
            name: fault.code.name,
            severity: match fault.severity {
                diagnostic::Severity::Error => Severity::Error,
                diagnostic::Severity::Warning => Severity::Warning,
                diagnostic::Severity::Lint => Severity::Lint,
            },
            message: fault.message.clone(),
            place,
            note: fault.note.clone(),
            help: fault.help.clone(),
        }
    }
}

/// The severity of a [`Diagnostic`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum Severity {
    /// A matter of style.
    Lint,
    /// A likely mistake; the rulesheet still becomes a game.
    Warning,
    /// An error; the rulesheet does not become a game.
    Error,
}

/// The severity in lower case.
impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Lint => "lint",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// A place in the text of a rulesheet.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Place {
    /// The line of the first byte, from 1.
    pub line: usize,
    /// The column of the first byte in characters, from 1.
    pub column: usize,
    /// The range of bytes in the text.
    pub bytes: Range<usize>,
}

/// Compiles a rulesheet with the default limits. The syntax, KIF, infix GDL or Epilog, is detected
/// from the text.
///
/// The limits bound the work: loading takes minutes and gigabytes at most. Use
/// [`Loader::untrusted`] for untrusted text, and [`Loader`] for a deadline.
///
/// ```
/// use gdl_runtime::{Game, GameExt, Playouts, load};
///
/// let game = load("
///     (role robot) (init off)
///     (legal robot press) (legal robot wait)
///     (<= (next on) (does robot press))
///     (<= (next on) (true on))
///     (<= (next off) (true off) (does robot wait))
///     (<= terminal (true on))
///     (<= (goal robot 100) (true on))
///     (<= (goal robot 0) (true off))
/// ").unwrap();
/// let robot = game.parse_role("robot").unwrap();
/// let press = game.parse_move("press").unwrap();
/// let state = game.apply(&game.initial(), &[press]).unwrap();
/// assert_eq!(game.state_text(&state), "(on)");
/// assert!(game.is_terminal(&state));
/// assert_eq!(game.goal(&state, robot), Some(100));
///
/// let stats = Playouts::new(&game).seed(7).count(1000).run();
/// assert_eq!(stats.tally.roles[0].wins, 1000);
/// assert!((stats.mean_length() - 2.0).abs() < 0.2);
/// ```
///
/// # Errors
/// Returns all errors of the rulesheet.
pub fn load(text: &str) -> Result<Dynamic, LoadError> {
    Loader::new().load(text)
}

/// A builder that compiles rulesheets, with an optional deadline and [`Cancel`]. A game that is
/// complete only after the deadline is dropped and reported as [`LoadError::Cancelled`].
///
/// ```
/// use gdl_runtime::{LoadError, Loader};
/// use std::time::Duration;
///
/// let text = "(role robot) (init off) (legal robot press) (goal robot 0)
///     (<= (next on) (does robot press)) (<= terminal (true on))";
/// let loader = Loader::new().name("robot.kif").untrusted();
/// assert!(loader.clone().within(Duration::from_secs(10)).load(text).is_ok());
/// assert!(matches!(loader.within(Duration::ZERO).load(text), Err(LoadError::Cancelled { .. })));
/// ```
#[derive(Clone, Debug)]
#[must_use = "nothing is loaded before `load`"]
pub struct Loader {
    name: String,
    options: Options,
    way: Option<EngineKind>,
    deadline: Option<Instant>,
    cancel: Cancel,
}

impl Loader {
    /// Creates a loader with the default limits and no deadline.
    pub fn new() -> Self {
        Self {
            name: "rules".to_owned(),
            options: Options::default(),
            way: None,
            deadline: None,
            cancel: Cancel::default(),
        }
    }

    /// Sets the name that rulesheets have in messages.
    pub fn name(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// Sets limits for untrusted text: loading takes about two seconds and 300 MiB at most, instead
    /// of minutes and gigabytes. The text may have at most 1 MiB.
    pub fn untrusted(mut self) -> Self {
        self.options.limits = Limits::network();
        self
    }

    /// Sets the maximum number of bytes that the tables of a stage of the compiler take at a time.
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.options.limits.max_bytes = bytes;
        self
    }

    /// Sets the maximum number of steps of a stage of the compiler, each about ten nanoseconds.
    /// Each stage after grounding may take half as many. For a lifted game the maximum also bounds
    /// the evaluation of a state.
    pub fn max_steps(mut self, steps: u64) -> Self {
        self.options.limits.fuel = steps;
        self
    }

    /// Silences a lint or a warning, given by its code or its name. Takes precedence over
    /// [`Loader::deny`]. Errors cannot be silenced.
    ///
    /// ```
    /// use gdl_runtime::{LoadError, Loader};
    ///
    /// let text = "(role robot) (init off) (legal robot press) (goal robot 100) (unused fact)
    ///     (<= (next on) (does robot press)) (<= terminal (true on))";
    /// assert!(Loader::new().deny("unused_relation").load(text).is_err());
    /// let (_, warnings) = Loader::new().allow("unused_relation").load_with_warnings(text).unwrap();
    /// assert!(warnings.is_empty());
    /// let misspelt = Loader::new().allow("unused_relations").load(text);
    /// assert!(matches!(misspelt, Err(LoadError::UnknownLint { .. })));
    /// ```
    pub fn allow(mut self, lint: impl Into<String>) -> Self {
        self.options.levels.allow.push(lint.into());
        self
    }

    /// Turns a lint or a warning into an error, given by its code or its name; `warnings` stands
    /// for all warnings.
    pub fn deny(mut self, lint: impl Into<String>) -> Self {
        self.options.levels.deny.push(lint.into());
        self
    }

    /// Turns a lint, which is silent by default, into a warning. It is given by its code or its
    /// name; `lints` stands for all lints. [`Loader::allow`] and [`Loader::deny`] take precedence.
    pub fn warn(mut self, lint: impl Into<String>) -> Self {
        self.options.levels.warn.push(lint.into());
        self
    }

    /// Treats spellings that differ only in case as different symbols. By default they are one
    /// symbol.
    pub fn case_sensitive(mut self) -> Self {
        self.options.case_sensitive = true;
        self
    }

    /// Accepts rulesheets as the reference reasoner does. A role without goals has goal 0. Where
    /// `legal`, `goal` or `terminal` depend on `does`, `does` holds for no move. Variables that a
    /// rule does not bind are bound by its callers.
    ///
    /// ```
    /// use gdl_runtime::Loader;
    ///
    /// let text = "(role ann) (init p) (legal ann go) (<= (next q) (does ann go)) (<= terminal (true q))";
    /// assert!(Loader::new().load(text).is_err());
    /// assert!(Loader::new().lenient().load(text).is_ok());
    /// ```
    pub fn lenient(mut self) -> Self {
        self.options.lenient = true;
        self
    }

    /// Parses the text as KIF. By default the syntax is detected from the text.
    pub fn kif(self) -> Self {
        self.syntax(Syntax::Kif)
    }

    /// Parses the text as infix GDL, `next(p(X)) :- true(p(X)) & ~q(X)`, without detection.
    pub fn infix(self) -> Self {
        self.syntax(Syntax::Infix)
    }

    /// Parses the text as Epilog, the language with operations, without detection.
    ///
    /// ```
    /// use gdl_runtime::Loader;
    ///
    /// let text = "role(robot) init(control(robot)) legal(press) press :: on terminal :- on goal(robot, 100) :- on";
    /// assert!(Loader::new().epilog().load(text).is_ok());
    /// assert!(Loader::new().kif().load(text).is_err());
    /// ```
    pub fn epilog(self) -> Self {
        self.syntax(Syntax::Epilog)
    }

    fn syntax(mut self, syntax: Syntax) -> Self {
        self.options.syntax = Some(syntax);
        self
    }

    /// Interprets the rules in each state, even if they could be grounded.
    ///
    /// ```
    /// use gdl_runtime::{Loader, load, perft};
    ///
    /// let text = "
    ///     (role robot) (init (at 0)) (succ 0 1) (succ 1 2)
    ///     (<= (legal robot go) (true (at ?x)) (succ ?x ?y))
    ///     (<= (next (at ?y)) (does robot go) (true (at ?x)) (succ ?x ?y))
    ///     (<= terminal (true (at 2)))
    ///     (<= (goal robot 100) (true (at 2))) (<= (goal robot 0) (not (true (at 2))))
    /// ";
    /// let lifted = Loader::new().lifted().load(text).unwrap();
    /// assert_eq!(lifted.engine(), "lifted");
    /// assert_eq!(perft(&lifted, 4), perft(&load(text).unwrap(), 4));
    /// ```
    pub fn lifted(self) -> Self {
        Self { way: Some(EngineKind::Lifted), ..self }
    }

    /// Steps single states by the table. By default a trial chooses the fastest of the table,
    /// [`Loader::events`] and [`Loader::lifted`].
    pub fn table(self) -> Self {
        Self { way: Some(EngineKind::Table), ..self }
    }

    /// Steps single states by incremental evaluation of the net, which recomputes the gates that
    /// differ between two states. It is faster than the table if a net is large and a step changes
    /// few of its gates. Playouts in lanes stay the same.
    ///
    /// ```
    /// use gdl_runtime::{Loader, load, perft};
    ///
    /// let text = "
    ///     (role robot) (init (at 0)) (succ 0 1) (succ 1 2)
    ///     (<= (legal robot go) (true (at ?x)) (succ ?x ?y))
    ///     (<= (next (at ?y)) (does robot go) (true (at ?x)) (succ ?x ?y))
    ///     (<= terminal (true (at 2)))
    ///     (<= (goal robot 100) (true (at 2))) (<= (goal robot 0) (not (true (at 2))))
    /// ";
    /// let events = Loader::new().events().load(text).unwrap();
    /// assert_eq!(events.engine(), "events");
    /// assert_eq!(perft(&events, 4), perft(&load(text).unwrap(), 4));
    /// ```
    pub fn events(self) -> Self {
        Self { way: Some(EngineKind::Events), ..self }
    }

    /// Sets a deadline for the game. The compiler reads the clock every few milliseconds.
    pub fn until(self, deadline: Instant) -> Self {
        Self { deadline: Some(deadline), ..self }
    }

    /// Sets a deadline, `time` from now. A deadline beyond the range of the clock is no limit.
    pub fn within(self, time: Duration) -> Self {
        Self { deadline: Instant::now().checked_add(time), ..self }
    }

    /// Stops loading after another thread cancels.
    ///
    /// ```
    /// use gdl_runtime::{Cancel, LoadError, Loader};
    ///
    /// let cancel = Cancel::default();
    /// let loader = Loader::new().cancelled_by(&cancel);
    /// cancel.cancel(); // as soon as the game is of no use any more
    /// assert!(matches!(loader.load("(role r)"), Err(LoadError::Cancelled { .. })));
    /// ```
    pub fn cancelled_by(self, cancel: &Cancel) -> Self {
        Self { cancel: cancel.clone(), ..self }
    }

    /// Sets a callback for progress, on the thread that loads. It receives the name of the current
    /// stage, such as `grounding`, and its steps so far. Calls come at the start of a stage and
    /// every few milliseconds.
    pub fn progress(mut self, tell: impl Fn(&'static str, u64) + Send + Sync + 'static) -> Self {
        self.options.observer = Observer::new(move |progress| {
            tell(progress.phase.name(), progress.steps);
            ControlFlow::Continue(())
        });
        self
    }

    /// Compiles a rulesheet and drops its warnings: see [`Loader::load_with_warnings`].
    ///
    /// # Errors
    /// Returns all errors of the rulesheet, or [`LoadError::Cancelled`].
    pub fn load(&self, text: &str) -> Result<Dynamic, LoadError> {
        self.load_with_warnings(text).map(|(game, _)| game)
    }

    /// Compiles a rulesheet. Returns the game with its warnings, in the order of the text.
    ///
    /// ```
    /// use gdl_runtime::Loader;
    ///
    /// let text = "(role robot) (init off) (legal robot press) (goal robot 100) (unused fact)
    ///     (<= (next on) (does robot press)) (<= terminal (true on))";
    /// let (game, warnings) = Loader::new().load_with_warnings(text).unwrap();
    /// assert_eq!(game.engine(), "table");
    /// assert_eq!(warnings[0].code, "GDL102");
    /// assert!(warnings[0].to_string().starts_with("1:63: warning[GDL102]: "));
    /// ```
    ///
    /// # Errors
    /// As for [`Loader::load`].
    pub fn load_with_warnings(&self, text: &str) -> Result<(Dynamic, Vec<Diagnostic>), LoadError> {
        self.load_as(text, None::<fn(Dynamic)>)
    }

    /// Compiles a rulesheet, and calls `early` with a first game as soon as the rules are a net,
    /// before the net is optimised.
    ///
    /// The call happens at most once, on this thread. It happens only for a net of 50,000 operands
    /// or more, which takes some tenths of a second to optimise. The first game has the same states
    /// and moves as the returned one, so play can begin with the first and continue with the
    /// returned one. The first game has no lanes, is slower, and may take a gibibyte in addition to
    /// the limits.
    ///
    /// ```
    /// use gdl_runtime::{Game, GameExt, Loader};
    ///
    /// // A token on a line of 300 cells, which may go wherever it was not yet.
    /// let cells: String = (0..300).map(|cell| format!("(cell {cell}) ")).collect();
    /// let text = format!("(role r) {cells} (init (at 0))
    ///     (<= (legal r (go ?a ?b)) (true (at ?a)) (cell ?b) (not (true (seen ?b))))
    ///     (<= (next (at ?b)) (does r (go ?a ?b)))
    ///     (<= (next (seen ?a)) (true (at ?a))) (<= (next (seen ?a)) (true (seen ?a)))
    ///     (<= (goal r 100) (true (at 7))) (<= (goal r 0) (not (true (at 7)))) (<= terminal (true (at 7)))");
    /// let mut first = None;
    /// let game = Loader::new().load_in_stages(&text, |early| first = Some(early.initial())).unwrap();
    /// assert_eq!(first, Some(game.initial()));
    /// ```
    ///
    /// # Errors
    /// Returns all errors of the rulesheet, also those found after the call of `early`, or
    /// [`LoadError::Cancelled`].
    pub fn load_in_stages(&self, text: &str, early: impl FnOnce(Dynamic)) -> Result<Dynamic, LoadError> {
        self.load_as(text, Some(early)).map(|(game, _)| game)
    }

    fn load_as(
        &self,
        text: &str,
        early: Option<impl FnOnce(Dynamic)>,
    ) -> Result<(Dynamic, Vec<Diagnostic>), LoadError> {
        if let Some(name) = self.options.levels.unknown() {
            return Err(LoadError::UnknownLint { message: format!("there is no lint `{name}`") });
        }
        let source = Source::new(&self.name, text);
        let watch = self.clone();
        let observer = Observer::new(move |progress| {
            if watch.is_over() { ControlFlow::Break(()) } else { watch.options.observer.tell(progress) }
        });
        let options = Options { observer, ..self.options.clone() };
        match compile_in_stages(&source, &options, self.way, early) {
            Ok(_) if self.is_over() => {
                Err(LoadError::Cancelled { message: "stopped by the caller when all was done".to_owned() })
            }
            Ok((game, found)) => Ok((game, listed(&found, &source))),
            Err(diagnostics) => Err(LoadError::new(&diagnostics, &source)),
        }
    }

    fn is_over(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline) || self.cancel.is_cancelled()
    }
}

impl Default for Loader {
    fn default() -> Self {
        Self::new()
    }
}
