//! Play of people: positions as text ([`view`]), results ([`outcome`]), the certain knowledge of a
//! role ([`certainty`]), and steps between choices ([`travel`]).

pub mod certainty;
pub mod outcome;
pub mod travel;
pub mod view;
