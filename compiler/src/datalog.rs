//! The data structures that both evaluators of rules as logic programs share.
//!
//! [`ground`](crate::ground) finds every instance of every rule once. [`lifted`](crate::lifted)
//! computes the true atoms of one state after another. Both number the ground terms (`terms`) and
//! the variables in the terms of a clause (`pattern`). Heads with arguments are stored once, as
//! calls (`calls`).
//!
//! Everything else is separate. `ground` keeps facts as atoms in one list, since instances refer to
//! them. Its indexes only grow, and store the rows of a key side by side. It multiplies
//! disjunctions out, and makes one join order of a body for each literal that can get new facts.
//! `lifted` has a table for each relation and clears it for each state, so its indexes are chains
//! of rows. It keeps disjunctions, stops at the first proof where one is enough, and calls
//! relations that would be too large to fill. A common form of clause, index or plan would put the
//! needs of one evaluator into the innermost loop of the other. `eval` shares nothing with either.

pub(crate) mod calls;
mod id;
pub(crate) mod pattern;
pub mod terms;
