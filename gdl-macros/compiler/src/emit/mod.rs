//! Net to what the runtime and rustc can use: tables and straight-line Rust.

pub mod lower;
pub mod table;
