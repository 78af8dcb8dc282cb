//! What the benchmarks compare with: playout loops written by hand.
//!
//! `cargo bench -p gdl-benches` plays each game by its hand-written loop, by the compiled rulesheet and
//! by the table engine in one run, and times each phase of the compiler. Results are kept in `record/`.

pub mod hand;
