//! Net to smaller net: an ordered list of passes.
//!
//! Every pass takes a [`Net`] and returns one that shows the same legal moves, goals and termination
//! and steps to the same states, for every state that play can reach and every legal joint move in one
//! that is not terminal. A pass keeps all inputs and outputs, leaves no dead gates behind, and depends on
//! nothing but its input.

mod budget;
mod constants;
mod early;
mod exclusive;
mod factor;
mod imply;
mod latch;
mod legality;
mod merge;
mod one_hot;
mod phase;
mod plies;
mod proof;
mod rebuild;
mod share;
mod simulate;
mod users;

pub use constants::fold_constants;
pub use early::{Early, early};
pub use exclusive::find_exclusive;
pub use factor::factor;
pub use imply::drop_implied;
pub use latch::fold_latches;
pub use legality::assume_legality;
pub use merge::merge_equal;
pub use one_hot::complement;
pub use phase::phases;
pub use plies::{Plies, plies};
pub use share::share;

use crate::{
    Diagnostic, Diagnostics, Limits, Options, diagnostic::codes, meter::Meter, observer::Phase, propnet::Net,
};

/// A pass and its name. Nothing comes back if there is not enough meter.
pub type Pass = (&'static str, fn(&Net, &mut Meter) -> Option<Net>);

/// The passes in the order they run.
pub const PASSES: &[Pass] = &[
    // First, so that no later pass sees what can never change.
    ("fold_constants", fold_constants),
    // Before factoring: what legality implies is gone from the products, which then have more in common.
    ("assume_legality", assume_legality),
    // Gathers the moves that have the same effect into one disjunction each ..
    ("factor", factor),
    // .. which this one replaces by its complement where that is shorter.
    ("complement", complement),
    // Complements are new common factors.
    ("factor", factor),
    ("fold_constants", fold_constants),
    // On a net that is small by now: proofs are dear.
    ("find_exclusive", find_exclusive),
    ("fold_latches", fold_latches),
    ("drop_implied", drop_implied),
    ("merge_equal", merge_equal),
    // Again, with the groups of fluents.
    ("complement", complement),
    // Last, since the others see most in gates of many operands.
    ("share", share),
];

/// Runs every pass. Each takes time proportional to the net, nearly; if one takes more steps than the limits
/// allow, that goes to `diagnostics`, and nothing comes back.
pub fn optimize(net: Net, options: &Options, diagnostics: &mut Diagnostics) -> Option<Net> {
    let mut net = net;
    for (_, pass) in PASSES {
        let mut meter = Meter::new(options, Phase::Optimize);
        let Some(optimised) = pass(&net, &mut meter) else {
            diagnostics.push(match meter.cancelled() {
                Some(progress) => progress.cancelled(),
                None => out_of_fuel(&options.limits),
            });
            return None;
        };
        net = optimised;
    }
    Some(net)
}

fn out_of_fuel(limits: &Limits) -> Diagnostic {
    let message = format!("optimising the net takes more than {} steps (`fuel`)", limits.fuel);
    Diagnostic::new(&codes::OUT_OF_FUEL, None, message)
        .help("let fewer variables of each rule vary together, or raise the limit")
}
