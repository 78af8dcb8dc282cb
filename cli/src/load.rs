//! Rulesheets from files: path in; source, diagnostics and, if all is well, a compiled game out.
//!
//! The compiler has neither files nor a clock, so both are here. What goes wrong with reading is a
//! diagnostic like all others.

use crate::{
    error::{Error, Result},
    game::Way,
    output::{self, ODD},
    progress::Compiling,
    report,
};
use gdl_compiler::{
    Diagnostic, Diagnostics, Levels, Options, Rules, Severity, Source, check,
    diagnostic::codes,
    emit,
    ground::{self, GroundRules},
    optimize, outcome,
    propnet::{self, Net},
    syntax,
};
use gdl_games::Entry;
use gdl_runtime::{Dynamic, load::lift};
use std::{
    fs::File,
    io::{self, Read},
    path::Path,
    time::Instant,
};

/// A game that went through every phase, and how long each took.
#[derive(Debug)]
pub struct Compiled {
    /// The checked rules.
    pub rules: Rules,
    /// The ground rules.
    pub ground: GroundRules,
    /// The optimised net.
    pub net: Net,
    /// The net at each point of its cycle.
    pub phases: Vec<Net>,
    /// The net as the table engine reads it.
    pub table: Vec<u8>,
    /// Seconds per phase, in order.
    pub seconds: Vec<(&'static str, f64)>,
}

impl Compiled {
    /// True if `gdl!` makes straight-line code of the game unless told otherwise, as it was not for
    /// the built-in ones. (In debug builds that code is left out, and the table stands in.)
    #[must_use]
    pub fn is_straight(&self) -> bool {
        emit::Code::Auto.is_straight(&self.net)
    }
}

/// Measures one phase after the other.
struct Clock {
    last: Instant,
    seconds: Vec<(&'static str, f64)>,
}

impl Clock {
    fn start() -> Self {
        Self { last: Instant::now(), seconds: Vec::new() }
    }

    fn lap(&mut self, phase: &'static str) {
        let now = Instant::now();
        self.seconds.push((phase, (now - self.last).as_secs_f64()));
        self.last = now;
    }
}

/// Reads a rulesheet from a file.
///
/// # Errors
/// The fault, and a source it can be shown with.
pub fn read(path: &Path, options: &Options) -> std::result::Result<Source, Box<(Source, Diagnostic)>> {
    let opened = File::open(path).and_then(|file| {
        let length = file.metadata()?.len();
        Ok((file, length))
    });
    receive(path.display().to_string(), opened, options)
}

/// Reads a rulesheet from stdin; it is called `name` in messages.
///
/// # Errors
/// As for [`read`].
pub fn read_stdin(name: &str, options: &Options) -> std::result::Result<Source, Box<(Source, Diagnostic)>> {
    receive(name.to_owned(), Ok((io::stdin().lock(), 0)), options)
}

/// Reads what was opened, of at least the given number of bytes.
fn receive(
    name: String,
    opened: io::Result<(impl Read, u64)>,
    options: &Options,
) -> std::result::Result<Source, Box<(Source, Diagnostic)>> {
    let limit = options.limits.max_source_bytes;
    let mut bytes = Vec::new();
    let read = opened.and_then(|(reader, length)| {
        // One byte more than is allowed shows the excess; a device or pipe might never end.
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

/// Takes a rulesheet through all phases: all that is to be said of it and, unless some of that is an
/// error, the game. What takes long is shown on the terminal, which is the only observer here.
#[must_use]
pub fn examine(source: &Source, options: &Options) -> (Diagnostics, Option<Compiled>) {
    let compiling = Compiling::start();
    inspect(source, &Options { observer: compiling.observer(), ..options.clone() })
}

/// [`examine`] for those who observe it themselves.
#[must_use]
pub fn inspect(source: &Source, options: &Options) -> (Diagnostics, Option<Compiled>) {
    let mut clock = Clock::start();
    let mut diagnostics = Diagnostics::new(options.levels.clone());
    let tree = syntax::parse(source, options, &mut diagnostics);
    clock.lap("parse");
    let rules = check::check(&tree, source, options, &mut diagnostics);
    clock.lap("check");
    let compiled = rules.and_then(|rules| {
        let ground = ground::ground(&rules, options, &mut diagnostics)?;
        clock.lap("ground");
        let net = propnet::build(&ground, options, &mut diagnostics)?;
        clock.lap("propnet");
        let net = optimize::optimize(net, options, &mut diagnostics)?;
        let phases = optimize::phases(&net, options, &mut diagnostics)?;
        clock.lap("optimize");
        let plies = optimize::plies(&net, options);
        let early = optimize::early(&net, options);
        let lanes = emit::lanes::Lanes::new(&net, &phases, plies.as_ref());
        let mut table = emit::table::table(&net, lanes.as_ref());
        if let Some(early) = &early {
            emit::table::add_early(&mut table, early);
        }
        clock.lap("emit");
        outcome::check(&rules, &ground, &net, &mut diagnostics);
        Some(Compiled { rules, ground, net, phases, table, seconds: clock.seconds })
    });
    diagnostics.sort();
    let compiled = compiled.filter(|_| !diagnostics.has_errors());
    (diagnostics, compiled)
}

/// Options for those who want to use a rulesheet: lints that stop `gdl check` and `gdl!` are
/// reported only.
#[must_use]
pub fn tolerant() -> Options {
    let denied = codes::ALL.iter().filter(|code| code.lint).map(|code| code.id.to_owned());
    Options { levels: Levels { warn: denied.collect(), ..Levels::default() }, ..Options::default() }
}

/// Options for those who do not want to hear of lints and warnings.
#[must_use]
pub fn quiet() -> Options {
    let allow = codes::ALL.iter().map(|code| code.id.to_owned()).collect();
    Options { levels: Levels { allow, ..Levels::default() }, ..Options::default() }
}

/// Compiles a rulesheet through all phases. What is to be said of it goes to stderr.
///
/// # Errors
/// [`Error::Rules`] if it cannot be used.
pub fn compile(source: Source, options: &Options) -> Result<Compiled> {
    let (diagnostics, compiled) = examine(&source, options);
    report::show(&diagnostics, &source);
    compiled.ok_or_else(|| Error::Rules(Box::new((source, diagnostics))))
}

/// The text of a built-in game.
#[must_use]
pub fn text_of(entry: &Entry) -> Source {
    Source::new(format!("{}.kif", entry.name), entry.text)
}

/// Compiles the rulesheet of a built-in game.
///
/// # Errors
/// [`Error::Rules`] if it cannot be used.
pub fn built_in(entry: &Entry) -> Result<Compiled> {
    compile(text_of(entry), &quiet())
}

/// What became of a rulesheet.
#[derive(Debug)]
pub enum Loaded {
    /// It went through every phase.
    Compiled(Box<Compiled>),
    /// It is evaluated state by state.
    Lifted(Dynamic),
}

/// Makes a rulesheet a game that runs as asked for: else compiled or, if it takes too much to be grounded,
/// evaluated state by state. What is to be said of it goes to stderr.
///
/// # Errors
/// [`Error::Rules`] if it cannot be used, [`Error::Input`] if it is too large to be played.
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
    if compiled.is_none()
        && way.is_none()
        && diagnostics.are_excesses()
        && let (_, Some(rules)) = check_only(&source, options)
    {
        match lift_watched(&rules, options) {
            Ok(game) => {
                let reason = diagnostics.iter().find(|d| d.severity == Severity::Error);
                let reason = reason.map_or("", |diagnostic| &diagnostic.message);
                let name = source.name();
                output::remark(format_args!(
                    "{ODD}remark{ODD:#}: {name} is evaluated state by state: {reason}"
                ));
                return Ok(Loaded::Lifted(game));
            }
            Err(excess) => diagnostics.push(*excess),
        }
    }
    report::show(&diagnostics, &source);
    let compiled = compiled.ok_or_else(|| Error::Rules(Box::new((source, diagnostics))))?;
    Ok(Loaded::Compiled(Box::new(compiled)))
}

/// Makes rules a game that is evaluated state by state, with progress on a terminal.
fn lift_watched(rules: &Rules, options: &Options) -> std::result::Result<Dynamic, Box<Diagnostic>> {
    let compiling = Compiling::start();
    lift(rules, &Options { observer: compiling.observer(), ..options.clone() })
}

/// Like [`run_as`], as a game that can be played.
///
/// # Errors
/// As for [`run_as`].
pub fn play(source: Source, options: &Options, way: Option<Way>) -> Result<Dynamic> {
    match run_as(source, options, way)? {
        Loaded::Compiled(compiled) => {
            Dynamic::decode(&compiled.table).map_err(|error| Error::Input(error.to_string()))
        }
        Loaded::Lifted(game) => Ok(game),
    }
}

/// Parses and checks a rulesheet without grounding it.
fn check_only(source: &Source, options: &Options) -> (Diagnostics, Option<Rules>) {
    let mut diagnostics = Diagnostics::new(options.levels.clone());
    let tree = syntax::parse(source, options, &mut diagnostics);
    let rules = check::check(&tree, source, options, &mut diagnostics);
    diagnostics.sort();
    (diagnostics, rules)
}

/// Checks a rulesheet without grounding it. What is to be said of it goes to stderr.
///
/// # Errors
/// [`Error::Rules`] if it cannot be used.
pub fn checked(source: Source, options: &Options) -> Result<Rules> {
    let (diagnostics, rules) = check_only(&source, options);
    report::show(&diagnostics, &source);
    rules.ok_or_else(|| Error::Rules(Box::new((source, diagnostics))))
}

/// Reads a rulesheet. What is to be said of it goes to stderr.
///
/// # Errors
/// [`Error::Rules`] if it cannot be read.
pub fn open(path: &Path, options: &Options) -> Result<Source> {
    read(path, options).map_err(|fault| {
        let (source, diagnostics) = alone(*fault);
        report::show(&diagnostics, &source);
        Error::Rules(Box::new((source, diagnostics)))
    })
}

/// What could not be read, with its fault in a list.
#[must_use]
pub fn alone((source, diagnostic): (Source, Diagnostic)) -> (Source, Diagnostics) {
    let mut diagnostics = Diagnostics::default();
    diagnostics.push(diagnostic);
    (source, diagnostics)
}
