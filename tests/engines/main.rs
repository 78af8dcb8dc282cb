//! Engines mean the same by a rulesheet as `eval`, the slow and obvious semantics: on the built-in games, on generated
//! rulesheets and on what readers of the language may disagree about.

mod agreement;
mod differential;
mod explanations;
mod semantics;
