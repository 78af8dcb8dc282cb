//! Rulesheets from files. A path becomes a source, its diagnostics and, if there are no errors, a
//! compiled game.
//!
//! The compiler has neither files nor a clock, so this module supplies both. Errors of reading are
//! reported as diagnostics.

use crate::{
    error::{Error, Result},
    progress::Compiling,
    report,
};
use clap::ValueEnum;
use gdl_compiler::{
    Compilation, Diagnostic, Diagnostics, Levels, Limits, Observer, Options, Phase, Rules, Source,
    diagnostic::codes, emit, observer::Progress, propnet::Net,
};
use gdl_games::Entry;
use gdl_runtime::{
    Dynamic,
    engine::{self, Estimate, lift},
};
use std::{
    fs::{self, File},
    io::{self, Read},
    ops::Deref,
    path::{Path, PathBuf},
    slice,
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

/// A compiled game, and the seconds that each phase of the compiler took.
#[derive(Debug)]
pub struct Compiled {
    /// The compilation, without its diagnostics.
    pub compilation: Compilation,
    /// Seconds per phase, in order.
    pub seconds: Vec<(&'static str, f64)>,
}

impl Deref for Compiled {
    type Target = Compilation;

    fn deref(&self) -> &Compilation {
        &self.compilation
    }
}

impl Compiled {
    /// Returns whether `gdl!` emits straight-line code for the game by default. Debug builds leave
    /// that code out and use the table.
    #[must_use]
    pub fn is_straight(&self) -> bool {
        emit::Code::Auto.is_straight(&self.net)
    }

    /// Returns the number of operations of the net in each phase of the turn cycle. Without a cycle
    /// there is one number for the whole net.
    #[must_use]
    pub fn operations(&self) -> Vec<usize> {
        let nets = self.phases.as_ref().map_or(slice::from_ref(&self.net), |phases| &phases.nets);
        nets.iter().map(Net::operations).collect()
    }
}

/// The times at which the phases of the compiler began.
#[derive(Clone, Default)]
struct Clock(Arc<Mutex<Vec<(Phase, Instant)>>>);

impl Clock {
    /// Returns an observer that records when each phase begins and forwards all reports to `other`.
    fn observer(&self, other: Observer) -> Observer {
        let clock = self.clone();
        Observer::new(move |progress: Progress| {
            let mut begun = clock.0.lock().unwrap_or_else(PoisonError::into_inner);
            if begun.last().is_none_or(|last| last.0 != progress.phase) {
                begun.push((progress.phase, Instant::now()));
            }
            drop(begun);
            other.tell(progress)
        })
    }

    /// Returns the seconds of each phase, assuming that the last one ends now.
    fn seconds(&self) -> Vec<(&'static str, f64)> {
        let begun = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let ends = begun.iter().skip(1).map(|next| next.1).chain([Instant::now()]);
        let seconds =
            |(&(phase, start), end): (&(Phase, Instant), Instant)| (name(phase), (end - start).as_secs_f64());
        begun.iter().zip(ends).map(seconds).collect()
    }
}

/// Returns the name of a phase in reports.
fn name(phase: Phase) -> &'static str {
    match phase {
        Phase::Parse => "parse",
        Phase::Check => "check",
        Phase::Ground => "ground",
        Phase::Propnet => "propnet",
        Phase::Optimize => "optimize",
        Phase::Derive => "derive",
        Phase::Emit => "emit",
        Phase::Lift => "lift",
    }
}

/// The usual extensions of rulesheet files. They do not decide the syntax, which is detected from
/// the text.
pub const ENDINGS: [&str; 4] = ["kif", "hrf", "infix", "epilog"];

/// Returns the rulesheets at some paths. A folder stands for its files with one of [`ENDINGS`],
/// sorted by name.
///
/// # Errors
/// Returns an error if a folder cannot be read or has no rulesheet.
pub fn rulesheets(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let list = || fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>();
        let mut found = list()
            .map_err(|error| Error::Input(format!("cannot read the folder {}: {error}", path.display())))?;
        found.retain(|file| {
            file.extension()
                .is_some_and(|ending| ENDINGS.iter().any(|usual| ending.eq_ignore_ascii_case(usual)))
        });
        if found.is_empty() {
            return Err(Error::Input(format!("no file in the folder {} ends in `.kif`", path.display())));
        }
        found.sort();
        files.append(&mut found);
    }
    Ok(files)
}

/// Reads a rulesheet from a file.
///
/// # Errors
/// Returns the diagnostic, and a source to show it with.
pub fn read(path: &Path, options: &Options) -> std::result::Result<Source, Box<(Source, Diagnostic)>> {
    let opened = File::open(path).and_then(|file| {
        let length = file.metadata()?.len();
        Ok((file, length))
    });
    let is_missing = matches!(&opened, Err(error) if error.kind() == io::ErrorKind::NotFound);
    receive(path.display().to_string(), opened, options).map_err(|mut fault| {
        if is_missing && let Some(game) = path.to_str().and_then(gdl_games::find) {
            let name = game.name;
            fault.1 =
                fault.1.help(format!("`{name}` is a built-in game: give the path of a rulesheet instead"));
        }
        fault
    })
}

/// Reads a rulesheet from stdin. Messages call it `name`.
///
/// # Errors
/// As for [`read`].
pub fn read_stdin(name: &str, options: &Options) -> std::result::Result<Source, Box<(Source, Diagnostic)>> {
    receive(name.to_owned(), Ok((io::stdin().lock(), 0)), options)
}

/// Reads a text file other than a rulesheet, such as a play or the record of a match, of at most
/// 256 MiB.
///
/// # Errors
/// Returns [`Error::Input`] if it cannot be read, is larger, or is not UTF-8.
pub fn text(path: &Path) -> Result<String> {
    let text = String::from_utf8(bytes(path, 1 << 28)?);
    text.map_err(|_| unreadable(path, "stream did not contain valid UTF-8"))
}

/// Reads a file of at most `most` bytes.
///
/// # Errors
/// Returns [`Error::Input`] if it cannot be read or is larger.
pub fn bytes(path: &Path, most: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // One byte more than `most` shows that the file is larger.
    let read = File::open(path).and_then(|file| file.take(most as u64 + 1).read_to_end(&mut bytes));
    match read {
        Ok(length) if length <= most => Ok(bytes),
        Ok(_) => Err(unreadable(path, &format!("it has more than {most} bytes"))),
        Err(error) => Err(unreadable(path, &error.to_string())),
    }
}

fn unreadable(path: &Path, reason: &str) -> Error {
    Error::Input(format!("cannot read {}: {reason}", path.display()))
}

/// Reads an opened rulesheet up to the size limit. `opened` has the reader and the known length in
/// bytes, 0 if unknown.
fn receive(
    name: String,
    opened: io::Result<(impl Read, u64)>,
    options: &Options,
) -> std::result::Result<Source, Box<(Source, Diagnostic)>> {
    let limit = options.limits.max_source_bytes;
    let mut bytes = Vec::new();
    let read = opened.and_then(|(reader, length)| {
        // One byte more than the limit shows that it is exceeded; a device or pipe may be endless.
        reader.take(limit as u64 + 1).read_to_end(&mut bytes)?;
        Ok(length.max(bytes.len() as u64))
    });
    let fault = match read {
        Ok(_) if bytes.len() <= limit => return Source::from_bytes(name, bytes),
        Ok(length) => {
            let message = format!("the rulesheet has {length} bytes, more than {limit}");
            Diagnostic::new(&codes::SOURCE_TOO_LARGE, None, message)
        }
        Err(error) => Diagnostic::new(&codes::MISSING_FILE, None, format!("cannot read the file: {error}")),
    };
    Err(Box::new((Source::new(name, ""), fault)))
}

/// Compiles a rulesheet and shows the progress on the terminal. The observer of `options` is not
/// used. Returns all diagnostics and the game. If there are errors, returns the rules instead,
/// provided that they passed the checks.
pub fn examine(
    source: &Source,
    options: &Options,
) -> (Diagnostics, std::result::Result<Compiled, Option<Rules>>) {
    let compiling = Compiling::start();
    inspect(source, &Options { observer: compiling.observer(), ..options.clone() })
}

/// Like [`examine`], but reports progress to the observer of `options` instead of the terminal.
pub fn inspect(
    source: &Source,
    options: &Options,
) -> (Diagnostics, std::result::Result<Compiled, Option<Rules>>) {
    let clock = Clock::default();
    let options = Options { observer: clock.observer(options.observer.clone()), ..options.clone() };
    match gdl_compiler::compile(source, &options) {
        Ok(mut compilation) => {
            let diagnostics = std::mem::take(&mut compilation.diagnostics);
            (diagnostics, Ok(Compiled { compilation, seconds: clock.seconds() }))
        }
        Err(failure) => (failure.diagnostics, Err(failure.rules)),
    }
}

/// Diagnoses a rulesheet without building a game to play. Adds a warning if the rules would be
/// interpreted in each state. Shows progress on a terminal.
#[must_use]
pub fn diagnose(source: &Source, options: &Options) -> Diagnostics {
    let compiling = Compiling::start();
    let options = Options { observer: compiling.observer(), ..options.clone() };
    match gdl_compiler::diagnose(source, &options) {
        Ok(diagnostics) => diagnostics,
        Err(failure) => {
            let mut diagnostics = failure.diagnostics;
            if let Some(rules) = failure.rules {
                excuse(&rules, &options, &mut diagnostics);
            }
            diagnostics
        }
    }
}

/// Returns the diagnostics of `gdl check` for a rulesheet, and the compiled game if there are no
/// errors. Exceeded limits of grounding are warnings if the rules can be interpreted in each state.
#[must_use]
pub fn check(source: &Source, options: &Options) -> (Diagnostics, Option<Compiled>) {
    let (mut diagnostics, compiled) = inspect(source, options);
    if let Err(Some(rules)) = &compiled {
        excuse(rules, options, &mut diagnostics);
    }
    (diagnostics, compiled.ok())
}

/// Returns options that silence lints and warnings.
#[must_use]
pub fn quiet() -> Options {
    let allow = codes::ALL.iter().map(|code| code.id.to_owned()).collect();
    Options { levels: Levels { allow, ..Levels::default() }, ..Options::default() }
}

/// Compiles a rulesheet through all phases. Diagnostics go to stderr.
///
/// # Errors
/// Returns [`Error::Rules`] if the rulesheet has errors.
pub fn compile(source: Source, options: &Options) -> Result<Compiled> {
    let (diagnostics, compiled) = examine(&source, options);
    report::show(&diagnostics, &source);
    compiled.map_err(|_| Error::Rules(Box::new((source, diagnostics))))
}

/// Returns the rulesheet of a built-in game.
#[must_use]
pub fn text_of(entry: &Entry) -> Source {
    Source::new(format!("{}.kif", entry.name), entry.text)
}

/// Compiles the rulesheet of a built-in game.
///
/// # Errors
/// Returns [`Error::Rules`] if it has errors.
pub fn built_in(entry: &Entry) -> Result<Compiled> {
    compile(text_of(entry), &quiet())
}

/// An engine other than compiled code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Way {
    /// The rules as a table
    Table,
    /// The rules as a net; each step evaluates the gates that change: for vast nets
    Events,
    /// The rules themselves, state by state: slow, but nothing is grounded
    Lifted,
}

impl From<Way> for engine::EngineKind {
    fn from(way: Way) -> Self {
        match way {
            Way::Table => Self::Table,
            Way::Events => Self::Events,
            Way::Lifted => Self::Lifted,
        }
    }
}

/// The result of loading a rulesheet.
#[derive(Debug)]
pub enum Loaded {
    /// A game that went through every phase.
    Compiled(Box<Compiled>),
    /// A game that is interpreted in each state.
    Lifted(Dynamic),
}

/// Loads a rulesheet as a game for the engine `way`. By default the game is compiled or, if it is
/// too large to be grounded, interpreted in each state. Diagnostics go to stderr.
///
/// # Errors
/// Returns [`Error::Rules`] if the rulesheet has errors or exceeds a limit.
pub fn run_as(source: Source, options: &Options, way: Option<Way>) -> Result<Loaded> {
    if way == Some(Way::Lifted) {
        let (mut diagnostics, rules) = check_only(&source, options);
        let game = rules.and_then(|rules| match lift_watched(&rules, options) {
            Ok(game) => Some(game),
            Err(excess) => {
                diagnostics.push(*excess);
                None
            }
        });
        report::show(&diagnostics, &source);
        return game.map(Loaded::Lifted).ok_or_else(|| Error::Rules(Box::new((source, diagnostics))));
    }
    let (mut diagnostics, compiled) = examine(&source, options);
    let lifted = match &compiled {
        Err(Some(rules)) if way.is_none() => lift_instead(rules, options, &mut diagnostics),
        _ => None,
    };
    report::show(&diagnostics, &source);
    if let Some(game) = lifted.filter(|_| !diagnostics.has_errors()) {
        return Ok(Loaded::Lifted(game));
    }
    let compiled = compiled.map_err(|_| Error::Rules(Box::new((source, diagnostics))))?;
    Ok(Loaded::Compiled(Box::new(compiled)))
}

/// Builds a game that interprets the rules in each state, and turns the errors into warnings.
/// Returns `None` if some error is not an exceeded limit of grounding. Returns `None` and adds a
/// diagnostic if interpretation exceeds its limits as well.
pub fn lift_instead(rules: &Rules, options: &Options, diagnostics: &mut Diagnostics) -> Option<Dynamic> {
    let compiling = Compiling::start();
    excuse(rules, &Options { observer: compiling.observer(), ..options.clone() }, diagnostics)
}

/// Like [`lift_instead`], but reports progress to the observer of `options`, without a display.
pub fn excuse(rules: &Rules, options: &Options, diagnostics: &mut Diagnostics) -> Option<Dynamic> {
    if !diagnostics.are_excesses() {
        return None;
    }
    match lift(rules, options) {
        Ok(game) => {
            diagnostics.excuse();
            Some(game)
        }
        Err(excess) => {
            diagnostics.push(*excess);
            None
        }
    }
}

/// Builds a game that interprets the rules in each state, and shows progress on a terminal.
fn lift_watched(rules: &Rules, options: &Options) -> std::result::Result<Dynamic, Box<Diagnostic>> {
    let compiling = Compiling::start();
    lift(rules, &Options { observer: compiling.observer(), ..options.clone() })
}

/// Loads a rulesheet as a game that can be played, like [`run_as`].
///
/// # Errors
/// As for [`run_as`] and [`playable`].
pub fn play(source: Source, options: &Options, way: Option<Way>) -> Result<Dynamic> {
    match run_as(source, options, way)? {
        Loaded::Compiled(compiled) => playable(&compiled, way),
        Loaded::Lifted(game) => Ok(game),
    }
}

/// Makes a compiled game playable, on the engine `way` or the default one.
///
/// # Errors
/// Returns [`Error::Input`] if it is too large to be played.
pub fn playable(compilation: &Compilation, way: Option<Way>) -> Result<Dynamic> {
    let game = engine::playable(compilation, way.map(Into::into));
    game.map_err(|excess| Error::Input(excess.message))
}

/// Makes a compiled game playable on the engine that a trial finds fastest. Also returns the
/// trial's estimates for all engines that took part.
///
/// # Errors
/// Returns [`Error::Input`] if it is too large to be played.
pub fn choose_engine(compilation: &Compilation) -> Result<(Dynamic, Vec<Estimate>)> {
    engine::choose_engine(compilation, &Limits::default()).map_err(|excess| Error::Input(excess.message))
}

/// Parses and checks a rulesheet without grounding it.
fn check_only(source: &Source, options: &Options) -> (Diagnostics, Option<Rules>) {
    match gdl_compiler::read(source, options) {
        Ok((rules, diagnostics)) => (diagnostics, Some(rules)),
        Err(failure) => (failure.diagnostics, None),
    }
}

/// Checks a rulesheet without grounding it. Diagnostics go to stderr.
///
/// # Errors
/// Returns [`Error::Rules`] if it has errors.
pub fn checked(source: Source, options: &Options) -> Result<Rules> {
    let (diagnostics, rules) = check_only(&source, options);
    report::show(&diagnostics, &source);
    rules.ok_or_else(|| Error::Rules(Box::new((source, diagnostics))))
}

/// Reads a rulesheet. Diagnostics go to stderr.
///
/// # Errors
/// Returns [`Error::Rules`] if it cannot be read.
pub fn open(path: &Path, options: &Options) -> Result<Source> {
    read(path, options).map_err(|fault| {
        let (source, diagnostics) = alone(*fault);
        report::show(&diagnostics, &source);
        Error::Rules(Box::new((source, diagnostics)))
    })
}

/// Returns a source that could not be read, with its diagnostic as a list.
#[must_use]
pub fn alone((source, diagnostic): (Source, Diagnostic)) -> (Source, Diagnostics) {
    let mut diagnostics = Diagnostics::default();
    diagnostics.push(diagnostic);
    (source, diagnostics)
}
