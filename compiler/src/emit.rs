//! Emits a net as a table for the runtime, and as straight-line Rust.

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

/// The form of compiled steps, for single states and for lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Code {
    /// Straight-line code within [`STRAIGHT_BUDGET`] and [`LANES_BUDGET`], otherwise the table.
    #[default]
    Auto,
    /// The table, run by the runtime.
    Table,
    /// The table for single states, straight-line code of any size for lanes.
    Lanes,
    /// Straight-line code of any size.
    Straight,
}

/// The most two-input operations of a net that [`Code::Auto`] compiles to straight-line code. Rustc
/// takes one to two milliseconds for each in a release build; a table takes almost no time.
pub const STRAIGHT_BUDGET: usize = 5_000;

/// The most operations of lanes, all phases together, that [`Code::Auto`] compiles to straight-line
/// code. Rustc takes at least a third of a millisecond for each operation and instruction set in a
/// release build.
pub const LANES_BUDGET: usize = 10_000;

impl Code {
    /// Returns true if this net becomes straight-line code.
    #[must_use]
    pub fn is_straight(self, net: &Net) -> bool {
        match self {
            Self::Auto => net.operations() <= STRAIGHT_BUDGET,
            Self::Table | Self::Lanes => false,
            Self::Straight => true,
        }
    }

    /// Returns true if these lanes become straight-line code.
    #[must_use]
    pub fn is_straight_in_lanes(self, lanes: &lanes::Lanes) -> bool {
        match self {
            Self::Auto => lanes.operations() <= LANES_BUDGET,
            Self::Table => false,
            Self::Lanes | Self::Straight => true,
        }
    }
}

/// Returns the phases if their nets have on average at most `hundredths` percent of the operations
/// of the whole net.
fn pays<'p>(net: &Net, phases: Option<&'p Phases>, hundredths: usize) -> Option<&'p Phases> {
    let operations = |phases: &Phases| phases.nets.iter().map(Net::operations).sum::<usize>();
    phases.filter(|phases| 100 * operations(phases) <= hundredths * phases.nets.len() * net.operations())
}
