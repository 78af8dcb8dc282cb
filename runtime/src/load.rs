//! Loading of rulesheets while the program runs: a text becomes a game, or an error that has all
//! that is wrong with it.
//!
//! A rulesheet becomes a table. A vast one becomes a net that is evaluated incrementally, if a
//! trial estimates that as faster ([`Dynamic::engine`] is `events`). One that is too large to be
//! grounded, or that the trial estimates as faster so, is interpreted in each state instead
//! ([`Dynamic::engine`] is `lifted`). That is the same play, tens of times slower in most games,
//! and faster where a net would be vast and little of it active. A trial counts work and reads no
//! clock, so each machine chooses the same engine.
//!
//! [`load`] is for trusted rulesheets. A [`Loader`] has names for messages, levels of lints, limits
//! for untrusted text, a deadline and a [`Cancel`]; [`Loader::load_with_warnings`] returns the
//! warnings with the game.

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

/// The reason why a rulesheet did not become a game. `Display` gives the whole report, and so does
/// `Debug`: it is what `main` and `unwrap` print of an error.
#[derive(Clone)]
#[non_exhaustive]
pub enum LoadError {
    /// The rulesheet has faults.
    Rules {
        /// The errors, in the order of the text.
        diagnostics: Vec<Diagnostic>,
        /// The same for people: each fault with its line of the text.
        report: String,
    },
    /// There was not enough time, or the work was cancelled: see [`Loader`].
    Cancelled {
        /// The progress of the work.
        message: String,
    },
    /// A lint option names no code of the catalogue: see [`Loader::allow`].
    UnknownLint {
        /// One plain sentence with the name.
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

/// One fault of a rulesheet, or a warning.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Diagnostic {
    /// Its code, for example `GDL012`; `gdl explain` has a page for each.
    pub code: &'static str,
    /// The code in words.
    pub name: &'static str,
    /// The severity: how bad it is.
    pub severity: Severity,
    /// One plain sentence, names in backticks, without a full stop.
    pub message: String,
    /// The place of the fault. `None` for faults of the whole rulesheet, such as a missing
    /// `terminal`.
    pub place: Option<Place>,
    /// A note on the place; may be empty.
    pub note: String,
    /// Help: what to write instead.
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
    /// Most likely a mistake; the rulesheet has a meaning all the same.
    Warning,
    /// There is no game.
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
    /// The line where it begins, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The bytes of the text.
    pub bytes: Range<usize>,
}

/// Compiles a rulesheet with the usual limits. It may be in KIF, infix GDL or Epilog, which the
/// text itself tells.
///
/// The work is bounded by limits, not by the length of the text: seconds and gigabytes at the very
/// most. See [`Loader::untrusted`] for untrusted text, and [`Loader`] for a game that is of use
/// only until some time.
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
/// All that is wrong with the rulesheet.
pub fn load(text: &str) -> Result<Dynamic, LoadError> {
    Loader::new().load(text)
}

/// A loader, which compiles rulesheets, if need be until a deadline or until a [`Cancel`] is
/// pulled. Late games are no games: they come as [`LoadError::Cancelled`].
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
    /// A loader with the usual limits and all the time in the world.
    pub fn new() -> Self {
        Self {
            name: "rules".to_owned(),
            options: Options::default(),
            way: None,
            deadline: None,
            cancel: Cancel::default(),
        }
    }

    /// The name that rulesheets have in messages.
    pub fn name(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// Limits for untrusted text: some two seconds and a hundred megabytes at most, instead of
    /// minutes and gigabytes.
    pub fn untrusted(mut self) -> Self {
        self.options.limits = Limits::network();
        self
    }

    /// The most bytes that a phase of the compiler may take.
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.options.limits.max_bytes = bytes;
        self
    }

    /// The most steps that a phase of the compiler may take, each some ten nanoseconds; and, of a
    /// game that is evaluated state by state, a state.
    pub fn max_steps(mut self, steps: u64) -> Self {
        self.options.limits.fuel = steps;
        self
    }

    /// Keeps silent about a lint or a warning, given by its code or its name. An error stays one,
    /// unless the catalogue marks it as a lint.
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

    /// Makes a lint or a warning an error, given by its code or its name; `warnings` makes all
    /// warnings errors.
    pub fn deny(mut self, lint: impl Into<String>) -> Self {
        self.options.levels.deny.push(lint.into());
        self
    }

    /// Makes a lint a warning, given by its code or its name, whether it is silent or an error
    /// otherwise; `lints` makes all silent lints warnings.
    pub fn warn(mut self, lint: impl Into<String>) -> Self {
        self.options.levels.warn.push(lint.into());
        self
    }

    /// Spellings that differ in case alone are different symbols; otherwise they are one.
    pub fn case_sensitive(mut self) -> Self {
        self.options.case_sensitive = true;
        self
    }

    /// Plays on where the reference reasoner does: a role without goals has 0, no move is made
    /// where `legal`, `goal` or `terminal` ask for `does`, and callers bind variables that a rule
    /// does not.
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

    /// The text is in KIF. Otherwise the text itself tells its syntax.
    pub fn kif(self) -> Self {
        self.syntax(Syntax::Kif)
    }

    /// The text is in infix GDL, `next(p(X)) :- true(p(X)) & ~q(X)`, whatever it looks like.
    pub fn infix(self) -> Self {
        self.syntax(Syntax::Infix)
    }

    /// The text is in Epilog, the language with operations, whatever it looks like.
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

    /// The game is evaluated state by state, even if it could be grounded.
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

    /// Single states are stepped by the table. Otherwise a trial chooses the fastest of that,
    /// [`Loader::events`] and [`Loader::lifted`].
    pub fn table(self) -> Self {
        Self { way: Some(EngineKind::Table), ..self }
    }

    /// Single states are stepped by a net that is kept in one state and evaluated where another one
    /// differs, which takes less than the table where a net is vast and a step changes little of
    /// it. Playouts in lanes stay what they are.
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

    /// No game comes later than this. The compiler looks at the clock every few milliseconds.
    pub fn until(self, deadline: Instant) -> Self {
        Self { deadline: Some(deadline), ..self }
    }

    /// No game comes later than that long from now on. More than the clock can tell is no limit.
    pub fn within(self, time: Duration) -> Self {
        Self { deadline: Instant::now().checked_add(time), ..self }
    }

    /// Another thread that pulls `cancel` calls the work off.
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

    /// A callback for progress, on the thread that loads: what the compiler does, for example
    /// `grounding`, and the steps that took so far, when it begins and every few milliseconds.
    pub fn progress(mut self, tell: impl Fn(&'static str, u64) + Send + Sync + 'static) -> Self {
        self.options.observer = Observer::new(move |progress| {
            tell(progress.phase.name(), progress.steps);
            ControlFlow::Continue(())
        });
        self
    }

    /// Compiles a rulesheet. Warnings are dropped: see [`Loader::load_with_warnings`].
    ///
    /// # Errors
    /// Returns all errors of the rulesheet, or that there was not enough time.
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
    /// before that is optimised. The call happens at most once, on this thread, and only for a net
    /// with 50,000 operands or more, which takes some tenths of a second to optimise. The first
    /// game plays single states as the returned one does and has the same states and moves, so play
    /// can begin with it and go on with the other. It has no lanes and is slower, and takes up to a
    /// gibibyte besides the limits.
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
    /// Returns all errors of the rulesheet, also those found after there is an early game, or that
    /// there was not enough time.
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
