//! Compilation of a rulesheet to a game, with the compiler's own options and diagnostics: what `load` and the tools of
//! this project are made of.

use crate::{dynamic::Dynamic, lifted::Lifted, table::TableError};
use gdl_compiler::{
    Diagnostic, Diagnostics, Failure, Options, Rules, Source, diagnostic::codes, lifted, read,
};

/// Compiles a rulesheet with options of the compiler; one that takes too much is lifted.
///
/// # Errors
/// All that is wrong with it.
pub fn compile(source: &Source, options: &Options) -> Result<Dynamic, Box<Diagnostics>> {
    let Failure { mut diagnostics, rules, .. } = match gdl_compiler::compile(source, options) {
        Ok(compilation) => match Dynamic::decode(&compilation.table) {
            Ok(game) => return Ok(game),
            Err(error) => {
                let mut diagnostics = compilation.diagnostics;
                diagnostics.push(too_large(&error));
                return Err(Box::new(diagnostics));
            }
        },
        Err(failure) => *failure,
    };
    if let Some(rules) = rules.filter(|_| diagnostics.are_excesses()) {
        match lift(&rules, options) {
            Ok(game) => return Ok(game),
            Err(excess) => diagnostics.push(*excess),
        }
    }
    Err(Box::new(diagnostics))
}

/// Makes a rulesheet a game that is evaluated state by state.
///
/// # Errors
/// All that is wrong with it, as far as that shows without grounding, or the limit that is too low even for this.
pub fn evaluate(source: &Source, options: &Options) -> Result<Dynamic, Box<Diagnostics>> {
    let (rules, mut diagnostics) = read(source, options).map_err(|failure| failure.diagnostics)?;
    lift(&rules, options).map_err(|excess| {
        diagnostics.push(*excess);
        diagnostics.sort();
        Box::new(diagnostics)
    })
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
