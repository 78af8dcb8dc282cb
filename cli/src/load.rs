//! Rulesheets from files: path in; source, diagnostics and, if all is well, a compiled game out.
//!
//! The compiler has neither files nor a clock, so both are here. What goes wrong with reading is a
//! diagnostic like all others.

use crate::{
    error::{Error, Result},
    report,
};
use gdl_compiler::{
    Diagnostic, Diagnostics, Levels, Options, Rules, Source, check,
    diagnostic::codes,
    emit,
    ground::{self, GroundRules},
    optimize,
    propnet::{self, Net},
    syntax,
};
use gdl_games::Entry;
use std::{fs::File, io::Read, path::Path, time::Instant};

/// A game that went through every phase, and how long each took.
#[derive(Debug)]
pub struct Compiled {
    /// The optimised net.
    pub net: Net,
    /// The net as the table engine reads it.
    pub table: Vec<u8>,
    /// How many ground rules it was built from.
    pub ground_rules: usize,
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

/// Reads a rulesheet.
///
/// # Errors
/// The fault, and a source it can be shown with.
pub fn read(path: &Path, options: &Options) -> std::result::Result<Source, Box<(Source, Diagnostic)>> {
    let name = path.display().to_string();
    let limit = options.limits.max_source_bytes;
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| {
        let length = file.metadata()?.len();
        // One byte more than is allowed shows the excess; a device or pipe might never end.
        file.take(limit as u64 + 1).read_to_end(&mut bytes)?;
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

/// Parses, checks, grounds and builds the net: the phases that find faults.
fn examine(
    source: &Source,
    options: &Options,
    clock: &mut Clock,
) -> (Diagnostics, Option<(GroundRules, Net)>) {
    let mut diagnostics = Diagnostics::new(options.levels.clone());
    let tree = syntax::parse(source, options, &mut diagnostics);
    clock.lap("parse");
    let rules = check::check(&tree, source, options, &mut diagnostics);
    clock.lap("check");
    let ground = rules.and_then(|rules| ground::ground(&rules, options, &mut diagnostics));
    clock.lap("ground");
    let built = ground.and_then(|ground| {
        let net = propnet::build(&ground, options, &mut diagnostics)?;
        Some((ground, net))
    });
    clock.lap("propnet");
    diagnostics.sort();
    (diagnostics, built)
}

/// All that is wrong with a file, and the source it is shown with.
#[must_use]
pub fn faults(path: &Path, options: &Options) -> (Source, Diagnostics) {
    match read(path, options) {
        Ok(source) => {
            let (diagnostics, _) = examine(&source, options, &mut Clock::start());
            (source, diagnostics)
        }
        Err(fault) => {
            let (source, diagnostic) = *fault;
            (source, alone(diagnostic))
        }
    }
}

fn alone(diagnostic: Diagnostic) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    diagnostics.push(diagnostic);
    diagnostics
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
/// [`Error::Reported`] if it cannot be used.
pub fn compile(source: &Source, options: &Options) -> Result<Compiled> {
    let mut clock = Clock::start();
    let (diagnostics, built) = examine(source, options, &mut clock);
    report::show(&diagnostics, source);
    let (ground, net) = built.ok_or(Error::Reported)?;
    let net = optimize::optimize(net);
    clock.lap("optimize");
    let table = emit::table::table(&net);
    clock.lap("emit");
    Ok(Compiled { net, table, ground_rules: ground.len(), seconds: clock.seconds })
}

/// Compiles the rulesheet of a built-in game.
///
/// # Errors
/// [`Error::Reported`] if it cannot be used.
pub fn built_in(entry: &Entry) -> Result<Compiled> {
    compile(&Source::new(format!("{}.kif", entry.name), entry.text), &quiet())
}

/// Reads and compiles a rulesheet. What is to be said of it goes to stderr.
///
/// # Errors
/// [`Error::Reported`] if it cannot be used.
pub fn load(path: &Path, options: &Options) -> Result<Compiled> {
    compile(&open(path, options)?, options)
}

/// Reads and checks a rulesheet without grounding it. What is to be said of it goes to stderr.
///
/// # Errors
/// [`Error::Reported`] if it cannot be used.
pub fn rules(path: &Path, options: &Options) -> Result<Rules> {
    let source = open(path, options)?;
    let mut diagnostics = Diagnostics::new(options.levels.clone());
    let tree = syntax::parse(&source, options, &mut diagnostics);
    let rules = check::check(&tree, &source, options, &mut diagnostics);
    diagnostics.sort();
    report::show(&diagnostics, &source);
    rules.ok_or(Error::Reported)
}

fn open(path: &Path, options: &Options) -> Result<Source> {
    read(path, options).map_err(|fault| {
        let (source, diagnostic) = *fault;
        report::show(&alone(diagnostic), &source);
        Error::Reported
    })
}
