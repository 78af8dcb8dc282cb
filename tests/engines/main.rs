//! Engines mean the same by a rulesheet as the oracle, a naive semantics: on the built-in games, on
//! generated rulesheets, on what readers of the language may disagree about, whose turn it is and
//! what a play says as a test.

mod agreement;
mod differential;
mod explanations;
mod plays;
mod semantics;
mod turns;
