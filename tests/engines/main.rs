//! Engines agree with the oracle, which implements the semantics naively. They are compared on
//! built-in games, generated rulesheets, disputed points of the language, the player to move, and
//! recorded plays used as tests.

mod agreement;
mod differential;
mod explanations;
mod plays;
mod semantics;
mod turns;
