//! Net to smaller net: an ordered list of passes.
//!
//! Every pass takes a [`Net`] and returns one with the same play: the same legal moves, goals,
//! termination and next states, for every state that play can reach and every legal joint move in
//! one that is not terminal. A pass keeps all inputs and outputs, leaves no dead gates, and depends
//! on nothing but its input. It pays a [`Meter`] for its steps and bytes before it takes them; if
//! there are not enough, the net stays as it was. If a pass rewrites again and again, its module
//! page names what decreases each time.
//!
//! A pass is a file called by its subject; the others have what passes share. `rebuild` copies
//! nets, `users` says where gates are used; `simulate` sees by random play what may be so, `proof`
//! shows that it is, within a `budget`.
//!
//! From the net others are made, which are no more than a help: that of each phase of its cycle
//! ([`phases`]), and of each ply of a short game ([`plies`]); and those of [`decisive`] play, which
//! searches ask for.

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
    // First, so that no later pass sees what can never change.
    ("fold_constants", fold_constants),
    // Before factoring: what legality implies is gone from the products, which then have more in
    // common.
    ("assume_legality", assume_legality),
    // Gathers the moves that have the same effect into one disjunction each ..
    ("factor", factor),
    // .. so that what several gates say of moves has one form.
    ("factor_moves", factor_moves),
    // Disjunctions of most moves become complements.
    ("complement", complement),
    // Complements are new common factors.
    ("factor", factor),
    ("fold_constants", fold_constants),
    // On a net that is small by now: proofs are dear.
    ("find_mutex_groups", find_mutex_groups),
    ("drop_implied", drop_implied),
    ("merge_equal", merge_equal),
    // On few gates, each with all its operands: what phases do without is added here.
    ("drop_impossible_ends", drop_impossible_ends),
    // Again, with the groups of fluents.
    ("complement", complement),
    // Last, since the others see most in gates of many operands.
    ("share", share),
];

/// The share of the remaining steps that a pass may take: one part in this number.
const PARTS: u64 = 2;

/// Runs every pass. Each takes time proportional to the net, nearly; one that would take more than
/// its share of the meter is left out, and the meter says so.
#[must_use]
pub fn optimize(net: Net, meter: &mut Meter) -> Net {
    // The net that is there is in use all the time, and so is its successor until it takes its
    // place.
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
