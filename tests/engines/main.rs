//! Engines mean the same by a rulesheet as `eval`, the slow and obvious semantics: on the built-in games, on generated
//! rulesheets, on what readers of the language may disagree about, and on whose turn it is.

mod agreement;
mod differential;
mod explanations;
mod semantics;
mod turns;
