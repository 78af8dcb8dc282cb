//! Lanes, which play 512 games at once. Playouts, playouts from given states, successors and
//! stepped games in lanes agree with single steps. Results are equal on every instruction set, and
//! every move is equally likely.
//!
//! Instruction sets that the processor lacks are left out. The portable one always runs, so no test
//! is skipped.

mod expand;
mod games;
mod leaves;
mod playouts;
mod uniformity;
mod vast;
