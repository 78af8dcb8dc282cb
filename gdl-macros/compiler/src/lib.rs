//! The compiler for the Game Description Language (GDL, in KIF syntax).
//!
//! Text in, a located list of faults or a game out. The crate is pure: it reads no files, looks at
//! no clock, starts no threads, and the same text always gives the same bytes.

extern crate alloc; // what pest derives without `std` asks for

pub mod check;
pub mod diagnostic;
pub mod eval;
pub mod limits;
pub mod rules;
pub mod syntax;

pub use diagnostic::{Diagnostic, Diagnostics, Levels, Severity, Source, Span};
pub use limits::Limits;
pub use rules::Rules;

/// What a user may ask of a compilation.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Whether spellings that differ in case alone are different symbols.
    pub case_sensitive: bool,
    /// How much the rulesheet may cost.
    pub limits: Limits,
    /// Which lints are silent and which are errors.
    pub levels: Levels,
}
