//! Rust snippets of the README and the book, as doctests.
//!
//! The rulesheet of the README is `stones.kif` in this package's folder. A snippet that cannot run
//! here is fenced as `rust,ignore`, and its page says why.

#![allow(clippy::doc_markdown, reason = "names of games stand in tables")]

#[doc = include_str!("../../../README.md")]
mod readme {}

#[doc = include_str!("../../../docs/tutorial/rust.md")]
mod tutorial {}

#[doc = include_str!("../../../docs/how-to/untrusted-rules.md")]
mod untrusted_rules {}

#[doc = include_str!("../../../docs/how-to/fast-playouts.md")]
mod fast_playouts {}

#[doc = include_str!("../../../docs/how-to/players.md")]
mod players {}
