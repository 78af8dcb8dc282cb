//! Play in the terminal: [`session`] with a person, [`alone`] without.
//!
//! Lines come in ([`command`]), positions and results go out ([`view`]); one goes back and forth from choice to choice
//! ([`travel`]).

pub mod alone;
pub mod command;
pub mod session;
pub mod travel;
pub mod view;
