//! Lanes, which play 512 games at once: the games in them are games, from the start and from any
//! other state, the successors they make and games that are stepped in them are those of single
//! steps, and all of it is the same on every instruction set and fair to every move.
//!
//! Instruction sets that the processor lacks are left out. The portable one never is, so no test is
//! skipped.

mod expand;
mod games;
mod leaves;
mod playouts;
mod uniformity;
mod vast;
