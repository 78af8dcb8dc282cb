//! Rulesheets that arrive while the program runs: text in, a game or all that is wrong with it out.
//!
//! A rulesheet becomes a table. One that is too large to be grounded is evaluated state by state instead
//! ([`Dynamic::engine`] says `lifted`): the same play, tens of times slower in most games, and faster where a net would be vast and
//! little of it alive.

use crate::{dynamic::Dynamic, lifted::Lifted, table::TableError};
use gdl_compiler::{Failure, Rules, diagnostic::codes, lifted, read};
use std::{error::Error, fmt};

pub use gdl_compiler::{
    Compilation, Diagnostic, Diagnostics, Levels, Limits, Observer, Options, Severity, Source, Span,
    observer::{Phase, Progress},
};

/// Why a rulesheet did not become a game. `Display` gives the whole report, and so does `Debug`, which is
/// what `main` prints of an error it returns.
#[derive(Clone)]
pub enum LoadError {
    /// The rulesheet has faults.
    Rules {
        /// The text the diagnostics speak of.
        source: Box<Source>,
        /// What is wrong, in the order of the text.
        diagnostics: Box<Diagnostics>,
    },
    /// The game is too large to be played.
    Table(TableError),
    /// There was not enough time: only a [`Loader`](crate::Loader) says so.
    Cancelled {
        /// How far the work had come.
        message: String,
    },
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rules { source, diagnostics } => f.write_str(diagnostics.render(source).trim_end()),
            Self::Table(error) => error.fmt(f),
            Self::Cancelled { message } => f.write_str(message),
        }
    }
}

impl fmt::Debug for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for LoadError {}

impl From<TableError> for LoadError {
    fn from(error: TableError) -> Self {
        Self::Table(error)
    }
}

/// Compiles a rulesheet with the usual options.
///
/// The work is bounded by the [`Limits`], not by the length of the text: for text from strangers see
/// [`Limits::network`] and [`load_named`], for a game that is of use only until some time
/// [`Loader`](crate::Loader).
///
/// ```
/// use gdl_runtime::{Game, Playouts, load};
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
/// let state = game.next(&game.initial(), &[press]).unwrap();
/// assert_eq!(game.state_text(&state), "(on)");
/// assert!(game.terminal(&state));
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
    load_named("rules", text, &Options::default())
}

/// Compiles a rulesheet that is called `name` in messages.
///
/// # Errors
/// All that is wrong with the rulesheet.
pub fn load_named(name: &str, text: &str, options: &Options) -> Result<Dynamic, LoadError> {
    let source = Source::new(name, text);
    let Failure { mut diagnostics, rules, .. } = match gdl_compiler::compile(&source, options) {
        Ok(compilation) => return Ok(compilation.try_into()?),
        Err(failure) => *failure,
    };
    if let Some(rules) = rules.filter(|_| diagnostics.are_excesses()) {
        match lift(&rules, options) {
            Ok(game) => return Ok(game),
            Err(excess) => diagnostics.push(*excess),
        }
    }
    Err(LoadError::Rules { source: Box::new(source), diagnostics: Box::new(diagnostics) })
}

/// Makes a rulesheet that is called `name` in messages a game that is evaluated state by state, even if
/// it could be grounded.
///
/// ```
/// use gdl_runtime::{load::{Options, load_lifted}, load, perft};
///
/// let text = "
///     (role robot) (init (at 0)) (succ 0 1) (succ 1 2)
///     (<= (legal robot go) (true (at ?x)) (succ ?x ?y))
///     (<= (next (at ?y)) (does robot go) (true (at ?x)) (succ ?x ?y))
///     (<= terminal (true (at 2)))
///     (<= (goal robot 100) (true (at 2))) (<= (goal robot 0) (not (true (at 2))))
/// ";
/// let lifted = load_lifted("walk", text, &Options::default()).unwrap();
/// assert_eq!(lifted.engine(), "lifted");
/// assert_eq!(perft(&lifted, 4), perft(&load(text).unwrap(), 4));
/// ```
///
/// # Errors
/// All that is wrong with the rulesheet, as far as that shows without grounding, or the limit that is too
/// low even for this.
pub fn load_lifted(name: &str, text: &str, options: &Options) -> Result<Dynamic, LoadError> {
    let source = Source::new(name, text);
    let diagnostics = match read(&source, options) {
        Ok((rules, mut diagnostics)) => match lift(&rules, options) {
            Ok(game) => return Ok(game),
            Err(excess) => {
                diagnostics.push(*excess);
                diagnostics.sort();
                diagnostics
            }
        },
        Err(failure) => failure.diagnostics,
    };
    Err(LoadError::Rules { source: Box::new(source), diagnostics: Box::new(diagnostics) })
}

/// Makes checked rules a game that is evaluated state by state.
///
/// # Errors
/// The limit that is too low even for this.
pub fn lift(rules: &Rules, options: &Options) -> Result<Dynamic, Box<Diagnostic>> {
    let game = Lifted::new(lifted::Lifted::new(rules, options)?);
    let too_large =
        |error: TableError| Box::new(Diagnostic::new(&codes::TOO_MANY_INSTANCES, None, error.to_string()));
    game.map(Dynamic::from).map_err(too_large)
}

impl TryFrom<Compilation> for Dynamic {
    type Error = TableError;

    fn try_from(compilation: Compilation) -> Result<Self, TableError> {
        Self::decode(&compilation.table)
    }
}
