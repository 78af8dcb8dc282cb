//! Lanes, which play 512 games at once. Games in them are games, from the start and from any other
//! state. The successors they make, and the games stepped in them, equal those of single steps. All
//! of it is the same on every instruction set and fair to every move.
//!
//! Instruction sets that the processor lacks are left out. The portable one never is, so no test is
//! skipped.

mod expand;
mod games;
mod leaves;
mod playouts;
mod uniformity;
mod vast;
