//! Arguments that several commands share: [`rules`] for reading rulesheets, [`terms`] for the
//! budgets of matches, and [`way`] for the engine.

pub(crate) mod rules;
pub(crate) mod terms;
pub(crate) mod way;
