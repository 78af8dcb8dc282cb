//! The compiler for the Game Description Language (GDL), in the syntax of KIF, infix GDL or Epilog.
//!
//! Text in, a located list of faults or a game out. The crate is pure: it reads no files, looks at
//! no clock, starts no threads, and the same text always gives the same bytes.

extern crate alloc; // what pest derives without `std` asks for

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

/// True if this crate was built without optimisation, as Cargo builds macros unless a profile asks
/// for more.
pub const IS_UNOPTIMIZED: bool = cfg!(unoptimized);

/// The options of a compilation.
#[derive(Clone, Debug)]
pub struct Options {
    /// Treats KIF symbols as case-sensitive. Other syntaxes always are.
    pub case_sensitive: bool,
    /// The input syntax; detected from the text if `None`.
    pub syntax: Option<Syntax>,
    /// Reads rulesheets as the reference reasoner does: a role without goals has 0, `does` never
    /// holds for `legal`, `goal` and `terminal`, and callers bind variables that a rule does not.
    /// These are warnings then, and errors otherwise.
    pub lenient: bool,
    /// The limits of the rulesheet's cost.
    pub limits: Limits,
    /// The levels of lints: silent, shown or errors.
    pub levels: Levels,
    /// The number of instances from which a rule is split by estimates; once all instances are
    /// known, a fortieth of that from which it is split on trial. Another number makes other nets
    /// that play the same. Tests of small rulesheets use a small one, and `usize::MAX` leaves all
    /// rules whole that the limits allow.
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
    /// The same with `fuel` steps.
    pub(crate) fn with_fuel(&self, fuel: u64) -> Self {
        let mut options = self.clone();
        options.limits.fuel = fuel;
        options
    }
}

/// A game that went through every phase.
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
    /// The net at each phase of the cycle that its fluents go round, if there is one.
    pub phases: Option<optimize::Phases>,
    /// The net after each number of moves, if the game is so small that all its states were
    /// visited.
    pub plies: Option<optimize::Plies>,
    /// The programs that play the game in lanes, if it is small enough.
    pub lanes: Option<Lanes>,
    /// All that the runtime needs, as one string of bytes.
    pub table: Vec<u8>,
    /// The optional parts that were left out since they exceeded their share.
    pub omissions: Vec<Omission>,
    /// Warnings.
    pub diagnostics: Diagnostics,
}

/// A rulesheet with errors, and the parts of it that were understood.
#[derive(Clone, Debug)]
pub struct Failure {
    /// All that is wrong with it, and warnings, in the order of the text.
    pub diagnostics: Diagnostics,
    /// The forms of its text, those left out that could not be read; `None` if the observer had
    /// enough before.
    pub tree: Option<Tree>,
    /// Its rules, if they passed the checks: what is wrong is seen when they are grounded or made a
    /// net.
    pub rules: Option<Rules>,
}

/// The products of a net.
struct Nets {
    raw: Net,
    net: Net,
    phases: Option<optimize::Phases>,
    plies: Option<optimize::Plies>,
    lanes: Option<Lanes>,
    table: Vec<u8>,
    omissions: Vec<Omission>,
}

/// The whole pipeline: text to net, lanes and table. The [`Observer`] of the options is called when
/// each phase begins.
///
/// # Errors
/// Returns the errors of the rulesheet, and the parts that were understood.
pub fn compile(source: &Source, options: &Options) -> Result<Compilation, Box<Failure>> {
    compile_in_stages(source, options, |_| {})
}

/// Does the same as [`compile`], and calls `show` with the net before it is optimised: a game can
/// be made of it sooner, which is larger and slower. The rulesheet may still turn out to have
/// errors. A rulesheet that cannot be grounded has no net to show.
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

/// Steps of optimising for what a net proves of a game's end: a tenth of a second of work.
const STEPS_OF_PROOF: u64 = 10_000_000;

/// Returns the diagnostics of [`compile`] without making lanes and table. Optimises only until it
/// is known how games may end, so a table that exceeds its limit is not reported.
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

/// Rules to ground rules and their net.
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

/// Text to checked rules, and warnings. These include unbounded
/// grounding, since rules are evaluated state by state.
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

/// The forms of a text and, if nothing is wrong with them, its rules.
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

/// Tells the observer that a phase begins; nothing comes back if it has had enough.
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

/// Optimises a net and makes its lanes and table. Each optional part gets a share of the rest of
/// its phase's budget: half of it, and a third where the table is still to come.
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
