//! Optimises a net by an ordered list of passes.
//!
//! Every pass takes a [`Net`] and returns one with the same play: the same legal moves, goals,
//! termination and successors. This holds in every reachable state and, if the state is not
//! terminal, for every legal joint move. A pass keeps all inputs and outputs, leaves no dead gates,
//! and is deterministic. It pays a [`Meter`] for its steps and bytes before it takes them; if the
//! meter runs out, the net stays unchanged. If a pass repeats a rewriting, its module page names
//! the measure that decreases each time.
//!
//! Each pass has a file named after its subject. Passes share the other files: `rebuild` copies
//! nets, and `users` lists where gates are used. `simulate` proposes candidates by random play, and
//! `proof` proves them within a `budget`.
//!
//! Further nets are derived from the optimised one, and play is correct without them: one for each
//! phase of its cycle ([`phases`]), one for each ply of a short game ([`plies`]), and one for
//! [`decisive`] moves, which searches use.

mod alternation;
mod budget;
mod constants;
mod decisive;
mod ends;
mod factor;
mod imply;
mod legality;
mod merge;
mod moves;
mod mutex;
mod one_hot;
mod phase;
mod plies;
mod proof;
mod rebuild;
mod share;
mod simulate;
mod turns;
mod users;

pub use constants::fold_constants;
pub use decisive::{Decisive, decisive};
pub use ends::drop_impossible_ends;
pub use factor::factor;
pub use imply::drop_implied;
pub use legality::assume_legality;
pub use merge::merge_equal;
pub use moves::factor_moves;
pub use mutex::find_mutex_groups;
pub use one_hot::complement;
pub use phase::{Phases, fold_phases, phases};
pub use plies::{Plies, plies};
pub use share::share;

use crate::{meter::Meter, propnet::Net};

/// A pass and its name. A pass returns `None` if the meter has not enough steps or bytes.
pub type Pass = (&'static str, fn(&Net, &mut Meter) -> Option<Net>);

/// The passes in the order they run.
pub const PASSES: &[Pass] = &[
    // First, so that no later pass sees fluents that never change.
    ("fold_constants", fold_constants),
    // Before factoring: once the literals that legality implies are removed, products have more in
    // common.
    ("assume_legality", assume_legality),
    // Gathers the moves that have the same effect into one disjunction.
    ("factor", factor),
    // Splits the sums of products into disjunctions of moves and a total that several gates share.
    ("factor_moves", factor_moves),
    // Disjunctions of most moves become complements.
    ("complement", complement),
    // Complements are new common factors.
    ("factor", factor),
    ("fold_constants", fold_constants),
    // On a net that is small by now, since proofs take many steps.
    ("find_mutex_groups", find_mutex_groups),
    ("drop_implied", drop_implied),
    ("merge_equal", merge_equal),
    // Before `share` divides gates, since this pass compares whole conjunctions.
    ("drop_impossible_ends", drop_impossible_ends),
    // Again, now with the mutex groups of fluents.
    ("complement", complement),
    // Last, since the other passes find more in gates of many operands.
    ("share", share),
];

/// The share of the remaining steps that a pass may take: one part in this number.
const PARTS: u64 = 2;

/// Runs every pass. A pass takes nearly linear time. A pass that exceeds its share of the meter is
/// skipped, and the meter records that.
#[must_use]
pub fn optimize(net: Net, meter: &mut Meter) -> Net {
    // The share of each pass counts the bytes of the current net, in addition to those of the net
    // that the pass makes.
    let mut net = net;
    for &(name, pass) in PASSES {
        let next = meter.attempt(name, PARTS, |meter| {
            meter.take(net.bytes() + net.list_bytes())?;
            pass(&net, meter)
        });
        net = next.unwrap_or(net);
    }
    net
}
