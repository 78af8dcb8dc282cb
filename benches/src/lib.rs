//! What the benchmarks compare with: playout loops written by hand, and another grounder.
//!
//! `cargo bench -p gdl-benches` plays each game by its hand-written loop, by the compiled rulesheet and
//! by the table engine in one run, times each phase of the compiler, and grounds games beside gringo. Results
//! are kept in `record/`.

pub mod child;
pub mod gringo;
pub mod hand;
