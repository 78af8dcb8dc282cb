//! The requests of a client about a document, with a file for each.

pub(crate) mod actions;
pub(crate) mod completion;
pub(crate) mod diagnostics;
pub(crate) mod folding;
pub(crate) mod formatting;
pub(crate) mod hints;
pub(crate) mod hover;
pub(crate) mod outline;
pub(crate) mod places;
pub(crate) mod rename;
pub(crate) mod why;
