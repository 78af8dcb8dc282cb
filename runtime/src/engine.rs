//! Circuits, tables and rows, for searches, environments and other engines.
//!
//! Players, tools and graphics cards build on these items. They have **no promise of stability**:
//! any release may change them. Programs that only play games should use [`Game`](crate::Game),
//! [`Playouts`](crate::Playouts) and [`lanes`](crate::lanes).
//!
//! | for | see |
//! |---|---|
//! | the net of a game | [`Table`], [`Circuit`], [`Lanes`], [`Programs`] |
//! | rows of bits for states | [`RowBatch`], [`RowExpansion`], [`RowLeaves`] |
//! | parts of such rows | [`legal_words`], [`percept_words`] |
//! | many games step by step | [`Games`], [`Stepper`], [`Lockstep`] |
//! | plain code for each instruction set | [`Work`], [`Isa::work`](crate::lanes::Isa::work) |
//! | compiling and choosing an engine (feature `load`) | `compile`, `playable`, `Estimate` |

pub use crate::{
    circuit::Circuit,
    game::{legal::legal_words, perception::percept_words},
    lanes::{
        Lanes,
        expand::{RowBatch, RowExpansion},
        games::{CLEAR, Games, ONLY, Part, Renewal, Stepper, To},
        leaves::RowLeaves,
        lockstep::Lockstep,
        program::{PhasePrograms, Programs},
    },
    simd::Work,
    stats::Counts,
    table::{Table, TableError},
};

#[cfg(feature = "load")]
pub use crate::{
    compile::{
        EngineKind, choose_engine, compile, compile_as, compile_in_stages, early, eventful, lift, playable,
    },
    trial::Estimate,
};
