//! Parts of the benchmarks: handwritten playout loops and another grounder as baselines, the
//! comparison of playouts, contests of players, the machine, programs that take turns, and the
//! pages that hold results.
//!
//! `cargo bench -p gdl-benches` plays each game by its handwritten baseline and by every engine in
//! one run, times each stage of the compiler, and compares grounding with gringo.
//! `docs/performance.md` has the results.

pub mod gringo;
pub mod hand;
pub mod machine;
pub mod page;
pub mod playouts;
pub mod strength;
pub mod turns;
