//! Net to what the runtime and rustc can use: tables and straight-line Rust.

pub mod layout;
pub mod lower;
#[cfg(feature = "tokens")]
pub mod straight;
pub mod table;
