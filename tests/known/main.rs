//! Engines against what is known from elsewhere: counts of others, traces that another semantics made of other authors'
//! rulesheets, and games written by hand.

mod chess;
mod handwritten;
mod odd_games;
mod perft;
pub mod reference;
mod traces;
