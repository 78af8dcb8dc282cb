//! Compilation of a rulesheet to a game, with the compiler's own options and diagnostics: what
//! `load` and the tools of this project are made of.

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

/// Operands of a net from which on it is optimised for more than about a tenth of a second.
const EARLY_FROM: usize = 50_000;

/// An engine for single states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineKind {
    /// The table.
    Table,
    /// A net that is evaluated where it changes.
    Events,
    /// The rules, state by state.
    Lifted,
}

/// Compiles a rulesheet with options of the compiler, for the engine that a trial chooses; one that
/// exceeds the limits of grounding is lifted.
///
/// # Errors
/// All that is wrong with it.
pub fn compile(source: &Source, options: &Options) -> Result<Dynamic, Box<Diagnostics>> {
    compile_as(source, options, None)
}

/// [`compile`] for the engine that is asked for, if one is.
///
/// # Errors
/// Returns all errors, or that it takes too much for this engine.
pub fn compile_as(
    source: &Source,
    options: &Options,
    way: Option<EngineKind>,
) -> Result<Dynamic, Box<Diagnostics>> {
    compile_in_stages(source, options, way, None::<fn(Dynamic)>).map(|(game, _)| game)
}

/// The game of [`compile_as`] with its warnings. Before that it calls `give`, if there is any, with
/// the [`early`] game of the rules, if there is one.
///
/// # Errors
/// Returns all errors, or that it takes too much for this engine.
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
    // Rules that are lifted have other states and moves than an early game.
    let may_lift = way.is_none() && !is_given && diagnostics.are_excesses();
    if let Some(rules) = rules.filter(|_| may_lift) {
        match lift(&rules, options) {
            Ok(game) => {
                diagnostics.excuse();
                // Where warnings are denied, the excess stays an error.
                if !diagnostics.has_errors() {
                    return Ok((game, diagnostics));
                }
            }
            Err(excess) => diagnostics.push(*excess),
        }
    }
    Err(Box::new(diagnostics))
}

/// A game with its warnings; or the limit that is too low for it, among them.
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

/// The game by events of a net that is not optimised yet, with the states and moves of every game
/// that is made of the net later. None of a net with less than 50,000 operands, or whose machines
/// would take more than a gibibyte. O(operands).
#[must_use]
pub fn early(net: &Net) -> Option<Dynamic> {
    (net.literals() >= EARLY_FROM).then(|| Events::early(net).map(Dynamic::eventful)).flatten()
}

/// The game of a compilation, run by the given engine, otherwise by the one that a trial chooses;
/// evaluations are within the usual limits.
///
/// # Errors
/// The limit that is too low for it.
pub fn playable(compilation: &Compilation, way: Option<EngineKind>) -> Result<Dynamic, Box<Diagnostic>> {
    playable_within(compilation, way, &Limits::default())
}

/// [`playable`] within some limits.
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

/// The game of a compilation, run by the engine that a trial chooses, and the trial's estimates of
/// the engines that take part; none where the table is small. Evaluations are within the limits.
///
/// # Errors
/// The limit that is too low for the table.
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

/// The incremental games of a compilation, by each of the nets that the trial chooses from, as far
/// as these do not take too much memory.
pub fn eventful(compilation: &Compilation) -> impl Iterator<Item = Dynamic> {
    Events::of(compilation, &Limits::default()).map(Dynamic::eventful)
}

/// Makes a rulesheet a game that is evaluated state by state.
///
/// # Errors
/// All that is wrong with it, as far as that shows without grounding, or the limit that is too low
/// even for this.
fn evaluate(source: &Source, options: &Options) -> Result<(Dynamic, Diagnostics), Box<Diagnostics>> {
    let (rules, diagnostics) = read(source, options).map_err(|failure| failure.diagnostics)?;
    finish(lift(&rules, options), diagnostics)
}

/// Makes checked rules a game that is evaluated state by state.
///
/// # Errors
/// The limit that is too low even for this.
pub fn lift(rules: &Rules, options: &Options) -> Result<Dynamic, Box<Diagnostic>> {
    let game = Lifted::new(lifted::Lifted::new(rules, options)?);
    game.map(Dynamic::evaluated).map_err(|error| Box::new(too_large(&error)))
}

fn too_large(error: &TableError) -> Diagnostic {
    Diagnostic::new(&codes::TOO_MANY_INSTANCES, None, error.to_string())
}
