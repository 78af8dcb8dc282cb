//! Engines, evaluator and explanations agree with the oracle, which implements the semantics
//! naively. The rulesheets are the built-in games, generated ones, and disputed points of the
//! language. Other tests check the role to move, and recorded plays as tests of their rulesheets.

mod agreement;
mod differential;
mod explanations;
mod plays;
mod semantics;
mod turns;
