//! Baselines that the benchmarks compare with, hand-written playout loops and another grounder, the
//! comparison of playouts, contests of players, and pages that results are written to.
//!
//! `cargo bench -p gdl-benches` plays each game by its hand-written baseline and by every engine in
//! one run, times each phase of the compiler, and compares grounding with gringo.
//! `docs/performance.md` has the results.

pub mod gringo;
pub mod hand;
pub mod page;
pub mod playouts;
pub mod strength;
