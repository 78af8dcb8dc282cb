//! Play in the terminal: [`session`] with a person, whose lines are read as [`command`]s; [`alone`] without.

pub(crate) mod alone;
pub(crate) mod command;
pub(crate) mod session;
