//! The compiler for the Game Description Language (GDL, in KIF syntax).
//!
//! Text in, a located list of faults or a game out. The crate is pure: it reads no files, looks at
//! no clock, starts no threads, and the same text always gives the same bytes.

extern crate alloc; // what pest derives without `std` asks for

pub mod check;
pub mod diagnostic;
pub mod emit;
pub mod eval;
pub mod format;
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

pub use diagnostic::{Diagnostic, Diagnostics, Levels, Severity, Source, Span};
pub use limits::Limits;
pub use observer::Observer;
pub use rules::Rules;

/// What a user may ask of a compilation.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether spellings that differ in case alone are different symbols.
    pub case_sensitive: bool,
    /// How much the rulesheet may cost.
    pub limits: Limits,
    /// Which lints are silent and which are errors.
    pub levels: Levels,
    /// How many instances a rule may have before it is split by estimates; once all instances are known, a fortieth
    /// of that before it is split on trial. Another number makes other nets that play the same: tests of small
    /// rulesheets use a small one, and `usize::MAX` leaves all rules whole that the limits allow.
    pub split_from: usize,
    /// Whether playouts are to be able to end where all goals are decided: the compilation has an [`optimize::Early`]
    /// then, if that is ever before the game is over. All else is the same with it and without.
    pub early_end: bool,
    /// Who follows the compilation and may end it.
    pub observer: Observer,
}

impl Default for Options {
    fn default() -> Self {
        let (limits, levels, observer) = (Limits::default(), Levels::default(), Observer::default());
        Self { case_sensitive: false, limits, levels, split_from: 2_000, early_end: false, observer }
    }
}

/// A game that went through every phase.
#[derive(Clone, Debug)]
pub struct Compilation {
    /// The checked rules.
    pub rules: Rules,
    /// The optimised net.
    pub net: propnet::Net,
    /// The net at each point of the cycle that its fluents go round, or the net alone.
    pub phases: Vec<propnet::Net>,
    /// The net after each number of moves, if the game is so small that all its states were visited.
    pub plies: Option<optimize::Plies>,
    /// The game for playouts that end early, if that is asked for and ever happens.
    pub early: Option<optimize::Early>,
    /// Warnings.
    pub diagnostics: Diagnostics,
}

/// The whole pipeline: text to net.
///
/// # Errors
/// All that is wrong with the rulesheet, in the order of the text.
pub fn compile(source: &Source, options: &Options) -> Result<Compilation, Diagnostics> {
    let mut diagnostics = Diagnostics::new(options.levels.clone());
    let tree = syntax::parse(source, options, &mut diagnostics);
    let Some(rules) = check::check(&tree, source, options, &mut diagnostics) else {
        diagnostics.sort();
        return Err(diagnostics);
    };
    let nets = ground::ground(&rules, options, &mut diagnostics).and_then(|ground| {
        let net = propnet::build(&ground, options, &mut diagnostics)?;
        let net = optimize::optimize(net, options, &mut diagnostics)?;
        let phases = optimize::phases(&net, options, &mut diagnostics)?;
        let plies = optimize::plies(&net, options);
        let early = optimize::early(&net, options);
        outcome::check(&rules, &ground, &net, &mut diagnostics);
        (!diagnostics.has_errors()).then_some((net, phases, plies, early))
    });
    diagnostics.sort();
    match nets {
        Some((net, phases, plies, early)) => {
            Ok(Compilation { rules, net, phases, plies, early, diagnostics })
        }
        None => Err(diagnostics),
    }
}
