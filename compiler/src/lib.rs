//! The compiler for the Game Description Language (GDL), in the syntax of KIF, infix GDL or Epilog.
//!
//! The input is a text; the output is a game, or a list of faults with their places. The crate is
//! pure: it reads no files and no clock, and starts no threads. The same text always gives the same
//! bytes.

extern crate alloc; // required by the code that pest derives without `std`

pub mod check;
pub mod convert;
mod datalog;
pub mod diagnostic;
pub mod emit;
pub mod eval;
pub mod format;
mod graph;
pub mod ground;
pub mod lifted;
pub mod limits;
pub mod meter;
pub mod observer;
pub mod optimize;
pub mod outcome;
pub mod propnet;
pub mod rules;
pub mod syntax;
mod vocabulary;

pub use diagnostic::{Applicability, Diagnostic, Diagnostics, Edit, Levels, Severity, Source, Span};
pub use limits::Limits;
pub use meter::{Meter, Omission};
pub use observer::{Observer, Phase};
pub use rules::Rules;
pub use syntax::Syntax;

use emit::lanes::Lanes;
use ground::GroundRules;
use propnet::Net;
use syntax::Tree;

/// True if this crate was built without optimisation, which is Cargo's default for macros.
pub const IS_UNOPTIMIZED: bool = cfg!(unoptimized);

/// The options of a compilation.
#[derive(Clone, Debug)]
pub struct Options {
    /// Treats KIF symbols as case-sensitive. Other syntaxes always are.
    pub case_sensitive: bool,
    /// The input syntax; detected from the text if `None`.
    pub syntax: Option<Syntax>,
    /// Reads rulesheets as the reference reasoner does. A role without rules for `goal` has the
    /// goal value 0, and `does` never holds for `legal`, `goal` and `terminal`. Callers bind the
    /// variables that a rule leaves unbound. Each such assumption is a warning instead of an error.
    pub lenient: bool,
    /// The limits on the rulesheet's cost.
    pub limits: Limits,
    /// The severity levels of lints.
    pub levels: Levels,
    /// The number of estimated instances from which a rule is split. Once all instances are known,
    /// a rule is split on trial from a fortieth of this number. Another value changes the net but
    /// not the game. Tests of small rulesheets use a small one, and `usize::MAX` splits only rules
    /// that exceed the limits.
    pub split_from: usize,
    /// The observer that follows the compilation and may end it.
    pub observer: Observer,
}

impl Default for Options {
    fn default() -> Self {
        let (limits, levels, observer) = (Limits::default(), Levels::default(), Observer::default());
        Self {
            case_sensitive: false,
            syntax: None,
            lenient: false,
            limits,
            levels,
            split_from: 2_000,
            observer,
        }
    }
}

impl Options {
    /// Returns a copy of the options with another limit of `fuel`.
    pub(crate) fn with_fuel(&self, fuel: u64) -> Self {
        let mut options = self.clone();
        options.limits.fuel = fuel;
        options
    }
}

/// The results of all phases of a compilation.
#[derive(Clone, Debug)]
pub struct Compilation {
    /// The checked rules.
    pub rules: Rules,
    /// The ground rules.
    pub ground: GroundRules,
    /// The net before it was optimised.
    pub raw: Net,
    /// The optimised net.
    pub net: Net,
    /// The nets of the turn phases, if the fluents go through a cycle of phases.
    pub phases: Option<optimize::Phases>,
    /// The nets for each number of moves made so far, if the game is small enough for all its
    /// states to be visited.
    pub plies: Option<optimize::Plies>,
    /// The programs that play the game in lanes, if they are within the limits.
    pub lanes: Option<Lanes>,
    /// The serialised game that the runtime loads.
    pub table: Vec<u8>,
    /// The optional parts that were left out since they exceeded their share of the budget.
    pub omissions: Vec<Omission>,
    /// The warnings.
    pub diagnostics: Diagnostics,
}

/// The errors of a rulesheet, and the results of the phases that succeeded.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The errors and warnings, in the order of the text.
    pub diagnostics: Diagnostics,
    /// The forms that could be read; `None` if the observer cancelled before parsing.
    pub tree: Option<Tree>,
    /// The rules, if they passed the checks. Then the errors come from a later phase.
    pub rules: Option<Rules>,
}

/// The results of optimising and emitting a net.
struct Nets {
    raw: Net,
    net: Net,
    phases: Option<optimize::Phases>,
    plies: Option<optimize::Plies>,
    lanes: Option<Lanes>,
    table: Vec<u8>,
    omissions: Vec<Omission>,
}

/// Compiles a text to a net, lanes and a table. Calls the [`Observer`] of the options when a phase
/// begins, and at intervals.
///
/// # Errors
/// Returns the errors of the rulesheet, and the parts that were understood.
pub fn compile(source: &Source, options: &Options) -> Result<Compilation, Box<Failure>> {
    compile_in_stages(source, options, |_| {})
}

/// Compiles like [`compile`], and calls `show` with the net before it is optimised. A caller can
/// play that net sooner, but it is larger and slower. Later phases may still find errors. `show` is
/// not called if there is no net.
///
/// # Errors
/// Returns the errors of the rulesheet, and the parts that were understood.
pub fn compile_in_stages(
    source: &Source,
    options: &Options,
    show: impl FnOnce(&Net),
) -> Result<Compilation, Box<Failure>> {
    let mut diagnostics = Diagnostics::of(source, options);
    let (tree, rules) = parse_and_check(source, options, &mut diagnostics);
    let compiled = rules.as_ref().and_then(|rules| {
        let (ground, raw) = ground_and_build(rules, options, &mut diagnostics)?;
        show(&raw);
        let nets = nets(raw, options, &mut diagnostics)?;
        outcome::check(rules, &ground, &nets.net, &mut diagnostics);
        Some((ground, nets))
    });
    diagnostics.sort();
    match (rules, compiled) {
        (Some(rules), Some((ground, nets))) if !diagnostics.has_errors() => {
            let Nets { raw, net, phases, plies, lanes, table, omissions } = nets;
            Ok(Compilation { rules, ground, raw, net, phases, plies, lanes, table, omissions, diagnostics })
        }
        (rules, _) => Err(Box::new(Failure { diagnostics, tree, rules })),
    }
}

/// The most steps of optimisation that [`diagnose`] spends on proofs about the end of a game: a
/// tenth of a second of work.
const STEPS_OF_PROOF: u64 = 10_000_000;

/// Returns the diagnostics of [`compile`] without making lanes and table. The optimiser gets a
/// smaller budget, and a table that exceeds its limit is not reported.
///
/// # Errors
/// As for [`compile`].
pub fn diagnose(source: &Source, options: &Options) -> Result<Diagnostics, Box<Failure>> {
    let mut diagnostics = Diagnostics::of(source, options);
    let (tree, rules) = parse_and_check(source, options, &mut diagnostics);
    let net = rules.as_ref().and_then(|rules| {
        let (ground, raw) = ground_and_build(rules, options, &mut diagnostics)?;
        begin(options, Phase::Optimize, &mut diagnostics)?;
        let steps = options.limits.fuel_of(Phase::Optimize).min(STEPS_OF_PROOF);
        let mut meter = Meter::new(&options.with_fuel(2 * steps), Phase::Optimize);
        let net = optimize::optimize(raw, &mut meter);
        go_on(&meter, &mut diagnostics)?;
        outcome::check(rules, &ground, &net, &mut diagnostics);
        Some(net)
    });
    diagnostics.sort();
    if net.is_some() && !diagnostics.has_errors() {
        return Ok(diagnostics);
    }
    Err(Box::new(Failure { diagnostics, tree, rules }))
}

/// Grounds rules and builds their net. Returns `None` if either fails.
fn ground_and_build(
    rules: &Rules,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Option<(GroundRules, Net)> {
    begin(options, Phase::Ground, diagnostics)?;
    let ground = ground::ground(rules, options, diagnostics)?;
    begin(options, Phase::Propnet, diagnostics)?;
    let raw = propnet::build(&ground, options, diagnostics)?;
    Some((ground, raw))
}

/// Reads and checks a text without grounding it. Returns the rules and the warnings. Growing terms
/// are only a warning here, since the rules are evaluated state by state.
///
/// # Errors
/// Returns the errors of the rulesheet, and the parts that were understood.
pub fn read(source: &Source, options: &Options) -> Result<(Rules, Diagnostics), Box<Failure>> {
    let mut diagnostics = Diagnostics::of(source, options);
    let (tree, rules) = parse_and_check(source, options, &mut diagnostics);
    if rules.is_some() {
        diagnostics.excuse();
    }
    diagnostics.sort();
    match rules {
        Some(rules) if !diagnostics.has_errors() => Ok((rules, diagnostics)),
        rules => Err(Box::new(Failure { diagnostics, tree, rules })),
    }
}

/// Parses and checks a text. Returns its forms, and its rules if they pass the checks.
fn parse_and_check(
    source: &Source,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> (Option<Tree>, Option<Rules>) {
    if begin(options, Phase::Parse, diagnostics).is_none() {
        return (None, None);
    }
    let tree = syntax::parse(source, options, diagnostics);
    let rules = check::check(&tree, source, options, diagnostics);
    (Some(tree), rules)
}

/// Reports to the observer that a phase begins. Returns `None` if it cancels.
fn begin(options: &Options, phase: Phase, diagnostics: &mut Diagnostics) -> Option<()> {
    let progress = observer::Progress { phase, made: 0, steps: 0 };
    if options.observer.tell(progress).is_break() {
        diagnostics.push(progress.cancelled());
        return None;
    }
    Some(())
}

/// Returns `None` if the caller cancelled, and reports that in `diagnostics`.
fn go_on(meter: &Meter, diagnostics: &mut Diagnostics) -> Option<()> {
    if let Some(progress) = meter.cancelled() {
        diagnostics.push(progress.cancelled());
        return None;
    }
    Some(())
}

/// Optimises a net and makes its lanes and table. Each optional part gets half of its phase's
/// remaining budget. The lanes get a third, since the table needs the rest.
fn nets(raw: Net, options: &Options, diagnostics: &mut Diagnostics) -> Option<Nets> {
    begin(options, Phase::Optimize, diagnostics)?;
    let mut meter = Meter::new(options, Phase::Optimize);
    let net = optimize::optimize(raw.clone(), &mut meter);
    go_on(&meter, diagnostics)?;
    let mut omissions = meter.omissions().to_vec();

    begin(options, Phase::Derive, diagnostics)?;
    let mut meter = Meter::new(options, Phase::Derive);
    let phases = meter.attempt("phases", 2, |meter| optimize::phases(&net, meter));
    let plies = meter.attempt("plies", 2, |meter| optimize::plies(&net, meter));
    go_on(&meter, diagnostics)?;
    omissions.extend_from_slice(meter.omissions());

    begin(options, Phase::Emit, diagnostics)?;
    let mut meter = Meter::new(options, Phase::Emit);
    let lanes = meter.attempt("lanes", 3, |meter| Lanes::new(&net, phases.as_ref(), plies.as_ref(), meter));
    let table = emit::table::table(&net, lanes.as_ref(), &mut meter);
    go_on(&meter, diagnostics)?;
    omissions.extend_from_slice(meter.omissions());
    let Some(table) = table else {
        diagnostics.push(emit::table::excess(&meter, &options.limits));
        return None;
    };
    Some(Nets { raw, net, phases, plies, lanes, table, omissions })
}
