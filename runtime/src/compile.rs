//! Compilation of a rulesheet to a game, with the compiler's own options and diagnostics, for
//! `load` and the tools of this project.

use crate::{
    dynamic::Dynamic,
    events::Events,
    lifted::Lifted,
    table::{Table, TableError},
    trial::{self, Estimate, Single, Trial},
};
use gdl_compiler::{
    Compilation, Diagnostic, Diagnostics, Failure, Limits, Options, Rules, Source, diagnostic::codes, lifted,
    propnet::Net, read,
};
use std::sync::Arc;

/// The number of operands from which on optimising a net takes more than about a tenth of a second.
const EARLY_FROM: usize = 50_000;

/// An engine for single states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineKind {
    /// The table.
    Table,
    /// A net that is evaluated incrementally.
    Events,
    /// The rules, interpreted in each state.
    Lifted,
}

/// Compiles a rulesheet with options of the compiler, for the engine that a trial chooses. If
/// grounding exceeds the limits, the game is lifted.
///
/// # Errors
/// Returns all errors of the rulesheet.
pub fn compile(source: &Source, options: &Options) -> Result<Dynamic, Box<Diagnostics>> {
    compile_as(source, options, None)
}

/// Like [`compile`], for the engine `way`, if given.
///
/// # Errors
/// Returns all errors, or the limit that this engine exceeds.
pub fn compile_as(
    source: &Source,
    options: &Options,
    way: Option<EngineKind>,
) -> Result<Dynamic, Box<Diagnostics>> {
    compile_in_stages(source, options, way, None::<fn(Dynamic)>).map(|(game, _)| game)
}

/// Does [`compile_as`], and also returns the warnings. Before the game is complete, `give` receives
/// the [`early`] game of the rules, if there is one.
///
/// # Errors
/// Returns all errors, or the limit that this engine exceeds.
pub fn compile_in_stages(
    source: &Source,
    options: &Options,
    way: Option<EngineKind>,
    give: Option<impl FnOnce(Dynamic)>,
) -> Result<(Dynamic, Diagnostics), Box<Diagnostics>> {
    if way == Some(EngineKind::Lifted) {
        return evaluate(source, options);
    }
    let mut is_given = false;
    let show = |net: &Net| {
        if let (Some(give), Some(game)) = (give, early(net)) {
            is_given = true;
            give(game);
        }
    };
    let Failure { mut diagnostics, rules, .. } = match gdl_compiler::compile_in_stages(source, options, show)
    {
        Ok(compilation) => {
            let made = playable_within(&compilation, way, &options.limits);
            return finish(made, compilation.diagnostics);
        }
        Err(failure) => *failure,
    };
    // Lifted rules may have other states and moves than an early game.
    let may_lift = way.is_none() && !is_given && diagnostics.are_excesses();
    if let Some(rules) = rules.filter(|_| may_lift) {
        match lift(&rules, options) {
            Ok(game) => {
                diagnostics.excuse();
                // If warnings are denied, the excess stays an error.
                if !diagnostics.has_errors() {
                    return Ok((game, diagnostics));
                }
            }
            Err(excess) => diagnostics.push(*excess),
        }
    }
    Err(Box::new(diagnostics))
}

/// Returns a game with its warnings, or adds the exceeded limit to the diagnostics.
fn finish(
    made: Result<Dynamic, Box<Diagnostic>>,
    mut diagnostics: Diagnostics,
) -> Result<(Dynamic, Diagnostics), Box<Diagnostics>> {
    match made {
        Ok(game) => Ok((game, diagnostics)),
        Err(excess) => {
            diagnostics.push(*excess);
            diagnostics.sort();
            Err(Box::new(diagnostics))
        }
    }
}

/// Creates an incremental game from a net that is not optimised yet. All games that are made from
/// the net later have the same states and moves. Returns `None` if the net has fewer than 50,000
/// operands, or its machines would take more than a gibibyte. O(operands).
#[must_use]
pub fn early(net: &Net) -> Option<Dynamic> {
    (net.literals() >= EARLY_FROM).then(|| Events::early(net).map(Dynamic::eventful)).flatten()
}

/// Creates the game of a compilation, run by the engine `way` or, if `None`, the one that a trial
/// chooses. Evaluations have the default limits.
///
/// # Errors
/// Returns the limit that the engine exceeds.
pub fn playable(compilation: &Compilation, way: Option<EngineKind>) -> Result<Dynamic, Box<Diagnostic>> {
    playable_within(compilation, way, &Limits::default())
}

/// Like [`playable`], with the given limits.
fn playable_within(
    compilation: &Compilation,
    way: Option<EngineKind>,
    limits: &Limits,
) -> Result<Dynamic, Box<Diagnostic>> {
    match way {
        None => choose_engine(compilation, limits).map(|(game, _)| game),
        Some(EngineKind::Lifted) => {
            lift(&compilation.rules, &Options { limits: limits.clone(), ..Options::default() })
        }
        Some(EngineKind::Table) => Ok(Dynamic::new(decode(compilation)?)),
        Some(EngineKind::Events) => {
            let message = "machines of the net would take more than a gibibyte";
            let excess = || Box::new(Diagnostic::new(&codes::TOO_MANY_INSTANCES, None, message.to_owned()));
            let (events, _) = trial::best_events(compilation, limits).ok_or_else(excess)?;
            Ok(Dynamic::eventful(events.with_table(Arc::new(decode(compilation)?))))
        }
    }
}

/// Creates the game of a compilation, run by the engine that a trial chooses. Also returns the
/// trial's estimates, which are empty if the table is small. Evaluations have the given limits.
///
/// # Errors
/// Returns the limit that the table exceeds.
pub fn choose_engine(
    compilation: &Compilation,
    limits: &Limits,
) -> Result<(Dynamic, Vec<Estimate>), Box<Diagnostic>> {
    let mut table = decode(compilation)?;
    let Trial { single, has_slow_lanes, estimates } = Trial::new(compilation, &table, limits);
    table.prefer_lanes(!has_slow_lanes);
    let table = Arc::new(table);
    let game = match single {
        Some(Single::Events(events)) => Dynamic::eventful(events.with_table(table)),
        Some(Single::Lifted(lifted)) => Dynamic::evaluated(lifted.with_table(table)),
        None => Dynamic::shared(table),
    };
    Ok((game, estimates))
}

fn decode(compilation: &Compilation) -> Result<Table, Box<Diagnostic>> {
    Table::decode(&compilation.table).map_err(|error| Box::new(too_large(&error)))
}

/// Creates the incremental games of a compilation, one for each net that the trial chooses from.
/// Those that would take too much memory are left out.
pub fn eventful(compilation: &Compilation) -> impl Iterator<Item = Dynamic> {
    Events::of(compilation, &Limits::default()).map(Dynamic::eventful)
}

/// Compiles a rulesheet to a game that is interpreted in each state.
///
/// # Errors
/// Returns all errors that are found without grounding, or the limit that lifting exceeds.
fn evaluate(source: &Source, options: &Options) -> Result<(Dynamic, Diagnostics), Box<Diagnostics>> {
    let (rules, diagnostics) = read(source, options).map_err(|failure| failure.diagnostics)?;
    finish(lift(&rules, options), diagnostics)
}

/// Creates a game that interprets checked rules in each state.
///
/// # Errors
/// Returns the limit that lifting exceeds.
pub fn lift(rules: &Rules, options: &Options) -> Result<Dynamic, Box<Diagnostic>> {
    let game = Lifted::new(lifted::Lifted::new(rules, options)?);
    game.map(Dynamic::evaluated).map_err(|error| Box::new(too_large(&error)))
}

fn too_large(error: &TableError) -> Diagnostic {
    Diagnostic::new(&codes::TOO_MANY_INSTANCES, None, error.to_string())
}
