//! Play of people, on whatever screen: positions as text ([`view`]), how a game ended
//! ([`outcome`]), what a role can be sure of ([`certainty`]), and ways from choice to choice
//! ([`travel`]).

pub mod certainty;
pub mod outcome;
pub mod travel;
pub mod view;
