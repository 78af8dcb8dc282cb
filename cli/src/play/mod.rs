//! Play in the terminal: [`session`] with a person, [`alone`] without.
//!
//! Lines come in ([`command`]), positions and results go out ([`view`]).

pub mod alone;
pub mod command;
pub mod session;
pub mod view;
