//! Arguments that several commands have: what [`rules`] are read as, and the [`terms`] of matches.

pub(crate) mod rules;
pub(crate) mod terms;
