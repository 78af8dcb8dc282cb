//! Rules as logic programs, as far as both ways to evaluate them are alike.
//!
//! [`ground`](crate::ground) finds every instance of every rule once, [`lifted`](crate::lifted)
//! what holds in one state after the other. Both work on ground terms by number (`terms`) and on
//! clauses whose terms have variables by number (`pattern`); what is stored once there is a call
//! (`calls`).
//!
//! The rest is their own. `ground` keeps facts as atoms with one list, since instances name them,
//! with indexes that only grow and rows side by side; it multiplies disjunctions out, and orders a
//! body for every literal that can bring news. `lifted` has a table for each relation, which is
//! emptied with the state, so its indexes are chains of rows; it keeps disjunctions, cuts what
//! needs one proof and calls what would be vast. One form of clause, index or plan would carry the
//! needs of the other through its innermost loop. `eval` shares nothing with either.

pub(crate) mod calls;
pub(crate) mod pattern;
pub mod terms;
