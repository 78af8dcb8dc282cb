//! The data structures that both evaluators of rules as logic programs share.
//!
//! [`ground`](crate::ground) finds every instance of every rule once. [`lifted`](crate::lifted)
//! computes what holds in one state after the other. Both number the ground terms (`terms`) and the
//! variables in the terms of a clause (`pattern`). Heads with arguments are stored once, as calls
//! (`calls`).
//!
//! Everything else is separate. `ground` keeps facts as atoms in one list, since instances name
//! them. Its indexes only grow, with rows side by side. It multiplies disjunctions out, and orders
//! a body for every literal that can get new facts. `lifted` has a table for each relation, which
//! is cleared with the state, so its indexes are chains of rows. It keeps disjunctions, stops at
//! the first proof where one is enough, and calls relations that would be vast. A common form of
//! clause, index or plan would carry the needs of one through the innermost loop of the other.
//! `eval` shares nothing with either.

pub(crate) mod calls;
mod id;
pub(crate) mod pattern;
pub mod terms;
