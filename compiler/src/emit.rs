//! Emission: from a net to what the runtime and rustc can use, tables and straight-line Rust.

mod engine;
pub mod lanes;
pub mod lower;
pub mod module;
pub mod names;
pub mod parts;
pub mod skeleton;
pub mod straight;
pub mod table;

use crate::{optimize::Phases, propnet::Net};

/// The form in which the steps of a game are compiled: those of single states, and those of lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Code {
    /// Straight-line code within [`STRAIGHT_BUDGET`] and [`LANES_BUDGET`], otherwise the table.
    #[default]
    Auto,
    /// The table, run by the runtime.
    Table,
    /// The table for single states, straight-line code for lanes, whatever it costs.
    Lanes,
    /// Straight-line code, whatever it costs.
    Straight,
}

/// The most two-input operations of a net that becomes straight-line code unasked: rustc takes one
/// to two milliseconds for each in a release build, and next to nothing for a table.
pub const STRAIGHT_BUDGET: usize = 5_000;

/// The most operations of lanes, all phases together, that become straight-line code unasked: rustc
/// takes a third of a millisecond and more for each and instruction set in a release build.
pub const LANES_BUDGET: usize = 10_000;

impl Code {
    /// True if this net becomes straight-line code.
    #[must_use]
    pub fn is_straight(self, net: &Net) -> bool {
        match self {
            Self::Auto => net.operations() <= STRAIGHT_BUDGET,
            Self::Table | Self::Lanes => false,
            Self::Straight => true,
        }
    }

    /// True if these lanes become straight-line code.
    #[must_use]
    pub fn is_straight_in_lanes(self, lanes: &lanes::Lanes) -> bool {
        match self {
            Self::Auto => lanes.operations() <= LANES_BUDGET,
            Self::Table => false,
            Self::Lanes | Self::Straight => true,
        }
    }
}

/// The phases of a net, if an average step with their nets takes at most `hundredths` hundredths of
/// the operations of one without.
fn pays<'p>(net: &Net, phases: Option<&'p Phases>, hundredths: usize) -> Option<&'p Phases> {
    let operations = |phases: &Phases| phases.nets.iter().map(Net::operations).sum::<usize>();
    phases.filter(|phases| 100 * operations(phases) <= hundredths * phases.nets.len() * net.operations())
}
