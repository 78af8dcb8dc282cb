//! Engines agree with the oracle, a naive semantics: on the built-in games, on generated
//! rulesheets, on points where readers of the language may disagree, on the player to move, and on
//! the verdict of a play as a test.

mod agreement;
mod differential;
mod explanations;
mod plays;
mod semantics;
mod turns;
