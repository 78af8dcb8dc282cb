//! Arguments that several commands have: what [`rules`] are read as, the [`terms`] of matches, and
//! the [`way`] games are run.

pub(crate) mod rules;
pub(crate) mod terms;
pub(crate) mod way;
