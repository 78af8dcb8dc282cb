//! Engines against what is known from elsewhere: counts of others, traces that another semantics made of other authors'
//! rulesheets, and games written by hand.

mod chess;
mod epilog;
mod handwritten;
mod odd_games;
mod perft;
mod poker;
mod published;
mod puzzles;
pub mod reference;
mod traces;

use gdl_runtime::Dynamic;

/// A built-in game as a table.
fn built_in(name: &str) -> Dynamic {
    gdl_games::dynamic(name).expect("built-in rulesheets load")
}
